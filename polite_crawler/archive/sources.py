"""The octets of an archive file, unit by unit: a gzip member, a Zstandard frame, or the whole of a plain file.

A unit never grows past a bound in memory, whatever its header claims. A damaged unit ends early and says why; the next
one is looked for behind it.
"""

import re
import zlib
from abc import ABC, abstractmethod
from importlib import import_module
from io import SEEK_CUR
from typing import Any, BinaryIO, Protocol

from polite_crawler.archive.arc import is_arc_line

GZIP = b"\x1f\x8b\x08"
ZSTD = b"\x28\xb5\x2f\xfd"
LZ4 = b"\x04\x22\x4d\x18"

_BEGINNING = b"WARC/"
_CHUNK = 1 << 16
_BOMB_FROM = 1 << 28
_BOMB_RATIO = 200
_PROBE = 1 << 12
_ZSTD_DICTIONARY = b"\x5d\x2a\x4d\x18"
_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18(.{4})", re.S)
_LARGEST_DICTIONARY = 1 << 24


class Source(Protocol):
    """A file as a sequence of units. `fault` says why the unit ended early, `end` is the offset behind the octets that
    were used so far; `whole` is true for a file that is one unit, `ended` once the file has no more octets for it, and
    `bomb` once far more octets came out than any archive holds."""

    fault: str | None
    end: int
    whole: bool
    ended: bool
    bomb: bool

    def begin(self) -> int | None:
        """Go to the next unit and give its offset; None at the end of the file. Behind a unit that is damaged or was
        not read to its end, the next one is found by its first octets."""
        ...

    def read(self, size: int) -> bytes:
        """At most so many octets of the unit; none at its end."""
        ...

    def join(self) -> int | None:
        """Take the unit behind this one as its continuation, when no record begins there; its offset, or None."""
        ...


class Plain:
    """A file that is not compressed, so one can go back in it."""

    whole = True
    bomb = False

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._begun = False
        self.fault: str | None = None
        self.end = 0
        self.ended = False

    def begin(self) -> int | None:
        """The file itself, one time."""
        if self._begun:
            return None
        self._begun = True
        return 0

    def read(self, size: int) -> bytes:
        """The next octets."""
        octets = self._file.read(size)
        self.end += len(octets)
        self.ended = not octets
        return octets

    def join(self) -> int | None:
        """Nothing is behind the file."""
        return None

    def rewind(self, offset: int) -> None:
        """Go back in the file."""
        self._file.seek(offset)
        self.end, self.ended = offset, False


class _Unpacker(Protocol):
    """One compressed unit. `rest` are the octets that were given and not used; it takes more while it is `hungry`."""

    eof: bool
    hungry: bool
    rest: bytes

    def unpack(self, octets: bytes, size: int) -> bytes: ...


class _Gunzip:
    hungry = True

    def __init__(self) -> None:
        self._unpacker = zlib.decompressobj(31)
        self.eof = False
        self.rest = b""

    def unpack(self, octets: bytes, size: int) -> bytes:
        out = self._unpacker.decompress(octets, size)
        self.eof = self._unpacker.eof
        self.rest = self._unpacker.unused_data if self.eof else self._unpacker.unconsumed_tail
        return out


class _Unzstd:
    def __init__(self, module: Any, dictionary: Any) -> None:
        self._unpacker = module.ZstdDecompressor(dictionary) if dictionary is not None else module.ZstdDecompressor()
        self.eof = False
        self.hungry = True
        self.rest = b""

    def unpack(self, octets: bytes, size: int) -> bytes:
        out: bytes = self._unpacker.decompress(octets, size)
        self.eof = self._unpacker.eof
        self.hungry = self.eof or self._unpacker.needs_input
        self.rest = self._unpacker.unused_data if self.eof else b""
        return out


