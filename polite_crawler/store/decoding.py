"""The stored body with its content coding removed, within a bound (RFC 9110 section 8.4)."""

from polite_crawler.readers.codings import Undecodable as UndecodableBody
from polite_crawler.readers.codings import codings_of, decode

__all__ = ["UndecodableBody", "decode_body"]


def decode_body(body: bytes, coding: str | None, limit: int) -> bytes:
    """At most `limit` octets of a body without the coding that its record names (several by comma, in the order in
    which they were applied). A body that ends early gives what came. Raises UndecodableBody."""
    return decode(body, codings_of([(coding or "").encode("latin-1", "replace")]), limit)
