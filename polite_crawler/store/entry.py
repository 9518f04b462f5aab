"""What one capture writes into the index, inside a transaction of the caller."""

import hashlib
import json
import re
import sqlite3
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from polite_crawler.rules.urls import normal_or_none
from polite_crawler.store.currency import VersionFacts, current_of, timeline
from polite_crawler.store.document import FIRST_LINKS, Document
from polite_crawler.store.folding import fold_words
from polite_crawler.store.indexed_copy import said_of_304, said_of_page
from polite_crawler.store.log import Position
from polite_crawler.store.projection import PAGE_RECIPE, archived_from
from polite_crawler.store.record import Capture

Words = dict[int, list[str]]
"""The tokens of texts by their number in the full-text table."""

_JSON = json.JSONEncoder(ensure_ascii=False)
_SURROGATES = re.compile("[\ud800-\udfff]")


def insert_capture(
    connection: sqlite3.Connection,
    capture: Capture,
    documents: Sequence[Document],
    position: Position | None,
    words: Words | None = None,
) -> bool:
    """Insert a capture and its documents. False when the capture is there already: its position is then filled in.

    `words` gets the tokens of each text that is new to the full-text table.
    """
    place = (position.file, position.offset, position.length, position.crc) if position else (None,) * 4
    # the places of a referrer's secrets have the same names as those of the URL
    secret = "REDACTED" in capture.url and any(one.where.startswith("url") for one in capture.redacted)
    of = capture.validators.of if capture.validators else None
    fetched = capture.fetched
    inserted = connection.execute(
        "INSERT OR IGNORE INTO cap VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (capture.id, capture.kind, normal_or_none(capture.url) or capture.url, fetched, capture.outcome,
         capture.redirect_of, of, secret, _is_reusable(capture), capture.hold, *place),
    ).rowcount  # fmt: skip
    if not inserted:
        if position:
            connection.execute(
                "UPDATE cap SET file=?, offset=?, length=?, crc=? WHERE id=? AND file IS NULL", (*place, capture.id)
            )
        return False
    if capture.outcome == "not_modified" and of:
        connection.execute("INSERT OR IGNORE INTO confirmed VALUES(?,?)", (capture.id, said_of_304(capture)))
        connection.execute(
            "UPDATE doc SET checked=max(checked, ?) WHERE id IN (SELECT doc FROM ver WHERE capture=?)", (fetched, of)
        )
    for document in documents:
        insert_version(connection, capture, document, words)
    return True


def _is_reusable(capture: Capture) -> bool:
    """Whether a capture may answer another request for its URL: it was a GET (RFC 9111, section 4), and had no
    credentials (section 3.5), which the store would give to who has none."""
    return capture.method == "GET" and not any(
        one.where.startswith("request.") and one.where != "request.referer" for one in capture.redacted
    )


def insert_version(
    connection: sqlite3.Connection, capture: Capture, document: Document, words: Words | None = None
) -> None:
    """Insert one document of a capture as a version, and settle which version is current."""
    text, title = clean(document.text), clean(document.title or "")
    doc, is_new = _doc_id(connection, clean(document.doc))
    txt = _text_id(connection, text)
    held = capture.hold or document.hold
    ent = None if held else _entry_id(connection, doc, txt, title, document, text, words)
    archived, fetched = archived_from(capture), capture.fetched
    inserted = connection.execute(
        "INSERT OR IGNORE INTO ver(doc, txt, ent, capture, capture_kind, fetched, recipe, base, kind, title, url, blob,"
        " held, archived, main, meta, links, more, said) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        (doc, txt, ent, capture.id, capture.kind, fetched, capture.recipe, _base(connection, capture, doc),
         clean(document.kind), title or None, clean(document.url), capture.body.sha256 if capture.body else None,
         held, json.dumps(archived) if archived else None, json.dumps(document.main), *_packed(document.meta),
         said_of_page(capture, document)),
    )  # fmt: skip
    if is_new:
        _set_current(connection, doc, inserted.lastrowid, ent, held is not None, fetched)
        connection.execute("INSERT INTO span VALUES(?,?,?)", (doc, fetched, inserted.lastrowid))
    else:
        settle(connection, doc)


def settle(connection: sqlite3.Connection, doc: int) -> None:
    """Set the current version of a document, its timeline, its hold and which of its texts is live."""
    versions = versions_of(connection, doc)
    current = current_of(versions)
    newest = max(versions, key=lambda version: version.age_key)
    before, live = connection.execute(
        "SELECT d.cur, v.ent FROM doc d LEFT JOIN ver v ON v.id=d.cur WHERE d.id=?", (doc,)
    ).fetchone()
    last = connection.execute("SELECT max(since) FROM span WHERE doc=?", (doc,)).fetchone()[0]
    changes = [] if before == current.id else [(newest.fetched, current)]
    if last is not None and (newest.id != versions[-1].id or newest.fetched <= last):
        # a version came out of sequence, so what was current before may be another one
        connection.execute("DELETE FROM span WHERE doc=?", (doc,))
        changes = timeline(versions)
    connection.executemany(
        "INSERT OR REPLACE INTO span VALUES(?,?,?)", [(doc, since, version.id) for since, version in changes]
    )
    ent, held, fetched = connection.execute(
        "SELECT ent, held IS NOT NULL, fetched FROM ver WHERE id=?", (current.id,)
    ).fetchone()
    if live is not None and live != ent:
        connection.execute("UPDATE ent SET live=0 WHERE id=?", (live,))
    _set_current(connection, doc, current.id, ent, bool(held), fetched)


