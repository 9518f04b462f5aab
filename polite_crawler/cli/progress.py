"""One line on a terminal that says how far a long command is."""

import sys
import time
from typing import TextIO

_EVERY_S = 0.2


class Progress:
    """Shows a line and writes over it. It is silent where nobody can see it."""

    def __init__(self, *, enabled: bool, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._enabled = enabled and self._stream.isatty()
        self._shown = 0.0

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def show(self, text: str) -> None:
        """Show a line, a few times a second at most."""
        now = time.monotonic()
        if self._enabled and now - self._shown >= _EVERY_S:
            self._shown = now
            self._stream.write(f"\r{text}\x1b[K")
            self._stream.flush()
