"""From a record of somebody's archive to a capture: pure functions that keep what the record says and no more."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from polite_crawler.archive.heads import PREFIX
from polite_crawler.archive.payload import HttpBlock, Verdict, judge, judge_payload, split_http
from polite_crawler.archive.reader import ArchiveRecord
from polite_crawler.archive.record_dates import moment
from polite_crawler.archive.records import COPY_URN, HEADERS_FIELD, RENDER_URN
from polite_crawler.readers.codings import Decoder, codings_of
from polite_crawler.rules import redaction, signals
from polite_crawler.rules.challenges import REFUSING_STATUSES, classify
from polite_crawler.rules.outcomes import Outcome, of_status
from polite_crawler.rules.urls import host_key, is_http
from polite_crawler.store.decoding import decode_body
from polite_crawler.store.projection import headers
from polite_crawler.store.record import (
    Body,
    Capture,
    Decoded,
    HeadKind,
    Net,
    Redaction,
    RequestHead,
    ResponseHead,
    Time,
    Tls,
    Truncated,
    utc_micros,
)

DECODED_LIMIT = 1 << 24
"""Octets of a body without its content coding that are read for text; the body itself is kept whole."""

SHORT_PAGE = 1 << 15
"""Octets. A longer page with a status of success is not looked at for a bot check."""

_STATUS = re.compile(r"HTTPX?/(\d(?:\.\d)?)[ \t]+(\d{3})\b", re.I)
_MESSAGE = re.compile(rb"HTTP/\d|[A-Z]{3,16} \S+ HTTP/\d", re.I)
_FOREIGN = re.compile(rf"^(?:{PREFIX.decode()}|x-orig-|x-archive-orig-)", re.I | re.M)
_TRUNCATED: dict[str, Truncated] = {"length": "length", "disconnect": "disconnect", "time": "time"}
_TLS = re.compile(r"tls/(\d\.\d)")
# what a browser loads for a page and nobody quotes
_PARTS = ("image/", "video/", "audio/", "font/", "text/css", "text/javascript", "application/javascript",
          "application/x-javascript", "application/font", "application/wasm")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Origin:
    """Where records come from: the name of the file, its SHA-256, the member of a package, and whether the package
    holds what it says of itself."""

    file: str
    sha256: str
    path: str | None = None
    package: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A response, a resource or a revisit on its way into the store. `capture` has no id yet, `payload` is its body
    as received; a revisit has none, and names what it stands for. `secrets` never
    leave this process."""

    capture: Capture
    record_id: str
    concurrent: tuple[str, ...]
    payload: bytes | None = None
    decoded: bytes = b""
    digest: str | None = None
    revisit: bool = False
    refers_to: str | None = None
    refers_url: str | None = None
    refers_date: str | None = None
    secrets: tuple[str, ...] = field(default=(), repr=False)


class NotAnAnswer(ValueError):
    """The record gives no capture; the message says why."""


def answer_of(record: ArchiveRecord, block: bytes, origin: Origin, *, cut: Truncated | None = None) -> Answer:
    """The answer that a response, resource or revisit record holds. `cut` says why its block is only a beginning.
    Raises NotAnAnswer."""
    url, when = target_of(record), moment(record.get("WARC-Date"))
    if url is None:
        raise NotAnAnswer("the target is no http or https URL")
    if when is None:
        raise NotAnAnswer(f"the date {record.get('WARC-Date')!r} cannot be read")
    http = http_of(record, block)
    shown = redaction.redact_url(url)
    head = redaction.redact_response_head(http.head)
    counts = _counts([*shown.places, *head.places])
    found = _STATUS.match(http.head.decode("latin-1"))
    status = int(found[2]) if found and not _is_rebuilt(record) else None
    capture = Capture(
        kind="import",
        url=shown.url,
        time=Time(utc_micros(when)),
        outcome=of_status(status) if status else "ok",
        status=status,
        http=found[1] if found and status else None,
        net=_net(record, url),
        response=ResponseHead(head.head.decode("latin-1"), _head_kind(record, http.head, bool(head.places))),
        redacted=tuple(Redaction(where, n) for where, n in sorted(counts.items())),
        source=source_of(record, origin, shown.url, when),
    )
    secrets = redaction.secrets_of(urls=(url,), response_head=http.head)
    answer = Answer(
        capture=capture,
        record_id=record.get("WARC-Record-ID") or f"{origin.path or ''}@{record.where}",
        concurrent=concurrent_to(record),
        digest=record.get("WARC-Payload-Digest"),
        secrets=secrets,
    )
    return _revisit(answer, record) if record.type == "revisit" else _with_body(answer, record, block, http, cut)


