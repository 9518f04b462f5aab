"""Scrapy's signals of a download in progress, and the handlers of them that stop it."""

from typing import Any, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Headers, Response
from twisted.python.failure import Failure

from polite_crawler.transport.heads import Head
from polite_crawler.transport.meta import KIND

STOPPED = "download_stopped"
"""The flag of a response whose body was stopped."""


class SignalWatch:
    """Sends headers_received and bytes_received while a response comes (`response.Watch`). `stopped` is the
    StopDownload that one of their handlers raised."""

    def __init__(self, crawler: Crawler, request: Request) -> None:
        self.stopped: StopDownload | None = None
        self._crawler = crawler
        self._request = request

    @classmethod
    def of(cls, crawler: Crawler, request: Request) -> Self | None:
        """The watch over a request; None for robots.txt, which nobody may cut."""
        return None if request.meta.get(KIND) == "robots" else cls(crawler, request)

    def headed(self, head: Head) -> bool:
        """Tell of the head; true when the body is not wanted."""
        headers = Headers()
        for name, value in head.headers:
            headers.appendlist(name, value)
        return self._send(signals.headers_received, headers=headers, body_length=head.length)

    def received(self, octets: bytes) -> bool:
        """Tell of octets of the body; true when no more are wanted."""
        return self._send(signals.bytes_received, data=octets)

    def ended(self, response: Response) -> Response:
        """The response as the handler that stopped it wants it: for the callback, or raised for the errback."""
        if self.stopped is None:
            return response
        response.flags = [*(flag for flag in response.flags if flag != "truncated"), STOPPED]
        if self.stopped.fail:
            self.stopped.response = response
            raise self.stopped
        return response

    def _send(self, signal: object, **told: Any) -> bool:
        crawler = self._crawler
        for _, result in crawler.signals.send_catch_log(signal, request=self._request, spider=crawler.spider, **told):
            if isinstance(result, Failure) and isinstance(result.value, StopDownload):
                self.stopped = result.value
        return self.stopped is not None
