"""Events as they happen, and the metrics page."""

import asyncio
import re
import socket
from pathlib import Path
from typing import Any

import pytest
from engine_lab import crawl
from scrapy.crawler import Crawler

from polite_crawler.errors import BadOption
from polite_crawler.spiders.events import Event, events_of
from polite_crawler.spiders.metrics import Metrics
from polite_crawler.spiders.page import PageSpider
from polite_crawler.spiders.results import PageResult
from polite_crawler.spiders.site import SiteSpider
from polite_crawler.testsite.site import Site

_SAMPLE = re.compile(r'[a-z_]+(?:\{[a-z_]+="(?:[^"\\]|\\.)*"(?:,[a-z_]+="(?:[^"\\]|\\.)*")*\})? -?[0-9.e+]+').fullmatch


class Watched(SiteSpider):
    """Keeps its events."""

    name = "watched"

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> "Watched":
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.events = []
        events_of(crawler).listen(spider.events.append)
        return spider


def shown(events: list[Event], *types: str) -> list[tuple[str, str, str | None]]:
    return [(event.type, (event.url or "").partition("/")[2].partition("/")[2].partition("/")[2], event.outcome)
            for event in events if event.type in types]  # fmt: skip


def test_each_request_and_each_decision_is_an_event(site: Site, store_dir: Path) -> None:
    site.reset(robots_text="User-agent: *\nDisallow: /p/2\n")
    url = site.url("/p/1")
    run = crawl(Watched, store_dir, url=url, settings={"POLITE_PAGE_INTERVAL": 0.2})
    assert shown(run.spider.events, "request", "response", "skip") == [
        ("request", "robots.txt", None), ("response", "robots.txt", "ok"),
        ("request", "p/1", None), ("response", "p/1", "ok"),
        ("skip", "p/2", "skipped"),
    ]  # fmt: skip
    skip = run.spider.events[-1]
    assert skip.note == "robots.txt disallows this URL for PoliteCrawler (line 2: Disallow: /p/2)"
    assert skip.host == "127.0.0.1"
    waits = [event for event in run.spider.events if event.type == "wait"]
    assert all(event.until is not None and event.until > event.time and event.seconds for event in waits)
    # the page waits for the rest after robots.txt, the link for the rest after the page
    assert len(waits) == 2


def test_an_event_is_a_mapping_too() -> None:
    event = Event("wait", "2026-10-01T00:00:00.000000Z", "a.example", seconds=2.5)
    assert event["type"] == event.type == "wait"
    assert list(dict(event)) == ["type", "time", "host", "url", "outcome", "seconds", "until", "note"]
    assert (event.get("seconds"), event.get("keys"), len(event), "until" in event) == (2.5, None, 8, True)
    assert event == Event(**event)


def test_a_stop_and_a_stored_answer_are_events(site: Site, store_dir: Path) -> None:
    crawl(PageSpider, store_dir, url=site.url("/about"))
    run = crawl(Watched, store_dir, url=f"{site.url('/about')} {site.url('/status/403')}", max_depth=0)
    told = {(event.type, event.outcome, event.note) for event in run.spider.events}
    assert ("response", "ok", "from the store") in told
    (stop,) = [event for event in run.spider.events if event.type == "stop"]
    assert (stop.host, stop.note) == ("127.0.0.1", "status 403")
    assert stop.until is not None
    assert stop.until > stop.time


def test_secrets_do_not_show_in_events(site: Site, store_dir: Path) -> None:
    run = crawl(Watched, store_dir, url=site.url("/about?token=canary-7d1f"), max_depth=0)
    assert len(run.spider.events) >= 4
    assert "canary-7d1f" not in repr(run.spider.events)


def test_a_listener_that_fails_does_not_end_the_crawl(
    site: Site, store_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(SiteSpider):
        @classmethod
        def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> "Broken":
            def fails(event: Event) -> None:
                raise ValueError("a listener of the user")

            events_of(crawler).listen(fails)
            return super().from_crawler(crawler, *args, **kwargs)

    run = crawl(Broken, store_dir, url=site.url("/about"), max_depth=0)
    assert run.summary.fetched == 1
    assert "a listener failed" in caplog.text


def the_metrics(crawler: Crawler) -> Metrics:
    assert crawler.extensions is not None
    (found,) = [one for one in crawler.extensions.middlewares if isinstance(one, Metrics)]
    return found


async def ask(port: int, request: bytes) -> tuple[str, str]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    answer = (await reader.read()).decode()
    writer.close()
    await writer.wait_closed()
    head, _, body = answer.partition("\r\n\r\n")
    return head, body


class Measured(SiteSpider):
    """Asks for its own metrics after its second page."""

    name = "measured"

    async def parse(self, response: Any, **kwargs: Any) -> Any:
        async for one in super().parse(response, **kwargs):
            yield one
            if isinstance(one, PageResult) and self.tally.pages == 2:
                port = the_metrics(self.crawler).port
                assert port is not None
                self.page = await ask(port, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.head = await ask(port, b"HEAD /metrics?x HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.other = await ask(port, b"GET / HTTP/1.1\r\n\r\n")
                self.post = await ask(port, b"POST /metrics HTTP/1.1\r\n\r\n")
                self.port = port


def test_the_metrics_page_counts_what_happened(site: Site, store_dir: Path) -> None:
    # two pages and no more, and a rest in which nothing leaves the queue
    settings = {"POLITE_METRICS_PORT": 0, "POLITE_PAGE_INTERVAL": 0.3}
    run = crawl(Measured, store_dir, url=site.url("/"), settings=settings, max_pages=2)
    head, body = run.spider.page
    assert head.startswith("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4")
    lines = body.splitlines()
    assert all(line.startswith("# ") or _SAMPLE(line) for line in lines)
    assert "polite_requests_total 3" in lines
    assert 'polite_responses_total{outcome="ok"} 3' in lines
    assert "polite_waits_total 3" in lines
    assert "polite_lanes_held 0" in lines
    queued = next(int(line.rpartition(" ")[2]) for line in lines if line.startswith("polite_queue_requests "))
    assert queued > 0
    assert 'polite_links_not_followed_total{reason="nofollow"} 1' in lines
    assert run.spider.head[0].startswith("HTTP/1.1 200")
    assert run.spider.head[1] == ""
    assert run.spider.other[0].startswith("HTTP/1.1 404")
    assert run.spider.post[0].startswith("HTTP/1.1 405")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", run.spider.port)).close()


def test_a_port_that_is_taken_ends_the_crawl_before_a_request(site: Site, store_dir: Path) -> None:
    settings = {"POLITE_METRICS_PORT": site.port}
    run = crawl(SiteSpider, store_dir, url=site.url("/about"), settings=settings)
    assert run.summary.stopped == "error"
    assert run.summary.reason is not None
    assert run.summary.reason.startswith(f"POLITE_METRICS_PORT: port {site.port} cannot be opened")
    assert site.log() == []


@pytest.mark.parametrize("port", [-1, 65_536, "http", 1.5])
def test_what_is_no_port_is_a_bad_option(site: Site, store_dir: Path, port: object) -> None:
    with pytest.raises(BadOption, match="POLITE_METRICS_PORT"):
        crawl(SiteSpider, store_dir, url=site.url("/about"), settings={"POLITE_METRICS_PORT": port})
