"""What an import has to remember until all records were read: answers, requests and the lines of our own exports.

Nothing here holds a secret: heads are redacted before they come.
"""

import json
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from polite_crawler.archive.digests import one_spelling
from polite_crawler.archive.foreign import Answer
from polite_crawler.archive.temporary import TemporaryTables
from polite_crawler.store.record import Capture

_TABLES = """
CREATE TABLE answer(n INTEGER PRIMARY KEY, record TEXT NOT NULL, url TEXT NOT NULL, date TEXT NOT NULL, digest TEXT,
    revisit INTEGER NOT NULL, concurrent TEXT,
    refers_to TEXT, refers_url TEXT, refers_date TEXT, draft BLOB, line BLOB,
    capture TEXT, doc TEXT);
CREATE INDEX answer_record ON answer(record);
CREATE INDEX answer_url ON answer(url, date);
CREATE INDEX answer_concurrent ON answer(concurrent) WHERE concurrent IS NOT NULL;
CREATE INDEX answer_digest ON answer(digest) WHERE digest IS NOT NULL;
CREATE TABLE own(record TEXT PRIMARY KEY, line TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE coded(record TEXT PRIMARY KEY, sha256 TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE renamed(was TEXT PRIMARY KEY, is_now TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE doc(id TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_CACHE_KIB = 8192
_FACTS = "n, record, url, date, digest, revisit, refers_to, refers_url, refers_date, capture, draft, line, doc"


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer as it was kept. `capture` is its id once it has one; `line` is the line itself when nothing more can
    come to it, and `doc` then the document that it gives."""

    n: int
    record: str
    url: str
    date: str
    digest: str | None
    revisit: bool
    refers_to: str | None
    refers_url: str | None
    refers_date: str | None
    capture: str | None
    pickled: bytes | None
    line: bytes | None
    doc: str | None

    @property
    def draft(self) -> Capture:
        """The capture as far as it is known."""
        if self.line is not None:
            return Capture.from_json(json.loads(self.line))
        assert self.pickled is not None
        # this process wrote it
        capture: Capture = pickle.loads(self.pickled)  # noqa: S301
        return capture


class ImportScratch(TemporaryTables):
    """The answers of one import, and what came apart from them."""

    def __init__(self) -> None:
        super().__init__(_TABLES, cache_kib=_CACHE_KIB)

    def add(self, answer: Answer) -> None:
        """Keep an answer without its body."""
        capture = answer.capture
        self._db.execute(
            "INSERT INTO answer(record, url, date, digest, revisit, concurrent, refers_to, refers_url, refers_date,"
            " draft) VALUES(?,?,?,?,?,?,?,?,?,?)",
            (answer.record_id, capture.url, capture.time.start, one_spelling(answer.digest), answer.revisit,
             answer.concurrent[0] if answer.concurrent else None, answer.refers_to, answer.refers_url,
             answer.refers_date, pickle.dumps(capture)),
        )  # fmt: skip

    def add_own(self, record: str, capture: Capture, line: bytes, *, digest: str | None, doc: str | None) -> None:
        """Keep a capture of ours that came back, sealed, with its line and the document that it gives."""
        revisit = capture.outcome == "not_modified" and capture.body is None
        self._db.execute(
            "INSERT INTO answer(record, url, date, digest, revisit, capture, line, doc) VALUES(?,?,?,?,?,?,?,?)",
            (record, capture.url, capture.time.start, one_spelling(digest), revisit, capture.id, line, doc),
        )

    def update(self, n: int, draft: Capture) -> None:
        """Change the capture of an answer."""
        self._db.execute("UPDATE answer SET draft=? WHERE n=?", (pickle.dumps(draft), n))

    def written(self, n: int, capture: str) -> None:
        """Note the id under which an answer was written."""
        self._db.execute("UPDATE answer SET capture=? WHERE n=?", (capture, n))

    def add_own_line(self, record: str, line: str) -> None:
        """Keep the line of the log that a metadata record of our own holds, for the record that it is about."""
        self._db.execute("INSERT OR REPLACE INTO own VALUES(?,?)", (record, line))

    def own_line(self, record: str) -> str | None:
        """The line that is kept for a record."""
        row = self._db.execute("SELECT line FROM own WHERE record=?", (record,)).fetchone()
        return str(row[0]) if row else None

    def add_coded(self, record: str, sha256: str) -> None:
        """Note the body as received of a record that holds it decoded."""
        self._db.execute("INSERT OR REPLACE INTO coded VALUES(?,?)", (record, sha256))

    def coded(self, record: str) -> str | None:
        """The body as received that came for a record."""
        row = self._db.execute("SELECT sha256 FROM coded WHERE record=?", (record,)).fetchone()
        return str(row[0]) if row else None

    def rename(self, was: str, is_now: str) -> None:
        """Note under which id a capture of the exporting store stands here."""
        self._db.execute("INSERT OR REPLACE INTO renamed VALUES(?,?)", (was, is_now))

    def renamed(self, was: str | None) -> str | None:
        """The id here of a capture of the exporting store."""
        row = self._db.execute("SELECT is_now FROM renamed WHERE was=?", (was,)).fetchone()
        return str(row[0]) if row else None

    def add_doc(self, doc: str) -> None:
        """Note a document."""
        self._db.execute("INSERT OR IGNORE INTO doc VALUES(?)", (doc,))

    def count_docs(self) -> int:
        """How many documents were noted."""
        return int(self._db.execute("SELECT count(*) FROM doc").fetchone()[0])

    def of_record(self, record: str) -> Kept | None:
        """The answer of a record id."""
        return self._one("record=?", record)

    def concurrent_to(self, record: str) -> Kept | None:
        """The answer that names a request."""
        return self._one("concurrent=?", record)

    def original(self, url: str | None, date: str | None, digest: str | None) -> Kept | None:
        """The answer that a revisit stands for, by URL and date, then by the digest of its payload (that of the same
        URL first)."""
        found = self._one("url=? AND date=? AND NOT revisit", url, date) if url and date else None
        if found is None and (digest := one_spelling(digest)):
            found = self._one("url=? AND digest=? AND NOT revisit ORDER BY n DESC", url, digest)
            found = found or self._one("digest=? AND NOT revisit ORDER BY n", digest)
        return found

    def answers(self, *, revisit: bool) -> Iterator[Kept]:
        """The answers in the sequence of the file."""
        for row in self._db.execute(f"SELECT {_FACTS} FROM answer WHERE revisit=? ORDER BY n", (revisit,)):
            yield _kept(row)

    def _one(self, where: str, *values: str | None) -> Kept | None:
        row = self._db.execute(f"SELECT {_FACTS} FROM answer WHERE {where} LIMIT 1", values).fetchone()
        return _kept(row) if row else None


def _kept(row: tuple[Any, ...]) -> Kept:
    n, record, url, date, digest, revisit, *rest = row
    return Kept(n, record, url, date, digest, bool(revisit), *rest)
