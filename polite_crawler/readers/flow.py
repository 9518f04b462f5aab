"""Text as boxes flow: white space collapsed, blocks on lines of their own, cells between tabs."""

import re

from polite_crawler.readers.scrub import visible

_SPACES = re.compile(r"[ \t\n\f\r]+")
_BLANK_LINES = re.compile(r"\n{3,}")
_SPACE = " \t\n\f\r"


class Flow:
    """A text that grows as its boxes come. `parts` joined is the text; a line break waits until text follows it."""

    __slots__ = ("_at_line_start", "_breaks", "_space", "parts")

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._breaks = 0
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
        elif (self._space or words[0] == " ") and not self._at_line_start:
            self.parts.append(" ")
        self.parts.append(words.strip(" "))
        self._space = words[-1] == " "
        self._at_line_start = False

    def add_verbatim(self, text: str) -> None:
        """Text of a pre or a textarea: white space is kept."""
        if self._breaks:
            self._flush()
        elif self._space and not self._at_line_start:
            self.parts.append(" ")
        self.parts.append(text)
        self._space = False
        self._at_line_start = text.endswith("\n")

    def block(self, breaks: int) -> None:
        """The edge of a block: at least `breaks` newlines (2 leave a blank line)."""
        if self.parts:
            self._breaks = max(self._breaks, breaks)
        self._space = False

    def line_break(self) -> None:
        if self._breaks:
            self._flush()
        self.parts.append("\n")
        self._space = False
        self._at_line_start = True

    def cell(self) -> None:
        """The start of a table cell that is not the first of its row."""
        if not self._breaks and not self._at_line_start:
            self.parts.append("\t")
            self._space = False
            self._at_line_start = True

    def _flush(self) -> None:
        have = 0
        for part in reversed(self.parts[-2:]):
            have += len(part) - len(part.rstrip("\n"))
            if part.strip("\n"):
                break
        if have < self._breaks:
            self.parts.append("\n" * (self._breaks - have))
        self._breaks = 0
        self._space = False
        self._at_line_start = True

    def text(self) -> str:
        """The whole text as it can be stored: no blank lines at its ends and never two together."""
        return _BLANK_LINES.sub("\n\n", visible("".join(self.parts))).strip(_SPACE)
