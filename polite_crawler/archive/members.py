"""Gzip members of an archive file: one for each record, and the splice of a stored body into one (RFC 1952).

A stored body is deflate data that is byte aligned and has no final block, so it can stand in the middle of a member:
the heads before it, the end of the record behind it, and the CRC-32 of the whole calculated from those of the parts.
"""

import struct
import zlib

from polite_crawler.store.blobs import RawBlob

_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_TRAILER = struct.Struct("<II")
_STORED = struct.Struct("<BHH")
_LEVEL = 6
# a window of 4 KiB: the heads of a record fit in it, and the compressor needs a tenth of the memory
_SMALL_WINDOW = 12
_SMALL_MEMORY = 5
_SMALL = 8192


def member(*parts: bytes) -> bytes:
    """The gzip member of the concatenation of some parts. The same parts give the same octets."""
    size = sum(map(len, parts))
    packer = _packer(size)
    crc = 0
    out = [_HEADER]
    for part in parts:
        out.append(packer.compress(part))
        crc = zlib.crc32(part, crc)
    out.append(packer.flush())
    out.append(_TRAILER.pack(crc, size & 0xFFFFFFFF))
    return b"".join(out)


def spliced(head: bytes, body: RawBlob, tail: bytes) -> tuple[bytes, ...]:
    """The gzip member of `head`, a stored body and `tail` (at most 65,535 octets), in pieces to write one behind the
    other. The body is copied as it is stored, with no new compression and no look at its octets."""
    packer = _packer(len(head))
    deflated = packer.compress(head) + packer.flush(zlib.Z_SYNC_FLUSH)
    end = _STORED.pack(1, len(tail), len(tail) ^ 0xFFFF) + tail
    crc = zlib.crc32(tail, crc32_combine(zlib.crc32(head), body.crc32, body.size))
    size = len(head) + body.size + len(tail)
    return _HEADER + deflated, body.deflate, end + _TRAILER.pack(crc, size & 0xFFFFFFFF)


def crc32_combine(first: int, second: int, second_size: int) -> int:
    """The CRC-32 of two byte strings one behind the other, from the CRC-32 of each and the size of the second.

    `first` is multiplied by x to the power of 8 * second_size, modulo the polynomial of the CRC: so many zero bits
    behind it shift it there. For a short string the zeros are cheaper than the power (the method of zlib).
    """
    if second_size <= len(_ZEROS):
        zeros = _ZEROS[:second_size]
        return zlib.crc32(zeros, first) ^ zlib.crc32(zeros) ^ second
    return _times(_power(8 * second_size), first) ^ second


def _packer(size: int) -> "zlib._Compress":
    if size <= _SMALL:
        return zlib.compressobj(_LEVEL, zlib.DEFLATED, -_SMALL_WINDOW, _SMALL_MEMORY)
    return zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)


_ZEROS = memoryview(bytes(1 << 17))
_POLYNOMIAL = 0xEDB88320
_ONE = 1 << 31  # the polynomial 1: CRC-32 keeps its bits reflected, so x^0 is the highest


def _times(a: int, b: int) -> int:
    product = 0
    bit = _ONE
    while True:
        if a & bit:
            product ^= b
            if not a & (bit - 1):
                return product
        bit >>= 1
        b = b >> 1 ^ _POLYNOMIAL if b & 1 else b >> 1


def _squares() -> list[int]:
    found = [_ONE >> 1]
    for _ in range(63):
        found.append(_times(found[-1], found[-1]))
    return found


_SQUARES = _squares()


def _power(exponent: int) -> int:
    """x to the power of a number, modulo the polynomial."""
    result = _ONE
    at = 0
    while exponent:
        if exponent & 1:
            result = _times(_SQUARES[at], result)
        exponent >>= 1
        at += 1
    return result
