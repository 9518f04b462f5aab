"""What a capture says of its request: no secret of it, wherever it stands."""

from collections.abc import Callable

import pytest

from polite_crawler.store.record import Capture
from polite_crawler.transport.evidence import Facts, of_failure, of_skip
from polite_crawler.transport.wire import ExchangeError

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
