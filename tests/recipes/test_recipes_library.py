"""Recipes in the library: `run_recipe`, `read_venue` and `read_product`, beside fetches, with their own pace."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from recipe_lab import Pages, serving
from scrapy import Request

from polite_crawler import BadOption, open_crawler
from polite_crawler.recipes import Recipe, read_json
from polite_crawler.recipes.recipe import paced
from polite_crawler.rules.pacing import Policy
from polite_crawler.spiders.page import PageSpider
from polite_crawler.store.record import Capture

QUICK: dict[str, Any] = {"allow_private": True, "page_interval": 0.01, "slow_factor": 0, "min_free": 0}
ITEMS = json.dumps({"items": [{"id": "focaccia", "name": "Focaccia", "price": "3.50"}]})


class Menu(Recipe):
    """The items of an API."""

    name = "library-menu"
    mode = "api"
    min_interval = 0.02

    def requests(self, input: Any) -> Iterator[Request]:
        yield Request(input)

    @classmethod
    def extract(cls, body: bytes, capture: Capture) -> Iterator[dict[str, Any]]:
        for item in read_json(body, capture)["items"]:
            yield {
                "doc": f"menu:{item['id']}", "kind": "item", "title": item["name"], "text": item["price"],
                "url": capture.url, "meta": {},
            }  # fmt: skip


@pytest.fixture
def pages() -> Iterator[Pages]:
    with serving() as served:
        served.json("/menu", ITEMS)
        served.html("/down", "<p>down</p>")
        served.html("/hours", "<p>Open Mon-Fri 9am-5pm</p>")
        offer = {"@type": "Offer", "price": "9.90", "priceCurrency": "EUR"}
        record = json.dumps({"@type": "Product", "name": "Olio", "offers": offer})
        served.html("/p", f'<script type="application/ld+json">{record}</script><p>Olio</p>')
        yield served


def test_a_recipe_beside_the_fetches(pages: Pages, tmp_path: Path) -> None:
    async def main() -> None:
        async with open_crawler(tmp_path / "s", **QUICK, recipes=[Menu]) as crawler:
            (result,) = await crawler.run_recipe(Menu, pages.base + "/menu")
            assert [one.doc for one in result.docs] == ["menu:focaccia"]
            assert [hit.doc for hit in crawler.store.find("focaccia", kind="item")] == ["menu:focaccia"]
            (broken,) = await crawler.run_recipe(Menu, pages.base + "/down")
            assert broken.error is not None
            page = await crawler.fetch(pages.base + "/menu", recipe=Menu.name)
            assert page.from_cache
            assert (await crawler.reindex()).kept == 0

    asyncio.run(asyncio.wait_for(main(), 60))


def test_a_recipe_that_the_crawler_was_not_opened_with(pages: Pages, tmp_path: Path) -> None:
    with open_crawler(tmp_path / "s", **QUICK) as crawler:
        (result,) = crawler.run_recipe(Menu, pages.base + "/menu")
        assert result.docs
        assert crawler.store.read("menu:focaccia").text == "3.50"
        assert crawler.reindex().kept == 0


def test_venue_and_product(pages: Pages, tmp_path: Path) -> None:
    with open_crawler(tmp_path / "s", **QUICK, render="never") as crawler:
        venue = crawler.read_venue(pages.base + "/hours", pages=0)
        product = crawler.read_product(pages.base + "/p")

    assert venue.best is not None
    assert venue.best.hours == "Mon-Fri 09:00-17:00"
    assert product.price is not None
    assert product.price.amount == "9.90"


def test_calls_that_are_wrong(tmp_path: Path) -> None:
    class Other(Menu):
        name = "library-menu"

        @classmethod
        def extract(cls, body: bytes, capture: Capture) -> Iterator[dict[str, Any]]:
            yield from ()

    with pytest.raises(BadOption, match="another extractor"):
        open_crawler(tmp_path / "s", **QUICK, recipes=[Menu, Other])
    with open_crawler(tmp_path / "s", **QUICK, recipes=[Menu]) as crawler:
        with pytest.raises(BadOption):
            crawler.run_recipe(Path)  # type: ignore[arg-type]
        with pytest.raises(BadOption):
            crawler.read_venue("http://a.example/", pages=9)
        with pytest.raises(BadOption):
            crawler.read_product("http://a.example/", budget="soon")


def test_the_pace_of_a_recipe_is_its_own() -> None:
    usual = Policy(page_interval=3.0, backoff_min=7.0)
    own = paced(Menu, lambda host: usual)

    assert own is not None
    assert own("a.example") == Policy(page_interval=0.02, backoff_min=7.0)
    assert paced(PageSpider, lambda host: usual) is None
