"""How often a text holds a phrase. The segments keep no positions, so FTS5 is asked.

A contentless table gives no text and no positions back, but it scores: for a question of one phrase its bm25() is a
known function of the count, and the count is what solves it.
"""

import math
import sqlite3

import numpy as np

from polite_crawler.store.arrays import Ints
from polite_crawler.store.folding import Atom

_K1, _B = 1.2, 0.75
_AVERAGES = 1
"""The row of `f_data` with the number of texts and the tokens of each column, as SQLite varints."""


def phrase_postings(connection: sqlite3.Connection, atom: Atom) -> tuple[Ints, Ints]:
    """The numbers of the texts that hold a phrase, rising, and how often each does."""
    rows = connection.execute(
        "SELECT f.rowid, -bm25(f), e.len FROM f JOIN ent e ON e.id = f.rowid WHERE f MATCH ? ORDER BY f.rowid",
        (atom.match(),),
    ).fetchall()
    table = np.array(rows, np.float64).reshape(-1, 3)
    texts, length = _averages(connection)
    hits = len(table)
    weight = math.log((texts - hits + 0.5) / (hits + 0.5)) if hits else 0.0
    top = (weight if weight > 0 else 1e-6) * (_K1 + 1)
    norms = _K1 * (1 - _B + _B * table[:, 2] / (length / max(texts, 1) or 1.0))
    counts = table[:, 1] * norms / (top - table[:, 1])
    return table[:, 0].astype(np.int64), np.maximum(np.rint(counts), 1).astype(np.int64)


def _averages(connection: sqlite3.Connection) -> tuple[int, int]:
    """The number of texts in the full-text table, and their tokens in all columns."""
    row = connection.execute("SELECT block FROM f_data WHERE id = ?", (_AVERAGES,)).fetchone()
    numbers = _varints(row[0] if row else b"")
    return (numbers[0], sum(numbers[1:])) if numbers else (0, 0)


def _varints(data: bytes) -> list[int]:
    numbers = []
    value = length = 0
    for octet in data:
        length += 1
        if length == 9:
            value = value << 8 | octet
        else:
            value = value << 7 | octet & 0x7F
        if octet < 0x80 or length == 9:
            numbers.append(value)
            value = length = 0
    return numbers
