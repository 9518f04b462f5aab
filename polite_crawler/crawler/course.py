"""The course of a crawl or a discovery: begun in the engine, read outside of it, cancelled from anywhere."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, Generic, Protocol, TypeVar

from scrapy import Spider

from polite_crawler.crawler.engine import Crawl, Engine
from polite_crawler.crawler.stream import Stream
from polite_crawler.crawler.thread import EngineThread
from polite_crawler.errors import StoreError
from polite_crawler.spiders.results import CrawledPage, CrawlSummary, DiscoveredUrl, DiscoverySummary, Tally

Item = TypeVar("Item")
Summary = TypeVar("Summary")
_Told = TypeVar("_Told", covariant=True)


class Ledger(Protocol[Item, _Told]):
    """Counts what was taken, for the summary of a run that is left early: its numbers add up to what was taken."""

    kind: type[Item]

    def count(self, item: Item, reason: str | None) -> None:
        """An item was taken. `reason` is that of its capture."""

    def cut(self, source: object, queued: int) -> _Told:
        """The summary of a run that is cancelled now. `source` is its spider, or the summary that was not taken."""


class CrawlLedger:
    """The pages of a crawl."""

    kind = CrawledPage

    def __init__(self) -> None:
        self._tally = Tally()

    def count(self, item: CrawledPage, reason: str | None) -> None:
        self._tally.add(item, reason)

    def cut(self, source: object, queued: int) -> CrawlSummary:
        counts = source if isinstance(source, CrawlSummary) else getattr(source, "tally", None)
        if isinstance(counts, CrawlSummary | Tally):
            # a copy in one step, since the crawl may still be counting
            self._tally.skips.update(dict(counts.skips))
        return self._tally.summary("cancelled", reason=None, queued=queued)


class DiscoveryLedger:
    """The URLs of a discovery. Those of its files that were read stand in the log."""

    kind = DiscoveredUrl

    def __init__(self) -> None:
        self._taken = 0

    def count(self, item: DiscoveredUrl, reason: str | None) -> None:
        self._taken += 1

    def cut(self, source: object, queued: int) -> DiscoverySummary:
        return DiscoverySummary("cancelled", self._taken, queued, ())


class Course(Generic[Item, Summary]):
    """One spider in the engine. It begins when its first item is asked for. One thread reads it."""

    def __init__(
        self, thread: EngineThread, spider: type[Spider], arguments: Mapping[str, Any], ledger: Ledger[Item, Summary]
    ) -> None:
        """Raises BadOption for an argument that is not valid."""
        spider(**arguments)
        self.closed: Future[None] = Future()
        self._thread = thread
        self._spider = spider
        self._arguments = arguments
        self._ledger = ledger
        self._stream: Stream[tuple[Item, str | None]] = Stream()
        self._running: Future[None] | None = None
        self._crawl: Crawl | None = None
        self._end: Summary | None = None
        self._error: BaseException | None = None
        self.summary: Summary | None = None

    @property
    def queued(self) -> int:
        """How many URLs wait or are in progress now."""
        crawl = self._crawl
        return crawl.left if crawl is not None else 0

    def take(self) -> "Item | Future[None] | None":
        """The next item; None at the end; else a future that is done when it is worth asking again.

        Raises StoreError when the store failed, and PoliteError for a crawler that is closed.
        """
        if self._running is None and self.summary is None:
            self._running = self._thread.call(self._run)
            self._running.add_done_callback(self._ended)
        found = self._stream.take()
        if isinstance(found, Future):
            return found
        if found is not None:
            self._ledger.count(*found)
            return found[0]
        if self.summary is None:
            self.summary = self._end
        error, self._error = self._error, None
        if error is not None:
            raise error
        return None

    def cancel(self) -> None:
        """End it now: nothing more is taken. Its exchanges in progress end after a short grace. It is no fault to
        cancel what has ended."""
        if self.summary is not None:
            return
        queued, crawl = self.queued, self._crawl
        source = crawl.crawler.spider if crawl is not None else self._end
        self.summary = self._ledger.cut(source, queued + self._stream.clear())
        if self._running is None:
            self.closed.set_result(None)
        else:
            self._running.cancel()

    async def _run(self, engine: Engine) -> None:
        try:
            crawl = self._crawl = await engine.crawl(self._spider, self._arguments, self._put)
            try:
                await asyncio.shield(crawl.task)
            except asyncio.CancelledError:
                await crawl.close("cancelled")
                raise
            self._end = getattr(crawl.crawler.spider, "summary", None)
            if crawl.error is not None:
                self._error = StoreError(crawl.error)
        finally:
            # a run that has ended and is still known to somebody holds no crawler
            self._crawl = None
            self.closed.set_result(None)

    def _put(self, item: Any, reason: str | None) -> None:
        if isinstance(item, self._ledger.kind):
            self._stream.put((item, reason))

    def _ended(self, running: "Future[None]") -> None:
        if not running.cancelled() and (error := running.exception()) is not None:
            self._error = error
        self._stream.end()
