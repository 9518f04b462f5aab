"""robots.txt in whole crawls: what the site was asked, and what the log says of it."""

import asyncio
import time
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from engine_lab import EndingSpider, Run, crawl
from scrapy import Request
from scrapy.http import Response
from test_engine_endings import host_limits

from polite_crawler.rules.robots import MAX_OCTETS
from polite_crawler.store.hosts_sqlite import open_hosts
from polite_crawler.testsite import robots as testsite_robots
from polite_crawler.testsite.exchange import Headers, respond
from polite_crawler.testsite.site import Site

# variant of robots.txt, how many requests for it, may /p/1 be fetched
VARIANTS: list[tuple[str, int, bool]] = [
    ("allow", 1, True),
    ("deny", 1, False),
    ("deny-p", 1, False),
    ("deny-others", 1, True),
    ("empty", 1, True),
    ("no-content", 1, True),
    ("bom", 1, False),
    ("utf-16", 1, False),
    ("cr-only", 1, False),
    ("html-rules", 1, False),
    ("no-type", 1, False),
    ("bytes", 1, False),
    ("huge", 1, True),
    ("cut", 1, False),
    ("401", 1, True),
    ("403", 1, True),
    ("404", 1, True),
    ("410", 1, True),
    ("500", 1, False),
    ("503", 1, False),
    ("429", 1, False),
    ("redirect-1", 2, False),
    ("redirect-5", 6, False),
    ("redirect-6", 6, False),
    ("redirect-loop", 3, False),
    ("redirect-self", 1, False),
    ("redirect-private", 1, False),
    ("redirect-nowhere", 1, False),
    ("redirect-file", 1, False),
    ("slow", 1, True),
    ("reset", 1, False),
    ("close", 1, False),
    ("garbage", 1, False),
    ("gzip", 1, False),
    ("bad-gzip", 1, False),
    ("challenge", 1, False),
    ("challenge-200", 1, False),
]


def fetch(site: Site, store: Path, *paths: str, **settings: Any) -> Run:
    return crawl(EndingSpider, store, urls=[site.url(path) for path in paths], settings={**host_limits(), **settings})


@pytest.mark.parametrize(("variant", "requests", "allowed"), VARIANTS, ids=[row[0] for row in VARIANTS])
def test_what_an_answer_to_robots_txt_means(
    site: Site, store_dir: Path, variant: str, requests: int, allowed: bool
) -> None:
    site.reset(robots=variant)
    settings = {"POLITE_ALLOW_PRIVATE": False, "POLITE_EGRESS_ALLOW": ["127.0.0.0/8"]}
    run = fetch(site, store_dir, "/p/1", **settings)
    assert bool(site.log(path="/p/1")) is allowed
    asked = [seen for seen in site.log() if seen.path.startswith("/robots")]
    assert len(asked) == requests
    assert len([capture for capture in run.captures("robots") if capture.outcome != "skipped"]) == requests
    (page,) = run.captures("fetch")
    if allowed:
        assert page.outcome == "ok"
    else:
        assert (page.outcome, page.reason) == ("skipped", "stop" if "challenge" in variant else "robots")


def test_all_of_a_large_file_is_read_whatever_a_page_may_have(site: Site, store_dir: Path) -> None:
    first, last = "User-agent: *\n", "\nDisallow: /p/\n"
    site.reset(robots_text=first + "#" * (MAX_OCTETS - len(first + last)) + last)
    run = fetch(site, store_dir, "/p/1", POLITE_MAX_BYTES=10_000)
    assert site.log(path="/p/1") == []
    (file,) = run.captures("robots")
    assert file.body is not None
    assert (file.body.truncated, file.body.size) == (None, MAX_OCTETS)


def test_a_challenge_in_the_place_of_the_file_opens_no_host_that_it_does_not_stop(site: Site, store_dir: Path) -> None:
    site.reset(robots="challenge")
    run = crawl(EndingSpider, store_dir, urls=[site.url("/about")], settings=host_limits(stop_challenge=0))
    assert run.spider.endings == [(site.url("/about"), "errback Declined")]
    assert site.log(path="/about") == []


def test_a_refusal_names_its_rule(site: Site, store_dir: Path) -> None:
    run = fetch(site, store_dir, "/private/diary")
    (skip,) = run.captures("fetch")
    assert skip.note == "robots.txt disallows this URL for PoliteCrawler (line 2: Disallow: /private/)"
    (check,) = skip.robots
    assert (check.allowed, check.agent, check.line, check.token) == (False, "*", 2, "PoliteCrawler")
    (file,) = run.captures("robots")
    assert check.capture == file.id


