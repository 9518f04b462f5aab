"""Renders: the part of the download handler that lets a browser make a page."""

import logging
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response

from polite_crawler.errors import RenderRefused
from polite_crawler.rules import rendering, urls
from polite_crawler.rules.rendering import Limits
from polite_crawler.scheduling.lanes import HostLanes, Lane, LaneBusy
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.requests import deadline_of, host_of
from polite_crawler.transport.browser import BrowserLost, browser_of
from polite_crawler.transport.in_progress import Ended, InProgress
from polite_crawler.transport.plain import Plain
from polite_crawler.transport.subrequests import Subrequests
from polite_crawler.transport.tab import Document, Rendered, Tab
from polite_crawler.transport.trace import trace_of
from polite_crawler.transport.wire import Made, Wire

RENDERED = "rendered"
"""The flag of a response that a browser made."""

LIMITS = Limits()
"""The bounds of every render."""

logger = logging.getLogger(__name__)


class RenderHandler:
    """Makes the pages of one crawler. It holds the lane of a page's host from the first sub-request to the last."""

    def __init__(self, crawler: Crawler, lanes: HostLanes, progress: InProgress) -> None:
        options = options_of(crawler)
        self._crawler = crawler
        self._lanes = lanes
        self._progress = progress
        self._limits = LIMITS
        self._max_bytes = options.max_bytes
        self._picture = options.screenshot
        self._browser = browser_of(crawler)

    async def download(self, request: Request, plain: Plain) -> Response:
        """The page as a browser makes it of the fetched one.

        Raises RenderRefused, StoreError, and what the lane raises: HostStopped, DeadlineReached, Closing, LaneBusy.
        """
        document = _document(plain)
        if self._browser.refused is not None:
            raise RenderRefused("browser", self._browser.refused)
        trace, host = trace_of(request), host_of(request)
        lane = await self._lanes.acquire(host, deadline=deadline_of(request), kind="render", wait=not trace.queued)
        sub = Subrequests(self._crawler, request, lane, self._lanes, self._limits)
        began = self._lanes.clock.now()
        try:
            rendered = await self._made(request, document, lane, sub)
        finally:
            await sub.close(self._progress)
            self._lanes.release(lane, None)
        trace.wire = _wire(
            plain,
            rendered,
            started=began,
            ended=self._lanes.clock.now(),
            most=self._max_bytes,
            notes=(*rendered.notes, *sub.notes),
        )
        return HtmlResponse(
            plain.response.url,
            status=trace.wire.status,
            headers=list(trace.wire.headers),
            body=trace.wire.payload,
            flags=[RENDERED],
            request=request,
            encoding="utf-8",
        )

    async def close(self) -> None:
        """End the browser, unless others use it."""
        await self._browser.close()

    async def _made(self, request: Request, document: Document, lane: Lane, sub: Subrequests) -> Rendered:
        try:
            with self._progress.of(request, lane):
                try:
                    return await self._tried(document, sub)
                except BrowserLost as error:
                    if self._lanes.closing:
                        # Ctrl+C of a terminal reaches the processes of the browser too
                        raise
                    logger.info("%s is made once more: %s", document.url, error)
                    return await self._tried(document, sub)
        except BrowserLost as error:
            raise RenderRefused("refused", f"the browser cannot make the page: {error}") from error
        except Ended as end:
            if end.lost:
                raise LaneBusy(lane.host) from None
            raise RenderRefused("refused", str(end)) from None

    async def _tried(self, document: Document, sub: Subrequests) -> Rendered:
        async with self._browser.tab() as page:
            rendered = await Tab(page, document, sub.ask, self._limits).render(
                most=self._max_bytes, picture=self._picture
            )
        if sub.error is not None:
            raise sub.error
        return rendered


def _document(plain: Plain) -> Document:
    """The fetched page as the browser gets it. Raises RenderRefused for one that it would not show."""
    response = plain.response
    headers = [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, values in response.headers.items()
        for value in values
    ]
    if not urls.is_http(response.url):
        raise RenderRefused("scheme", "only http and https pages are rendered")
    if rendering.is_offered_as_file(headers):
        raise RenderRefused("download", "the page is offered as a file")
    page = plain.trace.page
    if page is not None and page.encoding:
        # the reader's decision: both read the same characters
        kind = next((value for name, value in headers if name.lower() == "content-type"), "text/html")
        headers = [pair for pair in headers if pair[0].lower() != "content-type"]
        headers.append(("Content-Type", f"{kind.partition(';')[0].strip() or 'text/html'}; charset={page.encoding}"))
    return Document(_without_login(response.url), response.status, tuple(headers), response.body)


def _without_login(url: str) -> str:
    """The URL without a user name and a password: they are no business of the scripts of a page."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl() if "@" in parts.netloc else url


def _wire(plain: Plain, rendered: Rendered, *, started: float, ended: float, most: int, notes: tuple[str, ...]) -> Wire:
    """The tree as the body of an answer that no server sent."""
    octets = rendered.html.encode("utf-8", "replace")
    cut = rendered.cut or len(octets) > most
    if len(octets) > most:
        octets = octets[:most].decode("utf-8", "ignore").encode()
    told = [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, values in plain.response.headers.items()
        for value in values
    ]
    fields = [("Content-Type", "text/html; charset=utf-8"), *rendering.headers_of_tree(told)]
    pairs = tuple((name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in fields)
    head = b"HTTP/1.1 %d \r\n" % plain.response.status + b"".join(b"%s: %s\r\n" % pair for pair in pairs) + b"\r\n"
    return Wire(
        request_head=b"",
        response_head=head,
        http="1.1",
        status=plain.response.status,
        reason="",
        headers=pairs,
        payload=octets,
        decoded=octets,
        coding=None,
        declared=None,
        truncated="length" if cut else None,
        undecodable=None,
        ip="",
        port=0,
        reused=False,
        tls=None,
        started=started,
        headed=started,
        ended=ended,
        wire_octets=0,
        notes=notes,
        made=Made(plain.capture.id, rendered.moves_to, rendered.picture),
    )
