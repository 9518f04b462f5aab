"""Order 570: a page that shows almost nothing without JavaScript goes to a browser, through the queue."""

import asyncio
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from polite_crawler.errors import RenderRefused, StoreError
from polite_crawler.middlewares.redirect import REFRESH, Redirect
from polite_crawler.middlewares.stored_copy import MAX_AGE
from polite_crawler.middlewares.stored_render import copy_of_render
from polite_crawler.middlewares.stored_response import read_answer, response_of
from polite_crawler.pipelines.parts import parts_of
from polite_crawler.rules import durations, redaction, rendering
from polite_crawler.scheduling.declined import Declined
from polite_crawler.scheduling.lanes import LaneBusy, lanes_of
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.ready_queue import ready_queue_of
from polite_crawler.scheduling.scheduler import scheduler_of
from polite_crawler.store.catalog import CopyFacts
from polite_crawler.transport.browser import browser_of
from polite_crawler.transport.meta import KIND
from polite_crawler.transport.plain import RENDERS, Plain, plain_of
from polite_crawler.transport.trace import trace_of
from polite_crawler.transport.watch import STOPPED

RENDER = "polite_render"
"""The meta key of a request's own POLITE_RENDER."""

_READ = frozenset({"ok", "not_modified"})


class Render:
    """Sends a page that needs it to the queue once more, as a render. Whatever comes in its way, the fetched page is
    the answer then, with a note."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._options = options_of(crawler)
        self._lanes = lanes_of(crawler)
        self._browser = browser_of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The middleware of a crawler."""
        return cls(crawler)

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        """The request of the render, the stored render of the same page, or the response as it is."""
        wire = trace_of(request).wire
        if wire is not None and wire.made is not None:
            return self._moved(request, response, wire.made.moves_to)
        plain = self._plain(request, response)
        if plain is None:
            return response
        max_age = durations.max_age(request.meta.get(MAX_AGE, self._options.max_age), "max_age")
        copy = copy_of_render(self._crawler, plain, max_age, now=self._lanes.clock.now())
        stored = await self._stored(plain, copy) if copy is not None else None
        if copy is not None and stored is not None:
            return self._moved(request, stored, (copy.capture.source or {}).get("moves_to"))
        why = "nothing is sent" if max_age.kind == "stored" else self._browser.refused
        if why is not None:
            trace_of(request).notes.append(_not_rendered(why))
            return response
        return scheduler_of(self._crawler).again(_render(plain))

    def process_exception(self, request: Request, exception: Exception) -> Response | None:
        """The fetched page in the place of a render that did not come to be."""
        plain = plain_of(request)
        if plain is None or isinstance(exception, LaneBusy | StoreError):
            return None
        queue = ready_queue_of(self._crawler)
        if isinstance(exception, Declined) and exception.reason == "closing" and queue is not None:
            # the next run of a resumable crawl makes it
            queue.keep(request)
        trace, old = trace_of(request), plain.trace
        trace.wire, trace.capture, trace.page = None, old.capture, old.page
        trace.from_store, trace.stale, trace.validators = old.from_store, old.stale, old.validators
        why = str(exception) if isinstance(exception, RenderRefused | Declined) else f"{type(exception).__name__}"
        trace.notes = [*old.notes, _not_rendered(why)]
        return plain.response.replace(request=request)

    def _plain(self, request: Request, response: Response) -> Plain | None:
        """What a render would start from; None for a page that is none, or is read as it is."""
        trace = trace_of(request)
        capture, page = trace.capture, trace.page
        if request.method != "GET" or request.meta.get(KIND, "fetch") != "fetch" or capture is None or page is None:
            return None
        if trace.live is not None:
            return None  # a copy of an archive: its scripts are not run
        if STOPPED in response.flags:
            return None  # nobody wanted the rest of it
        mode = rendering.mode(request.meta.get(RENDER, self._options.render), RENDER)
        # a bot check is no page, and making it in a browser would be an attempt to pass it
        if mode == "never" or capture.outcome not in _READ or page.kind != "page" or page.blocked:
            return None
        if not (mode == "always" or page.needs_javascript):
            return None
        cited = trace.cited
        return Plain(request, trace, response, cited) if cited is not None and cited.body is not None else None

    def _moved(self, request: Request, response: Response, target: str | None) -> Request | Response:
        """What follows a page whose script leads to another one: a hop, for a request that a refresh may lead on."""
        redirect = self._crawler.get_downloader_middleware(Redirect)
        if target is None:
            return response
        if redirect is not None and request.meta.get(REFRESH):
            return redirect.follow(request, response, target, "script")
        shown = redaction.redact_url(target, self._options.secret_params).url
        trace_of(request).notes.append(f"a script of the page leads to {shown}")
        return response

    async def _stored(self, plain: Plain, copy: CopyFacts) -> Response | None:
        blobs = parts_of(self._crawler).blobs
        answer = await asyncio.get_running_loop().run_in_executor(None, read_answer, copy.capture, blobs)
        if answer is None:
            return None
        trace = trace_of(plain.request)
        trace.page = answer.page
        if trace.capture is not None and trace.capture.outcome == "not_modified":
            trace.stale = copy
        else:
            trace.capture = copy.capture
        return response_of(plain.request, copy, answer.body)


def _render(plain: Plain) -> Request:
    """The request that a browser answers. It is of the page that was fetched, where the redirects of a stored copy
    ended."""
    request, response = plain.request, plain.response
    meta: dict[str, Any] = {**request.meta, KIND: "render", RENDERS: plain}
    if response.url != request.url:
        meta["redirect_urls"] = [*request.meta.get("redirect_urls", []), request.url]
    return request.replace(url=response.url, meta=meta)


def _not_rendered(why: str) -> str:
    return f"not rendered: {why}"
