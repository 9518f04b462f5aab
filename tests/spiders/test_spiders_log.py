"""No secret of a URL stands in the log of a crawl, at any level, and no record of a URL is ever asked for."""

import logging
from pathlib import Path
from typing import Any

import pytest
from engine_lab import crawl
from page_lab import links, serving
from scrapy import Request
from scrapy.http import Response

from polite_crawler.spiders.base import PoliteSpider
from polite_crawler.spiders.site import SiteSpider

SETTINGS = {"POLITE_SECRET_PARAMS": ["mine"], "POLITE_RETRIES": 0, "DEPTH_LIMIT": 1}


def test_no_line_of_a_crawl_shows_a_secret(store_dir: Path, caplog: pytest.LogCaptureFixture) -> None:
    pages: dict[str, Any] = {
        "/?key=SECRETseed1": links(
            "/a?token=SECRETlink2",
            "/a?mine=SECRETmine3",
            "/moved",
            "/missing?sig=SECRETgone4",
            "/broken?auth=SECRETfail5",
            "/deny?code=SECRETdeny6",
            "/long?token=SECRETlong7" + "x" * 300,
            "http://me:SECRETpass8@127.0.0.2/",
        ),
        "/a?token=SECRETlink2": links("/deeper?token=SECRETdeep9"),
        "/moved": (302, {"Location": "/a?code=SECRETmove0"}, ""),
        "/broken?auth=SECRETfail5": (500, {}, ""),
        "/robots.txt": "User-agent: *\nDisallow: /deny\n",
    }
    caplog.set_level(logging.DEBUG)
    with serving(pages) as here:
        run = crawl(SiteSpider, store_dir, settings=SETTINGS, url=here.url("/?key=SECRETseed1"))
    assert len(run.pages) >= 6
    lines = [record.getMessage() for record in caplog.records if not record.name.startswith("asyncio")]
    assert [line for line in lines if "SECRET" in line] == []
    assert any("key=REDACTED" in line for line in lines)


class Stumbling(PoliteSpider):
    """Raises in its callback, drops to another host, and asks for one page two times."""

    name = "stumbling"
    allowed_domains = ("127.0.0.1",)

    def __init__(self, url: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.url = url

    async def start(self) -> Any:
        yield Request(self.url)

    def parse(self, response: Response) -> Any:
        yield response.follow("/gone?mine=SECRETmine3")
        yield response.follow("/gone?mine=SECRETmine3")
        yield response.follow("http://127.0.0.9/?token=SECRETfar2")
        raise ValueError("the callback stumbled")


def test_no_line_of_scrapy_shows_a_secret(store_dir: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with serving({"/?key=SECRETseed1": "hi"}) as here:
        crawl(Stumbling, store_dir, settings={**SETTINGS}, url=here.url("/?key=SECRETseed1"))
    lines = [record.getMessage() for record in caplog.records if record.name.startswith("scrapy")]
    assert [line for line in lines if "SECRET" in line] == []
    for told in ("Spider error processing", "Filtered offsite"):
        assert [line for line in lines if told in line and "REDACTED" in line], (told, lines)


def test_the_record_of_a_url_is_not_asked_for(store_dir: Path) -> None:
    pages: dict[str, Any] = {
        "/": (200, {"Refresh": "0;url=/next?token=SECRETref1"}, "<p>soon"),
        "/next?token=SECRETref1": "<p>here",
        "/next?token=REDACTED": "<p>a page that nobody named",
    }
    with serving(pages) as here:
        crawl(SiteSpider, store_dir, url=here.url("/"))
        again = crawl(SiteSpider, store_dir, url=here.url("/"))
        # the head of the first page comes from the store now
        assert [(page.outcome, page.from_cache) for page in again.pages] == [("ok", True)]
        assert "whose secret was not kept" in (again.pages[0].note or "")
        crawl(SiteSpider, store_dir, url=here.url("/next?token=REDACTED"))
        assert "/next?token=SECRETref1" in here.seen
        assert "/next?token=REDACTED" not in here.seen
