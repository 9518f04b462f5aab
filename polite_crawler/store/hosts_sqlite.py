"""`hosts.sqlite`: the state of the hosts that processes share."""

import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import Any

from polite_crawler.errors import StoreError
from polite_crawler.rules.pacing import HostState
from polite_crawler.store.hosts import LEASE, Claim, HostRow, HostStateStore, Memo, MemoryHosts, RobotsState
from polite_crawler.store.read_only import connect_read_only

SCHEMA_VERSION = 1
BUSY_TIMEOUT = 10.0

_COLUMNS = "host, ready, stop_until, stop_reason, failures, backoff, crawl_delay, asked, owner, until"
_SCHEMA = """
CREATE TABLE hosts(
    host TEXT PRIMARY KEY, ready REAL NOT NULL DEFAULT 0, stop_until REAL NOT NULL DEFAULT 0,
    stop_reason TEXT NOT NULL DEFAULT '', failures INTEGER NOT NULL DEFAULT 0, backoff INTEGER NOT NULL DEFAULT 0,
    crawl_delay REAL NOT NULL DEFAULT 0, asked INTEGER NOT NULL DEFAULT 0, owner TEXT, until REAL NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE robots(
    origin TEXT PRIMARY KEY, host TEXT NOT NULL, capture TEXT, status INTEGER, fetched_at REAL NOT NULL,
    expires REAL NOT NULL, next_try REAL NOT NULL, failures INTEGER NOT NULL, crawl_delay REAL NOT NULL,
    note TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX robots_of_host ON robots(host);
CREATE TABLE memo(host TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
_CLAIM = f"""
INSERT INTO hosts(host, owner, until) VALUES(?1, ?2, ?3)
ON CONFLICT(host) DO UPDATE SET owner = ?2, until = ?3
WHERE ready <= ?4 AND stop_until <= ?4 AND (owner IS NULL OR until <= ?4)
RETURNING {_COLUMNS}
"""
_RELEASE = """
UPDATE hosts SET {free} ready = max(ready, ?1), failures = ?2, backoff = ?3, asked = asked + 1,
    stop_reason = CASE WHEN ?4 > stop_until THEN ?5 ELSE stop_reason END, stop_until = max(stop_until, ?4)
WHERE host = ?6 {held}
"""
_RELEASE_HELD = _RELEASE.format(free="owner = NULL, until = 0,", held="AND owner = ?7")
_RELEASE_LOST = _RELEASE.format(free="", held="")
_STOP = """
INSERT INTO hosts(host, stop_until, stop_reason) VALUES(?1, ?2, ?3)
ON CONFLICT(host) DO UPDATE SET stop_until = ?2, stop_reason = ?3, failures = 0 WHERE stop_until < ?2
"""
_REST = """
INSERT INTO hosts(host, ready) VALUES(?1, ?2) ON CONFLICT(host) DO UPDATE SET ready = max(ready, ?2)
"""
_RESET = f"""
UPDATE hosts SET ready = min(ready, ?1), stop_until = 0, stop_reason = '', failures = 0, backoff = 0,
    owner = CASE WHEN until > ?1 + {LEASE} THEN NULL ELSE owner END,
    until = CASE WHEN until > ?1 + {LEASE} THEN 0 ELSE until END
