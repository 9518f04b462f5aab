"""A page object of web-poet that reads the page of a book, and the capture of such a page."""

import asyncio
from typing import Any

import attrs
from web_poet import WebPage, cached_method, field

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
