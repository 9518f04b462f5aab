"""The state of the hosts for tests: a time, and where its file is."""

from pathlib import Path

NOW = 1_800_000_000.0


def hosts_file(tmp_path: Path) -> Path:
    """The fixture `path`: the file is not there yet."""
    return tmp_path / "hosts.sqlite"
