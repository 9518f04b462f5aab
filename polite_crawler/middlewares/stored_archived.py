"""What the store says in the place of an archive or of a site: a copy that was asked for before, and an old answer."""

import asyncio
import logging
from dataclasses import dataclass
from typing import cast, get_args

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from polite_crawler.errors import NotStored, StoreError
from polite_crawler.middlewares.stored_response import StoredAnswer, read_answer, response_of
from polite_crawler.pipelines.parts import parts_of
from polite_crawler.readers.page import Page
from polite_crawler.rules.durations import MaxAge
from polite_crawler.scheduling.declined import Declined, Reason
from polite_crawler.store.catalog import Catalog, CopyFacts
from polite_crawler.store.log import DamagedLine
from polite_crawler.store.projection import archived_from, archived_id
from polite_crawler.store.record import Capture
from polite_crawler.transport.wire import ExchangeError, Failure

_USUAL = 24 * 3600.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoredArchived:
    """A copy of an archive that the store holds."""

    capture: Capture
    body: bytes
    page: Page | None

    def response(self, request: Request) -> Response:
        """The copy as a response of the URL that the archive captured."""
        answer = response_of(request, CopyFacts(self.capture, self.capture.fetched), self.body)
        original = str((archived_from(self.capture) or {})["original"])
        return answer.replace(url=original, flags=[*answer.flags, "archived"])


async def stored_copy(crawler: Crawler, url: str, max_age: MaxAge, *, now: float) -> StoredArchived | None:
    """The copy of a URL that an archive gave not longer ago than `max_age` (a day where the server's freshness would
    count), or None. How old the copy itself is does not matter here."""
    seconds = max_age.seconds if max_age.kind == "fixed" else _USUAL

    def find(catalog: Catalog) -> Capture | None:
        doc = catalog.find_doc(archived_id(url))
        version = catalog.current(doc) if doc is not None else None
        if version is None or version.capture_kind != "archive-copy" or not 0 <= now - version.fetched / 1e6 < seconds:
            return None
        return catalog.capture(version.capture)

    try:
        capture = parts_of(crawler).index.reading(find)
    except (StoreError, NotStored, DamagedLine) as error:
        logger.warning("%s", error)
        return None
    answer = await _read(crawler, capture) if capture is not None else None
    return StoredArchived(capture, answer.body, answer.page) if capture is not None and answer is not None else None


async def answer_of_capture(crawler: Crawler, request: Request, capture: Capture) -> Response | Exception:
    """What a site answered, from the capture of it: the response, or the exception that stood in its place."""
    if capture.status is not None and capture.reason != "decode":
        answer = await _read(crawler, capture)
        facts = CopyFacts(capture, capture.fetched)
        return response_of(request, facts, answer.body if answer is not None else b"")
    note = capture.note or capture.outcome
    if capture.outcome == "skipped":
        return Declined(cast(Reason, capture.reason), note)
    kind = capture.reason if capture.reason in get_args(Failure) else "protocol"
    return ExchangeError(cast(Failure, kind), note)


async def _read(crawler: Crawler, capture: Capture) -> StoredAnswer | None:
    blobs = parts_of(crawler).blobs
    return await asyncio.get_running_loop().run_in_executor(None, read_answer, capture, blobs)
