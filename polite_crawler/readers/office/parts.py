"""The text of an office document or an e-book, in the process of readers/worker.py: what kind it is, and its lines."""

import io
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

from polite_crawler.readers.office import docx, epub, odt
from polite_crawler.readers.office.package import Package

Line = tuple[dict[str, Any], str]

_EPUB = b"application/epub+zip"
_ODF = b"application/vnd.oasis.opendocument."
_OTHER = "an office document of another kind, which is not opened"
_ARCHIVE = "an archive, which is not opened"

SAMPLE_LIMITS: Mapping[str, Any] = {"characters": 99, "inflated": 1 << 16, "chapters": 9}


def read(body: bytes, limits: Mapping[str, Any]) -> Iterator[Line]:
    """The lines of one file: facts, texts and chapters as they come, notes, and the end or the error."""
    package = Package(body, limits["inflated"])
    left = limits["characters"]
    begun = False
    for line, text in _lines(package, limits):
        if not text:
            # A document gives its text in pieces, and some are empty.
            if "text" not in line:
                yield line, ""
            if "error" in line or "cut" in line:
                return
            continue
        begun = begun or not text.isspace()
        yield line, text[:left]
        if len(text) > left:
            yield {"cut": "characters"}, ""
            return
        left -= len(text)
    if package.locked and not begun:
        yield {"error": "password", "why": ""}, ""
        return
    for note in dict.fromkeys(package.notes):
        yield {"note": note}, ""
    yield ({"cut": "inflated"} if package.over else {"end": True}), ""


def _lines(package: Package, limits: Mapping[str, Any]) -> Iterator[Line]:
    """The lines of the reader of its kind, which the parts of the file tell."""
    kind = package.read("mimetype", 100).strip() if "mimetype" in package else b""
    if kind == _EPUB or (epub.CONTAINER in package and not kind.startswith(_ODF)):
        yield from epub.read(package, limits)
    elif kind.startswith(_ODF) or ("content.xml" in package and "META-INF/manifest.xml" in package):
        yield from odt.read(package)
    elif (main := docx.main_part(package)) is not None:
        yield from docx.read(package, main)
    elif package.notes:
        yield {"error": "broken", "why": "no part that can be read"}, ""
    else:
        yield {"error": _OTHER if "[Content_Types].xml" in package else _ARCHIVE, "why": ""}, ""


def _sample() -> bytes:
    """A small book: reading it warms what the other kinds need as well."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as book:
        book.writestr("mimetype", _EPUB)
        book.writestr(
            epub.CONTAINER,
            '<c xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfile full-path="b.opf"/></c>',
        )
        book.writestr(
            "b.opf",
            '<package xmlns="http://www.idpf.org/2007/opf"><item id="a" href="a.html"/><itemref idref="a"/></package>',
        )
        book.writestr("a.html", "<html><body><h1>warm</h1></body></html>")
    return out.getvalue()


SAMPLE = _sample()