class _Packed(ABC):
    """What gzip and Zstandard files have in common."""

    whole = False
    _name = ""
    _magic = b""
    _errors: tuple[type[Exception], ...] = ()

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._held = b""
        self._offset = 0  # of the first held octet
        self._start = 0
        self._unit: _Unpacker | None = None
        self._lost = False
        self._unpacked = 0
        self.bomb = False
        self.fault: str | None = None
        self.end = 0
        self.ended = False

    def begin(self) -> int | None:
        """The next unit. What stands between units and is none comes as an empty unit with a fault."""
        if self._lost or self._unit is not None:
            self._file.seek(self._start + 1)
            self._held, self._offset = b"", self._start + 1
            self._find_unit()
        self._lost, self._unit = False, None
        self._start = self._offset
        self.fault = self._pass_over()
        if self.fault is not None:
            self.end = self._offset
            return self._start
        self._fill(len(self._magic))
        if not self._held:
            return None
        self._start = self._offset
        if self._held.startswith(self._magic):
            self._unit = self._unpacker()
        else:
            self._find_unit()
            self.fault = f"{self._offset - self._start} octets that are no {self._name}"
            self.end = self._offset
        return self._start

    def read(self, size: int) -> bytes:
        """The next octets of the unit."""
        while self._unit is not None:
            if self._unit.hungry:
                self._fill(1)
            ended = not self._held
            before = len(self._held)
            try:
                out = self._unit.unpack(self._held, size)
            except self._errors as error:
                self._fail(f"a damaged {self._name} ({error})")
                return b""
            self._held = self._unit.rest
            self._offset += before - len(self._held)
            self.end = self._offset
            self._unpacked += len(out)
            self.bomb = self._unpacked > max(_BOMB_FROM, _BOMB_RATIO * self._offset)
            if self._unit.eof:
                self._unit = None
            elif ended and not out:
                self.ended = True
                self._fail(f"the file ends inside a {self._name}")
            if out:
                return out
        return b""

    def join(self) -> int | None:
        """The next unit as the continuation of this one: tools that pack in blocks of one size cut records."""
        while self.fault is None and self._unit is None:
            self.fault = self._pass_over()
            self._fill(_PROBE)
            first = self._first_of(0) if self._held.startswith(self._magic) else None
            if first is None or first.lstrip(b"\r\n").startswith(_BEGINNING) or is_arc_line(_first_line(first)):
                return None
            self._start = self._offset
            self._unit = self._unpacker()
            if not first:
                self.read(1)  # an empty unit continues nothing
        return self._start if self.fault is None else None

    @abstractmethod
    def _unpacker(self) -> _Unpacker:
        """What unpacks the next unit."""

    @abstractmethod
    def _pass_over(self) -> str | None:
        """Go behind what stands between two units by right; a fault when the file ends in it."""

    def _fail(self, why: str) -> None:
        self.fault = why
        self._unit = None
        self._lost = True

    def _fill(self, least: int) -> bool:
        """Hold so many octets if the file has them; whether it has."""
        while len(self._held) < least:
            octets = self._file.read(_CHUNK)
            if not octets:
                return False
            self._held += octets
        return True

    def _skip(self, size: int) -> bool:
        """Go on behind so many octets, of which few may be held. False when the file ends before them."""
        held = len(self._held)
        whole = size <= held
        if not whole:
            self._file.seek(size - held - 1, SEEK_CUR)
            whole = bool(self._file.read(1))
        self._held = self._held[size:]
        self._offset += size
        return whole

    def _take(self, size: int) -> None:
        self._held = self._held[size:]
        self._offset += size

    def _find_unit(self) -> None:
        """Go to the next octets that unpack to the beginning of a record, or to the end of the file."""
        at = 0
        while True:
            more = self._fill(at + _PROBE)
            at = self._held.find(self._magic, at)
            if at >= 0:
                self._fill(at + _PROBE)
                if self._is_unit(at):
                    self._take(at)
                    return
                at += 1
            elif more:
                self._take(len(self._held) - len(self._magic) + 1)
                at = 0
            else:
                self._take(len(self._held))
                return
            if at > _CHUNK:
                self._take(at)
                at = 0

    def _is_unit(self, at: int) -> bool:
        return (self._first_of(at) or b"").startswith(_BEGINNING)

    def _first_of(self, at: int) -> bytes | None:
        """The first octets of the unit at a place in what is held; None for no unit."""
        try:
            return self._unpacker().unpack(self._held[at : at + _PROBE], _PROBE)
        except self._errors:
            return None


def _first_line(octets: bytes) -> bytes:
    return octets[: octets.find(b"\n") + 1]


class Gzip(_Packed):
    """A file of gzip members."""

    _name = "gzip member"
    _magic = GZIP
    _errors = (zlib.error,)

    def _unpacker(self) -> _Unpacker:
        return _Gunzip()

    def _pass_over(self) -> str | None:
        """There is nothing between two members."""
        return None


class Zstandard(_Packed):
    """A file of Zstandard frames; the first may be a skippable frame with the dictionary of the others."""

    _name = "Zstandard frame"
    _magic = ZSTD

    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        try:
            self._module: Any = import_module("compression.zstd")
        except ImportError:
            self._module = import_module("backports.zstd")
        self._errors = (self._module.ZstdError,)
        self._dictionary = self._read_dictionary()

    def _unpacker(self) -> _Unpacker:
        return _Unzstd(self._module, self._dictionary)

    def _pass_over(self) -> str | None:
        while self._fill(8) and (found := _SKIPPABLE.match(self._held)):
            if not self._skip(8 + int.from_bytes(found[1], "little")):
                return "the file ends inside a skippable frame"
        return None

    def _read_dictionary(self) -> Any:
        self._fill(8)
        if not self._held.startswith(_ZSTD_DICTIONARY):
            return None
        size = int.from_bytes(self._held[4:8], "little")
        if size > _LARGEST_DICTIONARY:
            return None
        self._fill(8 + size)
        octets = self._held[8 : 8 + size]
        self._take(8 + size)
        try:
            if octets.startswith(ZSTD):
                octets = self._module.ZstdDecompressor().decompress(octets, _LARGEST_DICTIONARY)
            dictionary = self._module.ZstdDict(octets)
            self._module.ZstdDecompressor(dictionary)
            return dictionary
        except (ValueError, self._module.ZstdError):
            return None  # the frames that need it are damaged then


def source_of(file: BinaryIO) -> Source:
    """The source for a seekable file, by its first octets."""
    first = file.read(4)
    file.seek(0)
    if first.startswith(GZIP):
        return Gzip(file)
    if first == ZSTD or _SKIPPABLE.match(first + bytes(4)):
        return Zstandard(file)
    return Plain(file)
