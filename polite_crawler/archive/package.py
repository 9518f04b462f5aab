"""Reading a WACZ package: its parts within bounds, and whether its description and its signature hold."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from polite_crawler.archive.wacz import ARCHIVE

ENTRIES = 100_000
"""A package with more members than this is not read."""
SMALL_PART = 1 << 24
"""Octets of a member that is read whole."""

_CHUNK = 1 << 20
_BOMB_FROM = 1 << 26
_BOMB_RATIO = 200
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_END_OF_ZIP, _END_SIZE = b"PK\x05\x06", 22
_END_WITHIN = 1 << 17
_ENCRYPTED = 1
_WARC = (".warc", ".warc.gz", ".arc", ".arc.gz", ".warc.zst")

UNREADABLE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OverflowError, RuntimeError, ValueError,
)  # fmt: skip
"""What zipfile raises for members that are damaged, encrypted or packed in a way it does not know."""


def is_bomb(packed: int, unpacked: int) -> bool:
    """Whether so many octets unpack to far more than text does."""
    return unpacked > _BOMB_FROM and unpacked > _BOMB_RATIO * max(packed, 1)


class PackageError(ValueError):
    """The file is no ZIP that can be read; the message says why."""


class Package:
    """An open package. Nothing of it is ever unpacked to a name."""

    def __init__(self, path: Path) -> None:
        """Raises PackageError, and OSError."""
        self._file = path.open("rb")
        try:
            self._zip = zipfile.ZipFile(self._file)
        except UNREADABLE as error:
            self._file.close()
            raise PackageError(f"no ZIP file ({error})") from None
        self.entries: dict[str, zipfile.ZipInfo] = {}
        self.doubles: list[str] = []
        if len(self._zip.infolist()) > ENTRIES:
            self.close()
            raise PackageError(f"more than {ENTRIES} members")
        for entry in self._zip.infolist():
            if entry.is_dir():
                continue
            if entry.filename in self.entries:
                self.doubles.append(entry.filename)
            self.entries.setdefault(entry.filename, entry)

    def __enter__(self) -> "Package":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._zip.close()
        self._file.close()

    @property
    def tail(self) -> int:
        """Octets behind the end record of the ZIP and its comment."""
        size = self._file.seek(0, io.SEEK_END)
        self._file.seek(max(0, size - _END_WITHIN))
        last = self._file.read()
        at = last.rfind(_END_OF_ZIP)
        if at < 0:
            return 0
        return max(0, len(last) - at - _END_SIZE - len(self._zip.comment))

    def archives(self) -> list[str]:
        """The WARC and ARC files, sorted."""
        return sorted(name for name in self.entries if name.startswith(ARCHIVE) and name.lower().endswith(_WARC))

    def refusal(self, name: str) -> str | None:
        """Why a member is not read: it is encrypted, or unpacks to far more than a package holds. None when it is."""
        entry = self.entries[name]
        if entry.flag_bits & _ENCRYPTED:
            return "it is encrypted"
        if is_bomb(entry.compress_size, entry.file_size):
            return f"{entry.compress_size} octets unpack to {entry.file_size}"
        return None

    def small(self, name: str) -> bytes | None:
        """The octets of a small member, or None when it is not there, too large or damaged."""
        entry = self.entries.get(name)
        if entry is None or entry.file_size > SMALL_PART or self.refusal(name):
            return None
        try:
            return self._zip.read(entry)
        except UNREADABLE:
            return None

    def chunks(self, name: str) -> Iterator[bytes]:
        """The octets of a member in pieces, its CRC-32 checked at the end. Raises what UNREADABLE lists."""
        with self._zip.open(self.entries[name]) as member:
            while octets := member.read(_CHUNK):
                yield octets

    @contextmanager
    def seekable(self, name: str) -> Iterator[BinaryIO]:
        """A member that can be read at any offset: a stored one in its place, another one unpacked to a file without
        a name. Raises what UNREADABLE lists."""
        entry = self.entries[name]
        if entry.compress_type == zipfile.ZIP_STORED:
            with io.BufferedReader(_Slice(self._file, self._start_of(entry), entry.compress_size)) as stored:
                yield stored
            return
        with TemporaryFile() as unpacked:
            for octets in self.chunks(name):
                unpacked.write(octets)
            unpacked.seek(0)
            yield unpacked

    def _start_of(self, entry: zipfile.ZipInfo) -> int:
        self._file.seek(entry.header_offset)
        header = self._file.read(_LOCAL_HEADER.size)
        if len(header) < _LOCAL_HEADER.size or not header.startswith(b"PK\x03\x04"):
            raise zipfile.BadZipFile("no local header")
        _, name, extra = _LOCAL_HEADER.unpack(header)
        return entry.header_offset + _LOCAL_HEADER.size + int(name) + int(extra)


class _Slice(io.RawIOBase):
    """A part of a file as a file. It keeps its own place."""

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        self._source = file
        self._start = start
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: Any) -> int:
        self._source.seek(self._start + self._at)
        octets = self._source.read(max(0, min(len(buffer), self._size - self._at)))
        buffer[: len(octets)] = octets
        self._at += len(octets)
        return len(octets)
