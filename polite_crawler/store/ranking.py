"""Ranking: which texts answer a question, the best first, with FTS5's own BM25 scores."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from polite_crawler.store.folding import Atom


@dataclass(frozen=True, slots=True)
class Hit:
    """A text of the full-text table that answers, and its BM25 score (higher is better)."""

    entry: int
    score: float


def rank(connection: sqlite3.Connection, atoms: Sequence[Atom], limit: int, kind: str | None = None) -> list[Hit]:
    """The best texts that are current and not held back: those that hold each atom first, then those with one."""
    if not atoms:
        return []
    words = [atom.match() for atom in atoms]
    hits = _ask(connection, " AND ".join(words), limit, kind)
    if len(hits) < limit and len(words) > 1:
        seen = {hit.entry for hit in hits}
        rest = _ask(connection, " OR ".join(words), limit + len(seen), kind)
        hits += [hit for hit in rest if hit.entry not in seen][: limit - len(hits)]
    return hits


def _ask(connection: sqlite3.Connection, match: str, limit: int, kind: str | None) -> list[Hit]:
    rows = connection.execute(
        "SELECT f.rowid, -f.rank FROM f JOIN ent e ON e.id = f.rowid WHERE f MATCH ? AND e.live AND (?2 IS NULL OR"
        " e.kind = ?2) ORDER BY f.rank, f.rowid LIMIT ?3",
        (match, kind, limit),
    )
    return [Hit(*row) for row in rows]
