"""The gate before anything is counted, signed or sent: a queued request whose lane is not free goes back."""

from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler

from polite_crawler.scheduling.lanes import Closing, DeadlineReached, HostLanes, HostStopped, LaneBusy, lanes_of
from polite_crawler.scheduling.requests import deadline_of, host_of
from polite_crawler.scheduling.scheduler import scheduler_of
from polite_crawler.transport.trace import trace_of


class LaneGate:
    """Waiting in the queue holds nothing; waiting here would hold a place that other hosts need.

    Only a request that the queue has handed out goes back. One that the engine was asked for directly (robots.txt)
    waits in the handler, because its caller holds no lane and would only be handed the request again.
    """

    def __init__(self, crawler: Crawler, lanes: HostLanes) -> None:
        self._crawler = crawler
        self._lanes = lanes

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The middleware of a crawler."""
        return cls(crawler, lanes_of(crawler))

    def process_request(self, request: Request) -> Request | None:
        """Let a request pass whose lane is free. What robots.txt changed on the way here (a stop, a long rest) ends
        it: HostStopped, DeadlineReached or Closing."""
        if not trace_of(request).queued:
            return None
        lanes, host = self._lanes, host_of(request)
        # whoever asked may have gone away while robots.txt was read
        is_abandoned = getattr(self._crawler.spider, "is_abandoned", None)
        if lanes.closing or (is_abandoned is not None and is_abandoned(request)):
            raise Closing
        stop = lanes.stop_of(host)
        if stop is not None:
            raise HostStopped(host, stop.until, stop.reason)
        if lanes.too_late(host, deadline_of(request)):
            raise DeadlineReached(host)
        if lanes.ready_at(host) > lanes.clock.now():
            return scheduler_of(self._crawler).give_back(request)
        return None

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """A lane that was lost between here and the handler: the same way back."""
        if isinstance(exception, LaneBusy) and trace_of(request).queued:
            return scheduler_of(self._crawler).give_back(request)
        return None
