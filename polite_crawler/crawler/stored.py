"""Stored copies as answers, before anything is queued: what the engine would give, from the index alone."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from polite_crawler.errors import StoreError
from polite_crawler.query.store import Store
from polite_crawler.rules import freshness, redaction
from polite_crawler.rules.durations import MaxAge
from polite_crawler.spiders.results import PageResult
from polite_crawler.store.catalog import Catalog
from polite_crawler.store.indexed_copy import CopyIds, indexed_copy
from polite_crawler.store.projection import Pairs
from polite_crawler.store.record import utc_micros

_KEPT = 4096


@dataclass(frozen=True, slots=True)
class _Copy:
    """What one stored copy says, whoever asks for it. `page` has the age 0 and no URL yet."""

    facts: freshness.StoredCopy
    body: str
    fetched: float
    recipe: str | None
    page: PageResult


class StoredPages:
    """Answers from the store. It keeps what it has read of the last few thousand copies; which copy is the one of a
    URL, it asks the index each time."""

    def __init__(self, store: Store, *, params: frozenset[str], usual_headers: Pairs, now: Callable[[], float]) -> None:
        self._store = store
        self._params = params
        self._usual = usual_headers
        self._now = now
        self._gate = threading.Lock()
        self._known: OrderedDict[CopyIds, _Copy | None] = OrderedDict()

    def answer(self, url: str, max_age: MaxAge, recipe: str | None = None) -> PageResult | None:
        """The result of a URL whose stored copy is young enough; None when the engine has to see to it. With a recipe,
        only a copy that was fetched for it answers."""
        if redaction.has_secret(url, self._params):
            return None
        try:
            copy = self._store.index.reading(lambda catalog: self._copy(catalog, url))
        except StoreError:
            return None
        if copy is None or (recipe is not None and copy.recipe != recipe) or not self._store.index.blobs.has(copy.body):
            return None
        if copy.page.truncated and max_age.kind != "stored":
            return None  # the limit may be another one today
        now = self._now()
        if not freshness.answers(copy.facts, max_age, now=now, request_headers=self._usual):
            return None
        page = copy.page
        return PageResult(
            url, page.final_url, page.doc, page.outcome, page.status, page.title, page.capture, page.fetched_at,
            True, max(0, int(now - copy.fetched)), page.chars, page.truncated, page.held_back, None, page.note,
        )  # fmt: skip

    def _copy(self, catalog: Catalog, url: str) -> _Copy | None:
        ids = catalog.copy_ids(url)
        if ids is None:
            return None
        with self._gate:
            if ids in self._known:
                self._known.move_to_end(ids)
                return self._known[ids]
        copy = self._read(catalog, ids)
        with self._gate:
            self._known[ids] = copy
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return copy

    def _read(self, catalog: Catalog, ids: CopyIds) -> _Copy | None:
        """A copy that the index alone can speak for, whose line the log still holds as it was indexed."""
        found = indexed_copy(catalog.connection, ids)
        if found is None or not self._store.index.log.holds(found.place):
            return None
        page = PageResult(
            url="", final_url=found.url, doc=found.doc, outcome="ok", status=found.status,
            title=None if found.held else found.title, capture=ids.capture, fetched_at=utc_micros(found.fetched),
            from_cache=True, age_s=0, chars=found.chars, truncated=found.truncated, held_back=found.held,
            archived=None, note=found.note,
        )  # fmt: skip
        return _Copy(found.facts, found.blob, found.fetched / 1e6, found.recipe, page)
