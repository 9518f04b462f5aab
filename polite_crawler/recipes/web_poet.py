"""Recipes of page objects: a web-poet page object reads a stored body, and its item becomes a document.

The extra `web-poet` brings what is imported here, so nothing else imports this module. A page object gets what the
store holds, an answer, and sends no request: one that asks for more is refused before anything is sent.
"""

import asyncio
import inspect
from collections.abc import Coroutine, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from typing import Any, ClassVar, cast

from polite_crawler.errors import BadOption, HeldBack, NotStored
from polite_crawler.query.store import Store
from polite_crawler.readers.charset import Decoded, decode
from polite_crawler.recipes.documents import Found, read_json
from polite_crawler.recipes.recipe import Recipe
from polite_crawler.store.projection import content_type, headers
from polite_crawler.store.record import Capture

try:
    import andi
    from andi.typeutils import strip_annotated
    from itemadapter import ItemAdapter
    from web_poet import (
        AnyResponse,
        BrowserHtml,
        BrowserResponse,
        HttpResponse,
        ItemPage,
        PageParams,
        RequestUrl,
        ResponseUrl,
        Stats,
    )
    from web_poet.pages import is_injectable
except ImportError as error:
    raise ImportError(f"page objects need web-poet ({error}); pip install 'polite-crawler[web-poet]'") from None

_TITLES = ("name", "title", "headline")


class StoredResponse(HttpResponse):
    """A stored answer as a page object sees it. `text` and `encoding` are those of our reader (the Encoding Standard),
    so that a page object reads the text that `read` gives."""

    def __init__(self, body: bytes, capture: Capture) -> None:
        super().__init__(capture.url, body, status=capture.status, headers=headers(capture))
        self._capture = capture

    @cached_property
    def _decoded(self) -> Decoded:
        return decode(self.body, content_type(self._capture))

    @property
    def text(self) -> str:
        """The text of the body, without its byte order mark."""
        return self._decoded.text

    @property
    def encoding(self) -> str:
        """The WHATWG name of the encoding."""
        return self._decoded.encoding

    def json(self) -> Any:
        """The JSON of the body, as `read_json` gives it."""
        return read_json(self.body, self._capture)


class PageObjectRecipe(Recipe):
    """A recipe whose extractor is a web-poet page object:

        class Books(PageObjectRecipe):
            name = "books"
            page = BookPage

    Each answer gives one document of the kind `kind`. The fields of the item are its metadata; its text holds those
    that are text or numbers, a line each; its title is the field `name`, `title` or `headline`. Write `document` for
    another form. A page object that asks for a request or a browser raises BadOption where the recipe is defined.
    """

    page: ClassVar[type[ItemPage[Any]]]
    kind: ClassVar[str] = "item"

    @classmethod
    def _check_recipe(cls) -> None:
        super()._check_recipe()
        page = getattr(cls, "page", None)
        if not (isinstance(page, type) and issubclass(page, ItemPage)):
            raise BadOption(f"page of {cls.name}: {page!r} is no page object class")
        _plan(page, cls.render != "never")

    @classmethod
    def extract(cls, body: bytes, capture: Capture) -> list[Found]:
        """The document of the item that the page object reads."""
        return [cls.document(read_item(cls.page, body, capture), capture)]

    @classmethod
    def document(cls, item: Mapping[str, Any], capture: Capture) -> Found:
        """The document of an item, from its fields. The id of the default is the name of the recipe and the URL."""
        shown = {name: value for name, value in item.items() if isinstance(value, str | int | float)}
        return {
            "doc": f"{cls.name}:{capture.url}",
            "kind": cls.kind,
            "title": next((item[name] for name in _TITLES if isinstance(item.get(name), str)), None),
            "text": "\n".join(f"{name}: {value}" for name, value in shown.items()),
            "url": capture.url,
            "meta": dict(item),
        }


def read_item(page: type[ItemPage[Any]], body: bytes, capture: Capture) -> dict[str, Any]:
    """The fields of the item that a page object reads in a body, by name. Raises BadOption for a page object that asks
    for more than an answer, and what the page object raises."""
    item = _ended(_item(_made(page, body, capture)))
    if not ItemAdapter.is_item(item):
        raise TypeError(f"{page.__name__} gave no item but {item!r:.80}")
    return ItemAdapter(item).asdict()


def stored_item(store: Store, url: str, page: type[ItemPage[Any]]) -> dict[str, Any]:
    """The fields of the item in the latest stored copy of a URL, with no request. Raises NotStored, HeldBack for a page
    that asked not to be AI input, and what `read_item` raises."""
    copy = store.latest(url)
    if copy is None or copy.capture.body is None:
        raise NotStored(f"{url} is not in the store")
    if copy.capture.hold is not None:
        raise HeldBack(f"{url} asked not to be AI input ({copy.capture.hold})")
    return read_item(page, copy.body(), copy.capture)


_GIVEN = (HttpResponse, AnyResponse, ResponseUrl, RequestUrl, PageParams, Stats)
_OF_A_BROWSER = (BrowserResponse, BrowserHtml)


def _inputs(body: bytes, capture: Capture) -> dict[Any, Any]:
    """What a page object can ask for, by its type."""
    response = StoredResponse(body, capture)
    given: dict[Any, Any] = {
        HttpResponse: response,
        AnyResponse: AnyResponse(response),
        ResponseUrl: response.url,
        RequestUrl: RequestUrl(response.url),
        PageParams: PageParams(),
        Stats: Stats(),
    }
    if capture.kind == "render":
        html = BrowserHtml(response.text)
        made = BrowserResponse(response.url, html, status=capture.status)
        given |= {BrowserHtml: html, BrowserResponse: made, AnyResponse: AnyResponse(made)}
    return given


@lru_cache
def _plan(page: type[ItemPage[Any]], rendered: bool) -> andi.Plan:
    """The steps that make a page object. Raises BadOption."""
    given = (*_GIVEN, *(_OF_A_BROWSER if rendered else ()))
    try:
        return andi.plan(page, is_injectable=is_injectable, externally_provided=given, full_final_kwargs=True)
    except andi.NonProvidableError as error:
        asked = ", ".join(_asked(error))
        raise BadOption(f"{page.__name__} asks for {asked}: a page object reads a stored answer, no more") from None


def _asked(error: andi.NonProvidableError) -> Iterator[str]:
    """The names of what no stored answer has; of an argument without a type, its own."""
    for name, causes in error.errors_per_argument.items():
        for types in (getattr(cause, "types", ()) for cause in causes):
            yield " or ".join(getattr(one, "__name__", str(one)) for one in types) or name


def _made(page: type[ItemPage[Any]], body: bytes, capture: Capture) -> ItemPage[Any]:
    given = _inputs(body, capture)
    made: dict[Any, Any] = {}
    for step, arguments in _plan(page, capture.kind == "render"):
        kind = strip_annotated(step)
        made[step] = given[kind] if kind in given else kind(**arguments.kwargs(made))
    return cast(ItemPage[Any], made[page])


async def _item(page: ItemPage[Any]) -> Any:
    found: Any = page.to_item()
    return await found if inspect.isawaitable(found) else found


def _ended(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine returns. It has no request to wait for, so it ends at once; its loop is its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    # the loop of the crawl runs in this thread, and no second one can
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
