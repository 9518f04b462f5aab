"""The library: the engine of the package for any program, in a thread of its own."""

from polite_crawler.crawler.library import (
    CrawlRun,
    DiscoverRun,
    PoliteCrawler,
    SyncCrawler,
    SyncCrawlRun,
    SyncDiscoverRun,
    open_crawler,
)

__all__ = [
    "CrawlRun",
    "DiscoverRun",
    "PoliteCrawler",
    "SyncCrawlRun",
    "SyncCrawler",
    "SyncDiscoverRun",
    "open_crawler",
]
