"""Order 565, before an archive is asked: a request that met a busy or failing host goes back to the queue, and waits
there for the backoff."""

from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.response import response_status_message

from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.scheduler import scheduler_of
from polite_crawler.transport.meta import ARCHIVE_KINDS, KIND
from polite_crawler.transport.trace import trace_of
from polite_crawler.transport.wire import ExchangeError

TIMES = "polite_retries"
MAX_RETRIES = "polite_max_retries"
"""The meta key of a request's own POLITE_RETRIES."""
_IDLE = "polite_idle"
_ONCE = frozenset({"robots"}) | ARCHIVE_KINDS
_OUTCOMES = frozenset({"busy", "error"})
_KINDS = frozenset({"refused", "reset", "timeout", "tls", "protocol", "dns"})


class Retry:
    """POLITE_RETRIES more tries for `busy` and `error`, each a capture of its own. A request whose reused connection
    had closed before the first byte is asked once more in any case: the host never answered it."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._retries = options_of(crawler).retries

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The middleware of a crawler."""
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """The request again, when the host was busy or failed."""
        trace = trace_of(request)
        if trace.from_store or trace.capture is None or trace.capture.outcome not in _OUTCOMES:
            return response
        # a middleware of the user may have put a page in the place of a failure
        if response.status != trace.capture.status:
            return response
        return self._again(request, _reason(response)) or response

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """The request again, when no answer came. A refusal is an answer, whatever its body is."""
        capture = trace_of(request).capture
        if capture is not None and capture.outcome not in _OUTCOMES:
            return None
        if not isinstance(exception, ExchangeError):
            return None
        if exception.kind == "idle" and not request.meta.get(_IDLE):
            return self._copy(request, _IDLE, True)
        return self._again(request, exception.kind) if exception.kind in _KINDS else None

    def _again(self, request: Request, reason: str) -> Request | None:
        meta = request.meta
        if meta.get("dont_retry") or meta.get(KIND) in _ONCE:
            return None
        done = meta.get(TIMES, 0)
        if done >= meta.get(MAX_RETRIES, min(self._retries, meta.get("max_retry_times", self._retries))):
            if done:
                self._count("retry/max_reached")
            return None
        self._count("retry/count")
        self._count(f"retry/reason_count/{reason}")
        return self._copy(request, TIMES, done + 1)

    def _count(self, name: str) -> None:
        # the names that Scrapy's own middleware counts under
        if self._crawler.stats is not None:
            self._crawler.stats.inc_value(name)

    def _copy(self, request: Request, name: str, value: object) -> Request:
        copy = request.copy()
        copy.meta[name] = value
        return scheduler_of(self._crawler).again(copy)


def _reason(response: Response) -> str:
    """A status as Scrapy counts it."""
    return response_status_message(response.status)
