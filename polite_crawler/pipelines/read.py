"""Order 200: the pure readers, off the event loop. A reader that fails costs a note and nothing else."""

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Self

from scrapy.crawler import Crawler

from polite_crawler.pipelines.draft import Draft
from polite_crawler.readers.page import Page
from polite_crawler.rules import redaction, signals
from polite_crawler.scheduling.options import options_of
from polite_crawler.store import projection
from polite_crawler.store.record import Capture

_THREADS = 2
_HTML = ("text/html", "application/xhtml+xml")

logger = logging.getLogger(__name__)


class Read:
    """Reads the page and the usage signals of a capture."""

    def __init__(self, tokens: tuple[str, ...]) -> None:
        self._tokens = tokens
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="polite-read")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The pipeline of a crawler."""
        return cls(options_of(crawler).identity.tokens)

    def close_spider(self) -> None:
        """End the reader threads."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    async def process_capture(self, draft: Draft) -> Draft:
        """Give the draft its page, its documents and its signals."""
        wire, capture = draft.wire, draft.capture
        if wire is None or wire.decoded is None or capture.kind not in ("fetch", "render") or capture.outcome != "ok":
            return draft
        loop = asyncio.get_running_loop()
        try:
            page, found = await loop.run_in_executor(
                self._pool, read_capture, capture, wire.decoded, draft.url, draft.robots, self._tokens
            )
        except Exception as error:
            # whatever a reader trips over, the evidence is kept
            logger.warning(
                "the reader failed on %s: %s", capture.url, error, exc_info=logger.isEnabledFor(logging.DEBUG)
            )
            draft.note(f"the reader failed: {type(error).__name__}")
            return draft
        draft.capture = replace(capture, signals=found or None)
        draft.page = page
        for note in page.notes:
            draft.note(note)
        draft.documents = projection.documents_of(draft.capture, page)
        return draft


def read_capture(
    capture: Capture, decoded: bytes, url: str, robots: bytes | None, tokens: tuple[str, ...]
) -> tuple[Page, dict[str, object]]:
    """The page of a body and its usage signals. The octets of known secrets are covered before anything reads them."""
    spans = [span for place in capture.redacted for span in zip(place.at[::2], place.at[1::2], strict=True)]
    body = redaction.mask(decoded, spans) if spans else decoded
    page = projection.read_page(capture, body)
    content_type = (projection.content_type(capture) or "text/html").partition(";")[0].strip().lower()
    found = signals.combine(
        robots=robots,
        url=url,
        headers=projection.headers(capture),
        html=body if content_type in _HTML else None,
        tokens=tokens,
    )
    return page, found.to_json()
