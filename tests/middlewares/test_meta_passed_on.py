"""A spider that passes `response.meta` on to its next request: what became of the first one is no part of it."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response
from test_spiders_of_users import Plain, run_plain

from polite_crawler.testsite.site import Site


class Carries(Plain):
    """Asks for `then` from its callback, with the meta of what it got."""

    name = "carries"
    then = "/visit"

    def parse(self, response: Response) -> Any:
        super().parse(response)
        yield response.follow(self.then, meta=response.meta, callback=self.last, dont_filter=True)

    def last(self, response: Response) -> None:
        super().parse(response)


class CarriesToTheEngine(Carries):
    """The same, past the queue."""

    async def parse(self, response: Response) -> Any:  # type: ignore[override]
        self.endings.append((response.url, response.status))
        engine = self.crawler.engine
        assert engine is not None
        ask: Callable[[Request], Awaitable[Response]] = engine.download_async
        self.last(await ask(response.follow(self.then, meta=response.meta)))


WAYS = pytest.mark.parametrize("spider", [Carries, CarriesToTheEngine])


@WAYS
def test_it_makes_no_hop_of_the_next_request(site: Site, store_dir: Path, spider: type[Carries]) -> None:
    run = run_plain(store_dir, (site.url("/redir?to=/about"), {}), spider=spider)
    hop, page, next_page = run.captures("fetch")
    assert (page.redirect_of, next_page.redirect_of) == (hop.id, None)


@WAYS
def test_the_next_request_has_all_its_tries(site: Site, store_dir: Path, spider: type[Carries]) -> None:
    flaky = type("Flaky", (spider,), {"then": "/flaky/1?status=502"})
    run = run_plain(store_dir, (site.url("/flaky/2?status=503"), {}), spider=flaky)
    outcomes = [capture.outcome for capture in run.captures("fetch")]
    assert outcomes == ["busy", "busy", "ok", "error", "ok"]


@WAYS
def test_its_hops_make_no_loop_of_the_next_request(site: Site, store_dir: Path, spider: type[Carries]) -> None:
    # both are sent through the page where one logs in
    door = "/redir?to=/redir%3Fto=/about"
    hops = type("Logins", (spider,), {"then": door + "&from=next"})
    run = run_plain(store_dir, (site.url(door), {}), spider=hops, POLITE_MAX_AGE=0)
    assert [status for _, status in run.spider.endings] == [200, 200]  # type: ignore[attr-defined]
    assert len(site.log(path="/redir")) == 4


@WAYS
def test_a_hop_of_the_next_request_is_its_own(site: Site, store_dir: Path, spider: type[Carries]) -> None:
    hops = type("Hops", (spider,), {"then": "/redir?to=/visit"})
    run = run_plain(store_dir, (site.url("/redir?to=/about"), {}), spider=hops)
    first, page, second, last = run.captures("fetch")
    assert [capture.redirect_of for capture in (first, page, second, last)] == [None, first.id, None, second.id]
