"""What crawlers in one loop share, and what a caller that goes away takes with it: lane groups, requests that hurry,
a spider that stays open, values that go with their crawler."""

import asyncio
import gc
import weakref
from typing import Any

import pytest
from fake_clock import FakeClock
from lane_lab import SETTINGS, LabSpider, memory_lanes, serving
from queue_lab import OK, Lab
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.utils.test import get_crawler
from waits_lab import settle

from polite_crawler.rules.pacing import Policy
from polite_crawler.scheduling.host_queue import HostQueue
from polite_crawler.scheduling.lane_group import LaneGroup
from polite_crawler.scheduling.lanes import Closing, HostStopped, LaneEvent, use_lanes
from polite_crawler.scheduling.per_crawler import PerCrawler
from polite_crawler.scheduling.ready_queue import ready_queue_of
from polite_crawler.scheduling.scrapy_private import keep_open
from polite_crawler.store.hosts import HostStateStore


@pytest.fixture
def group(store: HostStateStore, clock: FakeClock) -> LaneGroup:
    return LaneGroup(store, lambda host: Policy(page_interval=3.0, slow_factor=0), clock=clock, max_wait=600.0)


def test_a_host_has_one_lane_among_all_members(group: LaneGroup, clock: FakeClock) -> None:
    async def main() -> None:
        one, other = group.join(), group.join()
        held = await one.acquire("a")
        waits = asyncio.ensure_future(other.acquire("a"))
        await settle()
        assert not waits.done()
        one.release(held, OK)
        clock.advance(2.9)
        await settle()
        assert not waits.done()
        clock.advance(0.1)
        assert (await waits).host == "a"
        assert other.held == 1

    asyncio.run(main())


def test_members_hear_of_a_release_at_once_and_before_whoever_released(group: LaneGroup, clock: FakeClock) -> None:
    async def main() -> None:
        one, other, third = group.join(), group.join(), group.join()
        heard: list[tuple[str, LaneEvent]] = []
        for name, lanes in (("one", one), ("other", other), ("third", third)):
            lanes.listeners.append(lambda event, name=name: heard.append((name, event)))
        held = await one.acquire("a")
        assert other.ready_at("a") > clock.now()
        one.release(held, OK)
        assert [(name, event.kind) for name, event in heard] == [("other", "peer"), ("third", "peer"), ("one", "free")]
        # no look at a row that is as old as POLL
        assert other.ready_at("a") == clock.now() + 3.0

    asyncio.run(main())


def test_members_hear_of_a_stop_and_of_a_reset(group: LaneGroup, clock: FakeClock) -> None:
    async def main() -> None:
        one, other = group.join(), group.join()
        held = await other.acquire("a")
        other.release(held, None)
        other.rest("a", 60)
        waits = asyncio.ensure_future(other.acquire("a"))
        await settle()
        one.stop("a", 3600, "status 403")
        with pytest.raises(HostStopped):
            await waits
        assert other.stop_of("a") is not None
        one.reset()
        assert other.stop_of("a") is None
        other.rest("a", 60)
        waits = asyncio.ensure_future(other.acquire("a"))
        await settle()
        one.reset()
        clock.advance(3.1)
        assert (await waits).host == "a"

    asyncio.run(main())


def test_a_member_that_closes_leaves_the_others_open(group: LaneGroup, clock: FakeClock) -> None:
    async def main() -> None:
        one, other = group.join(), group.join()
        one.rest("a", 60)
        waits = asyncio.ensure_future(one.acquire("a"))
        await settle()
        one.close()
        with pytest.raises(Closing):
            await waits
        group.leave(one)
        assert (one.peers, other.peers) == ([], [])
        assert (await other.acquire("b")).host == "b"

    asyncio.run(main())


def test_deadlines_are_those_of_each_member(group: LaneGroup, clock: FakeClock) -> None:
    one, other = group.join(), group.join()
    one.deadline = clock.now() + 10
    assert one.limit() == clock.now() + 10
    assert other.limit() == clock.now() + 600


