"""Ending a crawl from within: with a reason that its summary names."""

import asyncio

from scrapy.crawler import Crawler

ERROR = "polite/error"
"""The key of the crawler's stats that says why it ended with `error`."""

_TASKS: set[asyncio.Task[None]] = set()


def close(crawler: Crawler, reason: str) -> None:
    """Close the spider. Waits for lanes end at once, exchanges in progress end within their time-outs."""
    engine = crawler.engine
    if engine is None or engine.spider is None:
        return
    task = asyncio.ensure_future(engine.close_spider_async(reason=reason))
    # the loop keeps weak references only
    _TASKS.add(task)
    task.add_done_callback(_TASKS.discard)


def close_with_error(crawler: Crawler, message: str) -> None:
    """Close the spider with the reason `error`; the first message is the one that counts."""
    if crawler.stats.get_value(ERROR) is None:
        crawler.stats.set_value(ERROR, message)
    close(crawler, "error")
