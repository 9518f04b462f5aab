"""Scrapy's scheduler with two ways around its duplicate filter, and none that a request carries along (SCHEDULER)."""

from typing import Any
from weakref import WeakSet

from scrapy import Request, Spider
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from twisted.internet.defer import Deferred

from polite_crawler.errors import BadOption
from polite_crawler.scheduling.lanes import lanes_of
from polite_crawler.scheduling.ready_queue import ReadyQueue
from polite_crawler.scheduling.scrapy_private import before_closing


class PoliteScheduler(Scheduler):
    """A request that goes back to the queue passes the duplicate filter by a mark on the object, kept here. Its
    `dont_filter` stays as it was: a hop inherits that, and would switch off scope and duplicate filter for itself.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._returned: WeakSet[Request] = WeakSet()
        self._admitted: WeakSet[Request] = WeakSet()

    def open(self, spider: Spider) -> "Deferred[None] | None":
        """Open the queue; the waits for lanes end as soon as the spider closes."""
        assert self.crawler is not None
        before_closing(self.crawler, lanes_of(self.crawler).close)
        opened = super().open(spider)
        queue: Any = self.mqs
        if not isinstance(queue, ReadyQueue):
            raise BadOption(f"SCHEDULER_PRIORITY_QUEUE: {type(queue).__name__} knows no lanes; leave it as it was")
        self._queue = queue
        return opened

    def close(self, reason: str) -> "Deferred[None] | None":
        """Close the queue."""
        self._queue.close()
        return super().close(reason)

    def give_back(self, request: Request) -> Request:
        """Mark a request that was handed out and not sent. A middleware returns it, and it waits again, in front of
        the others of its host."""
        self._returned.add(request)
        return request

    def again(self, request: Request) -> Request:
        """Mark a request for a URL that was seen already and shall be sent once more (a retry, a render)."""
        self._admitted.add(request)
        return request

    def admit(self, request: Request) -> bool:
        """Enter a request into the duplicate filter now. True for one that is new: it is marked, and will not be
        filtered when it comes. False for one that was seen, which then shall not come: it would vanish unheard."""
        if not request.dont_filter and self.df.request_seen(request):
            return False
        self._admitted.add(request)
        return True

    def enqueue_request(self, request: Request) -> bool:
        """Take a request into the queue; False for a duplicate."""
        if request in self._returned:
            self._returned.discard(request)
            self._queue.push(request, front=True)
            self._count("scheduler/dequeued", -1)
            self._count("scheduler/dequeued/memory", -1)
            self._count("polite/given_back", 1)
            return True
        if request in self._admitted:
            self._admitted.discard(request)
            self._queue.push(request)
            self._count("scheduler/enqueued", 1)
            self._count("scheduler/enqueued/memory", 1)
            return True
        return super().enqueue_request(request)

    def _count(self, name: str, number: int) -> None:
        if self.stats is not None:
            self.stats.inc_value(name, number)


def scheduler_of(crawler: Crawler) -> PoliteScheduler:
    """The scheduler of a running crawler."""
    scheduler = crawler.engine.scheduler
    assert isinstance(scheduler, PoliteScheduler)
    return scheduler