def test_a_request_that_hurries_pops_at_once(lab: Lab) -> None:
    first, second, third = lab.push("a/1", "a/2", "a/3")
    assert lab.fetch() == "a/1"
    assert lab.pop() is None
    assert lab.queue.hurry(third)
    assert len(lab.queue) == 2
    assert lab.pop() == "a/3"
    assert (len(lab.queue), lab.queue.in_progress) == (1, 1)
    assert not lab.queue.hurry(first)
    assert not lab.queue.hurry(third)
    lab.queue.back(third)
    lab.clock.advance(3)
    assert lab.pop() == "a/2"
    assert second is not None


def test_the_engine_is_woken_for_it(lab: Lab) -> None:
    (waits,) = lab.push("a/1")
    lab.lanes.rest("a", 100)
    assert lab.pop() is None
    assert lab.queue.hurry(waits)
    lab.clock.advance(0.01)
    assert lab.engine.count == 1
    assert lab.pop() == "a/1"
    # nothing waits for the host any more
    assert (len(lab.queue), lab.clock.waiting()) == (0, [])


def test_one_with_a_deadline_of_its_own_comes_one_time(lab: Lab) -> None:
    waits, stays = lab.push("a/1", "a/2", meta={"polite_deadline": lab.clock.now() + 50})
    lab.lanes.rest("a", 20)
    assert lab.queue.hurry(waits)
    assert lab.pop() == "a/1"
    lab.clock.advance(60)
    assert lab.pops() == ["a/2"]
    assert stays is not None


def test_removing_from_a_host_queue() -> None:
    queue = HostQueue()
    requests = [Request(f"http://a/{number}", priority=number % 2) for number in range(6)]
    for request in requests:
        queue.push(request)
    assert queue.remove(requests[1])
    assert not queue.remove(requests[1])
    assert queue.remove(requests[4])
    assert not queue.remove(Request("http://a/1"))
    assert len(queue) == 4
    popped = [queue.pop() for _ in range(4)]
    assert [requests.index(one) for one in popped if one is not None] == [3, 5, 0, 2]
    assert (queue.pop(), len(queue)) == (None, 0)


class Stays(LabSpider):
    """A spider that is kept open. It tells when it has its answer."""

    def __init__(self, answered: asyncio.Event, **options: Any) -> None:
        super().__init__(**options)
        self.answered = answered

    async def start(self) -> Any:
        keep_open(self.crawler)
        for url in self.urls:
            yield self.request(url)

    def got(self, response: Any) -> None:
        super().got(response)
        self.answered.set()


def test_a_spider_that_is_kept_open_is_not_asked_whether_it_is_idle() -> None:
    """By Scrapy's own rule it would close after its last request. `slot.close_if_idle` is private."""
    idle: list[str] = []
    reasons: list[str] = []

    async def main() -> None:
        crawler = Crawler(Stays, {**SETTINGS, "TWISTED_REACTOR_ENABLED": False})
        use_lanes(crawler, memory_lanes(0.0))
        answered = asyncio.Event()

        def was_idle() -> None:
            idle.append("idle")

        def closed(reason: str) -> None:
            reasons.append(reason)

        crawler.signals.connect(was_idle, signals.spider_idle)
        crawler.signals.connect(closed, signals.spider_closed)
        urls = (server.url("127.0.1.1", "/1"),)
        crawling = asyncio.ensure_future(crawler.crawl_async(answered=answered, urls=urls))
        await asyncio.wait_for(answered.wait(), 10)
        await asyncio.wait([crawling], timeout=0.3)
        assert not crawling.done()
        await crawler.stop_async()
        await crawling

    with serving() as server:
        asyncio.run(main())
    assert (idle, reasons) == ([], ["shutdown"])


def test_a_value_that_knows_its_crawler_goes_with_it() -> None:
    class Knows:
        def __init__(self, crawler: Crawler) -> None:
            self.crawler = crawler

    values, others = PerCrawler(Knows), PerCrawler(Knows)
    crawler = get_crawler()
    value = weakref.ref(values.of(crawler))
    assert values.of(crawler) is value()
    assert others.of(crawler) is not value()
    assert values.of(get_crawler()) is not value()
    del crawler
    gc.collect()
    assert value() is None


def test_a_queue_that_was_never_closed_goes_with_its_crawler() -> None:
    """A scheduler that fails to open its frontier has a queue and is never closed."""
    lab = Lab()
    crawler = weakref.ref(lab.crawler)
    assert ready_queue_of(lab.crawler) is lab.queue
    del lab
    gc.collect()
    assert crawler() is None
