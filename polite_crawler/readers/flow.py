"""Text as boxes flow: white space collapsed, blocks on lines of their own, cells between tabs."""

import re

from polite_crawler.readers.scrub import visible

_SPACES = re.compile(r"[ \t\n\f\r]+")
_BLANK_LINES = re.compile(r"\n{3,}")
_SPACE = " \t\n\f\r"


_MANY = 4096
_LOOKED_AT = 2


class Flow:
    """A text that grows as its boxes come. A line break waits until text follows it."""

    __slots__ = ("_at_line_start", "_breaks", "_gone", "_marks", "_parts", "_row_is_empty", "_runs", "_space", "_tabs")

    def __init__(self) -> None:
        # Short parts cost far more memory than text, so they are joined to runs from time to time.
        self._runs: list[str] = []
        self._parts: list[str] = []
        self._gone = 0
        self._marks = 0
        self._breaks = 0
        self._tabs = 0
        self._row_is_empty = False
        self._space = False
        self._at_line_start = True

    def add(self, text: str) -> None:
        """Inline text: white space collapses, also with that of the text before it."""
        words = _SPACES.sub(" ", text)
        if words == " ":
            self._space = True
            return
        if self._breaks:
            self._flush()
        if self._tabs:
            self._cells()
        elif (self._space or words[0] == " ") and not self._at_line_start:
            self._parts.append(" ")
        self._parts.append(words.strip(" "))
        self._row_is_empty = False
        self._space = words[-1] == " "
        self._at_line_start = False

    def add_verbatim(self, text: str) -> None:
        """Text of a pre or a textarea: white space is kept."""
        if self._breaks:
            self._flush()
        if self._tabs:
            self._cells()
        elif self._space and not self._at_line_start:
            self._parts.append(" ")
        self._parts.append(text)
        self._row_is_empty = False
        self._space = False
        self._at_line_start = text.endswith("\n")

    def block(self, breaks: int) -> None:
        """The edge of a block: at least `breaks` newlines (2 leave a blank line)."""
        if self._parts:
            self._breaks = max(self._breaks, breaks)
            if len(self._parts) > _MANY and not self._marks:
                self._join()
        if not self._row_is_empty:
            self._tabs = 0
        self._space = False

    def mark(self) -> int:
        """The place that the text has reached; each mark must be given back to `since`."""
        self._marks += 1
        return self._gone + len(self._parts)

    def since(self, mark: int, parts: int) -> str:
        """The first `parts` pieces of text since a mark."""
        self._marks -= 1
        start = mark - self._gone
        return "".join(self._parts[start : start + parts])

    def line_break(self) -> None:
        if self._breaks:
            self._flush()
        if self._tabs:
            self._cells()
        self._parts.append("\n")
        self._space = False
        self._at_line_start = True

    def row(self) -> None:
        """The start of a table row."""
        self._tabs = 0
        self._row_is_empty = True

    def end_row(self) -> None:
        """The end of a table row: the tabs of its empty cells are of no text behind it."""
        self._tabs = 0
        self._row_is_empty = False

    def cell(self, *, first: bool) -> None:
        """The start of a table cell. Its tab waits for text, so that empty cells keep the columns and leave nothing at
        the end of a row. The first of a row has one only after text that stands loose in the row.
        """
        on_the_line = not self._breaks and not self._at_line_start
        if on_the_line or (self._row_is_empty and not first):
            self._tabs += 1
            self._space = False

    def _cells(self) -> None:
        self._parts.append("\t" * self._tabs)
        self._tabs = 0
        self._at_line_start = True

    def _join(self) -> None:
        done = self._parts[:-_LOOKED_AT]
        self._runs.append("".join(done))
        del self._parts[:-_LOOKED_AT]
        self._gone += len(done)

    def _flush(self) -> None:
        have = 0
        for part in reversed(self._parts[-_LOOKED_AT:]):
            have += len(part) - len(part.rstrip("\n"))
            if part.strip("\n"):
                break
        if have < self._breaks:
            self._parts.append("\n" * (self._breaks - have))
        self._breaks = 0
        self._space = False
        self._at_line_start = True

    def text(self) -> str:
        """The whole text as it can be stored: no blank lines at its ends and never two together."""
        return _BLANK_LINES.sub("\n\n", visible("".join([*self._runs, *self._parts]))).strip(_SPACE)
