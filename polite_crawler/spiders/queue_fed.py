"""The spider of a crawler that stays open: it asks for nothing by itself, and answers each call with one result."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from twisted.python.failure import Failure

from polite_crawler.errors import PoliteError, StoreError
from polite_crawler.middlewares.redirect import REFRESH
from polite_crawler.middlewares.render import RENDER
from polite_crawler.middlewares.retry import MAX_RETRIES
from polite_crawler.middlewares.stored_copy import MAX_AGE
from polite_crawler.pipelines.index import AWAIT
from polite_crawler.rules.durations import MaxAge
from polite_crawler.rules.rendering import Mode
from polite_crawler.scheduling.closing import ERROR
from polite_crawler.scheduling.declined import NO_CAPTURE, Declined
from polite_crawler.scheduling.ready_queue import ready_queue_of
from polite_crawler.scheduling.requests import DEADLINE
from polite_crawler.scheduling.scrapy_private import after_each_request, keep_open
from polite_crawler.spiders.base import PoliteSpider
from polite_crawler.spiders.results import PageResult
from polite_crawler.transport.handler import handler_of

CALL = "polite_call"
"""The meta key of the call that a request, and each of its hops, belongs to."""

CLOSED = "the crawler is closed"
_LEFT = "the caller went away"


class Call:
    """One page that somebody waits for. `future` gets its result, or the error for which there is none."""

    __slots__ = ("future", "left", "pending", "request")

    def __init__(self, future: "asyncio.Future[PageResult]") -> None:
        self.future = future
        self.left = False
        self.pending = 0
        self.request: Request | None = None

    def end(self, result: PageResult) -> None:
        """Give the result. The first one counts."""
        if not self.future.done():
            self.future.set_result(result)

    def fail(self, error: Exception) -> None:
        """Give an error in the place of a result."""
        if not self.future.done():
            self.future.set_exception(error)


class QueueFedSpider(PoliteSpider):
    """Fetches what `fetch` is called with, through the queue, for as long as the crawler lives."""

    name = "fetch"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._calls: set[Call] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """The spider of a crawler."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider._opened, signals.spider_opened)
        crawler.signals.connect(spider._scheduled, signals.request_scheduled)
        crawler.signals.connect(spider._request_ended, signals.request_dropped)
        crawler.signals.connect(spider._crashed, signals.spider_error)
        crawler.signals.connect(spider._closed, signals.spider_closed)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Nothing: the calls come later."""
        calls: tuple[Request, ...] = ()
        for request in calls:
            yield request

    async def fetch(
        self,
        url: str,
        *,
        max_age: MaxAge | None = None,
        deadline: float | None = None,
        recipe: str | None = None,
        render: Mode | None = None,
        archives: Mapping[str, bool] | None = None,
    ) -> PageResult:
        """Fetch one page; its result comes when the index has it. `deadline` is epoch seconds, `archives` are the
        meta keys that say whether archives may be asked.

        A caller that is cancelled frees its place: what waits is taken from the queue, an exchange in progress ends.
        Raises StoreError when the store cannot be written, and PoliteError when the crawler closes.
        """
        call = Call(asyncio.get_running_loop().create_future())
        meta: dict[str, Any] = {CALL: call, REFRESH: True, MAX_RETRIES: 0, AWAIT: True}
        if max_age is not None:
            meta[MAX_AGE] = max_age
        if deadline is not None:
            meta[DEADLINE] = deadline
        if recipe is not None:
            meta["polite_recipe"] = recipe
        if render is not None:
            meta[RENDER] = render
        meta |= archives or {}
        # a page may be asked for more than once in the life of this crawler, so its filter is passed by
        request = Request(url, callback=self.parse, errback=self.failed, dont_filter=True, meta=meta)
        self._calls.add(call)
        try:
            self.crawler.engine.crawl(request)
            return await call.future
        finally:
            self._calls.discard(call)
            self._leave(call)

    def decline_request(self, request: Request) -> Declined | None:
        """Nothing is sent for a caller that went away."""
        return Declined("closing", _LEFT) if self.is_abandoned(request) else None

    def is_abandoned(self, request: Request) -> bool:
        """Whether nobody waits for a request any more."""
        call = call_of(request)
        return call is not None and call.left

    def parse(self, response: Response, **kwargs: Any) -> None:
        """A page that came."""
        request = response.request
        assert request is not None
        if (call := call_of(request)) is not None:
            call.end(self.result(request, response))

    def failed(self, failure: Failure) -> None:
        """A request that gave no response."""
        request: Request = failure.request  # type: ignore[attr-defined]
        error, call = failure.value, call_of(request)
        if call is None:
            return
        if isinstance(error, StoreError):
            call.fail(error)
        elif isinstance(error, Declined) and error.reason in NO_CAPTURE:
            call.fail(self._why_closed())
        else:
            call.end(self.result(request, failure))

    def _leave(self, call: Call) -> None:
        if not call.pending or call.request is None:
            return
        call.left = True
        queue = ready_queue_of(self.crawler)
        if queue is None or not queue.hurry(call.request):
            handler_of(self.crawler).abort(_LEFT, lambda request: call_of(request) is call)

    def _opened(self) -> None:
        keep_open(self.crawler)
        after_each_request(self.crawler, self._request_ended)

    def _scheduled(self, request: Request) -> None:
        if (call := call_of(request)) is None:
            return
        if call.left:
            # a hop, or a request that comes back because its host rests
            raise IgnoreRequest(_LEFT)
        call.pending += 1
        call.request = request

    def _request_ended(self, request: Request) -> None:
        call = call_of(request)
        if call is None:
            return
        call.pending -= 1
        if not call.pending:
            call.fail(PoliteError(f"the engine gave no result for {self.shown(request.url)}"))

    def _crashed(self, failure: Failure, response: Response | Failure) -> None:
        request = response.request if isinstance(response, Response) else getattr(response, "request", None)
        call = call_of(request) if request is not None else None
        if call is not None:
            call.fail(PoliteError(f"the engine failed: {type(failure.value).__name__}: {failure.value}"))

    def _closed(self) -> None:
        for call in list(self._calls):
            call.fail(self._why_closed())

    def _why_closed(self) -> PoliteError:
        why = self.crawler.stats.get_value(ERROR)
        return StoreError(why) if why else PoliteError(CLOSED)


def call_of(request: Request) -> Call | None:
    """The call that a request belongs to, or None."""
    call = request.meta.get(CALL)
    return call if isinstance(call, Call) else None
