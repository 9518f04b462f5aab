"""One exchange over real sockets: what servers do, what is sent, and when a connection is used again."""

import asyncio
import gzip
import socket
import zlib
from collections.abc import Sequence

import psutil
import pytest
from transport_site import FAST, OPEN, Peer, Script, answers, client, failure, get, ok, only, run, site

from polite_crawler.errors import BadOption
from polite_crawler.transport.exchange import Client, Timeouts
from polite_crawler.transport.resolver import Resolver, SockAddr
from polite_crawler.transport.wire import ExchangeError, Wire

SOON = Timeouts(dns=5, connect=5, head=0.05, body=0.05)


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


@pytest.mark.parametrize(
    ("head", "part"),
    [
        (b"Content-Length: 99\r\n\r\n", b"first"),
        (b"\r\n", b"first"),
        (b"Transfer-Encoding: chunked\r\n\r\n9\r\n", b"first"),
    ],
)
def test_a_body_that_does_not_end_in_time_is_kept(head: bytes, part: bytes) -> None:
    wire = get(answers(b"HTTP/1.1 200 OK\r\n" + head + part, hold=True), timeouts=SOON)
    assert (wire.payload, wire.decoded, wire.truncated) == (part, part, "time")


def test_an_endless_drip_ends() -> None:
    async def drip(peer: Peer) -> None:
        await peer.request()
        await peer.send(b"HTTP/1.1 200 OK\r\n\r\n")
        while not peer.writer.is_closing():
            await peer.send(b"x")
            await asyncio.sleep(0.001)

    wire = get(drip, timeouts=SOON)
    assert wire.truncated == "time"
    assert set(wire.payload) == {ord("x")}


def test_a_body_that_breaks_off_is_kept() -> None:
    for octets, body in (
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhello", b"hello"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", b"hello"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", b"hel"),
    ):
        wire = get(answers(octets))
        assert (wire.payload, wire.truncated, wire.status) == (body, "disconnect", 200)


def test_a_reset_inside_a_body_that_runs_to_the_close_is_no_end() -> None:
    """A close ends such a body, a reset breaks it."""

    async def main() -> Wire:
        got = asyncio.Event()

        async def script(peer: Peer) -> None:
            await peer.request()
            await peer.send(b"HTTP/1.1 200 OK\r\n\r\nhello")
            await got.wait()
            peer.reset()

        async with site(script) as here, client() as one:
            exchange = asyncio.ensure_future(one.exchange("GET", here.url, []))
            connection = await first(one)
            while connection._reader is None or not connection._reader.received:
                await asyncio.sleep(0)
            got.set()
            return await exchange

    wire = run(main())
    assert (wire.payload, wire.truncated) == (b"hello", "disconnect")


async def first(one: Client):  # type: ignore[no-untyped-def]
    """The first live connection of a client."""
    while not one._live:
        await asyncio.sleep(0)
    return next(iter(one._live))


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


def test_connections_are_used_again_when_that_is_safe() -> None:
    octets = [
        (ok(), True),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n", True),
        (ok(b"hello", b"Connection: close"), False),
        (ok(b"hello", b"Content-Length: 5"), False),
        (ok() + b"surplus", False),
    ]
    for answer, again in octets:

        async def main(answer: bytes = answer) -> tuple[bool, int]:
            async with site(answers(answer, ok())) as here, client() as one:
                await one.exchange("GET", here.url, [])
                wire = await one.exchange("GET", here.url, [])
                return wire.reused, here.connections

        assert run(main()) == (again, 1 if again else 2), answer


def test_another_port_or_host_is_another_connection() -> None:
    async def main() -> None:
        async with site(answers(ok(), ok())) as a, site(answers(ok())) as b, client() as one:
            for url in (a.url, b.url, a.url.replace("127.0.0.1", "localhost")):
                assert not (await one.exchange("GET", url, [])).reused
            assert (await one.exchange("GET", a.url, [])).reused

    run(main())


def test_a_connection_that_waited_too_long_is_not_used() -> None:
    async def main() -> None:
        async with site(answers(ok(), ok())) as here, client(keepalive_s=0.02) as one:
            await one.exchange("GET", here.url, [])
            connection = await first(one)
            await connection.closed
            assert not (await one.exchange("GET", here.url, [])).reused
            assert here.connections == 2

    run(main())


def test_the_server_says_how_long_it_waits() -> None:
    async def main() -> None:
        async with site(answers(ok(b"x", b"Keep-Alive: timeout=0"), ok())) as here, client() as one:
            await one.exchange("GET", here.url, [])
            assert not (await one.exchange("GET", here.url, [])).reused

    run(main())


def test_without_keep_alive_the_server_is_told() -> None:
    async def main() -> None:
        async with site(answers(ok())) as here, client(keepalive_s=0) as one:
            wire = await one.exchange("GET", here.url, [])
            assert b"\r\nConnection: close\r\n" in wire.request_head
            assert not (await one.exchange("GET", here.url, [])).reused

    run(main())


