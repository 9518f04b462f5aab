"""polite-crawler: fetch a source one time, keep the evidence, read it many times.

The names here load their parts late: reading a store imports no Scrapy.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polite_crawler.addon import Addon
    from polite_crawler.errors import BadOption, HeldBack, NotStored, PoliteError, StoreError
    from polite_crawler.query.store import Store, open_store

__version__ = "0.1.0"

__all__ = [
    "Addon",
    "BadOption",
    "HeldBack",
    "NotStored",
    "PoliteError",
    "Store",
    "StoreError",
    "__version__",
    "open_store",
]

_LATE = {
    "Addon": "polite_crawler.addon",
    "BadOption": "polite_crawler.errors",
    "HeldBack": "polite_crawler.errors",
    "NotStored": "polite_crawler.errors",
    "PoliteError": "polite_crawler.errors",
    "Store": "polite_crawler.query.store",
    "StoreError": "polite_crawler.errors",
    "open_store": "polite_crawler.query.store",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATE[name]), name)
