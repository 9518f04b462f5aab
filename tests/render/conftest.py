"""The server of the tests of rendering, the browser that they need, and the watch over what they start."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from render_lab import Pages, Watch, serving

from polite_crawler.errors import RenderRefused
from polite_crawler.transport.browser import find_program

_APT_SECONDS = 100


@pytest.fixture(scope="session")
def chromium() -> str:
    """The program of the browser. Where apt-get works it is installed; else the test says what is missing."""
    try:
        return find_program()
    except RenderRefused:
        _install()
    try:
        return find_program()
    except RenderRefused as error:
        pytest.skip(str(error))


def _install() -> None:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return
    # one worker installs, the others wait for it
    with open(Path(tempfile.gettempdir()) / "polite-apt.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if shutil.which("chromium") is None:
            command = "apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium"
            try:
                subprocess.run(["sh", "-c", command], capture_output=True, timeout=_APT_SECONDS)
            except subprocess.TimeoutExpired:
                return


@pytest.fixture(autouse=True)
def watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    """No test leaves a process of a browser."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    watching = Watch(tmp_path)
    yield watching
    assert watching.gone()


@pytest.fixture
def pages() -> Iterator[Pages]:
    """A server on four hosts."""
    with serving() as running:
        yield running
