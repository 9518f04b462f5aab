"""Whole crawls on loopback: what the server saw, and how each request ended."""

import asyncio
from typing import Any
from urllib.parse import urljoin

import pytest
from lane_lab import LabSpider, Server, crawl, ended, host, start_crawl
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.utils.defer import _schedule_coro

from polite_crawler.rules.urls import host_key
from polite_crawler.scheduling.scheduler import scheduler_of
from polite_crawler.transport.trace import trace_of


@pytest.mark.parametrize("reactor", [True, False], ids=["asyncio reactor", "reactorless"])
def test_one_request_at_a_time_and_a_rest_from_the_end(server: Server, reactor: bool):
    urls = [server.url(host(number), f"/{page}?d=0.02") for page in range(4) for number in range(1, 6)]
    run = ended(start_crawl(urls, rest=0.1, reactor=reactor))
    assert run.reason == "finished"
    assert len(run.ended("callback")) == 20
    assert server.beside() == 0
    rests = [rest for number in range(1, 6) for rest in server.rests(host(number))]
    assert len(rests) == 15
    assert min(rests) >= 0.1


def test_the_rest_counts_from_the_end_of_a_slow_response(server: Server):
    crawl(LabSpider, [server.url(host(1), "/slow?d=0.3"), server.url(host(1), "/next")], rest=0.2)
    assert server.rests(host(1))[0] >= 0.2


def test_first_in_first_out_within_a_depth(server: Server):
    class Tree(LabSpider):
        def got(self, response: Response) -> Any:
            super().got(response)
            name = response.url.rpartition("/")[2]
            if len(name) < 3:
                yield from (self.request(response.urljoin(f"/{name}{letter}")) for letter in "abc")

    crawl(Tree, [server.url(host(1), "/r")], rest=0.001)
    assert server.paths(host(1)) == ["/r", *("/r" + a for a in "abc"), *("/r" + a + b for a in "abc" for b in "abc")]


def test_a_higher_priority_goes_first(server: Server):
    class Mixed(LabSpider):
        async def start(self) -> Any:
            for path, priority in (("/0", 0), ("/low", -1), ("/high", 5), ("/same", 0)):
                yield self.request(server.url(host(1), path), priority=priority)

    # the first request leaves before the others are known
    crawl(Mixed, rest=0.01)
    assert server.paths(host(1)) == ["/0", "/high", "/same", "/low"]


