"""The parts of the store that crawlers write to: opened once, closed when the spider is, or by who shares them."""

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Self

from scrapy.crawler import Crawler

from polite_crawler.rules.options import Options
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.per_crawler import PerCrawler
from polite_crawler.store.blobs import Blobs
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.index import Index
from polite_crawler.store.index_thread import IndexThread
from polite_crawler.store.projection import Extractor
from polite_crawler.store.writer import WriterThread

if TYPE_CHECKING:
    from polite_crawler.pipelines.archive_thread import ArchiveThread

logger = logging.getLogger(__name__)


class StoreParts:
    """The folder, the writer and the index of a crawler. The index is opened, and catches up, when it is first
    asked for; it answers on the thread of the loop and is written by a thread of its own.

    `extractors` read the documents of captures by the name of their recipe. Parts that are `kept` outlive the spiders
    that use them: only `shut` closes them.
    """

    def __init__(
        self, options: Options, *, extractors: Mapping[str, Extractor] | None = None, kept: bool = False
    ) -> None:
        self.folder = StoreFolder(options.store).create()
        self.writer = WriterThread(self.folder, min_free=options.min_free)
        self.extractors = dict(extractors or {})
        self._kept = kept
        self._index: Index | None = None
        self._thread: IndexThread | None = None
        self._archive = self._opened(options.warc) if options.warc is not None else None

    @property
    def blobs(self) -> Blobs:
        """The bodies of the store."""
        return self.writer.blobs

    @property
    def index(self) -> Index:
        """The index, to read from."""
        if self._index is None:
            self._index = Index(self.folder, extractors=self.extractors)
        return self._index

    @property
    def index_thread(self) -> IndexThread:
        """The thread that adds captures to the index."""
        if self._thread is None:
            index = self.index
            self._thread = IndexThread(lambda: index, on_error=lambda note: logger.warning("index: %s", note))
        return self._thread

    @property
    def archive(self) -> "ArchiveThread | None":
        """The archive of POLITE_WARC, None when nobody asked for one."""
        return self._archive

    def _opened(self, out: str) -> "ArchiveThread":
        # most runs write no archive
        from polite_crawler.pipelines.archive_thread import ArchiveThread

        return ArchiveThread(out, self.index)

    def close(self) -> None:
        """A spider has ended: close everything, unless it is kept."""
        if not self._kept:
            self.shut()

    def shut(self) -> None:
        """Write what waits, then close everything."""
        self.writer.close()
        if self._archive is not None:
            archive, self._archive = self._archive, None
            archive.close()
        if self._thread is not None:
            self._thread.close()
        elif self._index is not None:
            self._index.close()


class PartsPipeline:
    """A pipeline on the parts of its crawler. Its spider takes them along when it closes."""

    def __init__(self, parts: StoreParts) -> None:
        self._parts = parts

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The pipeline of a crawler."""
        return cls(parts_of(crawler))

    def close_spider(self) -> None:
        """Write and index what waits, and close the store."""
        self._parts.close()


_PARTS = PerCrawler(lambda crawler: StoreParts(options_of(crawler)))


def parts_of(crawler: Crawler) -> StoreParts:
    """The store parts of a crawler. Raises StoreError when the folder cannot be written."""
    return _PARTS.of(crawler)


def use_parts(crawler: Crawler, parts: StoreParts) -> None:
    """Let a crawler write to parts that others write to as well, before it starts."""
    _PARTS.use(crawler, parts)
