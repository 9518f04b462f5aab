"""The index of a store: a projection of the log and the blobs, which can be rebuilt at any time.

`add` and `catch_up` write it, `catalog` and `find` read it. Threads and processes share one store; each thread has a
connection of its own, and each call looks whether another generation answers now.
"""

import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, TypeVar

from polite_crawler.errors import StoreError
from polite_crawler.store import schema
from polite_crawler.store.blobs import Blobs
from polite_crawler.store.catalog import Catalog
from polite_crawler.store.caught_up import CaughtUp, Reindexed
from polite_crawler.store.connections import Connections
from polite_crawler.store.document import Document
from polite_crawler.store.entry import Words, insert_capture
from polite_crawler.store.faults import DamagedSegment
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.generations import Generations
from polite_crawler.store.log import CaptureLog, Position
from polite_crawler.store.material import Material
from polite_crawler.store.projection import Extractor
from polite_crawler.store.record import Capture

if TYPE_CHECKING:
    from polite_crawler.store.question import Hit, Question
    from polite_crawler.store.rank_state import RankState

_T = TypeVar("_T")
_TRIES = 5
_FRESH = 1_000_000
_COUNT = "SELECT (SELECT count(*) FROM doc WHERE cur IS NOT NULL), (SELECT count(*) FROM cap)"


