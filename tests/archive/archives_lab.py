"""The fake archives behind TLS on loopback, and a crawler for which their names, and those of sites, lead there."""

import json
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import fake_archives
import pytest
from engine_lab import crawl
from fake_archives import Answer
from tls_lab import Authority

from polite_crawler.rules import pacing
from polite_crawler.rules.urls import host_key
from polite_crawler.spiders.page import PageSpider
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.hosts_sqlite import open_hosts
from polite_crawler.testsite import Site
from polite_crawler.transport.exchange import Client
from polite_crawler.transport.handler import PoliteDownloadHandler
from polite_crawler.transport.resolver import Resolver, SockAddr

WAYBACK, INDEX, DATA = "web.archive.org", "index.commoncrawl.org", "data.commoncrawl.org"
NAMES = (WAYBACK, INDEX, DATA)
SITES = ("www.ex.test", "ex.test", "other.ex.test")
"""Names of the test site, in the order of its hosts."""
LIVE = f"http://{SITES[0]}"
ON = {"POLITE_ARCHIVE_FALLBACK": True, "POLITE_RETRIES": 0}
TIME = "2017-11-24T15:13:15.000000Z"
"""When the copies of the fake Wayback Machine were made."""


@dataclass
class Asked:
    """A request that came to an archive."""

    host: str
    target: str
    headers: dict[str, str]


@dataclass
class Archives:
    """The archives of one test. `robots` is the robots.txt of each by its name; `answers` are whole answers by host;
    `page` is the page that Common Crawl is asked for."""

    port: int = 0
    page: str = ""
    asked: list[Asked] = field(default_factory=list)
    robots: dict[str, bytes] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    holding: threading.Event | None = None
    held: threading.Event = field(default_factory=threading.Event)

    def asked_of(self, *hosts: str) -> list[str]:
        """The targets that were asked for, without the robots.txt."""
        return [one.target for one in self.asked if one.host in (hosts or NAMES) and one.target != "/robots.txt"]

    def answer(self, host: str, target: str, headers: dict[str, str]) -> Answer:
        self.asked.append(Asked(host, target, headers))
        if target == "/robots.txt":
            body = self.robots.get(host)
            return (404, [], b"") if body is None else (200, [("Content-Type", "text/plain")], body)
        if self.holding is not None:
            self.held.set()
            self.holding.wait(30)
        if host in self.answers:
            return self.answers[host]
        url = parse_qs(urlsplit(target).query).get("url")
        self.page = url[0] if url else self.page
        return fake_archives.answer(f"https://{host}{target}", headers, self.page)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    archives: Archives

    def do_GET(self) -> None:
        host = self.headers["Host"].partition(":")[0]
        status, fields, body = self.archives.answer(host, self.path, dict(self.headers.items()))
        octets = [f"HTTP/1.1 {status} Said"]
        octets += [f"{name}: {value}" for name, value in fields if name.lower() != "content-length"]
        octets += [f"Content-Length: {len(body)}", "", ""]
        self.wfile.write("\r\n".join(octets).encode("latin-1") + body)

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def serving(context: ssl.SSLContext | None) -> Iterator[Archives]:
    """The archives on a free port of 127.0.0.1."""
    archives = Archives()
    handler = type("Handler", (_Handler,), {"archives": archives})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        archives.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield archives
        finally:
            server.shutdown()
            thread.join()


def lead(archives_port: int, site_hosts: tuple[str, ...], site_port: int, trusted: ssl.SSLContext) -> Any:
    """A `make_client` of the handler for which the names lead to loopback."""
    make = PoliteDownloadHandler.make_client
    sites = dict(zip(SITES, site_hosts, strict=False))

    def resolve(host: str, port: int) -> list[SockAddr]:
        if host in NAMES:
            return [("127.0.0.1", archives_port)]
        if host in sites:
            return [(sites[host], site_port)]
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    def make_client(self: PoliteDownloadHandler, crawler: Any) -> Client:
        client = make(self, crawler)
        client._resolver, client._context = Resolver(resolve), lambda: trusted
        return client

    return make_client


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("archives-ca"))


@pytest.fixture
def archives(site: Site, authority: Authority, monkeypatch: pytest.MonkeyPatch) -> Iterator[Archives]:
    """The fake archives, with a quick pace."""
    with serving(authority.server(*NAMES)) as running:
        client = lead(running.port, site.hosts, site.port, authority.context())
        monkeypatch.setattr(PoliteDownloadHandler, "make_client", client)
        for host in pacing.PACES:
            monkeypatch.setitem(pacing.PACES, host, 0.01)
        yield running


def json_lines(text: str) -> list[dict[str, Any]]:
    """The objects of JSON Lines."""
    return [json.loads(line) for line in text.splitlines()]


def stop(store: Path, url: str) -> None:
    """Stop the host of a URL in a store."""
    hosts = open_hosts(StoreFolder(store).create().hosts)
    try:
        hosts.stop(host_key(url), until=4e9, reason="status 403")
    finally:
        hosts.close()


def fetch(store: Path, path: str, *, settings: dict[str, Any] | None = None, **kwargs: Any) -> Any:
    """The result of one page of the site, with archives in reserve."""
    run = crawl(PageSpider, store, url=f"{LIVE}{path}", settings={**ON, **(settings or {})}, **kwargs)
    (page,) = run.pages
    return page


def stop_of(store: Path, host: str) -> str:
    """Why a host is stopped; empty when it is not."""
    hosts = open_hosts(store / "hosts.sqlite")
    try:
        return hosts.peek(host).state.stop_reason
    finally:
        hosts.close()
