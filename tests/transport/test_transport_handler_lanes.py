"""The download handler and the lanes: one request of a host at a time, and each lane comes back."""

import asyncio

import pytest
from handler_lab import Lanes, answered, handled
from scrapy import Request
from scrapy.crawler import Crawler
from transport_site import Peer, Site, answers, ok

from polite_crawler.scheduling.lanes import LaneBusy
from polite_crawler.transport.exchange import Client
from polite_crawler.transport.handler import PoliteDownloadHandler
from polite_crawler.transport.resolver import Resolver
from polite_crawler.transport.trace import trace_of
from polite_crawler.transport.wire import ExchangeError


@pytest.mark.parametrize(
    ("octets", "status", "retry_after", "error"),
    [
        (b"HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n", 429, 7.0, False),
        (b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n", 503, None, False),
        (b"HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n", 302, None, False),
    ],
)
def test_the_lane_gets_the_raw_answer(octets: bytes, status: int, retry_after: float | None, error: bool) -> None:
    _, _, answer = answered(octets, polite_kind="robots")
    assert answer is not None
    assert (answer.kind, answer.status, answer.retry_after_s, answer.error) == ("robots", status, retry_after, error)


def test_one_request_of_a_host_at_a_time() -> None:
    async def script(peer: Peer) -> None:
        while await peer.request():
            await asyncio.sleep(0)
            await peer.send(ok())

    async def test(handler: PoliteDownloadHandler, here: Site, lanes: Lanes) -> None:
        responses = await asyncio.gather(*(handler.download_request(Request(f"{here.url}{n}")) for n in range(9)))
        assert [response.status for response in responses] == [200] * 9
        # each took the connection of the one before
        assert here.connections == 1
        assert [request.split()[1] for request in here.requests] == [b"/%d" % n for n in range(9)]

    handled(script, test)


def test_a_request_of_the_queue_does_not_wait_for_its_lane() -> None:
    async def test(handler: PoliteDownloadHandler, here: Site, lanes: Lanes) -> None:
        request = Request(here.url)
        trace_of(request).queued = True
        lane = await lanes.acquire("127.0.0.1")
        with pytest.raises(LaneBusy):
            await handler.download_request(request)
        lanes.release(lane, None)
        assert (await handler.download_request(request)).status == 200

    handled(answers(ok()), test)


def test_the_host_of_a_lane_comes_from_the_url_alone() -> None:
    class Named(PoliteDownloadHandler):
        def make_client(self, crawler: Crawler) -> Client:
            client = super().make_client(crawler)
            client._resolver = Resolver(lambda host, port: [("127.0.0.1", port)])
            return client

    async def test(handler: PoliteDownloadHandler, here: Site, lanes: Lanes) -> None:
        url = f"http://SITE.example.:{here.port}/"
        await handler.download_request(Request(url, meta={"download_slot": "other"}))
        assert [host for host, _ in lanes.given] == ["site.example"]

    handled(answers(ok()), test, handler=Named)


def test_a_lost_lane_ends_its_exchange() -> None:
    async def test(handler: PoliteDownloadHandler, here: Site, lanes: Lanes) -> None:
        task = asyncio.ensure_future(handler.download_request(Request(here.url)))
        while not here.requests:
            await asyncio.sleep(0)
        lane = lanes._lines["127.0.0.1"].held
        assert lane is not None
        assert lane.on_lost is not None
        lane.lost = True
        lane.on_lost()
        with pytest.raises(ExchangeError) as caught:
            await task
        assert (caught.value.kind, str(caught.value)) == (
            "cancelled",
            "the lane of 127.0.0.1 was lost to another process",
        )

    handled(answers(b"", hold=True), test)


def test_a_lane_lost_before_the_request_sends_nothing() -> None:
    async def test(handler: PoliteDownloadHandler, here: Site, lanes: Lanes) -> None:
        lanes.holds = lambda lane: False  # type: ignore[method-assign]
        with pytest.raises(LaneBusy):
            await handler.download_request(Request(here.url))
        assert here.requests == []
        assert [answer for _, answer in lanes.given] == [None]

    handled(answers(ok()), test)


def test_a_cancelled_request_gives_its_lane_back() -> None:
    async def test(handler: PoliteDownloadHandler, here: Site, lanes: Lanes) -> None:
        task = asyncio.ensure_future(handler.download_request(Request(here.url)))
        while not here.requests:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert lanes.held == 0
        assert [(answer.status, answer.error) for _, answer in lanes.given if answer] == [(None, False)]

    handled(answers(b"", hold=True), test)
