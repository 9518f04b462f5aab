"""Exchanges that are ended from outside, and what the client leaves at its end."""

import asyncio
import threading
from typing import Any

import pytest
from engine_lab import EndingSpider, crawl
from scrapy import Request
from scrapy.http import Response

from polite_crawler.testsite.site import Site
from polite_crawler.transport.handler import handler_of
from polite_crawler.transport.in_progress import Ended, InProgress
from polite_crawler.transport.resolver import Resolver
from polite_crawler.transport.wire import ExchangeError


def dns_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "polite-dns"]


def test_an_exchange_that_is_ended_fails_and_the_others_go_on(site: Site, store_dir: Any) -> None:
    class Aborts(EndingSpider):
        def got(self, response: Response) -> Any:
            super().got(response)
            self.ended = handler_of(self.crawler).abort("enough", lambda request: "stall" in request.url)

    stall, about = site.url("/stall/head"), site.url("/about", host=2)

    class Slow(Aborts):
        async def start(self) -> Any:
            yield Request(stall, callback=self.got, errback=self.failed)
            while not site.log(path="/stall/head"):
                await asyncio.sleep(0.01)
            yield Request(about, callback=self.got, errback=self.failed)

    run = crawl(Slow, store_dir)
    assert sorted(run.spider.endings) == sorted([(stall, "errback ExchangeError"), (about, "callback 200")])
    assert run.spider.ended == 1  # type: ignore[attr-defined]
    cut = next(capture for capture in run.captures("fetch") if capture.url == stall)
    assert (cut.outcome, cut.reason, cut.note) == ("error", "cancelled", "enough")
    # no failure of the host: it is not asked again, and its rest is the ordinary one
    assert len(site.log(path="/stall/head")) == 1
    assert cut.time.end_ms > 0


def test_nothing_is_ended_that_is_not_in_progress(site: Site, store_dir: Any) -> None:
    class Asks(EndingSpider):
        def got(self, response: Response) -> Any:
            super().got(response)
            self.ended = handler_of(self.crawler).abort("enough")

    run = crawl(Asks, store_dir, urls=[site.url("/about")])
    assert run.spider.ended == 0  # type: ignore[attr-defined]


def test_a_resolver_that_is_closed_leaves_no_thread() -> None:
    async def main() -> None:
        resolver = Resolver(lambda host, port: [("127.0.0.1", port)], seconds=5)
        hosts = [f"h{number}.example" for number in range(20)]
        await asyncio.gather(*(resolver.addresses(host, 80, lambda address, host: None) for host in hosts))
        assert dns_threads()
        resolver.close()
        for thread in dns_threads():
            thread.join(5)
        assert dns_threads() == []
        # it can be asked again, by a thread that ends as soon as it has answered
        assert await resolver.addresses("late.example", 80, lambda address, host: None)
        for thread in dns_threads():
            thread.join(5)
        assert dns_threads() == []

    asyncio.run(main())


def test_a_look_up_that_hangs_ends_when_it_comes_back() -> None:
    hangs, gone = threading.Event(), threading.Event()

    def resolve(host: str, port: int) -> list[Any]:
        hangs.set()
        gone.wait(10)
        return [("127.0.0.1", port)]

    async def main() -> None:
        resolver = Resolver(resolve, seconds=0.05)
        with pytest.raises(ExchangeError):
            await resolver.addresses("slow.example", 80, lambda address, host: None)
        assert hangs.is_set()
        resolver.close()
        gone.set()
        for thread in dns_threads():
            thread.join(5)
        assert dns_threads() == []

    asyncio.run(main())


def test_to_end_it_twice_is_to_end_it_once() -> None:
    async def main() -> None:
        progress, request = InProgress(), Request("http://a.example/")
        begun = asyncio.Event()

        async def work() -> str:
            try:
                with progress.of(request):
                    begun.set()
                    await asyncio.sleep(60)
            except Ended as end:
                return str(end)
            return "not ended"

        task = asyncio.ensure_future(work())
        await begun.wait()
        assert (progress.end("first"), progress.end("second")) == (1, 1)
        assert await task == "first"
        assert progress.end("late") == 0

    asyncio.run(main())


def test_a_cancellation_from_elsewhere_stays_one() -> None:
    async def main() -> None:
        progress, request = InProgress(), Request("http://a.example/")
        begun = asyncio.Event()

        async def work() -> None:
            with progress.of(request):
                begun.set()
                await asyncio.sleep(60)

        task = asyncio.ensure_future(work())
        await begun.wait()
        progress.end("ended")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
