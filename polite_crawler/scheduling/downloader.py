"""Scrapy's downloader without delays and limits of its own (DOWNLOADER)."""

from typing import Any

from scrapy import Request
from scrapy.core.downloader import Downloader
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from polite_crawler.errors import StoreError
from polite_crawler.scheduling.closing import close_with_error
from polite_crawler.scheduling.declined import NO_CAPTURE, Declined
from polite_crawler.scheduling.ready_queue import ready_queue_of
from polite_crawler.scheduling.requests import begin, host_of
from polite_crawler.scheduling.scheduler import scheduler_of
from polite_crawler.scheduling.scrapy_private import open_slots
from polite_crawler.transport.meta import SEARCH
from polite_crawler.transport.trace import META, Trace


class PoliteDownloader(Downloader):
    """Lanes make the pace, so the slots here only count. CONCURRENT_REQUESTS counts the hosts that the queue has
    handed out: the robots.txt and the hops that a request brings with it do not count again.

    `meta["download_slot"]` has no effect and does not travel on: a hop to another host would take the slot with it.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        open_slots(self)

    def get_slot_key(self, request: Request) -> str:
        """The host of the URL."""
        return host_of(request)

    def needs_backout(self) -> bool:
        """True while CONCURRENT_REQUESTS hosts are in progress."""
        queue = ready_queue_of(self.crawler)
        if queue is None:
            return super().needs_backout()
        return 0 < self.total_concurrency <= queue.in_progress

    def fetch(self, request: Request) -> "Deferred[Response | Request]":  # type: ignore[override]
        """The response, or the request that a middleware sends back to the queue."""
        queue = ready_queue_of(self.crawler)
        if queue is None or not queue.has_out(request):
            # asked past the queue: its meta may be that of another request, with what became of that one
            if not scheduler_of(self.crawler).goes_on(request):
                begin(request)
            request.meta[META] = Trace()
        fetching: Deferred[Response | Request] = super().fetch(request)
        fetching.addBoth(self._ended, request)
        return fetching

    def _ended(self, result: Any, request: Request) -> Any:
        request.meta.pop(self.DOWNLOAD_SLOT, None)
        if isinstance(result, Request):
            result.meta.pop(self.DOWNLOAD_SLOT, None)
        error = result.value if isinstance(result, Failure) else None
        if isinstance(error, StoreError):
            close_with_error(self.crawler, str(error))
        queue = ready_queue_of(self.crawler)
        if queue is not None:
            queue.back(request)
            if _is_for_later(error):
                queue.keep(request)
        if SEARCH in request.meta and not isinstance(result, Request):
            # few crawls ask an archive
            from polite_crawler.transport.archive_search import end

            end(request)
        return result


def _is_for_later(error: BaseException | None) -> bool:
    """True for a request that had no chance in this run."""
    if isinstance(error, Declined):
        return error.reason in NO_CAPTURE or error.reason == "deadline"
    return isinstance(error, StoreError)