WHERE ?2 IS NULL OR host = ?2
"""
_RESET_ROBOTS = """
UPDATE robots SET next_try = 0, failures = 0 WHERE ?1 IS NULL OR host = ?1
"""
_PUT_ROBOTS = "INSERT OR REPLACE INTO robots VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_CRAWL_DELAY = """
INSERT INTO hosts(host, crawl_delay) SELECT ?1, max(crawl_delay) FROM robots WHERE host = ?1
ON CONFLICT(host) DO UPDATE SET crawl_delay = excluded.crawl_delay
"""


def open_hosts(path: Path | None, *, read_only: bool = False) -> HostStateStore:
    """The state of the hosts in a file, or in memory without one. To read only, the file must be there."""
    return MemoryHosts() if path is None else SqliteHosts(path, read_only=read_only)


class SqliteHosts:
    """The state of the hosts in one SQLite file. Each thread and each process has a connection of its own.

    A claim is one statement, which takes SQLite's write lock as it begins, so two processes can never both be
    granted. A file that cannot be opened or written, and one of another version, is a StoreError.
    """

    shared = True

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._read_only = read_only
        self._local = threading.local()
        self._opened: list[tuple[int, sqlite3.Connection]] = []
        self._db()

    def claim(self, host: str, *, owner: str, now: float, lease: float = LEASE) -> Claim:
        with self._errors():
            # all rows are fetched, because the statement commits when it ends
            rows = self._db().execute(_CLAIM, (host, owner, now + lease, now)).fetchall()
        return Claim(True, _row(rows[0])) if rows else Claim(False, self.peek(host))

    def renew(self, hosts: Iterable[str], *, owner: str, until: float) -> frozenset[str]:
        with self._writing() as db:
            update = "UPDATE hosts SET until = ? WHERE host = ? AND owner = ?"
            return frozenset(host for host in hosts if not db.execute(update, (until, host, owner)).rowcount)

    def release(self, host: str, *, owner: str, state: HostState | None) -> bool:
        with self._errors():
            db = self._db()
            if state is None:
                free = "UPDATE hosts SET owner = NULL, until = 0 WHERE host = ? AND owner = ?"
                return bool(db.execute(free, (host, owner)).rowcount)
            values = (state.ready, state.failures, state.backoff, state.stop_until, state.stop_reason, host)
            if db.execute(_RELEASE_HELD, (*values, owner)).rowcount:
                return True
            db.execute(_RELEASE_LOST, values)
            return False

    def peek(self, host: str) -> HostRow:
        with self._errors():
            row = self._db().execute(f"SELECT {_COLUMNS} FROM hosts WHERE host = ?", (host,)).fetchone()
        return _row(row) if row else HostRow(host)

    def stop(self, host: str, *, until: float, reason: str) -> None:
        with self._errors():
            self._db().execute(_STOP, (host, until, reason))

    def rest(self, host: str, *, until: float) -> None:
        with self._errors():
            self._db().execute(_REST, (host, until))

    def reset(self, host: str | None, *, ready: float) -> int:
        with self._writing() as db:
            db.execute(_RESET_ROBOTS, (host,))
            return db.execute(_RESET, (ready, host)).rowcount

    def rows(self) -> Iterator[HostRow]:
        with self._errors():
            yield from map(_row, self._db().execute(f"SELECT {_COLUMNS} FROM hosts ORDER BY host"))

    def robots(self, origin: str) -> RobotsState | None:
        with self._errors():
            row = self._db().execute("SELECT * FROM robots WHERE origin = ?", (origin,)).fetchone()
        return RobotsState(*row[2:]) if row else None

    def put_robots(self, origin: str, host: str, state: RobotsState) -> None:
        with self._writing() as db:
            db.execute(_PUT_ROBOTS, (origin, host, *astuple(state)))
            db.execute(_CRAWL_DELAY, (host,))

    def memo(self, host: str) -> Memo | None:
        with self._errors():
            row = self._db().execute("SELECT value FROM memo WHERE host = ?", (host,)).fetchone()
        return _memo(row)

    def change_memo(self, host: str, change: Callable[[Memo | None], Memo | None]) -> Memo | None:
        with self._writing() as db:
            memo = change(_memo(db.execute("SELECT value FROM memo WHERE host = ?", (host,)).fetchone()))
            if memo is None:
                db.execute("DELETE FROM memo WHERE host = ?", (host,))
            else:
                db.execute("INSERT OR REPLACE INTO memo VALUES(?, ?)", (host, json.dumps(dict(memo))))
        return memo

    def close(self) -> None:
        opened, self._opened = self._opened, []
        self._local = threading.local()
        for pid, db in opened:
            if pid == os.getpid():
                db.close()

    def _db(self) -> sqlite3.Connection:
        pid, db = getattr(self._local, "own", (None, None))
        if db is None or pid != os.getpid():
            db = _open(self.path, read_only=self._read_only)
            self._local.own = (os.getpid(), db)
            self._opened.append((os.getpid(), db))
        return db

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {error}") from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._errors():
            db = self._db()
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")


def _unusable(path: Path, what: str, error: sqlite3.Error) -> StoreError:
    help_ = ""
    if getattr(error, "sqlite_errorcode", None) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        help_ = "; move it away to go on without the pace and the stops that it holds"
    return StoreError(f"{path} cannot be {what}: {error}{help_}")


def _open(path: Path, *, read_only: bool) -> sqlite3.Connection:
    try:
        if read_only:
            db = connect_read_only(path, seconds=BUSY_TIMEOUT)
        else:
            # closed by whoever closes the store, which may be another thread
            db = sqlite3.connect(path, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise _unusable(path, "opened", error) from error
    try:
        version = _version(db) if read_only else _made(db)
        if version != SCHEMA_VERSION:
            raise StoreError(f"{path} has version {version}, this program reads version {SCHEMA_VERSION}")
        if not read_only:
            _use_wal(db)
        db.execute("PRAGMA synchronous = NORMAL")
    except sqlite3.Error as error:
        db.close()
        raise _unusable(path, "used", error) from error
    except StoreError:
        db.close()
        raise
    return db


def _made(db: sqlite3.Connection) -> int:
    """Make the tables of a new file; gives the version of the file. A file that cannot be written fails here."""
    db.execute("BEGIN IMMEDIATE")
    version = _version(db)
    if version == 0 and not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        for statement in filter(str.strip, _SCHEMA.split(";")):
            db.execute(statement)
        version = SCHEMA_VERSION
        db.execute(f"PRAGMA user_version = {version}")
    db.execute("COMMIT")
    return version


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _use_wal(db: sqlite3.Connection) -> None:
    # the change to WAL does not wait for the busy time-out while another process makes the same change
    deadline = time.monotonic() + BUSY_TIMEOUT
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def _row(row: tuple[Any, ...]) -> HostRow:
    host, ready, stop_until, stop_reason, failures, backoff, crawl_delay, asked, owner, until = row
    return HostRow(host, HostState(ready, stop_until, stop_reason, failures, backoff, crawl_delay, asked), owner, until)


def _memo(row: tuple[str] | None) -> Memo | None:
    memo = json.loads(row[0]) if row else None
    return memo if isinstance(memo, dict) else None
