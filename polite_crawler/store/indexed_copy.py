"""What the index alone knows of the stored copy of a page: enough to give it again with no look into its line.

The line stays the evidence. Its CRC-32 is kept beside its place, so whoever gives the copy can see that the log still
holds what was indexed.
"""

import json
import sqlite3
from dataclasses import dataclass
from typing import Any

from polite_crawler.rules import freshness
from polite_crawler.rules.httpdates import Headers
from polite_crawler.rules.urls import normal_or_none
from polite_crawler.store.document import Document
from polite_crawler.store.log import Position
from polite_crawler.store.projection import Pairs, gives_page, headers, request_headers
from polite_crawler.store.record import Capture

_FIELDS = freshness.FIELDS | {"refresh"}
_LEADS_ON = ("refresh", "needs_javascript")
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class CopyIds:
    """Which copy a URL has: its capture, when a server last gave or confirmed it (epoch microseconds), and the 304
    that did. With the same ids it is the same copy."""

    capture: str
    checked: int
    confirmed_by: str | None = None


@dataclass(frozen=True, slots=True)
class IndexedCopy:
    """The copy of a page. `fetched` is epoch microseconds, `blob` the SHA-256 of the body as received, `place` where
    its line stands, `facts` what RFC 9111 looks at."""

    doc: str
    url: str
    title: str | None
    status: int | None
    chars: int
    note: str | None
    recipe: str | None
    blob: str
    fetched: int
    held: bool
    truncated: bool
    facts: freshness.StoredCopy
    place: Position


def said_of_page(capture: Capture, document: Document) -> str | None:
    """What a line says of its page; None of another document, and of a page that leads on by a refresh or needs a
    browser: the index cannot speak for it."""
    if capture.kind != "fetch" or not gives_page(capture):
        return None
    if document.doc != f"url:{normal_or_none(capture.url) or capture.url}":
        return None
    head = _looked_at(capture)
    if _leads_on(head) or any(name in document.meta for name in _LEADS_ON):
        return None
    names = freshness.vary_names(head)
    asked = [one for one in request_headers(capture) if one[0].lower() in names] if names else []
    truncated = bool(capture.body and capture.body.truncated)
    return _text([capture.time.end_ms, head, capture.url, capture.status, capture.note, truncated, asked])


def said_of_304(capture: Capture) -> str:
    """What a line says that confirms a copy."""
    return _text([capture.time.end_ms, _looked_at(capture)])


def indexed_copy(connection: sqlite3.Connection, ids: CopyIds) -> IndexedCopy | None:
    """The copy of these ids; None when the index alone cannot speak for it."""
    row = connection.execute(_COPY, (ids.capture,)).fetchone()
    if row is None:
        return None
    text, doc, title, chars, blob, recipe, fetched, held, *place = row
    took, head, url, status, note, truncated, asked = json.loads(text)
    fields = _pairs(head)
    if ids.confirmed_by is not None:
        later = connection.execute("SELECT said FROM confirmed WHERE id=?", (ids.confirmed_by,)).fetchone()
        if later is None:
            return None
        took, head = json.loads(later[0])
        names, fields = freshness.vary_names(fields), freshness.updated_headers(fields, _pairs(head))
        if _leads_on(fields) or freshness.vary_names(fields) != names:
            return None
    requested = (ids.checked - took * 1000) / 1e6
    facts = freshness.StoredCopy(status or 200, fields, requested, ids.checked / 1e6, _pairs(asked))
    return IndexedCopy(
        doc, url, title, status, chars, note, recipe, blob, fetched, held is not None, truncated, facts,
        Position(*place),
    )  # fmt: skip


_COPY = (
    "SELECT v.said, d.key, v.title, t.chars, v.blob, v.recipe, c.fetched, c.held, c.file, c.offset, c.length, c.crc"
    " FROM cap c JOIN ver v ON v.capture = c.id JOIN doc d ON d.id = v.doc JOIN txt t ON t.id = v.txt"
    " WHERE c.id = ? AND c.file IS NOT NULL AND v.said IS NOT NULL"
)


def _looked_at(capture: Capture) -> list[tuple[str, str]]:
    """The fields of the response that count here."""
    return [one for one in headers(capture) if one[0].lower() in _FIELDS]


def _leads_on(fields: Headers) -> bool:
    return any(name.lower() == "refresh" for name, _ in fields)


def _pairs(fields: list[list[str]]) -> Pairs:
    return tuple((name, value) for name, value in fields)


def _text(said: list[Any]) -> str:
    text = _JSON.encode(said)
    # as in the line, where a lone surrogate has become "?"
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
