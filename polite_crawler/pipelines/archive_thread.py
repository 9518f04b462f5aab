"""The archive of POLITE_WARC: written in a thread of its own while captures are made."""

import logging
from concurrent.futures import Future, ThreadPoolExecutor

from polite_crawler.archive.archive_file import Exported
from polite_crawler.archive.export import IndexSources
from polite_crawler.archive.live import LiveArchive
from polite_crawler.errors import PoliteError
from polite_crawler.store.index import Index
from polite_crawler.store.record import Capture

logger = logging.getLogger(__name__)


class ArchiveThread:
    """Takes captures whose lines are on the disk. An archive that cannot go on is given up with one error in the log:
    the store has everything, and `pc-export` writes it again."""

    def __init__(self, out: str, index: Index) -> None:
        """Raises BadOption and PoliteError as LiveArchive does."""
        self._out = out
        self._archive: LiveArchive | None = LiveArchive(out, index.blobs, IndexSources(index).capture)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="polite-archive")

    def add(self, capture: Capture, *, title: str | None, text: str | None) -> "Future[None]":
        """Write a sealed capture, with the title and the text that the reader found."""
        return self._pool.submit(self._add, capture, title, text)

    def close(self) -> None:
        """Write what waits, and give the archive its name."""
        self._pool.submit(self._close).result()
        self._pool.shutdown()

    def _add(self, capture: Capture, title: str | None, text: str | None) -> None:
        if self._archive is None:
            return
        try:
            self._archive.add(capture, title=title, text=text)
        except PoliteError as error:
            archive, self._archive = self._archive, None
            archive.discard()
            logger.error("POLITE_WARC: %s; the archive is given up, the store goes on", error)

    def _close(self) -> None:
        if self._archive is None:
            return
        archive, self._archive = self._archive, None
        try:
            done: Exported | None = archive.close()
        except PoliteError as error:
            logger.error("POLITE_WARC: %s", error)
            return
        if done is not None:
            logger.info("POLITE_WARC: %s has %d records", done.out, done.records)
