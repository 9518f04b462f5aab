"""EPUB: an e-book is a zip file whose package document lists the pages of the book in their sequence (EPUB 3.3).

Each page is read as a page of the web is. Pages that are locked by a rights management are left out.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from polite_crawler.readers.html import read_text
from polite_crawler.readers.office.markup import Rows, Values, read_all
from polite_crawler.readers.office.package import Package, target

Line = tuple[dict[str, Any], str]

CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_DUBLIN = "http://purl.org/dc/elements/1.1/"
_OPF = ("http://www.idpf.org/2007/opf", "http://openebook.org/namespaces/oeb-package/1.0/")
_META = {
    f"{_DUBLIN} title": "title",
    f"{_DUBLIN} creator": "author",
    f"{_DUBLIN} description": "description",
    f"{_DUBLIN} language": "language",
    f"{_DUBLIN} date": "published",
}
_ROOTS = {"urn:oasis:names:tc:opendocument:xmlns:container rootfile": "rootfile"}
_ITEMS = {f"{space} {name}": name for space in _OPF for name in ("item", "itemref")}
_CIPHERS = {"http://www.w3.org/2001/04/xmlenc# CipherReference": "reference"}
_PAGES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document", "application/x-dtbook+xml", "")
_MAX_ITEMS = 100_000
_MAX_PAGE = 8 << 20
"""The octets of one page of the book that are read."""


def read(package: Package, limits: Mapping[str, Any]) -> Iterator[Line]:
    """The lines of a book: facts, and each page of its spine as a chapter."""
    roots = _rows(package, CONTAINER, _ROOTS)
    root = next((target(row["full-path"]) for _, row in roots if row.get("full-path")), None)
    if root is None or root not in package:
        yield {"error": "broken", "why": "it has no package document"}, ""
        return
    meta = Values(_META)
    read_all(package, root, meta)
    yield {"facts": meta.found}, ""
    spine = _spine(package, root)
    locked = {target(row.get("URI", "")).lower() for _, row in _rows(package, _ENCRYPTION, _CIPHERS)}
    left_out = 0
    for name, media_type in spine[: limits["chapters"]]:
        if package.over:
            break
        if name.lower() in locked or name not in package:
            left_out += 1
            continue
        page = read_text(package.read(name, _MAX_PAGE), media_type or "application/xhtml+xml")
        for note in page.notes:
            yield {"note": note}, ""
        if page.text:
            yield {"chapter": page.title}, page.text
    if left_out:
        yield {"note": f"left out: {left_out} pages of the book that are locked or missing"}, ""
    if len(spine) > limits["chapters"]:
        yield {"cut": "chapters"}, ""


def _spine(package: Package, root: str) -> list[tuple[str, str]]:
    """The part and the media type of each page, in the sequence of reading."""
    items: dict[str, tuple[str, str]] = {}
    spine: list[tuple[str, str]] = []
    for key, row in _rows(package, root, _ITEMS):
        if key == "item":
            items.setdefault(row.get("id", ""), (target(row.get("href", ""), root), row.get("media-type", "").lower()))
        elif (found := items.get(row.get("idref", ""))) is not None and found[1] in _PAGES:
            spine.append(found)
    return spine


def _rows(package: Package, part: str, names: Mapping[str, str]) -> list[tuple[str, dict[str, str]]]:
    rows = Rows(names, _MAX_ITEMS)
    read_all(package, part, rows)
    return rows.rows
