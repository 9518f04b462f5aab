"""`Recipe`: a Scrapy spider that reads a source into documents of its own."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import asdict, replace
from typing import Any, ClassVar, Literal, Self

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import BaseSettings
from twisted.python.failure import Failure

from polite_crawler.errors import BadOption
from polite_crawler.middlewares.redirect import REFRESH
from polite_crawler.middlewares.render import RENDER
from polite_crawler.middlewares.robots import MODE
from polite_crawler.middlewares.stored_copy import MAX_AGE, RECIPE
from polite_crawler.pipelines.index import AWAIT
from polite_crawler.pipelines.parts import parts_of
from polite_crawler.readers.page import Page
from polite_crawler.recipes.documents import Found, RecipeExtractor, checked_name
from polite_crawler.recipes.results import DocumentFacts, RecipeResult
from polite_crawler.rules import durations, urls
from polite_crawler.rules.options import DEFAULTS
from polite_crawler.rules.pacing import Policy
from polite_crawler.spiders.arguments import seeds
from polite_crawler.spiders.base import PoliteSpider
from polite_crawler.store import projection
from polite_crawler.store.document import Document, Extracted, structural
from polite_crawler.store.record import Capture
from polite_crawler.transport.trace import trace_of

NO_EXTRACT = "the recipe {} has no extract(body, capture), which says what the documents of a body are"

_AGAIN = "polite_recipe_again"


class Recipe(PoliteSpider):
    """Extend it, and run it by `scrapy runspider my_recipe.py -a input=...`, by `scrapy crawl NAME` or in the library:

        class Menu(Recipe):
            name = "forno-menu"
            mode = "api"

            def requests(self, input):
                yield Request(f"https://api.example.com/menu?day={input}")

            @classmethod
            def extract(cls, body, capture):
                return [{"doc": f"menu:{item['id']}", ...} for item in read_json(body, capture)["items"]]

    The name goes into each capture record: it is [a-z0-9-]+ and is never changed. `mode` is `page`, or `api` for a
    documented API: robots.txt is not asked then, and the pace is kept. `min_interval` is the least rest of a host
    between two requests: of an API the documented one, of pages never less than POLITE_PAGE_INTERVAL. `max_age` is
    how old a stored copy may be that answers with no request.
    """

    mode: ClassVar[Literal["page", "api"]] = "page"
    min_interval: ClassVar[str | float | None] = None
    max_age: ClassVar[str | int] = "24h"
    render: ClassVar[str] = "never"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" in cls.__dict__ and cls.__dict__["name"] is not None:
            cls._check_recipe()

    @classmethod
    def _check_recipe(cls) -> None:
        checked_name(cls.name)
        if cls.mode not in ("page", "api"):
            raise BadOption(f"mode of {cls.name}: {cls.mode!r} is neither page nor api")
        durations.max_age(cls.max_age, f"max_age of {cls.name}")
        if cls.min_interval is not None:
            durations.seconds(cls.min_interval, f"min_interval of {cls.name}")

    def __init__(self, input: Any = None, max_age: str | int | None = None, **kwargs: Any) -> None:
        if self.name is None:
            raise BadOption(f"{type(self).__name__} has no name")
        if not _writes(type(self), "extract"):
            raise BadOption(NO_EXTRACT.format(self.name))
        if not _writes(type(self), "requests"):
            _urls(input)
        super().__init__(**kwargs)
        self.input = input
        self._age = self.max_age if max_age is None else max_age
        durations.max_age(self._age)
        self.failures = 0

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """The pace of the recipe, beside what every spider of ours sets."""
        super().update_settings(settings)
        usual = settings.get("POLITE_PAGE_INTERVAL", DEFAULTS["POLITE_PAGE_INTERVAL"])
        if cls.min_interval is not None:
            interval = cls.interval(durations.seconds(usual, "POLITE_PAGE_INTERVAL"))
            settings.set("POLITE_PAGE_INTERVAL", interval, "spider")

    @classmethod
    def interval(cls, usual: float) -> float:
        """The least rest of a host in seconds, where `usual` is that of pages."""
        if cls.min_interval is None:
            return usual
        own = durations.seconds(cls.min_interval, "min_interval")
        return own if cls.mode == "api" else max(own, usual)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """The spider of a crawler."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider._register, signals.spider_opened)
        return spider

    @classmethod
    def extractor(cls) -> RecipeExtractor:
        """The extractor, as the store and `reindex` use it."""
        return RecipeExtractor(str(cls.name), cls.extract)

    def requests(self, input: Any) -> Iterable[Request]:
        """The requests of an input; of one URL or several, white space between them, when it is not written. Callbacks
        and errbacks are set by the recipe."""
        for url in _urls(input):
            yield Request(url)

    @classmethod
    def extract(cls, body: bytes, capture: Capture) -> Iterable[Found]:
        """The documents of a body. Pure: the same body and capture give the same documents; no clock, no request and
        no state. A body that it cannot read raises: that is reported, and the crawl goes on."""
        raise BadOption(NO_EXTRACT.format(cls.name))

    async def start(self) -> AsyncIterator[Request]:
        """The requests of the input, each with what the recipe says of it."""
        for request in self.requests(self.input):
            yield self._polite(request)

    def parse(self, response: Response, **kwargs: Any) -> Iterator[RecipeResult | Request]:
        """The documents of a response. A stored copy that the extractor cannot read is asked for once more."""
        request = response.request
        assert request is not None
        trace = trace_of(request)
        capture = trace.cited
        found = self._read(response, capture)
        unread = found.error is not None and (trace.from_store or capture is not trace.capture)
        if unread and not request.meta.get(_AGAIN) and self._may_ask(request):
            yield self._once_more(request)
            return
        if found.error is not None:
            self.failures += 1
            self.logger.warning("the extractor of %s failed on %s: %s", self.name, self.shown(request.url), found.error)
        yield self._result(request, response, capture, found)

    def failed(self, failure: Failure) -> Iterator[RecipeResult]:
        """The result of a request that gave no response."""
        request: Request = failure.request  # type: ignore[attr-defined]
        yield self._result(request, failure, None, Extracted())

    def _polite(self, request: Request) -> Request:
        urls.normalize(request.url)
        meta = {
            REFRESH: self.mode == "page",
            RENDER: self.render,
            MAX_AGE: self._age,
            AWAIT: True,
            **request.meta,
            RECIPE: self.name,
            MODE: self.mode,
        }
        return request.replace(meta=meta, callback=self.parse, errback=self.failed)

    def _may_ask(self, request: Request) -> bool:
        return durations.max_age(request.meta.get(MAX_AGE, self._age)).kind != "stored"

    def _once_more(self, request: Request) -> Request:
        meta = {key: value for key, value in request.meta.items() if key in _KEPT or not key.startswith("polite")}
        return request.replace(meta={**meta, MAX_AGE: 0, _AGAIN: True}, dont_filter=True)

    def _read(self, response: Response, capture: Capture | None) -> Extracted:
        # of an archived copy the page reader makes a document, and no recipe does
        if capture is None or capture.outcome != "ok" or capture.body is None or projection.is_copy(capture):
            return Extracted()
        trace = trace_of(_of(response))
        return trace.extracted or self._extracted(response.body, capture, trace.page or _NO_PAGE)

    def _extracted(self, body: bytes, capture: Capture, page: Page) -> Extracted:
        """What the extractor says of a stored copy."""
        try:
            return Extracted(tuple(self.extractor()(projection.covered(capture, body), capture, page)))
        except Exception as error:  # the code of an application: it is told, and the crawl goes on
            return Extracted(error=f"{type(error).__name__}: {error}")

    def _result(
        self, request: Request, answer: Response | Failure, capture: Capture | None, found: Extracted
    ) -> RecipeResult:
        facts = tuple(_facts(one, capture) for one in found.documents)
        page = asdict(self.result(request, answer))
        return RecipeResult(**page, recipe=str(self.name), docs=facts, error=found.error)

    def _register(self) -> None:
        """Let the pipelines and the index read the documents of the captures of this recipe."""
        name, extractor, parts = str(self.name), self.extractor(), parts_of(self.crawler)
        known = parts.extractors.setdefault(name, extractor)
        if known != extractor:
            raise BadOption(f"there is another recipe with the name {name!r}")
        parts.index.extractors[name] = extractor


