"""A site of a few pages that a test writes down, on one loopback address."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Reply = str | bytes | tuple[int, Mapping[str, str], str | bytes]


def links(*hrefs: str, head: str = "", text: str = "") -> str:
    """A page with links. An href that begins with `!` is one with rel=nofollow."""
    anchors = "".join(
        f'<p><a rel="nofollow" href="{href[1:]}">no</a>' if href.startswith("!") else f'<p><a href="{href}">go</a>'
        for href in hrefs
    )
    return f"<!doctype html><html><head><title>t</title>{head}</head><body><p>{text}{anchors}</body></html>"


_SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*entries: tuple[str, str]) -> Reply:
    """A sitemap of (path, lastmod); an empty lastmod is none."""
    return _listing("urlset", "url", entries)


def index(*files: tuple[str, str]) -> Reply:
    """An index of sitemaps."""
    return _listing("sitemapindex", "sitemap", files)


def _listing(root: str, each: str, entries: tuple[tuple[str, str], ...]) -> Reply:
    rows = "".join(
        f"<{each}><loc>{{base}}{path}</loc>{f'<lastmod>{day}</lastmod>' if day else ''}</{each}>"
        for path, day in entries
    )
    return 200, {"Content-Type": "application/xml"}, f"<{root} {_SPACE}>{rows}</{root}>"


@dataclass
class Pages:
    """What is served. A path that is not here is 404; `seen` are the paths that were asked."""

    pages: Mapping[str, Reply]
    host: str = "127.0.0.1"
    port: int = 0
    seen: list[str] = field(default_factory=list)

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}:{self.port}{path}"

    def asked(self) -> list[str]:
        """The paths of pages, in their order."""
        return [path for path in self.seen if path != "/robots.txt"]


@contextmanager
def serving(pages: Mapping[str, Reply], *, host: str = "127.0.0.1") -> Iterator[Pages]:
    """Serve the pages until the block ends. `{base}` in a body stands for the origin."""
    here = Pages(pages, host)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            here.seen.append(self.path)
            reply = here.pages.get(self.path, (404, {}, "not here"))
            status, headers, body = reply if isinstance(reply, tuple) else (200, {}, reply)
            octets = body.replace("{base}", here.url("")).encode() if isinstance(body, str) else body
            self.send_response(status)
            for name, value in {"Content-Type": "text/html; charset=utf-8", **headers}.items():
                self.send_header(name, value.replace("{base}", here.url("")))
            self.send_header("Content-Length", str(len(octets)))
            self.end_headers()
            self.wfile.write(octets)

        def log_message(self, *args: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *args: object) -> None:
            pass

    server = Quiet((host, 0), Handler)
    here.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield here
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
