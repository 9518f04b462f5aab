"""The WARC/1.1 records of a capture (ISO 28500:2017): pure functions from the line of the log and its body.

The same capture gives the same octets: record ids come from the capture id, dates from the line.
"""

import hashlib
import re
from dataclasses import dataclass
from urllib.parse import quote_from_bytes

from polite_crawler.archive.bodies import RecordBody
from polite_crawler.archive.digests import sha256_label
from polite_crawler.archive.heads import replayable
from polite_crawler.archive.members import member, spliced
from polite_crawler.store.blobs import RawBlob
from polite_crawler.store.projection import content_type, is_copy
from polite_crawler.store.record import Capture, Tls, canonical, micros, utc_micros

CAPTURE_FIELD = "WARC-Polite-Crawler-Capture"
HEADERS_FIELD = "WARC-Polite-Crawler-Headers"
TEXT_URN = "urn:text:"
"""Before the URL of a page: the text that the reader made of its PDF."""
RENDER_URN = "urn:render:"
"""Before the URL of a page: its document tree after the scripts ran, as HTML."""
COPY_URN = "urn:archived:"
"""Before the URL of a copy in a public archive: the page in it, beside the record of the exchange that brought it."""
CODED_URN = "urn:coded:"
"""Before the URL of a page: its body as received, where the response holds it without a coding that replay tools do not
know."""

_END = b"\r\n\r\n"
_REVISIT = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
_HTTP = {"1.0": "http/1.0", "1.1": "http/1.1", "2": "h2", "0.9": "http/0.9"}
# what a URI cannot hold is percent-encoded; the rest stays as the page wrote it
_URI = "".join(chr(octet) for octet in range(0x21, 0x7F) if chr(octet) not in '<>"')

_NAMESPACE = "polite-crawler:"
_NORMAL_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
# outside ASCII, and what a URI cannot hold inside of it
_NO_URI = re.compile(r'[^\x21-\x7e]|[<>"]')

