"""find: the stored documents that answer a question, each with a passage that can be quoted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from polite_crawler.errors import BadOption
from polite_crawler.query.snippet import snippet_of
from polite_crawler.store.catalog import Catalog
from polite_crawler.store.folding import Atom, parse_query
from polite_crawler.store.index import Index
from polite_crawler.store.ranking import rank as rank_entries

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


def find(index: Index, query: str, *, limit: int = 10, offset: int = 0, kind: str | None = None) -> tuple[Found, ...]:
    """The best documents of a question: those with each word or phrase first. Held-back documents never appear."""
    if not 1 <= limit <= LIMIT:
        raise BadOption(f"bad limit {limit}: a number from 1 to {LIMIT}")
    if offset < 0:
        raise BadOption(f"bad offset {offset}: a number from 0 on")
    atoms = parse_query(query)

    def ask(catalog: Catalog) -> tuple[Found, ...]:
        hits = rank_entries(catalog.connection, atoms, limit + offset, kind)[offset:]
        return tuple(_found(catalog, atoms, hit.entry, hit.score) for hit in hits)

    return index.reading(ask)


def _found(catalog: Catalog, atoms: tuple[Atom, ...], entry: int, score: float) -> Found:
    version = catalog.live_version(entry)
    text = catalog.text(version)
    start, end = snippet_of(text, atoms, catalog.main(version))
    return Found(
        doc=version.doc,
        kind=version.kind,
        title=version.title,
        url=version.url,
        score=score,
        snippet=text[start:end],
        start=start,
        end=end,
        capture=version.capture,
        fetched_at=version.fetched_at,
        archived=version.archived,
    )
