"""What our spiders share: the add-on, one result for each request, arguments that are checked."""

import asyncio
import time
from typing import Any, Self

import scrapy
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import BaseSettings
from twisted.python.failure import Failure

from polite_crawler.errors import BadOption, PoliteError
from polite_crawler.rules import redaction, urls
from polite_crawler.scheduling.closing import ERROR
from polite_crawler.scheduling.declined import Declined
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.usage import stop_with
from polite_crawler.spiders.results import PageResult
from polite_crawler.store.projection import archive_note, archived_from, archived_id
from polite_crawler.store.record import epoch
from polite_crawler.transport.trace import Trace, trace_of

ADDON = "polite_crawler.Addon"


class PoliteSpider(scrapy.Spider):
    """A spider that cannot run impolitely by accident: it switches the add-on on wherever it runs, `scrapy runspider`
    included. A response of any status reaches its callback."""

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Add the add-on to the settings of the crawl."""
        super().update_settings(settings)
        addons = settings.getdict("ADDONS")
        if not any(_names_addon(key) for key in addons):
            settings.set("ADDONS", {**addons, ADDON: 300}, "spider")
        settings.set("HTTPERROR_ALLOW_ALL", True, "spider")
        # beyond it a request would vanish with no callback, no errback and no capture
        settings.set("URLLENGTH_LIMIT", 0, "spider")

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """The spider of a crawl. A bad argument ends a `scrapy` command with one line, a program with BadOption."""
        try:
            spider = super().from_crawler(crawler, *args, **kwargs)
        except BadOption as error:
            stop_with(error)
        crawler.signals.connect(spider._failed_to_ask, signals.spider_error)
        return spider

    def _failed_to_ask(self, failure: Failure, response: Response | None) -> None:
        """Say why a crawl ended before all its requests were made: nothing else would."""
        if response is None and self.crawler.stats.get_value(ERROR) is None:
            why = " ".join(str(failure.value).split())
            self.crawler.stats.set_value(
                ERROR, f"the requests of {self.name} could not be made: {type(failure.value).__name__}: {why}"
            )

    def result(self, request: Request, answer: Response | Failure) -> PageResult:
        """The result of a request that has ended, from its callback or its errback."""
        return page_result(request, answer, params=options_of(self.crawler).secret_params, now=time.time())

    def shown(self, url: str) -> str:
        """A URL as it may be shown: with REDACTED in the place of its secrets."""
        return redaction.redact_url(url, options_of(self.crawler).secret_params).url


def page_result(request: Request, answer: Response | Failure, *, params: frozenset[str], now: float) -> PageResult:
    """What a person wants to know of a request that has ended. Secrets in URLs show as REDACTED."""
    trace = trace_of(request)
    capture, page = trace.capture, trace.page
    archived = archived_of(trace)
    cited = trace.cited
    asked = request.meta.get("redirect_urls", [request.url])[0]
    final = answer.url if isinstance(answer, Response) and archived is None else request.url
    shown = urls.without_fragment(redaction.redact_url(final, params).url)
    told = trace.live or capture
    held = cited is not None and cited.hold is not None
    read = page is not None and capture is not None and capture.outcome in ("ok", "not_modified")
    return PageResult(
        url=redaction.redact_url(asked, params).url,
        final_url=shown,
        doc=None if not read else urls.doc_id(shown) if archived is None else archived_id(shown),
        outcome=told.outcome if told else "error",
        status=told.status if told else None,
        title=page.title if page is not None and read and not held else None,
        capture=cited.id or None if cited else None,
        fetched_at=cited.fetched_at if cited else None,
        from_cache=trace.from_store,
        age_s=_age(trace, now),
        chars=len(page.text) if page is not None and read else 0,
        truncated=bool(cited and cited.body and cited.body.truncated),
        held_back=held,
        archived=archived,
        note=page_note(request, answer),
    )


def page_note(request: Request, answer: Response | Failure) -> str | None:
    """What is to be said of a request that has ended."""
    trace = trace_of(request)
    told = trace.live or trace.capture
    notes = [told.note if told else _failure_note(answer), *trace.notes, archive_note(archived_of(trace))]
    return "; ".join(dict.fromkeys(note for note in notes if note)) or None


def archived_of(trace: Trace) -> dict[str, Any] | None:
    """Which archive gave the page of a request, and of which date it is; None for a page of the site itself."""
    return archived_from(trace.capture) if trace.live is not None and trace.capture is not None else None


def _age(trace: Trace, now: float) -> int:
    """How old a page is, in seconds: a copy of an archive since the archive made it, a stored one since it was
    fetched."""
    archived, capture = archived_of(trace), trace.capture
    if archived is not None:
        return max(0, int(now - epoch(str(archived["timestamp"]))))
    return max(0, int(now - epoch(capture.fetched_at))) if capture is not None and trace.from_store else 0


def _failure_note(answer: Response | Failure) -> str | None:
    if isinstance(answer, Response):
        return None
    error = answer.value
    if isinstance(error, asyncio.CancelledError):
        return "stopped"
    if isinstance(error, Declined):
        return error.note
    if isinstance(error, PoliteError):
        return str(error)
    return f"{type(error).__name__}: {error}"


def _names_addon(key: object) -> bool:
    return key == ADDON or (
        getattr(key, "__name__", "") == "Addon" and getattr(key, "__module__", "") == "polite_crawler.addon"
    )
