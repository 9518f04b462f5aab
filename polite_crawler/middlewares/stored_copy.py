"""Order 82: a stored copy that is young enough answers, and nothing is sent."""

import asyncio
import logging
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from polite_crawler.errors import StoreError
from polite_crawler.middlewares.stored_response import (
    StoredAnswer,
    freshness_of,
    read_answer,
    request_headers,
    response_of,
    usual_headers,
)
from polite_crawler.pipelines.parts import parts_of
from polite_crawler.rules import durations, freshness, redaction
from polite_crawler.scheduling.declined import Declined
from polite_crawler.scheduling.lanes import lanes_of
from polite_crawler.scheduling.options import options_of
from polite_crawler.store.catalog import CopyFacts
from polite_crawler.transport.limits import body_limit
from polite_crawler.transport.meta import ARCHIVE_KINDS, INDEX_AGE, KIND
from polite_crawler.transport.trace import trace_of

MAX_AGE = "polite_max_age"
"""The meta key of a request's own POLITE_MAX_AGE."""

RECIPE = "polite_recipe"
"""The meta key of the recipe of a request: its capture names it."""

_KINDS = frozenset({"fetch", "sitemap", "feed", "subresource", "archive-index"})
_CREDENTIALS = redaction.SECRET_HEADERS | {"authorization", "cookie"}

logger = logging.getLogger(__name__)


class StoredCopy:
    """Answers from the store. A URL with a redacted part, and a request that carries a secret, never are: the store
    cannot tell whose answer it holds."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._options = options_of(crawler)
        self._clock = lanes_of(crawler).clock
        self._usual = usual_headers(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The middleware of a crawler."""
        return cls(crawler)

    async def process_request(self, request: Request) -> Response | None:
        """The response of the stored copy, or None. Raises Declined when nothing may be sent and nothing is stored."""
        if request.method != "GET" or request.meta.get(KIND, "fetch") not in _KINDS:
            return None
        if request.meta.get(KIND) == "archive-index":
            max_age = durations.max_age(request.meta.get(INDEX_AGE, 0))
        else:
            max_age = durations.max_age(request.meta.get(MAX_AGE, self._options.max_age), "max_age")
        copy = self._copy(request)
        if copy is not None and max_age.kind != "stored" and _is_cut_short(copy, body_limit(request, self._crawler)):
            copy = None  # nor would a 304 bring the rest of it
        if copy is not None and self._answers(request, copy, max_age):
            answer = await self._answer(copy)
            if answer is not None:
                trace = trace_of(request)
                trace.from_store, trace.capture, trace.page = True, copy.capture, answer.page
                return response_of(request, copy, answer.body)
        if max_age.kind == "stored":
            raise Declined("stored", "not in the store, and max-age is 'stored': nothing is sent")
        trace_of(request).stale = copy if copy is not None and copy.capture.outcome == "ok" else None
        return None

    def _copy(self, request: Request) -> CopyFacts | None:
        if not may_be_stored(request, self._options.secret_params):
            return None
        kind = request.meta.get(KIND, "fetch")
        try:
            copy = parts_of(self._crawler).index.reading(
                # a browser follows the redirects of a sub-request itself, from one origin to another
                lambda catalog: (
                    catalog.answer_of(request.url, kind)
                    if kind == "subresource"
                    else catalog.copy_of(request.url, kind)
                )
            )
        except StoreError as error:
            logger.warning("%s", error)
            return None
        recipe = None if kind in ARCHIVE_KINDS else request.meta.get(RECIPE)
        # a copy of another recipe has no documents of this one
        return copy if copy is None or recipe is None or copy.capture.recipe == recipe else None

    def _answers(self, request: Request, copy: CopyFacts, max_age: durations.MaxAge) -> bool:
        fields = request_headers(request, self._usual)
        return freshness.answers(freshness_of(copy), max_age, now=self._clock.now(), request_headers=fields)

    async def _answer(self, copy: CopyFacts) -> StoredAnswer | None:
        """The body and the page of a copy, read off the event loop; None when the body is damaged."""
        blobs = parts_of(self._crawler).blobs
        return await asyncio.get_running_loop().run_in_executor(None, read_answer, copy.capture, blobs)


def _is_cut_short(copy: CopyFacts, limit: int) -> bool:
    """Whether a copy was cut by a smaller limit than that of today."""
    body = copy.capture.body
    return body is not None and body.truncated == "length" and body.read_size < limit


def may_be_stored(request: Request, params: frozenset[str]) -> bool:
    """Whether the store can answer a request: it cannot tell whose answer it holds when the request has a secret."""
    return not redaction.has_secret(request.url, params) and not any(
        name.decode("latin-1").lower() in _CREDENTIALS for name in request.headers
    )
