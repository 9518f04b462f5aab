"""What the index knows of documents, versions, texts and captures: reads over one connection."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from polite_crawler.errors import NotStored
from polite_crawler.rules.redaction import redact_url
from polite_crawler.rules.urls import absolute, normal_or_none
from polite_crawler.store.entry import clean, unpacked
from polite_crawler.store.indexed_copy import CopyIds
from polite_crawler.store.log import CaptureLog, DamagedLine, Position
from polite_crawler.store.projection import header
from polite_crawler.store.record import Capture, utc_micros

_HOPS = 20
_CONFIRMED = "outcome='not_modified' AND of IS NOT NULL"


@dataclass(frozen=True, slots=True)
class StoredDoc:
    """A document: its id, whether it is held back now, its current version, and the epoch microseconds at which a
    server last confirmed that version."""

    id: int
    doc: str
    held: bool
    current: int
    checked: int


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """One version of a document. `held` says why it is held back, or is None; `fetched` is epoch microseconds;
    `capture_kind` is fetch, render, archive-copy or import; `blob` is the SHA-256 of the body as received."""

    id: int
    doc: str
    kind: str
    title: str | None
    url: str
    capture: str
    capture_kind: str
    fetched: int
    recipe: str | None
    blob: str | None
    held: str | None
    chars: int
    text_sha256: str
    text_id: int
    entry: int | None
    current: bool
    archived: dict[str, Any] | None

    @property
    def fetched_at(self) -> str:
        """When the exchange of its capture ended, RFC 3339 UTC."""
        return utc_micros(self.fetched)


@dataclass(frozen=True, slots=True)
class CopyFacts:
    """The stored copy of a URL: the capture with the body, and when a server last gave or confirmed it."""

    capture: Capture
    checked: int
    confirmed_by: Capture | None = None


@dataclass(frozen=True, slots=True)
class Contents:
    """The text of a version and its packed metadata. `links` is how many links there are, when `more` holds those
    after the first few; both are None else."""

    text: str
    meta: bytes
    links: int | None
    more: bytes | None


_FIELDS = tuple(field.name for field in fields(StoredVersion))
_VERSION = (
    "SELECT v.id, d.key, v.kind, v.title, v.url, v.capture, v.capture_kind, v.fetched, v.recipe, v.blob, v.held,"
    " t.chars, lower(hex(t.sha)), t.id, v.ent, v.id = d.cur, v.archived"
    " FROM ver v JOIN doc d ON d.id = v.doc JOIN txt t ON t.id = v.txt"
)


class Catalog:
    """Reads one snapshot of the index. It lives as long as its connection."""

    def __init__(self, connection: sqlite3.Connection, log: CaptureLog, generation: str = "") -> None:
        self.connection = connection
        self.generation = generation
        self._log = log

    def doc(self, name: str) -> StoredDoc:
        """The document of an id, of a bare URL, or of a requested URL whose stored hops lead to one.

        Raises NotStored, with near names in its message when there are some.
        """
        found = self.find_doc(name)
        if found is None:
            near = self.near(name)
            help_ = f"; near names: {', '.join(near)}" if near else ""
            raise NotStored(f"no stored document {redact_url(name).url!r}{help_}")
        return found

    def find_doc(self, name: str) -> StoredDoc | None:
        """As `doc`, but None when there is no such document."""
        found = self._doc(name)
        if found is not None:
            return found
        bare = name.removeprefix("url:")
        url = normal_or_none(bare)
        if url is None:
            return None
        found = self._doc("url:" + url)
        if found is not None:
            return found
        end = self._end_of_hops(url, named=True)
        if end is None:
            return None
        row = self.connection.execute("SELECT doc FROM ver WHERE capture=? ORDER BY id LIMIT 1", (end,)).fetchone()
        return self._doc_row("id=?", row[0]) if row else None

    def near(self, name: str, limit: int = 3) -> list[str]:
        """Ids of stored documents that look like a name: they hold its last path segments or its host."""
        bare = clean(name).removeprefix("url:").removeprefix("archive:").rstrip("/").rpartition("://")[2]
        pieces = [piece for piece in bare.split("/") if piece]
        for piece in [bare, *reversed(pieces)]:
            if len(piece) < 3:
                continue
            pattern = "%" + piece.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
            rows = self.connection.execute(
                "SELECT key FROM doc WHERE cur IS NOT NULL AND key LIKE ? ESCAPE '\\'"
                " ORDER BY length(key), key LIMIT ?",
                (pattern, limit),
            ).fetchall()
            if rows:
                return [row[0] for row in rows]
        return []

    def versions(self, doc: StoredDoc) -> tuple[StoredVersion, ...]:
        """The versions of a document, the newest first."""
        rows = self.connection.execute(f"{_VERSION} WHERE v.doc=? ORDER BY v.fetched DESC, v.capture DESC", (doc.id,))
        return tuple(_version(row) for row in rows)

    def version(self, version: int) -> StoredVersion:
        """A version by its number."""
        return _version(self.connection.execute(f"{_VERSION} WHERE v.id=?", (version,)).fetchone())

    def current(self, doc: StoredDoc) -> StoredVersion:
        """The current version of a document."""
        return self.version(doc.current)

    def version_of(self, doc: StoredDoc, capture: str) -> StoredVersion:
        """The version of a document that a capture gave. Raises NotStored."""
        row = self.connection.execute(f"{_VERSION} WHERE v.doc=? AND v.capture=?", (doc.id, clean(capture))).fetchone()
        if row is None:
            raise NotStored(f"{doc.doc} has no version of the capture {capture!r}")
        return _version(row)

    def version_at(self, doc: StoredDoc, moment: int) -> StoredVersion | None:
        """The version that was current at a time (epoch microseconds), or None before the first capture."""
        row = self.connection.execute(
            "SELECT ver FROM span WHERE doc=? AND since<=? ORDER BY since DESC LIMIT 1", (doc.id, moment)
        ).fetchone()
        return self.version(row[0]) if row else None

    def first_fetched(self, doc: StoredDoc) -> int:
        """When the first version of a document was fetched, in epoch microseconds."""
        return int(self.connection.execute("SELECT min(fetched) FROM ver WHERE doc=?", (doc.id,)).fetchone()[0])

    def version_of_entry(self, entry: int, moment: int | None = None) -> StoredVersion:
        """The version that a row of the full-text table answers for: the current one of its document, or the one
        that was current at a time."""
        if moment is None:
            row = self.connection.execute(
                "SELECT d.cur FROM ent e JOIN doc d ON d.id = e.doc WHERE e.id = ?", (entry,)
            ).fetchone()
        else:
            row = self.connection.execute(
                "SELECT s.ver FROM ent e JOIN span s ON s.doc = e.doc AND s.since <= ? WHERE e.id = ?"
                " ORDER BY s.since DESC LIMIT 1",
                (moment, entry),
            ).fetchone()
        return self.version(row[0])

    def docs_of_entries(self, entries: Iterable[int]) -> dict[int, str]:
        """The ids of the documents of rows of the full-text table."""
        rows = self.connection.execute(
            "SELECT e.id, d.key FROM json_each(?) j JOIN ent e ON e.id = j.value JOIN doc d ON d.id = e.doc",
            (json.dumps(list(entries)),),
        )
        return dict(rows.fetchall())

    def text(self, version: StoredVersion) -> str:
        """The stored text of a version."""
        row = self.connection.execute("SELECT body FROM txt WHERE id=?", (version.text_id,)).fetchone()
        return str(row[0])

    def contents(self, version: StoredVersion) -> Contents:
        """The stored text and the metadata of a version, as they are packed."""
        row = self.connection.execute(
            "SELECT t.body, v.meta, v.links, v.more FROM ver v JOIN txt t ON t.id = v.txt WHERE v.id=?", (version.id,)
        ).fetchone()
        return Contents(*row)

    def meta(self, version: StoredVersion) -> dict[str, Any]:
        """The metadata of a version."""
        return unpacked(*self.connection.execute("SELECT meta, more FROM ver WHERE id=?", (version.id,)).fetchone())

    def main(self, version: StoredVersion) -> tuple[tuple[int, int], ...]:
        """The spans of the main text of a version, in code points."""
        row = self.connection.execute("SELECT main FROM ver WHERE id=?", (version.id,)).fetchone()
        return tuple((start, end) for start, end in json.loads(row[0]))

    def docs_of(self, capture: str) -> tuple[StoredDoc, ...]:
        """The documents that a capture gave a version of."""
        rows = self.connection.execute("SELECT doc FROM ver WHERE capture=? ORDER BY id", (capture,)).fetchall()
        return tuple(found for row in rows if (found := self._doc_row("id=?", row[0])) is not None)

    def capture(self, capture: str) -> Capture:
        """A capture by its id, read from the log. Raises NotStored, and DamagedLine."""
        row = self.connection.execute(
            "SELECT file, offset, length, crc FROM cap WHERE id=?", (clean(capture),)
        ).fetchone()
        if row is None or row[0] is None:
            raise NotStored(f"no stored capture {capture!r}")
        return self._log.read(Position(*row))

    def copy_of(self, url: str, kind: str = "fetch") -> CopyFacts | None:
        """The latest live copy of a URL that was fetched as a kind of capture, through stored hops, or None.

        A URL with a redacted part has none: two secrets may name two pages, and the record holds neither.
        """
        ids = self.copy_ids(url, kind)
        if ids is None:
            return None
        try:
            return self._facts(ids)
        except (DamagedLine, NotStored):
            return None

    def answer_of(self, url: str, kind: str) -> CopyFacts | None:
        """As `copy_of`, but of this very URL: the latest body or redirect that its server answered a GET with."""
        row = self._latest("url=? AND outcome IN ('ok', 'redirect')", normal_or_none(url), kind)
        if row is None or row[2]:
            return None
        try:
            ids = self._checked(row[0]) if row[1] == "ok" else None
            if ids is not None:
                return self._facts(ids)
            capture = self.capture(row[0])
        except (DamagedLine, NotStored):
            return None
        # where a redirect with a secret in its target led is not in the record
        return None if capture.redacted else CopyFacts(capture, capture.fetched)

    def copy_ids(self, url: str, kind: str = "fetch") -> CopyIds | None:
        """As `copy_of`, without a look at the log."""
        key = normal_or_none(url)
        end = None if key is None else self._end_of_hops(key, kind)
        return None if end is None else self._checked(end)

    def _facts(self, ids: CopyIds) -> CopyFacts:
        confirmed = self.capture(ids.confirmed_by) if ids.confirmed_by else None
        return CopyFacts(self.capture(ids.capture), ids.checked, confirmed)

    def _checked(self, end: str) -> CopyIds | None:
        """When a server last gave or confirmed the body of a capture; None when its URL has a redacted part, and when
        its line is lost and only the 304 that names it is there."""
        row = self.connection.execute("SELECT url, fetched, secret FROM cap WHERE id=?", (end,)).fetchone()
        if row is None or row[2]:
            return None
        url, checked = row[:2]
        confirmed = self.connection.execute(
            "SELECT id, fetched FROM cap WHERE url=? AND of=? AND outcome='not_modified'"
            " ORDER BY fetched DESC, id DESC LIMIT 1",
            (url, end),
        ).fetchone()
        if confirmed and confirmed[1] > checked:
            return CopyIds(end, confirmed[1], confirmed[0])
        return CopyIds(end, checked)

    def title_of(self, capture: str) -> str | None:
        """The first title that a capture gave a document, or None."""
        row = self.connection.execute(
            "SELECT title FROM ver WHERE capture=? AND title IS NOT NULL ORDER BY id LIMIT 1", (capture,)
        ).fetchone()
        return str(row[0]) if row else None

    def listing(self, offset: int, limit: int) -> list[str]:
        """The ids of the documents that are not held back, in the order in which they came."""
        rows = self.connection.execute(
            "SELECT key FROM doc WHERE cur IS NOT NULL AND NOT held ORDER BY id LIMIT ? OFFSET ?", (limit, offset)
        )
        return [row[0] for row in rows]

    def captures_like(self, prefix: str, limit: int) -> list[str]:
        """The ids of captures that begin with a prefix and gave a version that is not held back."""
        rows = self.connection.execute(
            "SELECT DISTINCT v.capture FROM ver v JOIN doc d ON d.id = v.doc WHERE v.capture >= ?1"
            " AND substr(v.capture, 1, length(?1)) = ?1 AND v.held IS NULL AND NOT d.held ORDER BY v.capture LIMIT ?2",
            (clean(prefix), limit),
        )
        return [row[0] for row in rows]

    def counts(self) -> dict[str, int]:
        """How many documents, held-back documents, versions and captures the index has."""
        names = ("documents", "held_back", "versions", "captures")
        row = self.connection.execute(
            "SELECT (SELECT count(*) FROM doc WHERE cur IS NOT NULL), (SELECT count(*) FROM doc WHERE held),"
            " (SELECT count(*) FROM ver), (SELECT count(*) FROM cap)"
        ).fetchone()
        return dict(zip(names, row, strict=True))

    def docs(self, ids: Iterable[int]) -> dict[int, StoredDoc]:
        """The documents of numbers."""
        return {number: found for number in ids if (found := self._doc_row("id=?", number)) is not None}

    def _doc(self, key: str) -> StoredDoc | None:
        # as they are stored: a name of a command line or of a client can hold what no text of SQLite can
        return self._doc_row("key=?", clean(key))

    def _doc_row(self, where: str, value: int | str) -> StoredDoc | None:
        row = self.connection.execute(
            f"SELECT id, key, held, cur, checked FROM doc WHERE {where} AND cur IS NOT NULL", (value,)
        ).fetchone()
        return StoredDoc(row[0], row[1], bool(row[2]), row[3], row[4]) if row else None

    def _end_of_hops(self, url: str, kind: str = "fetch", *, named: bool = False) -> str | None:
        """The capture with a body that the latest answered request of a URL led to, or that its server confirmed.

        An answer from the store writes no line, so a hop may have none after it. `named`: such a hop leads where its
        Location does. Not for a copy to answer with: the age of the target says nothing of the hop.
        """
        row = self._latest("url=? AND outcome IN ('ok', 'redirect')", url, kind)
        for _ in range(_HOPS):
            if row is None or row[2]:
                return None
            if row[1] != "redirect":
                return str(row[0] if row[1] == "ok" else row[3])
            hop = row[0]
            row = self._latest(f"parent=? AND (outcome IN ('ok', 'redirect') OR {_CONFIRMED})", hop, kind)
            target = self._target(hop) if row is None and named else None
            if target is not None:
                row = self._latest("url=? AND outcome IN ('ok', 'redirect')", target, kind)
        return None

    def _latest(self, where: str, value: str | None, kind: str) -> Any:
        """Id, outcome, secret and the confirmed capture of the latest reusable capture of a kind."""
        return self.connection.execute(
            f"SELECT id, outcome, secret, of FROM cap WHERE {where} AND kind=? AND reusable"
            " ORDER BY fetched DESC, id DESC LIMIT 1",
            (value, kind),
        ).fetchone()

    def _target(self, hop: str) -> str | None:
        """The URL in its normal form that a stored redirect names. One with a secret in it is not in the record."""
        try:
            capture = self.capture(hop)
        except (DamagedLine, NotStored):
            return None
        location = header(capture, "location")
        if location is None or any(one.where.startswith("response.location") for one in capture.redacted):
            return None
        onward = absolute(capture.url, location)
        return None if onward is None else normal_or_none(onward)


def _version(row: Any) -> StoredVersion:
    facts = dict(zip(_FIELDS, row, strict=True))
    facts["current"] = bool(facts["current"])
    facts["archived"] = json.loads(facts["archived"]) if facts["archived"] else None
    return StoredVersion(**facts)