def _set_current(
    connection: sqlite3.Connection, doc: int, version: int | None, ent: int | None, held: bool, fetched: int
) -> None:
    connection.execute(
        "UPDATE doc SET cur=?, held=?, checked=max(checked, ?) WHERE id=?", (version, held, fetched, doc)
    )
    if ent is not None:
        connection.execute("UPDATE ent SET live=1 WHERE id=? AND live=0", (ent,))


def versions_of(connection: sqlite3.Connection, doc: int) -> list[VersionFacts]:
    """The facts of the versions of a document, in the sequence of their arrival."""
    rows = connection.execute(
        "SELECT id, fetched, capture, base, capture_kind='render', coalesce(recipe, ?2) != ?2 FROM ver WHERE doc=?1"
        " ORDER BY id",
        (doc, PAGE_RECIPE),
    )
    return [VersionFacts(row[0], row[1], row[2], row[3], bool(row[4]), bool(row[5])) for row in rows]


def clean(text: str) -> str:
    """The text without lone surrogates, which SQLite cannot keep; each becomes one U+FFFD, so positions stay."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def unpacked(meta: bytes, more: bytes | None) -> dict[str, Any]:
    """The metadata of a version; with None for `more`, those with the first links alone."""
    value = json.loads(zlib.decompress(meta))
    assert isinstance(value, dict)
    if more is not None:
        value["links"] += json.loads(zlib.decompress(more))
    return value


def _packed(meta: Mapping[str, Any]) -> tuple[bytes, int | None, bytes | None]:
    """The metadata of a version as three columns hold them."""
    links = meta.get("links")
    if not isinstance(links, list) or len(links) <= FIRST_LINKS:
        return _pack(dict(meta)), None, None
    return _pack({**meta, "links": links[:FIRST_LINKS]}), len(links), _pack(links[FIRST_LINKS:])


def _pack(value: object) -> bytes:
    return zlib.compress(_JSON.encode(value).encode("utf-8", "replace"), 1)


def _doc_id(connection: sqlite3.Connection, key: str) -> tuple[int, bool]:
    """The number of a document, and whether it is a new one."""
    added = connection.execute("INSERT OR IGNORE INTO doc(key) VALUES(?)", (key,))
    if added.rowcount:
        return int(added.lastrowid or 0), True
    number, current = connection.execute("SELECT id, cur FROM doc WHERE key=?", (key,)).fetchone()
    return int(number), current is None


def _text_id(connection: sqlite3.Connection, text: str) -> int:
    sha = hashlib.sha256(text.encode()).digest()
    added = connection.execute("INSERT OR IGNORE INTO txt(sha, chars, body) VALUES(?,?,?)", (sha, len(text), text))
    if added.rowcount:
        return int(added.lastrowid or 0)
    return int(connection.execute("SELECT id FROM txt WHERE sha=?", (sha,)).fetchone()[0])


def _entry_id(
    connection: sqlite3.Connection, doc: int, txt: int, title: str, document: Document, text: str, words: Words | None
) -> int:
    kind = clean(document.kind)
    found = connection.execute(
        "SELECT id FROM ent WHERE doc=? AND txt=? AND title=? AND kind=?", (doc, txt, title, kind)
    ).fetchone()
    if found:
        return int(found[0])
    body, head = fold_words(text), fold_words(title)
    own = body + head
    row = connection.execute(
        "INSERT INTO ent(doc, txt, title, kind, len) VALUES(?,?,?,?,?)", (doc, txt, title, kind, len(own))
    ).lastrowid
    assert row is not None
    connection.execute("INSERT INTO f(rowid, body, title) VALUES(?,?,?)", (row, " ".join(body), " ".join(head)))
    if words is not None:
        words[row] = own
    return row


def _base(connection: sqlite3.Connection, capture: Capture, doc: int) -> str | None:
    """The decoded body that a version stands on: its own, or for a render that of the plain page it was made of."""
    if capture.kind == "render":
        of = (capture.source or {}).get("of")
        row = connection.execute("SELECT base FROM ver WHERE doc=? AND capture=?", (doc, of)).fetchone()
        row = (
            row
            or connection.execute(
                "SELECT base FROM ver WHERE doc=? AND capture_kind='fetch' AND fetched<=?"
                " ORDER BY fetched DESC, capture DESC",
                (doc, capture.fetched),
            ).fetchone()
        )
        if row:
            return str(row[0])
    if capture.body is None:
        return None
    return capture.body.decoded.sha256 if capture.body.decoded else capture.body.sha256
