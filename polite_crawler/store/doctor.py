"""doctor: is the index what the log and the bodies say? The cure for each fault is a reindex."""

import sqlite3
from dataclasses import dataclass

from polite_crawler.errors import StoreError
from polite_crawler.store import segments
from polite_crawler.store.folding import Atom
from polite_crawler.store.index import Index
from polite_crawler.store.phrases import phrase_postings
from polite_crawler.store.rank_state import count_tokens

SAMPLE = 50


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the doctor looked at and what is wrong with it, one line for each fault."""

    faults: tuple[str, ...]
    texts: int
    bodies: int
    lines: int

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults


def examine(index: Index, *, sample: int = SAMPLE, bodies: bool = True) -> Diagnosis:
    """Check the SQLite file, the full-text table, a sample of texts against their postings, the CRC-32 of each
    segment, each line of the log and (unless `bodies` is false) each stored body. Changes nothing."""
    faults: list[str] = []
    texts = 0
    try:
        connection = index.connection()
        faults += _database(connection, index.writable)
        faults += segments.check(connection, index.generations.path(index.generation))
        texts, wrong = _sample(connection, sample)
        faults += wrong
    except (sqlite3.Error, StoreError) as error:
        faults.append(f"the index does not answer: {error}")
    lines, wrong = _log(index)
    faults += wrong
    count, wrong = _bodies(index) if bodies else (0, [])
    return Diagnosis(tuple(faults + wrong), texts, count, lines)


def _database(connection: sqlite3.Connection, writable: bool) -> list[str]:
    faults = [
        f"the index is damaged: {row[0]}"
        for row in connection.execute("PRAGMA quick_check(20)").fetchall()
        if row[0] != "ok"
    ]
    if writable:
        try:
            connection.execute("INSERT INTO f(f) VALUES('integrity-check')")
        except sqlite3.DatabaseError as error:
            faults.append(f"the full-text table is damaged: {error}")
    return faults


def _sample(connection: sqlite3.Connection, sample: int) -> tuple[int, list[str]]:
    """Compare texts, evenly spread, with what the full-text table knows of them: length, and one word of each."""
    total = connection.execute("SELECT coalesce(max(id), 0) FROM ent").fetchone()[0]
    faults = []
    looked = 0
    for entry in range(1, total + 1, max(total // sample, 1)):
        row = connection.execute("SELECT len FROM ent WHERE id = ?", (entry,)).fetchone()
        if row is None:
            continue
        looked += 1
        words = count_tokens(connection, entry)
        if len(words) != row[0]:
            faults.append(f"text {entry} has {len(words)} words, the index says {row[0]}")
        elif words:
            word = max(words, key=len)  # long words are rare, so FTS5 has little to count
            found, counts = phrase_postings(connection, Atom((word,)))
            if words.count(word) not in counts[found == entry]:
                faults.append(f"text {entry} holds {word!r}, the full-text table says something else")
    return looked, faults


def _log(index: Index) -> tuple[int, list[str]]:
    scan = index.log.scan()
    lines = sum(1 for _ in scan)
    return lines, [f"{scan.skipped} lines of the log are torn or damaged"] if scan.skipped else []


def _bodies(index: Index) -> tuple[int, list[str]]:
    faults = []
    count = 0
    for name in index.blobs.names():
        count += 1
        try:
            index.blobs.get(name, verify=True)
        except StoreError as error:
            faults.append(str(error))
    return count, faults
