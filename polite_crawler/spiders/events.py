"""What happens in a crawl, as it happens: the events that `on_event` gets and the metrics count."""

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Literal

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from polite_crawler.middlewares.capture import captured
from polite_crawler.rules.redaction import redact_url
from polite_crawler.scheduling.lanes import HostLanes, LaneEvent, lanes_of
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.per_crawler import PerCrawler
from polite_crawler.scheduling.requests import host_of
from polite_crawler.store.record import Capture, utc
from polite_crawler.transport.plain import plain_of
from polite_crawler.transport.trace import trace_of

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Event(Mapping[str, str | float | None]):
    """One event. Times are RFC 3339 UTC, secrets in URLs show as REDACTED.

    An event is an object and a mapping: `event.type` and `event["type"]` are one, and `dict(event)` is its JSON.

    `request`: a request goes to its host. `response`: it ended, with the outcome of its capture, and took `seconds`;
    also an answer from the store, whose note says so. `skip`: it was declined, and the note says why. `wait`: requests
    wait for the host `until` then, for `seconds`. `stop`: the host is not asked `until` then; the note is the reason.
    """

    type: Literal["request", "response", "wait", "stop", "skip"]
    time: str
    host: str
    url: str | None = None
    outcome: str | None = None
    seconds: float | None = None
    until: str | None = None
    note: str | None = None

    def __getitem__(self, key: str) -> str | float | None:
        if key not in iter(self):
            raise KeyError(key)
        value: str | float | None = getattr(self, key)
        return value

    def __iter__(self) -> Iterator[str]:
        return (field.name for field in fields(self))

    def __len__(self) -> int:
        return len(fields(self))


Listener = Callable[[Event], None]
FROM_STORE = "from the store"


class Events:
    """The events of one crawler. A listener is called from the event loop; one that fails is logged, and the crawl
    goes on."""

    def __init__(self, crawler: Crawler) -> None:
        self._listeners: list[Listener] = []
        self._now: Callable[[], float] = lambda: 0.0
        self._shown: Callable[[str], str] = lambda url: url
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._request, signals.request_reached_downloader)
        crawler.signals.connect(self._stored, signals.response_received)
        crawler.signals.connect(self._captured, captured)

    def listen(self, listener: Listener) -> None:
        """Call a function with each event from now on."""
        self._listeners.append(listener)

    def _opened(self, spider: Spider) -> None:
        lanes, params = lanes_of(spider.crawler), options_of(spider.crawler).secret_params
        self._now = lanes.clock.now
        self._shown = lambda url: redact_url(url, params).url
        lanes.listeners.append(lambda event: self._lane(lanes, event))

    def _request(self, request: Request) -> None:
        if plain_of(request) is not None:
            return  # a render: its sub-requests are what goes to a host
        self.tell(Event("request", utc(self._now()), host_of(request), self._shown(request.url)))

    def _stored(self, response: Response, request: Request) -> None:
        capture = trace_of(request).capture
        if trace_of(request).from_store and capture is not None:
            self.tell(
                Event(
                    "response", utc(self._now()), host_of(request), self._shown(request.url), capture.outcome, 0.0,
                    note=FROM_STORE,
                )
            )  # fmt: skip

    def _captured(self, capture: Capture, request: Request) -> None:
        skipped = capture.outcome == "skipped"
        if capture.kind == "render" and not skipped:
            return
        self.tell(
            Event(
                "skip" if skipped else "response", utc(self._now()), host_of(request), capture.url, capture.outcome,
                None if skipped else capture.time.end_ms / 1000, note=capture.note,
            )
        )  # fmt: skip

    def _lane(self, lanes: HostLanes, event: LaneEvent) -> None:
        now = lanes.clock.now()
        if event.kind == "stop":
            self.tell(Event("stop", utc(now), event.host, until=utc(event.until), note=event.reason))
        elif event.kind == "wait" and event.until > now:
            self.tell(Event("wait", utc(now), event.host, seconds=event.until - now, until=utc(event.until)))

    def tell(self, event: Event) -> None:
        """Tell the listeners of an event, which may be one of another crawler that belongs to this one."""
        for listener in self._listeners:
            try:
                listener(event)
            except Exception:
                _logger.exception("a listener failed on %s", event)


_EVENTS = PerCrawler(Events)


def events_of(crawler: Crawler) -> Events:
    """The events of a crawler. Ask before it starts, to miss none."""
    return _EVENTS.of(crawler)
