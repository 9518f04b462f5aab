"""One exchange over real sockets: what is sent, what servers do, and who signs."""

from collections.abc import Sequence

import pytest
from transport_site import SOON, Peer, Script, answers, client, failure, ok, run, site

from polite_crawler.errors import BadOption
from polite_crawler.transport.wire import ExchangeError, Wire


def closes() -> Script:
    async def script(peer: Peer) -> None:
        await peer.request()

    return script


def resets() -> Script:
    async def script(peer: Peer) -> None:
        await peer.request()
        peer.reset()

    return script


def test_the_evidence_of_a_plain_exchange() -> None:
    octets = (
        b"HTTP/1.1 200 Fine\r\nX-oDD-Case:  two  spaces \r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\n"
        b"X: caf\xe9\r\nContent-Length: 5\r\n\r\nhello"
    )
    sent: list[bytes] = []

    async def main() -> Wire:
        async with site(answers(octets)) as here, client() as one:
            wire = await one.exchange("GET", here.url + "a?b=c#d", [(b"User-Agent", b"me"), (b"X-oDD", b"1")])
            sent.extend(here.requests)
            assert wire.port == here.port
            assert wire.request_head == (
                b"GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUser-Agent: me\r\nX-oDD: 1\r\n\r\n" % here.port
            )
            return wire

    wire = run(main())
    assert sent == [wire.request_head]
    assert wire.response_head + wire.payload == octets
    assert (wire.http, wire.status, wire.reason, wire.decoded) == ("1.1", 200, "Fine", b"hello")
    assert wire.headers[:3] == ((b"X-oDD-Case", b"two  spaces"), (b"set-cookie", b"a=1"), (b"Set-Cookie", b"b=2"))
    assert wire.header("SET-cookie") == "a=1, b=2"
    assert (wire.ip, wire.reused, wire.tls, wire.wire_octets) == ("127.0.0.1", False, None, len(octets))
    assert wire.started <= wire.headed <= wire.ended


def test_the_framing_of_a_request_is_ours() -> None:
    smuggled = [
        (b"Host", b"other.example"), (b"content-length", b"99"), (b"Transfer-Encoding", b"chunked"),
        (b"Connection", b"upgrade"), (b"Upgrade", b"websocket"), (b"TE", b"trailers"), (b"Expect", b"100-continue"),
        (b"Keep-Alive", b"timeout=99"), (b"Proxy-Connection", b"x"), (b"X", b"kept"),
    ]  # fmt: skip

    async def main() -> list[bytes]:
        async with site(answers(ok(), ok(), ok())) as here, client() as one:
            await one.exchange("POST", here.url, smuggled, b"body")
            await one.exchange("POST", here.url, smuggled)
            await one.exchange("GET", here.url, smuggled)
            assert here.connections == 1
            return [request.replace(b"%d" % here.port, b"PORT") for request in here.requests]

    assert run(main()) == [
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nX: kept\r\nContent-Length: 4\r\n\r\nbody",
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nX: kept\r\nContent-Length: 0\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nX: kept\r\n\r\n",
    ]


@pytest.mark.parametrize("fields", [[(b"X", b"a\r\nY: b")], [(b"X\n", b"a")], [(b"X", b"\x00")]])
def test_a_field_that_would_end_a_line_is_never_sent(fields: Sequence[tuple[bytes, bytes]]) -> None:
    async def main() -> None:
        async with site(answers(ok())) as here, client() as one:
            with pytest.raises(ExchangeError) as caught:
                await one.exchange("GET", here.url, fields)
            assert (caught.value.kind, caught.value.sent, here.connections) == ("protocol", False, 0)

    run(main())


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "http://", "nonsense", "http://a b/", "http://127.0.0.1:99999/"])
def test_a_bad_url_is_a_bad_option(url: str) -> None:
    async def main() -> None:
        async with client() as one:
            with pytest.raises(BadOption):
                await one.exchange("GET", url, [])

    run(main())


def test_credentials_of_a_url_are_not_sent() -> None:
    async def main() -> bytes:
        async with site(answers(ok())) as here, client() as one:
            await one.exchange("GET", here.url.replace("//", "//user:pass@"), [])
            return here.requests[0]

    assert b"user" not in run(main())


