"""The download handler: what is sent, the evidence and the responses, and whole crawls with and without a reactor."""

import gzip
import json
import subprocess
import sys
from typing import Any

import pytest
from handler_lab import Lanes, answered, crawler_with, fails, handled
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotSupported
from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse
from transport_site import Authority, Peer, Site, answers, ok

from polite_crawler.errors import BadOption
from polite_crawler.rules.identity import identity
from polite_crawler.transport.exchange import Client
from polite_crawler.transport.handler import MAX_BYTES, SIGN, PoliteDownloadHandler, UndecodableBody
from polite_crawler.transport.trace import trace_of
from polite_crawler.transport.wire import ExchangeError
from polite_crawler.version import __version__

US = identity(version=__version__).user_agent.encode()


def test_one_instance_for_both_schemes() -> None:
    async def test(handler: PoliteDownloadHandler, here: Site, lanes: Lanes) -> None:
        assert PoliteDownloadHandler.from_crawler(handler.crawler) is handler

    handled(answers(), test)


def test_the_response_is_that_of_the_wire() -> None:
    response, trace, answer = answered(ok(b"<p>caf\xc3\xa9</p>", b"Set-Cookie: a=1", b"set-cookie: b=2"))
    assert isinstance(response, HtmlResponse)
    assert (response.status, response.body, response.flags) == (200, b"<p>caf\xc3\xa9</p>", [])
    assert response.headers.getlist("Set-Cookie") == [b"a=1", b"b=2"]
    assert (str(response.ip_address), response.protocol, response.certificate) == ("127.0.0.1", "HTTP/1.1", None)
    assert trace.wire is not None
    assert trace.wire.payload == response.body
    assert response.meta["download_latency"] >= 0
    assert answer is not None
    assert (answer.kind, answer.status, answer.error, answer.retry_after_s) == ("fetch", 200, False, None)


@pytest.mark.parametrize(
    ("content_type", "body", "cls"),
    [
        (b"text/html", b"<p>", HtmlResponse),
        (b"application/xml", b"<a/>", XmlResponse),
        (b"text/plain", b"text", TextResponse),
        (b"image/png", b"\x89PNG\x01", Response),
    ],
)
def test_the_class_of_a_coded_response_is_that_of_its_content(content_type: bytes, body: bytes, cls: type) -> None:
    packed = gzip.compress(body)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
    response, trace, _ = answered(head % (content_type, len(packed)) + packed)
    assert type(response) is cls
    assert response.body == body
    assert response.headers["Content-Encoding"] == b"gzip"  # as received
    assert trace.wire is not None
    assert trace.wire.payload == packed


@pytest.mark.parametrize(
    ("octets", "flags"),
    [
        (ok(b"x" * 100), ["truncated"]),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort", ["dataloss"]),
        (ok(b"x" * 10), []),
    ],
)
def test_a_part_of_a_body_is_flagged(octets: bytes, flags: list[str]) -> None:
    response, _, _ = answered(octets, **{MAX_BYTES: 10})
    assert response.flags == flags


def test_what_is_sent() -> None:
    headers = {
        "User-Agent": "me/1", "Accept": ["a", "b"], "Accept-Encoding": "br, zstd", "Host": "evil.example",
        "Content-Length": "99", "Transfer-Encoding": "chunked", "Connection": "close",
        "X-Odd": "caf\xe9".encode("latin-1"),
    }  # fmt: skip
    _, trace, _ = answered(ok(), Request("http://x/", headers=headers, method="POST", body=b"data"))
    assert trace.wire is not None
    head = trace.wire.request_head.split(b"\r\n")
    assert head[0] == b"POST / HTTP/1.1"
    assert head[1].startswith(b"Host: 127.0.0.1:")
    assert head[2:] == [
        b"User-Agent: " + US, b"Accept: a", b"Accept: b", b"X-Odd: caf\xe9", b"Accept-Encoding: gzip",
        b"Content-Length: 4", b"", b"",
    ]  # fmt: skip


