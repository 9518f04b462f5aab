"""Refuses requests to a stopped host. It decides nothing: stops come from the raw answers, next to the wire."""

from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler

from polite_crawler.scheduling.lane import HostStopped
from polite_crawler.scheduling.lanes import HostLanes, lanes_of
from polite_crawler.scheduling.requests import host_of


class HostStop:
    """A stopped host is a skip with its note."""

    def __init__(self, lanes: HostLanes) -> None:
        self._lanes = lanes

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The middleware of a crawler."""
        return cls(lanes_of(crawler))

    def process_request(self, request: Request) -> None:
        """Raise HostStopped while the host is stopped."""
        host = host_of(request)
        stop = self._lanes.stop_of(host)
        if stop is not None:
            raise HostStopped(host, stop.until, stop.reason)
