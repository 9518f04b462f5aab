"""What a capture says of its request: no secret of it, wherever it stands."""

import gzip
import hashlib
from collections.abc import Callable
from dataclasses import replace

import pytest

from polite_crawler.rules.redaction import secret_params
from polite_crawler.store.record import Capture
from polite_crawler.transport.evidence import Facts, of_failure, of_skip, of_wire, with_body
from polite_crawler.transport.response import ResponseReader
from polite_crawler.transport.wire import ExchangeError, Made, Wire

SECRET = "s3cr3t-c4n4ry"
FACTS = Facts(
    url=f"https://me:{SECRET}@h.example/a?token={SECRET}",
    referrer=f"https://h.example/b?key={SECRET}",
)


def skip(note: str) -> Capture:
    return of_skip(FACTS, reason="egress", note=note, now=1.0)


def failure(note: str) -> Capture:
    error = ExchangeError("protocol", note)
    error.received = note.encode()
    error.request_head = f"GET /a?token={SECRET} HTTP/1.1\r\nReferer: {FACTS.referrer}\r\n\r\n".encode()
    return of_failure(FACTS, error, now=1.0, notes=[f"more of {note}"])


@pytest.mark.parametrize("make", [skip, failure])
def test_no_secret_of_a_request_is_in_its_capture(make: Callable[[str], Capture]) -> None:
    capture = make(f"what a server said of {SECRET}")
    assert SECRET not in capture.sealed().line().decode()
    assert capture.note is not None
    assert capture.note.startswith("what a server said of REDACTED")
    assert capture.url == "https://REDACTED:REDACTED@h.example/a?token=REDACTED"
    assert capture.referrer == "https://h.example/b?key=REDACTED"
    places = {place.where for place in capture.redacted}
    assert {"url.userinfo", "url.query.token", "url.query.key"} <= places


def test_a_part_of_a_head_in_a_note_has_lost_what_a_head_loses() -> None:
    error = ExchangeError("protocol", "the head never ended")
    error.received = b"HTTP/1.1 200 OK\r\nSet-Cookie: sid=Zx9Zx9Zx9\r\nX-Echo: s3cr3t&#47;c4n4ry\r\nX-Other: "
    error.request_head = b"GET /a HTTP/1.1\r\n\r\n"
    note = of_failure(Facts(url="https://h.example/a?token=s3cr3t%2Fc4n4ry"), error, now=1.0).note
    received = b"HTTP/1.1 200 OK\r\nSet-Cookie: sid=REDACTED\r\nX-Echo: REDACTED\r\nX-Other: "
    assert note == f"the head never ended; received {received!r}"


PARAMS = secret_params(["ticket"])
TICKET = "t1ck3t-c4n4ry"


def wire(head: str, body: bytes = b"") -> Wire:
    reader = ResponseReader("GET", 10_000)
    reader.feed(memoryview(f"HTTP/1.1 200 OK\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body))
    return reader.wire(request_head=b"", ip="192.0.2.1", port=80, reused=False, tls=None, started=1.0)


def captured(one: Wire, url: str = "https://h.example/") -> Capture:
    capture = of_wire(Facts(url=url, params=PARAMS), one, outcome="ok")
    return with_body(capture, one, params=PARAMS, url=url)


def test_a_head_without_a_secret_is_exact() -> None:
    capture = captured(wire("Location: /?a=1\r\n", b"text"))
    assert capture.response is not None
    assert (capture.response.head_kind, capture.secret_in_body) == ("exact", False)


def test_a_secret_that_only_the_answer_tells_is_found_in_its_body() -> None:
    body = gzip.compress(b"<p>come back to /?ticket=%s soon" % TICKET.encode())
    capture = captured(wire(f"Location: /?ticket={TICKET}\r\nContent-Encoding: gzip\r\n", body))
    assert capture.response is not None
    assert capture.response.head_kind == "redacted"
    assert TICKET not in capture.response.head
    block = hashlib.sha256(capture.response.head.encode() + body).hexdigest()
    assert (capture.secret_in_body, capture.block_sha256) == (True, block)
    # the place is one of the decoded body
    assert capture.redacted[-1].at == (25, len(TICKET))


def test_where_a_page_that_was_made_moves_to_loses_its_secrets() -> None:
    made = replace(wire(""), made=Made(of="fetch.x", moves_to=f"https://h.example/?ticket={TICKET}"))
    source = captured(made).source
    assert source is not None
    assert source["moves_to"] == "https://h.example/?ticket=REDACTED"
