"""The stored body of a capture, ready for a record: checked against its SHA-256, and still deflated for the splice."""

import hashlib
from dataclasses import dataclass

from isal import isal_zlib

from polite_crawler.store.blobs import GZIP_ERROR, BlobError, Blobs, RawBlob
from polite_crawler.store.decoding import UndecodableBody, decode_body
from polite_crawler.store.record import Body

_REPLAYED = frozenset({"", "identity", "gzip", "x-gzip", "br"})
"""The content codings that every replay tool undoes; a body with another one goes out decoded."""


@dataclass(frozen=True, slots=True)
class RecordBody:
    """The body of a record: its octets, their SHA-256, and the same octets as stored deflate data (None when they
    stand there with their content coding, which the record does not have). `decoded` says that the coding is gone;
    `received` are the octets with it."""

    data: bytes
    sha256: str
    stored: RawBlob | None
    decoded: bool = False
    received: bytes = b""


def payload_of(body: Body) -> tuple[str, bool]:
    """The SHA-256 of the octets that an archive holds of a body, and whether they are the decoded ones."""
    coding = (body.coding or "").strip().lower()
    if coding in _REPLAYED or body.decoded is None or body.truncated is not None:
        return body.sha256, False
    return body.decoded.sha256, True


def load(blobs: Blobs, body: Body) -> RecordBody:
    """Read a body and check it. Raises BlobError for one that is missing or damaged."""
    raw = blobs.raw(body.sha256)
    data = _inflated(raw, body)
    sha256, decoded = payload_of(body)
    if not decoded:
        return RecordBody(data, sha256, raw, received=data)
    assert body.decoded is not None
    try:
        plain = decode_body(data, body.coding, body.decoded.size)
    except UndecodableBody as error:
        raise BlobError(body.sha256, f"damaged ({error})") from None
    if hashlib.sha256(plain).hexdigest() != sha256:
        raise BlobError(body.sha256, "damaged (its decoded SHA-256 is wrong)")
    return RecordBody(plain, sha256, None, decoded=True, received=data)


def _inflated(raw: RawBlob, body: Body) -> bytes:
    """The octets of a body. The SHA-256 is of more worth than the CRC-32, and one of them is enough."""
    unpacker = isal_zlib.decompressobj(-isal_zlib.MAX_WBITS)
    try:
        data = unpacker.decompress(raw.deflate, body.size + 1)
    except GZIP_ERROR as error:
        raise BlobError(body.sha256, f"damaged ({error})") from None
    if hashlib.sha256(data).hexdigest() != body.sha256 or raw.size != len(data):
        raise BlobError(body.sha256, "damaged (its SHA-256 is wrong)")
    return data