def test_a_caller_may_ask_for_the_plain_octets() -> None:
    _, trace, _ = answered(ok(), Request("http://x/", headers={"Accept-Encoding": "identity"}))
    assert trace.wire is not None
    assert b"Accept-Encoding: identity\r\n" in trace.wire.request_head


def test_a_body_that_does_not_decode_fails_with_its_evidence() -> None:
    octets = ok(b"<p>plain</p>", b"Content-Encoding: gzip")
    error, trace, given = fails(answers(octets))
    assert isinstance(error, UndecodableBody)
    assert str(error) == "the body does not decode: gzip: incorrect header check"
    assert trace.wire is not None
    assert (trace.wire.payload, trace.wire.decoded) == (b"<p>plain</p>", None)
    assert [(answer.status, answer.error) for _, answer in given if answer] == [(200, True)]


def test_a_hop_needs_no_body() -> None:
    octets = b"HTTP/1.1 301 X\r\nLocation: /b\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain"
    response, trace, _ = answered(octets)
    assert (response.status, response.body, response.headers["Location"]) == (301, b"", b"/b")
    assert trace.wire is not None
    assert trace.wire.undecodable


def test_a_host_that_fails_counts_as_failed() -> None:
    error, trace, given = fails(answers(b"garbage"))
    assert isinstance(error, ExchangeError)
    assert (error.kind, trace.wire) == ("protocol", None)
    assert [(answer.status, answer.error) for _, answer in given if answer] == [(None, True)]


def test_a_refused_address_costs_the_host_nothing() -> None:
    error, _, given = fails(answers(ok()), POLITE_ALLOW_PRIVATE=False)
    assert isinstance(error, ExchangeError)
    assert error.kind == "egress"
    assert str(error) == "egress policy: 127.0.0.1 is a loopback address; set POLITE_ALLOW_PRIVATE to fetch it"
    assert [answer for _, answer in given] == [None]


def test_an_allowed_range_opens_its_addresses() -> None:
    async def test(handler: PoliteDownloadHandler, here: Site, lanes: Lanes) -> None:
        assert (await handler.download_request(Request(here.url))).status == 200

    handled(answers(ok()), test, POLITE_ALLOW_PRIVATE=False, POLITE_EGRESS_ALLOW="127.0.0.0/8")


def test_an_idle_connection_that_closed_is_no_failure_of_the_host() -> None:
    async def script(peer: Peer) -> None:
        await peer.request()
        await peer.send(ok())
        await peer.request()

    async def test(handler: PoliteDownloadHandler, here: Site, lanes: Lanes) -> None:
        await handler.download_request(Request(here.url))
        with pytest.raises(ExchangeError) as caught:
            await handler.download_request(Request(here.url))
        assert caught.value.kind == "idle"
        assert [(answer.status, answer.error) for _, answer in lanes.given if answer] == [(200, False), (None, False)]

    handled(script, test)


def test_time_outs_are_those_of_the_settings() -> None:
    error, _, _ = fails(answers(b"HTTP", hold=True), POLITE_TIMEOUTS={"head": 0.05})
    assert isinstance(error, ExchangeError)
    assert error.kind == "timeout"


def test_a_signer_signs_what_is_sent_and_its_failure_sends_nothing() -> None:
    def sign(method: str, url: str, fields: tuple[tuple[bytes, bytes], ...]) -> list[tuple[bytes, bytes]]:
        return [(b"Signature-Input", b",".join(name for name, _ in fields))]

    _, trace, _ = answered(ok(), **{SIGN: sign})
    assert trace.wire is not None
    assert b"\r\nSignature-Input: Host,User-Agent,Accept-Encoding\r\n" in trace.wire.request_head

    def broken(*_: object) -> list[tuple[bytes, bytes]]:
        raise LookupError("no key")

    error, _, given = fails(answers(ok()), meta={SIGN: broken})
    assert isinstance(error, LookupError)
    assert [answer for _, answer in given] == [None]


