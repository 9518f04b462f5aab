"""Every private name of Scrapy 2.19 that the engine touches, in one place. Each has a test that fails when Scrapy
changes it."""

import sys
from collections.abc import Callable
from typing import Any

from scrapy import Request
from scrapy.core.downloader import Downloader
from scrapy.crawler import Crawler


def wake_engine(crawler: Crawler) -> None:
    """Let the engine ask the scheduler again in the next turn of the loop. Without it the engine asks every five
    seconds, and after each request that ends."""
    slot = crawler.engine._slot
    if slot is not None and slot.closing is None:
        slot.nextcall.schedule()


def before_closing(crawler: Crawler, callback: Callable[[], None]) -> None:
    """Call back as soon as the spider begins to close, for whatever reason. Scrapy has no signal for it: it first
    waits for the requests in progress, and ours could wait for hours."""
    engine = crawler.engine
    close = engine.close_spider_async

    async def close_spider_async(**options: Any) -> None:
        callback()
        await close(**options)

    engine.close_spider_async = close_spider_async  # type: ignore[method-assign]


def after_each_request(crawler: Crawler, callback: Callable[[Request], None]) -> None:
    """Call back when all that a request led to has happened: its callback has ended, its items went through the
    pipelines and its requests are in the queue. Scrapy has no signal for it."""
    slot = crawler.engine._slot
    assert slot is not None
    remove = slot.remove_request

    def remove_request(request: Request) -> None:
        try:
            callback(request)
        finally:
            remove(request)

    slot.remove_request = remove_request  # type: ignore[method-assign]


def keep_open(crawler: Crawler) -> None:
    """Let a spider that is idle stay open, and send no `spider_idle` for it. The public way is to raise DontCloseSpider
    at each of those signals, which come after every request."""
    slot = crawler.engine._slot
    assert slot is not None
    slot.close_if_idle = False


def readdress(request: Request, url: str) -> None:
    """Let a request that has ended name the URL that was asked for, as its callback or errback shall see it. Scrapy
    gives them the request that it sent, and the last one of a search went to an archive."""
    request._url = url


def open_slots(downloader: Downloader) -> None:
    """Let the stock slots of a downloader delay and limit nothing: lanes do."""
    downloader._delay = 0.0
    downloader._jitter = 0.0
    downloader.domain_concurrency = sys.maxsize
    downloader.ip_concurrency = 0
    downloader.per_slot_settings = {}
