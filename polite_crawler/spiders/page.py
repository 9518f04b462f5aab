"""`scrapy crawl page -a url=...`: fetch pages, one or more, and follow nothing but their redirects."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from polite_crawler.errors import BadOption
from polite_crawler.rules import durations, urls
from polite_crawler.spiders.base import PoliteSpider
from polite_crawler.spiders.results import PageResult, Tally


class PageSpider(PoliteSpider):
    """Gives one PageResult for each URL. `url` holds one URL or more, white space between them; `max_age` is that of
    POLITE_MAX_AGE for this run."""

    name = "page"

    def __init__(self, url: str | None = None, max_age: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.urls = seeds(url)
        self.max_age = durations.max_age(max_age) if max_age is not None else None
        self.tally = Tally()
        self.follows = 0

    async def start(self) -> AsyncIterator[Request]:
        """The requests of the URLs."""
        for url in self.urls:
            yield self.request(url)

    def request(self, url: str, **meta: Any) -> Request:
        """A request of this spider."""
        meta = {"polite_max_retries": 0, **meta}
        if self.max_age is not None:
            meta["polite_max_age"] = self.max_age
        return Request(url, callback=self.parse, errback=self.failed, meta=meta)

    def parse(self, response: Response, **kwargs: Any) -> Iterator[PageResult | Request]:
        """The result of a page; its quick meta refresh counts as a redirect."""
        assert response.request is not None
        yield self._count(response.request, response)

    def failed(self, failure: Failure) -> Iterator[PageResult]:
        """The result of a request that gave no response."""
        yield self._count(failure.request, failure)  # type: ignore[attr-defined]

    def _count(self, request: Request, answer: Response | Failure) -> PageResult:
        result = self.result(request, answer)
        self.tally.add(result, reason_of(request))
        return result


def reason_of(request: Request) -> str | None:
    """The reason of the capture of a request."""
    from polite_crawler.transport.trace import trace_of

    capture = trace_of(request).capture
    return capture.reason if capture else None


def seeds(text: str | None) -> tuple[str, ...]:
    """The URLs of an argument. Raises BadOption for none, and for a text that is no http(s) URL."""
    found = (text or "").split()
    if not found:
        raise BadOption("no URL; give one, for example -a url=https://example.com/")
    for url in found:
        urls.normalize(url)
    return tuple(dict.fromkeys(found))
