"""The postings that answer on one state of the index: segments, the fresh tail, and which of their texts count.

Document counts and lengths come from the live texts alone (current and not held back), or from those that were
current at a time: so the scores are those of an FTS5 table of exactly these texts.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np

from polite_crawler.store.arrays import Bools, Floats, Ints
from polite_crawler.store.entry import clean
from polite_crawler.store.folding import Atom, fold_words
from polite_crawler.store.postings import Postings, Segment

CURRENT, HISTORY = 1, 2
_Counted = dict[int, tuple[int, Counter[str]]]
_KEPT = 8
_FOREVER = (1 << 62) - 1


class Source(Protocol):
    """A set of texts with postings: a segment, or the tail."""

    docs: int

    @property
    def entries(self) -> Ints: ...
    @property
    def lengths(self) -> Ints: ...
    def postings(self, token: bytes) -> Postings | None: ...
    def prefix_postings(self, prefix: bytes) -> Postings | None: ...
    def local(self, entries: Ints) -> tuple[Ints, Ints]: ...


class Tail:
    """The texts that no segment holds yet, in memory: few, and read from their stored text."""

    def __init__(self, counted: _Counted) -> None:
        """Take texts by their number in the full-text table: length in tokens and count of each token."""
        self.docs = len(counted)
        numbers = sorted(counted)
        self.entries = np.array(numbers, np.int64)
        self.lengths = np.array([counted[number][0] for number in numbers], np.int64)
        self._counts = [counted[number][1] for number in numbers]

    def postings(self, token: bytes) -> Postings | None:
        """The postings of one term, or None."""
        word = token.decode()
        return _postings((at, counts[word]) for at, counts in enumerate(self._counts) if word in counts)

    def prefix_postings(self, prefix: bytes) -> Postings | None:
        """The postings of all terms that begin with a prefix, their counts added up; None when there is none."""
        word = prefix.decode()
        sums = (
            (at, sum(n for term, n in counts.items() if term.startswith(word)))
            for at, counts in enumerate(self._counts)
        )
        return _postings((at, count) for at, count in sums if count)

    def local(self, entries: Ints) -> tuple[Ints, Ints]:
        """Which of these numbers of the full-text table are here: their places in the argument, and their local
        numbers."""
        at = np.searchsorted(self.entries, entries) if self.docs else np.zeros(len(entries), np.int64)
        inside = np.flatnonzero(at < self.docs)
        places = inside[self.entries[at[inside]] == entries[inside]] if self.docs else inside
        return places, at[places]


@dataclass(frozen=True, slots=True)
class Layer:
    """A source and which of its texts count: `live` by local number, or None for all of them."""

    source: Source
    live: Bools | None = None

    def count(self) -> int:
        """How many of its texts count."""
        return self.source.docs if self.live is None else int(np.count_nonzero(self.live))

    def length(self) -> int:
        """The tokens of its texts that count."""
        lengths = self.source.lengths
        return int(lengths.sum(dtype=np.int64) if self.live is None else lengths[self.live].sum(dtype=np.int64))


@dataclass(frozen=True)
class View:
    """The layers that answer a question, with the count of their texts and the average length in tokens."""

    layers: tuple[Layer, ...]

    @cached_property
    def docs(self) -> int:
        """How many texts count."""
        return sum(layer.count() for layer in self.layers)

    @cached_property
    def norms(self) -> tuple[Floats, ...]:
        """k1 * (1 - b + b * length / average length) of each text, for each layer: BM25 with k1 = 1.2, b = 0.75."""
        average = sum(layer.length() for layer in self.layers) / max(self.docs, 1) or 1.0
        return tuple(1.2 * (0.25 + 0.75 * layer.source.lengths.astype(np.float64) / average) for layer in self.layers)


class RankState:
    """All postings of one state of the index. It does not change; the next state shares its segments and its tail."""

    def __init__(self, connection: sqlite3.Connection, generation: Path, before: "RankState | None" = None) -> None:
        """Read the state of a generation; `before` is an earlier state of the same one."""
        self._connection = connection
        self.generation = generation.name
        folder = generation / "segments"
        known = before.segments if before else {}
        names = connection.execute("SELECT name, part FROM seg ORDER BY name").fetchall()
        self.segments: dict[str, Segment] = {name: known.get(name) or Segment(folder / name) for name, _ in names}
        self._parts: dict[str, int] = dict(names)
        self._counted: _Counted = _tail(connection, before._counted if before else {})
        self._tail = Tail(self._counted)
        self._kinds: dict[str, list[Bools]] = {}
        self._phrases: dict[Atom, tuple[Ints, Ints]] = {}
        self._views: dict[int, View] = {}
        self._subsets: dict[frozenset[str], list[Bools]] = {}

    @cached_property
    def sources(self) -> tuple[Source, ...]:
        """The current segments, the tail, and the history segments."""
        current = [segment for name, segment in self.segments.items() if self._parts[name] == CURRENT]
        history = [segment for name, segment in self.segments.items() if self._parts[name] == HISTORY]
        return (*current, self._tail, *history)

    @cached_property
    def now(self) -> View:
        """The live texts."""
        dead = _numbers(self._connection.execute("SELECT id FROM ent WHERE part = 1 AND live = 0 ORDER BY id"))
        back = _numbers(self._connection.execute("SELECT id FROM ent WHERE part = 2 AND live = 1 ORDER BY id"))
        old = _numbers(self._connection.execute("SELECT id FROM ent WHERE part = 0 AND live = 0 ORDER BY id"))
        layers = []
        for source, part in zip(self.sources, self._source_parts, strict=True):
            if part == HISTORY:
                live = _mask(source, back)
                if not live.any():
                    continue
                layers.append(Layer(source, live))
            else:
                _, gone = source.local(dead if part == CURRENT else old)
                live = np.ones(source.docs, bool)
                live[gone] = False
                layers.append(Layer(source, live if len(gone) else None))
        return View(tuple(layer for layer in layers if layer.source.docs))

    def at(self, moment: int) -> View:
        """The texts that were current at a time (epoch microseconds), of documents that are not held back now."""
        if moment not in self._views:
            layers = []
            for source, (texts, since, until) in zip(self.sources, self._timelines, strict=True):
                live = np.zeros(source.docs, bool)
                live[texts[(since <= moment) & (moment < until)]] = True
                if live.any():
                    layers.append(Layer(source, live))
            while len(self._views) >= _KEPT:
                del self._views[next(iter(self._views))]
            self._views[moment] = View(tuple(layers))
        return self._views[moment]

    def of_kind(self, source: Source, kind: str) -> Bools:
        """Which texts of a source are of a document kind."""
        if kind not in self._kinds:
            found = _numbers(self._connection.execute("SELECT id FROM ent WHERE kind = ? ORDER BY id", (clean(kind),)))
            self._kinds[kind] = [_mask(one, found) for one in self.sources]
        return self._kinds[kind][self.sources.index(source)]

    def of_docs(self, source: Source, docs: frozenset[str]) -> Bools:
        """Which texts of a source are of one of these documents."""
        if docs not in self._subsets:
            wanted = np.array(sorted(self._doc_numbers[doc] for doc in docs if doc in self._doc_numbers), np.int64)
            entries, owners = self._owners
            found = entries[np.isin(owners, wanted)]
            while len(self._subsets) >= _KEPT:
                del self._subsets[next(iter(self._subsets))]
            self._subsets[docs] = [_mask(one, found) for one in self.sources]
        return self._subsets[docs][self.sources.index(source)]

    def phrase(self, atom: Atom, ask: Callable[[Atom], tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
        """The texts that hold a phrase and how often, asked one time for each state."""
        if atom not in self._phrases:
            self._phrases[atom] = ask(atom)
        return self._phrases[atom]

    @cached_property
    def _source_parts(self) -> tuple[int, ...]:
        parts = [self._parts[name] for name in self.segments]
        return (*(p for p in parts if p == CURRENT), 0, *(p for p in parts if p == HISTORY))

    @cached_property
    def _timelines(self) -> tuple[tuple[Ints, Ints, Ints], ...]:
        """For each source (local number, since, until) of each time that one of its texts was current."""
        rows = self._connection.execute(
            "SELECT s.doc, s.since, CASE WHEN d.held OR v.held IS NOT NULL THEN -1 ELSE v.ent END FROM span s"
            " JOIN ver v ON v.id = s.ver JOIN doc d ON d.id = s.doc ORDER BY s.doc, s.since"
        ).fetchall()
        table = np.array(rows, np.int64).reshape(-1, 3)
        until = np.full(len(table), _FOREVER)
        same = table[1:, 0] == table[:-1, 0]
        until[:-1][same] = table[1:, 1][same]
        found = []
        for source in self.sources:
            places, texts = source.local(np.ascontiguousarray(table[:, 2]))
            found.append((texts, np.ascontiguousarray(table[places, 1]), until[places]))
        return tuple(found)

    @cached_property
    def _owners(self) -> tuple[Ints, Ints]:
        table = np.array(self._connection.execute("SELECT id, doc FROM ent ORDER BY id").fetchall(), np.int64)
        table = table.reshape(-1, 2)
        return table[:, 0], table[:, 1]

    @cached_property
    def _doc_numbers(self) -> dict[str, int]:
        return dict(self._connection.execute("SELECT key, id FROM doc").fetchall())


def count_tokens(connection: sqlite3.Connection, entry: int) -> list[str]:
    """The tokens of a text of the full-text table, title and body, from what is stored."""
    body, title = connection.execute(
        "SELECT t.body, e.title FROM ent e JOIN txt t ON t.id = e.txt WHERE e.id = ?", (entry,)
    ).fetchone()
    return fold_words(body) + fold_words(title)


def _tail(connection: sqlite3.Connection, known: _Counted) -> _Counted:
    counted: _Counted = {}
    for (entry,) in connection.execute("SELECT id FROM ent WHERE part = 0 ORDER BY id").fetchall():
        found = known.get(entry)
        if found is None:
            words = count_tokens(connection, entry)
            found = len(words), Counter(words)
        counted[entry] = found
    return counted


def _postings(pairs: Iterable[tuple[int, int]]) -> Postings | None:
    table = np.array(list(pairs), np.int64).reshape(-1, 2)
    return Postings(table[:, 0], table[:, 1]) if len(table) else None


def _numbers(rows: sqlite3.Cursor) -> Ints:
    return np.fromiter((row[0] for row in rows), np.int64)


def _mask(source: Source, entries: Ints) -> Bools:
    mask = np.zeros(source.docs, bool)
    mask[source.local(entries)[1]] = True
    return mask
