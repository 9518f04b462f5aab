"""The engine of the library: one Scrapy crawler that stays open, and one more for each crawl, in one event loop."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, Settings
from scrapy.utils.reactor import is_reactor_installed
from twisted.python.failure import Failure

from polite_crawler.crawler.stored import StoredPages
from polite_crawler.errors import PoliteError, StoreError
from polite_crawler.middlewares.stored_response import usual_headers
from polite_crawler.middlewares.web_bot_auth import use_signer
from polite_crawler.pipelines.parts import StoreParts, use_parts
from polite_crawler.query.store import Store
from polite_crawler.recipes.recipe import paced
from polite_crawler.rules import urls
from polite_crawler.rules.durations import MaxAge
from polite_crawler.rules.options import Options
from polite_crawler.rules.rendering import Mode
from polite_crawler.scheduling.clock import Clock, SystemClock
from polite_crawler.scheduling.closing import ERROR, close
from polite_crawler.scheduling.lane_group import LaneGroup
from polite_crawler.scheduling.lanes import lanes_of, use_lanes
from polite_crawler.scheduling.ready_queue import ready_queue_of
from polite_crawler.scheduling.render_slots import RenderSlots
from polite_crawler.signing import RequestSigner
from polite_crawler.spiders.events import FROM_STORE, Event, Listener, events_of
from polite_crawler.spiders.page import reason_of
from polite_crawler.spiders.queue_fed import CLOSED, QueueFedSpider
from polite_crawler.spiders.results import PageResult
from polite_crawler.store.caught_up import Reindexed
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.hosts import HostStateStore
from polite_crawler.store.hosts_sqlite import open_hosts
from polite_crawler.store.projection import Extractor
from polite_crawler.store.record import utc
from polite_crawler.transport.browser import Browser, use_browser
from polite_crawler.transport.handler import handler_of

GRACE = 1.0
"""Seconds that exchanges in progress have when their crawl is closed, before they are cut."""

END = 30.0
"""Seconds for what is left after that: captures, readers, the log and the index."""

OnItem = Callable[[Any, str | None], None]
"""Called with each item of a spider, and with the reason of the capture that it came from."""

_T = TypeVar("_T")
_BESIDE = "polite_crawler.crawler.engine.BesideReactor"
logger = logging.getLogger(__name__)


class BesideReactor:
    """An add-on for a process with a Twisted reactor of somebody else, where Scrapy refuses to run without one. Scrapy
    is told to use the reactor that is there, of whatever kind; on an asyncio loop nothing here does."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Ask for no kind of reactor."""
        settings.set("TWISTED_REACTOR", None, 60)


class Crawl:
    """One spider that runs, in a Scrapy crawler of its own."""

    def __init__(self, crawler: Crawler, arguments: Mapping[str, Any], on_item: OnItem | None = None) -> None:
        self.crawler = crawler
        self._opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._on_item = on_item
        # weak: a table of the process holds the receivers, and would hold the crawler through them
        # not spider_opened: then a component may still be about to close it
        crawler.signals.connect(self._open, signals.engine_started)
        crawler.signals.connect(self._scraped, signals.item_scraped)
        self.task = asyncio.ensure_future(crawler.crawl_async(**arguments))

    @property
    def error(self) -> str | None:
        """Why the spider could not go on, when it could not."""
        stats = getattr(self.crawler, "stats", None) if self.crawler.settings.frozen else None
        return stats.get_value(ERROR) if stats is not None else None

    @property
    def left(self) -> int:
        """How many requests wait or are in progress."""
        queue = ready_queue_of(self.crawler)
        return len(queue) + queue.in_progress if queue is not None else 0

    async def opened(self) -> None:
        """Wait until the spider is open. Raises what it raised, and PoliteError when something else closed it."""
        await asyncio.wait([self.task, self._opened], return_when=asyncio.FIRST_COMPLETED)
        if not self._opened.done():
            await self.task
            raise PoliteError(self.error or "the spider did not open")

    async def close(self, reason: str) -> None:
        """Close the spider: its waits end at once, its exchanges in progress after a short grace. What has not ended
        END seconds later is cancelled."""
        await asyncio.wait([self.task, self._opened], return_when=asyncio.FIRST_COMPLETED, timeout=END)
        if not self.task.done():
            close(self.crawler, reason)
            await asyncio.wait([self.task], timeout=GRACE)
        if not self.task.done():
            handler_of(self.crawler).abort(CLOSED)
            await asyncio.wait([self.task], timeout=END)
        if not self.task.done():
            logger.warning("%s did not close within %.0f s", self.crawler.spider, END)
            self.task.cancel()

    def _open(self) -> None:
        if not self._opened.done():
            self._opened.set_result(None)

    def _scraped(self, item: Any, response: Response | Failure | None) -> None:
        if self._on_item is not None:
            request = getattr(response, "request", None)
            self._on_item(item, reason_of(request) if isinstance(request, Request) else None)


