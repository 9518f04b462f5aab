"""Content codings, removed as the octets come in, with a bound on what comes out.

Each coding is a stage that gives at most 64 KiB at a time to the next one, so a body that unpacks to a thousand times
its size costs no more memory than what is kept of it.
"""

import sys
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

_STEP = 65_536
_MOST_CODINGS = 5
_GZIP_MAGIC = b"\x1f\x8b"
# RFC 9659: a decoder of the zstd content coding need not bear windows of more than 8 MiB
_ZSTD_WINDOW_LOG = 23


class Undecodable(ValueError):
    """The octets are not what their coding says."""


class _Stage(Protocol):
    ended: bool
    """True after the last octet of the coding."""
    note: str | None

    def unpack(self, data: bytes) -> Iterator[bytes]:
        """The next parts, each of at most 64 KiB. A caller that has enough stops asking."""


class Decoder:
    """Decodes one body. `codings` are in the order in which they were applied (as Content-Encoding lists them),
    `limit` is the most octets that `body` gives.

    `full` says that the body has more than `limit` octets: nothing that follows is read. `undecodable` is the reason
    why the body is none, or None. `notes` name what was borne: octets after the end of the coding.
    """

    def __init__(self, codings: Sequence[str], limit: int) -> None:
        self.full = False
        self.undecodable: str | None = None
        self.notes: list[str] = []
        self._limit = limit
        self._size = 0
        self._parts: list[bytes] = []
        self._fed = False
        self._stages: list[_Stage] = []
        try:
            self._stages = _stages(codings)
        except Undecodable as error:
            self.undecodable = str(error)
        # what runs between two codings is bounded as well: a small body in a large one in a small one
        self._passed = [0] * len(self._stages)

    def feed(self, data: bytes) -> None:
        """Take the next octets. After the limit, or after an error, they are ignored."""
        if not data or self.full or self.undecodable is not None:
            return
        self._fed = True
        try:
            self._push(0, data)
        except Undecodable as error:
            self.undecodable = str(error)

    def end(self) -> bool:
        """Say that no more octets come. False when a coding had not ended: the body lacks its last part."""
        self.notes += [stage.note for stage in self._stages if stage.note]
        if self.undecodable is not None or self.full or not self._fed:
            return True
        return all(stage.ended for stage in self._stages)

    def body(self) -> bytes | None:
        """What came out, cut at the limit; None for a body that does not decode."""
        if self.undecodable is not None:
            return None
        return b"".join(self._parts)

    def _push(self, at: int, data: bytes) -> None:
        if at == len(self._stages):
            self._keep(data)
            return
        for part in self._stages[at].unpack(data):
            self._passed[at] += len(part)
            self._push(at + 1, part)
            if self.full:
                return
            if self._passed[at] > 2 * self._limit + _STEP:
                self.full = True
                return

    def _keep(self, data: bytes) -> None:
        room = self._limit - self._size
        if len(data) > room:
            self.full = True
            data = data[:room]
        self._size += len(data)
        self._parts.append(data)


def decode(body: bytes, codings: Sequence[str], limit: int) -> bytes:
    """At most `limit` octets of a whole body; of one that ends early, what came. Raises Undecodable."""
    decoder = Decoder(codings, limit)
    decoder.feed(body)
    decoder.end()
    decoded = decoder.body()
    if decoded is None:
        raise Undecodable(decoder.undecodable)
    return decoded


def codings_of(values: Sequence[bytes]) -> tuple[str, ...]:
    """The codings that Content-Encoding fields name, in order, lower case, without `identity`."""
    names = (part.strip().decode("latin-1").lower() for value in values for part in value.split(b","))
    return tuple(name for name in names if name and name != "identity")


def _stages(codings: Sequence[str]) -> list[_Stage]:
    if len(codings) > _MOST_CODINGS:
        raise Undecodable(f"{len(codings)} content codings, one over the other")
    return [_stage(name) for name in reversed(codings)]


def _stage(name: str) -> _Stage:
    if name in ("gzip", "x-gzip"):
        return _Gzip()
    if name == "deflate":
        return _Deflate()
    if name == "br":
        return _Brotli()
    if name == "zstd":
        return _Zstd()
    raise Undecodable(f"the content coding {name[:40]!r} is not known")


