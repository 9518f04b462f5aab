"""Engine rules that whole crawls show: an idle connection, the raw answer, closing in flight, users' settings."""

from pathlib import Path
from typing import Any

import pytest
from engine_lab import EndingSpider, crawl
from scrapy import Request
from scrapy.http import Response
from test_engine_endings import host_limits

from polite_crawler.middlewares.lane_gate import LaneGate
from polite_crawler.scheduling.closing import close
from polite_crawler.store.hosts_sqlite import open_hosts
from polite_crawler.testsite.site import Site


def test_an_idle_connection_that_closed_is_no_failure_of_the_host(site: Site, store_dir: Path) -> None:
    urls = [site.url("/framing/idle-drop"), site.url("/about")]
    run = crawl(EndingSpider, store_dir, urls=urls, settings={**host_limits(), "CONCURRENT_REQUESTS": 1})
    assert dict(run.spider.endings)[urls[1]] == "callback 200"
    idle, page = [capture for capture in run.captures("fetch") if capture.url == urls[1]]
    assert (idle.outcome, idle.reason) == ("error", "idle connection closed")
    assert page.outcome == "ok"
    first, again = site.log(path="/about")
    assert first.connection != again.connection
    hosts = open_hosts(store_dir / "hosts.sqlite")
    assert hosts.peek(site.hosts[0]).state.failures == 0
    hosts.close()


def test_nothing_is_sent_twice_in_silence(site: Site, store_dir: Path) -> None:
    paths = ["/framing/idle-drop", "/about", "/framing/reset", "/visit", "/framing/short", "/framing/half-head"]
    settings = {**host_limits(), "POLITE_RETRIES": 0}
    run = crawl(EndingSpider, store_dir, urls=[site.url(path) for path in paths], settings=settings)
    answered = [capture for capture in run.captures() if capture.outcome != "skipped"]
    assert len(site.log()) == len(answered)


def test_the_answer_of_the_named_host_counts_and_not_what_took_its_place(site: Site, store_dir: Path) -> None:
    class Hides:
        """A middleware of the user that replaces a refusal by a page."""

        def process_response(self, request: Request, response: Response) -> Response:
            return response.replace(status=200) if response.status == 403 else response

    urls = [site.url("/status/403"), site.url("/about")]
    settings = {**host_limits(), "DOWNLOADER_MIDDLEWARES": {Hides: 940}}
    run = crawl(EndingSpider, store_dir, urls=urls, settings=settings)
    assert dict(run.spider.endings) == {urls[0]: "callback 200", urls[1]: "errback HostStopped"}
    assert [capture.outcome for capture in run.captures("fetch")] == ["blocked", "skipped"]


def test_a_crawl_that_closes_in_flight_ends_each_request_once(site: Site, store_dir: Path) -> None:
    class Closing(EndingSpider):
        def got(self, response: Response) -> Any:
            super().got(response)
            close(self.crawler, "cancelled")

    # the robots.txt of the other hosts is on its way when the first page ends the crawl
    for number in range(2, 5):
        site.set(host=number, robots="slow")
    urls = [site.url("/p/1"), *(site.url(f"/p/{number}") for number in range(2, 6))]
    urls += [site.url("/p/1", host=number) for number in range(2, 5)]
    run = crawl(Closing, store_dir, urls=urls, settings=host_limits())
    ended = [url for url, _ in run.spider.endings]
    assert len(ended) == len(set(ended))
    assert {how for _, how in run.spider.endings} == {"callback 200", "errback Closing"}
    assert len(run.captures("fetch")) == len([how for _, how in run.spider.endings if how == "callback 200"])
    assert run.crawler.stats.get_value("finish_reason") == "cancelled"


def test_a_lane_that_is_lost_behind_the_gate_is_no_failure(
    site: Site, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LaneGate, "process_request", lambda self, request: None)
    urls = [site.url(f"/p/{number}") for number in range(3)]
    run = crawl(EndingSpider, store_dir, urls=urls, settings={**host_limits(), "POLITE_PAGE_INTERVAL": 0.1})
    assert run.crawler.stats.get_value("polite/given_back") > 0
    assert [capture.outcome for capture in run.captures()] == ["ok"] * 4


def test_a_larger_download_delay_of_the_user_is_the_rest(site: Site, store_dir: Path) -> None:
    urls = [site.url("/p/1"), site.url("/p/2")]
    crawl(EndingSpider, store_dir, urls=urls, settings={**host_limits(), "DOWNLOAD_DELAY": 0.3})
    _, first, second = site.log()
    assert second.start - (first.end or 0) >= 0.3


def test_what_scrapy_leaves_open_is_closed(site: Site, store_dir: Path) -> None:
    opened = {"REMOTE_CONTROL_ENABLED": True, "TELNETCONSOLE_ENABLED": True, "COOKIES_ENABLED": True,
              "ROBOTSTXT_OBEY": False, "HTTPPROXY_ENABLED": True, "DOWNLOAD_VERIFY_CERTIFICATES": False}  # fmt: skip
    run = crawl(EndingSpider, store_dir, urls=[site.url("/private/x")], settings={**host_limits(), **opened})
    settings = run.crawler.settings
    assert not settings.getbool("REMOTE_CONTROL_ENABLED")
    assert not settings.getbool("TELNETCONSOLE_ENABLED")
    assert not settings.getbool("COOKIES_ENABLED")
    assert not settings.getbool("HTTPPROXY_ENABLED")
    assert settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES")
    assert {scheme for scheme, handler in settings.getwithbase("DOWNLOAD_HANDLERS").items() if handler} == {
        "http", "https"
    }  # fmt: skip
    assert run.spider.endings == [(site.url("/private/x"), "errback Declined")]


def test_two_crawls_on_one_store_keep_the_rest_between_them(site: Site, store_dir: Path) -> None:
    settings = {**host_limits(), "POLITE_PAGE_INTERVAL": 0.2}
    crawl(EndingSpider, store_dir, urls=[site.url("/p/1")], settings=settings)
    crawl(EndingSpider, store_dir, urls=[site.url("/p/2")], settings=settings)
    *_, first, second = site.log()
    assert second.start - (first.end or 0) >= 0.2
