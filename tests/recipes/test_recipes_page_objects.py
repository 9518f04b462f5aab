"""Recipes of page objects: the documents of their items, errors, holds, reindex, fixtures, and a machine without the
extra."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from book_pages import DUNE, BookPage, capture_of
from recipe_lab import Pages, run_spider, runspider, serving
from web_poet import WebPage, field

from polite_crawler import HeldBack, NotStored, open_crawler, open_store
from polite_crawler.recipes import RecipeDocument
from polite_crawler.recipes.fixtures import check_fixture, save_fixture
from polite_crawler.recipes.web_poet import PageObjectRecipe, stored_item
from polite_crawler.store.record import Capture


class Books(PageObjectRecipe):
    """The books of a shop."""

    name = "books"
    kind = "book"
    page = BookPage


class Quiet(Books):
    """Gives a document of its own form, that is held back."""

    name = "quiet"

    @classmethod
    def document(cls, item: Any, capture: Capture) -> RecipeDocument:
        return RecipeDocument(f"quiet:{item['name']}", "book", None, item["author"], capture.url, ai_input="no")


@pytest.fixture
def pages() -> Iterator[Pages]:
    with serving() as served:
        yield served


def test_an_item_becomes_a_document(pages: Pages, tmp_path: Path) -> None:
    url = pages.html("/dune", DUNE)

    (result,) = run_spider(Books, tmp_path / "s", input=url)

    (document,) = result.docs
    assert (result.error, result.recipe) == (None, "books")
    assert (document.doc, document.kind, document.title) == (f"books:{url}", "book", "Dune")
    assert document.meta == {"name": "Dune", "author": "Frank Herbert", "price": 9.9}
    with open_store(tmp_path / "s") as store:
        assert [hit.doc for hit in store.find("herbert", kind="book")] == [document.doc]
        assert store.read(document.doc).text == "name: Dune\nauthor: Frank Herbert\nprice: 9.9"


def test_an_error_is_told_and_the_crawl_goes_on(pages: Pages, tmp_path: Path) -> None:
    bad, good = pages.html("/down", "<h1>Maintenance</h1>"), pages.html("/dune", DUNE)

    results = {one.url: one for one in run_spider(Books, tmp_path / "s", input=f"{bad} {good}")}

    assert results[bad].error == "ValueError: could not convert string to float: 'None'"
    assert "the extractor of books failed: ValueError" in results[bad].note
    assert [one.title for one in results[good].docs] == ["Dune"]
    with open_store(tmp_path / "s") as store:
        assert store.read(str(results[bad].doc)).text.strip() == "Maintenance"


def test_an_item_that_is_no_json_is_an_error(pages: Pages, tmp_path: Path) -> None:
    class Odd(WebPage[dict[str, Any]]):
        @field
        def when(self) -> object:
            return object()

    recipe = type("OddBooks", (Books,), {"name": "odd-books", "page": Odd})
    (result,) = run_spider(recipe, tmp_path / "s", input=pages.html("/dune", DUNE))

    assert result.error.startswith("ValueError: meta of document 0 is not JSON")


def test_a_held_document_and_a_held_page(pages: Pages, tmp_path: Path) -> None:
    url = pages.html("/dune", DUNE)
    noai = pages.html("/noai", f'<meta name="robots" content="noai">{DUNE}')

    (held,) = run_spider(Quiet, tmp_path / "s", input=url)
    (asked,) = run_spider(Books, tmp_path / "s", input=noai)

    assert [(one.held_back, one.title, one.meta) for one in held.docs] == [(True, None, {"chars": 13})]
    assert [(one.held_back, one.title) for one in asked.docs] == [(True, None)]
    with open_store(tmp_path / "s") as store:
        assert store.find("herbert", kind="book") == ()
        with pytest.raises(HeldBack, match="noai"):
            stored_item(store, noai, BookPage)


def test_a_stored_copy_is_read_with_no_request(pages: Pages, tmp_path: Path) -> None:
    url = pages.html("/dune", DUNE)
    with open_crawler(tmp_path / "s", allow_private=True, page_interval=0.01, min_free=0) as crawler:
        crawler.fetch(url)

        assert stored_item(crawler.store, url, BookPage)["author"] == "Frank Herbert"
        with pytest.raises(NotStored):
            stored_item(crawler.store, url + "x", BookPage)
    assert pages.asked_for("/dune") == 1


def test_a_reindex_reads_with_the_page_object_of_now(pages: Pages, tmp_path: Path) -> None:
    url = pages.html("/dune", DUNE)
    run_spider(Books, tmp_path / "s", input=url)

    class Shouting(BookPage):
        @field
        def name(self) -> str:
            return str(self.css("h1::text").get()).upper()

    newer = type("Newer", (Books,), {"name": "books", "page": Shouting})
    with open_store(tmp_path / "s", extractors={"books": newer.extractor()}) as store:
        assert (store.reindex().kept, store.read(f"books:{url}").title) == (0, "DUNE")
    assert pages.asked_for("/dune") == 1


def test_a_fixture_of_a_page_object(tmp_path: Path) -> None:
    folder = save_fixture(tmp_path, Books.extractor(), capture_of().sealed(), DUNE.encode(), file=__file__)

    assert check_fixture(folder) == []
    (folder / "body").write_text(DUNE.replace("9.90", "9.95"))
    assert check_fixture(folder)[0].startswith("books:https://books.example/dune: text was ")


MISSING = "import sys; sys.modules['web_poet'] = None; from polite_crawler.recipes import Recipe, {}"


@pytest.mark.parametrize(
    ("module", "code", "end"), [("pytest_plugin", 0, ""), ("web_poet", 1, "pip install 'polite-crawler[web-poet]'")]
)
def test_without_the_extra_only_page_objects_are_missing(module: str, code: int, end: str) -> None:
    command = [sys.executable, "-c", MISSING.format(module)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)

    assert done.returncode == code, done.stderr
    assert done.stderr.strip().endswith(end)


BY_FILE = """
from web_poet import WebPage, field
from polite_crawler.recipes.web_poet import PageObjectRecipe


class BookPage(WebPage):
    @field
    async def name(self):
        return self.css("h1::text").get()


class Books(PageObjectRecipe):
    name = "books"
    page = BookPage
    custom_settings = {"POLITE_ALLOW_PRIVATE": True, "POLITE_MIN_FREE": 0}
"""


def test_scrapy_runspider_runs_a_page_object(pages: Pages, tmp_path: Path) -> None:
    (tmp_path / "books.py").write_text(BY_FILE)

    (result,) = runspider(tmp_path / "books.py", pages.html("/dune", DUNE))

    assert [one["meta"] for one in result["docs"]] == [{"name": "Dune"}]
