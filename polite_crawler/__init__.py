"""polite-crawler: fetch a source one time, keep the evidence, read it many times.

The names here load their parts late: reading a store imports no Scrapy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polite_crawler.addon import Addon
    from polite_crawler.crawler.library import PoliteCrawler, SyncCrawler, open_crawler
    from polite_crawler.errors import BadOption, HeldBack, NotStored, PoliteError, StoreError
    from polite_crawler.query.store import Store, open_store

__version__ = "0.1.0"

__all__ = [
    "Addon",
    "BadOption",
    "HeldBack",
    "NotStored",
    "PoliteCrawler",
    "PoliteError",
    "Store",
    "StoreError",
    "SyncCrawler",
    "__version__",
    "open_crawler",
    "open_store",
]

_LATE = {
    "Addon": "polite_crawler.addon",
    "BadOption": "polite_crawler.errors",
    "HeldBack": "polite_crawler.errors",
    "NotStored": "polite_crawler.errors",
    "PoliteCrawler": "polite_crawler.crawler.library",
    "PoliteError": "polite_crawler.errors",
    "Store": "polite_crawler.query.store",
    "StoreError": "polite_crawler.errors",
    "SyncCrawler": "polite_crawler.crawler.library",
    "open_crawler": "polite_crawler.crawler.library",
    "open_store": "polite_crawler.query.store",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATE[name]), name)
