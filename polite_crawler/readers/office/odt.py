"""ODT: the text of a word processor's document (ISO/IEC 26300, OpenDocument).

Left out: deleted text of tracked changes, hidden text and hidden sections, readings of ruby, comments, headers and
footers, numbers of lists. Text boxes follow the paragraph that they hang on; footnotes and endnotes follow the text.
A row or a cell that the file repeats stands once.
"""

from collections.abc import Iterator
from typing import Any

from polite_crawler.readers.office.lines import Lines
from polite_crawler.readers.office.markup import Attributes, Values, Walk, attribute, read_all, walk, words
from polite_crawler.readers.office.package import Package

Line = tuple[dict[str, Any], str]

_SPACE = "urn:oasis:names:tc:opendocument:xmlns:"
_DUBLIN = "http://purl.org/dc/elements/1.1/"
_KEYS = words(
    "office:text office:spreadsheet office:presentation office:drawing office:annotation office:forms office:scripts "
    "office:binary-data text:p text:h text:s text:tab text:line-break text:span text:section text:list text:note-body "
    "text:note-citation text:tracked-changes text:ruby-text text:hidden-text text:hidden-paragraph table:table "
    "table:table-row table:table-cell table:covered-table-cell table:tracked-changes drawing:text-box style:style "
    "style:text-properties svg-compatible:title svg-compatible:desc"
)
_NAMES = {
    **{f"{_SPACE}{key.replace(':', ':1.0 ')}": key for key in _KEYS},
    "http://www.w3.org/1998/Math/MathML annotation": "annotation",
}
_META = {
    f"{_DUBLIN} title": "title",
    f"{_DUBLIN} description": "description",
    f"{_DUBLIN} language": "language",
    f"{_DUBLIN} date": "modified",
    f"{_DUBLIN} creator": "author",
    f"{_SPACE}meta:1.0 initial-creator": "writer",
    f"{_SPACE}meta:1.0 creation-date": "published",
}
_MANIFEST = 1 << 20
_MAX_SPACES = 100
_PARAGRAPHS = ("text:p", "text:h")
_OTHERS = ("office:spreadsheet", "office:presentation", "office:drawing")
_HEADING = 500


def read(package: Package, main: str = "content.xml") -> Iterator[Line]:
    """The lines of a document: facts, and its text as it comes."""
    manifest = "META-INF/manifest.xml"
    if manifest in package and b"encryption-data" in package.read(manifest, _MANIFEST):
        package.locked = True
        return
    meta = Values(_META)
    read_all(package, "meta.xml", meta)
    found = meta.found
    if "writer" in found:
        found["author"] = found.pop("writer")
    yield {"facts": found}, ""
    body = _Body()
    read_all(package, "styles.xml", _Styles(body.hidden))
    for _ in walk(package, main, body):
        if body.other:
            yield {"error": "an office document of another kind, which is not opened", "why": ""}, ""
            return
        yield {"text": True}, body.take()
    body.add_notes()
    yield {"text": True}, body.take()
    if body.heading:
        yield {"facts": {"heading": body.heading}}, ""
    if body.ruby:
        yield {"note": "left out: readings of ruby text"}, ""


class _Styles(Walk):
    """The styles that hide their text."""

    names = _NAMES

    def __init__(self, hidden: set[str]) -> None:
        super().__init__()
        self.hidden = hidden
        self._style = ""

    def open(self, key: str, attributes: Attributes) -> None:
        if key == "style:style":
            self._style = attribute(attributes, "name") or ""
            if attribute(attributes, "parent-style-name") in self.hidden:
                self.hidden.add(self._style)
        elif key == "style:text-properties" and attribute(attributes, "display") == "none":
            self.hidden.add(self._style)


class _Body(_Styles):
    """The text of content.xml, after the styles that stand before it."""

    dropped = words(
        "office:annotation office:forms office:scripts office:binary-data text:note-citation text:tracked-changes "
        "text:hidden-text text:hidden-paragraph table:covered-table-cell table:tracked-changes svg-compatible:title "
        "svg-compatible:desc annotation"
    )

    def __init__(self) -> None:
        super().__init__(set())
        self.heading = ""
        self.other = False
        self.ruby = 0
        self._lines = [Lines()]
        self._boxes: list[list[str]] = []
        self._notes: list[str] = []
        self._lists = 0

    def take(self) -> str:
        """The text that has come since the last look."""
        return self._lines[0].take()

    def add_notes(self) -> None:
        """The footnotes and endnotes, after the text."""
        for note in self._notes:
            self._lines[0].add(note)
            self._lines[0].end_paragraph()

    def drops(self, key: str, attributes: Attributes) -> bool:
        if key == "text:ruby-text":
            self.ruby += 1
            return True
        if key == "text:section":
            return attribute(attributes, "display") == "none"
        return key in ("text:p", "text:h", "text:span") and attribute(attributes, "style-name") in self.hidden

    def open(self, key: str, attributes: Attributes) -> None:
        lines = self._lines[-1]
        if key in _PARAGRAPHS:
            self._boxes.append([])
        elif key == "text:s":
            if self._boxes:
                lines.add_space(_count(attribute(attributes, "c")))
        elif key in ("text:tab", "text:line-break"):
            if self._boxes:
                lines.add("\t" if key == "text:tab" else "\n")
        elif key == "text:list":
            self._lists += 1
        elif key == "table:table-cell":
            lines.open_cell()
        elif key in ("drawing:text-box", "text:note-body"):
            self._lines.append(Lines())
        elif key in _OTHERS:
            self.other = True
        else:
            super().open(key, attributes)

    def data(self, data: str) -> None:
        if self._boxes:
            self._lines[-1].add_flowing(data)
            if not self.heading and "text:h" in self.path[-4:]:
                self._title += data[:_HEADING]

    _title = ""

    def close(self, key: str) -> None:
        lines = self._lines[-1]
        if key in _PARAGRAPHS:
            lines.end_paragraph(1 if self._lists else 2)
            for box in self._boxes.pop():
                lines.add(box)
                lines.end_paragraph()
            self.heading = self.heading or self._title[:_HEADING]
        elif key == "text:list":
            self._lists -= 1
            if not self._lists:
                lines.end_paragraph()
        elif key == "table:table-cell":
            lines.close_cell()
        elif key == "table:table-row":
            lines.close_row()
        elif key == "table:table":
            lines.end_paragraph()
        elif key == "text:note-body":
            self._notes.append(self._lines.pop().take())
        elif key == "drawing:text-box":
            self._end_box(self._lines.pop().take())

    def _end_box(self, text: str) -> None:
        if self._boxes:
            self._boxes[-1].append(text)
        else:
            self._lines[-1].add(text)
            self._lines[-1].end_paragraph()


def _count(text: str | None) -> int:
    """The number of spaces that one element stands for."""
    return min(int(text), _MAX_SPACES) if text and text.isascii() and text.isdigit() and len(text) < 10 else 1