# what servers do wrong: (script, kind, a part of the message, first octets)
FAILURES: list[tuple[Script, str, str, bytes]] = [
    (closes(), "reset", "closed the connection before it answered", b""),
    (resets(), "reset", "connection reset by peer", b""),
    (answers(b"SSH-2.0-x\r\n", hold=True), "protocol", "does not begin with HTTP/: 'SSH-2.0-x", b"SSH-2.0-x\r\n"),
    (answers(b"\x16\x03\x01\x00"), "protocol", "does not begin with HTTP/", b"\x16\x03\x01\x00"),
    (answers(b"<html>old</html>"), "protocol", "does not begin with HTTP/", b"<html>old</html>"),
    (answers(b"ICY 200 OK\r\n\r\n"), "protocol", "does not begin with HTTP/", b"ICY 200 OK\r\n\r\n"),
    (answers(b"HTTP/1.1 20"), "protocol", "closed inside the response head", b"HTTP/1.1 20"),
    (answers(b"HTTP/1.1 200 OK\r\nA: b\r\n"), "protocol", "inside the response head", b"HTTP/1.1 200 OK\r\nA: b\r\n"),
    (answers(b"HTTP/1.1 200 OK\r\nA: " + b"x" * 300_000), "protocol", "longer than 256 KiB", b"HTTP/1.1 200 OK"),
    (answers(b"HTTP/1.1 banana\r\n\r\n"), "protocol", "cannot be read: 'HTTP/1.1 banana'", b"HTTP/1.1 banana\r\n\r\n"),
]  # fmt: skip


@pytest.mark.parametrize("at", range(len(FAILURES)))
def test_an_answer_that_is_none(at: int) -> None:
    script, kind, message, received = FAILURES[at]
    error = failure(script)
    assert (error.kind, error.sent, error.ip) == (kind, True, "127.0.0.1")
    assert message in str(error)
    assert error.received.startswith(received)
    assert len(error.received) <= 256
    assert (error.request_head or b"").startswith(b"GET / HTTP/1.1\r\n")
    assert 0 < error.started <= error.ended


@pytest.mark.parametrize("octets", [b"", b"HTTP/1.1 200 OK\r\nA", b"HTTP/1.1 103 Early\r\n\r\n"])
def test_a_head_that_does_not_come_in_time(octets: bytes) -> None:
    error = failure(answers(octets, hold=True), timeouts=SOON)
    assert (error.kind, str(error)) == ("timeout", "127.0.0.1 sent no response head within 0.05 s")
    assert error.received == octets


def test_head_no_content_and_not_modified_have_no_body() -> None:
    async def main() -> list[Wire]:
        octets = [
            b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
            b"HTTP/1.1 204 X\r\n\r\n",
            b"HTTP/1.1 304 X\r\nContent-Length: 9\r\n\r\n",
        ]
        async with site(answers(*octets)) as here, client() as one:
            wires = [await one.exchange(method, here.url, []) for method in ("HEAD", "GET", "GET")]
            assert here.connections == 1
            return wires

    assert [(wire.status, wire.payload, wire.truncated) for wire in run(main())] == [
        (200, b"", None), (204, b"", None), (304, b"", None),
    ]  # fmt: skip


def test_the_signer_is_asked_when_the_connection_stands() -> None:
    async def main() -> None:
        seen: list[tuple[int, tuple[tuple[bytes, bytes], ...]]] = []

        async with site(answers(ok(), ok())) as here, client() as one:

            def sign(method: str, url: str, fields: tuple[tuple[bytes, bytes], ...]) -> list[tuple[bytes, bytes]]:
                seen.append((len(one._live), fields))
                return [(b"Signature", b"sig1=:%d:" % len(seen))]

            for _ in range(2):
                await one.exchange("GET", here.url, [(b"X", b"y")], sign=sign)
            host = b"127.0.0.1:%d" % here.port
            assert seen == [(1, ((b"Host", host), (b"X", b"y")))] * 2
            assert [request.partition(b"Signature: ")[2] for request in here.requests] == [
                b"sig1=:1:\r\n\r\n", b"sig1=:2:\r\n\r\n",
            ]  # fmt: skip

    run(main())


def test_a_signer_that_fails_sends_nothing() -> None:
    def sign(method: str, url: str, fields: object) -> list[tuple[bytes, bytes]]:
        raise LookupError("no key")

    async def main() -> None:
        async with site(answers(ok())) as here, client() as one:
            with pytest.raises(LookupError):
                await one.exchange("GET", here.url, [], sign=sign)
            assert here.requests == []
            wire = await one.exchange("GET", here.url, [])
            assert (wire.status, here.connections) == (200, 1)

    run(main())


def test_a_signature_cannot_break_the_head() -> None:
    async def main() -> None:
        async with site(answers(ok())) as here, client() as one:
            with pytest.raises(ExchangeError) as caught:
                await one.exchange("GET", here.url, [], sign=lambda *_: [(b"Signature", b"a\r\nX: y")])
            assert (caught.value.kind, caught.value.sent, here.requests) == ("protocol", False, [])

    run(main())
