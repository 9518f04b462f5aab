"""Every request ends in exactly one callback or errback, and every decision makes exactly one capture."""

import socket
from pathlib import Path
from typing import Any

import pytest
from engine_lab import EndingSpider, captures_of, crawl
from scrapy import Request
from scrapy.http import Response

from polite_crawler.store.writer import WriterThread
from polite_crawler.testsite.site import Site

# path, how the request ends, the outcomes of its captures in their order
ENDINGS: list[tuple[str, str, list[str]]] = [
    ("/about", "callback 200", ["ok"]),
    ("/status/404", "callback 404", ["gone"]),
    ("/status/500", "callback 500", ["error", "error", "error"]),
    ("/status/503", "callback 503", ["busy", "busy", "busy"]),
    ("/private/diary", "errback Declined", ["skipped"]),
    ("/redirects/chain/3", "callback 200", ["redirect", "redirect", "redirect", "ok"]),
    ("/redirects/chain/12", "callback 301", ["redirect"] * 11),
    ("/redirects/loop/a", "callback 302", ["redirect", "redirect"]),
    ("/redirects/self", "callback 302", ["redirect"]),
    # the hop is another spelling of the page that leads there
    ("/redirects/self?utm_source=x", "callback 302", ["redirect", "redirect"]),
    ("/redirects/cookie", "callback 302", ["redirect"]),
    ("/framing/garbage", "errback ExchangeError", ["error", "error", "error"]),
    # the connection that robots.txt came over closes before the first byte, so the page is asked once more
    ("/framing/reset", "errback ExchangeError", ["error", "error", "error", "error"]),
    ("/coding/not-gzip", "errback UndecodableBody", ["error", "error", "error"]),
    ("/coding/not-gzip?status=404", "errback UndecodableBody", ["gone"]),
    ("/framing/nothing", "errback ExchangeError", ["error", "error", "error", "error"]),
]


def host_limits(**limits: Any) -> dict[str, Any]:
    """POLITE_HOSTS with quick backoffs for every host of the site."""
    return {
        "POLITE_HOSTS": {f"127.0.0.{n}": {"backoff_min": 0.02, "backoff_max": 0.02, **limits} for n in range(1, 10)}
    }


@pytest.mark.parametrize(("path", "ending", "outcomes"), ENDINGS, ids=[row[0] for row in ENDINGS])
def test_one_ending_and_a_capture_for_each_decision(
    site: Site, store_dir: Path, path: str, ending: str, outcomes: list[str]
) -> None:
    url = site.url(path)
    run = crawl(EndingSpider, store_dir, urls=[url], settings=host_limits())
    assert run.spider.endings == [(url, ending)]
    assert [capture.outcome for capture in run.captures("fetch")] == outcomes
    served = [seen for seen in site.log() if seen.path != "/robots.txt"]
    assert len(served) == len([outcome for outcome in outcomes if outcome != "skipped"])


def test_a_hop_to_a_page_that_was_asked_already_ends_with_the_redirect(site: Site, store_dir: Path) -> None:
    target, hop = site.url("/about"), site.url("/redir?to=/about")
    run = crawl(EndingSpider, store_dir, urls=[target, hop], settings=host_limits())
    assert sorted(run.spider.endings) == sorted([(target, "callback 200"), (hop, "callback 302")])
    assert len(site.log(path="/about")) == 1


def test_a_hop_out_of_scope_ends_with_the_redirect(site: Site, store_dir: Path) -> None:
    class Scoped(EndingSpider):
        allowed_domains = [site.hosts[0]]  # noqa: RUF012

    url = site.url(f"/redir?to={site.url('/about', host=2)}")
    run = crawl(Scoped, store_dir, urls=[url], settings=host_limits())
    assert run.spider.endings == [(url, "callback 302")]
    assert site.log(host=2) == []


def test_a_hop_to_a_refused_address_is_a_skip_of_its_own(site: Site, store_dir: Path) -> None:
    url = site.url("/redir?to=http://10.1.2.3/")
    settings = {**host_limits(), "POLITE_ALLOW_PRIVATE": False, "POLITE_EGRESS_ALLOW": ["127.0.0.0/8"]}
    run = crawl(EndingSpider, store_dir, urls=[url], settings=settings)
    assert run.spider.endings == [(url, "errback Declined")]
    first, hop = run.captures("fetch")
    assert (first.outcome, hop.outcome, hop.reason) == ("redirect", "skipped", "egress")
    assert hop.note == "egress policy: 10.1.2.3 is a private address; set POLITE_ALLOW_PRIVATE to fetch it"
    assert hop.redirect_of == first.id


