"""The zip file that an office document or an e-book is: its parts as streams, within a bound for all of them.

Nothing is unpacked to a disk, and a name is never a path. What a damaged part held before its fault is given, with a
note. A file without its end (a body that was cut) is read by the headers before its parts.
"""

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from polite_crawler.readers.scrub import one_line

_CHUNK = 1 << 20
_INPUT = 1 << 16
_HEADER = b"PK\x03\x04"
_FIELDS = struct.Struct("<4s5H3I2H")
_ENCRYPTED, _SIZES_LATER = 1, 8
_STORED, _DEFLATED = 0, 8
_UNREADABLE = (zipfile.BadZipFile, NotImplementedError, OverflowError, ValueError, OSError, EOFError, struct.error)


@dataclass(frozen=True, slots=True)
class _Member:
    """One entry of the zip file. The checksum is None when only the end of the file would tell it."""

    offset: int
    size: int
    method: int
    flags: int
    crc: int | None


class Package:
    """The parts of a zip file by their names, whose case does not matter. `over` says that the bound was reached,
    `locked` that a part was asked for which needs a password, `sound` that the last part came whole.
    """

    def __init__(self, body: bytes, inflated: int) -> None:
        self.notes: list[str] = []
        self.over = False
        self.locked = False
        self.sound = False
        self._body = body
        self._left = inflated
        try:
            with zipfile.ZipFile(io.BytesIO(body)) as listed:
                self._members = {_key(info.filename): _listed(info) for info in listed.infolist()}
        except _UNREADABLE:
            self._members = _scan(body)
            self.notes.append("the file is damaged or cut: its parts are read as far as they came")

    def __contains__(self, name: str) -> bool:
        return _key(name) in self._members

    def read(self, name: str, most: int) -> bytes:
        """At most `most` octets of a part; empty when there is none."""
        out = bytearray()
        for chunk in self.chunks(name):
            out += chunk
            if len(out) > most:
                self.notes.append(f"cut: the part {_shown(name)} has more than {most} octets")
                break
        return bytes(out[:most])

    def chunks(self, name: str) -> Iterator[bytes]:
        """The octets of a part as they inflate. Never an error: a note says what is wrong with the part."""
        self.sound = False
        member = self._members.get(_key(name))
        if member is None:
            self.notes.append(f"the part {_shown(name)} is missing")
        elif member.flags & _ENCRYPTED:
            self.locked = True
            self.notes.append(f"the part {_shown(name)} needs a password")
        elif member.method not in (_STORED, _DEFLATED):
            self.notes.append(f"the part {_shown(name)} is packed by method {member.method}, which is not read")
        else:
            yield from self._bounded(name, member)

    def _bounded(self, name: str, member: _Member) -> Iterator[bytes]:
        """The octets up to the bound, with a look at the checksum."""
        crc = 0
        try:
            for piece in self._inflated(member):
                if len(piece) > self._left:
                    self.over = True
                    yield piece[: self._left]
                    self._left = 0
                    return
                self._left -= len(piece)
                crc = zlib.crc32(piece, crc)
                yield piece
        except (zlib.error, struct.error, EOFError) as error:
            self.notes.append(f"the part {_shown(name)} is damaged: {one_line(str(error), 200)}")
            return
        self.sound = True
        if member.crc is not None and crc != member.crc:
            self.notes.append(f"the part {_shown(name)} is damaged: its checksum is wrong")

    def _inflated(self, member: _Member) -> Iterator[bytes]:
        fields = _FIELDS.unpack_from(self._body, member.offset)
        if fields[0] != _HEADER:
            raise EOFError("it is not where the list says")
        start = member.offset + _FIELDS.size + fields[9] + fields[10]
        data = memoryview(self._body)[start : start + member.size]
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        for at in range(0, len(data), _INPUT):
            rest = bytes(data[at : at + _INPUT])
            if member.method == _STORED:
                yield rest
                continue
            more = True
            while more:
                piece = inflater.decompress(rest, _CHUNK)
                rest = inflater.unconsumed_tail
                more = bool(rest) or len(piece) == _CHUNK
                if piece:
                    yield piece
            if inflater.eof:
                return
        if member.method == _DEFLATED or len(data) < member.size:
            raise EOFError("it ends early")


def target(name: str, base: str = "") -> str:
    """The name of the part that a reference means. `base` is the part that it stands in; `..` never leaves the file."""
    path = unquote(name.partition("#")[0]).replace("\\", "/")
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(base), path)).lstrip("/")


def _key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()


def _shown(name: str) -> str:
    return one_line(name, 100) or "without a name"


def _listed(info: zipfile.ZipInfo) -> _Member:
    return _Member(info.header_offset, info.compress_size, info.compress_type, info.flag_bits, info.CRC)


def _scan(body: bytes) -> dict[str, _Member]:
    """The parts by the headers that stand before them; the first of a name counts."""
    found: dict[str, _Member] = {}
    at = body.find(_HEADER)
    while 0 <= at <= len(body) - _FIELDS.size:
        _, _, flags, method, _, _, crc, size, _, name_length, extra = _FIELDS.unpack_from(body, at)
        name = body[at + _FIELDS.size : at + _FIELDS.size + name_length].decode("utf-8", "replace")
        start = at + _FIELDS.size + name_length + extra
        following = body.find(_HEADER, start)
        if flags & _SIZES_LATER:
            size = (len(body) if following < 0 else following) - start
        elif following >= 0:
            following = body.find(_HEADER, start + size)
        found.setdefault(_key(name), _Member(at, size, method, flags, None if flags & _SIZES_LATER else crc))
        at = following
    return found
