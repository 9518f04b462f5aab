"""The lines of the log as the leaves of a tree that only grows.

A leaf is a line without its newline, without scope and labels, which the operator may change and which never leave
the store. Torn and damaged lines are none. The order is that of the seals: what one seal covered stands before what
the next one did, and within it file by file. So a clock that went back, and with it a line in an older month file,
changes nothing that was sealed.
"""

from array import array
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from polite_crawler.archive.merkle import HASH_SIZE, Leaves, leaf_hash
from polite_crawler.archive.records import public_line
from polite_crawler.errors import StoreError
from polite_crawler.store.log import CaptureLog


@dataclass(frozen=True, slots=True)
class Seal:
    """What a seal line says: the size and the root of the tree, and how far each month file was covered."""

    size: int
    root: bytes
    files: Mapping[str, int]


@dataclass(slots=True)
class _File:
    """The lines of one month file: their offsets, and their leaf hashes one behind the other."""

    offsets: "array[int]" = field(default_factory=lambda: array("Q"))
    hashes: bytearray = field(default_factory=bytearray)


@dataclass(frozen=True, slots=True)
class Ledger:
    """The tree of a log. `index` is the leaf of the wanted capture, or None; `ends` says how far each file was read;
    `fresh` counts the unsealed lines that are no seals."""

    leaves: Leaves
    seals: tuple[Seal, ...]
    ends: Mapping[str, int]
    fresh: int
    index: int | None


def read_ledger(log: CaptureLog, *, find: str | None = None) -> Ledger:
    """Read the whole log. `find` is the id of a capture whose leaf is wanted.

    Raises StoreError when a sealed part of the log is not what it was.
    """
    files: dict[str, _File] = {}
    seals: list[Seal] = []
    place: tuple[str, int] | None = None
    others: dict[str, list[int]] = {}
    scan = log.scan()
    for position, capture in scan:
        file = files.setdefault(position.file, _File())
        file.offsets.append(position.offset)
        file.hashes += leaf_hash(public_line(capture))
        if capture.id == find and place is None:
            place = position.file, position.offset
        if capture.kind == "seal" and (seal := _seal_of(capture.source or {})):
            seals.append(seal)
        else:
            others.setdefault(position.file, []).append(position.offset)
    seals.sort(key=lambda one: one.size)
    return _ordered(files, seals, dict(scan.offsets), place, others)


def _ordered(
    files: Mapping[str, _File],
    seals: list[Seal],
    ends: dict[str, int],
    place: tuple[str, int] | None,
    others: Mapping[str, list[int]],
) -> Ledger:
    leaves = Leaves()
    index: int | None = None
    covered: dict[str, int] = {}
    for until in (*(seal.files for seal in seals), ends):
        for name in sorted(files):
            start, end = covered.get(name, 0), until.get(name, 0)
            file = files[name]
            first, behind = bisect_left(file.offsets, start), bisect_left(file.offsets, end)
            if place is not None and place[0] == name and start <= place[1] < end:
                index = len(leaves) + bisect_left(file.offsets, place[1]) - first
            leaves.extend(file.hashes[first * HASH_SIZE : behind * HASH_SIZE])
            covered[name] = max(start, end)
    whole = [seal for seal in seals if seal.size <= len(leaves)]
    for seal, root in zip(whole, leaves.roots(seal.size for seal in whole), strict=True):
        if root != seal.root:
            raise _changed(seal)
    if len(whole) < len(seals):
        raise _changed(seals[-1])
    last = seals[-1].files if seals else {}
    fresh = sum(offset >= last.get(name, 0) for name, offsets in others.items() for offset in offsets)
    return Ledger(leaves, tuple(seals), ends, fresh, index)


def _changed(seal: Seal) -> StoreError:
    return StoreError(f"the log is not what it was: its first {seal.size} sealed lines have another root")


def _seal_of(source: Mapping[str, Any]) -> Seal | None:
    try:
        files = {str(name): int(end) for name, end in source["files"].items()}
        return Seal(int(source["size"]), bytes.fromhex(source["root"]), files)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


__all__ = ["Ledger", "Seal", "read_ledger"]
