"""The parts of the store that one crawler writes to: opened once, closed when its spider is."""

import logging
from weakref import WeakKeyDictionary

from scrapy.crawler import Crawler

from polite_crawler.scheduling.options import options_of
from polite_crawler.store.blobs import Blobs
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.index import Index
from polite_crawler.store.index_thread import IndexThread
from polite_crawler.store.writer import WriterThread

logger = logging.getLogger(__name__)

_PARTS: WeakKeyDictionary[Crawler, "StoreParts"] = WeakKeyDictionary()


class StoreParts:
    """The folder, the writer and the index of a crawler. The index is opened, and catches up, when it is first
    asked for; it answers on the thread of the loop and is written by a thread of its own."""

    def __init__(self, crawler: Crawler) -> None:
        options = options_of(crawler)
        self.folder = StoreFolder(options.store).create()
        self.writer = WriterThread(self.folder, min_free=options.min_free)
        self._index: Index | None = None
        self._thread: IndexThread | None = None

    @property
    def blobs(self) -> Blobs:
        """The bodies of the store."""
        return self.writer.blobs

    @property
    def index(self) -> Index:
        """The index, to read from."""
        if self._index is None:
            self._index = Index(self.folder)
        return self._index

    @property
    def index_thread(self) -> IndexThread:
        """The thread that adds captures to the index."""
        if self._thread is None:
            index = self.index
            self._thread = IndexThread(lambda: index, on_error=lambda note: logger.warning("index: %s", note))
        return self._thread

    def close(self) -> None:
        """Write what waits, then close everything."""
        self.writer.close()
        if self._thread is not None:
            self._thread.close()
        elif self._index is not None:
            self._index.close()


def parts_of(crawler: Crawler) -> StoreParts:
    """The store parts of a crawler. Raises StoreError when the folder cannot be written."""
    parts = _PARTS.get(crawler)
    if parts is None:
        parts = _PARTS[crawler] = StoreParts(crawler)
    return parts
