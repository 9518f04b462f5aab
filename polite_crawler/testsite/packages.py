"""Zip files, made here so that each octet is known: right ones, damaged ones, and bombs."""

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

_UNIT = 1 << 20
_DAY = 0x5A64
"""2025-03-04, as a zip file writes it."""
_STORED, _DEFLATED = 0, 8
_LOCKED = 1


@dataclass(frozen=True, slots=True)
class Part:
    """An entry of a zip file. `spaces` is a number of MiB of spaces that follow its text; `stored` leaves it as it is,
    `damaged` gives it a wrong checksum, and `locked` says that it needs a password.
    """

    name: str
    text: str
    spaces: int = 0
    stored: bool = False
    damaged: bool = False
    locked: bool = False

    def packed(self) -> tuple[bytes, int, int]:
        """Its octets in the file, its size, and its checksum (that of the text alone, when spaces follow it)."""
        data = self.text.encode()
        crc = zlib.crc32(data) ^ self.damaged
        if self.stored:
            return data, len(data), crc
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        raw = packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH)
        # a full flush forgets the window, so the same octets stand for the same unit anywhere in the stream
        unit = packer.compress(b" " * _UNIT) + packer.flush(zlib.Z_FULL_FLUSH) if self.spaces else b""
        return raw + unit * self.spaces + packer.flush(), len(data) + _UNIT * self.spaces, crc


def package(parts: Sequence[Part]) -> bytes:
    """A zip file of these parts, in this sequence."""
    out, listed = bytearray(), bytearray()
    for part in parts:
        raw, size, crc = part.packed()
        name = part.name.encode()
        how = _STORED if part.stored else _DEFLATED
        fields = struct.pack("<5H3I2H", 20, _LOCKED * part.locked, how, 0, _DAY, crc, len(raw), size, len(name), 0)
        listed += b"PK\x01\x02\x14\0" + fields + struct.pack("<3H2I", 0, 0, 0, 0, len(out)) + name
        out += b"PK\x03\x04" + fields + name + raw
    count, at = len(parts), len(out)
    return bytes(out + listed + struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, count, count, len(listed), at, 0))
