"""doctor: is the index what the log and the bodies say, and are the bodies there? A reindex cures the index; what the
disk lost of the log or the bodies has no cure but a copy of the store."""

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
    segment, each line of the log and (unless `bodies` is false) each body, stored or named. Changes nothing."""
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
    lines, wrong, named = _log(index)
    faults += wrong
    if bodies:
        faults += _missing(named)
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


def _log(index: Index) -> tuple[int, list[str], dict[str, str]]:
    """The lines of the log, what is wrong with them, and the bodies that they name and that are not there, each with
    one capture of it. A removal that the log tells of is no loss."""
    lines = 0
    missing: dict[str, str] = {}
    erased: set[str] = set()
    scan = index.log.scan()
    for _, capture in scan:
        lines += 1
        if capture.kind == "erase":
            erased.add(str((capture.source or {}).get("sha256")))
        elif capture.body is not None and not index.blobs.has(capture.body.sha256):
            missing.setdefault(capture.body.sha256, capture.id)
    torn = [f"{scan.skipped} lines of the log are torn or damaged"] if scan.skipped else []
    return lines, torn, {sha256: one for sha256, one in missing.items() if sha256 not in erased}


def _missing(named: dict[str, str]) -> list[str]:
    return [f"the stored body {sha256[:16]} is missing; {capture} names it" for sha256, capture in named.items()]


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
