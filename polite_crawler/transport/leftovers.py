"""The last sweep behind a browser: what still runs with its home folder is killed. Where there is no /proc, nothing is
done here."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_PROFILE = b"--user-data-dir="


def kill_leftovers(home: str) -> int:
    """Kill the processes that were started with this HOME; gives how many there were. Their own children end with
    them, since a browser's parts end when its main process is gone."""
    killed = 0
    for process in _of(home):
        with suppress(OSError):
            os.kill(int(process.name), signal.SIGKILL)
            killed += 1
    return killed


def profile_of(home: str) -> str | None:
    """The folder that the browser with this HOME keeps its files in."""
    for process in _of(home):
        with suppress(OSError):
            for part in (process / "cmdline").read_bytes().split(b"\0"):
                if part.startswith(_PROFILE):
                    return os.fsdecode(part.removeprefix(_PROFILE))
    return None


def _of(home: str) -> Iterator[Path]:
    wanted = os.fsencode(f"HOME={home}")
    for entry in _PROC.glob("[0-9]*/environ"):
        with suppress(OSError):
            if wanted in entry.read_bytes().split(b"\0"):
                yield entry.parent
