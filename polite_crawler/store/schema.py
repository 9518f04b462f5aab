"""The tables of one generation of the index, and how a connection to it is opened."""

import sqlite3
import unicodedata
from pathlib import Path

from polite_crawler.errors import StoreError
from polite_crawler.store.folding import FOLD_VERSION
from polite_crawler.store.read_only import connect_read_only

INDEX_VERSION = 6
"""Changes with the tables: an index of another version is rebuilt from the log at open."""

BUSY_MS = 10_000

_TABLES = """
CREATE TABLE meta(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
-- how far the catch-up has read each file of the log
CREATE TABLE log(file TEXT PRIMARY KEY, offset INTEGER NOT NULL) WITHOUT ROWID;
-- each capture: url in its normal form, fetched in epoch microseconds, parent = redirect_of, of = validators.of;
-- reusable = it may answer another request for its URL, crc = the CRC-32 of its line
CREATE TABLE cap(
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, url TEXT NOT NULL, fetched INTEGER NOT NULL, outcome TEXT NOT NULL,
    parent TEXT, of TEXT, secret INTEGER NOT NULL, reusable INTEGER NOT NULL, held TEXT, file TEXT, offset INTEGER,
    length INTEGER, crc INTEGER
) WITHOUT ROWID;
CREATE INDEX cap_url ON cap(url, fetched);
CREATE INDEX cap_parent ON cap(parent) WHERE parent IS NOT NULL;
-- what the line of a 304 says that updates the copy it confirms, as JSON
CREATE TABLE confirmed(id TEXT PRIMARY KEY, said TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE doc(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, cur INTEGER, held INTEGER NOT NULL DEFAULT 0,
    checked INTEGER NOT NULL DEFAULT 0);
-- a text one time, whoever shows it
CREATE TABLE txt(id INTEGER PRIMARY KEY, sha BLOB NOT NULL UNIQUE, chars INTEGER NOT NULL, body TEXT NOT NULL);
-- a row of the full-text table: a text of a document that was not held back; len = its tokens; live = it is the
-- current text and not held back; part = where its postings are: 0 the tail, 1 a current segment, 2 a history segment
CREATE TABLE ent(id INTEGER PRIMARY KEY, doc INTEGER NOT NULL, txt INTEGER NOT NULL, title TEXT NOT NULL,
    kind TEXT NOT NULL, len INTEGER NOT NULL, live INTEGER NOT NULL DEFAULT 0, part INTEGER NOT NULL DEFAULT 0,
    UNIQUE(doc, txt, title, kind));
CREATE INDEX ent_tail ON ent(id) WHERE part = 0;
CREATE INDEX ent_dead ON ent(id) WHERE part = 1 AND live = 0;
CREATE INDEX ent_back ON ent(id) WHERE part = 2 AND live = 1;
CREATE TABLE seg(name TEXT PRIMARY KEY, part INTEGER NOT NULL, docs INTEGER NOT NULL) WITHOUT ROWID;
-- links = how many links its metadata has, and more = those after the first few, when there are more; said = what the
-- line of a page says of it, as JSON, when it can be given again with no look into that line
CREATE TABLE ver(
    id INTEGER PRIMARY KEY, doc INTEGER NOT NULL, txt INTEGER NOT NULL, ent INTEGER, capture TEXT NOT NULL,
    capture_kind TEXT NOT NULL, fetched INTEGER NOT NULL, recipe TEXT, base TEXT, kind TEXT NOT NULL, title TEXT,
    url TEXT NOT NULL, blob TEXT, held TEXT, archived TEXT, main TEXT NOT NULL, meta BLOB NOT NULL,
    links INTEGER, more BLOB, said TEXT,
    UNIQUE(doc, capture));
CREATE INDEX ver_capture ON ver(capture);
-- from `since` on, `ver` is the current version of `doc`, until the next row of the document
CREATE TABLE span(doc INTEGER NOT NULL, since INTEGER NOT NULL, ver INTEGER NOT NULL, PRIMARY KEY(doc, since))
    WITHOUT ROWID;
CREATE VIRTUAL TABLE f USING fts5(body, title, content='', tokenize='ascii');
"""


def stamp() -> str:
    """What the contents of an index depend on beside the log: the tables, the folding and its Unicode tables."""
    return f"{INDEX_VERSION}.{FOLD_VERSION}.{unicodedata.unidata_version}"


def create(path: Path) -> sqlite3.Connection:
    """Make the tables of a new generation."""
    path.touch(mode=0o600)
    connection = connect(path)
    try:
        connection.execute("BEGIN IMMEDIATE")
        for statement in _statements():
            connection.execute(statement)
        connection.execute("INSERT INTO meta VALUES('stamp', ?)", (stamp(),))
        # one transaction a page makes many small parts: FTS5 merges them 16 at a time, not 4
        connection.execute("INSERT INTO f(f, rank) VALUES('automerge', 16)")
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def connect(path: Path, *, writable: bool = True) -> sqlite3.Connection:
    """A connection for one thread, by the rules of the store: WAL, synchronous=NORMAL, autocommit, busy time-out.

    A file that cannot be written is only read. Raises StoreError.
    """
    try:
        if writable:
            # never make a file here: a reader that comes late to a generation that was taken away would leave one
            connection = sqlite3.connect(
                path.absolute().as_uri() + "?mode=rw",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
                timeout=BUSY_MS / 1000,
            )
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
        else:
            connection = connect_read_only(path, seconds=BUSY_MS / 1000)
        connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
    except sqlite3.Error as error:
        raise StoreError(f"cannot open the index {path}: {error}") from None
    return connection


def is_usable(path: Path, *, writable: bool = True) -> bool:
    """Whether an index of this program's stamp stands at the path."""
    if not path.is_file():
        return False
    try:
        connection = connect(path, writable=writable)
    except StoreError:
        return False
    try:
        row = connection.execute("SELECT v FROM meta WHERE k = 'stamp'").fetchone()
        return bool(row) and row[0] == stamp()
    except sqlite3.Error:
        return False
    finally:
        connection.close()


def _statements() -> list[str]:
    lines = [line for line in _TABLES.splitlines() if not line.startswith("--")]
    return [statement.strip() for statement in "\n".join(lines).split(";") if statement.strip()]
