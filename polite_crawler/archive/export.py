"""Export: the captures of a store as WARC/1.1 or as a WACZ package. The store is only read.

The log is read as a stream and one body is held at a time, so memory does not grow with the store. Two exports of the
same captures are the same octets.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path

from polite_crawler.archive.archive_file import ArchiveFile, Exported, format_of
from polite_crawler.archive.selection import Selection
from polite_crawler.archive.signature import PackageKey, load_key
from polite_crawler.archive.warc import PART_SIZE
from polite_crawler.errors import BadOption, NotStored, PoliteError
from polite_crawler.paths import given_path
from polite_crawler.store.catalog import Catalog
from polite_crawler.store.index import Index
from polite_crawler.store.record import Capture


def export(
    index: Index,
    out: str | Path,
    *,
    since: str | datetime | None = None,
    until: str | datetime | None = None,
    host: str | None = None,
    prefix: str | None = None,
    ids: Iterable[str] = (),
    overwrite: bool = False,
    wacz_key: str | Path | None = None,
    secret_bodies: bool = False,
    part_size: int = PART_SIZE,
    on_capture: Callable[[int], None] | None = None,
) -> Exported:
    """Write the captures that pass all filters to a `.warc.gz` or a `.wacz` file.

    `since` <= time < `until`, where the time of a capture is the end of its exchange; `host` takes its subdomains
    too. Bodies with a known secret stay, unless `secret_bodies`. A WARC of more than `part_size` octets goes on in
    `NAME-00001.warc.gz`. `on_capture` hears the number of captures so far. Raises BadOption, NotStored when no
    capture passes, and PoliteError for a file that is there already or cannot be written.
    """
    path = given_path(out)
    key = _key_for(path, wacz_key)
    selection = Selection.of(since=since, until=until, host=host, prefix=prefix, ids=ids)
    try:
        file = ArchiveFile(
            path,
            index.blobs,
            IndexSources(index),
            overwrite=overwrite,
            key=key,
            secret_bodies=secret_bodies,
            part_size=part_size,
            description=selection.describe(),
        )
        return _fill(file, index, selection, on_capture)
    except OSError as error:
        raise PoliteError(f"cannot write {path}: {error.strerror or error}") from None


def _key_for(path: Path, wacz_key: str | Path | None) -> PackageKey | None:
    """The key that signs a package, None without one. Raises BadOption for a file of a form that cannot be written."""
    form = format_of(path)
    if wacz_key is None:
        return None
    if form != "wacz":
        raise BadOption("--wacz-key signs a WACZ package: --out must end in .wacz")
    return load_key(wacz_key)


class IndexSources:
    """Titles, texts and earlier captures from the index of the store."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def capture(self, capture: str) -> Capture | None:
        """The capture of an id, or None."""
        try:
            return self._index.reading(lambda catalog: catalog.capture(capture))
        except PoliteError:
            return None

    def title(self, capture: Capture) -> str | None:
        """The title of the page that the reader found."""
        return self._index.catalog.title_of(capture.id)

    def text(self, capture: Capture) -> str | None:
        """The stored text of a capture."""

        def ask(catalog: Catalog) -> str | None:
            for doc in catalog.docs_of(capture.id):
                return catalog.text(catalog.version_of(doc, capture.id))
            return None

        return self._index.reading(ask)


def _fill(file: ArchiveFile, index: Index, selection: Selection, on_capture: Callable[[int], None] | None) -> Exported:
    """Write the selected captures to a file and let it be there; nothing stays of one that is not finished."""
    try:
        damaged = _write(index, selection, file, on_capture)
        return file.finish(damaged=damaged)
    finally:
        file.discard()


def _write(index: Index, selection: Selection, file: ArchiveFile, on_capture: Callable[[int], None] | None) -> int:
    """Write the selected captures in the sequence of the log, and return the number of damaged lines."""
    missing = set(selection.ids)
    scan = index.log.scan()
    for position, capture in scan:
        if selection.takes(capture):
            missing.discard(capture.id)
            if file.add(capture, index.log.line(position)) and on_capture is not None:
                on_capture(file.captures.captures)
    if missing:
        raise NotStored(f"no stored capture {min(missing)!r} that may leave the store")
    if not file.captures.captures:
        why = "".join(f"; {count} left out: {reason}" for reason, count in sorted(file.captures.skips.items()))
        raise NotStored(f"nothing to export: no capture with an answer passes the filters{why}")
    return scan.skipped


__all__ = ["Exported", "IndexSources", "export", "format_of"]
