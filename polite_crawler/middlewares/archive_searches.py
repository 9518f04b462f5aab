"""The searches for archived copies: what is asked next, and what their end is for the page."""

from dataclasses import dataclass, replace
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes

from polite_crawler.archive import fallback
from polite_crawler.archive.copies import entity
from polite_crawler.archive.mementos import ArchivedCopy
from polite_crawler.archive.search import Search
from polite_crawler.middlewares.archive_keys import DESPITE_ROBOTS
from polite_crawler.middlewares.capture import keep
from polite_crawler.middlewares.facts import facts_of
from polite_crawler.middlewares.robots import MODE, checks_of
from polite_crawler.middlewares.robots_files import robots_files_of
from polite_crawler.middlewares.stored_archived import answer_of_capture, stored_copy
from polite_crawler.middlewares.stored_copy import MAX_AGE
from polite_crawler.pipelines.draft import Draft
from polite_crawler.rules import durations, outcomes, redaction, signals, urls
from polite_crawler.scheduling.declined import Declined
from polite_crawler.scheduling.lanes import lanes_of
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.requests import host_of
from polite_crawler.scheduling.scheduler import scheduler_of
from polite_crawler.store.record import Capture
from polite_crawler.transport import archive_search
from polite_crawler.transport.archive_search import search_of
from polite_crawler.transport.meta import INDEX_AGE, KIND, LIVE, SEARCH
from polite_crawler.transport.trace import META, Trace, trace_of
from polite_crawler.transport.wire import ExchangeError, Wire

ARCHIVED = "archived"
"""The flag of a response that is an archived copy."""

_INDEX_AGE = "24h"
_CUT = "no archived copy: the crawl ended before the search did"


@dataclass(frozen=True, slots=True, eq=False)
class Live:
    """What the site itself answered: its request, and the response or the exception."""

    request: Request
    ending: Response | Exception
    notes: tuple[str, ...]


