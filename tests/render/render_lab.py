"""What the tests of rendering share: a server of pages and scripts on several hosts that records what it saw, and
crawls against it in this process."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psutil
import pytest
from engine_lab import Run, crawl

from polite_crawler.spiders.page import PageSpider

needs_browser = [pytest.mark.browser, pytest.mark.usefixtures("chromium")]

HTML = (("Content-Type", "text/html; charset=utf-8"),)
SCRIPT = (("Content-Type", "text/javascript"),)


@dataclass
class Reply:
    """One answer of the server, after some seconds."""

    body: str | bytes = ""
    headers: tuple[tuple[str, str], ...] = HTML
    status: int = 200
    seconds: float = 0.0


@dataclass
class Seen:
    """A request as the server saw it; `beside` counts the host's other requests in progress when it came."""

    method: str
    host: str
    path: str
    headers: dict[str, str]
    start: float
    end: float = 0.0
    beside: int = 0


@dataclass
class Pages:
    """Serves `replies`, by path or by host and path, on 127.0.0.1 to 127.0.0.4 of one port. A path without one is a
    404, also /robots.txt."""

    port: int
    replies: dict[str, Reply] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)
    gate: threading.Lock = field(default_factory=threading.Lock)

    def url(self, path: str, host: int = 1) -> str:
        return f"http://127.0.0.{host}:{self.port}{path}"

    def paths(self, host: int | None = None) -> list[str]:
        """The paths that were asked for, but robots.txt."""
        names = (f"127.0.0.{host}",) if host else ("127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4")
        return [one.path for one in self.seen if one.path != "/robots.txt" and one.host in names]

    def page(self, script: str, path: str = "/page", *, inside: str = "", host: str = "") -> str:
        """Serve a page that is empty but for a script; gives its URL on the first host."""
        body = (
            f"<!doctype html><html><head><title>Made</title></head><body><div id=app></div>{inside}"
            f"<script>const app = document.getElementById('app');{script}</script></body></html>"
        )
        self.replies[host + path] = Reply(body)
        return self.url(path)


def _handler(pages: Pages) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: Any) -> None:
            pass

        def _serve(self) -> None:
            host = self.server.server_address[0]
            with pages.gate:
                beside = sum(one.host == host and not one.end for one in pages.seen)
                seen = Seen(self.command, str(host), self.path, dict(self.headers.items()), time.time(), 0.0, beside)
                pages.seen.append(seen)
            length = int(self.headers.get("Content-Length") or 0)
            self.rfile.read(length)
            path = self.path.partition("?")[0]
            reply = pages.replies.get(f"{host}{path}") or pages.replies.get(path) or Reply("no", status=404)
            time.sleep(reply.seconds)
            body = reply.body.encode() if isinstance(reply.body, str) else reply.body
            seen.end = time.time()
            try:
                self.send_response(reply.status)
                for name, value in reply.headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)
            except ConnectionError:
                pass

        do_GET = do_POST = do_HEAD = do_OPTIONS = do_PUT = _serve

    return Handler


@contextmanager
def serving(hosts: int = 4) -> Iterator[Pages]:
    """A running server."""
    pages = Pages(0)
    servers: list[ThreadingHTTPServer] = []
    try:
        for number in range(1, hosts + 1):
            server = ThreadingHTTPServer((f"127.0.0.{number}", pages.port), _handler(pages), bind_and_activate=False)
            server.daemon_threads = True
            server.server_bind()
            server.server_activate()
            pages.port = server.server_address[1]
            servers.append(server)
        for server in servers:
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield pages
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


def fetch(store: Path, *urls: str, limit: float = 100, **options: Any) -> Run:
    """Fetch pages; options in capitals are settings, the others arguments of the spider."""
    settings = {name: value for name, value in options.items() if name.isupper()}
    arguments = {name: value for name, value in options.items() if not name.isupper()}
    return crawl(PageSpider, store, limit=limit, settings=settings, url=" ".join(urls), **arguments)


class Watch:
    """Finds the processes of the browsers that a test starts: by their home folder, which lies in the folder of the
    test, and then by their process group, whoever their parent is by now."""

    def __init__(self, folder: Path) -> None:
        self._mark = f"{folder}{os.sep}"
        self._groups: set[int] = set()

    def browsers(self) -> list[psutil.Process]:
        """Those that run now. A zombie of the first process of the machine is not ours to reap."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error, ProcessLookupError):
                if process.environ().get("HOME", "").startswith(self._mark):
                    self._groups.add(os.getpgid(process.pid))
        for process in psutil.process_iter():
            with suppress(psutil.Error, ProcessLookupError):
                if os.getpgid(process.pid) in self._groups and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        return found

    def drivers(self) -> list[psutil.Process]:
        """The processes of playwright that this one has started."""
        found = []
        for process in psutil.Process().children():
            with suppress(psutil.Error):
                if "node" in process.name():
                    found.append(process)
        return found

    def running(self) -> list[str]:
        """All of them, by name."""
        return [f"{process.pid} {process.name()}" for process in (*self.browsers(), *self.drivers())]

    def gone(self, seconds: float = 15.0) -> bool:
        """Whether nothing runs any more, within some seconds: a killed browser's parts need a moment."""
        until = time.monotonic() + seconds
        while (left := self.running()) and time.monotonic() < until:
            time.sleep(0.1)
        return not left


def body_of(run: Run, capture: Any) -> str:
    """The stored body of a capture."""
    from polite_crawler.store.blobs import Blobs

    return Blobs(run.store / "blobs").get(capture.body.sha256).decode()
