"""A command that runs in this process, and a store for it."""

from pathlib import Path

import pytest
from frame_lab import TEXT, Ran, Run
from store_lab import StoreLab

from polite_crawler.cli import main


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Run `pc` with these arguments in this process."""

    def call(*arguments: object, program: str | None = None) -> Ran:
        try:
            code = main([str(one) for one in arguments], program=program)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
        out, err = capfdbinary.readouterr()
        return Ran(int(code), out, err.decode())

    return call


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with two versions of a page, a held-back page and an ordinary one."""
    path = tmp_path / "store"
    lab = StoreLab(path)
    lab.page("http://x.example/a", TEXT, title="The bell")
    lab.page("http://x.example/a", TEXT + " It rings twice.", title="The bell", at=3600)
    lab.page("http://x.example/b", "A page about bread and salt.", title="Bread \x1b[31m")
    lab.page("http://x.example/held", "Nobody may read this quietly.", title="Held", hold="ai-input=no")
    lab.close()
    return path