def _inflate(unpacker: "zlib._Decompress", data: bytes, name: str) -> Iterator[bytes]:
    """All that `data` gives. zlib may hold back output that filled a step, so a full step is always asked again."""
    while not unpacker.eof:
        try:
            part = unpacker.decompress(data, _STEP)
        except zlib.error as error:
            raise Undecodable(f"{name}: {_zlib_reason(error)}") from None
        data = unpacker.unconsumed_tail
        if part:
            yield part
        if len(part) < _STEP and not data:
            return


def _zlib_reason(error: zlib.error) -> str:
    return str(error).rpartition(": ")[2]


class _Gzip:
    """RFC 1952: one or more members, and whatever follows them."""

    def __init__(self) -> None:
        self.ended = False
        self.note: str | None = None
        self._unpacker: zlib._Decompress | None = zlib.decompressobj(31)
        self._between = b""

    def unpack(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._unpacker is None:
                data = self._between + data
                self._between = b""
                if not self._begins_member(data):
                    return
            assert self._unpacker is not None
            yield from _inflate(self._unpacker, data, "gzip")
            if not self._unpacker.eof:
                return
            data = self._unpacker.unused_data
            self._unpacker = None
            self.ended = True

    def _begins_member(self, data: bytes) -> bool:
        """Whether another member begins; else the octets are kept (too few to say) or borne with a note."""
        if self.note is not None:
            return False
        if data[:2] == _GZIP_MAGIC:
            self.ended = False
            self._unpacker = zlib.decompressobj(31)
            return True
        if data == _GZIP_MAGIC[:1]:
            self._between = data
        else:
            self.note = "octets after the end of the gzip body"
        return False


class _Deflate:
    """RFC 9110 section 8.4.1.2 says zlib (RFC 1950); some servers send bare deflate (RFC 1951)."""

    def __init__(self) -> None:
        self.ended = False
        self.note: str | None = None
        self._unpacker: zlib._Decompress | None = None
        self._start = b""

    def unpack(self, data: bytes) -> Iterator[bytes]:
        if self._unpacker is None:
            data = self._start + data
            if len(data) < 2:
                self._start = data
                return
            is_zlib = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
            self._unpacker = zlib.decompressobj(15 if is_zlib else -15)
        left = data
        if not self.ended:
            yield from _inflate(self._unpacker, data, "deflate")
            self.ended = self._unpacker.eof
            left = self._unpacker.unused_data
        if left:
            self.note = "octets after the end of the deflate body"


class _Brotli:
    """RFC 7932. The decoder takes no octets after the end of the stream, and cannot say where that was. It may say
    that it can take more while it still holds output, so it is asked until nothing comes."""

    def __init__(self) -> None:
        import brotli  # most runs never meet it

        self.ended = False
        self.note: str | None = None
        self._error: type[Exception] = brotli.error
        self._unpacker: Any = brotli.Decompressor()

    def unpack(self, data: bytes) -> Iterator[bytes]:
        if self.ended:
            raise Undecodable("br: the octets are no brotli stream")
        while True:
            try:
                part: bytes = self._unpacker.process(data, output_buffer_limit=_STEP)
            except self._error:
                raise Undecodable("br: the octets are no brotli stream") from None
            data = b""
            self.ended = self._unpacker.is_finished()
            if part:
                yield part
            elif self._unpacker.can_accept_more_data():
                return
            if self.ended:
                return


class _Zstd:
    """RFC 8878: one or more frames, and whatever follows them."""

    def __init__(self) -> None:
        self.ended = False
        self.note: str | None = None
        self._frames = 0
        self._gave = False
        self._zstd = _zstd()
        self._unpacker = self._new()

    def _new(self) -> Any:
        window = self._zstd.DecompressionParameter.window_log_max
        return self._zstd.ZstdDecompressor(options={window: _ZSTD_WINDOW_LOG})

    def unpack(self, data: bytes) -> Iterator[bytes]:
        while self.note is None:
            self.ended = False
            part = self._step(data)
            if part:
                self._gave = True
                yield part
            data = b""
            if self._unpacker.eof:
                data = self._unpacker.unused_data
                self._frames += 1
                self._gave = False
                self._unpacker = self._new()
                self.ended = True
                if not data:
                    return
            elif self._unpacker.needs_input:
                return

    def _step(self, data: bytes) -> bytes:
        try:
            part: bytes = self._unpacker.decompress(data, _STEP)
            return part
        except self._zstd.ZstdError as error:
            if not self._frames or self._gave:
                raise Undecodable(f"zstd: {str(error).rpartition(': ')[2]}") from None
        self.note = "octets after the end of the zstd body"
        self.ended = True
        self._unpacker = self._new()
        return b""


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
