"""find: the stored documents that answer a question, each with a passage that can be quoted."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from polite_crawler.errors import BadOption
from polite_crawler.query.moments import moment_of
from polite_crawler.query.snippet import snippet_of
from polite_crawler.store.catalog import Catalog
from polite_crawler.store.folding import parse_query
from polite_crawler.store.index import Index
from polite_crawler.store.question import RANKS, Hit, Question, Rank

LIMIT = 1000


@dataclass(frozen=True, slots=True)
class Found:
    """One result. `snippet` is `text[start:end]` of the stored text of `capture`, in code points; `score` is BM25,
    higher is better; `archived` says which archive a copy is from, or is None for a live page."""

    doc: str
    kind: str
    title: str | None
    url: str
    score: float
    snippet: str
    start: int
    end: int
    capture: str
    fetched_at: str
    archived: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A document of a given set, and its BM25 score."""

    doc: str
    score: float


def find(
    index: Index,
    query: str,
    *,
    limit: int,
    offset: int,
    rank: Rank,
    kind: str | None,
    at: str | datetime | None,
) -> tuple[Found, ...]:
    """The best documents of a question: those with each word or phrase first, then those with one of them.

    With `at`, the texts that were current at that time answer. `rank="fast"` leaves out words that more than 20 % of
    the documents hold, where one word is enough. Held-back documents never appear and count nowhere. Raises BadOption.
    """
    if not 1 <= limit <= LIMIT:
        raise BadOption(f"bad limit {limit}: a number from 1 to {LIMIT}")
    if offset < 0:
        raise BadOption(f"bad offset {offset}: a number from 0 on")
    moment = moment_of(at) if at else None
    question = Question(parse_query(query), limit + offset, _rank(rank), kind, None, moment)

    def ask(catalog: Catalog) -> tuple[Found, ...]:
        hits = index.search(catalog, question)[offset:]
        return tuple(_found(catalog, question, hit) for hit in hits)

    return index.reading(ask)


def rank_within(
    index: Index,
    query: str,
    docs: Collection[str],
    *,
    rank: Rank,
    at: str | datetime | None,
    limit: int | None,
) -> tuple[Ranked, ...]:
    """Rank a set of document ids by a question, in the sequence of `find`; those that hold no word are left out.

    All of them are ranked, or the best `limit`. A frozenset that comes again costs nothing to look up again.
    """
    if limit is not None and limit < 1:
        raise BadOption(f"bad limit {limit}: a number from 1 on")
    moment = moment_of(at) if at else None
    wanted = docs if isinstance(docs, frozenset) else frozenset(docs)
    most = min(limit or len(wanted), len(wanted))
    question = Question(parse_query(query), most, _rank(rank), None, wanted, moment)

    def ask(catalog: Catalog) -> tuple[Ranked, ...]:
        hits = index.search(catalog, question) if most else []
        names = catalog.docs_of_entries(hit.entry for hit in hits)
        return tuple(Ranked(names[hit.entry], hit.score) for hit in hits)

    return index.reading(ask)


def _rank(rank: str) -> Rank:
    for known in RANKS:
        if rank == known:
            return known
    raise BadOption(f"bad rank {rank!r}: {' or '.join(RANKS)}")


def _found(catalog: Catalog, question: Question, hit: Hit) -> Found:
    version = catalog.version_of_entry(hit.entry, question.at)
    text = catalog.text(version)
    start, end = snippet_of(text, question.atoms, catalog.main(version))
    return Found(
        doc=version.doc,
        kind=version.kind,
        title=version.title,
        url=version.url,
        score=hit.score,
        snippet=text[start:end],
        start=start,
        end=end,
        capture=version.capture,
        fetched_at=version.fetched_at,
        archived=version.archived,
    )
