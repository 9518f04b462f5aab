"""What another method than GET, or a request with credentials, was answered is no copy of the page at its URL
(RFC 9110, section 9.3; RFC 9111, sections 3.5 and 4)."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from engine_lab import captures_of, crawl
from scrapy import Request
from scrapy.http import Response
from sites import Site

from polite_crawler import open_store
from polite_crawler.errors import NotStored
from polite_crawler.spiders.base import PoliteSpider
from polite_crawler.spiders.page import PageSpider

OTHERS: list[dict[str, Any]] = [
    {"method": "HEAD"},
    {"method": "POST", "body": b"q=1"},
    {"method": "OPTIONS"},
    {"headers": {"Authorization": "Bearer s3cr3t"}},
    {"headers": {"Cookie": "session=s3cr3t"}},
    {"headers": {"X-API-Key": "s3cr3t-key"}},
]
METHODS = OTHERS[:3]


def _named(how: dict[str, Any]) -> str:
    return str(how.get("method") or next(iter(how["headers"])))


class Once(PoliteSpider):
    """Sends one request."""

    name = "once"
    url = ""
    how: ClassVar[dict[str, Any]] = {}

    async def start(self) -> AsyncIterator[Request]:
        yield Request(self.url, **self.how)

    def parse(self, response: Response) -> None:
        assert response.status == 200


@pytest.mark.parametrize("how", OTHERS, ids=_named)
def test_only_a_plain_get_gives_a_copy(site: Site, store_dir: Path, how: dict[str, Any]) -> None:
    url = site.url("/secrets/echo")
    crawl(Once, store_dir, url=url, how=how)
    (page,) = crawl(PageSpider, store_dir, url=url).pages
    assert (page.outcome, page.from_cache) == ("ok", False)
    assert len(site.log(path="/secrets/echo")) == 2
    with open_store(store_dir) as store:
        assert "s3cr3t" not in store.read(f"url:{url}").text


@pytest.mark.parametrize("how", OTHERS, ids=_named)
def test_a_copy_stays_the_answer_behind_other_requests(site: Site, store_dir: Path, how: dict[str, Any]) -> None:
    url = site.url("/secrets/echo")
    first = crawl(PageSpider, store_dir, url=url).page("/secrets/echo")
    crawl(Once, store_dir, url=url, how=how)
    again = crawl(PageSpider, store_dir, url=url).page("/secrets/echo")
    assert (again.from_cache, again.capture) == (True, first.capture)
    # the copy answers no other request
    assert len(site.log(path="/secrets/echo")) == 2
    with open_store(store_dir) as store:
        latest = store.latest(url)
        assert latest is not None
        assert latest.capture.id == first.capture


HOPS = [
    # the method, the status of the redirect, the method of the hop (RFC 9110, section 15.4)
    ("GET", 303, "GET"), ("HEAD", 303, "HEAD"), ("POST", 303, "GET"), ("POST", 301, "GET"), ("POST", 302, "GET"),
    ("POST", 307, "POST"), ("POST", 308, "POST"), ("HEAD", 302, "HEAD"), ("OPTIONS", 302, "OPTIONS"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "status", "then"), HOPS)
def test_the_method_of_a_hop(site: Site, store_dir: Path, method: str, status: int, then: str) -> None:
    crawl(Once, store_dir, url=site.url(f"/redir?to=/secrets/echo&code={status}"), how={"method": method})
    assert [(seen.method, seen.path) for seen in site.log()[1:]] == [(method, "/redir"), (then, "/secrets/echo")]


@pytest.mark.parametrize("how", METHODS, ids=_named)
def test_other_methods_give_no_version_of_the_page(site: Site, store_dir: Path, how: dict[str, Any]) -> None:
    url = site.url("/secrets/echo")
    crawl(Once, store_dir, url=url, how=how)
    assert [(one.method, one.outcome) for one in captures_of(store_dir, "fetch")] == [(how["method"], "ok")]
    with open_store(store_dir) as store:
        for _ in range(2):
            with pytest.raises(NotStored):
                store.read(f"url:{url}")
            store.reindex()
