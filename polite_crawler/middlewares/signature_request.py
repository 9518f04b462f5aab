"""Order 580, before anything takes a refusal for one: a server that asks for a signature gets the request with it."""

from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from polite_crawler.scheduling.scheduler import scheduler_of
from polite_crawler.transport.meta import KIND
from polite_crawler.transport.trace import trace_of

_ASKED = "polite_signature_asked"


class SignatureRequest:
    """Sends a request once more through the queue, signed, when its answer was an Accept-Signature (with POLITE_SIGN
    `on-request`). Both are captures. Who asks for robots.txt does so itself."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The middleware of a crawler."""
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """The request again, or the response."""
        if not trace_of(request).signature_asked or request.meta.get(_ASKED) or request.meta.get(KIND) == "robots":
            return response
        copy = request.copy()
        copy.meta[_ASKED] = True
        return scheduler_of(self._crawler).again(copy)
