"""Connections: when one is used again, how it ends, and what an exchange that ends leaves."""

import asyncio

import pytest
from transport_site import FAST, OPEN, Peer, answers, client, first, ok, run, site

from polite_crawler.transport.exchange import Client, Timeouts
from polite_crawler.transport.wire import ExchangeError


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


def test_a_client_needs_no_loop_to_be_made() -> None:
    one = Client(egress=OPEN, timeouts=FAST)

    async def main() -> None:
        async with site(answers(ok())) as here:
            assert (await one.exchange("GET", here.url, [])).status == 200
            await one.close()

    run(main())
