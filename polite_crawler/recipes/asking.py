"""What the spiders of `venue` and `product` share: pages asked for one by one, holds, walls, a result at the end."""

import asyncio
import json
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from polite_crawler.middlewares.redirect import REFRESH
from polite_crawler.middlewares.render import RENDER
from polite_crawler.middlewares.retry import MAX_RETRIES
from polite_crawler.middlewares.stored_copy import MAX_AGE
from polite_crawler.pipelines.index import AWAIT
from polite_crawler.pipelines.parts import parts_of
from polite_crawler.readers.page import Page
from polite_crawler.recipes.plain import plain
from polite_crawler.rules import durations, rendering
from polite_crawler.scheduling.requests import DEADLINE
from polite_crawler.spiders.arguments import flag, seeds
from polite_crawler.spiders.base import PoliteSpider
from polite_crawler.spiders.results import PageResult
from polite_crawler.store.document import Document
from polite_crawler.store.projection import documents_of
from polite_crawler.store.record import Capture, Time, utc
from polite_crawler.transport.trace import trace_of

PAGE_ARGUMENTS = (
    "max_age", "render", "budget", "user_provided", "archive_fallback", "archive_despite_robots",
)  # fmt: skip
"""The arguments that say how a page is asked for."""

_WALLS = frozenset({"blocked", "paid", "challenge"})
_WALL_SKIPS = frozenset({"robots", "stop"})
_READ = frozenset({"ok", "not_modified"})


@dataclass(frozen=True, slots=True)
class Seen:
    """A request that ended: its result; the capture, the page and the document when it was read. `url` is the one
    that answered."""

    url: str
    result: PageResult
    capture: Capture | None = None
    page: Page | None = None
    document: Document | None = None
    rendered: bool = False
    reason: str | None = None

    @property
    def wall(self) -> bool:
        """Whether the site refuses the crawler. Nothing is tried then with another identity."""
        if self.page is not None and self.page.blocked:
            return True
        if self.result.archived:
            return False
        return self.result.outcome in _WALLS or (self.result.outcome == "skipped" and self.reason in _WALL_SKIPS)


class AskingSpider(PoliteSpider, ABC):
    """Asks for pages and gives one result, `summary`, which is its item too. `user_provided` reads pages that asked
    not to be AI input, for a URL that a person gave; each one is logged. `archive_fallback` and
    `archive_despite_robots` are those of the settings, for this run."""

    def __init__(
        self,
        url: str | None = None,
        max_age: str | int | None = None,
        render: str | None = None,
        budget: str | float | None = None,
        user_provided: str | bool = False,
        archive_fallback: str | bool | None = None,
        archive_despite_robots: str | bool | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        (self.url, *_) = seeds(url)
        if max_age is not None:
            durations.max_age(max_age)
        self.user_provided = flag(user_provided, "user_provided")
        self.render = None if render is None else rendering.mode(render, "render")
        self.summary: Any = None
        span = None if budget is None else durations.seconds(budget, "budget")
        self._deadline = None if span is None else time.time() + span
        self._age = max_age
        asked = {"archive_fallback": archive_fallback, "archive_despite_robots": archive_despite_robots}
        self._archives = {f"polite_{name}": flag(value, name) for name, value in asked.items() if value is not None}

    def ask(self, url: str, **meta: Any) -> Request:
        """A request of this spider."""
        # the index has the page then, when the same one is asked for in a browser
        meta = {REFRESH: True, MAX_RETRIES: 0, AWAIT: True, **self._archives, **meta}
        if self._age is not None:
            meta[MAX_AGE] = self._age
        if self.render is not None:
            meta.setdefault(RENDER, self.render)
        if self._deadline is not None:
            meta[DEADLINE] = self._deadline
        return Request(url, callback=self.parse, errback=self.failed, dont_filter=True, meta=meta)

    @abstractmethod
    def failed(self, failure: Failure) -> Iterator[Any]:
        """What comes of a request that gave no response."""

    def seen(self, request: Request, answer: Response | Failure) -> Seen:
        """What became of a request."""
        trace = trace_of(request)
        result = self.result(request, answer)
        reason = trace.capture.reason if trace.capture is not None else None
        capture, page = trace.cited, trace.page
        read = result.outcome in _READ or result.archived is not None
        if not read or capture is None or page is None or not isinstance(answer, Response):
            return Seen(result.final_url, result, reason=reason)
        document = next(iter(documents_of(capture, page)), None)
        return Seen(answer.url, result, capture, page, document, capture.kind == "render", reason)

    async def may_read(self, seen: Seen) -> bool:
        """Whether the text of a page may be used: it is not held back, or a person gave its URL and that is in the
        log now."""
        if seen.capture is None or seen.capture.hold is None:
            return seen.capture is not None
        if not self.user_provided:
            return False
        override = Capture(
            kind="override",
            url=seen.capture.url,
            time=Time(utc(time.time())),
            outcome="skipped",
            reason="user-provided",
            note=f"{seen.result.doc} was read although it is held back: a person gave its URL",
            source={"of": seen.capture.id},
        ).sealed()
        await asyncio.wrap_future(parts_of(self.crawler).writer.submit(override))
        return True

    def closed(self, reason: str) -> None:
        """Print the result, where `scrapy crawl` is what a person looks at."""
        if self.summary is not None and self.settings.get("POLITE_OUTPUT") in ("text", "json"):
            sys.stdout.write(json.dumps(plain(self.summary), ensure_ascii=False) + "\n")
