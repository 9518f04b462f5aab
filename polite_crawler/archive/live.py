"""An archive that grows while a crawl runs: each capture goes in as soon as its line and its body are on the disk."""

import os
from collections.abc import Callable
from pathlib import Path

from polite_crawler.archive.archive_file import ArchiveFile, Exported, format_of
from polite_crawler.archive.selection import Selection
from polite_crawler.archive.signature import load_key
from polite_crawler.errors import PoliteError
from polite_crawler.paths import given_path
from polite_crawler.store.blobs import Blobs
from polite_crawler.store.record import Capture

_EVERYTHING = Selection()


def check_free(out: str | Path) -> None:
    """Raise what opening an archive would raise, and open none: BadOption for a name that does not end in .warc.gz or
    .wacz, PoliteError for a file that is there and for a folder that cannot be written."""
    path = given_path(out)
    format_of(path)
    if path.exists() or path.is_symlink():
        raise PoliteError(f"{path} is there already, and a crawl replaces no file: move it away, or name another one")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise PoliteError(f"cannot write {path}: its folder is not there or cannot be written")


class LiveArchive:
    """Takes the captures of a crawl. The files get their names by `close`; what a killed process leaves has none."""

    def __init__(
        self,
        out: str | Path,
        blobs: Blobs,
        lookup: Callable[[str], Capture | None],
        *,
        overwrite: bool = False,
        wacz_key: str | Path | None = None,
    ) -> None:
        """`lookup` gives an earlier capture by its id, for a 304. Raises BadOption for a name that does not end in
        .warc.gz or .wacz, and PoliteError for a file that is there or cannot be written."""
        self._sources = _Sources(lookup)
        key = load_key(wacz_key) if wacz_key is not None else None
        self._file = ArchiveFile(given_path(out), blobs, self._sources, overwrite=overwrite, key=key)

    def add(self, capture: Capture, *, title: str | None = None, text: str | None = None) -> bool:
        """Write a sealed capture, with what the reader found. False when it gives no record. Raises PoliteError when
        the disk does not take it."""
        if not _EVERYTHING.takes(capture):
            return False
        self._sources.page = title, text
        try:
            return self._file.add(capture)
        except OSError as error:
            raise self._failed(error) from None

    def close(self) -> Exported | None:
        """End the archive; None when it got no capture. Raises PoliteError."""
        try:
            return self._file.finish() if self._file.captures.captures else None
        except OSError as error:
            raise self._failed(error) from None
        finally:
            self._file.discard()

    def discard(self) -> None:
        """Leave nothing behind."""
        self._file.discard()

    def _failed(self, error: OSError) -> PoliteError:
        return PoliteError(f"cannot write {self._file.path}: {error.strerror or error}")


class _Sources:
    def __init__(self, lookup: Callable[[str], Capture | None]) -> None:
        self._lookup = lookup
        self.page: tuple[str | None, str | None] = (None, None)

    def capture(self, capture: str) -> Capture | None:
        return self._lookup(capture)

    def title(self, capture: Capture) -> str | None:
        return self.page[0]

    def text(self, capture: Capture) -> str | None:
        return self.page[1]