@pytest.mark.parametrize(
    ("meta", "ending", "kinds"),
    [({}, "errback Declined", ["robots", "fetch"]), ({"polite_mode": "api"}, "errback ExchangeError", ["fetch"])],
)
def test_a_name_of_a_refused_address_is_a_skip(
    store_dir: Path, monkeypatch: pytest.MonkeyPatch, meta: dict[str, Any], ending: str, kinds: list[str]
) -> None:
    inside = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.1.2.3", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **kwargs: inside)
    url = "http://inside.example/"
    run = crawl(EndingSpider, store_dir, urls=[url], meta=meta, settings={"POLITE_ALLOW_PRIVATE": False})
    assert run.spider.endings == [(url, ending)]
    assert [(capture.kind, capture.outcome) for capture in run.captures()] == [(kind, "skipped") for kind in kinds]
    assert (run.captures()[0].reason, run.captures()[0].net) == ("egress", None)


def test_a_stopped_host_is_a_skip_with_its_note(site: Site, store_dir: Path) -> None:
    urls = [site.url("/status/403"), site.url("/about")]
    run = crawl(EndingSpider, store_dir, urls=urls, settings=host_limits())
    assert sorted(run.spider.endings) == sorted([(urls[0], "callback 403"), (urls[1], "errback HostStopped")])
    skip = run.captures("fetch")[-1]
    assert skip.outcome == "skipped"
    assert skip.note is not None
    assert skip.note.startswith("host stopped until 2")
    assert skip.note.endswith(": status 403")
    assert site.log(path="/about") == []


def test_a_challenge_page_stops_its_host(site: Site, store_dir: Path) -> None:
    urls = [site.url("/challenge/anubis"), site.url("/about")]
    run = crawl(EndingSpider, store_dir, urls=urls, settings=host_limits())
    outcomes = [capture.outcome for capture in run.captures("fetch")]
    assert outcomes == ["challenge", "skipped"]
    assert site.log(path="/about") == []


def test_a_deadline_is_a_skip(site: Site, store_dir: Path) -> None:
    urls = [site.url("/retry-after/3000"), site.url("/about")]
    settings = {**host_limits(), "POLITE_MAX_WAIT": 5, "POLITE_RETRIES": 0}
    run = crawl(EndingSpider, store_dir, urls=urls, settings=settings)
    assert run.captures("fetch")[-1].note == "deadline reached"
    assert dict(run.spider.endings)[urls[1]] == "errback DeadlineReached"


@pytest.mark.parametrize("error", [None, ValueError("not foreseen")], ids=["closed", "not foreseen"])
def test_a_store_that_cannot_be_written_ends_the_crawl(
    site: Site, store_dir: Path, monkeypatch: pytest.MonkeyPatch, error: Exception | None
) -> None:
    written = 0
    submit = WriterThread.submit

    def fails(self: WriterThread, *args: Any, **kwargs: Any) -> Any:
        nonlocal written
        written += 1
        if written == 4:
            self.close()
        if written >= 4 and error is not None:
            raise error
        return submit(self, *args, **kwargs)

    monkeypatch.setattr(WriterThread, "submit", fails)
    urls = [site.url(f"/p/{n}") for n in range(8)]
    run = crawl(EndingSpider, store_dir, urls=urls, settings=host_limits())
    assert run.crawler.stats.get_value("finish_reason") == "error"
    assert ("errback StoreError") in dict(run.spider.endings).values()
    assert len(captures_of(store_dir)) == 3


def test_pipelines_of_the_user_never_see_a_capture(site: Site, store_dir: Path) -> None:
    seen: list[Any] = []

    class Dropping:
        def process_item(self, item: Any) -> Any:
            seen.append(item)
            return item

    class Giving(EndingSpider):
        def got(self, response: Response) -> Any:
            super().got(response)
            yield {"url": response.url}

    run = crawl(Giving, store_dir, urls=[site.url("/about")], settings={"ITEM_PIPELINES": {Dropping: 50}})
    assert seen == [{"url": site.url("/about")}]
    assert [capture.outcome for capture in run.captures("fetch")] == ["ok"]
    assert run.crawler.stats.get_value("item_scraped_count") == 1


def test_a_refused_page_of_the_user_keeps_its_own_middlewares(site: Site, store_dir: Path) -> None:
    class Rejects:
        def process_response(self, request: Request, response: Response) -> Response:
            if request.url.endswith("/about"):
                raise ValueError("a middleware of the user failed")
            return response

    settings = {"DOWNLOADER_MIDDLEWARES": {Rejects: 10}}
    run = crawl(EndingSpider, store_dir, urls=[site.url("/about")], settings=settings)
    assert run.spider.endings == [(site.url("/about"), "errback ValueError")]
    assert [capture.outcome for capture in run.captures("fetch")] == ["ok"]
