"""The server of the tests of rendering."""

from collections.abc import Iterator

import pytest
from render_lab import Pages, processes, serving


@pytest.fixture
def pages() -> Iterator[Pages]:
    """A server on four hosts. No test leaves a process."""
    with serving() as running:
        yield running
    assert processes() == []
