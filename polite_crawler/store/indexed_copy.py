"""What the index alone knows of the stored copy of a page: enough to give it again with no look into its line.

The line stays the evidence. Its CRC-32 is kept beside its place, so whoever gives the copy can see that the log still
holds what was indexed.
"""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polite_crawler.rules import freshness
from polite_crawler.rules.httpdates import Headers
from polite_crawler.rules.urls import normal_or_none
from polite_crawler.store.document import Document
from polite_crawler.store.log import Position
from polite_crawler.store.projection import Pairs, gives_page, headers, request_headers
from polite_crawler.store.record import Capture, canonical, micros

_FIELDS = freshness.FIELDS | {"refresh"}
_LEADS_ON = ("refresh", "needs_javascript")


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


def keep_copy(connection: sqlite3.Connection, capture: Capture, documents: Sequence[Document]) -> None:
    """Keep what is said of a page, or of a 304 that confirms one. Nothing of a page that leads on by a refresh or
    needs a browser: the index cannot speak for it."""
    page = _page_of(capture, documents)
    if capture.kind != "fetch" or (page is None and capture.outcome != "not_modified"):
        return
    head = [one for one in headers(capture) if one[0].lower() in _FIELDS]
    if page is not None and (_leads_on(head) or any(name in page for name in _LEADS_ON)):
        return
    said: dict[str, Any] = {"start": micros(capture.time.start), "head": head}
    if page is not None:
        names = freshness.vary_names(head)
        said |= {
            "url": capture.url,
            "status": capture.status,
            "note": capture.note,
            "truncated": bool(capture.body and capture.body.truncated),
            "asked": [one for one in request_headers(capture) if one[0].lower() in names],
        }
    # as in the line, where a lone surrogate has become "?"
    connection.execute("INSERT OR IGNORE INTO copy VALUES(?,?)", (capture.id, canonical(said).decode()))


def indexed_copy(connection: sqlite3.Connection, ids: CopyIds) -> IndexedCopy | None:
    """The copy of these ids; None when the index alone cannot speak for it."""
    row = connection.execute(_COPY, (ids.capture,)).fetchone()
    if row is None:
        return None
    text, doc, title, chars, blob, recipe, fetched, held, *place = row
    said = json.loads(text)
    head, start = _pairs(said["head"]), said["start"]
    if ids.confirmed_by is not None:
        later = connection.execute("SELECT said FROM copy WHERE id=?", (ids.confirmed_by,)).fetchone()
        if later is None:
            return None
        confirmed, names = json.loads(later[0]), freshness.vary_names(head)
        head, start = freshness.updated_headers(head, _pairs(confirmed["head"])), confirmed["start"]
        if _leads_on(head) or freshness.vary_names(head) != names:
            return None
    facts = freshness.StoredCopy(said["status"] or 200, head, start / 1e6, ids.checked / 1e6, _pairs(said["asked"]))
    return IndexedCopy(
        doc, said["url"], title, said["status"], chars, said["note"], recipe, blob, fetched, held is not None,
        said["truncated"], facts, Position(*place),
    )  # fmt: skip


_COPY = (
    "SELECT p.said, d.key, v.title, t.chars, v.blob, v.recipe, c.fetched, c.held, c.file, c.offset, c.length, c.crc"
    " FROM copy p JOIN cap c ON c.id = p.id JOIN ver v ON v.capture = p.id"
    " JOIN doc d ON d.id = v.doc AND d.key = 'url:' || c.url JOIN txt t ON t.id = v.txt"
    " WHERE p.id = ? AND c.file IS NOT NULL"
)


def _page_of(capture: Capture, documents: Sequence[Document]) -> Mapping[str, Any] | None:
    """The metadata of the document that is the page itself."""
    if not gives_page(capture):
        return None
    name = f"url:{normal_or_none(capture.url) or capture.url}"
    return next((document.meta for document in documents if document.doc == name), None)


def _leads_on(fields: Headers) -> bool:
    return any(name.lower() == "refresh" for name, _ in fields)


def _pairs(fields: list[list[str]]) -> Pairs:
    return tuple((name, value) for name, value in fields)
