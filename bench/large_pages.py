"""A host whose every page is large, for bench/engine.py: `with LargePages() as large: large.urls(9)`.

Its pages have the shape of a news site and are as large as the search for main text reads, so each takes most of a
second of CPU to read.
"""

import random
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from harness import SEED

HOST = "127.0.0.251"
_WORDS = ("harbour", "tide", "lighthouse", "keeper", "almanac", "storm", "ferry", "rope", "anchor", "signal", "fog")
_SECTIONS = 450


class LargePages:
    """The host, in a thread of this process."""

    host = HOST

    def __enter__(self) -> Self:
        body = page(random.Random(SEED))

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                found = not self.path.startswith("/robots")
                self.send_response(200 if found else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body) if found else 0))
                self.end_headers()
                if found:
                    self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer((HOST, 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def urls(self, count: int) -> list[str]:
        """The URLs of so many pages."""
        return [f"http://{HOST}:{self._server.server_address[1]}/slow/{number}" for number in range(count)]


def page(words: random.Random) -> bytes:
    """A page of 1.9 MB: headings, paragraphs with links, boxes."""
    sections = "".join(
        f"<section><h2>{line}</h2><p class=text>{line} <a href='/{number}'>{line[:20]}</a> {line}</p></section>"
        for number, line in zip(range(_SECTIONS * 10), _lines(words), strict=False)
    )
    return f"<!doctype html><title>Large</title><body><article>{sections}</article></body>".encode()


def _lines(words: random.Random) -> Iterator[str]:
    while True:
        yield " ".join(words.choices(_WORDS, k=16))