def test_an_unreachable_file_says_when_it_is_asked_again(site: Site, store_dir: Path) -> None:
    site.reset(robots="503")
    run = fetch(site, store_dir, "/about", "/visit")
    notes = {capture.note for capture in run.captures("fetch")}
    assert len(site.log()) == 1
    assert all(note and note.startswith("robots.txt is unreachable (503); next try at 2") for note in notes)


def test_the_next_crawl_waits_with_an_unreachable_file(site: Site, store_dir: Path) -> None:
    site.reset(robots="503")
    fetch(site, store_dir, "/about")
    run = fetch(site, store_dir, "/about")
    assert len(site.log()) == 1
    note = run.captures("fetch")[-1].note
    assert note is not None
    assert note.startswith("robots.txt is unreachable (503); next try at 2")


def test_a_file_is_asked_for_once_by_all_crawls_of_a_day(site: Site, store_dir: Path) -> None:
    fetch(site, store_dir, "/about")
    run = fetch(site, store_dir, "/visit", "/private/diary")
    assert len(site.log(path="/robots.txt")) == 1
    assert [capture.outcome for capture in run.captures("fetch")] == ["ok", "ok", "skipped"] or [
        capture.outcome for capture in run.captures("fetch")
    ] == ["ok", "skipped", "ok"]


def test_a_file_is_asked_for_once_by_requests_at_the_same_time(site: Site, store_dir: Path) -> None:
    """The sub-requests of a page go to another host together, past the queue."""
    together = [site.url(f"/p/{number}", host=2) for number in range(1, 4)]

    class Together(EndingSpider):
        async def got(self, response: Response) -> None:  # type: ignore[override]
            super().got(response)
            asked = (self.crawler.engine.download_async(Request(url)) for url in together)
            self.endings += [(one.url, f"callback {one.status}") for one in await asyncio.gather(*asked)]

    run = crawl(Together, store_dir, urls=[site.url("/about")], settings=host_limits())
    assert sorted(run.spider.endings) == sorted((url, "callback 200") for url in [site.url("/about"), *together])
    assert len(site.log(path="/robots.txt", host=2)) == 1


def test_a_stale_copy_counts_while_the_file_cannot_be_reached(site: Site, store_dir: Path) -> None:
    site.reset(robots="503-later")
    fetch(site, store_dir, "/p/1")
    hosts = open_hosts(store_dir / "hosts.sqlite")
    origin = site.base
    state = hosts.robots(origin)
    assert state is not None
    hosts.put_robots(origin, site.hosts[0], replace(state, fetched_at=state.fetched_at - 2 * 86_400, expires=0.0))
    hosts.close()
    run = fetch(site, store_dir, "/p/2", "/about")
    pages = {capture.url.rpartition("/")[2]: capture for capture in run.captures("fetch")[-2:]}
    assert len(site.log(path="/robots.txt")) == 2
    assert pages["2"].outcome == "skipped"
    assert pages["about"].outcome == "ok"
    assert pages["about"].robots[0].stale


@pytest.mark.parametrize("headers", [(), (("Content-Encoding", "gzip"),)], ids=["readable", "not readable"])
def test_the_body_of_a_refusal_says_nothing(
    site: Site, store_dir: Path, monkeypatch: pytest.MonkeyPatch, headers: Headers
) -> None:
    text = "User-agent: *\nDisallow: /\nContent-Signal: ai-input=no\n"
    refusal = partial(respond, body=text, status=404, headers=headers)
    monkeypatch.setitem(testsite_robots.VARIANTS, "404", ("a refusal with a body", refusal))
    site.reset(robots="404")
    (page,) = fetch(site, store_dir, "/about").captures("fetch")
    assert (page.outcome, page.hold) == ("ok", None)


def test_a_file_may_lead_out_of_the_scope_of_the_crawl(site: Site, store_dir: Path) -> None:
    site.reset(robots="redirect-host")
    urls = [site.url("/p/1"), site.url("/about")]
    run = crawl(EndingSpider, store_dir, urls=urls, allowed_domains=[site.hosts[0]], settings=host_limits())
    assert dict(run.spider.endings) == {urls[0]: "errback Declined", urls[1]: "callback 200"}
    assert [seen.path for seen in site.log(host=2)] == ["/robots-hop/0"]