Fields = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A record: its named fields without Content-Length, the octets of its block, and the stored body that follows
    them in the block, if any."""

    fields: Fields
    block: bytes
    body: RawBlob | None = None

    def member(self) -> tuple[bytes, ...]:
        """The gzip member of the record, in pieces."""
        size = len(self.block) + (self.body.size if self.body else 0)
        lines = [f"{name}: {value}\r\n" for name, value in (*self.fields, ("Content-Length", str(size)))]
        head = "".join(("WARC/1.1\r\n", *lines, "\r\n")).encode()
        if self.body is None:
            return (member(head, self.block, _END),)
        return spliced(head + self.block, self.body, _END)


@dataclass(frozen=True, slots=True)
class Original:
    """The capture whose body a revisit stands for: its id, URL and date, the SHA-256 of the payload, and whether its
    response is in the same archive."""

    capture: str
    url: str
    date: str
    sha256: str
    here: bool


def record_id(capture: str, part: str) -> str:
    """The WARC-Record-ID of a record of a capture, always the same."""
    octets = bytearray(hashlib.sha1(f"{_NAMESPACE}{capture}/{part}".encode(), usedforsecurity=False).digest()[:16])
    octets[6] = octets[6] & 0x0F | 0x50  # RFC 9562: version 5, variant 10
    octets[8] = octets[8] & 0x3F | 0x80
    name = octets.hex()
    return f"<urn:uuid:{name[:8]}-{name[8:12]}-{name[12:16]}-{name[16:20]}-{name[20:]}>"


def date_of(capture: Capture) -> str:
    """The WARC-Date of a capture: when its exchange began, RFC 3339 UTC with microseconds."""
    start = capture.time.start
    return start if _NORMAL_TIME.fullmatch(start) else utc_micros(micros(start))


def uri_of(url: str) -> str:
    """The WARC-Target-URI of a URL."""
    return quote_from_bytes(url.encode("utf-8", "replace"), safe=_URI) if _NO_URI.search(url) else url


def warcinfo(capture: Capture, part: int, *, software: str, description: str) -> Record:
    """The first record of a file, dated by the first capture in it."""
    lines = [
        f"software: {software}",
        "format: WARC File Format 1.1",
        "conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "robots: obey",
    ]
    if description:
        lines.append(f"description: captures with {description}")
    block = "".join(f"{line}\r\n" for line in lines).encode()
    return Record(
        (
            ("WARC-Type", "warcinfo"),
            ("WARC-Record-ID", warcinfo_id(capture, part)),
            ("WARC-Date", date_of(capture)),
            ("WARC-Block-Digest", sha256_label(block)),
            ("Content-Type", "application/warc-fields"),
        ),
        block,
    )


def warcinfo_id(capture: Capture, part: int) -> str:
    """The id of the warcinfo record of the part that begins with a capture."""
    return record_id(capture.id, f"warcinfo-{part}")


def response(capture: Capture, body: RecordBody | None, info: str) -> Record:
    """What the server sent: the head of the log and the body as received."""
    assert capture.response is not None
    data = body.data if body else b""
    received = _latin(capture.response.head)
    coding = capture.body.coding if capture.body else None
    head = replayable(received, len(data), decoded=body is not None and body.decoded, coding=coding)
    truncated = capture.body.truncated if capture.body else None
    fields = (
        *_common(capture, "response", info),
        *_wire(capture),
        ("WARC-Payload-Digest", sha256_label(body.sha256 if body else b"")),
        ("WARC-Block-Digest", sha256_label(_block_sha256(capture, head, body))),
        *((("WARC-Truncated", truncated),) if truncated else ()),
        *_head_kind(capture),
        ("Content-Type", "application/http;msgtype=response"),
    )
    stored = body.stored if body else None
    return Record(fields, head if stored else head + data, stored)


def _block_sha256(capture: Capture, head: bytes, body: RecordBody | None) -> str:
    """The digest of head and body; the line has it, and its body was checked, where the head is that of the line."""
    assert capture.response is not None
    if capture.block_sha256 and (body is None or not body.decoded) and head == _latin(capture.response.head):
        return capture.block_sha256
    digest = hashlib.sha256(head)
    if body is not None:
        digest.update(body.data)
    return digest.hexdigest()


def _latin(head: str) -> bytes:
    return head.encode("latin-1", "replace")


def revisit(capture: Capture, original: Original, info: str) -> Record:
    """A 304: the body is that of an earlier capture. The block is empty, because a replay tool that finds a head with
    the status 304 shows an empty page; the head stands in the metadata record."""
    here = (("WARC-Refers-To", record_id(original.capture, "response")),) if original.here else ()
    fields = (
        *_common(capture, "revisit", info),
        *_wire(capture),
        ("WARC-Profile", _REVISIT),
        *here,
        ("WARC-Refers-To-Target-URI", uri_of(original.url)),
        ("WARC-Refers-To-Date", original.date),
        ("WARC-Payload-Digest", sha256_label(original.sha256)),
        ("WARC-Truncated", "length"),
        *_head_kind(capture),
    )
    return Record(fields, b"")


def request(capture: Capture, answer: str, info: str) -> Record:
    """What was sent; `answer` is the id of the record of the answer."""
    assert capture.request is not None
    block = _latin(capture.request.head)
    fields = (
        *_common(capture, "request", info),
        *_wire(capture),
        ("WARC-Concurrent-To", answer),
        ("WARC-Block-Digest", sha256_label(block)),
        ("Content-Type", "application/http;msgtype=request"),
    )
    return Record(fields, block)


def public_line(capture: Capture, line: bytes | None = None) -> bytes:
    """The line of a capture as it may leave the store: without scope and labels, and without a newline. `line` is it
    as the log has it."""
    if line is not None and capture.scope is None and not capture.labels:
        return line.rstrip(b"\n")
    return canonical({name: value for name, value in capture.to_json().items() if name not in ("scope", "labels")})


def metadata(capture: Capture, line: bytes, about: str, info: str) -> Record:
    """The line of the log without scope and labels, in a form that no index takes for a page. A reader can calculate
    the capture id again from it."""
    via = f"via: {uri_of(capture.referrer)}\r\n" if capture.referrer else ""
    lines = f"capture: {capture.id}\r\n{via}fetchTimeMs: {capture.time.end_ms}\r\njson-metadata: "
    block = lines.encode() + line + b"\r\n"
    fields = (
        *_common(capture, "metadata", info),
        ("WARC-Refers-To", about),
        ("WARC-Block-Digest", sha256_label(block)),
        ("Content-Type", "application/warc-fields"),
    )
    return Record(fields, block)


def text_of_pdf(capture: Capture, text: str, info: str) -> Record:
    """The text that the reader made of a PDF, under a name that no index takes for the page."""
    block = text.encode("utf-8", "replace")
    return _conversion(capture, TEXT_URN, block, "text/plain; charset=utf-8", record_id(capture.id, "response"), info)


def urn_of(capture: Capture) -> str:
    """What stands before the URL of a page that no server sent so."""
    return COPY_URN if is_copy(capture) else RENDER_URN


def made(capture: Capture, body: RecordBody, of: str | None, info: str) -> Record:
    """A page that no server sent so: the document tree of a browser, the page in an archived copy. `of` is the record
    id of the response that it was made of, if it is here."""
    return _conversion(
        capture, urn_of(capture), body.data, content_type(capture) or "text/html; charset=utf-8", of, info
    )


def coded(capture: Capture, body: RecordBody, info: str) -> Record:
    """The body as received, when the response holds it decoded."""
    of = record_id(capture.id, "response")
    return _conversion(capture, CODED_URN, body.received, "application/octet-stream", of, info)


def _conversion(capture: Capture, urn: str, block: bytes, kind: str, of: str | None, info: str) -> Record:
    digest = sha256_label(block)
    fields = (
        *_common(capture, "conversion", info, target=urn + uri_of(capture.url), name=urn),
        *((("WARC-Refers-To", of),) if of else ()),
        ("WARC-Payload-Digest", digest),
        ("WARC-Block-Digest", digest),
        *_head_kind(capture),
        ("Content-Type", kind),
    )
    return Record(fields, block)


def _common(capture: Capture, part: str, info: str, *, target: str | None = None, name: str | None = None) -> Fields:
    return (
        ("WARC-Type", part),
        ("WARC-Record-ID", record_id(capture.id, name or part)),
        ("WARC-Warcinfo-ID", info),
        ("WARC-Target-URI", target or uri_of(capture.url)),
        ("WARC-Date", date_of(capture)),
        (CAPTURE_FIELD, capture.id),
    )


def _head_kind(capture: Capture) -> Fields:
    kind = capture.response.head_kind if capture.response else "exact"
    return () if kind == "exact" else ((HEADERS_FIELD, kind),)


def _wire(capture: Capture) -> Fields:
    """Address and protocols of the exchange, as they were on the wire."""
    net = capture.net
    fields: list[tuple[str, str]] = []
    if net is not None:
        fields.append(("WARC-IP-Address", net.ip))
    if capture.http in _HTTP:
        fields.append(("WARC-Protocol", _HTTP[capture.http]))
    if net is not None and net.tls is not None:
        if version := _tls_version(net.tls):
            fields.append(("WARC-Protocol", version))
        if net.tls.cipher:
            fields.append(("WARC-Cipher-Suite", net.tls.cipher))
    return tuple(fields)


def _tls_version(tls: Tls) -> str | None:
    name, _, number = tls.version.partition("v")
    if name not in ("TLS", "SSL") or not number:
        return None
    return f"{name.lower()}/{number if name == 'SSL' or '.' in number else number + '.0'}"
