"""Crawls at their ends: stopped hosts, deadlines, lanes at the close, processes that die, a state that fails."""

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import pytest
from lane_lab import LabSpider, Server, crawl, ended, host, memory_lanes, start_crawl
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.utils.defer import _schedule_coro

from polite_crawler.errors import StoreError
from polite_crawler.scheduling.lanes import HostLanes, lanes_of
from polite_crawler.store.hosts import MemoryHosts
from polite_crawler.store.hosts_sqlite import SqliteHosts


def test_requests_of_a_stopped_host_are_declined_at_once_and_others_go_on(server: Server):
    urls = [server.url(host(1), f"/{number}?s=403") for number in range(5)]
    urls += [server.url(host(2), f"/{number}") for number in range(3)]
    run = crawl(LabSpider, urls, rest=0.05)
    assert server.paths(host(1)) == ["/0?s=403"]
    assert run.ended("HostStopped") == ["/1", "/2", "/3", "/4"]
    assert len(run.ended("callback")) == 4
    assert run.reason == "finished"


def test_a_host_that_is_ready_after_the_deadline_is_drained(server: Server):
    urls = [server.url(host(1), f"/{number}?s=503&h=Retry-After:%203000") for number in range(4)]
    urls += [server.url(host(2), f"/{number}") for number in range(3)]
    run = crawl(LabSpider, urls, rest=0.05)
    assert len(server.of(host(1))) == 1
    assert run.ended("DeadlineReached") == ["/1", "/2", "/3"]
    assert len(run.ended("callback")) == 4


def test_a_deadline_of_the_crawl_drains_what_comes_later(server: Server):
    urls = [server.url(host(1), f"/{number}?h=Retry-After:%2030") for number in range(3)]

    def with_budget(crawler: Crawler) -> HostLanes:
        lanes = memory_lanes(0.05)
        lanes.deadline = time.time() + 20
        return lanes

    run = crawl(LabSpider, urls, lanes=with_budget)
    assert run.ended("callback") == ["/0"]
    assert run.ended("DeadlineReached") == ["/1", "/2"]


def test_a_request_with_a_deadline_of_its_own_does_not_wait_longer(server: Server):
    class Hurry(LabSpider):
        async def start(self) -> Any:
            yield self.request(server.url(host(1), "/0?d=0.3"))
            yield self.request(server.url(host(1), "/patient"))
            yield self.request(server.url(host(1), "/hurry"), meta={"polite_deadline": time.time() + 0.1})

    run = crawl(Hurry, rest=0.05)
    assert run.ended("DeadlineReached") == ["/hurry"]
    assert server.paths(host(1)) == ["/0?d=0.3", "/patient"]


CLOSINGS = [
    # what is waited for while the spider closes, how the wait ends
    ("stopped", "HostStopped"),
    ("resting", "Closing"),
    ("held", "Closing"),
]


@pytest.mark.parametrize(("state", "ending"), CLOSINGS)
def test_closing_ends_the_waits_for_lanes(server: Server, state: str, ending: str):
    class Closes(LabSpider):
        async def got(self, response: Response) -> None:  # type: ignore[override]
            super().got(response)
            engine, lanes = self.crawler.engine, lanes_of(self.crawler)
            if state == "held":
                await lanes.acquire(host(1))
            elif state == "resting":
                lanes.rest(host(1), 500)
            else:
                lanes.stop(host(1), 500, "status 403")
            waits = asyncio.ensure_future(engine.download_async(Request(server.url(host(1), "/waits"))))
            while not waits.done() and not lanes.waiting:
                await asyncio.sleep(0)
            _schedule_coro(engine.close_spider_async(reason="closed in flight"))
            try:
                await waits
            except IgnoreRequest as error:
                self.endings.append((waits_url, type(error).__name__))

    waits_url = server.url(host(1), "/waits")
    run = crawl(Closes, [server.url(host(2), "/0"), server.url(host(2), "/1")], rest=5, limit=20)
    assert run.ended(ending) == ["/waits"]
    assert run.reason == "closed in flight"
    assert server.of(host(1)) == []


def test_an_exchange_in_progress_ends_when_the_spider_closes(server: Server):
    class Closes(LabSpider):
        async def got(self, response: Response) -> None:  # type: ignore[override]
            super().got(response)
            if response.url.endswith("/0"):
                _schedule_coro(self.crawler.engine.close_spider_async(reason="closed in flight"))

    urls = [server.url(host(1), "/slow?d=0.4"), server.url(host(2), "/0"), server.url(host(2), "/left")]
    run = crawl(Closes, urls, rest=5, limit=20)
    assert run.ended("callback") == ["/0", "/slow"]
    assert run.reason == "closed in flight"


@pytest.mark.parametrize("reactor", [True, False], ids=["asyncio reactor", "reactorless"])
def test_two_processes_on_one_store_never_overlap(server: Server, tmp_path: Path, reactor: bool):
    store = tmp_path / "hosts.sqlite"
    hosts = [host(number) for number in range(1, 5)]
    pages = {name: [server.url(at, f"/{name}{page}?d=0.02") for page in range(4) for at in hosts] for name in "ab"}
    processes = [start_crawl(pages[name], rest=0.1, store=store, reactor=reactor) for name in "ab"]
    runs = [ended(process) for process in processes]
    assert [len(run.ended("callback")) for run in runs] == [16, 16]
    assert server.beside() == 0
    rests = [rest for at in hosts for rest in server.rests(at)]
    assert len(rests) == 28
    assert min(rests) >= 0.1


def test_a_killed_process_leaves_its_hosts_for_others(server: Server, tmp_path: Path):
    """The lease is on the disk when the process dies; its end is moved near, so that no test waits for it."""
    store = tmp_path / "hosts.sqlite"
    process = start_crawl([server.url(host(1), "/held?d=60")], rest=0.1, store=store, reactor=False)
    try:
        while not server.of(host(1)):
            assert process.poll() is None
            os.sched_yield()
    finally:
        process.kill()
        process.communicate(timeout=10)
    hosts = SqliteHosts(store)
    row = hosts.peek(host(1))
    assert row.owner is not None
    assert 0 < row.until - time.time() <= 20
    hosts.renew([host(1)], owner=row.owner, until=time.time() + 0.5)
    hosts.close()
    until = time.time() + 0.5
    run = ended(start_crawl([server.url(host(1), "/next")], rest=0.1, store=store, reactor=False))
    assert run.ended("callback") == ["/next"]
    assert server.of(host(1))[1].start >= until - 0.1


@pytest.mark.parametrize("method", ["peek", "claim", "release"])
def test_a_host_state_that_fails_ends_the_crawl_with_error(server: Server, method: str):
    class Fails(MemoryHosts):
        pass

    def fail(self: Fails, *args: Any, **kwargs: Any) -> Any:
        if server.seen or method == "claim":
            raise StoreError("the disk is full")
        return getattr(MemoryHosts, method)(self, *args, **kwargs)

    setattr(Fails, method, fail)
    urls = [server.url(host(1), f"/{number}") for number in range(3)]
    run = crawl(LabSpider, urls, lanes=lambda crawler: memory_lanes(0.01, store=Fails()), limit=20)
    assert (run.reason, run.stats["polite/error"]) == ("error", "the disk is full")
    assert len(server.seen) == (method != "claim")
