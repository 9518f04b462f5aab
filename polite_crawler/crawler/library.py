"""`open_crawler`: the engine for any program, in a thread of its own."""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any, Generic, Self, TypeVar

from polite_crawler.crawler.course import Course, CrawlLedger, DiscoveryLedger
from polite_crawler.crawler.engine import END, GRACE, Engine
from polite_crawler.crawler.recipes import AsyncRecipes, Reading, SyncRecipes, all_extractors, wait
from polite_crawler.crawler.runs import Run, SyncRun
from polite_crawler.crawler.settings import options_of, settings_of
from polite_crawler.crawler.thread import EngineThread
from polite_crawler.middlewares.archive_keys import DESPITE_ROBOTS, FALLBACK
from polite_crawler.query.store import Store
from polite_crawler.recipes.documents import recipe_name
from polite_crawler.recipes.recipe import Recipe
from polite_crawler.rules import durations, rendering, urls
from polite_crawler.rules.durations import Duration
from polite_crawler.scheduling.clock import Clock
from polite_crawler.signing import RequestSigner, configured_signer
from polite_crawler.spiders.discover import DiscoverSpider
from polite_crawler.spiders.events import Listener
from polite_crawler.spiders.results import (
    CrawledPage,
    CrawlSummary,
    DiscoveredUrl,
    DiscoverySummary,
    PageResult,
)
from polite_crawler.spiders.site import SiteSpider
from polite_crawler.store.caught_up import Reindexed
from polite_crawler.store.hosts import HostStateStore
from polite_crawler.store.projection import Extractor

CLOSE_SECONDS = GRACE + 2 * END
"""The longest that `close` waits for the engine's thread."""

CrawlRun = Run[CrawledPage, CrawlSummary]
DiscoverRun = Run[DiscoveredUrl, DiscoverySummary]
SyncCrawlRun = SyncRun[CrawledPage, CrawlSummary]
SyncDiscoverRun = SyncRun[DiscoveredUrl, DiscoverySummary]

CrawlT = TypeVar("CrawlT")
DiscoverT = TypeVar("DiscoverT")

Words = str | Iterable[str]
logger = logging.getLogger(__name__)


class _Opened(Generic[CrawlT, DiscoverT]):
    """What the two forms of an open crawler share. Each says what its runs are."""

    def __init__(
        self,
        thread: EngineThread,
        crawl_run: Callable[[Course[CrawledPage, CrawlSummary]], CrawlT],
        discover_run: Callable[[Course[DiscoveredUrl, DiscoverySummary]], DiscoverT],
    ) -> None:
        self.store: Store = thread.engine.store
        self._crawl_run = crawl_run
        self._discover_run = discover_run
        self._thread = thread
        self._reading = Reading(thread)

    def _fetching(
        self,
        url: str,
        max_age: Duration | None,
        budget: Duration | None,
        recipe: str | None,
        render: str | None,
        archives: Mapping[str, bool],
    ) -> "PageResult | Future[PageResult]":
        """The stored copy, or what is queued for it."""
        urls.check(url)
        age = None if max_age is None else durations.max_age(max_age)
        span = None if budget is None else durations.seconds(budget, "budget")
        mode = None if render is None else rendering.mode(render, "render")
        if recipe is not None:
            recipe_name(recipe)
        page = self._thread.engine.answer(url, age, recipe, mode)
        if page is not None:
            return page
        if recipe is not None and (age is None or age.kind != "stored"):
            # a copy of another recipe has no documents of this one
            age = durations.max_age(0)
        return self._thread.call(
            lambda engine: engine.fetch(url, max_age=age, budget=span, recipe=recipe, render=mode, archives=archives)
        )

    def crawl(
        self,
        url: Words,
        *,
        max_pages: int = 100,
        max_depth: int = 3,
        budget: Duration = "10m",
        include: Words = (),
        exclude: Words = (),
        allow_host: Words = (),
        sitemaps: bool = False,
        max_age: Duration | None = None,
        render: str | None = None,
    ) -> CrawlT:
        """Crawl a site: an iterable of pages (an async one in an asyncio program), with a `summary`. The options are
        those of `scrapy crawl site`. Raises BadOption."""
        words = {"include": include, "exclude": exclude, "allow_host": allow_host}
        limits = {
            "max_pages": max_pages, "max_depth": max_depth, "budget": budget, "sitemaps": sitemaps,
            "max_age": max_age, "render": render,
        }  # fmt: skip
        return self._crawl_run(Course(self._thread, SiteSpider, _arguments(url, words, limits), CrawlLedger()))

    def discover(
        self,
        url: Words,
        *,
        max_urls: int = 1000,
        feed: Words = (),
        sitemap: Words = (),
        allow_host: Words = (),
        linked_feeds: bool = True,
        budget: Duration = "10m",
        max_age: Duration | None = None,
    ) -> DiscoverT:
        """The pages that the sitemaps and feeds of a site name: an iterable of URLs (an async one in an asyncio
        program), with a `summary`. Raises BadOption."""
        words = {"feed": feed, "sitemap": sitemap, "allow_host": allow_host}
        limits = {"max_urls": max_urls, "linked_feeds": linked_feeds, "budget": budget, "max_age": max_age}
        return self._discover_run(
            Course(self._thread, DiscoverSpider, _arguments(url, words, limits), DiscoveryLedger())
        )


