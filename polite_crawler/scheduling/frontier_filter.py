"""The duplicate filter of a resumable crawl."""

from collections.abc import Callable

from scrapy import Request, Spider
from scrapy.dupefilters import BaseDupeFilter

from polite_crawler.rules.redaction import has_secret
from polite_crawler.scheduling.frontier import Frontier


class FrontierFilter(BaseDupeFilter):
    """Filters by the seen-set of a frontier.

    A fingerprint is written together with the request that waits. One that is only reserved (a hop on its way through
    the middlewares) stays in memory until then: a crash in between must not make a page seen that was never asked.
    """

    def __init__(self, frontier: Frontier, fingerprint: Callable[[Request], bytes], params: frozenset[str]) -> None:
        self._frontier = frontier
        self._fingerprint = fingerprint
        self._params = params
        self._reserved: set[bytes] = set()

    def request_seen(self, request: Request) -> bool:
        """True for a request that this job has seen, in this run or in an earlier one; a new one is entered."""
        fingerprint = self._fingerprint(request)
        if fingerprint in self._reserved:
            return True
        return not self._frontier.is_new(fingerprint, secret=has_secret(request.url, self._params))

    def reserve(self, request: Request) -> bool:
        """Take the fingerprint of a request that will come. False for one that was seen or is reserved."""
        if self.knows(request):
            return False
        self._reserved.add(self._fingerprint(request))
        return True

    def knows(self, request: Request) -> bool:
        """True for a request that was seen or is reserved; nothing is entered."""
        fingerprint = self._fingerprint(request)
        return fingerprint in self._reserved or self._frontier.is_seen(fingerprint)

    def settle(self, request: Request) -> None:
        """The request has come: its fingerprint is entered."""
        self._reserved.discard(self._fingerprint(request))
        self.request_seen(request)

    def log(self, request: Request, spider: Spider) -> None:
        """Count a request that was filtered."""
        assert spider.crawler.stats is not None
        spider.crawler.stats.inc_value("dupefilter/filtered")
