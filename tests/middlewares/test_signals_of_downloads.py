"""headers_received, bytes_received and StopDownload, as Scrapy documents them."""

from pathlib import Path
from typing import Any, Self

import pytest
from engine_lab import crawl
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Headers, Response
from test_engine_endings import host_limits
from test_spiders_of_users import Plain, run_plain
from twisted.python.failure import Failure

from polite_crawler.query.store import open_store
from polite_crawler.spiders.page import PageSpider
from polite_crawler.testsite.site import Site

_SIZE = 300_000


class Listens(Plain):
    """Hears what comes, and stops it where it is told to."""

    name = "listens"
    stop_at: str = ""
    fail = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.heard = []
        crawler.signals.connect(spider.headed, signals.headers_received)
        crawler.signals.connect(spider.received, signals.bytes_received)
        return spider

    heard: list[tuple[str, Any]]

    def headed(self, headers: Headers, body_length: int | None, request: Request, spider: Any) -> None:
        assert (request.url.endswith("/robots.txt"), spider) == (False, self)
        self.heard.append(("head", (headers["Content-Type"], body_length)))
        self._stop("head")

    def received(self, data: bytes, request: Request, spider: Any) -> None:
        self.heard.append(("body", len(data)))
        self._stop("body")

    def _stop(self, where: str) -> None:
        if where == self.stop_at:
            raise StopDownload(fail=self.fail)

    def parse(self, response: Response) -> Any:
        self.ended = (response.status, len(response.body), response.flags)

    def failed(self, failure: Failure) -> None:
        assert failure.check(StopDownload)
        assert isinstance(failure.value, StopDownload)
        assert failure.value.response is not None
        self.parse(failure.value.response)


def test_the_signals_tell_of_all_that_comes(site: Site, store_dir: Path) -> None:
    run = run_plain(store_dir, (site.url(f"/bytes/{_SIZE}"), {}), spider=Listens)
    head, *bodies = run.spider.heard  # type: ignore[attr-defined]
    assert head == ("head", (b"text/plain", _SIZE))
    assert sum(size for _, size in bodies) == _SIZE
    assert run.spider.ended == (200, _SIZE, [])  # type: ignore[attr-defined]


# what is asked, where it is stopped, whether a part of the body comes
STOPS = [
    ("/bytes/300000", "head", False), ("/bytes/300000", "body", True),
    ("/bytes/300000?coding=gzip", "head", False), ("/coding/gzip", "head", False), ("/framing/chunked", "head", False),
]  # fmt: skip


@pytest.mark.parametrize("fail", [False, True])
@pytest.mark.parametrize(("path", "stop_at", "part"), STOPS)
def test_a_stopped_download_ends_once_and_is_kept(
    site: Site, store_dir: Path, path: str, stop_at: str, part: bool, fail: bool
) -> None:
    stops = type("Stops", (Listens,), {"stop_at": stop_at, "fail": fail})
    url = site.url(path)
    run = run_plain(store_dir, (url, {}), spider=stops)
    status, size, flags = run.spider.ended  # type: ignore[attr-defined]
    assert (status, 0 < size < _SIZE, flags) == (200, part, ["download_stopped"])
    (capture,) = run.captures("fetch")
    assert capture.body is not None
    assert (capture.outcome, capture.body.truncated) == ("ok", "length")
    assert len(site.log(path=path.partition("?")[0])) == 1
    # the part is no answer for who wants the page
    (page,) = crawl(PageSpider, store_dir, url=url, settings=host_limits()).pages
    assert (page.outcome, page.from_cache, page.truncated) == ("ok", False, False)


# a 304 would bring the part once more
@pytest.mark.parametrize("path", ["/bytes/5000", "/cache/etag"])
def test_a_page_that_was_cut_by_a_smaller_limit_is_asked_again(site: Site, store_dir: Path, path: str) -> None:
    for limit, asked in ((20, 1), (20, 1), (100, 2), (20, 2)):
        run = run_plain(store_dir, (site.url(path), {}), DOWNLOAD_MAXSIZE=limit)
        assert len(site.log(path=path)) == asked
    assert [capture.outcome for capture in run.captures("fetch")] == ["ok", "ok"]


def test_a_stop_at_the_last_octets_cuts_nothing(site: Site, store_dir: Path) -> None:
    class Enough(Listens):
        def _stop(self, where: str) -> None:
            (_, length), *parts = (told for _, told in self.heard)
            if sum(parts) == length:
                raise StopDownload(fail=False)

    run = run_plain(store_dir, (site.url(f"/bytes/{_SIZE}"), {}), spider=Enough)
    assert run.spider.ended == (200, _SIZE, ["download_stopped"])  # type: ignore[attr-defined]
    (capture,) = run.captures("fetch")
    assert capture.body is not None
    assert (capture.body.size, capture.body.truncated, capture.note) == (_SIZE, None, None)


@pytest.mark.parametrize("path", ["/about", "/coding/gzip"])
def test_a_stop_before_the_body_takes_the_place_of_no_version(site: Site, store_dir: Path, path: str) -> None:
    run_plain(store_dir, (site.url(path), {}))
    stops = type("Stops", (Listens,), {"stop_at": "head"})
    whole, part = run_plain(store_dir, (site.url(path), {}), spider=stops, POLITE_MAX_AGE=0).captures("fetch")
    assert part.body is not None
    assert (part.body.size, part.body.truncated) == (0, "length")
    with open_store(store_dir) as store:
        assert [version.capture for version in store.versions(site.url(path))] == [whole.id]