def test_a_file_that_comes_too_late_for_its_page_holds_up_no_crawl(site: Site, store_dir: Path) -> None:
    site.reset(robots="redirect-1")
    urls, settings = [site.url("/about")], {**host_limits(), "POLITE_PAGE_INTERVAL": 300}
    # the file is not there yet when the rest before its hop begins
    meta = {"polite_deadline": time.time() + 60}
    run = crawl(EndingSpider, store_dir, urls=urls, meta=meta, limit=30, settings=settings)
    assert run.spider.endings == [(urls[0], "errback DeadlineReached")]
    assert [seen.path for seen in site.log()] == ["/robots.txt"]


def test_every_token_must_allow(site: Site, store_dir: Path) -> None:
    site.reset(robots_text="User-agent: *\nAllow: /\n\nUser-agent: Claude-User\nDisallow: /about\n")
    run = fetch(site, store_dir, "/about", "/visit", POLITE_ON_BEHALF_OF=["Claude-User"])
    captures = {capture.url.rpartition("/")[2]: capture for capture in run.captures("fetch")}
    assert captures["about"].note == "robots.txt disallows this URL for Claude-User (line 5: Disallow: /about)"
    assert [check.token for check in captures["visit"].robots] == ["PoliteCrawler", "Claude-User"]
    assert [check.allowed for check in captures["about"].robots] == [True, False]


def test_the_refusal_of_the_first_token_is_named(site: Site, store_dir: Path) -> None:
    site.reset(robots_text="User-agent: *\nDisallow: /a\n\nUser-agent: Claude-User\nDisallow: /about\n")
    (page,) = fetch(site, store_dir, "/about", POLITE_ON_BEHALF_OF=["Claude-User"]).captures("fetch")
    assert page.note == "robots.txt disallows this URL for PoliteCrawler (line 2: Disallow: /a)"
    assert [check.allowed for check in page.robots] == [False, False]


def test_the_signals_of_the_file_are_those_of_its_pages(site: Site, store_dir: Path) -> None:
    site.reset(robots_text="User-agent: *\nContent-Signal: ai-input=no\n")
    fetch(site, store_dir, "/about")
    # the second crawl reads the stored file
    run = fetch(site, store_dir, "/visit")
    assert [capture.hold for capture in run.captures("fetch")] == ["ai-input=no"] * 2
    assert len(site.log(path="/robots.txt")) == 1


def test_that_there_was_no_file_counts_while_it_cannot_be_reached(site: Site, store_dir: Path) -> None:
    site.reset(robots="404")
    fetch(site, store_dir, "/about")
    with closing(open_hosts(store_dir / "hosts.sqlite")) as hosts:
        state = hosts.robots(site.base)
        assert state is not None
        hosts.put_robots(site.base, site.hosts[0], replace(state, fetched_at=state.fetched_at - 2 * 86_400))
    site.reset(robots="503")
    page = fetch(site, store_dir, "/visit").captures("fetch")[-1]
    assert len(site.log(path="/robots.txt")) == 1
    assert (page.outcome, [(check.allowed, check.stale) for check in page.robots]) == ("ok", [(True, True)])


def test_ports_have_files_of_their_own(store_dir: Path) -> None:
    with Site(hosts=1) as one, Site(hosts=1) as other:
        one.reset(robots="deny")
        run = crawl(EndingSpider, store_dir, urls=[one.url("/about"), other.url("/about")], settings=host_limits())
        outcomes = {capture.url: capture.outcome for capture in run.captures("fetch")}
        assert outcomes == {one.url("/about"): "skipped", other.url("/about"): "ok"}
        assert len(one.log()) == 1


def test_crawl_delay_is_the_rest_but_not_after_robots_txt(site: Site, store_dir: Path) -> None:
    site.reset(robots_text="User-agent: *\nCrawl-delay: 0.4\n")
    fetch(site, store_dir, "/p/1", "/p/2")
    robots, first, second = site.log()
    assert robots.end is not None
    assert first.end is not None
    assert first.start - robots.end < 0.4
    assert second.start - first.end >= 0.4


def test_robots_txt_has_the_lane_of_its_host(site: Site, store_dir: Path) -> None:
    fetch(site, store_dir, *(f"/p/{number}" for number in range(5)), POLITE_PAGE_INTERVAL=0.05)
    assert max(seen.parallel for seen in site.log()) == 1
    ends = [seen.end for seen in site.log()]
    starts = [seen.start for seen in site.log()]
    assert all(start - (end or 0) >= 0.05 for end, start in zip(ends, starts[1:], strict=False))
