"""The places for renders (POLITE_MAX_RENDERS): a render leaves the queue only while one is free."""

from collections.abc import Callable
from weakref import WeakKeyDictionary

from scrapy.crawler import Crawler

from polite_crawler.scheduling.options import options_of

_SLOTS: WeakKeyDictionary[Crawler, "RenderSlots"] = WeakKeyDictionary()


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


def slots_of(crawler: Crawler) -> RenderSlots:
    """The places of a crawler."""
    slots = _SLOTS.get(crawler)
    if slots is None:
        slots = _SLOTS[crawler] = RenderSlots(options_of(crawler).max_renders)
    return slots


def use_slots(crawler: Crawler, slots: RenderSlots) -> None:
    """Let a crawler share the places of others, before it starts."""
    _SLOTS[crawler] = slots
