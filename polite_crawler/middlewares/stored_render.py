"""The stored render of a page: it answers while it is young enough and was made of the same body."""

import logging

from scrapy.crawler import Crawler

from polite_crawler.errors import NotStored, StoreError
from polite_crawler.middlewares.stored_copy import may_be_stored
from polite_crawler.middlewares.stored_response import freshness_of
from polite_crawler.pipelines.parts import parts_of
from polite_crawler.rules import freshness
from polite_crawler.rules.durations import MaxAge
from polite_crawler.scheduling.options import options_of
from polite_crawler.store.catalog import Catalog, CopyFacts
from polite_crawler.store.log import DamagedLine
from polite_crawler.store.record import Capture
from polite_crawler.transport.plain import Plain

logger = logging.getLogger(__name__)


def copy_of_render(crawler: Crawler, plain: Plain, max_age: MaxAge, *, now: float) -> CopyFacts | None:
    """The latest render of a page, or None when there is none of this body that is young enough."""
    if not may_be_stored(plain.request, options_of(crawler).secret_params):
        return None

    def find(catalog: Catalog) -> CopyFacts | None:
        copy = catalog.copy_of(plain.response.url, "render")
        return copy if copy is not None and _is_of(catalog, copy.capture, plain.capture) else None

    try:
        copy = parts_of(crawler).index.reading(find)
    except StoreError as error:
        logger.warning("%s", error)
        return None
    return copy if copy is not None and _is_young(copy, max_age, now) else None


def _is_of(catalog: Catalog, render: Capture, plain: Capture) -> bool:
    """Whether a render was made of this capture, or of another one with the same decoded body."""
    of = str((render.source or {}).get("of"))
    if of == plain.id:
        return True
    try:
        return _content(catalog.capture(of)) == _content(plain)
    except (NotStored, DamagedLine):
        return False


def _content(capture: Capture) -> str | None:
    if capture.body is None:
        return None
    return capture.body.decoded.sha256 if capture.body.decoded else capture.body.sha256


def _is_young(copy: CopyFacts, max_age: MaxAge, now: float) -> bool:
    if max_age.kind == "fixed":
        return 0 <= now - copy.checked / 1e6 < max_age.seconds
    return max_age.kind == "stored" or freshness.is_fresh(freshness_of(copy), now=now)