@pytest.mark.parametrize("how", ["close", "reset"])
def test_an_idle_connection_that_closes_under_a_request_is_no_second_request(how: str) -> None:
    """The server closes in the moment in which the request is on its way."""

    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(ok())
        if peer.number == 0:
            await peer.request()
            if how == "reset":
                peer.reset()
        else:
            await peer.gone()

    async def main() -> None:
        async with site(script) as here, client() as one:
            await one.exchange("GET", here.url + "1", [])
            with pytest.raises(ExchangeError) as caught:
                await one.exchange("GET", here.url + "2", [])
            assert (caught.value.kind, caught.value.sent) == ("idle", True)
            assert here.connections == 1
            assert [request.split()[1] for request in here.requests] == [b"/1", b"/2"]
            wire = await one.exchange("GET", here.url + "2", [])
            assert (wire.status, wire.reused, here.connections) == (200, False, 2)

    run(main())


def test_an_idle_connection_that_was_closed_before_is_not_used() -> None:
    async def main() -> None:
        async with site(answers(ok())) as here, client() as one:
            await one.exchange("GET", here.url, [])
            await (await first(one)).closed
            assert not (await one.exchange("GET", here.url, [])).reused

    run(main())


def test_octets_on_an_idle_connection_close_it() -> None:
    """A late 408 is the answer to no request."""

    async def main() -> None:
        told = asyncio.Event()

        async def script(peer: Peer) -> None:
            await peer.request()
            await peer.send(ok())
            await told.wait()
            await peer.send(b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
            await peer.gone()

        async with site(script) as here, client() as one:
            await one.exchange("GET", here.url, [])
            told.set()
            await (await first(one)).closed
            told.clear()
            wire = await one.exchange("GET", here.url, [])
            assert (wire.status, wire.reused) == (200, False)

    run(main())


def test_a_cancelled_exchange_closes_its_socket_at_once() -> None:
    async def main() -> None:
        asked, gone = asyncio.Event(), asyncio.Event()

        async def script(peer: Peer) -> None:
            await peer.request()
            asked.set()
            await peer.gone()
            gone.set()

        async with site(script) as here, client() as one:
            task = asyncio.ensure_future(one.exchange("GET", here.url, []))
            await asked.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(gone.wait(), 5)
            assert not any(connection.open for connection in one._live)

    run(main())


def test_a_closed_client_ends_what_is_in_progress_and_begins_nothing() -> None:
    async def main() -> None:
        asked = asyncio.Event()

        async def script(peer: Peer) -> None:
            await peer.request()
            asked.set()
            await peer.gone()

        async with site(script) as here, client() as one:
            task = asyncio.ensure_future(one.exchange("GET", here.url, []))
            await asked.wait()
            await one.close()
            for exchange in (task, one.exchange("GET", here.url, [])):
                with pytest.raises(ExchangeError) as caught:
                    await exchange
                assert caught.value.kind == "cancelled"
            assert here.connections == 1

    run(main())


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


def listed(*ips: str) -> Resolver:
    """A resolver that gives each answer once, then the last one again."""
    left = list(ips)

    def resolve(host: str, port: int) -> list[SockAddr]:
        ip = left.pop(0) if len(left) > 1 else left[0]
        return [(one, port) for one in ip.split()]

    return Resolver(resolve)


def test_a_name_that_is_bound_anew_never_reaches_the_refused_address() -> None:
    """The first answer is good, the second is loopback of another kind: one look-up a connection, each one judged."""

    async def main() -> None:
        async with site(answers(ok(), ok())) as here:
            url = f"http://rebound.example:{here.port}/"
            async with client(egress=only("127.0.0.1"), resolver=listed("127.0.0.1", "127.0.0.2")) as one:
                wire = await one.exchange("GET", url, [])
                assert wire.ip == "127.0.0.1"
                assert wire.request_head.split(b"\r\n")[1] == b"Host: rebound.example:%d" % here.port
                assert (await one.exchange("GET", url, [])).reused  # no second look-up
            async with client(egress=only("127.0.0.1"), resolver=listed("127.0.0.2")) as one:
                with pytest.raises(ExchangeError) as caught:
                    await one.exchange("GET", url, [])
                assert (caught.value.kind, caught.value.sent) == ("egress", False)
                assert str(caught.value) == (
                    "egress policy: 127.0.0.2 is a loopback address; set POLITE_ALLOW_PRIVATE to fetch it"
                )
            assert here.connections == 1

    run(main())


def test_every_address_of_a_name_is_tried() -> None:
    async def main() -> None:
        async with site(answers(ok())) as here, client(resolver=listed("127.0.0.2 127.0.0.3 127.0.0.1")) as one:
            wire = await one.exchange("GET", f"http://three.example:{here.port}/", [])
            assert wire.ip == "127.0.0.1"

    run(main())


def test_a_port_that_refuses() -> None:
    async def main() -> None:
        async with site(answers()) as here:
            pass
        async with client(resolver=listed("127.0.0.2 127.0.0.1")) as one:
            with pytest.raises(ExchangeError) as caught:
                await one.exchange("GET", f"http://down.example:{here.port}/", [])
        error = caught.value
        assert (error.kind, error.sent, error.ip, error.request_head) == ("refused", False, "127.0.0.1", None)
        assert str(error) == f"127.0.0.1 port {here.port} does not connect: connection refused"

    run(main())


def test_a_name_that_does_not_resolve() -> None:
    def resolve(host: str, port: int) -> list[SockAddr]:
        raise OSError(-2, "Name or service not known")

    async def main() -> None:
        async with client(resolver=Resolver(resolve)) as one:
            with pytest.raises(ExchangeError) as caught:
                await one.exchange("GET", "http://gone.example/", [])
            assert (caught.value.kind, caught.value.sent) == ("dns", False)

    run(main())


def test_a_gigabyte_bomb_costs_little() -> None:
    """5 MiB are kept; at most 128 KiB are read from the wire, and memory grows by less than 50 MB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = bytes(1 << 20)
    bomb = b"".join([packer.compress(block) for _ in range(1024)] + [packer.flush()])
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)
    before = psutil.Process().memory_info().rss
    wire = get(answers(head + bomb))
    assert (wire.truncated, wire.declared, wire.decoded) == ("length", len(bomb), bytes(5 * 1024 * 1024))
    assert wire.wire_octets <= 131_072
    assert psutil.Process().memory_info().rss - before < 50_000_000


def test_a_limit_of_its_own_and_one_of_the_client() -> None:
    async def main() -> list[Wire]:
        body = ok(b"x" * 3000)
        async with site(answers(body, body)) as here, client(max_bytes=2000) as one:
            return [
                await one.exchange("GET", here.url, []),
                await one.exchange("GET", here.url, [], max_bytes=3000),
            ]

    assert [(len(wire.payload), wire.truncated) for wire in run(main())] == [(2000, "length"), (3000, None)]


def test_a_large_body_in_many_reads() -> None:
    body = bytes(range(256)) * 12_000
    packed = gzip.compress(body, 1)
    plain = get(answers(ok(body)))
    assert (plain.payload, plain.truncated) == (body, None)
    coded = get(answers(ok(packed, b"Content-Encoding: gzip")))
    assert (coded.payload, coded.decoded, coded.coding) == (packed, body, "gzip")
    parts = [body[at : at + 7000] for at in range(0, len(body), 7000)]
    chunked = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in [*parts, b""])
    wire = get(answers(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked))
    assert (wire.payload, wire.truncated) == (body, None)


def test_many_exchanges_share_one_buffer_and_mix_nothing_up() -> None:
    async def script(peer: Peer) -> None:
        while request := await peer.request():
            number = int(request.split()[1][1:])
            octets = ok(b"%d," % number * (number * 37 % 5000 + 1))
            for at in range(0, len(octets), 997):
                await peer.send(octets[at : at + 997])
                await asyncio.sleep(0)

    async def main() -> None:
        async with site(script) as here, client() as one:
            wires = await asyncio.gather(*(one.exchange("GET", f"{here.url}{n}", []) for n in range(60)))
            for number, wire in enumerate(wires):
                assert wire.payload == b"%d," % number * (number * 37 % 5000 + 1)

    run(main())


def test_a_second_exchange_has_its_own_time() -> None:
    """The timer of the first exchange looks again at the end of the second."""

    async def main() -> None:
        limits = Timeouts(dns=5, connect=5, head=0.1, body=0.1)
        async with site(answers(ok(), b"", hold=True)) as here, client(timeouts=limits) as one:
            await one.exchange("GET", here.url, [])
            await asyncio.sleep(0.05)
            begun = asyncio.get_running_loop().time()
            with pytest.raises(ExchangeError) as caught:
                await one.exchange("GET", here.url, [])
            assert caught.value.kind == "timeout"
            assert asyncio.get_running_loop().time() - begun >= 0.09

    run(main())


def test_a_body_may_have_less_time_than_a_head() -> None:
    limits = Timeouts(dns=5, connect=5, head=60, body=0.05)
    wire = get(answers(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", hold=True), timeouts=limits)
    assert (wire.payload, wire.truncated) == (b"hello", "time")


def test_so_many_connections_wait_and_no_more() -> None:
    async def main() -> None:
        async with client() as one:
            one._pool._most = 2
            sites = [site(answers(ok(), ok())) for _ in range(3)]
            here = [await each.__aenter__() for each in sites]
            for each in here:
                await one.exchange("GET", each.url, [])
            again = [(await one.exchange("GET", each.url, [])).reused for each in reversed(here)]
            assert again == [True, True, False]
            for each in sites:
                await each.__aexit__(None, None, None)

    run(main())


def test_ipv6() -> None:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")

    async def main() -> Wire:
        async with site(answers(ok()), host="::1") as here, client() as one:
            wire = await one.exchange("GET", f"http://[::1]:{here.port}/", [])
            assert wire.request_head.split(b"\r\n")[1] == b"Host: [::1]:%d" % here.port
            return wire

    assert run(main()).ip == "::1"


def test_a_client_needs_no_loop_to_be_made() -> None:
    one = Client(egress=OPEN, timeouts=FAST)

    async def main() -> None:
        async with site(answers(ok())) as here:
            assert (await one.exchange("GET", here.url, [])).status == 200
            await one.close()

    run(main())
