"""A request to an archive: the search that it belongs to, what its answer says of the archive, and the copy in it."""

from dataclasses import replace
from typing import Any

from scrapy import Request

from polite_crawler.archive import fallback
from polite_crawler.archive.copies import Entity
from polite_crawler.archive.mementos import ArchivedCopy
from polite_crawler.archive.search import Search
from polite_crawler.rules import pacing, redaction
from polite_crawler.scheduling.scrapy_private import readdress
from polite_crawler.store.record import Capture, ResponseHead
from polite_crawler.transport import evidence
from polite_crawler.transport.evidence import Facts
from polite_crawler.transport.meta import INDEX_AGE, KIND, LIVE, SEARCH
from polite_crawler.transport.wire import Wire

_OURS = (SEARCH, LIVE, INDEX_AGE, KIND)
Fields = list[tuple[str, str]]


def search_of(request: Request) -> Search:
    """The search that a request with the meta key SEARCH belongs to."""
    return Search.from_json(request.meta[SEARCH])


def fields_of(wire: Wire) -> Fields:
    """The fields of an answer, as text."""
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in wire.headers]


def body_of(wire: Wire) -> bytes:
    """The body of an answer; as received when it is not what its coding says, as the Wayback Machine can send it."""
    return wire.payload if wire.decoded is None else wire.decoded


def pace_of(request: Request, wire: Wire, answer: pacing.Answer) -> pacing.Answer:
    """What the pace learns from the answer of an archive. It hands on refusals of other servers: those are answers
    like any other, and only what it says of itself makes it wait or stops it."""
    said = fallback.refusal(search_of(request).ask, wire.status, fields_of(wire), body_of(wire))
    if said is None:
        return replace(answer, status=200, retry_after_s=None, error=False)
    wait = said.wait_s or 0.0
    # an archive that failed waits as after a 503
    status = 503 if wire.status >= 500 else wire.status
    return replace(answer, status=status, retry_after_s=wait, refused=said.stops or wait > pacing.LONG_RETRY_AFTER)


def wire_of(copy: ArchivedCopy, entity: Entity, wire: Wire) -> Wire:
    """The copy as the exchange that it is a record of. Its times are those of the exchange with the archive."""
    headers = tuple(
        (name.strip(), value.strip())
        for name, colon, value in (line.partition(b":") for line in copy.head.split(b"\r\n")[1:])
        if colon
    )
    return replace(
        wire, request_head=b"", response_head=copy.head, http="1.1", status=copy.status, reason="", headers=headers,
        payload=entity.payload, decoded=entity.decoded, coding=entity.coding, declared=None,
        truncated="length" if entity.cut else wire.truncated, undecodable=None, ip="", port=0, tls=None,
        wire_octets=0, notes=(), interim=(),
    )  # fmt: skip


def capture_of(facts: Facts, wire: Wire, copy: ArchivedCopy, *, asked: str, of: str) -> Capture:
    """The capture of a copy: its head is put together, its `source` says where it is from, for which URL it was asked
    for, and which capture is the exchange with the archive."""
    capture = evidence.of_wire(facts, wire, outcome="ok")
    assert capture.response is not None
    source: dict[str, Any] = {**copy.to_source(), "asked": asked, "of": of}
    shown = {key: redaction.redact_url(value, facts.params).url for key, value in source.items() if key in _URLS}
    return replace(
        capture, net=None, response=ResponseHead(capture.response.head, "rebuilt"), source={**source, **shown}
    )


def end(request: Request) -> None:
    """A search has ended: its last request becomes the one that was asked for."""
    live: Any = request.meta.get(LIVE)
    readdress(request, request.meta[SEARCH]["ask"]["url"])
    if live is not None:
        request.headers = live.request.headers.copy()
    for key in _OURS:
        request.meta.pop(key, None)


_URLS = frozenset({"url", "original", "asked"})