def target_of(record: ArchiveRecord) -> str | None:
    """The http or https URL of a record, without the angle brackets that some tools write and without the prefix of
    our own document trees and copies; None for another."""
    url = (record.get("WARC-Target-URI") or "").strip().strip("<>").removeprefix(RENDER_URN).removeprefix(COPY_URN)
    return url if is_http(url) else None


def concurrent_to(record: ArchiveRecord) -> tuple[str, ...]:
    """The records that a record names as of the same exchange."""
    return tuple(value for name, value in record.fields if name.lower() == "warc-concurrent-to")


@dataclass(frozen=True, slots=True)
class Asked:
    """The request of an answer: its redacted head, and what it had to lose. `secrets` never leave this process."""

    head: str
    places: tuple[tuple[str, int], ...]
    secrets: tuple[str, ...] = field(repr=False)


def request_of(block: bytes, url: str) -> Asked:
    """The request that a record holds."""
    head = split_http(block).head
    redacted = redaction.redact_request_head(head)
    return Asked(redacted.head.decode("latin-1"), redacted.places, redaction.secrets_of(urls=(url,), request_head=head))


def with_request(answer: Answer, asked: Asked) -> Answer:
    """The answer with its request, and with the secrets of the request found in its body."""
    counts = _counts([*((one.where, one.n) for one in answer.capture.redacted if one.where != "body"), *asked.places])
    body = [one for one in answer.capture.redacted if one.where == "body"]
    capture = replace(
        answer.capture,
        request=RequestHead(asked.head),
        method=asked.head.partition(" ")[0] or "GET",
        redacted=(*(Redaction(where, n) for where, n in sorted(counts.items())), *body),
    )
    return replace(answer, capture=with_secrets(capture, answer.decoded, asked.secrets))


def with_secrets(capture: Capture, decoded: bytes, secrets: Sequence[str]) -> Capture:
    """The capture with the places of known secrets in its decoded body."""
    spans = redaction.find_secrets(decoded, secrets) if secrets else ()
    if not spans:
        return capture
    known = {one.at for one in capture.redacted if one.where == "body"}
    merged = sorted({*spans, *(pair for at in known for pair in zip(at[::2], at[1::2], strict=True))})
    at = tuple(number for span in merged for number in span)
    others = tuple(one for one in capture.redacted if one.where != "body")
    return replace(capture, secret_in_body=True, redacted=(*others, Redaction("body", len(merged), at)))


def http_of(record: ArchiveRecord, block: bytes) -> HttpBlock:
    """The HTTP message of a record; a resource gets the head that it would have had. Raises NotAnAnswer."""
    if is_message(record, block):
        http = split_http(block, record.get("WARC-Payload-Digest"))
        if http.head or record.type == "revisit":
            return http
    elif not _is_rebuilt(record):
        if record.type == "revisit":
            return HttpBlock(b"", b"", b"", framed=False)
        raise NotAnAnswer(f"the block is {record.content_type or 'of no type'} and not HTTP")
    kind = record.get("Content-Type")
    fields = f"Content-Type: {kind}\r\n" if kind else ""
    head = f"HTTP/1.1 200 OK\r\n{fields}\r\n".encode("latin-1", "replace")
    return HttpBlock(head, block, block, framed=False)


