"""Values that belong to one crawler: made once, and gone when it is."""

from collections.abc import Callable
from typing import Generic, TypeVar

from scrapy.crawler import Crawler

_T = TypeVar("_T")
_ATTRIBUTE = "polite_values"


class PerCrawler(Generic[_T]):
    """One value for each crawler. The crawler itself holds it, so that a value which knows its crawler does not keep
    it alive: in a WeakKeyDictionary it would, for ever."""

    def __init__(self, make: Callable[[Crawler], _T]) -> None:
        self._make = make

    def of(self, crawler: Crawler) -> _T:
        """The value of a crawler, made when it is asked for the first time."""
        values = crawler.__dict__.setdefault(_ATTRIBUTE, {})
        if self not in values:
            values[self] = self._make(crawler)
        value: _T = values[self]
        return value

    def use(self, crawler: Crawler, value: _T) -> None:
        """Give a crawler a value that was made elsewhere, before it is asked for."""
        crawler.__dict__.setdefault(_ATTRIBUTE, {})[self] = value
