"""Bodies on the wire: what breaks off, what has no end, and what is far larger than it says."""

import asyncio
import gzip
import zlib

import psutil
import pytest
from transport_site import SOON, Peer, answers, client, first, get, ok, run, site

from polite_crawler.transport.exchange import Timeouts
from polite_crawler.transport.wire import Wire


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


def test_a_body_may_have_less_time_than_a_head() -> None:
    limits = Timeouts(dns=5, connect=5, head=60, body=0.05)
    wire = get(answers(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", hold=True), timeouts=limits)
    assert (wire.payload, wire.truncated) == (b"hello", "time")
