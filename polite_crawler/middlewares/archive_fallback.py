"""Order 560: after a refusal, a copy from a public archive. Each request to an archive waits in the queue."""

import asyncio
from typing import TYPE_CHECKING, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from polite_crawler.errors import StoreError
from polite_crawler.middlewares.archive_keys import FALLBACK
from polite_crawler.scheduling.declined import SILENT, Declined
from polite_crawler.scheduling.lanes import LaneBusy
from polite_crawler.scheduling.options import options_of
from polite_crawler.transport.meta import SEARCH
from polite_crawler.transport.trace import trace_of

if TYPE_CHECKING:
    from polite_crawler.middlewares.archive_searches import Searches

_PASS = (LaneBusy, StoreError, asyncio.CancelledError)


class ArchiveFallback:
    """Asks archives for a page that its site refuses or cannot give. The callback gets the copy, with status 200; when
    no archive has one, callback or errback get what the site answered, with a note that says why."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._usual = options_of(crawler).archive_fallback
        self._made: Searches | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The middleware of a crawler."""
        return cls(crawler)

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        """The next request of a search, the copy at its end, or the response as it is."""
        return await self._searches.after_response(request, response) if self._is_on(request) else response

    async def process_exception(self, request: Request, exception: Exception) -> Request | Response | None:
        """The next request of a search, the end of one, or None for an exception that goes on to the errback."""
        quiet = isinstance(exception, Declined) and exception.reason in SILENT
        if quiet or isinstance(exception, _PASS) or not self._is_on(request):
            return None
        return await self._searches.after_exception(request, exception)

    def _is_on(self, request: Request) -> bool:
        asks = SEARCH in request.meta or request.meta.get(FALLBACK, self._usual)
        return bool(asks) and not trace_of(request).searched

    @property
    def _searches(self) -> "Searches":
        if self._made is None:
            # few crawls ask an archive
            from polite_crawler.middlewares.archive_searches import Searches

            self._made = Searches(self._crawler)
        return self._made
