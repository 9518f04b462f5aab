"""gzip files with a bound: several members, an early end and trailing octets cost a note at most."""

import zlib

GZIP = b"\x1f\x8b"


def inflate(body: bytes, limit: int) -> tuple[bytes, str | None]:
    """At most `limit` octets of a gzip body, and a note when something is missing. RFC 1952 section 2.2."""
    out = bytearray()
    rest = body
    while rest[:2] == GZIP:
        member = zlib.decompressobj(wbits=31)
        try:
            out += member.decompress(rest, limit - len(out) + 1)
        except zlib.error as error:
            return bytes(out[:limit]), f"the gzip data is damaged: {error}"
        if len(out) > limit:
            return bytes(out[:limit]), f"cut: more than {limit} octets"
        if not member.eof:
            return bytes(out), "the gzip data ends early"
        rest = member.unused_data.lstrip(b"\x00")
    return bytes(out), None
