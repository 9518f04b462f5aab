"""What is kept of robots.txt between requests and crawls: the copy, its validators, its delay and its failures."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from engine_lab import EndingSpider, Run, crawl
from scrapy import Request
from scrapy.http import Response
from test_engine_endings import host_limits

from polite_crawler.scheduling.clock import SystemClock
from polite_crawler.store.hosts import RobotsState
from polite_crawler.store.hosts_sqlite import open_hosts
from polite_crawler.store.record import epoch
from polite_crawler.testsite.site import Site

DAY = 86_400


def fetch(site: Site, store: Path, *paths: str) -> Run:
    return crawl(EndingSpider, store, urls=[site.url(path) for path in paths], settings=host_limits())


def kept(site: Site, store: Path, *, older: float = 0, **changes: Any) -> RobotsState:
    """The state of the file of a site; it is changed after this look."""
    with closing(open_hosts(store / "hosts.sqlite")) as hosts:
        state = hosts.robots(site.base)
        assert state is not None
        changed = replace(state, fetched_at=state.fetched_at - older, **changes)
        hosts.put_robots(site.base, site.hosts[0], changed)
        return state


def pages(run: Run, number: int) -> dict[str, tuple[str, bool]]:
    """How the last pages of a run ended, and whether an old copy decided it."""
    last = run.captures("fetch")[-number:]
    return {one.url.rpartition("/")[2]: (one.outcome, bool(one.robots[0].stale)) for one in last}


def test_the_wait_for_an_unreachable_file_doubles_over_crawls(site: Site, store_dir: Path) -> None:
    site.reset(robots="503")
    for failures, wait in ((1, 60), (2, 120), (3, 240)):
        asked = fetch(site, store_dir, "/about").captures("robots")[-1]
        state = kept(site, store_dir, next_try=0.0)
        assert state.failures == failures
        assert wait <= state.next_try - epoch(asked.time.start) < wait + 30
    site.reset(robots="allow")
    fetch(site, store_dir, "/about")
    assert kept(site, store_dir).failures == 0


def test_a_copy_and_its_delay_outlive_a_file_that_cannot_be_reached(site: Site, store_dir: Path) -> None:
    site.reset(robots_text="User-agent: *\nCrawl-delay: 0.2\nDisallow: /p/\n")
    fetch(site, store_dir, "/about")
    first = kept(site, store_dir, older=2 * DAY)
    site.reset(robots="503")
    # the first of these crawls asks for the file, the second one waits with its next try
    for _ in range(2):
        run = fetch(site, store_dir, "/p/1", "/visit")
        assert pages(run, 2) == {"1": ("skipped", True), "visit": ("ok", True)}
    assert len(site.log(path="/robots.txt")) == 1
    state = kept(site, store_dir)
    assert (state.capture, state.status, state.crawl_delay) == (first.capture, 200, 0.2)
    assert (state.failures, state.note) == (1, "503")


def test_a_fresh_copy_counts_after_a_clock_that_was_ahead(site: Site, store_dir: Path) -> None:
    site.reset(robots="deny-p")
    fetch(site, store_dir, "/about")
    state = kept(site, store_dir)
    kept(site, store_dir, next_try=state.fetched_at + 5 * DAY, failures=1, note="503")
    assert pages(fetch(site, store_dir, "/p/1", "/visit"), 2) == {"1": ("skipped", False), "visit": ("ok", False)}


def test_a_copy_is_too_old_after_a_month_also_while_the_next_try_is_waited_for(site: Site, store_dir: Path) -> None:
    site.reset(robots="allow")
    fetch(site, store_dir, "/about")
    kept(site, store_dir, older=31 * DAY)
    site.reset(robots="503")
    for path in ("/visit", "/p/1"):
        (capture,) = fetch(site, store_dir, path).captures("fetch")[-1:]
        assert (capture.outcome, capture.robots) == ("skipped", ())
    assert len(site.log(path="/robots.txt")) == 1


def test_a_copy_is_confirmed_by_its_validators_and_stays(site: Site, store_dir: Path) -> None:
    site.reset(robots="etag")
    first = fetch(site, store_dir, "/about").captures("robots")[0]
    before = kept(site, store_dir, older=DAY, crawl_delay=5.0)
    run = fetch(site, store_dir, "/p/1", "/visit")
    assert pages(run, 2) == {"1": ("skipped", False), "visit": ("ok", False)}
    assert [seen.status for seen in site.log(path="/robots.txt")] == [200, 304]
    after = kept(site, store_dir, older=31 * DAY)
    assert (after.capture, after.status, after.crawl_delay) == (first.id, 200, 0.0)
    assert after.fetched_at >= before.fetched_at
    # one that is too old to count is asked for anew
    fetch(site, store_dir, "/notes/1")
    assert [bool(seen.header("if-none-match")) for seen in site.log(path="/robots.txt")] == [False, True, False]


def test_a_damaged_copy_is_no_copy(site: Site, store_dir: Path) -> None:
    site.reset(robots="deny-p")
    fetch(site, store_dir, "/about")
    kept(site, store_dir, older=2 * DAY)
    for blob in (store_dir / "blobs").rglob("*.gz"):
        blob.unlink()
    site.reset(robots="503")
    (capture,) = fetch(site, store_dir, "/visit").captures("fetch")[-1:]
    assert (capture.outcome, capture.robots) == ("skipped", ())


def test_a_crawl_that_goes_on_for_days_asks_for_the_file_again(
    site: Site, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = 0.0
    now = SystemClock.now
    monkeypatch.setattr(SystemClock, "now", lambda self: now(self) + later)

    class Days(EndingSpider):
        def got(self, response: Response) -> Any:
            nonlocal later
            super().got(response)
            if response.url.endswith("/about"):
                later = DAY + 60.0
                yield Request(site.url("/visit"), callback=self.got, errback=self.failed)

    run = crawl(Days, store_dir, urls=[site.url("/about")], settings=host_limits())
    assert [ending for _, ending in run.spider.endings] == ["callback 200", "callback 200"]
    assert len(site.log(path="/robots.txt")) == 2


def test_the_largest_delay_over_all_tokens_is_kept(site: Site, store_dir: Path) -> None:
    site.reset(robots_text="User-agent: *\nCrawl-delay: 0.01\n\nUser-agent: Claude-User\nCrawl-delay: 0.02\n")
    settings = {**host_limits(), "POLITE_ON_BEHALF_OF": ["Claude-User"]}
    crawl(EndingSpider, store_dir, urls=[site.url("/about")], settings=settings)
    assert kept(site, store_dir).crawl_delay == 0.02