class Robots:
    """As much of a robots.txt middleware as passes the lanes: the file of a host is asked for once."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.files: dict[str, asyncio.Future[Response]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "Robots":
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        if request.meta.get("kind") == "robots":
            return
        key = host_key(request.url)
        if key not in self.files:
            ask = Request(urljoin(request.url, "/robots.txt"), meta={"kind": "robots"})
            self.files[key] = asyncio.ensure_future(self.crawler.engine.download_async(ask))
        file = await asyncio.shield(self.files[key])
        if file.status == 200 and b"Disallow: /\n" in file.body:
            raise IgnoreRequest("robots.txt disallows this URL")


GATED = {
    "DOWNLOADER_MIDDLEWARES": {Robots: 100, "polite_crawler.middlewares.lane_gate.LaneGate": 105},
}


def test_robots_txt_passes_the_same_lane(server: Server):
    urls = [server.url(host(number), f"/{page}") for page in range(3) for number in (1, 2, 3)]
    run = crawl(LabSpider, urls, rest=0.1, **GATED)
    assert len(run.ended("callback")) == 9
    for number in (1, 2, 3):
        assert server.paths(host(number)) == ["/robots.txt", "/0", "/1", "/2"]
        assert min(server.rests(host(number))) >= 0.1
    assert server.beside() == 0


def test_giving_back_counts_nothing_and_keeps_the_order(server: Server):
    urls = [server.url(host(number), f"/{page}") for page in range(2) for number in range(1, 11)]
    counted: list[str] = []

    class After:
        """A middleware behind the gate: what it sees is sent."""

        def process_request(self, request: Request) -> None:
            counted.append(request.url)

    behind = {**GATED["DOWNLOADER_MIDDLEWARES"], After: 990}
    run = crawl(LabSpider, urls, rest=0.1, CONCURRENT_REQUESTS=4, DOWNLOADER_MIDDLEWARES=behind)
    assert run.stats["polite/given_back"] == 10
    assert run.stats["scheduler/enqueued"] == run.stats["scheduler/dequeued"] == 20
    assert len(counted) == len(server.seen) == 30
    assert len(run.ended("callback")) == 20
    assert {tuple(server.paths(host(number))) for number in range(1, 11)} == {("/robots.txt", "/0", "/1")}


def test_a_request_that_was_given_back_still_meets_the_duplicate_filter(server: Server):
    """A hop inherits dont_filter, so a request that had it set by giving back would switch the filter off."""
    unfiltered: list[bool] = []

    class Hops(LabSpider):
        def got(self, response: Response) -> Any:
            super().got(response)
            assert response.request is not None
            unfiltered.append(response.request.dont_filter)
            if "to" in response.url:
                yield response.request.replace(url=response.headers["location"].decode())

    seen = server.url(host(1), "/seen")
    urls = [server.url(host(2), f"/hop?s=302&to={seen}"), seen, server.url(host(2), f"/again?s=302&to={seen}")]
    run = crawl(Hops, urls, rest=0.05, REDIRECT_ENABLED=False, **GATED)
    assert run.stats["polite/given_back"] == 2
    assert unfiltered == [False] * 3
    assert server.paths(host(1)).count("/seen") == 1


@pytest.mark.parametrize("middleware", [True, False], ids=["hop of a middleware", "hop of the spider"])
def test_a_hop_to_another_host_waits_for_that_host(server: Server, middleware: bool):
    """With a slot key from the meta, the hop would wait in the queue of the first host and spin on the second."""
    with_slot: list[bool] = []

    class Hop(LabSpider):
        async def start(self) -> Any:
            self.crawler.signals.connect(self.scheduled, signals.request_scheduled)
            async for request in super().start():
                yield request

        def scheduled(self, request: Request) -> None:
            if request.url == target:
                with_slot.append("download_slot" in request.meta)

        def got(self, response: Response) -> Any:
            super().got(response)
            if "location" in response.headers:
                assert response.request is not None
                yield response.request.replace(url=response.headers["location"].decode())

    target = server.url(host(2), "/target")
    urls = [server.url(host(2), "/slow?d=0.5"), server.url(host(1), f"/hop?s=302&to={target}")]
    run = crawl(Hop, urls, rest=0.05, REDIRECT_ENABLED=middleware)
    assert with_slot == [False]
    assert server.paths(host(2)) == ["/slow?d=0.5", "/target"]
    assert server.beside() == 0
    assert run.stats.get("polite/given_back", 0) == 0
    assert run.stats["downloader/request_count"] == 3


@pytest.mark.parametrize("slot", ["x", "127.0.1.9", ""])
def test_a_download_slot_of_the_user_has_no_effect(server: Server, slot: str):
    travelled: list[bool] = []
    slots: set[str] = set()

    class Slots(LabSpider):
        async def start(self) -> Any:
            for number in range(4):
                name = {"download_slot": f"{slot}{number}"} if slot else {}
                yield self.request(server.url(host(1), f"/{number}"), meta=name)

        def got(self, response: Response) -> Any:
            super().got(response)
            travelled.append("download_slot" in response.meta)
            slots.update(self.crawler.engine.downloader.slots)

    run = crawl(Slots, rest=0.05)
    assert len(run.ended("callback")) == 4
    assert travelled == [False] * 4
    assert slots == {host(1)}
    assert server.beside() == 0
    assert min(server.rests(host(1))) >= 0.05


def test_concurrent_requests_counts_hosts_and_not_their_robots_txt(server: Server):
    server.robots_delay = 0.2
    urls = [server.url(host(number), "/0") for number in range(1, 13)]
    most: list[int] = []

    class Watch:
        """While files of robots.txt are on their way, each host has two requests in the engine."""

        def __init__(self, crawler: Crawler) -> None:
            self.crawler = crawler

        @classmethod
        def from_crawler(cls, crawler: Crawler) -> "Watch":
            return cls(crawler)

        def process_request(self, request: Request) -> None:
            if request.meta.get("kind") == "robots":
                most.append(len({host_key(one.url) for one in self.crawler.engine.downloader.active}))

    behind = {**GATED["DOWNLOADER_MIDDLEWARES"], Watch: 990}
    crawl(LabSpider, urls, rest=0.01, CONCURRENT_REQUESTS=4, DOWNLOADER_MIDDLEWARES=behind)
    assert max(most) == 4


def test_one_stalled_host_does_not_hold_up_others(server: Server):
    stalled = [server.url(host(200), f"/{number}?d=0.4") for number in range(30)]
    others = [server.url(host(number), f"/{page}") for page in range(5) for number in range(1, 21)]

    class Ends(LabSpider):
        async def got(self, response: Response) -> None:  # type: ignore[override]
            super().got(response)
            if sum("127.0.1.200" not in url for url, _ in self.endings) == len(others):
                _schedule_coro(self.crawler.engine.close_spider_async(reason="the others are done"))

    run = crawl(Ends, stalled + others, rest=0.05, CONCURRENT_REQUESTS=4)
    assert run.reason == "the others are done"
    # in this time a queue without ready times would have served the stalled host alone
    assert len(server.of(host(200))) <= 5


class Inline(LabSpider):
    """Asks for a page by the engine directly, as robots.txt is, while the queue has work for the same host."""

    async def got(self, response: Response) -> None:  # type: ignore[override]
        super().got(response)
        if response.url.endswith("/0"):
            inline = await self.crawler.engine.download_async(Request(response.urljoin("/inline")))
            self.endings.append((inline.url, "inline"))


def test_a_direct_request_waits_in_line_and_is_not_sent_back(server: Server):
    run = crawl(Inline, [server.url(host(1), f"/{number}") for number in range(4)], rest=0.05)
    assert run.ended("inline") == ["/inline"]
    assert len(run.ended("callback")) == 4
    assert server.beside() == 0
    assert min(server.rests(host(1))) >= 0.05


def test_a_push_while_the_lane_is_held_elsewhere_is_popped_later(server: Server):
    """A heap key of infinity for a held lane was never looked at again."""

    class Pushed(LabSpider):
        async def got(self, response: Response) -> Any:  # type: ignore[override]
            super().got(response)
            if response.url.endswith("/0"):
                task = asyncio.ensure_future(
                    self.crawler.engine.download_async(Request(server.url(host(1), "/inline?d=0.3")))
                )
                while not server.of(host(1)):
                    await asyncio.sleep(0)
                yield self.request(server.url(host(1), "/7"))
                await task

    run = crawl(Pushed, [server.url(host(2), "/0")], rest=0.05)
    assert run.ended("callback") == ["/0", "/7"]
    assert run.reason == "finished"


def test_admitted_requests_pass_once_and_are_known_afterwards(server: Server):
    class Admits(LabSpider):
        def got(self, response: Response) -> Any:
            super().got(response)
            if self.endings == [(response.url, "callback")]:
                scheduler = scheduler_of(self.crawler)
                new, known = self.request(response.urljoin("/new")), self.request(response.urljoin("/0"))
                self.endings += [(one.url, f"admitted {scheduler.admit(one)}") for one in (new, known)]
                yield new
                yield self.request(response.urljoin("/new"))
                yield scheduler.again(self.request(response.url))

    run = crawl(Admits, [server.url(host(1), "/0")], rest=0.01)
    assert run.ended("admitted True") == ["/new"]
    assert run.ended("admitted False") == ["/0"]
    assert server.paths(host(1)) == ["/0", "/new", "/0"]
    assert run.stats["dupefilter/filtered"] == 1


def test_each_way_through_the_engine_has_a_trace_of_its_own(server: Server):
    traces: list[Any] = []

    class Look:
        def process_request(self, request: Request) -> None:
            traces.append(trace_of(request))

    before = {Look: 10, **GATED["DOWNLOADER_MIDDLEWARES"]}
    crawl(LabSpider, [server.url(host(1), "/0")], rest=0.05, DOWNLOADER_MIDDLEWARES=before)
    queued = [trace for trace in traces if trace.queued]
    assert len(queued) == 2
    assert queued[0] is not queued[1]
