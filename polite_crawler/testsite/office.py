"""Office documents and e-books: right ones, under other types, and ones that are made to break a reader."""

from collections.abc import Callable

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.exchange import respond
from polite_crawler.testsite.packages import Part, package
from polite_crawler.testsite.prose import NOTES

OFFICE = Family("Office documents and e-books")
_DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_ODT = "application/vnd.oasis.opendocument.text"
_EPUB = "application/epub+zip"
_XML = '<?xml version="1.0" encoding="UTF-8"?>'
_TYPES = (
    f'{_XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)
_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_DUBLIN = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
_OPEN = "urn:oasis:names:tc:opendocument:xmlns"
_OPEN_SPACES = " ".join(f'xmlns:{name}="{_OPEN}:{name}:1.0"' for name in ("office", "text", "table", "meta"))
_LAUGHS = (
    '<!DOCTYPE d [<!ENTITY l0 "ha">'
    + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    + '<!ENTITY f SYSTEM "file:///etc/passwd">]>'
)


def _related(*targets: tuple[str, str]) -> str:
    rows = "".join(
        f'<Relationship Id="r{n}" Type="{kind}" Target="{to}"/>' for n, (kind, to) in enumerate(targets, start=1)
    )
    return f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">{rows}</Relationships>'


def _run(text: str, properties: str = "") -> str:
    return f'<w:r>{properties}<w:t xml:space="preserve">{text}</w:t></w:r>'


def _paragraph(*runs: str) -> str:
    return f"<w:p>{''.join(runs)}</w:p>"


def _tides(row: str, cell: str, inner: str) -> str:
    """The rows of a little table."""
    rows = (("Port", "High water"), ("North rock", "06:12"), ("Old harbour", "06:40"))
    return "".join(row.format("".join(cell.format(inner.format(text)) for text in texts)) for texts in rows)


def _letter() -> str:
    note = NOTES[0]
    heading = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' + _run(note.title)
    deleted = "<w:del><w:r><w:delText>This was struck out. </w:delText></w:r></w:del>"
    added = f"<w:ins>{_run('This was written in later.')}</w:ins>"
    hidden = _run("Nobody sees this.", "<w:rPr><w:vanish/></w:rPr>")
    table = _tides("<w:tr>{}</w:tr>", "<w:tc>{}</w:tc>", _paragraph(_run("{}")))
    foot = '<w:r><w:footnoteReference w:id="1"/></w:r>'
    first, *others = note.paragraphs
    return (
        _paragraph(heading)
        + _paragraph(_run(first), foot)
        + "".join(_paragraph(_run(text)) for text in others)
        + _paragraph(deleted, added, hidden)
        + f"<w:tbl>{table}</w:tbl>"
    )


def _docx(body: str, *more: Part, before: str = "", **main: bool | int) -> bytes:
    """A DOCX with a body. `main` are the fields of its main part: spaces, damaged, locked."""
    end = "" if main.get("spaces") else "</w:body></w:document>"
    foot = f'<w:footnote w:id="1">{_paragraph(_run("By the log of the keeper."))}</w:footnote>'
    document = f"{_XML}{before}<w:document {_WORD}><w:body>{body}{end}"
    core = f"<c {_DUBLIN}><dc:title>A letter</dc:title><dc:creator>The keeper</dc:creator></c>"
    return package(
        (
            Part("[Content_Types].xml", _TYPES),
            Part(
                "_rels/.rels",
                _related(
                    (f"{_REL}/officeDocument", "word/document.xml"),
                    (f"{_PACKAGE}/relationships/metadata/core-properties", "docProps/core.xml"),
                ),
            ),
            Part("word/_rels/document.xml.rels", _related((f"{_REL}/footnotes", "footnotes.xml"))),
            Part("docProps/core.xml", core),
            Part("word/footnotes.xml", f"{_XML}<w:footnotes {_WORD}>{foot}</w:footnotes>"),
            Part(
                "word/document.xml",
                document,
                spaces=int(main.get("spaces", 0)),
                damaged=bool(main.get("damaged")),
                locked=bool(main.get("locked")),
            ),
            *more,
        )
    )


def _odt() -> bytes:
    note = NOTES[1]
    table = _tides(
        "<table:table-row>{}</table:table-row>", "<table:table-cell>{}</table:table-cell>", "<text:p>{}</text:p>"
    )
    body = "".join(f"<text:p>{text}</text:p>" for text in note.paragraphs)
    inner = f'<text:h text:outline-level="1">{note.title}</text:h>{body}<table:table>{table}</table:table>'
    meta = f"<office:meta {_DUBLIN}><dc:title>{note.title}</dc:title><dc:language>en</dc:language></office:meta>"
    return package(
        (
            Part("mimetype", _ODT, stored=True),
            Part(
                "content.xml",
                f"{_XML}<office:document-content {_OPEN_SPACES}><office:body><office:text>{inner}</office:text>"
                "</office:body></office:document-content>",
            ),
            Part("meta.xml", f"{_XML}<office:document-meta {_OPEN_SPACES}>{meta}</office:document-meta>"),
            Part("META-INF/manifest.xml", f'{_XML}<m:manifest xmlns:m="{_OPEN}:manifest:1.0"/>'),
        )
    )


def _epub() -> bytes:
    names = [f"chapter-{n}.xhtml" for n in range(1, 4)]
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in names)
    spine = "".join(f'<itemref idref="{name}"/>' for name in names)
    meta = "<dc:title>Notes of the harbour</dc:title><dc:creator>The keeper</dc:creator><dc:language>en</dc:language>"
    pages = (
        Part(
            f"book/{name}",
            f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><h1>{note.title}</h1>'
            + "".join(f"<p>{text}</p>" for text in note.paragraphs)
            + "</body></html>",
        )
        for name, note in zip(names, NOTES, strict=False)
    )
    return package(
        (
            Part("mimetype", _EPUB, stored=True),
            Part(
                "META-INF/container.xml",
                f'{_XML}<container xmlns="{_OPEN}:container"><rootfiles><rootfile full-path="book/book.opf"/>'
                "</rootfiles></container>",
            ),
            Part(
                "book/book.opf",
                f'{_XML}<package xmlns="http://www.idpf.org/2007/opf" {_DUBLIN}><metadata>{meta}</metadata>'
                f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
            ),
            *pages,
        )
    )


