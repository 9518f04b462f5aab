"""polite-crawler: fetch a source one time, keep the evidence, read it many times."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polite_crawler.query.store import Store, open_store

__version__ = "0.1.0"
__all__ = ["Store", "__version__", "open_store"]

_LATE = {"Store": "polite_crawler.query.store", "open_store": "polite_crawler.query.store"}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use: a question to a store does not pay for the engine, nor the engine for
    the index."""
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
