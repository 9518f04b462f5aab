"""The file of a resumable crawl: `<job>.sqlite`, with one owner at a time."""

import fcntl
import json
import os
import sqlite3
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from polite_crawler.errors import StoreError
from polite_crawler.rules.redaction import redact_url

SCHEMA_VERSION = 1

_SCHEMA = """
CREATE TABLE queue(
    host TEXT NOT NULL, rank INTEGER NOT NULL, seq INTEGER NOT NULL, request BLOB NOT NULL,
    PRIMARY KEY(host, rank, seq)
) WITHOUT ROWID;
CREATE TABLE later(
    host TEXT NOT NULL, rank INTEGER NOT NULL, seq INTEGER NOT NULL, request BLOB NOT NULL,
    PRIMARY KEY(host, rank, seq)
) WITHOUT ROWID;
CREATE TABLE seen(fingerprint BLOB PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE unstored(reason TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE note(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


def job_name(job: Mapping[str, Any], params: frozenset[str]) -> str:
    """The name of a job by its seed and its options: the same for the same ones, in any order of the keys."""
    return blake2b(_canonical(job, params).encode(), digest_size=8).hexdigest()


def _canonical(job: Mapping[str, Any], params: frozenset[str]) -> str:
    def shown(value: Any) -> Any:
        if isinstance(value, str):
            return redact_url(value, params).url
        if isinstance(value, Mapping):
            return {str(key): shown(one) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [shown(one) for one in value]
        return value if value is None or isinstance(value, (int, float, bool)) else str(value)

    return json.dumps(shown(job), sort_keys=True)


class FrontierFile:
    """The open file, and the lock that goes with it. The lock ends with the process, however it ends."""

    def __init__(self, path: Path, job: Mapping[str, Any], params: frozenset[str]) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(path.with_name(path.name + ".lock"), path)
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror or error}") from error
        try:
            self.db = _opened(path, _canonical(job, params))
        except (sqlite3.Error, OSError) as error:
            os.close(self._lock)
            raise StoreError(f"{path} cannot be used: {error}") from error
        except StoreError:
            os.close(self._lock)
            raise

    def close(self, *, remove: bool = False) -> None:
        """Close the file and give the lock up; remove the files of a job that is done."""
        self.db.close()
        if remove:
            for suffix in ("", "-wal", "-shm", ".lock"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        os.close(self._lock)


def _locked(lock: Path, path: Path) -> int:
    while True:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # a job that ended meanwhile has removed the file that was opened here
            if _is_at(descriptor, lock):
                os.truncate(descriptor, 0)
                os.write(descriptor, str(os.getpid()).encode())
                return descriptor
        except BlockingIOError:
            owner = os.pread(descriptor, 32, 0).decode("ascii", "replace") or "unknown"
            os.close(descriptor)
            raise StoreError(f"{path} is in use by another crawl (process {owner})") from None
        os.close(descriptor)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _opened(path: Path, job: str) -> sqlite3.Connection:
    # what a crawl has still to do is for its owner alone
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    db = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA cache_size = -16000")
        db.execute("BEGIN IMMEDIATE")
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version == 0 and not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            for statement in filter(str.strip, _SCHEMA.split(";")):
                db.execute(statement)
            version = SCHEMA_VERSION
            db.execute(f"PRAGMA user_version = {version}")
            db.execute("INSERT INTO note VALUES('job', ?)", (job,))
        if version != SCHEMA_VERSION:
            raise StoreError(f"{path} has version {version}, this program reads version {SCHEMA_VERSION}")
        (found,) = db.execute("SELECT value FROM note WHERE key = 'job'").fetchone()
        if found != job:
            raise StoreError(f"{path} holds another crawl: {found}")
        db.execute("COMMIT")
    except BaseException:
        db.close()
        raise
    return db
