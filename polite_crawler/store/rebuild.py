"""Feeding an index from the log: the catch-up of an open one, and the rebuild of a new one beside it."""

import json
import shutil
import sqlite3
from collections.abc import Mapping

from polite_crawler.errors import StoreError
from polite_crawler.store import schema, segments
from polite_crawler.store.caught_up import CaughtUp
from polite_crawler.store.connections import Connections
from polite_crawler.store.document import Document
from polite_crawler.store.entry import insert_capture, insert_version, unpacked
from polite_crawler.store.generations import Generations
from polite_crawler.store.log import CaptureLog, Position
from polite_crawler.store.material import Material
from polite_crawler.store.projection import PAGE_RECIPE, Extractor, gives_documents
from polite_crawler.store.record import Capture

_BATCH = 64


def feed(material: Material, connections: Connections, offsets: Mapping[str, int], done: CaughtUp) -> None:
    """Add to the generation that answers what the log holds from the offsets on."""
    scan = material.log.scan(offsets)
    batch: list[tuple[Position, Capture, tuple[Document, ...]]] = []

    def flush() -> None:
        with connections.writing() as connection:
            for position, capture, documents in batch:
                done.captures += insert_capture(connection, capture, documents, position)
            _move(connection, scan.offsets)
        batch.clear()

    for position, capture in scan:
        known = connections.get().connection.execute("SELECT file FROM cap WHERE id=?", (capture.id,)).fetchone()
        if known is None:
            batch.append((position, capture, material.documents(capture, done)))
        elif known[0] is None:
            batch.append((position, capture, ()))
        if len(batch) >= _BATCH:
            flush()
    flush()
    done.skipped_lines += scan.skipped


def build(material: Material, generations: Generations) -> CaughtUp:
    """Build the next generation from the log and let it answer. The caller holds the lock of the generations.

    The sequence is that of a fence: read the log, take the write lock of the old generation so that nobody adds to it
    any more, read what the log got meanwhile, point to the new one, and mark the old one as superseded.
    """
    try:
        old, name = generations.current(), generations.make()
        done = _build(material, generations, old, name)
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"cannot build the index: {getattr(error, 'strerror', None) or error}") from None
    generations.drop_others(name)
    return done


def _build(material: Material, generations: Generations, old: str | None, name: str) -> CaughtUp:
    done = CaughtUp()
    try:
        connection = schema.create(generations.database(name))
    except BaseException:
        shutil.rmtree(generations.path(name), ignore_errors=True)
        raise
    try:
        unread = _Unread(material.extractors)
        offsets = _feed_all(material, connection, {}, unread, done)
        segments.build(connection, generations.path(name))
        fence = _fence(generations, old)
        try:
            _feed_all(material, connection, offsets, unread, done)
            if fence is not None:
                done.kept = unread.keep(material.log, fence, connection)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.close()
            generations.point_to(name)
            _supersede(fence, name)
        finally:
            if fence is not None:
                fence.close()
    except BaseException:
        connection.close()
        if generations.current() != name:
            shutil.rmtree(generations.path(name), ignore_errors=True)
        raise
    return done


def _supersede(fence: sqlite3.Connection | None, name: str) -> None:
    """Tell who waits for the write lock of the old generation that it is none any more."""
    try:
        if fence is not None:
            fence.execute("INSERT OR REPLACE INTO meta VALUES('superseded', ?)", (name,))
            fence.execute("COMMIT")
    except sqlite3.Error:
        pass  # a damaged file: CURRENT names the new one already


class _Unread:
    """The captures of recipes that nothing here can read: the documents that the old index has of them stay."""

    def __init__(self, extractors: Mapping[str, Extractor]) -> None:
        self._extractors = extractors
        self._found: list[tuple[Position, str]] = []

    def look_at(self, position: Position, capture: Capture) -> None:
        """Note a capture when its recipe is unknown."""
        if capture.recipe not in (None, PAGE_RECIPE, *self._extractors) and gives_documents(capture):
            self._found.append((position, capture.id))

    def keep(self, log: CaptureLog, old: sqlite3.Connection, new: sqlite3.Connection) -> int:
        """Copy the versions that only the old index has; how many documents they are of."""
        kept = set()
        new.execute("BEGIN IMMEDIATE")
        for position, name in self._found:
            have = {row[0] for row in new.execute(_KEYS, (name,))}
            try:
                rows = old.execute(_versions(old), (name,)).fetchall()
            except sqlite3.Error:
                break  # an index of other tables
            for key, kind, title, text, url, meta, more, main, held in rows:
                if key not in have:
                    spans = tuple((start, end) for start, end in json.loads(main))
                    document = Document(key, kind, title, text, url, unpacked(meta, more), spans, held)
                    insert_version(new, log.read(position), document)
                    kept.add(key)
        new.execute("COMMIT")
        return len(kept)


_KEYS = "SELECT d.key FROM ver v JOIN doc d ON d.id = v.doc WHERE v.capture = ?"
_VERSIONS = (
    "SELECT d.key, v.kind, v.title, t.body, v.url, v.meta, v.more, v.main, v.held FROM ver v JOIN doc d ON d.id = v.doc"
    " JOIN txt t ON t.id = v.txt WHERE v.capture = ? ORDER BY v.id"
)


def _versions(old: sqlite3.Connection) -> str:
    """The question for the versions of a capture. An index before version 5 has all links in its metadata."""
    has_more = any(row[1] == "more" for row in old.execute("PRAGMA table_info(ver)"))
    return _VERSIONS if has_more else _VERSIONS.replace("v.more", "NULL")


def _feed_all(
    material: Material, connection: sqlite3.Connection, offsets: Mapping[str, int], unread: _Unread, done: CaughtUp
) -> dict[str, int]:
    """Add all that the log holds from the offsets on, in one transaction; where the log was read to."""
    scan = material.log.scan(offsets)
    connection.execute("BEGIN IMMEDIATE")
    for position, capture in scan:
        done.captures += insert_capture(connection, capture, material.documents(capture, done), position)
        unread.look_at(position, capture)
    _move(connection, scan.offsets)
    connection.execute("COMMIT")
    done.skipped_lines += scan.skipped
    return scan.offsets


def _move(connection: sqlite3.Connection, offsets: Mapping[str, int]) -> None:
    connection.executemany(
        "INSERT INTO log VALUES(?,?) ON CONFLICT(file) DO UPDATE SET offset=max(offset, excluded.offset)",
        list(offsets.items()),
    )


def _fence(generations: Generations, old: str | None) -> sqlite3.Connection | None:
    """Hold the write lock of the old generation, so that nobody adds to it from here on."""
    if old is None:
        return None
    path = generations.database(old)
    if not path.is_file():
        return None
    try:
        connection = schema.connect(path)
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("SELECT 1 FROM meta").fetchone()
    except (StoreError, sqlite3.Error):
        return None  # no index that anyone could write
    return connection