def is_message(record: ArchiveRecord, block: bytes) -> bool:
    """Whether the block of a record is an HTTP message; a record without a type says it by its first line."""
    return record.is_http() or (
        not record.content_type and not _is_rebuilt(record) and _MESSAGE.match(block) is not None
    )


def _is_rebuilt(record: ArchiveRecord) -> bool:
    return record.type in ("resource", "conversion")


def _head_kind(record: ArchiveRecord, head: bytes, redacted: bool) -> HeadKind:
    if _is_rebuilt(record) or _FOREIGN.search(head.decode("latin-1")):
        return "rebuilt"
    stated = record.get(HEADERS_FIELD)
    for kind in ("browser", "rebuilt"):
        if stated == kind:
            return kind
    return "redacted" if redacted or stated == "redacted" else "exact"


def _revisit(answer: Answer, record: ArchiveRecord) -> Answer:
    refers = (record.get("WARC-Refers-To-Target-URI") or "").strip("<>")
    same = "not-modified" not in (record.get("WARC-Profile") or "")
    outcome: Outcome = answer.capture.outcome if same else "not_modified"
    status = answer.capture.status if same else 304
    head = answer.capture.response if answer.capture.response and answer.capture.response.head else None
    return replace(
        answer,
        capture=replace(answer.capture, outcome=outcome, status=status, response=head),
        revisit=True,
        refers_to=record.get("WARC-Refers-To"),
        refers_url=redaction.redact_url(refers).url if refers else None,
        refers_date=None if (when := moment(record.get("WARC-Refers-To-Date"))) is None else utc_micros(when),
    )


def _with_body(answer: Answer, record: ArchiveRecord, block: bytes, http: HttpBlock, cut: Truncated | None) -> Answer:
    payload = http.entity
    capture = answer.capture
    assert capture.response is not None
    assert capture.source is not None
    coding, decoded, note = _decoded(headers(capture), payload)
    truncated = _TRUNCATED.get((record.get("WARC-Truncated") or "").lower(), "length")
    is_cut = cut is not None or record.get("WARC-Truncated") is not None
    sha256 = hashlib.sha256(payload).hexdigest()
    facts: dict[str, Verdict] = {"digest_check": verdict_on(answer.digest, record, block, http, sha256)}
    if facts["digest_check"] != "ok":
        facts["block_check"] = judge(record.get("WARC-Block-Digest"), block)
    body = Body(
        sha256=sha256,
        size=len(payload),
        coding=coding,
        declared=_declared(headers(capture)),
        truncated=(cut or truncated) if is_cut else None,
        decoded=Decoded(sha256 if decoded is payload else hashlib.sha256(decoded).hexdigest(), len(decoded)),
    )
    block_hash = hashlib.sha256(capture.response.head.encode("latin-1"))
    block_hash.update(payload)
    capture = replace(
        capture,
        body=body if payload or is_cut else None,
        block_sha256=block_hash.hexdigest(),
        note=note,
        source={**capture.source, **facts},
    )
    return replace(answer, capture=with_secrets(capture, decoded, answer.secrets), payload=payload, decoded=decoded)


def verdict_on(stated: str | None, record: ArchiveRecord, block: bytes, http: HttpBlock, sha256: str) -> Verdict:
    """The verdict on the digest of a payload whose SHA-256 is known."""
    if stated and stated == f"sha256:{sha256}":
        return "ok"
    return judge_payload(stated, http) if is_message(record, block) else judge(stated, block)


def decoded_body(body: Body, payload: bytes) -> bytes:
    """The octets of a stored body that are read."""
    return decode_body(payload, body.coding, body.read_size)


