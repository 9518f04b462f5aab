"""A small site whose answers a test writes, and recipes that run against it in this process."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from engine_lab import QUICK
from scrapy import Spider, signals
from scrapy.crawler import AsyncCrawlerRunner

Answer = tuple[int, str, str]
"""Status, content type, body."""


class Pages:
    """The answers of a site by path, and the paths that were asked for. A path that is not there is a 404."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []

    def html(self, path: str, body: str, status: int = 200) -> str:
        """Serve a page; its URL."""
        self.answers[path] = (status, "text/html; charset=utf-8", body)
        return self.base + path

    def json(self, path: str, body: str) -> str:
        """Serve JSON; its URL."""
        self.answers[path] = (200, "application/json", body)
        return self.base + path

    def asked_for(self, path: str) -> int:
        """How often a path was asked for."""
        return self.asked.count(path)


@contextmanager
def serving() -> Iterator[Pages]:
    """A site on loopback for the time of a test."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            pages.asked.append(self.path)
            status, kind, body = pages.answers.get(self.path, (404, "text/plain", "not here"))
            octets = body.encode()
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", body)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(octets)))
            self.end_headers()
            self.wfile.write(octets)

        def log_message(self, *_: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    pages = Pages(f"http://127.0.0.1:{server.server_address[1]}")
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield pages
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def run_spider(
    spider: type[Spider], store: Path, settings: dict[str, Any] | None = None, **arguments: Any
) -> list[Any]:
    """The items of a spider."""
    items: list[Any] = []

    def scraped(item: Any) -> None:
        items.append(item)

    async def run() -> None:
        runner = AsyncCrawlerRunner({**QUICK, "POLITE_STORE": store, **(settings or {})})
        crawler = runner.create_crawler(spider)
        crawler.signals.connect(scraped, signals.item_scraped)
        await runner.crawl(crawler, **arguments)

    async def limited() -> None:
        async with asyncio.timeout(60):
            await run()

    asyncio.run(limited())
    return items


def runspider(file: Path, input: str) -> list[dict[str, Any]]:
    """The items of a file by `scrapy runspider`, with the store `s` beside it."""
    command = [sys.executable, "-m", "scrapy", "runspider", file.name, "-a", f"input={input}", "-o", "out.jsonl"]
    settings = ["-s", "POLITE_ALLOW_PRIVATE=1", "-s", "POLITE_MIN_FREE=0"]
    environment = {**os.environ, "POLITE_CRAWLER_DIR": str(file.parent / "s")}
    done = subprocess.run(
        [*command, *settings], cwd=file.parent, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in (file.parent / "out.jsonl").read_text().splitlines()]