def _cut() -> bytes:
    whole = _docx(_letter() * 20, Part("word/media/picture.png", "picture " * 999, stored=True))
    return whole[: len(whole) - 2000]


BODIES: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "letter.docx": (
        "a DOCX with a heading, a table, a footnote, tracked changes and hidden text",
        lambda: _docx(_letter()),
        _DOCX,
    ),
    "tides.odt": ("an ODT with a heading and a table", _odt, _ODT),
    "notes.epub": ("an EPUB of three chapters", _epub, _EPUB),
    "as-zip": ("the DOCX as application/zip", lambda: _docx(_letter()), "application/zip"),
    "as-octets": ("the EPUB as application/octet-stream", _epub, "application/octet-stream"),
    "macros.docm": (
        "a DOCX with macros, which nothing runs",
        lambda: _docx(_letter(), Part("word/vbaProject.bin", "Sub AutoOpen()")),
        "application/vnd.ms-word.document.macroEnabled.12",
    ),
    "locked.docx": ("a DOCX that needs a password", lambda: _docx(_letter(), locked=True), _DOCX),
    "damaged.docx": ("a DOCX whose checksum is wrong", lambda: _docx(_letter(), damaged=True), _DOCX),
    "cut.docx": ("a DOCX without its last 2,000 octets", _cut, _DOCX),
    "bomb.docx": ("a DOCX with a paragraph, then 1 GiB of spaces", lambda: _docx(_letter(), spaces=1024), _DOCX),
    "entities.docx": (
        "a DOCX with entities that multiply and one that reads a file",
        lambda: _docx(_letter() + _paragraph(_run("&l9;&f;")), before=_LAUGHS),
        _DOCX,
    ),
    "deep.docx": (
        "a DOCX with paragraphs 100,000 deep",
        lambda: _docx(_letter() + "<w:p>" * 100_000 + "</w:p>" * 100_000),
        _DOCX,
    ),
    "sheet.xlsx": (
        "a spreadsheet, which is not read",
        lambda: package((Part("[Content_Types].xml", _TYPES), Part("xl/workbook.xml", "<workbook/>"))),
        _XLSX,
    ),
}


def _add(name: str) -> None:
    does, body, type = BODIES[name]
    OFFICE.add(f"/office/{name}", does, lambda ask: respond(ask, body(), type=type))


for _name in BODIES:
    _add(_name)
