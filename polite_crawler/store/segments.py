"""The care of the segments of one generation: new texts go into small segments, small ones are merged, and texts that
are no longer current move to the history.

Files are written beside and then named in the database, in one transaction that looks whether the segments which they
replace are still there. So a killed process leaves files that nobody names, and readers never miss a text.
"""

import fcntl
import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from polite_crawler.store.arrays import Ints
from polite_crawler.store.postings import Segment
from polite_crawler.store.rank_state import CURRENT, HISTORY, count_tokens
from polite_crawler.store.segment_build import Part, build_from_table, build_from_texts, merge

TAIL = 512
"""Texts. When as many are in no segment, they get one."""

_MERGED = 4
_LARGE = 1 << 14
_MOST = 24
_FOLDER = "segments"


def folder_of(generation: Path) -> Path:
    """The folder of the segments of a generation."""
    return generation / _FOLDER


def maintain(
    connection: sqlite3.Connection, generation: Path, *, tail: int = TAIL, words: Mapping[int, list[str]] | None = None
) -> bool:
    """Write and merge segments where it is due. True when it changed some; another process that does it wins.

    `words` are the tokens of texts that the caller knows already.
    """
    with _lock(generation) as own:
        if not own:
            return False
        changed = False
        waiting = connection.execute("SELECT count(*) FROM ent WHERE part = 0").fetchone()[0]
        if waiting >= tail:
            # many at one time (a catch-up after a long crawl) do not fit in the memory
            if waiting > _LARGE // 4:
                _build(connection, generation)
            else:
                _store_tail(connection, generation, words or {})
            changed = True
        while names := _due(connection):
            _merge(connection, generation, names)
            changed = True
        if _is_scattered(connection):
            _build(connection, generation)
            changed = True
        return changed


def build(connection: sqlite3.Connection, generation: Path) -> None:
    """Write all segments anew, from the full-text table: one of the current texts and one of the history."""
    with _lock(generation, wait=True):
        _build(connection, generation)


def check(connection: sqlite3.Connection, generation: Path) -> list[str]:
    """What is wrong with the files of the segments, one line each."""
    faults = []
    for (name,) in connection.execute("SELECT name FROM seg ORDER BY name").fetchall():
        try:
            Segment(folder_of(generation) / name).check()
        except OSError as error:
            faults.append(str(error))
    return faults


def _build(connection: sqlite3.Connection, generation: Path) -> None:
    rows = connection.execute("SELECT id, len, live FROM ent ORDER BY id").fetchall()
    old = [row[0] for row in connection.execute("SELECT name FROM seg").fetchall()]
    parts = _parts(connection, generation, np.array(rows, np.int64).reshape(-1, 3))
    build_from_table(connection, [part for part, _ in parts])
    _register(connection, generation, parts, old)


def _store_tail(connection: sqlite3.Connection, generation: Path, words: Mapping[int, list[str]]) -> None:
    rows = connection.execute("SELECT id, len, live FROM ent WHERE part = 0 ORDER BY id").fetchall()
    parts = _parts(connection, generation, np.array(rows, np.int64).reshape(-1, 3))
    texts = ((row[0], words.get(row[0]) or count_tokens(connection, row[0])) for row in rows)
    build_from_texts(texts, [part for part, _ in parts])
    _register(connection, generation, parts, [])


def _merge(connection: sqlite3.Connection, generation: Path, names: Sequence[str]) -> None:
    segments = [Segment(folder_of(generation) / name) for name in names]
    entries = np.sort(np.concatenate([segment.entries for segment in segments]))
    rows = [
        connection.execute("SELECT id, len, live FROM ent WHERE id = ?", (int(entry),)).fetchone() for entry in entries
    ]
    parts = _parts(connection, generation, np.array(rows, np.int64).reshape(-1, 3))
    merge(segments, [part for part, _ in parts])
    _register(connection, generation, parts, names)


def _parts(connection: sqlite3.Connection, generation: Path, table: Ints) -> list[tuple[Part, int]]:
    """The segments to write for (number, length, live) rows: the live texts, and the others."""
    folder = folder_of(generation)
    folder.mkdir(exist_ok=True)
    used = [int(name) for name in _names(folder)]
    number = max(used, default=0) + 1
    parts = []
    for part, rows in ((CURRENT, table[table[:, 2] == 1]), (HISTORY, table[table[:, 2] == 0])):
        if len(rows):
            parts.append((Part(folder / f"{number:08d}", rows[:, 0].copy(), rows[:, 1].copy()), part))
            number += 1
    return parts


def _register(
    connection: sqlite3.Connection, generation: Path, parts: Sequence[tuple[Part, int]], replaced: Sequence[str]
) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        for part, number in parts:
            connection.execute("INSERT INTO seg VALUES(?,?,?)", (part.folder.name, number, len(part.entries)))
            connection.executemany(
                "UPDATE ent SET part = ? WHERE id = ? AND part IS NOT ?",
                ((number, entry, number) for entry in part.entries.tolist()),
            )
        connection.executemany("DELETE FROM seg WHERE name = ?", ((name,) for name in replaced))
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    named = {row[0] for row in connection.execute("SELECT name FROM seg").fetchall()}
    for name in _names(folder_of(generation)):
        if name not in named:
            shutil.rmtree(folder_of(generation) / name, ignore_errors=True)


def _due(connection: sqlite3.Connection) -> list[str]:
    """Small segments of about one size, when there are enough of them to merge."""
    rows = connection.execute("SELECT name, part, docs FROM seg WHERE docs <= ? ORDER BY name", (_LARGE // 4,))
    tiers: dict[tuple[int, int], list[str]] = {}
    for name, part, docs in rows.fetchall():
        tiers.setdefault((part, (docs - 1).bit_length() // 2), []).append(name)
    return next((names for names in tiers.values() if len(names) >= _MERGED), [])


def _is_scattered(connection: sqlite3.Connection) -> bool:
    """Whether so many segments, or so many texts in the wrong part, are there that a new build pays."""
    segments, texts = connection.execute("SELECT count(*), coalesce(sum(docs), 0) FROM seg WHERE part = 1").fetchone()
    dead = connection.execute("SELECT count(*) FROM ent WHERE part = 1 AND live = 0").fetchone()[0]
    back = connection.execute("SELECT count(*) FROM ent WHERE part = 2 AND live = 1").fetchone()[0]
    return bool(segments > _MOST or dead + back > max(4 * TAIL, texts // 3))


def _names(folder: Path) -> Iterator[str]:
    return (path.name for path in folder.glob("[0-9]*") if path.name.isdigit())


@contextmanager
def _lock(generation: Path, *, wait: bool = False) -> Iterator[bool]:
    """The right to change the segments of a generation: one process at a time. Yields False when another has it."""
    try:
        fd = os.open(generation / "segments.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except FileNotFoundError:
        yield False  # the generation was replaced
        return
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(fd)


__all__ = ["TAIL", "build", "check", "folder_of", "maintain"]
