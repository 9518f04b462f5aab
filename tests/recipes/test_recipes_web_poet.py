"""Page objects of web-poet as recipes: what they get, what becomes of their items, and what they may not ask for."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import attrs
import pytest
from recipe_lab import Pages, run_spider, runspider, serving
from web_poet import (
    AnyResponse,
    BrowserHtml,
    BrowserPage,
    HttpClient,
    HttpResponse,
    Injectable,
    ItemPage,
    PageParams,
    RequestUrl,
    ResponseUrl,
    Returns,
    Stats,
    WebPage,
    cached_method,
    field,
)

from polite_crawler import BadOption, HeldBack, NotStored, open_crawler, open_store
from polite_crawler.readers.charset import decode
from polite_crawler.recipes import RecipeDocument
from polite_crawler.recipes.fixtures import check_fixture, save_fixture
from polite_crawler.recipes.web_poet import PageObjectRecipe, StoredResponse, read_item, stored_item
from polite_crawler.store.record import Capture, ResponseHead, Time

HTML = "text/html; charset=utf-8"
DUNE = "<title>Dune</title><h1>Dune</h1><p class=by>Frank Herbert</p><b>9.90</b>"


def capture_of(content_type: str | None = HTML, **facts: Any) -> Capture:
    """The capture of a stored answer."""
    head = "HTTP/1.1 200 OK\r\nX-Shelf: 7" + (f"\r\nContent-Type: {content_type}" if content_type else "")
    known = {"kind": "fetch", "url": "https://books.example/dune", "outcome": "ok", "status": 200}
    return Capture(time=Time("2026-06-01T00:00:00Z"), response=ResponseHead(head), **{**known, **facts})


@attrs.define
class Book:
    """An item of attrs."""

    name: str
    author: str
    price: float | None = None


@dataclass
class Shelf:
    """An item of dataclasses."""

    title: str
    books: list[Book]


class BookPage(WebPage[Book]):
    """An item class by its parameter, fields that wait, and one that is kept."""

    @field
    def name(self) -> str | None:
        return self.css("h1::text").get()

    @field(cached=True)
    async def author(self) -> str | None:
        await asyncio.sleep(0)
        return self.css(".by::text").get()

    @field
    async def price(self) -> float:
        assert await self.author == await self.author
        return float(await self._number())

    @cached_method
    async def _number(self) -> str:
        return str(self.css("b::text").get())


class Bare(WebPage):
    """No item class: the item is a dict."""

    @field
    def heading(self) -> str | None:
        return self.css("h1::text").get()


class Shelves(ItemPage[Any], Returns[Shelf]):
    """A `to_item` of its own that waits for nothing, with items in the item."""

    def __init__(self, response: HttpResponse) -> None:
        self.response = response

    def to_item(self) -> Shelf:  # type: ignore[override]
        return Shelf("Sand", [Book(str(self.response.css("h1::text").get()), "F. H.")])


class Checked(WebPage[Book]):
    """Gives another item for a page that is none of a book."""

    def validate_input(self) -> Book | None:
        return None if self.css("h1") else Book("none", "nobody")

    @field
    def name(self) -> str:
        return "some"

    @field
    def author(self) -> str:
        return "body"


ITEMS: dict[str, tuple[type[ItemPage[Any]], str, dict[str, Any]]] = {
    "an item class and fields that wait": (
        BookPage, DUNE, {"name": "Dune", "author": "Frank Herbert", "price": 9.9},
    ),
    "no item class": (Bare, DUNE, {"heading": "Dune"}),
    "a to_item of its own": (
        Shelves, DUNE, {"title": "Sand", "books": [{"name": "Dune", "author": "F. H.", "price": None}]},
    ),
    "a valid input": (Checked, DUNE, {"name": "some", "author": "body", "price": None}),
    "an input that is not valid": (Checked, "<p>", {"name": "none", "author": "nobody", "price": None}),
}  # fmt: skip


@pytest.mark.parametrize("name", ITEMS)
def test_items(name: str) -> None:
    page, html, item = ITEMS[name]

    async def in_a_loop() -> dict[str, Any]:
        return read_item(page, html.encode(), capture_of())

    assert read_item(page, html.encode(), capture_of()) == item
    assert asyncio.run(in_a_loop()) == item


@attrs.define
class Shop(Injectable):
    """A dependency with a dependency."""

    url: ResponseUrl


@attrs.define
class Asking(ItemPage[dict[str, Any]]):
    """Asks for each thing that there is."""

    response: HttpResponse
    any: AnyResponse
    asked: RequestUrl
    params: PageParams
    stats: Stats
    shop: Shop
    client: HttpClient | None = None
    tries: int = 3

    async def to_item(self) -> dict[str, Any]:
        self.stats.inc("read")
        return {
            "url": str(self.response.url), "asked": str(self.asked), "shop": str(self.shop.url),
            "status": self.any.status, "shelf": self.response.headers.get("x-shelf"), "params": dict(self.params),
            "client": self.client, "tries": self.tries, "link": str(self.response.urljoin("/a")),
        }  # fmt: skip


def test_what_a_page_object_gets() -> None:
    url = "https://books.example/dune"

    assert read_item(Asking, b"", capture_of()) == {
        "url": url, "asked": url, "shop": url, "status": 200, "shelf": "7", "params": {}, "client": None, "tries": 3,
        "link": "https://books.example/a",
    }  # fmt: skip


CHARSETS: dict[str, tuple[bytes, str | None, str]] = {
    "gbk is gb18030": ("<h1>図\U00020000</h1>".encode("gb18030"), "text/html; charset=gbk", "gbk"),
    "a mark before the header": ("\ufeff<h1>é</h1>".encode(), "text/html; charset=iso-8859-1", "utf-8"),
    "utf-16 in a meta is utf-8": ("<meta charset=utf-16><h1>é</h1>".encode(), "text/html", "utf-8"),
    "latin-1 is windows-1252": (b"<h1>\x80</h1>", "text/html; charset=latin1", "windows-1252"),
    "euc-kr is windows-949": ("<h1>똠방</h1>".encode("cp949"), "text/html; charset=euc-kr", "euc-kr"),
    "x-user-defined": (b"<h1>\x80</h1>", "text/html; charset=x-user-defined", "x-user-defined"),
    "nothing is named": ("<h1>é</h1>".encode(), None, "utf-8"),
}


@pytest.mark.parametrize("name", CHARSETS)
def test_the_text_is_that_of_our_reader(name: str) -> None:
    body, content_type, encoding = CHARSETS[name]
    response = StoredResponse(body, capture_of(content_type))

    assert response.text == decode(body, content_type).text
    assert response.encoding == encoding
    assert read_item(Bare, body, capture_of(content_type)) == {"heading": response.css("h1::text").get()}


def test_json_is_read_in_its_encoding() -> None:
    kind = "application/json; charset=iso-8859-1"

    assert StoredResponse('{"a": "é"}'.encode("latin-1"), capture_of(kind)).json() == {"a": "é"}
    with pytest.raises(ValueError, match=r"https://books\.example/dune .* is not JSON"):
        StoredResponse(b"<p>", capture_of()).json()


@attrs.define
class Fetching(WebPage[Book]):
    """Would send a request."""

    client: HttpClient


@attrs.define
class Client(Injectable):
    client: HttpClient


@attrs.define
class Nested(WebPage[Book]):
    """Would send one by a dependency."""

    client: Client


class Untyped(ItemPage[Book]):
    """Does not say what it wants."""

    def __init__(self, response: HttpResponse, other) -> None:  # type: ignore[no-untyped-def]
        self.response = response


class Seen(BrowserPage[dict[str, Any]]):
    """Reads what a browser made."""

    @field
    def heading(self) -> str | None:
        return self.css("h1::text").get()


REFUSED: dict[str, tuple[object, str]] = {
    "a request": (Fetching, "Fetching asks for HttpClient"),
    "a request of a dependency": (Nested, "Nested asks for HttpClient"),
    "an argument without a type": (Untyped, "Untyped asks for other"),
    "a browser where none runs": (Seen, "Seen asks for BrowserResponse"),
    "no page object": (Book, "is no page object class"),
    "nothing": (None, "is no page object class"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_page_objects_that_are_refused_where_the_recipe_is_defined(name: str) -> None:
    page, message = REFUSED[name]

    with pytest.raises(BadOption, match=message):
        type("Bad", (PageObjectRecipe,), {"name": "bad", **({"page": page} if page else {})})


def test_a_page_object_that_wants_a_browser_reads_renders_alone() -> None:
    recipe = type("Rendered", (PageObjectRecipe,), {"name": "rendered", "page": Seen, "render": "always"})
    rendered = capture_of(kind="render")

    assert read_item(recipe.page, DUNE.encode(), rendered) == {"heading": "Dune"}
    with pytest.raises(BadOption, match="asks for BrowserResponse"):
        recipe.extract(DUNE.encode(), capture_of())


@attrs.define
class Markup(ItemPage[dict[str, Any]]):
    """Wants what a browser made in two forms."""

    html: BrowserHtml
    any: AnyResponse

    async def to_item(self) -> dict[str, Any]:
        return {"same": str(self.html) == self.any.text, "kind": type(self.any.response).__name__}


def test_the_answer_of_a_render_is_that_of_the_browser() -> None:
    assert read_item(Markup, DUNE.encode(), capture_of(kind="render")) == {"same": True, "kind": "BrowserResponse"}


@pytest.mark.parametrize(("answer", "error"), [(None, TypeError), ("Dune", TypeError), (KeyError("h1"), KeyError)])
def test_what_is_no_item_raises(answer: object, error: type[Exception]) -> None:
    class Odd(WebPage[Any]):
        async def to_item(self) -> Any:
            if isinstance(answer, Exception):
                raise answer
            return answer

    with pytest.raises(error):
        read_item(Odd, b"", capture_of())


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
