"""The lines of Scrapy's log, with no secret of a URL in them and no traceback for what is an ordinary answer."""

import logging
from typing import Any

from scrapy import Request, Spider, logformatter
from scrapy.http import Response
from scrapy.logformatter import LogFormatterResult
from twisted.python.failure import Failure

from polite_crawler.rules.redaction import redact_url
from polite_crawler.transport.trace import trace_of


class LogFormatter(logformatter.LogFormatter):
    """One line for each page; a failure is a line too, since its capture says the rest."""

    def crawled(self, request: Request, response: Response, spider: Spider) -> LogFormatterResult:
        """A response that came."""
        trace = trace_of(request)
        source = " from the store" if trace.from_store else ""
        return _line(logging.DEBUG, f"{response.status} {redact_url(request.url).url}{source}")

    def dropped(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        """An item that a pipeline dropped."""
        return _line(logging.INFO, f"dropped: {exception}")

    def download_error(
        self, failure: Failure, request: Request, spider: Spider, errmsg: str | None = None
    ) -> LogFormatterResult:
        """A request that gave no response and has no errback."""
        return _line(logging.INFO, f"{redact_url(request.url).url}: {failure.getErrorMessage()}")


def _line(level: int, text: str) -> LogFormatterResult:
    return {"level": level, "msg": "%(text)s", "args": {"text": text}}
