"""The queue of ready hosts for tests: without a crawl, on a clock that a test moves."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

from fake_clock import FakeClock
from scrapy import Request
from scrapy.utils.test import get_crawler

from polite_crawler.rules.pacing import Answer, Policy
from polite_crawler.scheduling.lanes import HostLanes, use_lanes
from polite_crawler.scheduling.ready_queue import ReadyQueue
from polite_crawler.store.hosts import MemoryHosts

OK = Answer(status=200)


class Wakes:
    """As much of an engine as is woken."""

    def __init__(self) -> None:
        self.count = 0
        self._slot = SimpleNamespace(closing=None, nextcall=self)

    def schedule(self) -> None:
        self.count += 1


class Lab:
    """A queue on lanes of its own, and the engine that it wakes."""

    def __init__(self, rest: float = 3.0) -> None:
        self.clock = FakeClock()
        self.store = MemoryHosts()
        policy = Policy(page_interval=rest, slow_factor=0)
        self.lanes = HostLanes(self.store, lambda host: policy, clock=self.clock, jitter=lambda: 0.0)
        self.crawler = get_crawler()
        self.engine = Wakes()
        self.crawler.engine = cast(Any, self.engine)
        use_lanes(self.crawler, self.lanes)
        self.queue = ReadyQueue.from_crawler(self.crawler, None, "")

    def push(self, *urls: str, **options: Any) -> list[Request]:
        requests = [Request(f"http://{url}", **options) for url in urls]
        for request in requests:
            self.queue.push(request)
        return requests

    def pop(self) -> str | None:
        request = self.queue.pop()
        return request.url.removeprefix("http://") if request else None

    def pops(self) -> list[str]:
        found = []
        while (request := self.pop()) is not None:
            found.append(request)
        return found

    def fetch(self, answer: Answer = OK) -> str | None:
        """Pop a request, send it by its lane, and tell the queue of its end."""
        request = self.queue.pop()
        if request is None:
            return None
        host = request.url.split("/")[2]

        async def send() -> None:
            self.lanes.release(await self.lanes.acquire(host), answer)

        asyncio.run(send())
        self.queue.back(request)
        return request.url.removeprefix("http://")
