"""The frontier of a resumable crawl: what waits and what was seen, in one file that survives `kill -9`.

A request leaves the file in the transaction that brings the requests it led to. So what was done is never asked
again, and what was in progress is asked again: at least once.
"""

import logging
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scrapy import Request, Spider

from polite_crawler.errors import StoreError
from polite_crawler.scheduling.frontier_file import FrontierFile
from polite_crawler.scheduling.request_codec import HasSecret, NotStorable, decode, encode

IN_URL = "secret-in-url"
"""Why a request is not in the file: after a resume these are the skips of what waited in memory only."""

NOT_STORABLE = "not-storable"

_WRITES = 1_000
_LEFT = "SELECT EXISTS(SELECT 1 FROM queue) OR EXISTS(SELECT 1 FROM later)"
_Key = tuple[str, int, int]
_logger = logging.getLogger(__name__)


class Frontier:
    """The queue and the seen-set of one job.

    `waiting` counts, by host, the stored requests that were not taken. `lost` counts, by reason, the requests that an
    earlier run kept in memory only and did not finish. `resumed` is true when something waited in the file. `later` is
    asked to commit soon what was written. After an error of the disk (`failed`) nothing more is written: what was not
    committed happens again in the next run.
    """

    def __init__(
        self,
        path: Path,
        *,
        job: Mapping[str, Any],
        spider: Spider,
        params: frozenset[str],
        later: Callable[[Callable[[], None]], object] = lambda commit: None,
    ) -> None:
        self._file = FrontierFile(path, job, params)
        self._db = self._file.db
        self._spider = spider
        self._params = params
        self._later = later
        self._out: dict[Request, _Key] = {}
        self._out_of: dict[str, set[_Key]] = {}
        self._unstored: dict[Request, str] = {}
        self._parked: dict[Request, _Key | str] = {}
        self._secret_seen: set[bytes] = set()
        self._writes = 0
        self._warned = False
        self._timed = False
        self._closed = False
        self.failed = False
        with self._errors():
            self._write("INSERT INTO queue SELECT * FROM later")
            self._write("DELETE FROM later")
            self.lost: Counter[str] = Counter(dict(self._db.execute("SELECT reason, n FROM unstored WHERE n > 0")))
            self._write("DELETE FROM unstored")
            self.waiting: Counter[str] = Counter(
                dict(self._db.execute("SELECT host, count(*) FROM queue GROUP BY host"))
            )
            self._seq = self._db.execute("SELECT max(seq) FROM queue").fetchone()[0] or 0
            self.resumed = bool(self.waiting)
            if not self.resumed:
                # a job that was done begins anew
                self._write("DELETE FROM seen")
            self.commit()

    def put(self, host: str, request: Request) -> bool:
        """Store a request that waits. False for one that stays in memory only: it holds a secret, or something that
        has no form in the file."""
        try:
            data = encode(request, self._spider, self._params)
        except NotStorable as error:
            self._keep_in_memory(request, error)
            return False
        self._seq += 1
        self._write("INSERT INTO queue VALUES(?, ?, ?, ?)", host, -request.priority, self._seq, data)
        self.waiting[host] += 1
        # never between the fingerprint of a request and its row: a crash there would lose it
        if self._writes >= _WRITES:
            self.commit()
        return True

    def rank(self, host: str) -> int | None:
        """The rank of the next stored request of a host; None when there is none."""
        row = self._next(host)
        return row[1] if row else None

    def take(self, host: str) -> Request | None:
        """The next stored request of a host. It stays in the file until it is done."""
        while (row := self._next(host)) is not None:
            key = row[:3]
            self._left(host)
            try:
                request = decode(row[3], self._spider)
            except NotStorable as error:
                _logger.warning("a request of %s cannot be read and is left out: %s", self._file.path, error)
                self._write("DELETE FROM queue WHERE host = ? AND rank = ? AND seq = ?", *key)
                continue
            self._out[request] = key
            self._out_of.setdefault(host, set()).add(key)
            return request
        return None

    def give_back(self, request: Request) -> bool:
        """A request that was taken and not sent waits again, in its old place. False for one that is not stored."""
        key = self._forget(request)
        if key is not None:
            self.waiting[key[0]] += 1
        return key is not None

    def park(self, taken: Request, waiting: Request) -> None:
        """A request that was taken goes on as another one, which waits in memory only (a render of its page). The one
        that was taken stays in the file until the other one is done."""
        place = self._out.pop(taken, None) or self._unstored.pop(taken, None)
        if place is not None:
            self._parked[waiting] = place

    def unpark(self, waiting: Request) -> None:
        """A parked request is taken."""
        place = self._parked.pop(waiting, None)
        if isinstance(place, str):
            self._unstored[waiting] = place
        elif place is not None:
            self._out[waiting] = place

    def keep(self, request: Request) -> None:
        """A request that this run does not get to waits for the next run."""
        key = self._forget(request)
        if key is not None and not self.failed:
            self._write("INSERT INTO later SELECT * FROM queue WHERE host = ? AND rank = ? AND seq = ?", *key)
            self._write("DELETE FROM queue WHERE host = ? AND rank = ? AND seq = ?", *key)
            self.commit()

    def done(self, request: Request) -> None:
        """A request has ended, and what it led to is stored: one transaction for both."""
        key = self._forget(request)
        if self.failed:
            return
        if key is not None:
            self._write("DELETE FROM queue WHERE host = ? AND rank = ? AND seq = ?", *key)
        elif (reason := self._unstored.pop(request, None)) is not None:
            self._write("UPDATE unstored SET n = n - 1 WHERE reason = ?", reason)
        self.commit()

    def is_new(self, fingerprint: bytes, *, secret: bool) -> bool:
        """Enter a fingerprint into the seen-set. That of a URL with a secret stays in memory: no hash of a secret is
        kept."""
        if secret:
            known = fingerprint in self._secret_seen
            self._secret_seen.add(fingerprint)
            return not known
        return bool(self._write("INSERT OR IGNORE INTO seen VALUES(?)", fingerprint))

    def is_seen(self, fingerprint: bytes) -> bool:
        """True for a fingerprint that is in the seen-set; nothing is entered."""
        with self._errors():
            row = self._db.execute("SELECT 1 FROM seen WHERE fingerprint = ?", (fingerprint,)).fetchone()
        return row is not None or fingerprint in self._secret_seen

    def commit(self) -> None:
        """Make durable what was written."""
        self._writes = 0
        if self._db.in_transaction:
            with self._errors():
                self._db.execute("COMMIT")

    def close(self) -> None:
        """Close the file. That of a job with nothing left to do is removed."""
        self._closed, left = True, True
        try:
            self.commit()
            with self._errors():
                left = bool(self._db.execute(_LEFT).fetchone()[0])
        finally:
            self._file.close(remove=not left and not self.failed)

    def _commit_in_time(self) -> None:
        self._timed = False
        if not self._closed:
            self.commit()

    def _next(self, host: str) -> tuple[str, int, int, bytes] | None:
        out = self._out_of.get(host, ())
        with self._errors():
            rows = self._db.execute(
                "SELECT host, rank, seq, request FROM queue WHERE host = ? ORDER BY rank, seq LIMIT ?",
                (host, 1 + len(out)),
            ).fetchall()
        return next((row for row in rows if row[:3] not in out), None)

    def _left(self, host: str) -> None:
        self.waiting[host] -= 1
        if not self.waiting[host]:
            del self.waiting[host]

    def _forget(self, request: Request) -> _Key | None:
        key = self._out.pop(request, None)
        if key is not None:
            out = self._out_of[key[0]]
            out.discard(key)
            if not out:
                del self._out_of[key[0]]
        return key

    def _keep_in_memory(self, request: Request, error: NotStorable) -> None:
        reason = IN_URL if isinstance(error, HasSecret) else NOT_STORABLE
        if reason == NOT_STORABLE and not self._warned:
            self._warned = True
            _logger.warning("%s waits in memory only, as others may: a crash would lose it (%s)", request, error)
        self._unstored[request] = reason
        self._write("INSERT INTO unstored VALUES(?, 1) ON CONFLICT(reason) DO UPDATE SET n = n + 1", reason)

    def _write(self, statement: str, *values: Any) -> int:
        if self.failed:
            raise StoreError(f"{self._file.path}: an earlier write failed")
        with self._errors():
            if not self._db.in_transaction:
                self._db.execute("BEGIN IMMEDIATE")
                if not self._timed:
                    self._timed = True
                    self._later(self._commit_in_time)
            changed = self._db.execute(statement, values).rowcount
        self._writes += 1
        return changed

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            self.failed = True
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise StoreError(f"{self._file.path}: {error}") from error
