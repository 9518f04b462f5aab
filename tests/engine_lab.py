"""Whole crawls with the add-on, in this process and without a reactor, against the test site."""

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.http import Response

from polite_crawler.spiders.base import PoliteSpider
from polite_crawler.spiders.results import CrawlSummary, PageResult
from polite_crawler.store.log import CaptureLog
from polite_crawler.store.record import Capture

QUICK: dict[str, Any] = {
    "TWISTED_REACTOR_ENABLED": False,
    "LOG_ENABLED": False,
    "POLITE_ALLOW_PRIVATE": True,
    "POLITE_PAGE_INTERVAL": 0.01,
    "POLITE_SLOW_FACTOR": 0,
    "POLITE_MIN_FREE": 0,
    "POLITE_HOSTS": {"*.0.0.1": {}, "127.0.0.1": {"backoff_min": 0.05, "backoff_max": 0.1}},
}


@dataclass
class Run:
    """A crawl that has ended."""

    spider: Spider
    crawler: Crawler
    store: Path
    items: list[Any] = field(default_factory=list)

    @property
    def pages(self) -> list[PageResult]:
        return [item for item in self.items if isinstance(item, PageResult)]

    @property
    def summary(self) -> CrawlSummary:
        summary = self.spider.summary  # type: ignore[attr-defined]
        assert isinstance(summary, CrawlSummary)
        return summary

    def page(self, end: str) -> PageResult:
        """The one page whose URL ends so."""
        (found,) = [page for page in self.pages if page.url.endswith(end)]
        return found

    def captures(self, kind: str | None = None) -> list[Capture]:
        """The lines of the log, in their order."""
        return captures_of(self.store, kind)


def captures_of(store: Path, kind: str | None = None) -> list[Capture]:
    log = CaptureLog(store / "captures" / "fetch")
    try:
        return [one for _, one in log.scan() if isinstance(one, Capture) and (kind is None or one.kind == kind)]
    finally:
        log.close()


def crawl(
    spider: type[Spider], store: Path, *, limit: float = 60, settings: dict[str, Any] | None = None, **kwargs: Any
) -> Run:
    """Run a spider to its end."""
    runs: list[Run] = []

    async def main() -> None:
        runner = AsyncCrawlerRunner(
            {"ADDONS": {"polite_crawler.Addon": 300}, "POLITE_STORE": str(store), **QUICK, **(settings or {})}
        )
        crawler = runner.create_crawler(spider)
        items: list[Any] = []

        def scraped(item: Any) -> None:
            items.append(item)

        crawler.signals.connect(scraped, signals.item_scraped)
        async with asyncio.timeout(limit):
            await runner.crawl(crawler, **kwargs)
        assert crawler.spider is not None
        runs.append(Run(crawler.spider, crawler, store, items))

    asyncio.run(main())
    return runs[0]


class EndingSpider(PoliteSpider):
    """Notes how each of its requests ends: exactly one callback or errback."""

    name = "ending"

    def __init__(self, urls: Iterable[str] = (), meta: dict[str, Any] | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.urls = list(urls)
        self.meta = meta or {}
        self.endings: list[tuple[str, str]] = []

    async def start(self) -> Any:
        for url in self.urls:
            yield Request(url, callback=self.got, errback=self.failed, meta=dict(self.meta))

    def got(self, response: Response) -> Any:
        assert response.request is not None
        first = response.request.meta.get("redirect_urls", [response.request.url])[0]
        self.endings.append((first, f"callback {response.status}"))

    def failed(self, failure: Any) -> Any:
        first = failure.request.meta.get("redirect_urls", [failure.request.url])[0]
        self.endings.append((first, f"errback {type(failure.value).__name__}"))


def log_lines(store: Path) -> list[dict[str, Any]]:
    """The lines of the log as JSON."""
    return [
        json.loads(line)
        for path in sorted((store / "captures").rglob("*.ndjson"))
        for line in path.read_bytes().splitlines()
    ]
