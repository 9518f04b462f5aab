"""Order 200: the pure readers, off the event loop, and large pages in another process. A reader that fails costs a
note and nothing else.
"""

import asyncio
import logging
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Self

from scrapy.crawler import Crawler

from polite_crawler.pipelines.draft import Draft
from polite_crawler.pipelines.parts import parts_of
from polite_crawler.readers.page import Page
from polite_crawler.rules import signals
from polite_crawler.scheduling.options import options_of
from polite_crawler.store import projection
from polite_crawler.store.document import Document, Extracted
from polite_crawler.store.extracting import AskedExtractor
from polite_crawler.store.projection import Extractor
from polite_crawler.store.record import Capture

_THREADS = 2
_HTML = ("text/html", "application/xhtml+xml")

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reading:
    """What the readers find in a capture: the page, its usage signals with the capture, its documents, and which of
    them the extractor of its recipe gave."""

    capture: Capture
    page: Page
    documents: tuple[Document, ...]
    notes: tuple[str, ...]
    extracted: Extracted | None = None


class Read:
    """Reads the page and the usage signals of a capture."""

    def __init__(self, tokens: tuple[str, ...], extractors: Mapping[str, Extractor]) -> None:
        self._tokens = tokens
        self._extractors = extractors
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="polite-read")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The pipeline of a crawler."""
        return cls(options_of(crawler).identity.tokens, parts_of(crawler).extractors)

    def close_spider(self) -> None:
        """End the reader threads, and the processes of readers when one was started."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        processes = sys.modules.get("polite_crawler.readers.processes")
        if processes is not None:
            processes.close_workers()

    async def process_capture(self, draft: Draft) -> Draft:
        """Give the draft its page, its documents and its signals."""
        wire, capture = draft.wire, draft.capture
        if wire is None or wire.decoded is None or capture.outcome != "ok" or not _is_read(capture):
            return draft
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(
                self._pool,
                read_capture,
                capture,
                wire.decoded,
                draft.url,
                draft.robots,
                self._tokens,
                self._extractors,
                draft.more_headers,
            )
        except Exception as error:
            # whatever a reader trips over, the evidence is kept
            logger.warning(
                "the reader failed on %s: %s", capture.url, error, exc_info=logger.isEnabledFor(logging.DEBUG)
            )
            draft.note(f"the reader failed: {type(error).__name__}")
            return draft
        draft.capture, draft.page, draft.documents = found.capture, found.page, found.documents
        draft.extracted = found.extracted
        for note in found.notes:
            draft.note(note)
        return draft


def _is_read(capture: Capture) -> bool:
    return capture.kind in ("fetch", "render") or projection.is_copy(capture)


def read_capture(
    capture: Capture,
    decoded: bytes,
    url: str,
    robots: bytes | None,
    tokens: tuple[str, ...],
    extractors: Mapping[str, Extractor],
    more_headers: tuple[tuple[str, str], ...] = (),
) -> Reading:
    """Read a body. The octets of known secrets are covered before anything reads them. An extractor that fails costs
    a note; the page is a document all the same. `more_headers` are fields whose usage signals count too."""
    body = projection.covered(capture, decoded)
    page = projection.read_page(capture, body, apart=True)
    content_type = (projection.content_type(capture) or "text/html").partition(";")[0].strip().lower()
    found = signals.combine(
        robots=robots,
        url=url,
        headers=[*projection.headers(capture), *more_headers],
        html=body if content_type in _HTML else None,
        tokens=tokens,
    )
    notes = list(page.notes)
    read = replace(capture, signals=found.to_json() or None)
    asked = {name: AskedExtractor(extractor) for name, extractor in extractors.items() if name == read.recipe}
    documents = projection.documents_of(read, page, body=body, extractors=asked)
    extracted = next((one.said for one in asked.values()), None)
    if extracted is not None and extracted.error is not None:
        notes.append(f"the extractor of {read.recipe} failed: {extracted.error.partition(':')[0]}")
    return Reading(read, page, documents, tuple(notes), extracted)
