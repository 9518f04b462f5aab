"""`scrapy crawl site -a url=...`: the pages of a site, within a budget, at the pace of the site."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from polite_crawler.middlewares.robots_files import robots_files_of
from polite_crawler.readers.listing import Entry
from polite_crawler.readers.page import Page
from polite_crawler.readers.walls import SOFT_404_NOTE
from polite_crawler.rules import durations, urls
from polite_crawler.rules.scope import Scope
from polite_crawler.rules.simhash import NearDuplicates, simhash
from polite_crawler.rules.traps import TrapGuard
from polite_crawler.scheduling.closing import ERROR, close
from polite_crawler.scheduling.declined import SILENT, Declined
from polite_crawler.scheduling.frontier_filter import FrontierFilter
from polite_crawler.scheduling.lanes import lanes_of
from polite_crawler.scheduling.scheduler import scheduler_of
from polite_crawler.spiders.arguments import flag, whole
from polite_crawler.spiders.known import Known
from polite_crawler.spiders.links import LINKS_A_PAGE, WAITING, Choice, LinkRules, closed_page, link_urls
from polite_crawler.spiders.listings import (
    BREATH,
    MOST_FILES,
    MOST_ORIGINS,
    changed,
    listing_meta,
    read_response,
    sitemaps_of,
)
from polite_crawler.spiders.page import PageSpider, reason_of
from polite_crawler.spiders.results import CrawledPage, CrawlSummary, PageResult, Stopped
from polite_crawler.transport.handler import KIND
from polite_crawler.transport.trace import Trace, trace_of

_REASONS: dict[str, Stopped] = {
    "finished": "done", "max-pages": "max-pages", "budget": "budget", "cancelled": "cancelled", "shutdown": "cancelled",
    "error": "error", "start_error": "error",
}  # fmt: skip

_SEED_FIRST = 4_000_000_000
_SITEMAP_NEXT = 3_000_000_000
_SENT_BEFORE = ("redirect_urls", "polite_retries", "polite_idle")


class SiteSpider(PageSpider):
    """Fetches the seeds, then the pages of the sitemaps (`sitemaps=on`; the newest lastmod first), then the links of
    each page on the same site (a host and its www. form, and `allow_host`), a lower depth before a higher one.

    `include` and `exclude` are patterns (`/path*`, a whole URL, `$` at the end), white space between several; they and
    the scope apply to links and to pages of sitemaps, never to seeds. `max_pages` counts pages, `max_depth` the links
    from a seed or a page of a sitemap, `budget` is a duration.
    """

    name = "site"
    retries = None
    repeats = False

    def __init__(
        self,
        url: str | None = None,
        max_pages: str | int = 100,
        max_depth: str | int = 3,
        budget: str | float = "10m",
        include: str = "",
        exclude: str = "",
        allow_host: str = "",
        sitemaps: str | bool = False,
        max_age: str | None = None,
        render: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(url=url, max_age=max_age, render=render, **kwargs)
        self.max_pages = whole(max_pages, "max_pages", least=1)
        self.max_depth = whole(max_depth, "max_depth", least=0)
        self.budget = durations.seconds(budget, "budget")
        self.sitemaps = flag(sitemaps, "sitemaps")
        self.scope = Scope.of(
            self.urls, allow_hosts=allow_host.split(), include=include.split(), exclude=exclude.split()
        )
        self.allowed_domains = [*self.scope.sites, *self.scope.allowed, *(f"*{name}" for name in self.scope.under)]
        self.summary: CrawlSummary | None = None
        self.frontier_job: Mapping[str, Any] = {
            "spider": self.name, "seeds": list(self.urls), "max_depth": self.max_depth, "include": include.split(),
            "exclude": exclude.split(), "allow_host": allow_host.split(), "sitemaps": self.sitemaps,
        }  # fmt: skip
        self._admitted: set[str] = set()
        self._waiting = 0
        self._files: set[str] = set()
        self._from_sitemaps = 0
        self._late = False
        self._near = NearDuplicates()
        self._timer: asyncio.TimerHandle | None = None
        self._links: LinkRules

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """The spider of a crawl."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider._opened, signals.spider_opened)
        crawler.signals.connect(spider._dropped, signals.request_dropped)
        crawler.signals.connect(spider._closing, signals.spider_closed)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """The requests of the seeds, and of the sitemaps of their sites."""
        for url in self.urls:
            if self._links.enter_seed(url):
                yield self._asked(self.request(url, polite_source="seed", allow_offsite=True), _SEED_FIRST)
        if not self.sitemaps:
            return
        origins = dict.fromkeys(urls.origin(url) for url in self.urls)
        for origin in list(origins)[:MOST_ORIGINS]:
            try:
                robots = await robots_files_of(self.crawler).of(origin, deadline=None)
            except Declined:
                return
            for file in sitemaps_of(robots, origin):
                if self._is_new_file(file):
                    yield self._asked(self._sitemap(file), _SITEMAP_NEXT)

    def decline_request(self, request: Request) -> Declined | None:
        """Why a request that comes from the queue shall not be sent, or None.

        The pages of a crawl are counted here, so that no request too many goes out; a hop belongs to the page that led
        to it. A page that turned out to have another name while it waited is not fetched again.
        """
        if request.meta.get(KIND, "fetch") != "fetch":
            return Declined("max-pages", "the crawl has its pages") if self._has_enough(request) else None
        asked = request.meta.get("redirect_urls", [request.url])[0]
        if request.meta.get("polite_source") != "seed" and not any(name in request.meta for name in _SENT_BEFORE):
            normal = urls.normal_or_none(request.url)
            if normal is not None and self._links.known.is_name(normal):
                self._admitted.discard(asked)
                return Declined("known", "another name of a page that was fetched")
        if asked not in self._admitted and len(self._admitted) >= self.max_pages:
            return Declined("max-pages", "the crawl has its pages")
        self._admitted.add(asked)
        return None

    async def parse(self, response: Response, **kwargs: Any) -> AsyncIterator[PageResult | Request]:
        """The result of a page, and the requests of its links."""
        request = response.request
        assert request is not None
        trace = trace_of(request)
        # an archived copy is no page of this site today: its links and its names say nothing
        page = trace.page if trace.live is None else None
        if page is not None:
            await self._note_near(trace, page, response.url)
        yield self._ended(request, response)
        if page is not None:
            self._name_page(urls.normal_or_none(response.url), page.canonical)
            async for followed in self._follow(request, response.url, trace, page):
                yield followed

    def failed(self, failure: Failure) -> Iterator[PageResult]:
        """The result of a request that gave no response."""
        request: Request = failure.request  # type: ignore[attr-defined]
        error = failure.value
        if isinstance(error, Declined) and error.reason in SILENT:
            if error.reason == "known":
                self._waiting -= 1
                self._skip("canonical")
            return
        if isinstance(error, Declined) and error.reason == "deadline":
            self._late = True
        yield self._ended(request, failure)

    async def parse_sitemap(self, response: Response, **kwargs: Any) -> AsyncIterator[Request]:
        """The requests of the pages of a sitemap, or of the sitemaps of an index."""
        self._waiting -= 1
        # the pages of a sitemap stand beside the seeds: depth 0
        response.meta["depth"] = -1
        listed = await read_response(response, "sitemap")
        for child in listed.children:
            same_host = urls.same_site(child.url, response.url) or self.scope.holds_host(child.url)
            if same_host and self._is_new_file(child.url):
                yield self._asked(self._sitemap(child.url), _SITEMAP_NEXT)
        for number, entry in enumerate(listed.entries):
            if (request := self._page_of(entry)) is not None:
                yield request
            if number % BREATH == 0:
                await asyncio.sleep(0)

    def sitemap_failed(self, failure: Failure) -> None:
        """A sitemap that gave no response."""
        if not (isinstance(failure.value, Declined) and failure.value.reason in SILENT):
            self._waiting -= 1

    def _ended(self, request: Request, answer: Response | Failure) -> CrawledPage:
        self._waiting -= 1
        page = self.result(request, answer)
        self.tally.add(page, reason_of(request))
        self._count(f"pages/{'from_cache' if page.from_cache and page.archived is None else page.outcome}")
        crawled = CrawledPage(
            **{name: getattr(page, name) for name in PageResult.__dataclass_fields__},
            depth=request.meta.get("depth", 0),
            source=request.meta.get("polite_source", "link"),
        )
        if self.tally.pages >= self.max_pages:
            close(self.crawler, "max-pages")
        return crawled

    async def _follow(self, request: Request, url: str, trace: Trace, page: Page) -> AsyncIterator[Request]:
        links = link_urls(page)
        if (why := closed_page(trace)) is not None:
            self._skip(why, len(links))
            return
        closed = "trap:soft-404" if self._is_soft_404(url, trace, page) else None
        depth, followed = request.meta.get("depth", 0) + 1, 0
        for number, (link, may) in enumerate(links.items(), 1):
            if number % BREATH == 0:
                await asyncio.sleep(0)
            choice = self._links.choose(link, depth, closed=closed) if may else Choice(reason="nofollow")
            if choice.url is None:
                self._skip(choice.reason)
                continue
            followed += 1
            if followed >= LINKS_A_PAGE:
                closed = "links-cap"
            yield self._asked(self.request(choice.url, polite_source="link"))

    def _page_of(self, entry: Entry) -> Request | None:
        choice = self._links.choose(entry.url, 0)
        if choice.url is None:
            self._skip(choice.reason)
            return None
        self._from_sitemaps += 1
        rank = 1 + min(changed(entry.lastmod), _SITEMAP_NEXT - 2)
        return self._asked(self.request(choice.url, polite_source="sitemap"), rank)

    def _sitemap(self, url: str) -> Request:
        meta = {**listing_meta("sitemap"), "allow_offsite": True, **self.age_meta}
        return Request(url, callback=self.parse_sitemap, errback=self.sitemap_failed, meta=meta)

    def _is_new_file(self, url: str) -> bool:
        normal = urls.normal_or_none(url)
        if normal is None or normal in self._files or len(self._files) >= MOST_FILES:
            return False
        self._files.add(normal)
        return True

    def _has_enough(self, request: Request) -> bool:
        """Whether more sitemaps would name pages that this crawl cannot fetch any more."""
        return request.meta.get(KIND) == "sitemap" and self._from_sitemaps >= self.max_pages

    def _asked(self, request: Request, priority: int = 0) -> Request:
        self._waiting += 1
        request.priority += priority
        return request

    def _is_soft_404(self, url: str, trace: Trace, page: Page) -> bool:
        body = trace.capture.body if trace.capture is not None else None
        if SOFT_404_NOTE in page.notes:
            # such pages often name the path that was not found, so their octets differ
            return self._links.guard.is_soft_404(url, SOFT_404_NOTE)
        if body is None:
            return False
        return self._links.guard.is_soft_404(url, body.decoded.sha256 if body.decoded else body.sha256)

    async def _note_near(self, trace: Trace, page: Page, url: str) -> None:
        value = await asyncio.get_running_loop().run_in_executor(None, simhash, page.text)
        name = self._near.find_or_add(value, url)
        if name is not None:
            trace.notes.append(f"nearly the same text as {self.shown(name)}")
            self._count("near_duplicates")

    def _name_page(self, final: str | None, canonical: str | None) -> None:
        """Remember the names of a page that was fetched, so that it is not fetched by another one."""
        names = {name for name in (final, canonical and urls.normal_or_none(canonical)) if name}
        self._links.known.name(names)
        for name in names:
            scheduler_of(self.crawler).df.request_seen(Request(name))

    def _skip(self, reason: str, number: int = 1) -> None:
        if number:
            self.tally.skips[reason] += number
            self._count(f"skips/{reason}", number)

    def _count(self, name: str, number: int = 1) -> None:
        self.crawler.stats.inc_value(f"polite/{name}", number)

    def _opened(self) -> None:
        lanes = lanes_of(self.crawler)
        now = lanes.clock.now()
        scheduler = scheduler_of(self.crawler)
        file = scheduler.df if isinstance(scheduler.df, FrontierFilter) else None
        self._links = LinkRules(
            self.scope, Known(file), TrapGuard(now=now), max_depth=self._depth_limit(), waiting=lambda: self._waiting,
            most=WAITING if file is None else 2**63,
        )  # fmt: skip
        if scheduler.frontier is not None:
            self._waiting += scheduler.frontier.waiting.total()
            for reason, lost in scheduler.frontier.lost.items():
                self._skip(reason, lost)
        if self.budget:
            lanes.deadline = now + self.budget
            self._timer = asyncio.get_running_loop().call_later(self.budget, close, self.crawler, "budget")

    def _depth_limit(self) -> int:
        limit = self.crawler.settings.getint("DEPTH_LIMIT")
        return min(self.max_depth, limit) if limit else self.max_depth

    def _dropped(self, request: Request) -> None:
        """The scheduler knew the request already: a hop had been there before the link."""
        if request.callback not in (self.parse, self.parse_sitemap):
            return
        self._waiting -= 1
        if request.meta.get("polite_source") in ("link", "sitemap"):
            self._skip("seen")

    def _closing(self, reason: str) -> None:
        if self._timer is not None:
            self._timer.cancel()
        why = self.crawler.stats.get_value(ERROR)
        # Scrapy shuts down what could not be opened
        stopped = "error" if reason == "shutdown" and why else _REASONS.get(reason, "closed")
        if stopped == "done" and self._late and self.budget:
            stopped = "budget"
        if stopped == "max-pages" and self._waiting <= 0:
            stopped = "done"
        why = {"error": why, "closed": reason}.get(stopped)
        self.summary = self.tally.summary(stopped, reason=why, queued=max(0, self._waiting))
