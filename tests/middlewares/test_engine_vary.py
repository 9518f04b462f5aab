"""A stored copy with Vary answers the request that would be sent, with all the fields that are set later."""

from pathlib import Path

import pytest
from engine_lab import crawl
from scrapy import Request

from polite_crawler.middlewares.stored_response import request_headers
from polite_crawler.spiders.page import PageSpider
from polite_crawler.testsite.site import Site


@pytest.mark.parametrize(
    ("path", "stored"), [("/fresh/vary-agent", True), ("/fresh/vary-language", True), ("/fresh/vary-all", False)]
)
def test_a_copy_with_vary_answers_the_same_request(site: Site, store_dir: Path, path: str, stored: bool) -> None:
    for again in (False, True):
        (page,) = crawl(PageSpider, store_dir, url=site.url(path)).pages
        assert page.from_cache is (again and stored)
    assert len(site.log(path=path)) == (1 if stored else 2)


def test_another_user_agent_gets_its_own_answer(site: Site, store_dir: Path) -> None:
    for agent in ("OneBot/1.0", "OneBot/2.0"):
        settings = {"POLITE_USER_AGENT": agent}
        (page,) = crawl(PageSpider, store_dir, url=site.url("/fresh/vary-agent"), settings=settings).pages
        assert not page.from_cache


def test_own_fields_stand_before_the_usual_ones() -> None:
    usual = (("Accept-Language", "en"), ("User-Agent", "Bot"))
    request = Request("http://a.example/", headers={"accept-language": "sv"})
    assert request_headers(request, usual) == (("Accept-Language", "sv"), ("User-Agent", "Bot"))
    assert request_headers(Request("http://a.example/"), usual) == usual
