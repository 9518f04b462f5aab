"""The stored body with its content coding removed, within a bound (RFC 9110 section 8.4)."""

import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any

_STEP = 64 * 1024


class UndecodableBody(ValueError):
    """The body does not have the content coding that it declares, or one that nobody knows."""


def decode_body(body: bytes, coding: str | None, limit: int) -> bytes:
    """At most `limit` bytes of a body without its content coding. A coding with several names lists them in the
    order in which they were applied. A body that ends early gives what came. Raises UndecodableBody."""
    names = [name.strip().lower() for name in (coding or "").split(",")]
    for name in reversed([name for name in names if name not in ("", "identity")]):
        body = _decoder(name)(body, limit)
    return body[:limit]


def _decoder(name: str) -> Callable[[bytes, int], bytes]:
    try:
        return _DECODERS[name]
    except KeyError:
        raise UndecodableBody(f"unknown content coding {name!r}") from None


def _gzip(body: bytes, limit: int) -> bytes:
    out = bytearray()
    while body and len(out) < limit:
        unpacker = zlib.decompressobj(31)
        try:
            out += unpacker.decompress(body, limit - len(out))
        except zlib.error as error:
            if out:
                break  # what follows the last whole member is no gzip: user agents ignore it
            raise UndecodableBody(f"gzip: {error}") from None
        body = unpacker.unused_data if unpacker.eof else b""
    return bytes(out)


def _deflate(body: bytes, limit: int) -> bytes:
    # servers send both forms under the one name
    for bits in (15, -15):
        try:
            return zlib.decompressobj(bits).decompress(body, limit)
        except zlib.error as error:
            reason = error
    raise UndecodableBody(f"deflate: {reason}")


def _brotli(body: bytes, limit: int) -> bytes:
    brotli: Any = import_module("brotli")
    unpacker = brotli.Decompressor()
    out = bytearray()
    try:
        out += unpacker.process(body, output_buffer_limit=min(limit, _STEP))
        while len(out) < limit and not unpacker.can_accept_more_data() and not unpacker.is_finished():
            out += unpacker.process(b"", output_buffer_limit=min(limit - len(out), _STEP))
    except brotli.error as error:
        raise UndecodableBody(f"br: {error}") from None
    return bytes(out)


def _zstd(body: bytes, limit: int) -> bytes:
    try:
        zstd: Any = import_module("compression.zstd")
    except ImportError:
        zstd = import_module("backports.zstd")
    out = bytearray()
    try:
        while body and len(out) < limit:
            unpacker = zstd.ZstdDecompressor()
            out += unpacker.decompress(body, limit - len(out))
            body = unpacker.unused_data if unpacker.eof else b""
    except zstd.ZstdError as error:
        if not out:
            raise UndecodableBody(f"zstd: {error}") from None
    return bytes(out)


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gzip, "x-gzip": _gzip, "deflate": _deflate, "br": _brotli, "zstd": _zstd,
}  # fmt: skip
