"""Logs of a command: on standard error, as lines or as one JSON object a line."""

import json
import logging
import sys
from datetime import UTC, datetime

from polite_crawler.cli.output import one_line


class JsonFormatter(logging.Formatter):
    """One JSON object a record: time (RFC 3339, UTC), level, logger, message, and the traceback when there is one."""

    def format(self, record: logging.LogRecord) -> str:
        when = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        entry = {
            "time": when.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=True)


class LineFormatter(logging.Formatter):
    """One line a record, for who did not ask for more: no traceback."""

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage().partition("\n")[0]
        return one_line(f"{record.levelname.lower()}: {message}")


def is_news(record: logging.LogRecord) -> bool:
    """Whether a record is worth a line: what Scrapy says of a crawl that cannot be opened is none, since the error
    that keeps it from opening is told."""
    message = record.getMessage()
    return not (
        (record.name == "scrapy.core.engine" and message == "Scraper close failure")
        or (record.name == "scrapy.utils.signal" and "CoreStats.spider_closed" in message)
        or (record.name == "scrapy.core.downloader.handlers" and "polite_crawler." in message)
    )


def configure(*, verbose: bool, as_json: bool) -> None:
    """Send the log of this process to standard error: warnings, and with `verbose` what is done too."""
    handler = logging.StreamHandler(sys.stderr)
    lines = logging.Formatter("%(levelname)s %(name)s: %(message)s") if verbose else LineFormatter()
    handler.setFormatter(JsonFormatter() if as_json else lines)
    if not verbose:
        handler.addFilter(is_news)
    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING, handlers=[handler], force=True)