class Index:
    """The open index of a store folder. Use it as a context manager, or `close` it."""

    def __init__(
        self,
        folder: StoreFolder,
        *,
        extractors: Mapping[str, Extractor] | None = None,
        catch_up: bool = True,
        reader: bool = False,
    ) -> None:
        """Open the index; build it when it is not there or of another version, and give it what the log has more.

        On a folder that cannot be written it answers as it is; for a `reader` on a full disk too. Raises StoreError.
        """
        self.folder = folder
        self.writable = folder.writable() and (not reader or folder.has_room())
        self.log = CaptureLog(folder.log)
        self.blobs = Blobs(folder.blobs)
        self.generations = Generations(folder.index)
        self.extractors = dict(extractors or {})
        self._material = Material(self.log, self.blobs, self.extractors)
        self._threads = Connections(folder, self.generations, writable=self.writable)
        self._ranks = threading.local()
        self._fresh: tuple[str, Words] = ("", {})
        self._tokens = 0
        self._ensure()
        if self.writable and catch_up:
            try:
                self.catch_up()
            except StoreError:
                if not self._is_damaged():
                    raise
                self._build()

    def __enter__(self) -> "Index":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections of all threads."""
        self._threads.close()
        self._ranks = threading.local()
        self.log.close()

    def connection(self) -> sqlite3.Connection:
        """The connection of this thread to the generation that answers now."""
        return self._threads.get().connection

    @property
    def generation(self) -> str:
        """The name of the generation that answers now."""
        return self.generations.current() or ""

    @property
    def catalog(self) -> Catalog:
        """Reads documents, versions, texts and captures."""
        own = self._threads.get()
        return Catalog(own.connection, self.log, own.generation)

    def add(self, capture: Capture, documents: Sequence[Document], position: Position | None = None) -> bool:
        """Add a capture and its documents, in one transaction. False when the index has the capture already.

        Raises StoreError; the catch-up at the next open then adds it.
        """
        words: Words = {}
        with self.writing() as connection:
            added = insert_capture(connection, capture, documents, position, words)
        self._keep(words)
        return added

    def _keep(self, words: Words) -> None:
        """Remember the tokens of new texts, within a bound, until a segment holds them."""
        generation = self.generation
        if self._fresh[0] != generation or self._tokens > _FRESH:
            self._fresh, self._tokens = (generation, {}), 0
        self._fresh[1].update(words)
        self._tokens += sum(map(len, words.values()))

    def catch_up(self) -> CaughtUp:
        """Add what the log holds and the index does not, reading the stored bodies. Only it moves the offsets."""
        done = CaughtUp()
        offsets = self._offsets()
        if offsets == self.log.sizes():
            return done
        from polite_crawler.store.rebuild import feed

        try:
            feed(self._material, self._threads, offsets, done)
            self.maintain()
        except OSError as error:
            raise StoreError(f"cannot read the log of {self.folder.path}: {error.strerror or error}") from None
        return done

    def maintain(self, *, tail: int | None = None) -> bool:
        """Write and merge ranking segments where `tail` texts or more are in none. Not inside a transaction."""
        from polite_crawler.store import segments

        own = self._threads.get()
        try:
            fresh = self._fresh[1] if self._fresh[0] == own.generation else {}
            folder = self.generations.path(own.generation)
            changed = segments.maintain(own.connection, folder, tail=tail or segments.TAIL, words=fresh)
            if changed:
                self._fresh, self._tokens = (own.generation, {}), 0
            return changed
        except (sqlite3.Error, OSError) as error:
            if self.generation != own.generation:
                return False  # a rebuild took its place meanwhile, and its files away
            raise StoreError(f"cannot write the segments of the index: {error}") from None

    def search(self, catalog: Catalog, question: "Question") -> "list[Hit]":
        """The best texts of a question, on the snapshot of a catalog that `reading` gave."""
        from polite_crawler.store.ranking import search

        return search(self._rank_state(catalog), catalog.connection, question)

    def _rank_state(self, catalog: Catalog) -> "RankState":
        """The postings of what a connection of this thread sees; kept until the index changes."""
        from polite_crawler.store.rank_state import RankState

        connection, generation = catalog.connection, catalog.generation
        version = connection.execute("PRAGMA data_version").fetchone()[0]
        key = (generation, version, connection.total_changes)
        held: tuple[object, RankState] | None = getattr(self._ranks, "held", None)
        if held is None or held[0] != key:
            before = held[1] if held is not None and held[1].generation == generation else None
            held = key, RankState(connection, self.generations.path(generation), before)
            self._ranks.held = held
        return held[1]

    def reindex(self) -> Reindexed:
        """Build a new generation beside this one from the log, change to it at the end, and count.

        A rebuild that fails keeps the old index.
        """
        if not self.writable:
            full = "" if self.folder.has_room() else ": the disk is full"
            raise StoreError(f"cannot write the store {self.folder.path}{full}")
        done = self._build()
        documents, captures = self.connection().execute(_COUNT).fetchone()
        return Reindexed(documents, captures, done.skipped_lines, done.skipped_bodies, done.failed, done.kept)

    def writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """A write transaction on the generation that answers. Raises StoreError when the index cannot take it."""
        return self._threads.writing()

    def reading(self, ask: Callable[[Catalog], _T]) -> _T:
        """Run a question on one snapshot. Errors of SQLite and of the segments become StoreError with the cure."""
        for left in reversed(range(_TRIES)):
            own = self._threads.get()
            try:
                own.connection.execute("BEGIN")
                try:
                    return ask(Catalog(own.connection, self.log, own.generation))
                finally:
                    if own.connection.in_transaction:
                        own.connection.execute("ROLLBACK")
            except (sqlite3.Error, DamagedSegment) as error:
                # a merge or a rebuild of another process may have replaced files since the snapshot began
                if not left or isinstance(error, sqlite3.Error):
                    raise StoreError(f"the index does not answer ({error}); pc reindex builds it again") from None
        raise AssertionError("unreachable")

    def _offsets(self) -> dict[str, int]:
        try:
            return dict(self.connection().execute("SELECT file, offset FROM log").fetchall())
        except sqlite3.Error as error:
            raise StoreError(f"the index does not answer ({error}); pc reindex builds it again") from None

    def _ensure(self) -> None:
        if self._usable():
            return
        if not self.writable:
            raise StoreError(f"the store {self.folder.path} has no index of this version and cannot be written")
        with self.generations.lock():
            if not self._usable():
                self._build(locked=True)

    def _build(self, *, locked: bool = False) -> CaughtUp:
        from polite_crawler.store.rebuild import build

        with nullcontext() if locked else self.generations.lock():
            return build(self._material, self.generations)

    def _is_damaged(self) -> bool:
        """Whether the file of the index itself is broken, not only busy or on a full disk."""
        try:
            return str(self.connection().execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok"
        except sqlite3.OperationalError:
            return False
        except sqlite3.DatabaseError:
            return True

    def _usable(self) -> bool:
        name = self.generations.current()
        return name is not None and schema.is_usable(self.generations.database(name), writable=self.writable)
