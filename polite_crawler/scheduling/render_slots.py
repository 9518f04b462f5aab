"""The places for renders (POLITE_MAX_RENDERS): a render leaves the queue only while one is free."""

from collections.abc import Callable

from scrapy.crawler import Crawler

from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.per_crawler import PerCrawler


class RenderSlots:
    """How many renders can begin now. Crawlers that share a browser share them. `listeners` are called when a place
    is given back."""

    def __init__(self, places: int) -> None:
        self.free = places
        self.listeners: list[Callable[[], None]] = []

    def take(self) -> None:
        """Take a place. Ask only while one is free."""
        assert self.free > 0
        self.free -= 1

    def give_back(self) -> None:
        """Give a place back."""
        self.free += 1
        for listener in list(self.listeners):
            listener()


_SLOTS = PerCrawler(lambda crawler: RenderSlots(options_of(crawler).max_renders))


def slots_of(crawler: Crawler) -> RenderSlots:
    """The places of a crawler."""
    return _SLOTS.of(crawler)


def use_slots(crawler: Crawler, slots: RenderSlots) -> None:
    """Let a crawler share the places of others, before it starts."""
    _SLOTS.use(crawler, slots)
