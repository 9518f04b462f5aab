"""From a stored capture to the response that a spider gets, and to what RFC 9111 says of it."""

import logging
from dataclasses import dataclass

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes

from polite_crawler.readers.page import Page
from polite_crawler.rules import freshness, urls
from polite_crawler.scheduling.options import options_of
from polite_crawler.store import projection
from polite_crawler.store.blobs import BlobError, Blobs
from polite_crawler.store.catalog import CopyFacts
from polite_crawler.store.decoding import UndecodableBody
from polite_crawler.store.projection import Pairs
from polite_crawler.store.record import Capture, epoch

STORED = "stored"
"""The flag of a response that came from the store."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """The decoded body of a stored capture, and what a reader makes of it: nothing for a sitemap or a feed, which
    whoever asked for it reads."""

    body: bytes
    page: Page | None


def read_answer(capture: Capture, blobs: Blobs) -> StoredAnswer | None:
    """The body and the page of a capture; None when its body is missing or damaged. A redirect needs none."""
    if capture.body is None:
        return StoredAnswer(b"", None) if capture.outcome == "redirect" else None
    try:
        body = projection.read_body(capture, blobs.get(capture.body.sha256))
    except (BlobError, UndecodableBody, OSError) as error:
        logger.warning("the stored copy of %s does not answer: %s", capture.url, error)
        return None
    page = projection.read_page(capture, body, apart=True) if projection.gives_documents(capture) else None
    return StoredAnswer(body, page)


def stored_headers(copy: CopyFacts) -> Pairs:
    """The fields of a stored response, with those that a later 304 carried (RFC 9111, section 3.2)."""
    headers = tuple(projection.headers(copy.capture))
    if copy.confirmed_by is None:
        return headers
    return freshness.updated_headers(headers, projection.headers(copy.confirmed_by))


def freshness_of(copy: CopyFacts) -> freshness.StoredCopy:
    """What the rules of RFC 9111 look at."""
    last = copy.confirmed_by or copy.capture
    return freshness.StoredCopy(
        status=copy.capture.status or 200,
        headers=stored_headers(copy),
        requested=epoch(last.time.start),
        received=copy.checked / 1e6,
        request_headers=projection.request_headers(copy.capture),
    )


def usual_headers(crawler: Crawler) -> Pairs:
    """The fields that every request of a crawler is sent with, for a look at Vary before they are set."""
    defaults = crawler.settings.getdict("DEFAULT_REQUEST_HEADERS")
    pairs = [(str(name), str(value)) for name, value in defaults.items() if value is not None]
    return (*pairs, ("User-Agent", options_of(crawler).identity.user_agent), ("Accept-Encoding", "gzip"))


def request_headers(request: Request, usual: Pairs) -> Pairs:
    """The fields that a request will be sent with: its own and, of those that it does not have, the usual ones."""
    own = tuple(
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, values in request.headers.items()
        for value in values
    )
    if not own:
        return usual
    names = {name.lower() for name, _ in own}
    return (*own, *(pair for pair in usual if pair[0].lower() not in names))


def response_of(request: Request, copy: CopyFacts, body: bytes) -> Response:
    """The response of a stored capture. Its URL is where the redirects of that time ended."""
    headers = Headers()
    for name, value in stored_headers(copy):
        headers.appendlist(name, value.encode("latin-1", "replace"))
    plain = headers.copy()
    plain.pop("Content-Encoding", None)
    capture = copy.capture
    cls = responsetypes.from_args(headers=plain, url=capture.url, body=body)
    return cls(
        url=urls.without_fragment(capture.url),
        status=capture.status or 200,
        headers=headers,
        body=body,
        flags=[STORED],
        request=request,
        protocol=f"HTTP/{capture.http}" if capture.http else None,
    )
