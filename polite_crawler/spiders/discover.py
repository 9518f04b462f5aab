"""`scrapy crawl discover -a url=...`: the pages of a site, from its sitemaps and feeds. It fetches the files that list
the pages, not the pages."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, Literal, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from polite_crawler.errors import BadOption
from polite_crawler.middlewares.archive_keys import FALLBACK
from polite_crawler.middlewares.redirect import REFRESH
from polite_crawler.middlewares.robots_files import InForce, robots_files_of
from polite_crawler.middlewares.stored_copy import MAX_AGE
from polite_crawler.readers.listing import Entry
from polite_crawler.rules import durations, outcomes, urls
from polite_crawler.rules.outcomes import Outcome
from polite_crawler.rules.robots import robots_url
from polite_crawler.rules.scope import Scope
from polite_crawler.scheduling.declined import SILENT, Declined
from polite_crawler.scheduling.lanes import lanes_of
from polite_crawler.scheduling.options import options_of
from polite_crawler.spiders.arguments import flag, no_more, seeds, whole
from polite_crawler.spiders.base import PoliteSpider, page_note
from polite_crawler.spiders.listings import (
    BREATH,
    MOST_FILES,
    MOST_ORIGINS,
    Listed,
    changed,
    listing_meta,
    read_response,
    sitemaps_of,
)
from polite_crawler.spiders.results import DiscoveredUrl, DiscoverySource, DiscoveryStopped, DiscoverySummary, Via
from polite_crawler.store.record import utc
from polite_crawler.transport.trace import trace_of

LINKED_FEEDS = 5
"""How many feeds of the links of a page are read."""

_FILE = "polite_listing"
_REASONS: dict[str, DiscoveryStopped] = {
    "finished": "done", "cancelled": "cancelled", "shutdown": "cancelled", "error": "error", "start_error": "error",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _File:
    """A file to read."""

    url: str
    kind: Literal["page", "sitemap", "feed"]


class _Todo:
    """The files that wait, in the order in which they are read: those that were named, then the parts of the indexes,
    the newest first. Each file comes once."""

    def __init__(self) -> None:
        self._named: deque[_File] = deque()
        self._parts: list[tuple[int, int, _File]] = []
        self._seen: set[_File] = set()

    def name(self, url: str, kind: Literal["page", "sitemap", "feed"]) -> None:
        """Add a file that was named."""
        if (file := self._new(url, kind)) is not None:
            self._named.append(file)

    def part(self, entry: Entry) -> None:
        """Add a sitemap of an index."""
        if (file := self._new(entry.url, "sitemap")) is not None:
            heappush(self._parts, (-changed(entry.lastmod), len(self._seen), file))

    def next(self) -> _File | None:
        """The next file, or None."""
        if self._named:
            return self._named.popleft()
        return heappop(self._parts)[2] if self._parts else None

    @property
    def has_named(self) -> bool:
        """Whether a named file waits."""
        return bool(self._named)

    def clear(self) -> None:
        """Forget what waits."""
        self._named.clear()
        self._parts.clear()

    def _new(self, url: str, kind: Literal["page", "sitemap", "feed"]) -> _File | None:
        normal = urls.normal_or_none(url)
        if normal is None or (key := _File(normal, kind)) in self._seen:
            return None
        self._seen.add(key)
        return _File(urls.without_fragment(url), kind)


class DiscoverSpider(PoliteSpider):
    """Gives a DiscoveredUrl for each page that the sitemaps and feeds of a site name, the newest lastmod first.

    It reads the page at `url` for the feeds that it links, the feeds of `feed` and the sitemaps of `sitemap` (URLs,
    white space between several), the sitemaps of robots.txt or else /sitemap.xml, and the parts of each index. A URL
    is kept when it is on the same site (a host and its www. form, and `allow_host`) and robots.txt permits it.
    """

    name = "discover"

    def __init__(
        self,
        url: str | None = None,
        max_urls: str | int = 1000,
        feed: str = "",
        sitemap: str = "",
        allow_host: str = "",
        linked_feeds: str | bool = True,
        budget: str | float = "10m",
        max_age: str | None = None,
        **kwargs: Any,
    ) -> None:
        no_more(kwargs, type(self))
        super().__init__()
        self.urls = seeds(url)
        self.max_urls = whole(max_urls, "max_urls", least=1)
        self.budget = durations.seconds(budget, "budget")
        self.scope = Scope.of(self.urls, allow_hosts=allow_host.split())
        self.summary: DiscoverySummary | None = None
        if max_age is not None:
            durations.max_age(max_age)
        self._age_meta: dict[str, Any] = {} if max_age is None else {MAX_AGE: max_age}
        self._todo = _Todo()
        if flag(linked_feeds, "linked_feeds"):
            for page in self.urls:
                self._todo.name(page, "page")
        self._given = [(one, "feed") for one in _urls(feed, "feed")] + [
            (one, "sitemap") for one in _urls(sitemap, "sitemap")
        ]
        self._default_sitemap = not sitemap.split()
        self._robots_read = False
        self._origins: dict[str, InForce | None] = {}
        self._found: dict[str, DiscoveredUrl] = {}
        self._dropped = 0
        self._files = 0
        self._sources: list[DiscoverySource] = []
        self._stopped: DiscoveryStopped | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """The spider of a discovery."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider._opened, signals.spider_opened)
        crawler.signals.connect(spider._closing, signals.spider_closed)
        return spider

    @property
    def found(self) -> list[DiscoveredUrl]:
        """What was kept so far, the newest lastmod first."""
        return sorted(self._found.values(), key=lambda row: changed(row.lastmod), reverse=True)

    async def start(self) -> AsyncIterator[Request | DiscoveredUrl]:
        """The first file."""
        async for one in self._go_on():
            yield one

    async def parse(self, response: Response, **kwargs: Any) -> AsyncIterator[Request | DiscoveredUrl]:
        """The feeds that a page links, or the pages that a file lists; then the next file."""
        request = response.request
        assert request is not None
        url, kind = request.meta[_FILE]
        page = trace_of(request).page
        if kind == "page":
            feeds = page.feeds if page is not None else ()
            for feed in feeds[:LINKED_FEEDS]:
                self._todo.name(feed, "feed")
            self._note(request, response, len(feeds), ())
        else:
            listed = await read_response(response, kind)
            await self._take(url, listed)
            number = len(listed.entries) + len(listed.children)
            self._note(request, response, number, listed.notes)
        async for one in self._go_on():
            yield one

    async def failed(self, failure: Failure) -> AsyncIterator[Request | DiscoveredUrl]:
        """A file that gave no response."""
        error = failure.value
        if isinstance(error, Declined) and error.reason in SILENT:
            return
        self._note(failure.request, failure, 0, ())  # type: ignore[attr-defined]
        if isinstance(error, Declined) and error.reason == "deadline":
            self._stop("budget")
        async for one in self._go_on():
            yield one

    async def _go_on(self) -> AsyncIterator[Request | DiscoveredUrl]:
        """The request of the next file; after the last one, what was found."""
        if not self._todo.has_named and not self._robots_read and self._stopped is None:
            self._robots_read = True
            await self._name_files()
        file = self._todo.next()
        if file is not None and self._files >= MOST_FILES:
            self._stop("max-files")
            file = None
        if file is None:
            for row in self.found:
                yield row
            return
        self._files += file.kind != "page"
        yield self._request(file)

    async def _name_files(self) -> None:
        """Name the files that come after the page: those of the arguments, and those of robots.txt."""
        for url, kind in self._given:
            self._todo.name(url, "feed" if kind == "feed" else "sitemap")
        for origin in dict.fromkeys(urls.origin(url) for url in self.urls):
            robots = await self._robots_of(origin)
            if robots is None:
                continue
            named = robots.standing.file.sitemaps if robots.standing.file is not None else ()
            self._sources.append(_robots_source(origin, robots, len(named)))
            if named or self._default_sitemap:
                for url in sitemaps_of(robots, origin):
                    self._todo.name(url, "sitemap")

    async def _take(self, source: str, listed: Listed) -> None:
        """Keep what a file lists, as far as it is to be kept."""
        for child in listed.children:
            if urls.same_site(child.url, source) or self.scope.holds_host(child.url):
                self._todo.part(child)
            else:
                self._dropped += 1
        for number, entry in enumerate(listed.entries):
            if len(self._found) >= self.max_urls:
                self._dropped += len(listed.entries) - number
                self._stop("max-urls")
                return
            await self._keep(source, listed.via, entry)
            if number % BREATH == 0:
                await asyncio.sleep(0)
        if len(self._found) >= self.max_urls:
            self._stop("max-urls")

    async def _keep(self, source: str, via: Via, entry: Entry) -> None:
        url = urls.normal_or_none(entry.url)
        if url is not None and url in self._found:
            return
        if url is None or not self.scope.holds_host(url) or not await self._permits(url):
            self._dropped += 1
            return
        self._found[url] = DiscoveredUrl(url, entry.lastmod, entry.changefreq, via, source)

    async def _permits(self, url: str) -> bool:
        robots = await self._robots_of(urls.origin(url))
        if robots is None:
            return False
        tokens = options_of(self.crawler).identity.tokens
        return all(robots.standing.access(token, url).result == "allow" for token in tokens)

    async def _robots_of(self, origin: str) -> InForce | None:
        """The robots.txt of an origin; None when it could not be asked for, or would be one too many."""
        if origin not in self._origins:
            if len(self._origins) >= MOST_ORIGINS:
                return None
            try:
                self._origins[origin] = await robots_files_of(self.crawler).of(origin)
            except Declined:
                self._origins[origin] = None
        return self._origins[origin]

    def _request(self, file: _File) -> Request:
        # what an old page linked says nothing of the feeds of today
        meta = {REFRESH: True, FALLBACK: False} if file.kind == "page" else listing_meta(file.kind)
        # each file is asked for once, and a request that a filter drops would end the discovery unheard
        return Request(
            file.url,
            callback=self.parse,
            errback=self.failed,
            dont_filter=True,
            meta={**meta, **self._age_meta, _FILE: (file.url, file.kind)},
        )

    def _note(self, request: Request, answer: Response | Failure, number: int, notes: tuple[str, ...]) -> None:
        url, kind = request.meta[_FILE]
        capture = trace_of(request).capture
        cut = capture.body.truncated if capture is not None and capture.body is not None else None
        texts = (page_note(request, answer), f"only the first part was read ({cut})" if cut else None, *notes)
        note = "; ".join(dict.fromkeys(text for text in texts if text)) or None
        outcome: Outcome = capture.outcome if capture is not None else "error"
        self._sources.append(DiscoverySource(self.shown(url), kind, outcome, number, note))
        self.crawler.stats.inc_value(f"polite/discovery/{kind}/{outcome}")

    def _stop(self, why: DiscoveryStopped) -> None:
        self._stopped = self._stopped or why
        self._todo.clear()

    def _opened(self) -> None:
        lanes = lanes_of(self.crawler)
        if self.budget:
            lanes.deadline = lanes.clock.now() + self.budget

    def _closing(self, reason: str) -> None:
        stopped = _REASONS.get(reason, "closed")
        if stopped == "done" and self._stopped is not None:
            stopped = self._stopped
        self.summary = DiscoverySummary(stopped, len(self._found), self._dropped, tuple(self._sources))


def _robots_source(origin: str, robots: InForce, named: int) -> DiscoverySource:
    standing = robots.standing
    outcome: Outcome = outcomes.of_status(int(standing.why)) if standing.why.isdecimal() else "error"
    note = None
    if standing.state in ("unreachable", "challenge"):
        outcome = "challenge" if standing.state == "challenge" else outcome
        note = outcomes.unreachable_note(standing.why, utc(robots.next_try))
    return DiscoverySource(robots_url(origin), "robots", outcome, named, note)


def _urls(text: str, name: str) -> list[str]:
    found = text.split()
    for url in found:
        if not urls.is_http(url):
            raise BadOption(f"{name}: {url!r} is no http or https URL")
    return found