_NO_PAGE = Page()
_KEPT = frozenset({REFRESH, RENDER, MAX_AGE, AWAIT, RECIPE, MODE})


def paced(spider: type[Spider], policy_of: Callable[[str], Policy]) -> Callable[[str], Policy] | None:
    """The limits of hosts for a recipe with a pace of its own; None for any other spider."""
    if not issubclass(spider, Recipe) or spider.min_interval is None:
        return None
    recipe = spider

    def policy(host: str) -> Policy:
        usual = policy_of(host)
        return replace(usual, page_interval=recipe.interval(usual.page_interval))

    return policy


def _writes(recipe: type[Recipe], hook: str) -> bool:
    return next(one for one in recipe.__mro__ if hook in vars(one)) is not Recipe


def _urls(input: object) -> tuple[str, ...]:
    return seeds(None if input is None else str(input), "input")


def _of(response: Response) -> Request:
    assert response.request is not None
    return response.request


def _facts(document: Document, capture: Capture | None) -> DocumentFacts:
    held = document.hold is not None or (capture is not None and capture.hold is not None)
    return DocumentFacts(
        doc=document.doc,
        kind=document.kind,
        title=None if held else document.title,
        url=document.url,
        meta=structural(document.meta, len(document.text)) if held else document.meta,
        chars=len(document.text),
        capture=capture.id if capture else None,
        fetched_at=capture.fetched_at if capture else None,
        held_back=held,
    )
