"""Page objects of web-poet over a stored body: what they get, what they give, and what they may not ask for."""

import asyncio
from dataclasses import dataclass
from typing import Any

import attrs
import pytest
from book_pages import DUNE, Book, BookPage, capture_of
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
    field,
)

from polite_crawler import BadOption
from polite_crawler.readers.charset import decode
from polite_crawler.recipes.web_poet import PageObjectRecipe, StoredResponse, read_item


@dataclass
class Shelf:
    """An item of dataclasses."""

    title: str
    books: list[Book]


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
