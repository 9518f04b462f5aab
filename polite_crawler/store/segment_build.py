"""Building segments: from the full-text table by streaming, from texts, and from other segments."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from polite_crawler.store.arrays import Ints
from polite_crawler.store.postings import Segment, SegmentWriter, blocks

_BLOCK = 1 << 21
"""Postings in the memory at one time, about."""


@dataclass(frozen=True, slots=True)
class Part:
    """A segment to write: where, and the texts that go into it (numbers of the full-text table, rising)."""

    folder: Path
    entries: Ints
    lengths: Ints

    def writer(self) -> SegmentWriter:
        """The writer of the segment."""
        return SegmentWriter(self.folder, self.entries, self.lengths)


@dataclass(frozen=True, slots=True)
class _Block:
    """Terms in their sequence with the postings of each: term number, text number and count, sorted by the two."""

    terms: list[bytes]
    numbers: Ints
    entries: Ints
    counts: Ints


def build_from_table(connection: sqlite3.Connection, parts: Sequence[Part]) -> None:
    """Write segments from all postings of the full-text table `f`, in one pass over its vocabulary."""
    _write(parts, _table_blocks(connection))


def build_from_texts(texts: Iterable[tuple[int, Sequence[str]]], parts: Sequence[Part]) -> None:
    """Write segments from the tokens of texts, few enough for the memory: (number in the full-text table, tokens)."""
    entries: list[int] = []
    counted: list[Counter[str]] = []
    for entry, tokens in texts:
        entries.append(entry)
        counted.append(Counter(tokens))
    terms = sorted(set().union(*counted))  # by code point, which is the sequence of their UTF-8 bytes
    if not terms:
        _write(parts, [])
        return
    rank = {term: at for at, term in enumerate(terms)}
    sizes = np.fromiter(map(len, counted), np.int64, len(counted))
    total = int(sizes.sum())
    numbers = np.fromiter(map(rank.__getitem__, chain.from_iterable(counted)), np.int64, total)
    counts = np.fromiter(chain.from_iterable(one.values() for one in counted), np.int64, total)
    block = _sorted([term.encode() for term in terms], numbers, np.repeat(np.array(entries, np.int64), sizes), counts)
    _write(parts, [block])


def merge(segments: Sequence[Segment], parts: Sequence[Part]) -> None:
    """Write the postings of several small segments into others. All of them are in the memory at one time."""
    own = [segment.all_terms() for segment in segments]
    terms = sorted(set().union(*own))
    rank = {term: at for at, term in enumerate(terms)}
    numbers, entries, counts = [], [], []
    for segment, held in zip(segments, own, strict=True):
        every = segment.everything()
        numbers.append(np.repeat(np.fromiter(map(rank.__getitem__, held), np.int64, len(held)), every.sizes))
        entries.append(segment.entries.astype(np.int64)[every.postings.texts])
        counts.append(every.postings.counts)
    flat = np.concatenate(numbers), np.concatenate(entries), np.concatenate(counts)
    _write(parts, [_sorted(terms, *flat)] if terms else [])


def _sorted(terms: list[bytes], numbers: Ints, entries: Ints, counts: Ints) -> _Block:
    """The block of postings in any sequence."""
    # one key of two numbers sorts several times faster than two keys
    order = np.argsort(numbers * (int(entries.max(initial=0)) + 1) + entries)
    return _Block(terms, numbers[order], entries[order], counts[order])


def _write(parts: Sequence[Part], source: Iterable[_Block]) -> None:
    with ExitStack() as opened:
        shares = [
            (_places(part.entries), opened.enter_context(closing(part.writer()))) for part in parts if len(part.entries)
        ]
        for block in source:
            for places, writer in shares:
                _share(block, places, writer)
        for _, writer in shares:
            writer.finish()


def _places(entries: Ints) -> Ints:
    """The local number of each text by its number in the full-text table, -1 for others."""
    places = np.full(int(entries[-1]) + 1, -1, np.int64)
    places[entries] = np.arange(len(entries))
    return places


def _share(block: _Block, places: Ints, writer: SegmentWriter) -> None:
    """Give a writer the postings of a block that are of its texts."""
    at = places[np.minimum(block.entries, len(places) - 1)]
    own = (at >= 0) & (block.entries < len(places))
    numbers = block.numbers[own]
    sizes = np.bincount(numbers, minlength=len(block.terms))
    held = np.flatnonzero(sizes)
    writer.add([block.terms[number] for number in held], sizes[held], at[own], block.counts[own])


def _table_blocks(connection: sqlite3.Connection) -> Iterator[_Block]:
    """The vocabulary of `f`, term by term in the sequence of FTS5: sorted by term, text, column and position."""
    connection.execute("CREATE VIRTUAL TABLE temp.vocab_row USING fts5vocab(main, f, row)")
    connection.execute("CREATE VIRTUAL TABLE temp.vocab_instance USING fts5vocab(main, f, instance)")
    try:
        rows = connection.execute("SELECT term, cnt FROM temp.vocab_row").fetchall()
        sizes = np.fromiter((row[1] for row in rows), np.int64, len(rows))
        for start, end in blocks(sizes, _BLOCK):
            entries = _instances(connection, rows[start][0], rows[end - 1][0])
            numbers = np.repeat(np.arange(end - start), sizes[start:end])
            first = np.ones(len(entries), bool)
            step = np.diff(entries)
            first[1:] = (step != 0) | (np.diff(numbers) != 0)
            if len(entries) != len(numbers) or np.any(step[~first[1:]]) or np.any((step < 0) & (np.diff(numbers) == 0)):
                raise sqlite3.DatabaseError("the vocabulary of the full-text table has another sequence")
            at = np.flatnonzero(first)
            terms = [str(row[0]).encode() for row in rows[start:end]]
            yield _Block(terms, numbers[at], entries[at], np.diff(np.append(at, len(entries))))
    finally:
        connection.execute("DROP TABLE temp.vocab_row")
        connection.execute("DROP TABLE temp.vocab_instance")


def _instances(connection: sqlite3.Connection, first: str, last: str) -> Ints:
    """The text of each place of the terms of a range. One long string is three times faster than a row a place."""
    joined = connection.execute(
        "SELECT group_concat(doc) FROM temp.vocab_instance WHERE term >= ? AND term <= ?", (first, last)
    ).fetchone()[0]
    return np.fromstring(joined, np.int64, sep=",")