def test_a_proxy_is_not_used_in_silence() -> None:
    error, _, given = fails(answers(ok()), meta={"proxy": "http://127.0.0.1:1/"})
    assert isinstance(error, NotSupported)
    assert given == []


@pytest.mark.parametrize(
    "settings", [{"POLITE_TIMEOUTS": {"head": 0}}, {"POLITE_MAX_BYTES": "many"}, {"POLITE_EGRESS_ALLOW": "1.2.3.4/99"}]
)
def test_a_bad_setting_is_a_bad_option(settings: dict[str, Any]) -> None:
    with pytest.raises(BadOption, match=next(iter(settings))):
        PoliteDownloadHandler.from_crawler(crawler_with(**settings))


def test_https_gives_the_certificate(tmp_path: Any) -> None:
    authority = Authority(tmp_path)

    class Trusting(PoliteDownloadHandler):
        def make_client(self, crawler: Crawler) -> Client:
            client = super().make_client(crawler)
            client._context = authority.context
            return client

    async def test(handler: PoliteDownloadHandler, here: Site, lanes: Lanes) -> None:
        request = Request(here.url)
        response = await handler.download_request(request)
        wire = trace_of(request).wire
        assert wire is not None
        assert wire.tls is not None
        assert isinstance(response.certificate, bytes)
        assert here.url.startswith("https://")

    handled(answers(ok()), test, handler=Trusting, tls=authority.server("127.0.0.1"))


CRAWL = r"""
import asyncio, json, sys, threading
from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from polite_crawler.rules.options import DEFAULTS
from polite_crawler.transport.trace import trace_of

async def serve(reader, writer):
    try:
        while True:
            path = (await reader.readuntil(b"\r\n\r\n")).split()[1]
            if path == b"/reset":
                break
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nhello")
    except asyncio.IncompleteReadError:
        pass
    writer.close()

def server(up):
    async def main():
        listener = await asyncio.start_server(serve, "0.0.0.0", 0)
        up.port = listener.sockets[0].getsockname()[1]
        up.set()
        await asyncio.Event().wait()
    asyncio.run(main())

up = threading.Event()
threading.Thread(target=server, args=(up,), daemon=True).start()
up.wait()
ends = []

class Pages(Spider):
    name = "pages"
    async def start(self):
        for host in range(1, 6):
            for path in ("a", "b", "reset"):
                yield Request(f"http://127.0.0.{host}:{up.port}/{path}", callback=self.got, errback=self.failed)
    def got(self, response):
        wire = trace_of(response.request).wire
        ends.append([response.status, response.text, wire.reused, wire.ip])
    def failed(self, failure):
        ends.append([failure.value.kind])

handler = "polite_crawler.transport.handler.PoliteDownloadHandler"
process = AsyncCrawlerProcess({
    **DEFAULTS, "POLITE_ALLOW_PRIVATE": True, "POLITE_PAGE_INTERVAL": 0, "POLITE_SLOW_FACTOR": 0,
    "DOWNLOAD_HANDLERS": {"http": handler, "https": handler}, "LOG_LEVEL": "WARNING",
    "DOWNLOADER_MIDDLEWARES": {"scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None},
    "RETRY_ENABLED": False, "TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1, "DOWNLOAD_DELAY": 0, "TWISTED_REACTOR_ENABLED": sys.argv[1] == "reactor",
})
process.crawl(Pages)
process.start()
print(json.dumps({"ends": ends, "reactor": "twisted.internet.reactor" in sys.modules}))
"""


@pytest.mark.parametrize("mode", ["reactor", "reactorless"])
def test_a_crawl_on_the_asyncio_reactor_and_without_one(mode: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", CRAWL, mode], capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert told["reactor"] == (mode == "reactor")
    pages = [end for end in told["ends"] if len(end) > 1]
    assert sorted(end[3] for end in pages) == sorted(f"127.0.0.{host}" for host in range(1, 6) for _ in "ab")
    assert all(end[:2] == [200, "hello"] for end in pages)
    # the third request of each host met a connection that closed under it
    assert [end for end in told["ends"] if len(end) == 1] == [["idle"]] * 5
