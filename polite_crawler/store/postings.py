"""A segment: the immutable postings of a set of texts, in files that processes map and share.

For each term (sorted by its UTF-8 bytes) the texts that hold it and how often. Texts have local numbers, 0 to
`docs` - 1, in the sequence of their numbers in the full-text table. `segment.json` names each file with its size and
its CRC-32.
"""

import json
import mmap
import os
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from polite_crawler.store.arrays import Anys, Ints
from polite_crawler.store.faults import DamagedSegment
from polite_crawler.store.folder import sync_folder

_DESCRIPTION = "segment.json"
_FORMAT = 1
_FEW = 1 << 16
_COMMON = 255


@dataclass(frozen=True, slots=True)
class Postings:
    """The texts that hold a term or a phrase, by local number in rising sequence, and how often each does."""

    texts: Ints
    counts: Ints


@dataclass(frozen=True, slots=True)
class Everything:
    """All postings of a segment, term after term; `sizes` says how many each term has."""

    sizes: Ints
    postings: Postings


class Segment:
    """An open segment. Its arrays are views of mapped files."""

    def __init__(self, folder: Path) -> None:
        """Open a segment. Raises DamagedSegment when a file is missing or has another size."""
        self.folder = folder
        description = _description(folder)
        self.docs = int(description["docs"])
        self._files: dict[str, dict[str, int | str]] = description["files"]
        self.entries: Ints = self._array("entries")
        self.lengths: Ints = self._array("lengths")
        self._ids: Ints = self._array("ids")
        self._counts: Ints = self._array("counts")
        self._offsets: Ints = self._array("offsets")
        self._big_at: Ints = self._array("big_at")
        self._big: Ints = self._array("big")
        self._term_ends: Ints = self._array("term_ends")
        self._terms = self._map("terms")

    @property
    def terms(self) -> int:
        """The number of different terms."""
        return len(self._term_ends)

    def term(self, number: int) -> bytes:
        """A term by its place in the sorted list."""
        start = int(self._term_ends[number - 1]) if number else 0
        return self._terms[start : int(self._term_ends[number])]

    def all_terms(self) -> list[bytes]:
        """All terms, sorted by their UTF-8 bytes: for small segments."""
        data, ends = bytes(self._terms[:]), self._term_ends.tolist()
        return [data[start:end] for start, end in pairwise([0, *ends])]

    def postings(self, token: bytes) -> Postings | None:
        """The postings of one term, or None."""
        number = bisect_left(range(self.terms), token, key=self.term)
        if number == self.terms or self.term(number) != token:
            return None
        return self.postings_at(number)

    def postings_at(self, number: int) -> Postings:
        """The postings of a term by its place in the sorted list."""
        return self._slice(int(self._offsets[number]), int(self._offsets[number + 1]))

    def prefix_postings(self, prefix: bytes) -> Postings | None:
        """The postings of all terms that begin with a prefix, their counts added up; None when there is none."""
        places = range(self.terms)
        first = bisect_left(places, prefix, key=self.term)
        # no byte of UTF-8 is 0xff, so this sorts behind each term with the prefix
        last = bisect_right(places, prefix + b"\xff", lo=first, key=self.term)
        if first == last:
            return None
        found = self._slice(int(self._offsets[first]), int(self._offsets[last]))
        if last - first == 1:
            return found
        sums = np.bincount(found.texts, weights=found.counts, minlength=self.docs)
        texts = np.flatnonzero(sums)
        return Postings(texts, sums[texts].astype(np.int64))

    def everything(self) -> Everything:
        """All postings at one time: for small segments."""
        offsets = self._offsets.astype(np.int64)
        return Everything(np.diff(offsets), self._slice(0, int(offsets[-1])))

    def local(self, entries: Ints) -> tuple[Ints, Ints]:
        """Which of these numbers of the full-text table are in the segment: their places in the argument, and their
        local numbers."""
        if not self.docs or not len(entries):
            return np.empty(0, np.int64), np.empty(0, np.int64)
        at = np.searchsorted(self.entries, entries)
        at[at == self.docs] = 0
        places = np.flatnonzero(self.entries[at] == entries)
        return places, at[places]

    def check(self) -> None:
        """Read each file and compare its CRC-32. Raises DamagedSegment."""
        for name, facts in self._files.items():
            with (self.folder / name).open("rb") as file:
                crc = 0
                while part := file.read(1 << 20):
                    crc = zlib.crc32(part, crc)
            if crc != facts["crc32"]:
                raise DamagedSegment(f"the file {self.folder.name}/{name} of the index is damaged")

    @cached_property
    def octets(self) -> int:
        """The size of its files, in bytes."""
        return sum(int(facts["size"]) for facts in self._files.values())

    def _slice(self, start: int, end: int) -> Postings:
        counts = self._counts[start:end].astype(np.int64)
        if len(self._big_at):
            low, high = np.searchsorted(self._big_at, (start, end))
            if low < high:
                counts[self._big_at[low:high] - start] = self._big[low:high]
        return Postings(self._ids[start:end].astype(np.int64), counts)

    def _array(self, name: str) -> Anys:
        return np.frombuffer(self._map(name), dtype=str(self._files[name]["type"]))

    def _map(self, name: str) -> bytes | mmap.mmap:
        facts = self._files[name]
        path = self.folder / name
        try:
            size = path.stat().st_size
            if size != facts["size"]:
                raise DamagedSegment(f"the file {self.folder.name}/{name} of the index has {size} bytes")
            if not size:
                return b""
            with path.open("rb") as file:
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError:
            raise DamagedSegment(f"the file {self.folder.name}/{name} of the index is missing") from None


