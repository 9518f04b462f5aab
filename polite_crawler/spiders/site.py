"""`scrapy crawl site -a url=...`: the pages of a site, within a budget, at the pace of the site."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from polite_crawler.errors import BadOption
from polite_crawler.rules import durations, urls
from polite_crawler.rules.scope import Scope
from polite_crawler.scheduling.closing import ERROR, close
from polite_crawler.scheduling.declined import NO_CAPTURE, Declined
from polite_crawler.scheduling.lanes import lanes_of
from polite_crawler.spiders.page import PageSpider, reason_of
from polite_crawler.spiders.results import CrawledPage, CrawlSummary, PageResult, Stopped
from polite_crawler.transport.trace import Trace, trace_of

LINKS_A_PAGE = 100
"""How many links of one page are followed."""

WAITING = 10_000
"""How many URLs wait at one time."""

SEEN = 100_000
"""How many URLs a crawl knows."""

_REASONS: dict[str, Stopped] = {
    "finished": "done", "max-pages": "max-pages", "budget": "budget", "cancelled": "cancelled", "shutdown": "cancelled",
    "error": "error", "start_error": "error",
}  # fmt: skip


class SiteSpider(PageSpider):
    """Fetches the seeds, then the links of each page on the same site (a host and its www. form, and `allow_host`).

    Seeds come first, then the links, a lower depth before a higher one. `include` and `exclude` are patterns
    (`/path*`, a whole URL, `$` at the end), white space between several; they and the scope apply to links, never to
    seeds. `max_pages` counts pages, `max_depth` the links from a seed, `budget` is a duration.
    """

    name = "site"

    def __init__(
        self,
        url: str | None = None,
        max_pages: str | int = 100,
        max_depth: str | int = 3,
        budget: str | float = "10m",
        include: str = "",
        exclude: str = "",
        allow_host: str = "",
        max_age: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(url=url, max_age=max_age, **kwargs)
        self.max_pages = _whole(max_pages, "max_pages", least=1)
        self.max_depth = _whole(max_depth, "max_depth", least=0)
        self.budget = durations.seconds(budget, "budget")
        self.scope = Scope.of(
            self.urls, allow_hosts=allow_host.split(), include=include.split(), exclude=exclude.split()
        )
        self.allowed_domains = [*self.scope.sites, *self.scope.allowed, *(f"*{name}" for name in self.scope.under)]
        self.summary: CrawlSummary | None = None
        self._known: set[str] = set()
        self._pages: set[str] = set()
        self._admitted: set[str] = set()
        self._waiting = 0
        self._timer: asyncio.TimerHandle | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """The spider of a crawl."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider._opened, signals.spider_opened)
        crawler.signals.connect(spider._closing, signals.spider_closed)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """The requests of the seeds."""
        for url in self.urls:
            if self._is_new(urls.normalize(url)):
                self._waiting += 1
                yield self.request(url, polite_source="seed", allow_offsite=True)

    def admits(self, request: Request) -> bool:
        """Whether a request still belongs to the pages of this crawl. A hop belongs to the page that led to it."""
        if request.meta.get("polite_kind", "fetch") != "fetch":
            return True
        asked = request.meta.get("redirect_urls", [request.url])[0]
        if asked not in self._admitted and len(self._admitted) >= self.max_pages:
            return False
        self._admitted.add(asked)
        return True

    def parse(self, response: Response, **kwargs: Any) -> Iterator[PageResult | Request]:
        """The result of a page, and the requests of its links."""
        request = response.request
        assert request is not None
        yield self._ended(request, response)
        yield from self._follow(request, response)

    def failed(self, failure: Failure) -> Iterator[PageResult]:
        """The result of a request that gave no response."""
        request: Request = failure.request  # type: ignore[attr-defined]
        if isinstance(failure.value, Declined) and failure.value.reason in NO_CAPTURE:
            return
        yield self._ended(request, failure)

    def _ended(self, request: Request, answer: Response | Failure) -> CrawledPage:
        self._waiting -= 1
        page = self.result(request, answer)
        self.tally.add(page, reason_of(request))
        crawled = CrawledPage(
            **{name: getattr(page, name) for name in PageResult.__dataclass_fields__},
            depth=request.meta.get("depth", 0),
            source=request.meta.get("polite_source", "link"),
        )
        if self.tally.pages >= self.max_pages:
            close(self.crawler, "max-pages")
        return crawled

    def _follow(self, request: Request, response: Response) -> Iterator[Request]:
        trace, skips = trace_of(request), self.tally.skips
        page = trace.page
        if page is None:
            return
        self._note_page(urls.normal_or_none(response.url), page.canonical)
        links = list(dict.fromkeys(link.url for link in page.links))
        if (why := _closed_links(trace)) is not None:
            skips[why] += len(links)
            return
        no_follow = {link.url for link in page.links if "nofollow" in link.rel}
        depth = request.meta.get("depth", 0) + 1
        followed = 0
        for url in links:
            reason = "nofollow" if url in no_follow else self._refusal(url, depth)
            if reason is None and followed >= LINKS_A_PAGE:
                reason = "links-cap"
            if reason is None:
                reason = self._refused_as_known(urls.normalize(url))
            if reason is not None:
                skips[reason] += 1
                continue
            followed += 1
            self._waiting += 1
            yield self.request(urls.normalize(url), polite_source="link")

    def _refusal(self, url: str, depth: int) -> str | None:
        """Why a link is not followed whatever this crawl has seen, or None."""
        if urls.normal_or_none(url) is None:
            return "scope"
        return self.scope.refusal(url) or ("depth" if depth > self.max_depth else None)

    def _refused_as_known(self, normal: str) -> str | None:
        if normal in self._known:
            return "seen"
        if normal in self._pages:
            return "canonical"
        if self._waiting >= WAITING:
            return "queue-full"
        return None if self._is_new(normal) else "queue-full"

    def _is_new(self, normal: str) -> bool:
        """Enter a URL into what this crawl knows. False for one that it knows, and when it knows too many."""
        if normal in self._known or len(self._known) >= SEEN:
            return False
        self._known.add(normal)
        return True

    def _note_page(self, final: str | None, canonical: str | None) -> None:
        """Remember the names of a page that was fetched, so that it is not fetched by another one."""
        for name in (final, canonical and urls.normal_or_none(canonical)):
            if name and len(self._pages) < SEEN:
                self._pages.add(name)

    def _opened(self) -> None:
        if not self.budget:
            return
        lanes_of(self.crawler).deadline = lanes_of(self.crawler).clock.now() + self.budget
        self._timer = asyncio.get_running_loop().call_later(self.budget, close, self.crawler, "budget")

    def _closing(self, reason: str) -> None:
        if self._timer is not None:
            self._timer.cancel()
        stopped = _REASONS.get(reason, "closed")
        why = self.crawler.stats.get_value(ERROR) if stopped == "error" else None
        if stopped == "closed":
            why = reason
        self.summary = self.tally.summary(stopped, reason=why, queued=max(0, self._waiting))


def _closed_links(trace: Trace) -> str | None:
    """Why no link of a page is followed, or None."""
    capture = trace.capture
    if capture is None:
        return None
    if capture.hold is not None:
        return "held-back"
    return "nofollow" if "nofollow" in (capture.signals or {}).get("robots_tag", ()) else None


def _whole(value: str | int, name: str, *, least: int) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = least - 1
    if number < least:
        raise BadOption(f"{name}: {value!r} is not a whole number from {least}")
    return number
