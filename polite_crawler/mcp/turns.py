"""How long a thread may hold the interpreter while another one waits for it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

TURN: Final = 0.0003
"""Seconds. A call of a tool waits for the interpreter several times: five milliseconds each time, Python's own value,
make it slow beside a page that burns CPU in the thread of the crawler."""


@contextmanager
def short_turns() -> Iterator[None]:
    """Let threads take turns of at most TURN; what was before comes back at the end."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(TURN, before))
    try:
        yield
    finally:
        sys.setswitchinterval(before)
