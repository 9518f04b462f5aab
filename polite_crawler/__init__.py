"""polite-crawler: fetch a source one time, keep the evidence, read it many times.

The names here load their parts late: reading a store imports no Scrapy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from polite_crawler.version import __version__

if TYPE_CHECKING:
    from polite_crawler.addon import Addon
    from polite_crawler.crawler.library import (
        CrawlRun,
        DiscoverRun,
        PoliteCrawler,
        SyncCrawler,
        SyncCrawlRun,
        SyncDiscoverRun,
        open_crawler,
    )
    from polite_crawler.errors import BadOption, HeldBack, NotStored, PoliteError, StoreError
    from polite_crawler.query.diff import DiffResult
    from polite_crawler.query.extract import ExtractResult
    from polite_crawler.query.find import Found, Ranked
    from polite_crawler.query.read import ReadResult
    from polite_crawler.query.store import Store, open_store
    from polite_crawler.query.verify import VerifyResult
    from polite_crawler.query.versions import Version
    from polite_crawler.scheduling.clock import Clock, SystemClock
    from polite_crawler.spiders.events import Event
    from polite_crawler.spiders.results import (
        CrawledPage,
        CrawlSummary,
        DiscoveredUrl,
        DiscoverySource,
        DiscoverySummary,
        PageResult,
    )
    from polite_crawler.store.caught_up import Reindexed
    from polite_crawler.store.document import Document
    from polite_crawler.store.hosts import HostStateStore, MemoryHosts
    from polite_crawler.store.projection import Extractor

__all__ = [
    "Addon",
    "BadOption",
    "Clock",
    "CrawlRun",
    "CrawlSummary",
    "CrawledPage",
    "DiffResult",
    "DiscoverRun",
    "DiscoveredUrl",
    "DiscoverySource",
    "DiscoverySummary",
    "Document",
    "Event",
    "ExtractResult",
    "Extractor",
    "Found",
    "HeldBack",
    "HostStateStore",
    "MemoryHosts",
    "NotStored",
    "PageResult",
    "PoliteCrawler",
    "PoliteError",
    "Ranked",
    "ReadResult",
    "Reindexed",
    "Store",
    "StoreError",
    "SyncCrawlRun",
    "SyncCrawler",
    "SyncDiscoverRun",
    "SystemClock",
    "VerifyResult",
    "Version",
    "__version__",
    "open_crawler",
    "open_store",
]

_LATE = {
    "Addon": "polite_crawler.addon",
    "BadOption": "polite_crawler.errors",
    "Clock": "polite_crawler.scheduling.clock",
    "CrawlRun": "polite_crawler.crawler.library",
    "CrawlSummary": "polite_crawler.spiders.results",
    "CrawledPage": "polite_crawler.spiders.results",
    "DiffResult": "polite_crawler.query.diff",
    "DiscoverRun": "polite_crawler.crawler.library",
    "DiscoveredUrl": "polite_crawler.spiders.results",
    "DiscoverySource": "polite_crawler.spiders.results",
    "DiscoverySummary": "polite_crawler.spiders.results",
    "Document": "polite_crawler.store.document",
    "Event": "polite_crawler.spiders.events",
    "ExtractResult": "polite_crawler.query.extract",
    "Extractor": "polite_crawler.store.projection",
    "Found": "polite_crawler.query.find",
    "HeldBack": "polite_crawler.errors",
    "HostStateStore": "polite_crawler.store.hosts",
    "MemoryHosts": "polite_crawler.store.hosts",
    "NotStored": "polite_crawler.errors",
    "PageResult": "polite_crawler.spiders.results",
    "PoliteCrawler": "polite_crawler.crawler.library",
    "PoliteError": "polite_crawler.errors",
    "Ranked": "polite_crawler.query.find",
    "ReadResult": "polite_crawler.query.read",
    "Reindexed": "polite_crawler.store.caught_up",
    "Store": "polite_crawler.query.store",
    "StoreError": "polite_crawler.errors",
    "SyncCrawlRun": "polite_crawler.crawler.library",
    "SyncCrawler": "polite_crawler.crawler.library",
    "SyncDiscoverRun": "polite_crawler.crawler.library",
    "SystemClock": "polite_crawler.scheduling.clock",
    "VerifyResult": "polite_crawler.query.verify",
    "Version": "polite_crawler.query.versions",
    "open_crawler": "polite_crawler.crawler.library",
    "open_store": "polite_crawler.query.store",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATE[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE})