class Searches:
    """The searches of a crawler."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._options = options_of(crawler)
        self._lanes = lanes_of(crawler)

    async def after_response(self, request: Request, response: Response) -> Request | Response:
        """The next request of a search, the copy at its end, or the response as it is."""
        trace = trace_of(request)
        if SEARCH not in request.meta:
            return await self._begin(request, response) or response
        if trace.from_store:
            return await self._heard(request, response.status, _pairs(response), response.body, None)
        assert trace.wire is not None
        return await self._heard_wire(request, trace.wire)

    async def after_exception(self, request: Request, exception: Exception) -> Request | Response | None:
        """The next request of a search, the end of one, or None for an exception that goes on to the errback."""
        trace = trace_of(request)
        if SEARCH not in request.meta:
            told = isinstance(exception, Declined | ExchangeError)
            return await self._begin(request, exception) if told else None
        if trace.wire is not None:
            return await self._heard_wire(request, trace.wire)
        if isinstance(exception, ExchangeError) and exception.kind == "cancelled":
            return await self._as_it_was(request, search_of(request), _CUT)
        if isinstance(exception, ExchangeError) and exception.kind != "egress":
            return await self._heard(request, 0, [], b"", None)
        note = f"{host_of(request)}: {exception}"
        return await self._next(
            request, search_of(request), fallback.skipped(search_of(request).ask, note, now=self._now())
        )

    async def _begin(self, request: Request, ending: Response | Exception) -> Request | Response | None:
        """The first request of a search, or the stored copy of an archive; None when no archive may be asked."""
        capture, trace = trace_of(request).capture, trace_of(request)
        if capture is None or trace.from_store or not self._may_ask(request, capture):
            return None
        url = urls.without_fragment(request.url)
        if redaction.has_secret(url, self._options.secret_params):
            trace.notes.append("no archive is asked: the URL holds a secret")
            return None
        if not self._despite_robots(request) and (note := self._disallowed(url)) is not None:
            trace.notes.append(f"no archive is asked: {note}")
            return None
        max_age = durations.max_age(request.meta.get(MAX_AGE, self._options.max_age), "max_age")
        found = await stored_copy(self._crawler, url, max_age, now=self._now())
        if found is not None:
            trace.live, trace.capture, trace.page = capture, found.capture, found.page
            trace.from_store, trace.searched, trace.wire = True, True, None
            return found.response(request)
        if self._lanes.closing:
            trace.notes.append(_CUT)
            return None
        # a search can wait for long, and the response has the body
        trace.wire = None
        ask = fallback.first(url, now=self._now(), timegate=self._options.archive_timegate)
        return self._ask(request, Search(capture, ask), Live(request, ending, tuple(trace.notes)))

    def _may_ask(self, request: Request, capture: Capture) -> bool:
        """Whether a copy of this page is wanted after this outcome. A secret in its URL is looked at later."""
        meta = request.meta
        if request.method != "GET" or meta.get(KIND, "fetch") != "fetch" or meta.get(MODE) == "api":
            return False
        if capture.reason == "cancelled":
            return False
        skip = outcomes.skip_kind(capture.note or "") if capture.outcome == "skipped" else None
        return fallback.is_wanted_after(capture.outcome, skip, despite_robots=self._despite_robots(request))

    def _despite_robots(self, request: Request) -> bool:
        return bool(request.meta.get(DESPITE_ROBOTS, self._options.archive_despite_robots))

    def _disallowed(self, url: str) -> str | None:
        """Why the robots.txt of today keeps a copy away. Nobody is asked for it: of a stopped host counts what is
        known."""
        found = robots_files_of(self._crawler).known(url)
        return checks_of(found, self._options.identity.tokens, url)[1] if found is not None else None

    def _ask(self, request: Request, search: Search, live: Live | None) -> Request:
        """The request of a step. It has the callbacks and the meta of the page, and none of its header fields."""
        asked = search.ask.request
        meta: dict[str, Any] = {**request.meta, KIND: asked.kind, SEARCH: search.to_json()}
        for key in (META, INDEX_AGE):
            meta.pop(key, None)
        if live is not None:
            meta[LIVE] = live
        if search.ask.stage == "indexes":
            meta[INDEX_AGE] = _INDEX_AGE
        again = Request(
            asked.url, callback=request.callback, errback=request.errback, headers=dict(asked.headers), meta=meta,
            priority=request.priority, dont_filter=request.dont_filter, flags=request.flags,
            cb_kwargs=request.cb_kwargs,
        )  # fmt: skip
        return scheduler_of(self._crawler).again(again)

    async def _heard_wire(self, request: Request, wire: Wire) -> Request | Response:
        fields, body = archive_search.fields_of(wire), archive_search.body_of(wire)
        return await self._heard(request, wire.status, fields, body, wire)

    async def _heard(
        self, request: Request, status: int, fields: archive_search.Fields, body: bytes, wire: Wire | None
    ) -> Request | Response:
        """What follows an answer of an archive; without a wire it failed, or came from the store."""
        search = search_of(request)
        if trace_of(request).from_store and fallback.refusal(search.ask, status, fields, body) is not None:
            # an index that was stored in an outage
            fresh = self._ask(request, search, None)
            fresh.meta[INDEX_AGE] = 0
            return fresh
        step = fallback.proceed(search.ask, status, fields, body, now=self._now())
        if isinstance(step, fallback.Given) and wire is not None:
            given = await self._given(request, search, step.copy, wire)
            if given is not None:
                return given
            step = fallback.skipped(search.ask, f"the copy of {step.copy.source} cannot be read", now=self._now())
        return await self._next(request, search, step)

    async def _next(self, request: Request, search: Search, step: fallback.Next) -> Request | Response:
        """The next request, or the end without a copy: what the site answered is returned or raised."""
        while isinstance(step, fallback.Ask):
            if self._lanes.closing:
                # nothing that waits now would be heard of again
                return await self._as_it_was(request, search, _CUT)
            if (note := self._unwanted(step)) is None:
                return self._ask(request, replace(search, ask=step), None)
            step = fallback.skipped(step, note, now=self._now())
        assert isinstance(step, fallback.NotGiven)
        return await self._as_it_was(request, search, f"no archived copy: {step.note}")

    def _unwanted(self, ask: fallback.Ask) -> str | None:
        """Why a step is not asked for, or None."""
        # the URL of a copy can hold what the asked one did not
        if redaction.has_secret(ask.request.url, self._options.secret_params):
            return "the URL of the copy holds a secret"
        octets = ask.line.length if ask.line is not None and ask.stage == "record" else 0
        if octets > self._options.max_bytes:
            return f"the record of Common Crawl has {octets} octets, and {self._options.max_bytes} are the limit"
        return None

    async def _given(self, request: Request, search: Search, copy: ArchivedCopy, wire: Wire) -> Response | None:
        """The copy as a capture of its own and as the response; None when it is none that can be read."""
        body = entity(copy, self._options.max_bytes)
        if body.decoded is None or redaction.has_secret(copy.original, self._options.secret_params):
            return None
        trace, asked = trace_of(request), search.ask.url
        exchange = trace.capture
        assert exchange is not None
        known = robots_files_of(self._crawler).known(asked)
        facts = replace(
            facts_of(request, trace, self._options), url=copy.url, validators=None, signed=None,
            robots=checks_of(known, self._options.identity.tokens, asked)[0] if known is not None else (),
        )  # fmt: skip
        made = archive_search.wire_of(copy, body, wire)
        capture = archive_search.capture_of(facts, made, copy, asked=asked, of=exchange.id)
        draft = await keep(
            self._crawler,
            Draft(
                request=request, capture=capture, url=copy.original, wire=made,
                robots=known.body if known is not None else None, more_headers=self._of_archive(copy, trace, wire),
            ),
        )  # fmt: skip
        trace.live, trace.capture, trace.page = search.live, draft.capture, draft.page
        trace.wire, trace.stale, trace.searched = None, None, True
        return _response(copy, made)

    def _of_archive(self, copy: ArchivedCopy, trace: Trace, wire: Wire) -> tuple[tuple[str, str], ...]:
        """The fields of the archive itself, and its usage signals in robots.txt in the form of fields."""
        found = signals.combine(
            robots=trace.robots_body, url=copy.url, headers=(), html=None, tokens=self._options.identity.tokens
        )
        stated = ", ".join(f"{name}={value}" for name, value in found.content_signal.items())
        return (*archive_search.fields_of(wire), *([("Content-Signal", stated)] if stated else []))

    async def _as_it_was(self, request: Request, search: Search, note: str) -> Response:
        """What the site answered, as the answer to this request; its exception is raised."""
        live, trace = request.meta.get(LIVE), trace_of(request)
        trace.capture, trace.page, trace.wire, trace.from_store = search.live, None, None, False
        trace.stale, trace.searched, trace.notes = None, True, [note]
        if not isinstance(live, Live):
            ending = await answer_of_capture(self._crawler, request, search.live)
        else:
            ending, trace.notes = live.ending, [*live.notes, note]
        if isinstance(ending, Response):
            return ending.replace(request=request)
        raise ending

    def _now(self) -> float:
        return self._lanes.clock.now()


def _response(copy: ArchivedCopy, wire: Wire) -> Response:
    """The copy as a response of the URL that the archive captured."""
    headers = Headers()
    for name, value in wire.headers:
        headers.appendlist(name, value)
    plain = headers.copy()
    plain.pop("Content-Encoding", None)
    body = wire.decoded or b""
    cls = responsetypes.from_args(headers=plain, url=copy.original, body=body)
    return cls(url=copy.original, status=copy.status, headers=headers, body=body, flags=[ARCHIVED])


def _pairs(response: Response) -> archive_search.Fields:
    return [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, values in response.headers.items()
        for value in values
    ]