class PoliteCrawler(_Opened[CrawlRun, DiscoverRun], AsyncRecipes):
    """An open crawler for an asyncio program. Each method can be awaited from any loop; a call that is cancelled frees
    its place.

    `store` answers questions with no request: find, read, verify, versions, diff, extract.
    """

    def __init__(self, thread: EngineThread) -> None:
        super().__init__(thread, CrawlRun, DiscoverRun)

    async def fetch(
        self,
        url: str,
        *,
        max_age: Duration | None = None,
        budget: Duration | None = None,
        recipe: str | None = None,
        render: str | None = None,
        archive_fallback: bool | None = None,
        archive_despite_robots: bool | None = None,
    ) -> PageResult:
        """Fetch one page, or take the stored copy that is younger than `max_age`. When this returns, the store has it
        and `find` finds it.

        What a site or the network does wrong is an outcome of the result, never an exception. `budget` is the longest
        wait for the turn of the host. `recipe` is the name of the extractor that reads documents from it. `render` is
        auto, always or never, in the place of the option of the crawler; so are `archive_fallback` (where the site
        refuses the page or is down, the copy of a public archive) and `archive_despite_robots`.
        Raises BadOption, StoreError when the store cannot be written, and PoliteError for a crawler that is closed.
        """
        archives = _archive_meta(archive_fallback, archive_despite_robots)
        found = self._fetching(url, max_age, budget, recipe, render, archives)
        return await asyncio.wrap_future(found) if isinstance(found, Future) else found

    async def reset_hosts(self, host: str | None = None) -> int:
        """Forget the stops, failures and backoff of a host, or of all. Gives how many hosts were known."""
        return await asyncio.wrap_future(self._thread.call(_reset(host)))

    async def reindex(self) -> Reindexed:
        """Build the index anew from the log, while everything else goes on. Raises StoreError."""
        return await asyncio.wrap_future(self._thread.call(Engine.reindex))

    async def close(self) -> None:
        """End everything: calls that wait end with PoliteError, exchanges in progress have a second. Nothing is left
        of the crawler in the process."""
        ended = self._thread.stop()
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await asyncio.shield(asyncio.wrap_future(ended))
        except TimeoutError:
            _note_hang()
        else:
            self._thread.join(1.0)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class SyncCrawler(_Opened[SyncCrawlRun, SyncDiscoverRun], SyncRecipes):
    """An open crawler for a program without a loop. Threads can share it.

    `store` answers questions with no request: find, read, verify, versions, diff, extract.
    """

    def __init__(self, thread: EngineThread) -> None:
        super().__init__(thread, SyncCrawlRun, SyncDiscoverRun)

    def fetch(
        self,
        url: str,
        *,
        max_age: Duration | None = None,
        budget: Duration | None = None,
        recipe: str | None = None,
        render: str | None = None,
        archive_fallback: bool | None = None,
        archive_despite_robots: bool | None = None,
    ) -> PageResult:
        """As `PoliteCrawler.fetch`."""
        archives = _archive_meta(archive_fallback, archive_despite_robots)
        found = self._fetching(url, max_age, budget, recipe, render, archives)
        return wait(found) if isinstance(found, Future) else found

    def reset_hosts(self, host: str | None = None) -> int:
        """As `PoliteCrawler.reset_hosts`."""
        return wait(self._thread.call(_reset(host)))

    def reindex(self) -> Reindexed:
        """As `PoliteCrawler.reindex`."""
        return wait(self._thread.call(Engine.reindex))

    def close(self) -> None:
        """As `PoliteCrawler.close`."""
        ended = self._thread.stop()
        try:
            ended.result(CLOSE_SECONDS)
        except TimeoutError:
            _note_hang()
        else:
            self._thread.join(1.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Opening:
    """A crawler that is about to be opened: by `async with` (or `await`) for an asyncio program, by `with` for another
    one."""

    def __init__(self, make: "partial[Engine]", on_event: Listener | None) -> None:
        self._make = make
        self._on_event = on_event
        self._open: PoliteCrawler | SyncCrawler | None = None

    def __await__(self) -> Generator[Any, None, PoliteCrawler]:
        return self._opened().__await__()

    async def __aenter__(self) -> PoliteCrawler:
        crawler = self._open = await self._opened()
        return crawler

    async def __aexit__(self, *_: object) -> None:
        crawler, self._open = self._open, None
        if isinstance(crawler, PoliteCrawler):
            await crawler.close()

    def __enter__(self) -> SyncCrawler:
        thread = EngineThread(lambda: self._make(on_event=self._on_event))
        try:
            thread.start().result()
        except BaseException:
            thread.stop()
            thread.join(CLOSE_SECONDS)
            raise
        crawler = self._open = SyncCrawler(thread)
        return crawler

    def __exit__(self, *_: object) -> None:
        crawler, self._open = self._open, None
        if isinstance(crawler, SyncCrawler):
            crawler.close()

    async def _opened(self) -> PoliteCrawler:
        listener = None if self._on_event is None else _in_loop(self._on_event, asyncio.get_running_loop())
        thread = EngineThread(lambda: self._make(on_event=listener))
        try:
            await asyncio.wrap_future(thread.start())
        except BaseException:
            await asyncio.shield(asyncio.wrap_future(thread.stop()))
            thread.join(1.0)
            raise
        return PoliteCrawler(thread)


def open_crawler(
    dir: str | os.PathLike[str] | None = None,
    *,
    on_event: Listener | None = None,
    extractors: Mapping[str, Extractor] | None = None,
    recipes: Iterable[type[Recipe]] = (),
    host_state: HostStateStore | None = None,
    signer: RequestSigner | None = None,
    clock: Clock | None = None,
    scrapy: Mapping[str, Any] | None = None,
    **options: Any,
) -> Opening:
    """Open a crawler on the store in `dir` (by default POLITE_CRAWLER_DIR, else ~/.polite-crawler):

        async with open_crawler("./crawl", contact="ops@example.com") as crawler:
            page = await crawler.fetch("https://example.com/")

        with open_crawler("./crawl") as crawler:
            page = crawler.fetch("https://example.com/")

    `options` are the settings of the package in lower case, without POLITE_; `scrapy` holds settings of Scrapy by
    their own names. `on_event` gets each event, in the loop that opened the crawler (without one: in the crawler's
    thread). `extractors` read documents from the captures of a recipe, by its name; `recipes` are classes that
    bring theirs. `host_state` keeps the pace and the stops (by default `hosts.sqlite` in the store); who made it closes
    it. `signer` signs each request (Web Bot Auth), in the place of the key of the settings. Nothing of the program is
    configured: no logging, no signal handler, no reactor.

    Raises BadOption for an option that is not valid. Opening raises StoreError.
    """
    settings = settings_of(dir, options, scrapy)
    checked = options_of(settings)
    configured_signer(checked.signature)
    known = all_extractors(recipes, extractors)
    make = partial(Engine, settings, checked, host_state=host_state, extractors=known, signer=signer, clock=clock)
    return Opening(make, on_event)


def _seeds(url: Words) -> str:
    """The argument of a spider, which takes white space for the end of a URL. A text is one URL here."""
    given = [url] if isinstance(url, str) else list(url)
    for one in given:
        urls.check(one)
    return " ".join(one if not any(char.isspace() for char in one) else urls.normalize(one) for one in given)


def _archive_meta(fallback: bool | None, despite_robots: bool | None) -> dict[str, bool]:
    """The meta keys of a request that say whether archives may be asked; those that are not given are left to the
    options of the crawler."""
    given = {FALLBACK: fallback, DESPITE_ROBOTS: despite_robots}
    return {name: value for name, value in given.items() if value is not None}


def _arguments(url: Words, words: Mapping[str, Words], limits: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a spider."""
    return {"url": _seeds(url), **{name: _text(value) for name, value in words.items()}, **limits}


def _text(words: Words) -> str:
    return words if isinstance(words, str) else " ".join(words)


def _reset(host: str | None) -> Callable[[Engine], Awaitable[int]]:
    async def reset(engine: Engine) -> int:
        return engine.reset(host)

    return reset


def _in_loop(listener: Listener, loop: asyncio.AbstractEventLoop) -> Listener:
    def tell(event: Any) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(listener, event)

    return tell


def _note_hang() -> None:
    logger.warning("the crawler did not end within %.0f s; its thread goes on without the program", CLOSE_SECONDS)
