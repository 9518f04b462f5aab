"""Content codings, written here so that each octet is known and nothing but the standard library is needed.

br and zstd are "stored" forms (RFC 7932 section 9.2, uncompressed meta-blocks; RFC 8878 section 3.1.1.2, raw blocks):
valid streams that any decoder reads.
"""

import gzip
import zlib

_BLOCK = 1 << 16


def gzipped(data: bytes) -> bytes:
    """One gzip member without a time stamp."""
    return gzip.compress(data, mtime=0)


def gzip_members(*parts: bytes) -> bytes:
    """Several gzip members, one after the other: one body."""
    return b"".join(gzipped(part) for part in parts)


def gzip_with_fields(data: bytes) -> bytes:
    """A gzip member with an extra field, a file name, a comment and a header checksum (RFC 1952 section 2.3)."""
    start = b"\x1f\x8b\x08\x1e\0\0\0\0\0\x03" + b"\x06\0PC\x02\0ok" + b"page.html\0" + b"a comment\0"
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packer.compress(data) + packer.flush()
    check = (zlib.crc32(start) & 0xFFFF).to_bytes(2, "little")
    return start + check + body + zlib.crc32(data).to_bytes(4, "little") + len(data).to_bytes(4, "little")


def raw_deflated(data: bytes) -> bytes:
    """Deflate without the zlib wrapper, as some servers send it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def brotli_stored(data: bytes) -> bytes:
    """A brotli stream of uncompressed meta-blocks."""
    out = bytearray()
    bits, filled = 0x0, 1
    for start in range(0, len(data), _BLOCK):
        part = data[start : start + _BLOCK]
        # ISLAST=0, MNIBBLES=0 (four nibbles), MLEN-1, ISUNCOMPRESSED=1, then padding to an octet
        bits |= ((len(part) - 1) << 3 | 1 << 19) << filled
        out += bits.to_bytes((filled + 20 + 7) // 8, "little") + part
        bits, filled = 0, 0
    # ISLAST=1, ISLASTEMPTY=1
    out += (bits | 0b11 << filled).to_bytes(1, "little")
    return bytes(out)


def zstd_stored(data: bytes) -> bytes:
    """A zstd frame of raw blocks with its content size."""
    out = bytearray(b"\x28\xb5\x2f\xfd\xa0" + len(data).to_bytes(4, "little"))
    parts = [data[start : start + _BLOCK] for start in range(0, len(data), _BLOCK)] or [b""]
    for number, part in enumerate(parts):
        out += (len(part) << 3 | (number == len(parts) - 1)).to_bytes(3, "little") + part
    return bytes(out)
