"""Ranking: which texts answer a question, the best first, with FTS5's own BM25 scores.

The formula is that of FTS5's bm25() with its constants (k1 = 1.2, b = 0.75, each column weight 1); the document
counts and lengths are those of the texts that may answer, and of no others.
"""

import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polite_crawler.store.arrays import Anys, Bools, Floats, Ints
from polite_crawler.store.folding import Atom
from polite_crawler.store.phrases import phrase_postings
from polite_crawler.store.postings import Postings
from polite_crawler.store.question import Hit, Question
from polite_crawler.store.rank_state import Layer, RankState, Source, View

FAST_SHARE = 0.2
"""`fast` leaves out a word that more than this share of the documents hold, where one word is enough."""

_K1 = 1.2


@dataclass(frozen=True, slots=True)
class _Scored:
    """The postings of one atom in each layer, of texts that count, and its inverse document frequency."""

    layers: tuple[Postings | None, ...]
    share: float
    weight: float


def search(state: RankState, connection: sqlite3.Connection, question: Question) -> list[Hit]:
    """The best texts: those that hold each atom first, then those that hold at least one. Equal scores stand in the
    sequence of the full-text table."""
    view = state.now if question.at is None else state.at(question.at)
    if not question.atoms or not view.docs:
        return []
    scored = [_score(state, connection, view, atom) for atom in question.atoms]
    allowed = [_allowed(state, layer.source, question) for layer in view.layers]
    if len(scored) == 1:
        parts = [_single(layer, scored[0], at, view.norms[at], allowed[at]) for at, layer in enumerate(view.layers)]
        return _best(parts, question.limit)
    return _several(view, scored, allowed, question)


def _several(view: View, scored: Sequence[_Scored], allowed: Sequence[Bools | None], question: Question) -> list[Hit]:
    whole: list[tuple[Ints, Floats]] = []
    rest: list[tuple[Ints, Floats]] = []
    kept = _kept(scored) if question.rank == "fast" else scored
    for at, layer in enumerate(view.layers):
        scores, held = _sums(layer, scored, at, view.norms[at])
        every = held == len(scored)
        some = held > 0
        may = allowed[at]
        if may is not None:
            every &= may
            some &= may
        found = np.flatnonzero(every)
        whole.append((layer.source.entries[found], scores[found]))
        if kept is not scored:
            scores, held = _sums(layer, kept, at, view.norms[at])
            some &= held > 0
        some[found] = False
        rest.append(_top(layer, some, scores, question.limit))
    hits = _best(whole, question.limit)
    return hits + _best(rest, question.limit - len(hits))


def _sums(layer: Layer, scored: Sequence[_Scored], at: int, norms: Floats) -> tuple[Floats, Anys]:
    """The score of each text of a layer, and how many of the atoms it holds."""
    scores = np.zeros(layer.source.docs)
    held = np.zeros(layer.source.docs, np.uint16)
    for one in scored:
        postings = one.layers[at]
        if postings is not None:
            scores[postings.texts] += _bm25(postings, one.weight, norms)
            held[postings.texts] += 1
    return scores, held


def _single(layer: Layer, scored: _Scored, at: int, norms: Floats, allowed: Bools | None) -> tuple[Ints, Floats]:
    postings = scored.layers[at]
    if postings is None:
        return np.empty(0, np.int64), np.empty(0)
    scores = _bm25(postings, scored.weight, norms)
    if allowed is None:
        return layer.source.entries[postings.texts], scores
    kept = allowed[postings.texts]
    return layer.source.entries[postings.texts[kept]], scores[kept]


def _bm25(postings: Postings, weight: float, norms: Floats) -> Floats:
    return (weight * (_K1 + 1)) * postings.counts / (postings.counts + norms[postings.texts])


def _score(state: RankState, connection: sqlite3.Connection, view: View, atom: Atom) -> _Scored:
    layers = []
    hits = 0
    for layer in view.layers:
        postings = _postings(state, connection, layer.source, atom)
        if postings is not None and layer.live is not None:
            kept = layer.live[postings.texts]
            postings = Postings(postings.texts[kept], postings.counts[kept])
        layers.append(postings)
        hits += len(postings.texts) if postings is not None else 0
    weight = math.log((view.docs - hits + 0.5) / (hits + 0.5))
    # FTS5: a term in more than half of the texts still counts a little
    return _Scored(tuple(layers), hits / view.docs, weight if weight > 0 else 1e-6)


def _postings(state: RankState, connection: sqlite3.Connection, source: Source, atom: Atom) -> Postings | None:
    if len(atom.tokens) == 1:
        token = atom.tokens[0].encode()
        return source.prefix_postings(token) if atom.prefix else source.postings(token)
    entries, counts = state.phrase(atom, lambda one: phrase_postings(connection, one))
    places, texts = source.local(entries)
    return Postings(texts, counts[places]) if len(texts) else None


def _allowed(state: RankState, source: Source, question: Question) -> Bools | None:
    allowed: Bools | None = None
    if question.kind is not None:
        allowed = state.of_kind(source, question.kind)
    if question.docs is not None:
        within = state.of_docs(source, question.docs)
        allowed = within if allowed is None else allowed & within
    return allowed


def _kept(scored: Sequence[_Scored]) -> Sequence[_Scored]:
    """The atoms that `fast` scores where one is enough: the rare ones, or the rarest when none is."""
    rare = [one for one in scored if one.share <= FAST_SHARE]
    return rare or [min(scored, key=lambda one: one.share)]


def _top(layer: Layer, some: Bools, scores: Floats, limit: int) -> tuple[Ints, Floats]:
    """The texts that can be among the best `limit`: a threshold first, so that not all are sorted."""
    values = np.where(some, scores, 0.0)
    if 0 < limit < len(values):
        least = np.partition(values, len(values) - limit)[len(values) - limit]
        some = some & (values >= least) if least > 0 else some
    found = np.flatnonzero(some)
    return layer.source.entries[found], scores[found]


def _best(parts: Sequence[tuple[Ints, Floats]], limit: int) -> list[Hit]:
    if limit <= 0:
        return []
    entries = np.concatenate([part[0] for part in parts])
    scores = np.concatenate([part[1] for part in parts])
    if len(entries) > limit:
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        kept = scores >= least
        entries, scores = entries[kept], scores[kept]
    order = np.lexsort((entries, -scores))[:limit]
    return [Hit(int(entries[at]), float(scores[at])) for at in order]
