"""`scrapy crawl product -a url=...`: the schema.org product of a page."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, fields
from typing import Any

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from polite_crawler.middlewares.render import RENDER
from polite_crawler.recipes.asking import PAGE_ARGUMENTS, AskingSpider, Seen
from polite_crawler.recipes.product import Product, product_of, records_of
from polite_crawler.spiders.arguments import no_more

NO_PRODUCT = "the page has no Product data; it is often a list of products"
HELD_BACK = "the page asked not to be AI input; its data is held back"

_RENDERED = "polite_product_rendered"


@dataclass(frozen=True, slots=True)
class ProductResult(Product):
    """The product of a page with its evidence. `wall` says that the shop refuses the crawler; nothing is tried then
    with another identity."""

    doc: str | None = None
    capture: str | None = None
    wall: bool = False
    held_back: bool = False


class ProductSpider(AskingSpider):
    """Reads one page, and renders it once when it has no Product data. Its item and `summary` is a ProductResult."""

    name = "product"

    def __init__(self, url: str | None = None, **kwargs: Any) -> None:
        no_more({key: value for key, value in kwargs.items() if key not in PAGE_ARGUMENTS}, type(self))
        super().__init__(url, **kwargs)

    async def start(self) -> AsyncIterator[Request]:
        """The request of the page."""
        yield self.ask(self.url)

    async def parse(self, response: Response, **kwargs: Any) -> AsyncIterator[ProductResult | Request]:
        """The product, or the page once more in a browser."""
        request = response.request
        assert request is not None
        seen = self.seen(request, response)
        readable = await self.may_read(seen)
        product = product_of(records_of(seen.page), response.url) if seen.page is not None and readable else Product()
        again = request.meta.get(_RENDERED) or seen.rendered or seen.result.archived or self._never()
        if readable and not product.found and not seen.wall and not again and seen.page and seen.page.kind == "page":
            yield self.ask(self.url, **{RENDER: "always", _RENDERED: True})
            return
        yield self._end(seen, product)

    def failed(self, failure: Failure) -> Iterator[ProductResult]:
        """The result when no page came."""
        yield self._end(self.seen(failure.request, failure), Product())  # type: ignore[attr-defined]

    def _never(self) -> bool:
        mode = self.render or self.settings.get("POLITE_RENDER", "auto")
        return mode == "never"

    def _end(self, seen: Seen, product: Product) -> ProductResult:
        held = seen.result.held_back and not self.user_provided
        read = seen.page is not None
        missing = NO_PRODUCT if read and not product.found and not seen.wall and not held else None
        blocked = (
            f"a bot check in the place of the page: {seen.page.blocked}" if seen.page and seen.page.blocked else None
        )
        notes = [HELD_BACK if held else None, blocked, product.note, missing, seen.result.note]
        facts = {field.name: getattr(product, field.name) for field in fields(Product) if field.name != "note"}
        result = ProductResult(
            **facts,
            note="; ".join(dict.fromkeys(note for note in notes if note)) or None,
            doc=seen.result.doc,
            capture=seen.result.capture,
            wall=seen.wall,
            held_back=held,
        )
        self.summary = result
        return result
