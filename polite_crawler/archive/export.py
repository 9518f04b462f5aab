"""Export: the captures of a store as WARC/1.1 or as a WACZ package. The store is only read.

The log is read as a stream and one body is held at a time, so memory does not grow with the store. Two exports of the
same captures are the same octets.
"""

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

from polite_crawler import __version__
from polite_crawler.archive.capture_writer import CaptureWriter
from polite_crawler.archive.scratch import Scratch
from polite_crawler.archive.selection import Selection
from polite_crawler.archive.signature import load_key
from polite_crawler.archive.targets import Target, WaczFile, WarcFolder
from polite_crawler.archive.warc import PART_SIZE, WarcWriter
from polite_crawler.errors import BadOption, NotStored, PoliteError
from polite_crawler.store.catalog import Catalog
from polite_crawler.store.index import Index
from polite_crawler.store.record import Capture

Format = Literal["warc", "wacz"]

_SUFFIXES: dict[str, Format] = {".warc.gz": "warc", ".wacz": "wacz"}


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote: `records` of all kinds, of them `responses` and `revisits`; `pages` is the number of
    documents with a 200, `bytes` the size of all files. `skipped` counts selected captures that had to stay and
    damaged lines, `skips` says why; `files` names what was written."""

    out: str
    format: Format
    records: int
    responses: int
    revisits: int
    pages: int
    bytes: int
    skipped: int
    skips: dict[str, int] = field(default_factory=dict)
    files: tuple[str, ...] = ()


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
    path = Path(out).expanduser()
    form = format_of(path)
    if wacz_key is not None and form != "wacz":
        raise BadOption("--wacz-key signs a WACZ package: --out must end in .wacz")
    key = load_key(wacz_key) if wacz_key is not None else None
    selection = Selection.of(since=since, until=until, host=host, prefix=prefix, ids=ids)
    software = f"polite-crawler/{__version__}"
    try:
        with closing(Scratch()) as scratch:
            files: Target = (
                WarcFolder(path, overwrite=overwrite)
                if form == "warc"
                else WaczFile(path, overwrite=overwrite, key=key, software=software)
            )
            try:
                writer = WarcWriter(files, software=software, description=selection.describe(), part_size=part_size)
                captures = CaptureWriter(
                    writer,
                    scratch,
                    index.blobs,
                    IndexSources(index),
                    indexed=form == "wacz",
                    secret_bodies=secret_bodies,
                )
                damaged = _write(index, selection, captures, on_capture)
                writer.end()
                files.finish(scratch, captures)
                size = files.commit()
            finally:
                files.discard()
            skips = dict(captures.skips) | ({"damaged-line": damaged} if damaged else {})
            return Exported(
                str(path), form, writer.records, captures.responses, captures.revisits, scratch.count_pages(), size,
                sum(skips.values()), skips, tuple(str(one) for one in files.paths),
            )  # fmt: skip
    except OSError as error:
        raise PoliteError(f"cannot write {path}: {error.strerror or error}") from None


def format_of(path: Path) -> Format:
    """The format of a file by its name. Raises BadOption."""
    for suffix, form in _SUFFIXES.items():
        if path.name.endswith(suffix) and path.name != suffix:
            return form
    raise BadOption(f"bad name {path.name!r}: an export ends in .warc.gz or .wacz")


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


def _write(
    index: Index, selection: Selection, captures: CaptureWriter, on_capture: Callable[[int], None] | None
) -> int:
    """Write the selected captures in the sequence of the log, and return the number of damaged lines."""
    missing = set(selection.ids)
    scan = index.log.scan()
    for position, capture in scan:
        if selection.takes(capture):
            missing.discard(capture.id)
            if captures.add(capture, index.log.line(position)) and on_capture is not None:
                on_capture(captures.captures)
    if missing:
        raise NotStored(f"no stored capture {min(missing)!r} that may leave the store")
    if not captures.captures:
        why = "".join(f"; {count} left out: {reason}" for reason, count in sorted(captures.skips.items()))
        raise NotStored(f"nothing to export: no capture with an answer passes the filters{why}")
    return scan.skipped
