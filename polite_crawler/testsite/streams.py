"""Bodies that are longer than the memory of a test: bombs, endless ones, and slow ones."""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from polite_crawler.testsite.encoders import gzipped
from polite_crawler.testsite.exchange import HTML, Ending, Step, head
from polite_crawler.testsite.heads import Headers

UNIT = 1 << 20
"""A bomb grows by whole units of 1 MiB of the letter `a`."""
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Bomb:
    """A compressed body that repeats itself: `first`, then `unit` `times` times, then `last()`."""

    first: bytes
    unit: bytes
    times: int
    last: Callable[[], bytes]
    last_size: int

    @property
    def size(self) -> int:
        """Octets on the wire."""
        return len(self.first) + len(self.unit) * self.times + self.last_size

    def octets(self) -> Iterator[bytes]:
        """The body in pieces."""
        yield self.first
        together = max(1, _CHUNK // len(self.unit))
        for done in range(0, self.times, together):
            yield self.unit * min(together, self.times - done)
        yield self.last()


def bomb(coding: str, size: int) -> Bomb:
    """A body of `size` octets (rounded up to whole units) in gzip, deflate, br or zstd."""
    return _BOMBS[coding](max(1, -(-size // UNIT)))


def steps(body: Bomb, type: str, coding: str) -> Iterator[Step]:
    """The answer that sends a bomb with its true Content-Length."""
    yield head(f"Content-Type: {type}", f"Content-Encoding: {coding}", f"Content-Length: {body.size}")
    yield from body.octets()


def _deflated_unit() -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    # a full flush forgets the window, so the same octets stand for the same unit anywhere in the stream
    return packer.compress(b"a" * UNIT) + packer.flush(zlib.Z_FULL_FLUSH)


def _gzip_bomb(units: int) -> Bomb:
    def last() -> bytes:
        check = 0
        for _ in range(units):
            check = zlib.crc32(b"a" * UNIT, check)
        return b"\x03\0" + check.to_bytes(4, "little") + (units * UNIT & 0xFFFFFFFF).to_bytes(4, "little")

    return Bomb(b"\x1f\x8b\x08\0\0\0\0\0\x02\xff", _deflated_unit(), units, last, 10)


def _deflate_bomb(units: int) -> Bomb:
    def last() -> bytes:
        check = 1
        for _ in range(units):
            check = zlib.adler32(b"a" * UNIT, check)
        return b"\x03\0" + check.to_bytes(4, "big")

    return Bomb(b"\x78\xda", _deflated_unit(), units, last, 6)


def _brotli_bomb(units: int) -> Bomb:
    # what the reference encoder (quality 9, window 22) writes for 1 MiB of `a`, first and again, flushed after each
    first = bytes.fromhex("abffff0740222c1e0b24f7fec100")
    again = bytes.fromhex("faff7f002400e2b00074ef1f0c")
    return Bomb(first, again, units - 1, lambda: b"\x03", 1)


def _zstd_bomb(units: int) -> Bomb:
    # no checksum, no content size, a window of 128 KiB; eight RLE blocks of 128 KiB are one unit (RFC 8878 3.1.1.2.2)
    block = (128 << 10 << 3 | 1 << 1).to_bytes(3, "little") + b"a"
    return Bomb(b"\x28\xb5\x2f\xfd\0\x38", block * 8, units, lambda: b"\x01\0\0", 3)


_BOMBS: dict[str, Callable[[int], Bomb]] = {
    "gzip": _gzip_bomb,
    "deflate": _deflate_bomb,
    "br": _brotli_bomb,
    "zstd": _zstd_bomb,
}


def nested_bomb(size: int) -> bytes:
    """A gzip bomb inside gzip: 1 GiB in some kB."""
    return gzipped(b"".join(_gzip_bomb(max(1, -(-size // UNIT))).octets()))


def endless(type: str = HTML, piece: bytes = b"<p>more and more</p>\n" * 800) -> Iterator[Step]:
    """A close-delimited body that never ends, as fast as the client reads."""
    yield head(f"Content-Type: {type}")
    while True:
        yield piece


def drip(pause: float, *, type: str = HTML, times: int | None = None, start: bytes = b"") -> Iterator[Step]:
    """A few octets, a pause, a few octets: `times` times and then closed, or for ever."""
    yield head(f"Content-Type: {type}", "Connection: close") + start
    sent = 0
    while times is None or sent < times:
        yield b"<p>drop %d</p>\n" % sent
        sent += 1
        yield pause
    yield Ending.CLOSE


def in_pieces(octets: bytes, size: int, pause: float) -> Iterator[Step]:
    """Octets in pieces with a pause between them."""
    for start in range(0, len(octets), size):
        yield octets[start : start + size]
        yield pause


def chunked(pieces: list[bytes], *, headers: Headers = (), extension: bytes = b"", trailer: bytes = b"") -> bytes:
    """A whole chunked answer."""
    lines = [f"{name}: {value}" for name, value in headers]
    start = head("Content-Type: " + HTML, "Transfer-Encoding: chunked", *lines)
    body = b"".join(b"%x%s\r\n%s\r\n" % (len(piece), extension, piece) for piece in pieces)
    return start + body + b"0\r\n" + trailer + b"\r\n"