def _decoded(fields: Sequence[tuple[str, str]], payload: bytes) -> tuple[str | None, bytes, str | None]:
    """The content coding, the body without it within the limit, and a note on what was borne. A transfer coding under
    the chunks is one coding more, unless the tool that wrote the record has undone it."""
    content, transfer = _codings("content-encoding", fields), _codings("transfer-encoding", fields)
    for names in ([*content, *transfer], content) if transfer else (content,):
        if not names and len(payload) <= DECODED_LIMIT:
            return None, payload, None
        decoder = Decoder(names, DECODED_LIMIT)
        decoder.feed(payload)
        decoder.end()
        if (decoded := decoder.body()) is not None:
            note = f"more than {DECODED_LIMIT} octets: the first are read" if decoder.full else None
            return ", ".join(names) or None, decoded, note
    note = f"the head names the content coding {', '.join(content)}, the body has another form"
    return None, payload[:DECODED_LIMIT], note


def _codings(field_name: str, fields: Sequence[tuple[str, str]]) -> list[str]:
    stated = [value.encode("latin-1", "replace") for name, value in fields if name.lower() == field_name]
    return [name for name in codings_of(stated) if name != "chunked"]


def judged(capture: Capture, decoded: bytes) -> Capture:
    """The capture with what its body says: that it is a bot check, a part of a page, and its usage signals."""
    fields = headers(capture)
    refused = capture.status in REFUSING_STATUSES or len(decoded) <= SHORT_PAGE
    if refused and capture.status is not None and classify(capture.status, fields, decoded).kind == "challenge":
        return replace(capture, outcome="challenge")
    if capture.outcome != "ok" or not decoded:
        return capture
    kind = next((value for name, value in reversed(fields) if name.lower() == "content-type"), "text/html")
    if kind.lower().startswith(_PARTS):
        return replace(capture, source={**(capture.source or {}), "kind": "subresource"})
    found = signals.combine(
        robots=None, url=capture.url, headers=fields, html=decoded if "html" in kind.lower() else None
    ).to_json()
    return replace(capture, signals=found or None)


def source_of(record: ArchiveRecord, origin: Origin, url: str, when: int) -> dict[str, Any]:
    """Where a capture comes from: the file, the place in it, and the date of the copy."""
    place = f"{origin.path or origin.file}@{record.where}"
    facts: dict[str, Any] = {
        "type": "import",
        "source": origin.file,
        "timestamp": utc_micros(when),
        "url": f"{origin.file}#{place}" if origin.path else place,
        "original": url,
        "record": record.get("WARC-Record-ID"),
        "container_sha256": origin.sha256,
        "path": origin.path,
        "package": origin.package,
        "offset": record.offset,
        "length": record.length,
    }
    if url.partition("?")[0].endswith("/robots.txt"):
        facts["kind"] = "robots"
    return {name: value for name, value in facts.items() if value is not None}


def _net(record: ArchiveRecord, url: str) -> Net | None:
    address = (record.get("WARC-IP-Address") or "").strip()
    if not address or address == "0.0.0.0":  # noqa: S104  (ARC files write it for an address that is not known)
        return None
    protocols = " ".join(value for name, value in record.fields if name.lower() == "warc-protocol")
    version = _TLS.search(protocols)
    tls = Tls(f"TLSv{version[1]}", record.get("WARC-Cipher-Suite")) if version else None
    authority = url.partition("://")[2].partition("/")[0].rpartition("@")[2]
    port = authority.rpartition(":")[2]
    usual = 443 if url.lower().startswith("https") else 80
    return Net(ip=address, port=int(port) if port.isdigit() and port != host_key(url) else usual, tls=tls)


def _declared(fields: Sequence[tuple[str, str]]) -> int | None:
    named = {name.lower(): value for name, value in fields}
    stated = named.get("x-crawler-content-length") or named.get("content-length") or ""
    return int(stated) if stated.isdigit() and len(stated) < 19 else None


def _counts(places: Sequence[tuple[str, int]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for where, n in places:
        counts[where] = counts.get(where, 0) + n
    return counts
