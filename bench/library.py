"""The library against the engine that it wraps, and its stored answers against a plain read of the store.

A page of the test site (in a process of its own) is fetched one at a time, with no rest, and goes the whole way: robots
rules, lane, exchange, blob, reader, log, index. The peer is a long-lived Scrapy crawler with the same add-on, to which
a bare `engine.crawl` gives each request. CPU time is that of all threads of this process.
"""

import asyncio
import gc
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import count
from statistics import median
from typing import Any

import scrapy
from harness import Bar, Options, Report, main
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response

from polite_crawler import PoliteCrawler, open_crawler
from polite_crawler.testsite import SiteProcess

QUIET: dict[str, Any] = {
    "TWISTED_REACTOR_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "LOGSTATS_INTERVAL": 0,
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
}
QUICK, FULL = 100, 400
"""Pages of a round."""
KEPT = 1_000_000
"""The number of the first page that is asked of the store: the fetches before do not come so far."""
OPEN: dict[str, Any] = {"allow_private": True, "page_interval": 0, "slow_factor": 0, "min_free": 0}


class Waiting(scrapy.Spider):
    """Stays open, and hands each response to whoever waits for it."""

    name = "waiting"
    handle_httpstatus_all = True

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> "Waiting":
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.stay, signals.spider_idle)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        requests: tuple[Request, ...] = ()
        for request in requests:
            yield request

    def stay(self) -> None:
        raise DontCloseSpider

    def got(self, response: Response, waits: "asyncio.Future[int]") -> None:
        waits.set_result(response.status)

    def failed(self, failure: Any) -> None:
        failure.request.cb_kwargs["waits"].set_exception(failure.value)


Ask = Callable[[str], Awaitable[object]]
Work = tuple[Ask, Callable[[], Sequence[str]]]
"""What is asked for one page, and the pages of a round."""


@asynccontextmanager
async def bare(settings: dict[str, Any]) -> AsyncIterator[Ask]:
    """A long-lived crawler, and what asks it for one page."""
    crawler = Crawler(Waiting, {**QUIET, **settings})
    opened = asyncio.Event()
    crawler.signals.connect(opened.set, signals.spider_opened)
    crawling = asyncio.ensure_future(crawler.crawl_async())
    await opened.wait()

    async def ask(url: str) -> object:
        waits: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        spider = crawler.spider
        assert isinstance(spider, Waiting)
        request = Request(url, callback=spider.got, errback=spider.failed, cb_kwargs={"waits": waits}, dont_filter=True)
        crawler.engine.crawl(request)
        assert await waits == 200
        return None

    try:
        yield ask
    finally:
        await crawler.stop_async()
        await crawling


def polite(store: str) -> dict[str, Any]:
    """The settings of the peer: the add-on, as the library uses it."""
    ours = {f"POLITE_{name.upper()}": value for name, value in OPEN.items()}
    return {"ADDONS": {"polite_crawler.Addon": 300}, "POLITE_STORE": store, **ours}


async def each(ask: Ask, urls: Sequence[str]) -> None:
    """Ask one after the other."""
    for url in urls:
        await ask(url)


async def fetching(site: SiteProcess, crawler: PoliteCrawler, options: Options, folder: str) -> dict[str, float]:
    """The CPU seconds of a fetch of a new page: through the library, by the bare engine, and by stock Scrapy."""
    fresh: Iterator[int] = count()

    def urls() -> list[str]:
        return pages(site, options, fresh)

    async with bare(polite(f"{folder}/peer")) as same, bare({"DOWNLOAD_DELAY": 0}) as stock:
        asks: dict[str, Ask] = {"library": crawler.fetch, "bare": same, "stock": stock}
        for ask in asks.values():
            await each(ask, urls())
        return await measured(options.rounds, {name: (ask, urls) for name, ask in asks.items()})


