"""The private names of Scrapy that the engine touches: each test fails when Scrapy changes one."""

import asyncio
import inspect
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from lane_lab import SETTINGS, LabSpider, Server, crawl, memory_lanes
from scrapy import Request
from scrapy.core.downloader import Downloader
from scrapy.core.engine import ExecutionEngine
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.utils.test import get_crawler

from polite_crawler.scheduling.lanes import lanes_of, use_lanes
from polite_crawler.scheduling.scrapy_private import after_each_request, open_slots, readdress, wake_engine


def test_waking_the_engine_pops_before_its_heartbeat(server: Server, monkeypatch: pytest.MonkeyPatch):
    """With a heartbeat of an hour, only the timer of the queue moves a host that rests."""
    monkeypatch.setattr(ExecutionEngine, "_SLOT_HEARTBEAT_INTERVAL", 3600.0)
    run = crawl(LabSpider, [server.url("127.0.1.1", f"/{number}") for number in range(4)], rest=0.1, limit=20)
    assert len(run.ended("callback")) == 4


def test_without_the_timer_only_the_heartbeat_moves_a_host_that_rests(server: Server, monkeypatch: pytest.MonkeyPatch):
    """The wake-up is needed: without it the second request would wait for the heartbeat."""
    monkeypatch.setattr("polite_crawler.scheduling.ready_queue.wake_engine", lambda crawler: None)
    monkeypatch.setattr(ExecutionEngine, "_SLOT_HEARTBEAT_INTERVAL", 0.7)
    crawl(LabSpider, [server.url("127.0.1.1", f"/{number}") for number in range(2)], rest=0.1, limit=20)
    assert server.rests("127.0.1.1")[0] > 0.3


@pytest.mark.parametrize("slot", [None, SimpleNamespace(closing=object())], ids=["closed", "closing"])
def test_an_engine_that_is_closing_is_not_woken(slot: Any):
    crawler = get_crawler()
    crawler.engine = SimpleNamespace(_slot=slot)
    wake_engine(crawler)


@pytest.mark.parametrize("how", ["close_spider_async", "stop", "CLOSESPIDER_TIMEOUT", "idle"])
def test_the_lanes_close_before_the_engine_waits_for_the_requests_in_progress(server: Server, how: str):
    """All ways to close a spider pass `close_spider_async` of the engine's instance."""
    seen: list[tuple[str, bool]] = []

    class Closes(LabSpider):
        async def got(self, response: Any) -> None:  # type: ignore[override]
            super().got(response)
            crawler = self.crawler
            if how == "idle":
                return
            lanes = lanes_of(crawler)
            lanes.rest("127.0.1.9", 500)
            waits = asyncio.ensure_future(crawler.engine.download_async(Request(server.url("127.0.1.9", "/x"))))
            while not lanes.waiting:
                await asyncio.sleep(0)
            if how == "stop":
                self.task = asyncio.ensure_future(crawler.stop_async())
            elif how == "close_spider_async":
                self.task = asyncio.ensure_future(crawler.engine.close_spider_async(reason="by hand"))
            error = (await asyncio.gather(waits, return_exceptions=True))[0]
            seen.append((type(error).__name__, lanes.closing))

    settings = {"CLOSESPIDER_TIMEOUT": 0.3} if how == "CLOSESPIDER_TIMEOUT" else {}
    run = crawl(Closes, [server.url("127.0.1.1", "/0")], limit=20, **settings)
    assert seen == ([] if how == "idle" else [("Closing", True)])
    reasons = {"stop": "shutdown", "CLOSESPIDER_TIMEOUT": "closespider_timeout", "idle": "finished"}
    assert run.reason == reasons.get(how, "by hand")


def test_after_each_request_comes_when_all_that_it_led_to_is_queued(server: Server):
    """A callback, an errback and a request that a middleware returns: each is told of once, after its requests."""
    told: list[tuple[str, int]] = []

    class Told(LabSpider):
        def tell(self, request: Request) -> None:
            told.append((request.url[-2:], self.crawler.stats.get_value("scheduler/enqueued")))

        async def start(self) -> Any:
            after_each_request(self.crawler, self.tell)
            yield self.request(server.url("127.0.1.1", "/0"))
            yield self.request(server.url("127.0.1.1", "/1"))

        async def got(self, response: Any) -> Any:  # type: ignore[override]
            super().got(response)
            if response.url.endswith("/0"):
                lanes_of(self.crawler).stop("127.0.1.1", 60, "status 403")
                await asyncio.sleep(0.01)
                yield self.request(server.url("127.0.1.2", "/2"))
                await asyncio.sleep(0.01)
                yield self.request(server.url("127.0.1.2", "/3"))

    run = crawl(Told, rest=0.1)
    assert run.ended("HostStopped") == ["/1"]
    assert sorted(url for url, _ in told) == ["/0", "/1", "/2", "/3"]
    assert dict(told)["/0"] == 4


