"""Text as an office document shows it: a blank line between paragraphs, cells between tabs, rows on lines."""

import re

_SPACES = re.compile(r"[ \t\n\r]+")


class Lines:
    """A text that grows by paragraphs and cells. A break waits until text follows it, so none stands at the end."""

    __slots__ = ("_begun", "_breaks", "_cells", "_filled", "_parts", "_soft", "_space", "_tabs")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._begun = False
        self._breaks = 0
        self._cells = 0
        self._tabs = 0
        self._filled = False
        self._soft = False
        self._space = False

    def add(self, text: str) -> None:
        """Text as it is."""
        if not text:
            return
        if self._begun:
            self._parts.append("\n" * self._breaks or "\n" * self._soft)
        self._parts.append("\t" * self._tabs)
        if self._space:
            self._parts.append(" ")
        self._parts.append(text)
        self._begun = self._filled = True
        self._breaks = self._tabs = 0
        self._soft = self._space = False

    def add_flowing(self, text: str) -> None:
        """Text whose white space collapses, also with that of the text before it and at the ends of a paragraph."""
        words = _SPACES.sub(" ", text)
        if words[:1] == " " and not self._at_start():
            self._space = True
        inner = words.strip(" ")
        if inner:
            self.add(inner)
            self._space = words[-1] == " "

    def add_space(self, count: int) -> None:
        """Spaces that do not collapse."""
        self.add(" " * count)

    def _at_start(self) -> bool:
        return not self._begun or bool(self._breaks or self._tabs or self._soft)

    def end_paragraph(self, breaks: int = 2) -> None:
        """The end of a paragraph: a blank line, a line for an item of a list, and a line within a cell."""
        self._space = False
        if self._cells:
            self._soft = self._soft or self._filled
        else:
            self._breaks = max(self._breaks, breaks)

    def draw_near(self) -> None:
        """The paragraph that begins is the next item of a list: no blank line before it."""
        self._breaks = min(self._breaks, 1)

    def open_cell(self) -> None:
        self._cells += 1
        self._filled = False

    def close_cell(self) -> None:
        """The end of a cell: what follows in the row stands behind a tab."""
        self._cells -= 1
        self._tabs += 1
        self._soft = self._space = False

    def close_row(self) -> None:
        self._tabs = 0
        if self._cells:
            self._soft = self._filled = True
        else:
            self._breaks = max(self._breaks, 1)

    def take(self) -> str:
        """The text that has come since the last look."""
        text = "".join(self._parts)
        self._parts.clear()
        return text
