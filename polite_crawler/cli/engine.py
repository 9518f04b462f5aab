"""Running a spider from a command: no reactor, Ctrl+C once for a clean stop, twice for an end at once."""

import asyncio
import logging
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from scrapy import Spider, signals
from scrapy.crawler import AsyncCrawlerRunner, Crawler

from polite_crawler.cli import logs
from polite_crawler.cli.exits import Exit
from polite_crawler.cli.output import Output
from polite_crawler.errors import StoreError
from polite_crawler.scheduling.closing import ERROR, close
from polite_crawler.spiders.results import PageResult

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
READ = frozenset({"ok", "not_modified"})
"""The outcomes of a page that was read."""


@dataclass(slots=True)
class Ended:
    """A spider that has ended. `summary` is that of the spider, if it has one."""

    pages: list[PageResult] = field(default_factory=list)
    interrupted: bool = False
    summary: object = None


def run_spider(spider: type[Spider], settings: Mapping[str, Any], **arguments: Any) -> Ended:
    """Run a spider to its end. Raises BadOption for an argument or a setting that is not valid, and StoreError for a
    crawl that could not go on."""
    if not logging.getLogger().handlers:
        # Scrapy puts a handler of its own there that shows nothing, and then a warning would reach nobody
        logs.configure(verbose=False, as_json=False)
    return asyncio.run(_run(spider, settings, arguments))


async def _run(spider: type[Spider], settings: Mapping[str, Any], arguments: Mapping[str, Any]) -> Ended:
    ended = Ended()
    runner = AsyncCrawlerRunner(
        {
            "ADDONS": {"polite_crawler.Addon": 300},
            "TWISTED_REACTOR_ENABLED": False,
            **settings,
        }
    )
    crawler = runner.create_crawler(spider)

    def scraped(item: Any) -> None:
        if isinstance(item, PageResult):
            ended.pages.append(item)

    crawler.signals.connect(scraped, signals.item_scraped)
    crawl = asyncio.ensure_future(runner.crawl(crawler, **arguments))
    with _stopped_by_signals(crawler, crawl, ended), suppress(asyncio.CancelledError):
        await crawl
    ended.summary = getattr(crawler.spider, "summary", None)
    error = crawler.stats.get_value(ERROR) if crawler.stats is not None else None
    if error is not None and not ended.interrupted:
        raise StoreError(error)
    return ended


def interrupted(output: Output) -> int:
    """Say that a run without a summary was stopped, and give the exit code."""
    output.note("stopped; what was fetched is kept")
    return Exit.INTERRUPTED


class _stopped_by_signals:
    """The first signal closes the spider, the second one cancels what is still in progress."""

    def __init__(self, crawler: Crawler, crawl: "asyncio.Future[None]", ended: Ended) -> None:
        self._crawler = crawler
        self._crawl = crawl
        self._ended = ended

    def __enter__(self) -> None:
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            loop.add_signal_handler(number, self._stop)

    def __exit__(self, *_: object) -> None:
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            loop.remove_signal_handler(number)

    def _stop(self) -> None:
        if self._ended.interrupted:
            # what is cut off here is cut off on purpose: asyncio need not tell of each task
            logging.getLogger("asyncio").disabled = True
            self._crawl.cancel()
            return
        self._ended.interrupted = True
        close(self._crawler, "cancelled")