@pytest.mark.filterwarnings("ignore:The CONCURRENT_REQUESTS_PER_IP setting is deprecated")
def test_slots_delay_and_limit_nothing(server: Server):
    """A project made by `scrapy startproject` has a delay and one request a domain; a slot keeps neither."""
    slots: list[tuple[int, float, float]] = []

    class Look(LabSpider):
        def got(self, response: Any) -> Any:
            super().got(response)
            made = self.crawler.engine.downloader.slots.values()
            slots.extend((slot.concurrency, slot.delay, slot.jitter) for slot in made)

    crawl(
        Look,
        [server.url("127.0.1.1", f"/{number}") for number in range(3)],
        rest=0.01,
        DOWNLOAD_DELAY=5,
        CONCURRENT_REQUESTS_PER_DOMAIN=1,
        CONCURRENT_REQUESTS_PER_IP=1,
        DOWNLOAD_SLOTS={"127.0.1.1": {"delay": 9, "concurrency": 1}},
    )
    assert set(slots) == {(sys.maxsize, 0.0, 0.0)}


def test_slots_of_hosts_that_are_done_are_collected(server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Downloader, "_SLOT_GC_INTERVAL", 0.05)
    monkeypatch.setattr(Downloader, "_slot_gc", _collect_at_once(Downloader._slot_gc))
    left: list[int] = []

    class Many(LabSpider):
        def got(self, response: Any) -> Any:
            super().got(response)
            left.append(len(self.crawler.engine.downloader.slots))

    urls = [server.url(f"127.0.1.{number}", "/0?d=0.03") for number in range(1, 41)]
    crawl(Many, urls, rest=0.01, CONCURRENT_REQUESTS=2)
    assert len(left) == 40
    assert left[-1] < 20


def _collect_at_once(collect: Any) -> Any:
    return lambda downloader: collect(downloader, age=0)


def test_a_request_that_has_ended_can_name_another_url():
    request = Request("https://archive.example/a")
    readdress(request, "https://site.example/b")
    assert (request.url, request.copy().url, request.to_dict()["url"]) == ("https://site.example/b",) * 3


def test_open_slots_sets_names_that_the_downloader_reads():
    source = inspect.getsource(Downloader)
    crawler = get_crawler(settings_dict={"DOWNLOAD_HANDLERS_BASE": {}})
    downloader = Downloader(crawler)
    before = set(vars(downloader))
    open_slots(downloader)
    assert set(vars(downloader)) == before
    for name in ("_delay", "_jitter", "domain_concurrency", "ip_concurrency", "per_slot_settings"):
        assert source.count(f"self.{name}") >= 2


def test_the_scheduler_keeps_its_queue_and_its_filter_under_known_names(server: Server):
    class Look(LabSpider):
        def got(self, response: Any) -> Any:
            super().got(response)
            scheduler = self.crawler.engine.scheduler
            assert isinstance(scheduler, Scheduler)
            assert type(scheduler.mqs).__name__ == "ReadyQueue"
            assert scheduler.df.request_seen(response.request)

    run = crawl(Look, [server.url("127.0.1.1", "/0")])
    assert run.ended("callback") == ["/0"]


def test_another_priority_queue_is_refused(server: Server):
    async def main() -> None:
        settings = {**SETTINGS, "TWISTED_REACTOR_ENABLED": False}
        settings["SCHEDULER_PRIORITY_QUEUE"] = "scrapy.pqueues.ScrapyPriorityQueue"
        crawler: Crawler = AsyncCrawlerRunner(settings).create_crawler(LabSpider)
        use_lanes(crawler, memory_lanes(0))
        await crawler.crawl_async(urls=(server.url("127.0.1.1", "/0"),))

    with pytest.raises(ValueError, match="SCHEDULER_PRIORITY_QUEUE"):
        asyncio.run(main())
