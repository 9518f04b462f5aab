"""The capture of an exchange that failed: no secret of it stands in the note."""

import pytest

from polite_crawler.transport import evidence
from polite_crawler.transport.wire import ExchangeError

SENT = b"GET /?token=t0psecret HTTP/1.1\r\nHost: a.example\r\nAuthorization: Basic dDBwc2VjcmV0\r\n\r\n"
# what came before the connection broke, and what the note shows of it
RECEIVED = [
    (b"SSH-2.0-x\r\n", b"SSH-2.0-x\r\n"),
    (b"\x16\x03\x01\x00", b"\x16\x03\x01\x00"),
    (b"HTTP/1.1 200 OK\r\nA: b", b"HTTP/1.1 200 OK\r\nA: b"),
    (b"HTTP/1.1 200 X\r\nSet-Cookie: a=s3cr3t; Path=/\r\n", b"HTTP/1.1 200 X\r\nSet-Cookie: a=REDACTED; Path=/\r\n"),
    (b"HTTP/1.1 200 OK\r\nSet-Cookie: sid=s3cr", b"HTTP/1.1 200 OK\r\nSet-Cookie: sid=REDACTED"),
    (b"HTTP/1.1 302 X\r\nLocation: /?code=s3cr3t-id\r\n", b"HTTP/1.1 302 X\r\nLocation: /?code=REDACTED\r\n"),
    (b"HTTP/1.1 200 OK\r\nX-Echo: dDBwc2VjcmV0\r\n", b"HTTP/1.1 200 OK\r\nX-Echo: REDACTED\r\n"),
    (b"you sent t0psecret", b"you sent REDACTED"),
]  # fmt: skip


@pytest.mark.parametrize(("received", "shown"), RECEIVED)
def test_the_note_of_a_failure_shows_what_came_without_its_secrets(received: bytes, shown: bytes) -> None:
    facts = evidence.Facts("http://a.example/?token=t0psecret")
    error = ExchangeError("protocol", "it broke after dDBwc2VjcmV0", sent=True, request_head=SENT, received=received)
    capture = evidence.of_failure(facts, error, now=1.0)
    assert capture.note == f"it broke after REDACTED; received {shown!r}"


def test_nothing_came() -> None:
    capture = evidence.of_failure(evidence.Facts("http://a.example/"), ExchangeError("dns", "no name"), now=1.0)
    assert (capture.note, capture.request, capture.redacted) == ("no name", None, ())
