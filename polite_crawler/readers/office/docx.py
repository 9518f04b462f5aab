"""DOCX: the text of a word processor's document (ISO/IEC 29500-1, WordprocessingML).

Left out: deleted text of tracked changes, hidden text, codes of fields, readings of ruby, comments, headers and
footers, numbers of lists. Text boxes follow the paragraph that they hang on; footnotes and endnotes follow the text.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from polite_crawler.readers.office.lines import Lines
from polite_crawler.readers.office.markup import (
    Attributes,
    Rows,
    Values,
    Walk,
    attribute,
    keeps_space,
    read_all,
    walk,
    words,
)
from polite_crawler.readers.office.package import Package, target

Line = tuple[dict[str, Any], str]

_WORD = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",
)
_MATH = ("http://schemas.openxmlformats.org/officeDocument/2006/math", "http://purl.oclc.org/ooxml/officeDocument/math")
_CHOICES = "http://schemas.openxmlformats.org/markup-compatibility/2006"
_LOCAL = words(
    "document body p r t tab br cr noBreakHyphen sym vanish pPr rPr pStyle rStyle numPr tbl tr tc txbxContent del "
    "moveFrom delText instrText delInstrText rPrChange pPrChange tblPrChange trPrChange tcPrChange sectPrChange "
    "numberingChange rt footnotes endnotes footnote endnote altChunk style name basedOn docDefaults lang"
)
_NAMES = {
    **{f"{space} {local}": local for space in _WORD for local in _LOCAL},
    **{f"{space} t": "t" for space in _MATH},
    f"{_CHOICES} Fallback": "Fallback",
}
_CORE = {
    "http://purl.org/dc/elements/1.1/ title": "title",
    "http://purl.org/dc/elements/1.1/ creator": "author",
    "http://purl.org/dc/elements/1.1/ description": "description",
    "http://purl.org/dc/elements/1.1/ language": "language",
    "http://purl.org/dc/terms/ created": "published",
    "http://purl.org/dc/terms/ modified": "modified",
}
_RELATIONSHIP = {"http://schemas.openxmlformats.org/package/2006/relationships Relationship": "relationship"}
_MAX_RELATIONSHIPS = 10_000
_OFF = ("0", "false", "off")
_TITLES = ("title", "heading 1")
_MARKS = ("separator", "continuationSeparator", "continuationNotice")
_PLAIN = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "\u2011"}


def main_part(package: Package) -> str | None:
    """The name of the part that the package says is its document, or None."""
    for kind, to in _related(package, ""):
        if kind == "officeDocument" and to in package:
            return to
    return "word/document.xml" if "word/document.xml" in package else None


def read(package: Package, main: str) -> Iterator[Line]:
    """The lines of a document: facts, and its text as it comes."""
    related = dict(reversed(_related(package, main)))
    styles = _Styles()
    read_all(package, related.get("styles", "word/styles.xml"), styles)
    core = Values(_CORE)
    read_all(package, dict(_related(package, "")).get("core-properties", "docProps/core.xml"), core)
    yield {"facts": {**({"language": styles.language} if styles.language else {}), **core.found}}, ""
    body = _Body(styles)
    for _ in walk(package, main, body):
        if body.other:
            yield {"error": "an office document of another kind, which is not opened", "why": ""}, ""
            return
        yield {"text": True}, body.take()
    for kind in ("footnotes", "endnotes"):
        if kind in related and related[kind] in package:
            yield from _notes(package, related[kind], styles)
    if body.heading:
        yield {"facts": {"heading": body.heading}}, ""
    for what, count in (
        ("readings of ruby text", body.ruby),
        ("parts that are documents of another kind", body.others),
    ):
        if count:
            yield {"note": f"left out: {what}"}, ""


def _notes(package: Package, part: str, styles: "_Styles") -> Iterator[Line]:
    """The footnotes or the endnotes, after the text."""
    notes = _Body(styles)
    before = "\n\n"
    for _ in walk(package, part, notes):
        if text := notes.take():
            yield {"text": True}, before + text
            before = ""


def _related(package: Package, part: str) -> list[tuple[str, str]]:
    """The kind and the part of each relationship within the file."""
    folder, _, name = part.rpartition("/")
    rows = Rows(_RELATIONSHIP, _MAX_RELATIONSHIPS)
    read_all(package, f"{folder}/_rels/{name}.rels" if folder else f"_rels/{name}.rels", rows)
    return [
        (row.get("Type", "").rpartition("/")[2], target(row.get("Target", ""), part))
        for _, row in rows.rows
        if row.get("TargetMode", "").lower() != "external"
    ]


class _Styles(Walk):
    """What the styles say: which hide their text, which are headings or items of a list, and the language."""

    names = _NAMES
    dropped = frozenset(("rPrChange", "pPrChange"))

    def __init__(self) -> None:
        super().__init__()
        self.hidden: set[str] = set()
        self.titles: set[str] = set()
        self.listed: set[str] = set()
        self.language: str | None = None
        self._style = ""

    def open(self, key: str, attributes: Attributes) -> None:
        if key == "style":
            self._style = attribute(attributes, "styleId") or ""
        elif key == "name" and self.within("style"):
            if (attribute(attributes, "val") or "").lower() in _TITLES:
                self.titles.add(self._style)
        elif key == "basedOn":
            of = attribute(attributes, "val")
            for kind in (self.hidden, self.listed):
                if of in kind:
                    kind.add(self._style)
        elif key == "numPr" and self.within("style", "pPr"):
            self.listed.add(self._style)
        elif key == "vanish" and self.within("style", "rPr"):
            (self.hidden.discard if attribute(attributes, "val") in _OFF else self.hidden.add)(self._style)
        elif key == "lang" and "docDefaults" in self.path:
            self.language = attribute(attributes, "val")


@dataclass(slots=True)
class _Paragraph:
    """A paragraph that is open. `heading` gathers the text of one that can be the title."""

    hidden: bool
    listed: bool = False
    heading: list[str] | None = None
    boxes: list[str] = field(default_factory=list)


class _Body(Walk):
    """The text of a part of the document."""

    names = _NAMES
    dropped = words(
        "del moveFrom delText instrText delInstrText rPrChange pPrChange tblPrChange trPrChange tcPrChange "
        "sectPrChange numberingChange Fallback"
    )

    def __init__(self, styles: _Styles) -> None:
        super().__init__()
        self.heading = ""
        self.other = False
        self.ruby = self.others = 0
        self._styles = styles
        self._lines = [Lines()]
        self._paragraphs: list[_Paragraph] = []
        self._runs: list[bool] = []
        self._listed = False
        self._text: list[str] | None = None
        self._keep = False

    def take(self) -> str:
        """The text that has come since the last look."""
        return self._lines[0].take()

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.other = self.other or (not self.path and name not in self.names)
        super().start(name, attributes)

    def drops(self, key: str, attributes: Attributes) -> bool:
        if key == "rt":
            self.ruby += 1
            return True
        return key in ("footnote", "endnote") and attribute(attributes, "type") in _MARKS

    def open(self, key: str, attributes: Attributes) -> None:
        if key == "t":
            self._text, self._keep = [], keeps_space(attributes)
        elif key == "r":
            self._runs.append(self._is_hidden())
        elif key == "p":
            self._paragraphs.append(_Paragraph(self._is_hidden()))
        elif key == "tc":
            self._lines[-1].open_cell()
        elif key == "txbxContent":
            self._lines.append(Lines())
        elif key in _PLAIN:
            if self.within("r"):
                self._add(_PLAIN[key])
        elif key == "sym":
            self._add(_symbol(attribute(attributes, "char")))
        elif key == "altChunk":
            self.others += 1
        else:
            self._property(key, attribute(attributes, "val"))

    def _property(self, key: str, value: str | None) -> None:
        """A property of the paragraph or of the run that is open."""
        if key == "vanish" and self.within("r", "rPr") and self._runs:
            self._runs[-1] = value not in _OFF
        elif key == "rStyle" and self.within("r", "rPr") and self._runs:
            self._runs[-1] = self._runs[-1] or value in self._styles.hidden
        elif key == "pStyle" and self.within("p", "pPr") and self._paragraphs:
            paragraph = self._paragraphs[-1]
            paragraph.hidden = paragraph.hidden or value in self._styles.hidden
            if not self.heading and value in self._styles.titles:
                paragraph.heading = []
            if value in self._styles.listed:
                self._list(paragraph)
        elif key == "numPr" and self.within("p", "pPr") and self._paragraphs:
            self._list(self._paragraphs[-1])

    def _list(self, paragraph: _Paragraph) -> None:
        paragraph.listed = True
        if self._listed:
            self._lines[-1].draw_near()

    def data(self, data: str) -> None:
        if self._text is not None and self.path[-1] == "t":
            self._text.append(data)

    def close(self, key: str) -> None:
        if key == "t" and self._text is not None:
            text, self._text = "".join(self._text), None
            self._add(text if self._keep else text.strip(" \t\r\n"))
        elif key == "r":
            self._runs.pop()
        elif key == "p":
            self._end_paragraph(self._paragraphs.pop())
        elif key == "tc":
            self._lines[-1].close_cell()
        elif key == "tr":
            self._lines[-1].close_row()
        elif key == "tbl":
            self._lines[-1].end_paragraph()
        elif key == "txbxContent":
            self._end_box(self._lines.pop().take())

    def _is_hidden(self) -> bool:
        """Whether the run, or the paragraph around it, is hidden."""
        return bool((self._runs and self._runs[-1]) or (self._paragraphs and self._paragraphs[-1].hidden))

    def _add(self, text: str) -> None:
        if not (self._runs[-1] if self._runs else self._is_hidden()):
            self._lines[-1].add(text)
            if self._paragraphs and (heading := self._paragraphs[-1].heading) is not None and len(heading) < _HEADING:
                heading.append(text)

    def _end_paragraph(self, paragraph: _Paragraph) -> None:
        lines = self._lines[-1]
        lines.end_paragraph()
        for box in paragraph.boxes:
            lines.add(box)
            lines.end_paragraph()
        self._listed = paragraph.listed
        if paragraph.heading:
            self.heading = self.heading or "".join(paragraph.heading).strip()

    def _end_box(self, text: str) -> None:
        if self._paragraphs:
            self._paragraphs[-1].boxes.append(text)
        else:
            self._lines[-1].add(text)
            self._lines[-1].end_paragraph()


_HEADING = 100
"""The pieces of a heading that are looked at."""


def _symbol(char: str | None) -> str:
    """A character by its hexadecimal number. Those of symbol fonts stand for a picture and say nothing."""
    try:
        number = int(char or "", 16)
    except ValueError:
        return ""
    is_private = 0xE000 <= number <= 0xF8FF or 0xD800 <= number <= 0xDFFF
    return "" if is_private or not 0x20 <= number <= 0x10FFFF else chr(number)
