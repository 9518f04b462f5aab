"""Recipes in the library: a spider that runs to its end beside the fetches, and gives what it read."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

from scrapy import Spider

from polite_crawler.crawler.engine import Engine
from polite_crawler.crawler.thread import EngineThread
from polite_crawler.errors import BadOption, PoliteError, StoreError
from polite_crawler.recipes.documents import RecipeExtractor, recipe_name
from polite_crawler.recipes.product_spider import ProductResult, ProductSpider
from polite_crawler.recipes.recipe import Recipe
from polite_crawler.recipes.results import RecipeResult
from polite_crawler.recipes.venue_spider import VenueResult, VenueSpider
from polite_crawler.rules.durations import Duration
from polite_crawler.store.projection import Extractor

_T = TypeVar("_T")


class Reading:
    """The calls of an open crawler that run a recipe. Each is a future; cancelling it ends the spider."""

    def __init__(self, thread: EngineThread) -> None:
        self._thread = thread

    def run_recipe(self, recipe: type[Recipe], arguments: Mapping[str, Any]) -> "Future[tuple[RecipeResult, ...]]":
        """The results of a recipe, one for each request that ended. Raises BadOption."""
        if not (isinstance(recipe, type) and issubclass(recipe, Recipe)):
            raise BadOption(f"{recipe!r} is no Recipe")
        recipe(**arguments)

        async def read(engine: Engine) -> tuple[RecipeResult, ...]:
            # a reindex of this crawler reads them again
            _add(engine.store.index.extractors, recipe.extractor())
            items = await _items(engine, recipe, arguments)
            return tuple(item for item in items if isinstance(item, RecipeResult))

        return self._thread.call(read)

    def read_venue(self, arguments: Mapping[str, Any]) -> "Future[VenueResult]":
        """The hours of a venue. Raises BadOption."""
        VenueSpider(**arguments)
        return self._thread.call(_last(VenueSpider, arguments, VenueResult))

    def read_product(self, arguments: Mapping[str, Any]) -> "Future[ProductResult]":
        """The product of a page. Raises BadOption."""
        ProductSpider(**arguments)
        return self._thread.call(_last(ProductSpider, arguments, ProductResult))


class AsyncRecipes:
    """The recipes of an open crawler, for an asyncio program."""

    _reading: Reading

    async def run_recipe(
        self, recipe: type[Recipe], input: Any = None, *, max_age: Duration | None = None
    ) -> tuple[RecipeResult, ...]:
        """Run a recipe: one result for each request of the input, with the documents that its extractor found.

        An extractor that fails is the `error` of a result. Raises BadOption, StoreError and PoliteError.
        """
        return await asyncio.wrap_future(self._reading.run_recipe(recipe, {"input": input, "max_age": max_age}))

    async def read_venue(
        self,
        url: str,
        *,
        name: str | None = None,
        require_name: bool = False,
        address: str | None = None,
        lat: float | None = None,
        lon: float | None = None,
        osm: str | None = None,
        pages: int = 3,
        max_age: Duration | None = None,
        budget: Duration | None = None,
        render: str | None = None,
        user_provided: bool = False,
        archive_fallback: bool | None = None,
        archive_despite_robots: bool | None = None,
    ) -> VenueResult:
        """The opening hours of a venue from its own site: the home page and up to `pages` more. Nothing here decides
        which reading is true. Raises BadOption, StoreError and PoliteError."""
        arguments = {
            "url": url, "name": name, "require_name": require_name, "address": address, "lat": lat, "lon": lon,
            "osm": osm, "pages": pages, "max_age": max_age, "budget": budget, "render": render,
            "user_provided": user_provided, "archive_fallback": archive_fallback,
            "archive_despite_robots": archive_despite_robots,
        }  # fmt: skip
        return await asyncio.wrap_future(self._reading.read_venue(arguments))

    async def read_product(
        self,
        url: str,
        *,
        max_age: Duration | None = None,
        budget: Duration | None = None,
        render: str | None = None,
        user_provided: bool = False,
        archive_fallback: bool | None = None,
        archive_despite_robots: bool | None = None,
    ) -> ProductResult:
        """The schema.org product of a page. Raises BadOption, StoreError and PoliteError."""
        arguments = {
            "url": url, "max_age": max_age, "budget": budget, "render": render, "user_provided": user_provided,
            "archive_fallback": archive_fallback, "archive_despite_robots": archive_despite_robots,
        }  # fmt: skip
        return await asyncio.wrap_future(self._reading.read_product(arguments))


class SyncRecipes:
    """The recipes of an open crawler, for a program without a loop."""

    _reading: Reading

    def run_recipe(
        self, recipe: type[Recipe], input: Any = None, *, max_age: Duration | None = None
    ) -> tuple[RecipeResult, ...]:
        """As `PoliteCrawler.run_recipe`."""
        return wait(self._reading.run_recipe(recipe, {"input": input, "max_age": max_age}))

    def read_venue(
        self,
        url: str,
        *,
        name: str | None = None,
        require_name: bool = False,
        address: str | None = None,
        lat: float | None = None,
        lon: float | None = None,
        osm: str | None = None,
        pages: int = 3,
        max_age: Duration | None = None,
        budget: Duration | None = None,
        render: str | None = None,
        user_provided: bool = False,
        archive_fallback: bool | None = None,
        archive_despite_robots: bool | None = None,
    ) -> VenueResult:
        """As `PoliteCrawler.read_venue`."""
        arguments = {
            "url": url, "name": name, "require_name": require_name, "address": address, "lat": lat, "lon": lon,
            "osm": osm, "pages": pages, "max_age": max_age, "budget": budget, "render": render,
            "user_provided": user_provided, "archive_fallback": archive_fallback,
            "archive_despite_robots": archive_despite_robots,
        }  # fmt: skip
        return wait(self._reading.read_venue(arguments))

    def read_product(
        self,
        url: str,
        *,
        max_age: Duration | None = None,
        budget: Duration | None = None,
        render: str | None = None,
        user_provided: bool = False,
        archive_fallback: bool | None = None,
        archive_despite_robots: bool | None = None,
    ) -> ProductResult:
        """As `PoliteCrawler.read_product`."""
        arguments = {
            "url": url, "max_age": max_age, "budget": budget, "render": render, "user_provided": user_provided,
            "archive_fallback": archive_fallback, "archive_despite_robots": archive_despite_robots,
        }  # fmt: skip
        return wait(self._reading.read_product(arguments))


def all_extractors(recipes: Iterable[type[Recipe]], extractors: Mapping[str, Extractor] | None) -> dict[str, Extractor]:
    """The extractors of recipes and those given by name. Raises BadOption for two of one name, and for a name that
    is none."""
    found: dict[str, Extractor] = {recipe_name(name): one for name, one in (extractors or {}).items()}
    for recipe in recipes:
        _add(found, recipe.extractor())
    return found


def _add(known: dict[str, Extractor], extractor: RecipeExtractor) -> None:
    if known.setdefault(extractor.name, extractor) != extractor:
        raise BadOption(f"there is another extractor with the name {extractor.name!r}")


def wait(future: "Future[_T]") -> _T:
    """The result of a call for a thread that waits. Ctrl+C frees the place of the call."""
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _last(spider: type[Spider], arguments: Mapping[str, Any], kind: type[Any]) -> Callable[[Engine], Awaitable[Any]]:
    async def read(engine: Engine) -> Any:
        found = [item for item in await _items(engine, spider, arguments) if isinstance(item, kind)]
        if not found:
            raise PoliteError(f"{spider.name} gave no result")
        return found[-1]

    return read


async def _items(engine: Engine, spider: type[Spider], arguments: Mapping[str, Any]) -> list[Any]:
    """The items of a spider that ran to its end."""
    items: list[Any] = []
    crawl = await engine.crawl(spider, arguments, lambda item, _: items.append(item))
    try:
        await asyncio.shield(crawl.task)
    except asyncio.CancelledError:
        await crawl.close("cancelled")
        raise
    if crawl.error is not None:
        raise StoreError(crawl.error)
    return items
