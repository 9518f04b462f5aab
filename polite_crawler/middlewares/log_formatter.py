"""The lines of Scrapy's log, with no secret of a URL in them and no traceback for what is an ordinary answer."""

import logging
import re
from typing import Any, Self

from scrapy import Request, Spider, logformatter
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.logformatter import LogFormatterResult
from twisted.python.failure import Failure

from polite_crawler.rules import redaction
from polite_crawler.scheduling.options import options_of
from polite_crawler.transport.trace import trace_of

_SPEAK_OF_URLS = (
    "scrapy.core.engine", "scrapy.core.scheduler", "scrapy.core.scraper", "scrapy.dupefilters",
    "scrapy.downloadermiddlewares.offsite", "scrapy.downloadermiddlewares.redirect",
    "scrapy.spidermiddlewares.depth", "scrapy.spidermiddlewares.httperror", "scrapy.spidermiddlewares.metacopy",
    "scrapy.spidermiddlewares.referer", "scrapy.spidermiddlewares.urllength",
)  # fmt: skip
_URL = re.compile(r"""https?:[^\s"'<>]+""", re.IGNORECASE)


class LogFormatter(logformatter.LogFormatter):
    """One line for each page; a failure is a line too, since its capture says the rest."""

    def __init__(self, params: frozenset[str] = redaction.DEFAULT_SECRET_PARAMS) -> None:
        self._params = params
        _SECRETS.params |= params
        for name in _SPEAK_OF_URLS:
            logging.getLogger(name).addFilter(_SECRETS)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The formatter of a crawler, with its POLITE_SECRET_PARAMS."""
        return cls(options_of(crawler).secret_params)

    def crawled(self, request: Request, response: Response, spider: Spider) -> LogFormatterResult:
        """A response that came."""
        trace = trace_of(request)
        source = " from the store" if trace.from_store else ""
        return _line(logging.DEBUG, f"{response.status} {self._shown(request.url)}{source}")

    def scraped(self, item: Any, response: Response | Failure | None, spider: Spider) -> LogFormatterResult:
        """An item of a spider. What a failure says may quote the server, so only its request is named."""
        source = getattr(response, "request", None) if isinstance(response, Failure) else response
        where = self._shown(source.url) if isinstance(source, Request | Response) else "the start"
        return {
            "level": logging.DEBUG,
            "msg": "scraped from %(where)s: %(item)s",
            "args": {"where": where, "item": item},
        }

    def download_error(
        self, failure: Failure, request: Request, spider: Spider, errmsg: str | None = None
    ) -> LogFormatterResult:
        """A request that gave no response and has no errback."""
        message = failure.getErrorMessage()
        for secret in redaction.secrets_of(urls=(request.url,), params=self._params):
            message = message.replace(secret, redaction.REDACTED)
        return _line(logging.ERROR, f"{self._shown(request.url)}: {message}")

    def _shown(self, url: str) -> str:
        return redaction.redact_url(url, self._params).url


class _SecretsOfUrls(logging.Filter):
    """Lets every record of Scrapy pass, with the secrets of the URLs in it replaced. There is one for the process,
    because the loggers are those of the process: it knows the secret parameters of all its crawlers."""

    params: frozenset[str] = redaction.DEFAULT_SECRET_PARAMS

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.msg, str):
            record.msg = self._text(record.msg)
        if isinstance(record.args, dict):
            record.args = {name: self._value(value) for name, value in record.args.items()}
        elif record.args:
            record.args = tuple(map(self._value, record.args))
        return True

    def _value(self, value: object) -> object:
        return self._text(str(value)) if isinstance(value, str | Request | Response | BaseException) else value

    def _text(self, text: str) -> str:
        return _URL.sub(lambda found: redaction.redact_url(found[0], self.params).url, text)


_SECRETS = _SecretsOfUrls()


def _line(level: int, text: str) -> LogFormatterResult:
    return {"level": level, "msg": "%(text)s", "args": {"text": text}}
