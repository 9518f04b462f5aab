"""How much of a body is read."""

import sys

from scrapy import Request
from scrapy.crawler import Crawler

from polite_crawler.scheduling.options import options_of
from polite_crawler.transport.meta import MAX_BYTES


def body_limit(request: Request, crawler: Crawler) -> int:
    """Bytes after decoding: the limit of the kind of a request, else POLITE_MAX_BYTES, or fewer where Scrapy's own
    DOWNLOAD_MAXSIZE or `download_maxsize` says so (0 or less is no limit there)."""
    given = request.meta.get(MAX_BYTES)
    if given is not None:
        return int(given)
    theirs = int(request.meta.get("download_maxsize", crawler.settings.getint("DOWNLOAD_MAXSIZE")) or 0)
    return min(options_of(crawler).max_bytes, theirs if theirs > 0 else sys.maxsize)
