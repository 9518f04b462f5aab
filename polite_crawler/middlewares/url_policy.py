"""Order 80: what may be asked at all: http(s) only, within the crawl's pages and time, and no secret in a Referer."""

import base64
import logging
from typing import Self
from urllib.parse import unquote, urlsplit

from scrapy import Request
from scrapy.crawler import Crawler

from polite_crawler.rules import outcomes, redaction, urls
from polite_crawler.scheduling.declined import Declined
from polite_crawler.scheduling.lanes import HostLanes, lanes_of
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.requests import deadline_of
from polite_crawler.transport.trace import trace_of

logger = logging.getLogger(__name__)


class UrlPolicy:
    """Declines URLs that are not fetched, and requests whose time has passed."""

    def __init__(self, crawler: Crawler, lanes: HostLanes) -> None:
        self._crawler = crawler
        self._lanes = lanes
        self._params = options_of(crawler).secret_params
        self._told_of_cookies = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The middleware of a crawler."""
        return cls(crawler, lanes_of(crawler))

    def process_request(self, request: Request) -> None:
        """Raise Declined for what is not asked."""
        trace_of(request)
        if not urls.is_http(request.url):
            raise Declined("url", "only http and https URLs with a host are fetched")
        # the field of a stored head leads to a record of a URL, and a person may copy one
        if redaction.is_record(request.url, self._params):
            raise Declined("url", "the URL is a record: its secret was not kept, REDACTED stands for it")
        # a spider can count its pages, so that no request too many goes out
        declines = getattr(self._crawler.spider, "decline_request", None)
        if declines is not None and (declined := declines(request)) is not None:
            raise declined
        if self._lanes.limit(deadline_of(request)) < self._lanes.clock.now():
            raise Declined("deadline", outcomes.DEADLINE_NOTE)
        if request.cookies and not self._told_of_cookies:
            self._told_of_cookies = True
            logger.warning("cookies are off, so those of Request(cookies=...) are not sent: write a Cookie header")
        _keep_secrets_home(request, self._params)
        _log_in(request)


def _keep_secrets_home(request: Request, params: frozenset[str]) -> None:
    referer = request.headers.get("Referer")
    if referer:
        safe = redaction.safe_referer(referer.decode("latin-1"), params)
        if safe is None:
            del request.headers["Referer"]
        else:
            request.headers["Referer"] = safe


def _log_in(request: Request) -> None:
    """Send the user name and the password of a URL that somebody asked for; one that a redirect names is not sent."""
    if "@" in request.url and "Authorization" not in request.headers and not request.meta.get("redirect_times"):
        value = basic_authorization(request.url)
        if value is not None:
            request.headers["Authorization"] = value


def basic_authorization(url: str) -> str | None:
    """The value of an Authorization header for the user name and the password of a URL (RFC 7617), or None."""
    parts = urlsplit(url)
    if parts.username is None and parts.password is None:
        return None
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return "Basic " + base64.b64encode(pair.encode()).decode("ascii")
