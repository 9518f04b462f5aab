"""Scrapy's scheduler with two ways around its duplicate filter, and none that a request carries along (SCHEDULER)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self, cast
from weakref import WeakSet

from scrapy import Request, Spider
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.dupefilters import BaseDupeFilter
from scrapy.utils.misc import load_object
from twisted.internet.defer import Deferred

from polite_crawler.errors import BadOption, PoliteError, StoreError
from polite_crawler.paths import given_path
from polite_crawler.scheduling.closing import ERROR, close_with_error
from polite_crawler.scheduling.frontier import Frontier
from polite_crawler.scheduling.frontier_file import job_name
from polite_crawler.scheduling.frontier_filter import FrontierFilter
from polite_crawler.scheduling.lanes import lanes_of
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.ready_queue import ReadyQueue
from polite_crawler.scheduling.requests import begin
from polite_crawler.scheduling.scrapy_private import after_each_request, before_closing
from polite_crawler.scheduling.usage import stop_with
from polite_crawler.store.folder import StoreFolder

_COMMIT = 1.0


class PoliteScheduler(Scheduler):
    """A request that goes back to the queue passes the duplicate filter by a mark on the object, kept here. Its
    `dont_filter` stays as it was: a hop inherits that, and would switch off scope and duplicate filter for itself.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The scheduler of a crawler; with JOBDIR or POLITE_RESUME, one whose crawl can be resumed."""
        path = frontier_path(crawler)
        if path is None:
            return super().from_crawler(crawler)
        # the frontier takes the place of Scrapy's disk queues and of its file of fingerprints
        made = cls(
            BaseDupeFilter(),
            pqclass=load_object(crawler.settings["SCHEDULER_PRIORITY_QUEUE"]),
            stats=crawler.stats,
            crawler=crawler,
        )
        made._path = path
        return made

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.frontier: Frontier | None = None
        self._path: Path | None = None
        self._seen: FrontierFilter | None = None
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
        if self._path is not None:
            try:
                self._open_frontier(self.crawler, self._path, spider)
            except PoliteError as error:
                self.crawler.stats.set_value(ERROR, str(error))
                stop_with(error)
        return opened

    def _open_frontier(self, crawler: Crawler, path: Path, spider: Spider) -> None:
        clock, params = lanes_of(crawler).clock, options_of(crawler).secret_params
        self.frontier = frontier = Frontier(
            path,
            job=job_of(spider),
            spider=spider,
            params=params,
            later=lambda commit: clock.call_later(_COMMIT, commit),
        )
        self._queue.use(frontier)
        self.df = self._seen = FrontierFilter(frontier, crawler.request_fingerprinter.fingerprint, params)
        after_each_request(crawler, self._ended)
        self._count("polite/frontier/resumed", frontier.waiting.total())
        for reason, lost in frontier.lost.items():
            self._count(f"polite/frontier/lost/{reason}", lost)

    def close(self, reason: str) -> "Deferred[None] | None":
        """Close the queue. A resumable crawl with nothing left to do leaves no file."""
        self._queue.close()
        if self.frontier is not None:
            self.frontier.close()
        return super().close(reason)

    def give_back(self, request: Request) -> Request:
        """Mark a request that was handed out and not sent. A middleware returns it, and it waits again, in front of
        the others of its host."""
        self._returned.add(request)
        return request

    def again(self, request: Request) -> Request:
        """Mark a request that goes on with another one, for a URL that was seen already and shall be sent once more (a
        retry, a render)."""
        self._admitted.add(request)
        return request

    def goes_on(self, request: Request) -> bool:
        """Whether a request that does not come through the queue is marked by `again`. It loses the mark."""
        marked = request in self._admitted
        self._admitted.discard(request)
        return marked

    def admit(self, request: Request) -> bool:
        """Enter a request into the duplicate filter now. True for one that is new: it is marked, and will not be
        filtered when it comes. False for one that was seen, which then shall not come: it would vanish unheard."""
        if not request.dont_filter:
            seen = self._seen
            if not (seen.reserve(request) if seen is not None else not self.df.request_seen(request)):
                return False
        self._admitted.add(request)
        return True

    def enqueue_request(self, request: Request) -> bool:
        """Take a request into the queue; False for a duplicate. A store that fails ends the crawl."""
        try:
            return self._enqueue(request)
        except StoreError as error:
            self._fail(error)
            return False

    def next_request(self) -> Request | None:
        """The next request, or None while no host is ready. A store that fails ends the crawl."""
        try:
            return super().next_request()
        except StoreError as error:
            self._fail(error)
            return None

    def _enqueue(self, request: Request) -> bool:
        if request in self._returned:
            self._returned.discard(request)
            self._queue.push(request, front=True)
            self._count("scheduler/dequeued", -1)
            self._count("scheduler/dequeued/memory", -1)
            self._count("polite/given_back", 1)
            return True
        if request in self._admitted:
            self._admitted.discard(request)
            if self._seen is not None:
                self._seen.settle(request)
            self._queue.push(request)
            self._count("scheduler/enqueued", 1)
            self._count("scheduler/enqueued/memory", 1)
            return True
        if self._was_started(request):
            return False
        begin(request)
        return super().enqueue_request(request)

    def _ended(self, request: Request) -> None:
        """All that a request led to is in the queue."""
        try:
            if self.frontier is not None:
                self.frontier.done(request)
        except StoreError as error:
            self._fail(error)

    def _fail(self, error: StoreError) -> None:
        # raised in the engine's own turns, it would be logged and the crawl would go on without an end
        assert self.crawler is not None
        close_with_error(self.crawler, str(error))

    def _was_started(self, request: Request) -> bool:
        """True for a start request of an earlier run: that run has done it, or the file has it. Scrapy sends start
        requests past its filter, in each run anew."""
        if self._seen is None or not request.dont_filter or not request.meta.get("is_start_request"):
            return False
        known = self._seen.request_seen(request)
        return known and self.frontier is not None and self.frontier.resumed

    def _count(self, name: str, number: int) -> None:
        if self.stats is not None:
            self.stats.inc_value(name, number)


def scheduler_of(crawler: Crawler) -> PoliteScheduler:
    """The scheduler of a running crawler."""
    scheduler = crawler.engine.scheduler
    # Scrapy's schedulers are instances of whatever has the same methods
    assert PoliteScheduler in type(scheduler).__mro__
    return cast(PoliteScheduler, scheduler)


def job_of(spider: Spider) -> Mapping[str, Any]:
    """What tells one resumable crawl from another: `spider.frontier_job` (its seed and its options), else its name."""
    job = getattr(spider, "frontier_job", None)
    return job if isinstance(job, Mapping) else {"spider": spider.name}


def frontier_path(crawler: Crawler) -> Path | None:
    """Where the crawl keeps its frontier: in JOBDIR, or with POLITE_RESUME in the store, by the name of its job; None
    for a crawl that lives in memory."""
    folder = crawler.settings.get("JOBDIR")
    if folder:
        return given_path(folder) / "frontier.sqlite"
    options = options_of(crawler)
    if not options.resume or crawler.spider is None:
        return None
    name = job_name(job_of(crawler.spider), options.secret_params)
    return StoreFolder(options.store).create().frontier / f"{name}.sqlite"