async def stored(site: SiteProcess, options: Options, folder: str) -> tuple[dict[str, float], dict[str, float], int]:
    """The CPU seconds of an answer from the store and of a plain read of its page, the first time and then; and how
    many requests those answers sent. A crawler that is opened anew has answered nothing before."""
    kept = pages(site, options, count(KEPT))
    async with open_crawler(folder, **OPEN) as crawler:
        await each(crawler.fetch, kept)
    before, first, again = len(site.log()), [], []
    for _ in range(options.rounds):
        async with open_crawler(folder, **OPEN) as crawler:
            works = answering(crawler, kept)
            await each(works["read"][0], kept)
            first.append(await measured(1, works))
            again.append(await measured(1, works))
    return middle(first), middle(again), len(site.log()) - before


def answering(crawler: PoliteCrawler, kept: Sequence[str]) -> dict[str, Work]:
    """An answer from the store, and a plain read of it."""

    async def read(url: str) -> object:
        return crawler.store.read(url)

    return {"stored": (crawler.fetch, lambda: kept), "read": (read, lambda: kept)}


def middle(rounds: Sequence[dict[str, float]]) -> dict[str, float]:
    """The medians of some rounds."""
    return {name: median(one[name] for one in rounds) for name in rounds[0]}


def pages(site: SiteProcess, options: Options, numbers: Iterator[int]) -> list[str]:
    """Pages of three hosts, with the next numbers."""
    number = QUICK if options.quick else FULL
    return [site.url(f"/p/{next(numbers)}", host=1 + one % 3) for one in range(number)]


async def rounds(site: SiteProcess, options: Options, folder: str) -> Report:
    """Measure everything in one loop."""
    async with open_crawler(f"{folder}/ours", **OPEN) as crawler:
        new = await fetching(site, crawler, options, folder)
    first, again, sent = await stored(site, options, f"{folder}/kept")
    return Report(
        (
            Bar("one fetch through the library, to a bare engine.crawl", new["library"] / new["bare"], "<=", 3),
            Bar(
                "a stored answer, the first of its page, to store.read of the page",
                first["stored"] / first["read"], "<=", 2,
            ),
            Bar("a stored answer that was given before, to store.read", again["stored"] / again["read"], "<=", 2),
            Bar("requests that stored answers sent", sent, "<=", 0),
        ),
        rows=(*fetch_rows(new), *stored_rows(first, again)),
    )  # fmt: skip


def fetch_rows(new: dict[str, float]) -> tuple[tuple[str, str], ...]:
    """What a fetch costs."""
    names = {
        "library": "a fetch through the library",
        "bare": "a bare engine.crawl with the add-on",
        "stock": "a bare engine.crawl of stock Scrapy, which stores nothing",
    }
    return tuple((f"CPU ms of {what}", f"{new[name] * 1e3:.2f}") for name, what in names.items())


def stored_rows(first: dict[str, float], again: dict[str, float]) -> tuple[tuple[str, str], ...]:
    """What an answer from the store costs."""
    times = {
        "a first stored answer": first["stored"],
        "a stored answer that was given before": again["stored"],
        "store.read": again["read"],
    }
    return tuple((f"CPU us of {what}", f"{seconds * 1e6:.0f}") for what, seconds in times.items())


async def measured(number: int, works: dict[str, Work]) -> dict[str, float]:
    """The median CPU seconds of one page of each work, in a loop that runs already."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(number):
        for name, (ask, urls) in works.items():
            asked = urls()
            gc.collect()
            before = time.process_time()
            await each(ask, asked)
            times[name].append((time.process_time() - before) / len(asked))
    return {name: median(seconds) for name, seconds in times.items()}


def measure(options: Options) -> Report:
    """Run the site beside, and measure."""
    with SiteProcess(hosts=3) as site, tempfile.TemporaryDirectory(prefix="polite-bench-") as folder:
        return asyncio.run(rounds(site, options, folder))


if __name__ == "__main__":
    main("library", measure, versions=("scrapy",))
