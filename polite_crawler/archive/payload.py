"""The payload of a record: what the digest of a record is of, and how chunk framing in it is undone."""

import hashlib
import re
from dataclasses import dataclass
from typing import Literal

from polite_crawler.archive.digests import parse_digest

Verdict = Literal["ok", "ok-raw-chunked", "mismatch", "absent", "unsupported"]
"""What recalculating a digest gave. `ok-raw-chunked`: it is of the body with its chunk framing, as some tools write."""

HEAD_LIMIT = 1 << 20
"""Octets of an HTTP head: more is none."""

_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")
_LINE_ENDS = re.compile(rb"[\r\n]+")
_HTTP = b"HTTP/"
_INTERIM = re.compile(rb"HTTP/[\d.]+[ \t]+1(?!01)\d\d\b")
_CHUNKED = re.compile(rb"^[ \t]*transfer-encoding[ \t]*:[^\n]*\bchunked\b", re.I | re.M)


@dataclass(frozen=True, slots=True)
class HttpBlock:
    """An HTTP message: its head with the blank line, and what follows. `entity` is the body without its chunk
    framing, which is there only when the head says so and the octets are framed; `ended` is false for a framing
    without its last chunk."""

    head: bytes
    body: bytes
    entity: bytes
    framed: bool
    ended: bool = True


def split_http(block: bytes, digest: str | None = None) -> HttpBlock:
    """Head and body of an HTTP message. Without a blank line all of it is head. Blank lines in front and interim
    heads (1xx) are passed over.

    A text that begins with a number looks like one chunk that is cut: `digest`, of the payload as the record states
    it, then says which of the two it is.
    """
    blank = _LINE_ENDS.match(block)
    start = blank.end() if blank else 0
    while (found := _BLANK_LINE.search(block, start, start + HEAD_LIMIT)) and _INTERIM.match(block, start):
        if not block.startswith(_HTTP, found.end()):
            break
        start = found.end()
    end = found.end() if found else len(block)
    head, body = block[start:end], block[end:]
    chunks = unchunked(body) if body and _CHUNKED.search(head) else None
    if chunks is None or (not chunks.whole and digest and judge(digest, body) == "ok"):
        return HttpBlock(head, body, body, framed=False)
    return HttpBlock(head, body, chunks.octets, framed=True, ended=chunks.ended)


@dataclass(frozen=True, slots=True)
class Unchunked:
    """Octets without their chunk framing, and how many chunks came `whole`. `ended`: the last chunk came."""

    octets: bytes
    whole: int
    ended: bool


def unchunked(body: bytes) -> Unchunked | None:
    """The octets without their chunk framing (RFC 9112 section 7.1), or None when they are not framed. A last chunk
    that is cut gives what came."""
    out: list[bytes] = []
    whole = at = 0
    while at < len(body):
        found = _CHUNK_SIZE.match(body, at)
        if found is None:
            return None
        size = int(found[1], 16)
        if size == 0:
            return Unchunked(b"".join(out), whole + (not body[found.end() :].strip(b"\r\n")), ended=True)
        out.append(body[found.end() : found.end() + size])
        at = found.end() + size
        whole += at < len(body)
        if body[at : at + 2] == b"\r\n":
            at += 2
        elif body[at : at + 1] == b"\n":
            at += 1
        elif at < len(body):
            return None
    return Unchunked(b"".join(out), whole, ended=False)


def judge(stated: str | None, octets: bytes) -> Verdict:
    """Whether a stated digest is that of some octets."""
    if not stated:
        return "absent"
    digest = parse_digest(stated)
    if digest.algorithm is None or digest.value is None:
        return "unsupported"
    found = hashlib.new(digest.algorithm, octets, usedforsecurity=False).digest()
    return "ok" if digest.matches(found) else "mismatch"


def judge_payload(stated: str | None, block: HttpBlock) -> Verdict:
    """Whether a stated digest is that of the payload of an HTTP message: of its entity body (RFC 9110 section 6.4)."""
    verdict = judge(stated, block.entity)
    if verdict == "mismatch" and block.framed and judge(stated, block.body) == "ok":
        return "ok-raw-chunked"
    return verdict