class Engine:
    """Lives in one event loop, from `start` to `close`. Not for other threads."""

    def __init__(
        self,
        settings: Mapping[str, Any],
        options: Options,
        *,
        host_state: HostStateStore | None = None,
        extractors: Mapping[str, Extractor] | None = None,
        signer: RequestSigner | None = None,
        clock: Clock | None = None,
        on_event: Listener | None = None,
    ) -> None:
        self._settings = settings
        self._options = options
        self._own_hosts = host_state is None
        self._hosts = host_state or open_hosts(StoreFolder(options.store).create().hosts)
        self._lanes = LaneGroup(self._hosts, options.policy_of, clock=clock or SystemClock(), max_wait=options.max_wait)
        self._parts = StoreParts(options, extractors=extractors, kept=True)
        self._signer = signer
        agent = options.identity.user_agent
        self._browser = Browser(RenderSlots(options.max_renders), user_agent=agent, kept=True)
        self._on_event = on_event
        self._crawls: set[Crawl] = set()
        self._main: Crawl | None = None
        self._closing = False
        self.store: Store
        self.stored: StoredPages

    async def start(self) -> None:
        """Open the store, which catches up with its log, and then, within END seconds, the crawler that stays. Raises
        StoreError, and PoliteError when it does not open."""
        self.store = await self._aside(self._open_store)
        try:
            async with asyncio.timeout(END):
                self._main = await self._begin(QueueFedSpider, {}, None)
        except TimeoutError:
            raise PoliteError(f"the engine did not start within {END:.0f} s") from None
        self.stored = StoredPages(
            self.store,
            params=self._options.secret_params,
            usual_headers=usual_headers(self._main.crawler),
            now=self._lanes.clock.now,
        )

    def answer(
        self, url: str, max_age: MaxAge | None, recipe: str | None, render: Mode | None = None
    ) -> PageResult | None:
        """The stored copy of a page, when it is young enough: nothing is queued. From any thread."""
        if (render or self._options.render) == "always":
            return None
        page = self.stored.answer(url, max_age or self._options.max_age, recipe)
        if page is not None and self._on_event is not None:
            now, host = utc(self._lanes.clock.now()), urls.host_key(url)
            try:
                self._on_event(Event("response", now, host, page.url, page.outcome, 0.0, note=FROM_STORE))
            except Exception:
                logger.exception("a listener failed")
        return page

    async def fetch(
        self,
        url: str,
        *,
        max_age: MaxAge | None = None,
        budget: float | None = None,
        recipe: str | None = None,
        render: Mode | None = None,
        archives: Mapping[str, bool] | None = None,
    ) -> PageResult:
        """Fetch one page. `archives` are the meta keys that say whether archives may be asked. Raises StoreError, and
        PoliteError for a crawler that is closed."""
        spider = self._open_crawler().spider
        assert isinstance(spider, QueueFedSpider)
        deadline = None if budget is None else self._lanes.clock.now() + budget
        return await spider.fetch(
            url, max_age=max_age, deadline=deadline, recipe=recipe, render=render, archives=archives
        )

    async def crawl(self, spider: type[Spider], arguments: Mapping[str, Any], on_item: OnItem) -> Crawl:
        """Run a spider beside the fetches. Its scope, its pages, its budget and its end are its own, since it has a
        Scrapy crawler of its own; the pace, the stops and the store are shared."""
        self._open_crawler()
        return await self._begin(spider, arguments, on_item)

    def reset(self, host: str | None) -> int:
        """Forget the stops, failures and backoff of a host or of all. Gives how many were known."""
        return lanes_of(self._open_crawler()).reset(host)

    async def close(self) -> None:
        """End everything within GRACE and END seconds, then close the store."""
        self._closing = True
        await asyncio.gather(*(crawl.close(CLOSED) for crawl in list(self._crawls)))
        await self._browser.shut()
        await self._aside(self._shut)

    async def reindex(self) -> Reindexed:
        """Build the index anew, beside the one that answers. Raises StoreError."""
        return await self._aside(self.store.reindex)

    @staticmethod
    async def _aside(work: Callable[[], _T]) -> _T:
        """Run what takes its time off the loop."""
        return await asyncio.get_running_loop().run_in_executor(None, work)

    def _open_store(self) -> Store:
        store = Store(self._parts.folder.path, extractors=self._parts.extractors, clock=self._lanes.clock.now)
        _ = self._parts.index_thread
        return store

    def _shut(self) -> None:
        self._parts.shut()
        if hasattr(self, "store"):
            self.store.close()
        if self._own_hosts:
            self._hosts.close()

    async def _begin(self, spider: type[Spider], arguments: Mapping[str, Any], on_item: OnItem | None) -> Crawl:
        crawler = self._crawler(spider)
        crawl = Crawl(crawler, arguments, on_item)
        self._crawls.add(crawl)
        crawl.task.add_done_callback(lambda _: self._ended(crawl))
        try:
            await crawl.opened()
        except asyncio.CancelledError:
            self._left = asyncio.ensure_future(crawl.close("cancelled"))
            raise
        return crawl

    def _ended(self, crawl: Crawl) -> None:
        self._crawls.discard(crawl)
        self._lanes.leave(lanes_of(crawl.crawler))

    def _open_crawler(self) -> Crawler:
        """The crawler that stays, while it is open."""
        main = self._main
        if main is None or self._closing or not main.crawler.crawling:
            why = main.error if main is not None else None
            raise StoreError(why) if why else PoliteError(CLOSED)
        return main.crawler

    def _crawler(self, spider: type[Spider]) -> Crawler:
        settings = Settings(dict(self._settings))
        if is_reactor_installed():
            settings.set("TWISTED_REACTOR_ENABLED", True, "project")
            settings.set("ADDONS", {**settings.getdict("ADDONS"), _BESIDE: 900}, "project")
        crawler = Crawler(spider, settings)
        use_parts(crawler, self._parts)
        use_lanes(crawler, self._lanes.join(paced(spider, self._options.policy_of)))
        use_browser(crawler, self._browser)
        if self._signer is not None:
            use_signer(crawler, self._signer)
        if self._main is not None:
            # one listener and one port for all
            crawler.settings.set("POLITE_METRICS_PORT", None, SETTINGS_PRIORITIES["cmdline"])
            events_of(crawler).listen(events_of(self._main.crawler).tell)
        elif self._on_event is not None:
            events_of(crawler).listen(self._on_event)
        return crawler
