"""The chunked transfer coding (RFC 9112 section 7.1), as servers write it.

llhttp refuses what the RFC allows or browsers read: white space before an extension, a last line that ends with LF,
trailers that are no fields. Here only the size decides where a chunk ends.
"""

import re
from collections.abc import Iterator

# the line end after the data of a chunk belongs to the next size line, and may be missing
_SIZE_LINE = re.compile(rb"(?:\r?\n)?[ \t]*0*([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\n]*)?\r?\n").match
_MAY_BE_SIZE = re.compile(rb"(?:\r?\n)?[ \t]*[0-9A-Fa-f]*[ \t]*(?:;[^\n]*|\r)?").fullmatch
_MOST_BETWEEN = 65_536


class ChunkFault(ValueError):
    """A chunk has no size, or its data does not end where the size says."""


class ChunkReader:
    """Removes the chunks of one body. `ended` is true after the last chunk and its trailers, `surplus` when octets came
    after them."""

    __slots__ = ("_between", "_in_trailer", "_left", "_line", "ended", "surplus")

    def __init__(self) -> None:
        self.ended = False
        self.surplus = False
        self._left = 0
        self._line = b""
        self._between = 0
        self._in_trailer = False

    def feed(self, octets: bytes) -> Iterator[bytes]:
        """The parts of the body in the next octets. Raises ChunkFault."""
        at, end = 0, len(octets)
        while at < end and not self.ended:
            if self._left:
                part = octets[at : at + self._left]
                at += len(part)
                self._left -= len(part)
                yield part
            elif not self._line and not self._in_trailer and (found := _SIZE_LINE(octets, at)) is not None:
                at = found.end()
                self._begin(found)
            else:
                line_end = octets.find(b"\n", at) + 1 or end
                self._read_line(octets[at:line_end])
                at = line_end
        if at < end:
            self.surplus = True

    def _read_line(self, piece: bytes) -> None:
        """A line of the trailer, or a size line that comes in pieces."""
        self._between += len(piece)
        if self._between > _MOST_BETWEEN:
            raise ChunkFault("more than 64 KiB between two chunks")
        line = self._line + piece
        self._line = line
        if self._in_trailer:
            if line.endswith(b"\n"):
                self._line = b""
                self.ended = line in (b"\r\n", b"\n")
        elif (found := _SIZE_LINE(line)) is not None:
            self._begin(found)
        elif not _MAY_BE_SIZE(line):
            raise ChunkFault("a chunk without a size")

    def _begin(self, found: re.Match[bytes]) -> None:
        self._line = b""
        self._between = 0
        self._left = int(found[1], 16)
        self._in_trailer = not self._left
