"""From a stored capture to the response that a spider gets."""

import logging
from dataclasses import dataclass

from scrapy import Request
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes

from polite_crawler.readers.page import Page
from polite_crawler.store import projection
from polite_crawler.store.blobs import BlobError, Blobs
from polite_crawler.store.decoding import UndecodableBody
from polite_crawler.store.record import Capture

STORED = "stored"
"""The flag of a response that came from the store."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """The decoded body of a stored capture, and what a reader makes of it."""

    body: bytes
    page: Page


def read_answer(capture: Capture, blobs: Blobs) -> StoredAnswer | None:
    """The body and the page of a capture; None when its body is missing or damaged."""
    if capture.body is None:
        return None
    try:
        body = projection.read_body(capture, blobs.get(capture.body.sha256))
    except (BlobError, UndecodableBody, OSError) as error:
        logger.warning("the stored copy of %s does not answer: %s", capture.url, error)
        return None
    return StoredAnswer(body, projection.read_page(capture, body))


def response_of(request: Request, capture: Capture, body: bytes) -> Response:
    """The response of a stored capture. Its URL is where the redirects of that time ended."""
    headers = Headers()
    for name, value in projection.headers(capture):
        headers.appendlist(name, value.encode("latin-1", "replace"))
    plain = headers.copy()
    plain.pop("Content-Encoding", None)
    cls = responsetypes.from_args(headers=plain, url=capture.url, body=body)
    return cls(
        url=capture.url,
        status=capture.status or 200,
        headers=headers,
        body=body,
        flags=[STORED],
        request=request,
        protocol=f"HTTP/{capture.http}" if capture.http else None,
    )
