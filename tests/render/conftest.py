"""The server of the tests of rendering, and the watch over what they start."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from render_lab import Pages, Watch, serving


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
