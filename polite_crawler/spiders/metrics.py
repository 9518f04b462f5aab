"""POLITE_METRICS_PORT: what a crawl does, as Prometheus text on loopback (exposition format 0.0.4)."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Self

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider, NotConfigured

from polite_crawler.scheduling.closing import ERROR
from polite_crawler.scheduling.lanes import lanes_of
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.ready_queue import ready_queue_of
from polite_crawler.spiders.events import FROM_STORE, Event, events_of

HOST = "127.0.0.1"
_LONGEST_HEAD = 8192
_PATIENCE = 10.0
_HELP = {
    "polite_requests_total": ("counter", "Requests that went to their host."),
    "polite_responses_total": ("counter", "Requests that ended, by the outcome of their capture."),
    "polite_stored_answers_total": ("counter", "Requests that the store answered."),
    "polite_skips_total": ("counter", "Requests that were declined."),
    "polite_response_seconds_total": ("counter", "Seconds from the start to the end of the exchanges."),
    "polite_waits_total": ("counter", "Waits for a host that began."),
    "polite_wait_seconds_total": ("counter", "Seconds of the waits that began."),
    "polite_stops_total": ("counter", "Stops of a host, by reason."),
    "polite_links_not_followed_total": ("counter", "Links that were not followed, by reason."),
    "polite_queue_requests": ("gauge", "Requests that wait in the queue."),
    "polite_hosts_in_progress": ("gauge", "Hosts that the queue has handed a request out of."),
    "polite_lanes_held": ("gauge", "Lanes in use: exchanges in progress."),
    "polite_lane_waiters": ("gauge", "Requests that wait for a lane."),
}

_logger = logging.getLogger(__name__)
Labels = tuple[tuple[str, str], ...]


class Metrics:
    """An extension that counts events and answers GET /metrics. Only this machine can ask."""

    def __init__(self, crawler: Crawler, port: int) -> None:
        self._crawler = crawler
        self._wanted = port
        self._counts: defaultdict[tuple[str, Labels], float] = defaultdict(float)
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.StreamWriter] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The metrics of a crawler."""
        port = options_of(crawler).metrics_port
        if port is None:
            raise NotConfigured
        metrics = cls(crawler, port)
        events_of(crawler).listen(metrics._count)
        crawler.signals.connect(metrics._open, signals.spider_opened)
        crawler.signals.connect(metrics._close, signals.spider_closed)
        return metrics

    @property
    def port(self) -> int | None:
        """The port that is listened on; None before and after the crawl."""
        return self._server.sockets[0].getsockname()[1] if self._server is not None else None

    def text(self) -> str:
        """The exposition text of now."""
        values: dict[str, dict[Labels, float]] = {name: {} for name in _HELP}
        for (name, labels), number in self._counts.items():
            values[name][labels] = number
        for reason, number in self._links():
            values["polite_links_not_followed_total"][("reason", reason),] = number
        for name, number in self._gauges().items():
            values[name][()] = number
        lines = []
        for name, (kind, about) in _HELP.items():
            lines += [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
            lines += [_sample(name, labels, number) for labels, number in sorted(values[name].items())]
            if kind == "counter" and not values[name]:
                lines.append(f"{name} 0")
        return "\n".join(lines) + "\n"

    def _links(self) -> Iterable[tuple[str, int]]:
        tally = getattr(self._crawler.spider, "tally", None)
        return list(tally.skips.items()) if tally is not None else ()

    def _gauges(self) -> Mapping[str, float]:
        lanes, queue = lanes_of(self._crawler), ready_queue_of(self._crawler)
        return {
            "polite_queue_requests": len(queue) if queue is not None else 0,
            "polite_hosts_in_progress": queue.in_progress if queue is not None else 0,
            "polite_lanes_held": lanes.held,
            "polite_lane_waiters": lanes.waiting,
        }

    def _count(self, event: Event) -> None:
        if event.type == "request":
            self._add("polite_requests_total")
        elif event.type == "skip":
            self._add("polite_skips_total")
        elif event.type == "stop":
            self._add("polite_stops_total", reason=event.note or "")
        elif event.type == "wait":
            self._add("polite_waits_total")
            self._counts["polite_wait_seconds_total", ()] += event.seconds or 0
        elif event.note == FROM_STORE:
            self._add("polite_stored_answers_total")
        else:
            self._add("polite_responses_total", outcome=event.outcome or "")
            self._counts["polite_response_seconds_total", ()] += event.seconds or 0

    def _add(self, name: str, **labels: str) -> None:
        self._counts[name, tuple(labels.items())] += 1

    async def _open(self, spider: Spider) -> None:
        try:
            self._server = await asyncio.start_server(self._serve, HOST, self._wanted, limit=_LONGEST_HEAD)
        except OSError as error:
            why = f"POLITE_METRICS_PORT: port {self._wanted} cannot be opened: {error.strerror or error}"
            self._crawler.stats.set_value(ERROR, why)
            raise CloseSpider("error") from error
        _logger.info("metrics: http://%s:%d/metrics", HOST, self.port)

    async def _close(self, spider: Spider) -> None:
        if self._server is None:
            return
        server, self._server = self._server, None
        server.close()
        for writer in list(self._connections):
            writer.close()
        await server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.add(writer)
        try:
            async with asyncio.timeout(_PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(self._answer(head))
                await writer.drain()
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            self._connections.discard(writer)
            writer.close()

    def _answer(self, head: bytes) -> bytes:
        method, _, rest = head.partition(b" ")
        path = rest.partition(b" ")[0].partition(b"?")[0]
        if method not in (b"GET", b"HEAD"):
            return _response("405 Method Not Allowed", "", b"Allow: GET, HEAD\r\n")
        if path != b"/metrics":
            return _response("404 Not Found", "the metrics are at /metrics\n")
        return _response("200 OK", self.text(), head_only=method == b"HEAD")


def _sample(name: str, labels: Labels, number: float) -> str:
    told = ",".join(f'{key}="{_escaped(value)}"' for key, value in labels)
    return f"{name}{{{told}}} {number:.15g}" if told else f"{name} {number:.15g}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _response(status: str, text: str, headers: bytes = b"", *, head_only: bool = False) -> bytes:
    body = text.encode()
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n"
    )
    return head.encode() + headers + b"\r\n" + (b"" if head_only else body)
