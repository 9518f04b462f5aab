"""Order 900: conditional requests. A 304 becomes the stored body; Capture has seen the 304 itself."""

import asyncio
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from polite_crawler.middlewares.stored_response import read_answer, response_of, stored_headers
from polite_crawler.pipelines.parts import parts_of
from polite_crawler.rules import urls
from polite_crawler.rules.httpdates import header
from polite_crawler.rules.validators import Conditions, Memo, Result, conditions, next_memo
from polite_crawler.scheduling.lanes import lanes_of
from polite_crawler.scheduling.requests import host_of
from polite_crawler.scheduling.scheduler import scheduler_of
from polite_crawler.store.catalog import CopyFacts
from polite_crawler.store.record import Capture
from polite_crawler.store.record import Validators as Sent
from polite_crawler.transport.trace import trace_of

_CONDITIONS = "polite_conditions"
_WHOLE = "polite_whole"
_FIELDS = ("If-None-Match", "If-Modified-Since")


class Validators:
    """Asks with the validators of the stored copy, as the memo of the host says, and keeps the memo."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._lanes = lanes_of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The middleware of a crawler."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Add the conditions of the stored copy. Those of an earlier turn, or of the hop before, go first."""
        if request.meta.pop(_CONDITIONS, None) is not None:
            for name in _FIELDS:
                request.headers.pop(name, None)
        trace = trace_of(request)
        copy = trace.stale
        whole = request.meta.get(_WHOLE)
        if whole or copy is None or not _is_of(copy, request) or any(name in request.headers for name in _FIELDS):
            trace.stale = None
            return
        fields = stored_headers(copy)
        sent = conditions(
            Memo.from_json(self._lanes.store.memo(host_of(request))),
            etag=header(fields, "etag"),
            last_modified=header(fields, "last-modified"),
            now=self._lanes.clock.now(),
        )
        if not sent.headers:
            return
        for name, value in sent.headers.items():
            request.headers[name] = value.encode("latin-1")
        request.meta[_CONDITIONS] = sent
        trace.validators = Sent(sent.headers, copy.capture.id)

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        """The stored response in the place of a 304, and the memo after any answer to a condition. The request again,
        without conditions, when the store has lost the body that the 304 is about."""
        trace = trace_of(request)
        sent = request.meta.get(_CONDITIONS)
        if trace.from_store or trace.stale is None or not isinstance(sent, Conditions) or trace.validators is None:
            return response
        if response.status == 304:
            self._learn(request, sent, "not-modified")
            loop = asyncio.get_running_loop()
            answer = await loop.run_in_executor(None, read_answer, trace.stale.capture, parts_of(self._crawler).blobs)
            if answer is None:
                # a copy without its body would be confirmed for ever: the page is asked for once more, whole
                return scheduler_of(self._crawler).again(request.replace(meta={**request.meta, _WHOLE: True}))
            trace.page = answer.page
            return response_of(request, trace.stale, answer.body)
        if 200 <= response.status < 300:
            self._learn(request, sent, "same-body" if _same_body(trace.stale, trace.capture) else "changed")
        return response

    def _learn(self, request: Request, sent: Conditions, result: Result) -> None:
        now = self._lanes.clock.now()
        self._lanes.store.change_memo(
            host_of(request), lambda memo: next_memo(Memo.from_json(memo), sent, result, now=now).to_json()
        )


def _is_of(copy: CopyFacts, request: Request) -> bool:
    """Whether the copy is of this very URL, and not of the one that its redirects led to."""
    return urls.normal_or_none(copy.capture.url) == urls.normal_or_none(request.url)


def _same_body(copy: CopyFacts, capture: Capture | None) -> bool:
    if capture is None or capture.body is None or copy.capture.body is None:
        return False
    old, new = copy.capture.body, capture.body
    return (old.decoded.sha256 if old.decoded else old.sha256) == (new.decoded.sha256 if new.decoded else new.sha256)
