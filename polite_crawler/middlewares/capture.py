"""Order 950, next to the wire: every response and every decline becomes exactly one capture, on disk before the fetch
goes on. What the body tells of the host (a challenge) is decided here, before a redirect or a retry takes its place."""

import asyncio
import logging
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import Response

from polite_crawler.errors import RenderRefused, StoreError
from polite_crawler.middlewares.facts import facts_of
from polite_crawler.pipelines.draft import Draft
from polite_crawler.rules import challenges, outcomes
from polite_crawler.scheduling.closing import close_with_error
from polite_crawler.scheduling.declined import SILENT, Declined
from polite_crawler.scheduling.lanes import LaneBusy, lanes_of
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.requests import host_of
from polite_crawler.store.record import Capture
from polite_crawler.transport import evidence
from polite_crawler.transport.evidence import Facts
from polite_crawler.transport.meta import ARCHIVE_KINDS, KIND
from polite_crawler.transport.trace import Trace, trace_of
from polite_crawler.transport.wire import ExchangeError, Wire

captured = object()
"""The signal of each new capture, once it is on disk: `captured(capture, request)`."""

logger = logging.getLogger(__name__)


class CaptureMiddleware:
    """Makes the captures and awaits the pipelines. A capture that cannot be written ends the crawl with `error`."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._options = options_of(crawler)
        self._lanes = lanes_of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The middleware of a crawler."""
        return cls(crawler)

    async def process_response(self, request: Request, response: Response) -> Response:
        """Log a response of the wire. A stored copy names its old capture and writes no line."""
        trace = trace_of(request)
        if trace.wire is None or trace.from_store:
            return response
        await self._log(request, trace, self._of_wire(request, trace, trace.wire), trace.wire)
        return response

    async def process_exception(self, request: Request, exception: Exception) -> None:
        """Log a decline or a failure. The exception goes on to the errback."""
        if isinstance(exception, LaneBusy) or (isinstance(exception, Declined) and exception.reason in SILENT):
            return
        trace = trace_of(request)
        facts = facts_of(request, trace, self._options)
        now = self._lanes.clock.now()
        if isinstance(exception, Declined):
            capture = evidence.of_skip(facts, reason=exception.reason, note=exception.note, now=now)
        elif isinstance(exception, RenderRefused):
            capture = evidence.of_skip(facts, reason=exception.reason, note=str(exception), now=now)
        elif isinstance(exception, ExchangeError) and exception.kind == "egress":
            capture = evidence.of_skip(facts, reason="egress", note=str(exception), now=now)
        elif trace.wire is not None and isinstance(exception, StopDownload):
            # what came is an answer like any other
            capture = self._of_wire(request, trace, trace.wire)
        elif trace.wire is not None:
            capture = _of_undecodable(facts, trace, trace.wire, exception)
        elif isinstance(exception, ExchangeError):
            capture = evidence.of_failure(facts, exception, now=now, notes=trace.notes)
        elif isinstance(exception, IgnoreRequest):
            return
        else:
            logger.debug("%s failed", request, exc_info=exception)
            failure = ExchangeError("protocol", f"{type(exception).__name__}: {exception}")
            capture = evidence.of_failure(facts, failure, now=now, notes=trace.notes)
        await self._log(request, trace, capture, trace.wire)

    def _of_wire(self, request: Request, trace: Trace, wire: Wire) -> Capture:
        if wire.made is not None:
            # it is no answer of the host, so it says nothing of its pace and stops
            outcome = outcomes.of_status(wire.status)
            return evidence.of_wire(
                facts_of(request, trace, self._options), wire, outcome=outcome, notes=tuple(trace.notes)
            )
        if request.meta.get(KIND) in ARCHIVE_KINDS and wire.header("memento-datetime") is not None:
            # an archive hands on what another server said once, so nothing of it is about the archive
            notes = [*trace.notes, "an archived answer: its status is that of the copy"]
            outcome = outcomes.of_status(wire.status)
            return evidence.of_wire(facts_of(request, trace, self._options), wire, outcome=outcome, notes=notes)
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in wire.headers]
        verdict = challenges.classify(wire.status, headers, wire.decoded or b"")
        outcome = outcomes.of_status(wire.status, challenge=verdict.kind == "challenge")
        notes = list(trace.notes)
        reason = None
        if verdict.kind is not None:
            reason = verdict.vendor
            notes.append(f"{verdict.kind}: {verdict.vendor} ({verdict.mark})" if verdict.vendor else verdict.kind)
        if verdict.kind == "challenge":
            self._lanes.challenged(host_of(request))
        return evidence.of_wire(
            facts_of(request, trace, self._options), wire, outcome=outcome, reason=reason, notes=notes
        )

    async def _log(self, request: Request, trace: Trace, capture: Capture, wire: Wire | None) -> None:
        draft = Draft(request=request, capture=capture, url=request.url, wire=wire, robots=trace.robots_body)
        draft = await keep(self._crawler, draft)
        trace.capture, trace.page, trace.extracted = draft.capture, draft.page, draft.extracted
        if draft.capture.outcome == "skipped":
            self._tell(draft.capture, trace)
        self._crawler.signals.send_catch_log(captured, capture=draft.capture, request=request)

    def _tell(self, capture: Capture, trace: Trace) -> None:
        """Say why nothing was sent: Scrapy is silent about a request that was ignored."""
        logger.info("%s: %s", capture.url, capture.note)
        self._crawler.stats.inc_value(f"polite/skipped/{capture.reason}")
        if any(not check.allowed for check in trace.robots):
            # the name that Scrapy's own middleware counts under
            self._crawler.stats.inc_value("robotstxt/forbidden")


async def keep(crawler: Crawler, draft: Draft) -> Draft:
    """Bring a capture through the pipelines onto the disk. One that cannot be written ends the crawl: StoreError."""
    try:
        kept = await crawler.engine.scraper.itemproc.process_item_async(draft)
    except StoreError as error:
        close_with_error(crawler, str(error))
        raise
    except asyncio.CancelledError:
        raise
    except Exception as error:
        message = f"the capture of {draft.capture.url} failed: {type(error).__name__}: {error}"
        close_with_error(crawler, message)
        raise StoreError(message) from error
    assert isinstance(kept, Draft)
    return kept


def _of_undecodable(facts: Facts, trace: Trace, wire: Wire, exception: Exception) -> Capture:
    # a refusal stays a refusal, whatever its body is
    outcome = "error" if wire.status < 300 else outcomes.of_status(wire.status)
    return evidence.of_wire(facts, wire, outcome=outcome, reason="decode", notes=[*trace.notes, str(exception)])