class SegmentWriter:
    """Writes a segment term by term, or block by block; the memory it needs does not grow with the postings."""

    def __init__(self, folder: Path, entries: Ints, lengths: Ints) -> None:
        """Begin a segment of texts (their numbers in the full-text table, rising) with their lengths in tokens."""
        folder.mkdir()
        self.folder = folder
        self._docs = len(entries)
        self._entries, self._lengths = entries, lengths
        self._id_type = "<u2" if self._docs <= _FEW else "<u4"
        self._files = {name: _File(folder / name) for name in ("ids", "counts", "terms", "term_ends", "offsets")}
        self._big_at: list[Ints] = []
        self._big: list[Ints] = []
        self._postings = 0
        self._octets = 0
        self._files["offsets"].write(np.zeros(1, "<i8"))

    def add(self, terms: Sequence[bytes], sizes: Ints, texts: Ints, counts: Ints) -> None:
        """Append terms, which sort behind all terms before. `sizes` says how many of the postings (`texts` and
        `counts`) each term has, at least one."""
        big = np.flatnonzero(counts > _COMMON)
        if len(big):
            self._big_at.append(big + self._postings)
            self._big.append(counts[big])
        lengths = np.fromiter(map(len, terms), np.int64, len(terms))
        self._files["terms"].write(b"".join(terms))
        self._files["ids"].write(texts.astype(self._id_type))
        self._files["counts"].write(np.minimum(counts, _COMMON).astype("u1"))
        self._files["term_ends"].write((self._octets + np.cumsum(lengths)).astype("<i8"))
        self._files["offsets"].write((self._postings + np.cumsum(sizes)).astype("<i8"))
        self._octets += int(lengths.sum())
        self._postings += len(texts)

    def finish(self) -> Path:
        """Write what is left and make all durable."""
        empty = [np.empty(0, np.int64)]
        for name, kind, values in (
            ("entries", "<i8", self._entries),
            ("lengths", "<u4", self._lengths),
            ("big_at", "<i8", np.concatenate(self._big_at or empty)),
            ("big", "<i8", np.concatenate(self._big or empty)),
        ):
            self._files[name] = _File(self.folder / name)
            self._files[name].write(values.astype(kind))
        types = {"ids": self._id_type, "counts": "u1", "term_ends": "<i8", "offsets": "<i8", "lengths": "<u4"}
        described = {
            name: {"type": types.get(name, "u1" if name == "terms" else "<i8"), **file.finish()}
            for name, file in self._files.items()
        }
        with (self.folder / _DESCRIPTION).open("w", encoding="ascii") as out:
            json.dump({"format": _FORMAT, "docs": self._docs, "files": described}, out)
            out.flush()
            os.fsync(out.fileno())
        sync_folder(self.folder)
        sync_folder(self.folder.parent)
        return self.folder

    def close(self) -> None:
        """Close the files. What was not finished is no segment, and is removed with its generation."""
        for file in self._files.values():
            file.close()


class _File:
    def __init__(self, path: Path) -> None:
        self._out: BinaryIO = path.open("wb", buffering=1 << 18)
        self._crc = 0
        self._size = 0

    def write(self, data: "bytes | Anys") -> None:
        octets = data if isinstance(data, bytes) else data.tobytes()
        self._crc = zlib.crc32(octets, self._crc)
        self._size += len(octets)
        self._out.write(octets)

    def finish(self) -> dict[str, int]:
        self._out.flush()
        os.fsync(self._out.fileno())
        self._out.close()
        return {"size": self._size, "crc32": self._crc}

    def close(self) -> None:
        with suppress(OSError):
            self._out.close()


def blocks(sizes: Ints, limit: int) -> Iterator[tuple[int, int]]:
    """Ranges of terms whose postings are together about `limit`."""
    ends = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        before = int(ends[start - 1]) if start else 0
        end = max(int(np.searchsorted(ends, before + limit, side="right")), start + 1)
        yield start, end
        start = end


def _description(folder: Path) -> dict[str, Any]:
    try:
        value = json.loads((folder / _DESCRIPTION).read_bytes())
    except (OSError, ValueError) as error:
        raise DamagedSegment(f"the segment {folder.name} of the index does not open: {error}") from None
    if not isinstance(value, dict) or value.get("format") != _FORMAT:
        raise DamagedSegment(f"the segment {folder.name} of the index has another format")
    return value
