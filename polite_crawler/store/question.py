"""A question to the ranking, and its answer: plain facts, apart from the arrays that answer."""

from dataclasses import dataclass
from typing import Literal, get_args

from polite_crawler.store.folding import Atom

Rank = Literal["exact", "fast"]
RANKS: tuple[Rank, ...] = get_args(Rank)


@dataclass(frozen=True, slots=True)
class Hit:
    """A text of the full-text table that answers, and its BM25 score (higher is better)."""

    entry: int
    score: float


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: the atoms, how many texts, and which texts may answer at all. `docs` are document ids, `at` is
    epoch microseconds."""

    atoms: tuple[Atom, ...]
    limit: int
    rank: Rank = "exact"
    kind: str | None = None
    docs: frozenset[str] | None = None
    at: int | None = None
