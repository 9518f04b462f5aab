"""A laboratory for crawls on loopback: a server that records what it saw, a plain download handler that takes lanes,
and crawls under the asyncio reactor or without one, in a process of their own."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from scrapy import Request, Spider
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import AsyncCrawlerProcess, AsyncCrawlerRunner, Crawler
from scrapy.http import HtmlResponse, Response

from polite_crawler.rules import pacing
from polite_crawler.rules.options import DEFAULTS
from polite_crawler.rules.pacing import Answer
from polite_crawler.scheduling.lanes import HostLanes, lanes_of, use_lanes
from polite_crawler.scheduling.requests import deadline_of, host_of
from polite_crawler.store.hosts import HostStateStore
from polite_crawler.store.hosts_sqlite import open_hosts
from polite_crawler.transport.trace import trace_of


@dataclass
class Seen:
    """One request as the server saw it. Times are epoch seconds; `beside` counts the host's other requests in
    flight at arrival."""

    host: str
    path: str
    start: float
    end: float = 0.0
    beside: int = 0


@dataclass
class Server:
    """An HTTP/1.1 server on every 127.0.x.y of one port. Paths: /any?s=STATUS&d=SECONDS&h=Name:value&to=LOCATION."""

    port: int = 0
    seen: list[Seen] = field(default_factory=list)
    robots: Callable[[str], tuple[int, str]] = lambda host: (404, "")
    robots_delay: float = 0.0

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.port}{path}"

    def of(self, host: str) -> list[Seen]:
        return [one for one in self.seen if one.host == host]

    def paths(self, host: str) -> list[str]:
        return [one.path for one in self.of(host)]

    def rests(self, host: str) -> list[float]:
        """The seconds from the end of each response to the next request of the host."""
        seen = sorted(self.of(host), key=lambda one: one.start)
        return [later.start - earlier.end for earlier, later in pairwise(seen)]

    def beside(self) -> int:
        return max((one.beside for one in self.seen), default=0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host = writer.get_extra_info("sockname")[0]
        with suppress(ConnectionError, asyncio.CancelledError):
            head = await reader.readuntil(b"\r\n\r\n")
            await self._answer(host, head.split()[1].decode(), writer)
        writer.close()

    async def _answer(self, host: str, path: str, writer: asyncio.StreamWriter) -> None:
        one = Seen(host, path, time.time(), beside=sum(not other.end for other in self.of(host)))
        self.seen.append(one)
        query = {name: values[-1] for name, values in parse_qs(urlsplit(path).query).items()}
        status, body = self.robots(host) if path == "/robots.txt" else (int(query.get("s", 200)), "<p>text</p>")
        await asyncio.sleep(self.robots_delay if path == "/robots.txt" else float(query.get("d", 0)))
        head = [f"HTTP/1.1 {status} X", "Content-Type: text/html", f"Content-Length: {len(body)}"]
        head += [query["h"]] if "h" in query else []
        head += [f"Location: {query['to']}"] if "to" in query else []
        one.end = time.time()
        writer.write("\r\n".join([*head, "", body]).encode())
        await writer.drain()


@contextmanager
def serving() -> Iterator[Server]:
    """A running server, in a thread."""
    server, loop, up = Server(), asyncio.new_event_loop(), threading.Event()

    async def start() -> None:
        listener = await asyncio.start_server(server._serve, "0.0.0.0", 0)
        server.port = listener.sockets[0].getsockname()[1]
        up.set()
        try:
            async with listener:
                await stop.wait()
        finally:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            # a transport is closed in the turn after the one that closes it
            await asyncio.sleep(0)

    stop = asyncio.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(start()), daemon=True)
    thread.start()
    assert up.wait(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()


class StubHandler(BaseDownloadHandler):
    """The least that a download handler does with a lane."""

    async def download_request(self, request: Request) -> Response:
        lanes, trace = lanes_of(self.crawler), trace_of(request)
        kind = request.meta.get("kind", "fetch")
        lane = await lanes.acquire(host_of(request), deadline=deadline_of(request), kind=kind, wait=not trace.queued)
        start, answer = time.time(), Answer(kind=kind, error=True)
        try:
            status, headers, body = await _get(request.url)
            later = pacing.retry_after(headers.get("retry-after"), now=time.time())
            answer = Answer(kind=kind, status=status, seconds=time.time() - start, retry_after_s=later)
        finally:
            lanes.release(lane, answer)
        return HtmlResponse(request.url, status=status, headers=headers, body=body, request=request)


_READERS: set[asyncio.StreamReader] = set()


async def _get(url: str) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    # asyncio holds readers and tasks weakly: without this the whole chain of a request can be collected while it waits
    _READERS.add(reader)
    try:
        target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        writer.write(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    finally:
        _READERS.discard(reader)
        writer.close()
    lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines[1:])
    return int(lines[0].split()[1]), headers, body


SETTINGS: dict[str, Any] = {
    **DEFAULTS,
    "LOG_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "RETRY_ENABLED": False,
    "COOKIES_ENABLED": False,
    "HTTPPROXY_ENABLED": False,
    "DEPTH_PRIORITY": 1,
    "DOWNLOAD_HANDLERS": {"http": StubHandler, "https": None, "ftp": None, "file": None, "data": None, "s3": None},
    "DOWNLOADER": "polite_crawler.scheduling.downloader.PoliteDownloader",
    "SCHEDULER": "polite_crawler.scheduling.scheduler.PoliteScheduler",
    "SCHEDULER_PRIORITY_QUEUE": "polite_crawler.scheduling.ready_queue.ReadyQueue",
    "REQUEST_FINGERPRINTER_CLASS": "polite_crawler.scheduling.fingerprint.Fingerprinter",
    "DOWNLOADER_MIDDLEWARES": {"polite_crawler.middlewares.lane_gate.LaneGate": 105},
}


@dataclass
class Run:
    """A crawl that has ended."""

    reason: str
    stats: Mapping[str, Any]
    endings: list[tuple[str, str]]

    def ended(self, ending: str) -> list[str]:
        """The paths of the requests that ended so."""
        return [urlsplit(url).path for url, how in self.endings if how == ending]


class LabSpider(Spider):
    """A spider that notes how each request ends: `callback`, or the name of the error."""

    name = "lab"
    handle_httpstatus_all = True
    custom_settings = {"HTTPERROR_ALLOW_ALL": True}  # noqa: RUF012

    def __init__(self, urls: tuple[str, ...] = (), **options: Any) -> None:
        super().__init__(**options)
        self.urls = urls
        self.endings: list[tuple[str, str]] = []

    async def start(self) -> Any:
        for url in self.urls:
            yield self.request(url)

    def request(self, url: str, **options: Any) -> Request:
        return Request(url, callback=self.got, errback=self.failed, **options)

    def got(self, response: Response) -> Any:
        assert response.request is not None
        self.endings.append((response.request.url, "callback"))

    def failed(self, failure: Any) -> Any:
        self.endings.append((failure.request.url, type(failure.value).__name__))


class TreeSpider(LabSpider):
    """Page n links to pages 2n+1 and 2n+2, over three hosts; `kill_at` ends the process at that many answers."""

    pages = 40

    def __init__(self, kill_at: int = 0, **options: Any) -> None:
        super().__init__(**options)
        self.kill_at = kill_at

    def got(self, response: Response) -> Any:
        super().got(response)
        if self.kill_at and len(self.endings) >= self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        port, number = urlsplit(response.url).port, int(response.url.rpartition("/")[2])
        for child in (2 * number + 1, 2 * number + 2):
            if child < self.pages:
                yield self.request(f"http://127.0.1.{1 + child % 3}:{port}/{child}", priority=-child.bit_length())


def crawl(
    spider: type[LabSpider],
    urls: list[str] | None = None,
    *,
    rest: float = 0.05,
    lanes: Callable[[Crawler], HostLanes] | None = None,
    options: Mapping[str, Any] | None = None,
    limit: float = 60,
    **settings: Any,
) -> Run:
    """Run a crawl to its end, without a reactor. `rest` is the page interval; `lanes` makes lanes of another kind."""
    run: list[Run] = []

    async def main() -> None:
        runner = AsyncCrawlerRunner({**SETTINGS, "TWISTED_REACTOR_ENABLED": False, **settings})
        crawler = runner.create_crawler(spider)
        use_lanes(crawler, lanes(crawler) if lanes else memory_lanes(rest))
        async with asyncio.timeout(limit):
            await runner.crawl(crawler, urls=tuple(urls or ()), **(options or {}))
        assert isinstance(crawler.spider, LabSpider)
        stats = crawler.stats.get_stats()
        run.append(Run(stats["finish_reason"], stats, crawler.spider.endings))

    asyncio.run(main())
    return run[0]


def memory_lanes(rest: float, store: HostStateStore | None = None, **options: Any) -> HostLanes:
    """Lanes of one process, with a page interval."""
    return HostLanes(
        store or open_hosts(None), lambda host: pacing.Policy(page_interval=rest, slow_factor=0), **options
    )


def sqlite_lanes(path: Path, rest: float, **options: Any) -> HostLanes:
    """Lanes that processes share, with a page interval."""
    return HostLanes(open_hosts(path), lambda host: pacing.Policy(page_interval=rest, slow_factor=0), **options)


def start_crawl(
    urls: list[str],
    *,
    rest: float,
    reactor: bool,
    store: Path | None = None,
    spider: str = "LabSpider",
    options: Mapping[str, Any] | None = None,
    **settings: Any,
) -> "subprocess.Popen[str]":
    """A crawl in a process of its own, with the asyncio reactor or without one; it prints its Run as JSON."""
    job = {"urls": urls, "rest": rest, "store": store and str(store), "reactor": reactor, "spider": spider}
    job |= {"options": dict(options or {}), "settings": settings}
    paths = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[2])])
    return subprocess.Popen(
        [sys.executable, "-W", "error", __file__, json.dumps(job)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": paths},
    )


def ended(process: "subprocess.Popen[str]") -> Run:
    """The Run that a process prints."""
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    fields = json.loads(printed)
    return Run(fields["reason"], fields["stats"], [tuple(one) for one in fields["endings"]])


def _main(job: dict[str, Any]) -> None:
    made = sqlite_lanes(Path(job["store"]), job["rest"]) if job["store"] else memory_lanes(job["rest"])
    spider: type[LabSpider] = globals()[job["spider"]]
    if not job["reactor"]:
        run = crawl(spider, job["urls"], lanes=lambda crawler: made, options=job["options"], **job["settings"])
    else:
        process = AsyncCrawlerProcess({**SETTINGS, **job["settings"]})
        crawler = process.create_crawler(spider)
        use_lanes(crawler, made)
        process.crawl(crawler, urls=tuple(job["urls"]), **job["options"])
        process.start(install_signal_handlers=False)
        stats = crawler.stats.get_stats()
        run = Run(stats["finish_reason"], stats, crawler.spider.endings)
    print(json.dumps({"reason": run.reason, "stats": run.stats, "endings": run.endings}, default=str))


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))


def host(number: int) -> str:
    """A host of the server."""
    return f"127.0.1.{number}"
