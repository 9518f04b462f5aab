"""Recipes of a user: what they may do, what the log says of them, and what a reindex reads again."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from recipe_lab import Pages, run_spider, serving
from scrapy import Request

from polite_crawler import BadOption, open_store
from polite_crawler.recipes import RESERVED_RECIPES, Recipe, RecipeDocument, RecipeResult, read_json
from polite_crawler.recipes.documents import HELD, checked
from polite_crawler.store.document import Document
from polite_crawler.store.record import Capture, ResponseHead, Time


@pytest.fixture
def pages() -> Iterator[Pages]:
    with serving() as served:
        yield served


class Menu(Recipe):
    """Reads the items of an API."""

    name = "forno-menu"
    mode = "api"
    max_age = "6h"

    def requests(self, input: Any) -> Iterator[Request]:
        for url in str(input).split():
            yield Request(url)

    @classmethod
    def extract(cls, body: bytes, capture: Capture) -> Iterator[dict[str, Any]]:
        for item in read_json(body, capture)["items"]:
            yield {
                "doc": f"menu:{item['id']}",
                "kind": "menu-item",
                "title": item["name"],
                "text": f"{item['name']}: {item['price']}",
                "url": capture.url,
                "meta": {"price": item["price"]},
                "ai_input": item.get("ai_input"),
            }


ITEMS = json.dumps({"items": [{"id": "focaccia", "name": "Focaccia", "price": "3.50"}]})


def test_a_recipe_gives_documents_that_find_finds(pages: Pages, tmp_path: Path) -> None:
    url = pages.json("/menu", ITEMS)

    (result,) = run_spider(Menu, tmp_path / "s", input=url)

    assert isinstance(result, RecipeResult)
    assert (result.outcome, result.recipe, result.error, result.from_cache) == ("ok", "forno-menu", None, False)
    (document,) = result.docs
    assert (document.doc, document.title, document.meta) == ("menu:focaccia", "Focaccia", {"price": "3.50"})
    with open_store(tmp_path / "s") as store:
        assert [hit.doc for hit in store.find("focaccia", kind="menu-item")] == ["menu:focaccia"]
        assert store.read("menu:focaccia").text == "Focaccia: 3.50"
        assert store.capture(str(document.capture)).recipe == "forno-menu"


def test_an_api_is_not_asked_for_robots_and_pages_are(pages: Pages, tmp_path: Path) -> None:
    class Page(Menu):
        name = "forno-page"
        mode = "page"

    url = pages.json("/menu", ITEMS)
    pages.answers["/robots.txt"] = (200, "text/plain", "User-agent: *\nDisallow: /menu")

    run_spider(Menu, tmp_path / "s", input=url)
    assert pages.asked_for("/robots.txt") == 0
    (refused,) = run_spider(Page, tmp_path / "s", input=url)

    assert pages.asked_for("/robots.txt") == 1
    assert refused.outcome == "skipped"
    assert "robots.txt disallows" in refused.note


def test_an_extractor_reads_an_answer_once_and_never_in_the_loop(pages: Pages, tmp_path: Path) -> None:
    asked: list[str] = []

    class Counted(Menu):
        name = "counted"

        @classmethod
        def extract(cls, body: bytes, capture: Capture) -> list[dict[str, Any]]:
            asked.append(threading.current_thread().name)
            return list(super().extract(body, capture))

    url, bad = pages.json("/menu", ITEMS), pages.html("/down", "<p>Maintenance</p>")
    results = {one.url: one for one in run_spider(Counted, tmp_path / "s", input=f"{url} {bad}")}

    assert len(results[url].docs) == 1
    assert results[bad].error is not None
    assert len(asked) == 2
    assert all(name.startswith("polite-read") for name in asked)


def test_a_stored_copy_answers_and_one_of_another_recipe_does_not(pages: Pages, tmp_path: Path) -> None:
    class Other(Menu):
        name = "other"

    url = pages.json("/menu", ITEMS)

    run_spider(Menu, tmp_path / "s", input=url)
    (again,) = run_spider(Menu, tmp_path / "s", input=url)
    (other,) = run_spider(Other, tmp_path / "s", input=url)

    assert again.from_cache
    assert [one.doc for one in again.docs] == ["menu:focaccia"]
    assert not other.from_cache
    assert pages.asked_for("/menu") == 2


def test_a_broken_extractor_is_reported_and_the_page_is_kept(pages: Pages, tmp_path: Path) -> None:
    url, bad = pages.json("/menu", ITEMS), pages.html("/down", "<p>Maintenance</p>")

    results = run_spider(Menu, tmp_path / "s", input=f"{bad} {url}")

    broken = next(one for one in results if one.url == bad)
    assert broken.error.startswith(f"ValueError: {bad} (text/html; charset=utf-8) is not JSON")
    assert broken.docs == ()
    assert "the extractor of forno-menu failed: ValueError" in broken.note
    assert any(one.docs for one in results)
    with open_store(tmp_path / "s") as store:
        assert store.read(str(broken.doc)).text.strip() == "Maintenance"
    with open_store(tmp_path / "s", extractors={Menu.name: Menu.extractor()}) as store:
        assert store.reindex().failed == 1
        assert store.read(str(broken.doc)).text.strip() == "Maintenance"


def test_a_stored_copy_that_cannot_be_read_is_asked_for_once_more(pages: Pages, tmp_path: Path) -> None:
    url = pages.html("/menu", "<p>Maintenance</p>")
    (broken,) = run_spider(Menu, tmp_path / "s", input=url)
    pages.json("/menu", ITEMS)

    (mended,) = run_spider(Menu, tmp_path / "s", input=url)

    assert broken.error
    assert mended.error is None
    assert not mended.from_cache
    assert pages.asked_for("/menu") == 2


def test_a_body_that_stays_bad_is_asked_for_once(pages: Pages, tmp_path: Path) -> None:
    url = pages.html("/menu", "<p>Maintenance</p>")
    run_spider(Menu, tmp_path / "s", input=url)

    (still,) = run_spider(Menu, tmp_path / "s", input=url)

    assert still.error
    assert pages.asked_for("/menu") == 2


def test_a_held_document_shows_no_text(pages: Pages, tmp_path: Path) -> None:
    url = pages.json("/menu", json.dumps({"items": [{"id": "a", "name": "Secret", "price": "1", "ai_input": "no"}]}))

    (result,) = run_spider(Menu, tmp_path / "s", input=url)

    (document,) = result.docs
    assert (document.held_back, document.title, document.meta) == (True, None, {"chars": 9})
    with open_store(tmp_path / "s", extractors={Menu.name: Menu.extractor()}) as store:
        assert store.read("menu:a").held_back
        assert store.find("secret", kind="menu-item") == ()
        store.reindex()
        assert store.read("menu:a").held_back
    with open_store(tmp_path / "s") as store:
        # the documents of a recipe that is not here are kept as they are
        assert store.reindex().kept == 1
        read = store.read("menu:a")
        assert read.held_back
        assert HELD in str(read.note)


def test_a_reindex_reads_the_captures_of_a_known_recipe_again(pages: Pages, tmp_path: Path) -> None:
    run_spider(Menu, tmp_path / "s", input=pages.json("/menu", ITEMS))

    class Newer(Menu):
        name = "forno-menu"

        @classmethod
        def extract(cls, body: bytes, capture: Capture) -> Iterator[dict[str, Any]]:
            for one in super().extract(body, capture):
                yield {**one, "title": one["title"].upper()}

    with open_store(tmp_path / "s") as store:
        before = store.read("menu:focaccia")
        assert store.reindex().kept == 1
    with open_store(tmp_path / "s", extractors={"forno-menu": Newer.extractor()}) as store:
        assert store.reindex().kept == 0
        after = store.read("menu:focaccia")

    assert (before.title, after.title) == ("Focaccia", "FOCACCIA")
    assert before.capture == after.capture


def test_a_crawl_and_a_reindex_show_an_extractor_the_same_capture(pages: Pages, tmp_path: Path) -> None:
    class Echo(Recipe):
        name = "echo"

        @classmethod
        def extract(cls, body: bytes, capture: Capture) -> Iterator[RecipeDocument]:
            yield RecipeDocument("echo:1", "echo", None, json.dumps(capture.to_json()), capture.url)

    url = pages.html("/menu", '<meta name="robots" content="noarchive"><p>Menu</p>' + "<b>" * 600)
    (first,) = run_spider(Echo, tmp_path / "s", input=url)
    (again,) = run_spider(Echo, tmp_path / "s", input=url)

    with open_store(tmp_path / "s", extractors={"echo": Echo.extractor()}) as store:
        crawled = store.read("echo:1").text
        store.reindex()
        assert store.read("echo:1").text == crawled
    assert again.from_cache
    assert [one.chars for one in first.docs] == [one.chars for one in again.docs] == [len(crawled)]


@pytest.mark.parametrize("name", ["Menu", "menu_1", "", "menü", "a b", *sorted(RESERVED_RECIPES)[:3], "product"])
def test_names_that_a_recipe_cannot_have(name: str) -> None:
    with pytest.raises(BadOption):
        type("Bad", (Recipe,), {"name": name})


@pytest.mark.parametrize("facts", [{"mode": "both"}, {"max_age": "soon"}, {"min_interval": "-1s"}])
def test_facts_that_a_recipe_cannot_have(facts: dict[str, Any]) -> None:
    with pytest.raises(BadOption):
        type("Bad", (Recipe,), {"name": "bad", **facts})


def test_a_recipe_with_no_extractor_ends_before_anything_is_sent() -> None:
    recipe = type("Empty", (Recipe,), {"name": "empty"})

    with pytest.raises(BadOption, match="the recipe empty has no extract"):
        recipe(input="http://a.example/")
    with pytest.raises(BadOption, match="the recipe empty has no extract"):
        recipe.extract(b"", Capture("fetch", "http://a.example/", Time("2026-06-01T00:00:00Z"), "ok"))


def test_the_requests_of_a_recipe_that_writes_none_are_the_urls_of_its_input(pages: Pages, tmp_path: Path) -> None:
    class Plain(Recipe):
        name = "plain"

        @classmethod
        def extract(cls, body: bytes, capture: Capture) -> list[RecipeDocument]:
            return [RecipeDocument(f"plain:{capture.url}", "plain", None, body.decode(), capture.url)]

    one, two = pages.html("/1", "<p>One</p>"), pages.html("/2", "<p>Two</p>")

    results = run_spider(Plain, tmp_path / "s", input=f"{one} {two}")

    assert sorted(document.doc for result in results for document in result.docs) == [f"plain:{one}", f"plain:{two}"]
    for wrong in (None, "", "menu", 3):
        with pytest.raises(BadOption):
            Plain(input=wrong)


@pytest.mark.parametrize(("mode", "interval"), [("api", 1.0), ("page", 3.0)])
def test_only_an_api_may_be_faster_than_pages(mode: str, interval: float) -> None:
    from scrapy.settings import Settings

    recipe = type("Fast", (Recipe,), {"name": "fast", "mode": mode, "min_interval": "1s"})
    settings = Settings({"POLITE_PAGE_INTERVAL": 3.0})

    recipe.update_settings(settings)

    assert settings["POLITE_PAGE_INTERVAL"] == interval


DOCUMENT = {"doc": "x:1", "kind": "k", "title": None, "text": "", "url": "http://a/", "meta": {}}


@pytest.mark.parametrize(
    "found",
    [
        [DOCUMENT, DOCUMENT],
        [{**DOCUMENT, "doc": "archive:http://a/"}],
        [{**DOCUMENT, "kind": "archived"}],
        [{**DOCUMENT, "doc": ""}],
        [{**DOCUMENT, "doc": 1}],
        [{**DOCUMENT, "title": 1}],
        [{**DOCUMENT, "text": None}],
        [{**DOCUMENT, "meta": {"at": object()}}],
        [{**DOCUMENT, "meta": {"n": float("nan")}}],
        [{**DOCUMENT, "meta": []}],
        [{**DOCUMENT, "ai_input": "maybe"}],
        [{**DOCUMENT, "colour": "red"}],
        [{key: value for key, value in DOCUMENT.items() if key != "url"}],
    ],
)
def test_documents_that_break_a_rule(found: list[Any]) -> None:
    with pytest.raises(ValueError, match=r"document|archived"):
        checked(found)


def test_documents_as_a_class_and_what_is_none() -> None:
    assert checked([RecipeDocument("x:1", "k", None, "t", "http://a/")])[0].doc == "x:1"
    whole = Document("x:1", "k", "T", "text", "http://a/", {"n": 1}, main=((0, 2),), hold="asked for it")
    assert checked([whole]) == (whole,)
    with pytest.raises(TypeError):
        checked(["x:1"])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("body", "kind", "value"),
    [
        ('{"a": "é"}'.encode(), "application/json", {"a": "é"}),
        ('{"a": "é"}'.encode("latin-1"), "application/json; charset=iso-8859-1", {"a": "é"}),
        ('{"a": 1}'.encode("utf-16"), "application/json", {"a": 1}),
    ],
)
def test_json_in_its_encoding(body: bytes, kind: str, value: Any) -> None:
    head = ResponseHead(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}")
    assert read_json(body, Capture("fetch", "http://a/", Time("2026-06-01T00:00:00Z"), "ok", response=head)) == value
