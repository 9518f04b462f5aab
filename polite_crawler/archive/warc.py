"""WARC files: records as gzip members one behind the other, in files of about 1 GB."""

import hashlib
from typing import Protocol

from polite_crawler.archive.cdx import Place
from polite_crawler.archive.records import Record, warcinfo, warcinfo_id
from polite_crawler.archive.wacz import Writes
from polite_crawler.store.record import Capture

PART_SIZE = 1_000_000_000
"""A file that has this many octets takes no further capture."""


class Parts(Protocol):
    """Where the files go: into a folder, or into a package."""

    def begin(self, number: int) -> tuple[str, Writes]:
        """Begin the file of a number (from 0), and give its name."""
        ...

    def end(self) -> None:
        """End the file that was begun last."""
        ...


class WarcWriter:
    """Writes the records of captures. Each file begins with a warcinfo record."""

    def __init__(self, parts: Parts, *, software: str, description: str, part_size: int = PART_SIZE) -> None:
        self._parts = parts
        self._software = software
        self._description = description
        self._part_size = part_size
        self._number = -1
        self._name = ""
        self._target: Writes | None = None
        self._offset = 0
        self.info = ""
        self.records = 0

    def begin(self, capture: Capture) -> None:
        """Make room for the records of a capture, which stay in one file. `info` names its warcinfo record."""
        if self._target is not None and self._offset < self._part_size:
            return
        self.end()
        self._number += 1
        self._name, self._target = self._parts.begin(self._number)
        self._offset = 0
        self.info = warcinfo_id(capture, self._number)
        self.write(warcinfo(capture, self._number, software=self._software, description=self._description))

    def write(self, record: Record) -> None:
        """Write a record behind the last one."""
        assert self._target is not None
        for piece in record.member():
            self._target.write(piece)
            self._offset += len(piece)
        self.records += 1

    def place(self, record: Record) -> Place:
        """Write a record behind the last one, and say where it stands."""
        assert self._target is not None
        pieces = record.member()
        digest = hashlib.sha256()
        offset = self._offset
        for piece in pieces:
            self._target.write(piece)
            digest.update(piece)
            self._offset += len(piece)
        self.records += 1
        return Place(self._name, offset, self._offset - offset, digest.hexdigest())

    def end(self) -> None:
        """End the file."""
        if self._target is not None:
            self._target = None
            self._parts.end()
