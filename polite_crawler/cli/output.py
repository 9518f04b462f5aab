"""What a command prints: results on standard output, as JSON or for a person; notes on standard error.

Page text is untrusted: control characters, which could write over a terminal, never reach one.
"""

import json
import os
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, TextIO

from polite_crawler.rules.controls import json_for_terminal

_C0_C1 = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if code not in (9, 10)}
_ONE_LINE = (
    _C0_C1
    | dict.fromkeys((9, 10), " ")
    | dict.fromkeys((0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd")
)


def plain(value: Any) -> Any:
    """The JSON value of a result: every field of a dataclass, also when it is None. A name that ends in an underscore
    because it is a keyword of Python (`from_`) loses it."""
    if is_dataclass(value):
        return {field.name.rstrip("_"): plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return value


def one_line(text: str) -> str:
    """A text of a page on one line: runs of white space are one space, and there are no control characters and no
    changes of direction."""
    return " ".join(text.translate(_ONE_LINE).split())


def many_lines(text: str) -> str:
    """A text of a page with its lines and tabs, without other control characters."""
    return text.translate(_C0_C1)


class Output:
    """The standard streams as a command uses them."""

    def __init__(
        self,
        stdout: TextIO,
        stderr: TextIO,
        *,
        json: bool = False,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.json = json
        self.terminal = stdout.isatty()
        self._stdout = stdout
        self._stderr = stderr
        plain_terminal = environment.get("NO_COLOR") or environment.get("TERM") == "dumb"
        self.colour = self.terminal and not plain_terminal

    def fact(self, value: Any) -> None:
        """Print a result as one line of JSON (UTF-8, every key)."""
        text = json_for_terminal(json.dumps(plain(value), ensure_ascii=False))
        # a lone surrogate becomes its JSON escape
        self.octets(text.encode("utf-8", "backslashreplace") + b"\n")

    def line(self, text: str = "") -> None:
        """Print one line for a person."""
        self.text(text + "\n")

    def text(self, text: str) -> None:
        """Print text for a person as it is."""
        self.octets(text.encode(self._stdout.encoding or "utf-8", "replace"))

    def octets(self, octets: bytes) -> None:
        """Print octets."""
        self._stdout.flush()
        self._stdout.buffer.write(octets)

    def note(self, text: str) -> None:
        """Say something that is no result."""
        self.flush()
        self._stderr.write(text.encode("utf-8", "replace").decode("utf-8") + "\n")
        self._stderr.flush()

    def flush(self) -> None:
        """Bring everything to its reader."""
        self._stdout.flush()
        self._stdout.buffer.flush()

    def bold(self, text: str) -> str:
        """The text in bold, where that can be seen."""
        return f"\x1b[1m{text}\x1b[0m" if self.colour and text else text

    def dim(self, text: str) -> str:
        """The text in grey, where that can be seen."""
        return f"\x1b[2m{text}\x1b[0m" if self.colour and text else text

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Print rows in columns; nothing for no rows."""
        cells = [[one_line("" if cell is None else str(cell)) for cell in row] for row in rows]
        if not cells:
            return
        widths = [max(map(width, column)) for column in zip(heads, *cells, strict=True)]
        self.line(self.bold(_row(heads, widths)))
        for row in cells:
            self.line(_row(row, widths))


def width(text: str) -> int:
    """The columns that a text takes on a terminal."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (wide - width(cell)) for cell, wide in zip(cells, widths, strict=True))
    return "  ".join(padded).rstrip()
