"""`scrapy crawl page -a url=...`: fetch pages, one or more, and follow nothing but their redirects."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from polite_crawler.middlewares.redirect import REFRESH
from polite_crawler.middlewares.render import RENDER
from polite_crawler.middlewares.retry import MAX_RETRIES as TRIES
from polite_crawler.middlewares.stored_copy import MAX_AGE
from polite_crawler.rules import durations, rendering
from polite_crawler.spiders.arguments import no_more, seeds
from polite_crawler.spiders.base import PoliteSpider
from polite_crawler.spiders.results import PageResult, Tally
from polite_crawler.transport.trace import trace_of


class PageSpider(PoliteSpider):
    """Gives one PageResult for each URL. `url` holds one URL or more, white space between them; `max_age` and `render`
    are those of POLITE_MAX_AGE and POLITE_RENDER for this run. A quick meta refresh counts as a redirect."""

    name = "page"
    retries: int | None = 0
    """How often a busy or failing host is asked again; None: as POLITE_RETRIES says. A person who asks for one page
    can ask again."""
    repeats = True
    """Whether each URL gets its own result, also when another one has led to the same page."""

    def __init__(
        self, url: str | None = None, max_age: str | None = None, render: str | None = None, **kwargs: Any
    ) -> None:
        no_more(kwargs, type(self))
        super().__init__()
        self.urls = seeds(url)
        if max_age is not None:
            durations.max_age(max_age)
        self.age_meta: dict[str, Any] = {} if max_age is None else {MAX_AGE: max_age}
        self.render_meta: dict[str, Any] = {} if render is None else {RENDER: rendering.mode(render, "render")}
        self.tally = Tally()

    async def start(self) -> AsyncIterator[Request]:
        """The requests of the URLs."""
        for url in self.urls:
            yield self.request(url)

    def request(self, url: str, **meta: Any) -> Request:
        """A request of this spider."""
        tries = {} if self.retries is None else {TRIES: self.retries}
        meta = {REFRESH: True, **tries, **self.age_meta, **self.render_meta, **meta}
        return Request(url, callback=self.parse, errback=self.failed, dont_filter=self.repeats, meta=meta)

    async def parse(self, response: Response, **kwargs: Any) -> AsyncIterator[PageResult | Request]:
        """The result of a page."""
        assert response.request is not None
        yield self._counted(response.request, response)

    def failed(self, failure: Failure) -> Iterator[PageResult]:
        """The result of a request that gave no response."""
        yield self._counted(failure.request, failure)  # type: ignore[attr-defined]

    def _counted(self, request: Request, answer: Response | Failure) -> PageResult:
        result = self.result(request, answer)
        self.tally.add(result, reason_of(request))
        return result


def reason_of(request: Request) -> str | None:
    """The reason of the capture of a request: of what the site answered, when an archive gave the page."""
    capture = trace_of(request).live or trace_of(request).capture
    return capture.reason if capture else None
