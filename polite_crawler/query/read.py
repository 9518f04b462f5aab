"""read: the stored text of a document, as it is now, of a capture, or as it was at a time."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from polite_crawler.errors import BadOption
from polite_crawler.query.moments import moment_of
from polite_crawler.store.catalog import Catalog, StoredDoc, StoredVersion
from polite_crawler.store.document import structural
from polite_crawler.store.entry import unpacked
from polite_crawler.store.index import Index
from polite_crawler.store.record import utc_micros

SMALL_TEXT = 200_000
"""Characters of the longest text that `read_small` reads."""

SMALL_META = 8192
"""Octets of the largest metadata that it reads, as they are packed."""


@dataclass(frozen=True, slots=True)
class ReadResult:
    """A range of a stored text. Positions are code points of that text, end exclusive.

    `total` is the length of the whole text, `next_start` where the next range begins, or None at the end. A held-back
    document has no title and no text, and only structural metadata. `before_first` is true when `at` is before the
    first capture: nothing answers then. With `main`, `text` holds only the parts of the range that are main text.
    """

    doc: str
    kind: str | None
    title: str | None
    url: str | None
    capture: str | None
    fetched_at: str | None
    at: str | None
    before_first: bool
    start: int
    end: int
    total: int
    next_start: int | None
    text: str
    meta: Mapping[str, Any]
    held_back: bool
    archived: Mapping[str, Any] | None
    note: str | None


@dataclass(frozen=True, slots=True)
class Choice:
    """Which version a question is about: `version` is None when the time is before the first capture, `held` says
    that its text may not be given."""

    doc: StoredDoc
    version: StoredVersion | None
    at: str | None
    held: bool


def choose(catalog: Catalog, doc: str, *, capture: str | None = None, at: str | datetime | None = None) -> Choice:
    """The current version of a document, that of a capture, or the one that was current at a time.

    While the current version is held back, every version is. Raises NotStored and BadOption.
    """
    if capture and at:
        raise BadOption("give a capture or a time (at), not the two")
    return _chosen(catalog, catalog.doc(doc), capture, at)


def _chosen(catalog: Catalog, stored: StoredDoc, capture: str | None, at: str | datetime | None) -> Choice:
    moment = moment_of(at) if at else None
    if capture:
        version: StoredVersion | None = catalog.version_of(stored, capture)
    elif moment is not None:
        version = catalog.version_at(stored, moment)
    else:
        version = catalog.current(stored)
    held = stored.held or (version is not None and version.held is not None)
    return Choice(stored, version, None if moment is None else utc_micros(moment), held)


def read(
    index: Index,
    doc: str,
    *,
    start: int,
    length: int | None,
    capture: str | None,
    at: str | datetime | None,
    main: bool,
    lift_hold: Callable[[StoredVersion], str | None] | None,
) -> ReadResult:
    """A range of the stored text of a document. `lift_hold` is asked when it is held back: it gives None when the
    hold is lifted, and else a note that says why not. Raises NotStored and BadOption."""
    _check_range(start, length)

    def ask(catalog: Catalog) -> ReadResult:
        choice = choose(catalog, doc, capture=capture, at=at)
        version = choice.version
        if version is None:
            return _before_first(catalog, choice)
        note = None
        held = choice.held
        if held and lift_hold is not None:
            note = lift_hold(version)
            held = note is not None
        if held:
            return _held_back(catalog, choice, version, note)
        found = catalog.contents(version)
        spans = catalog.main(version) if main else None
        return _range(choice, version, found.text, unpacked(found.meta, found.more), start, length, spans)

    return index.reading(ask)


def read_small(
    index: Index, doc: str, *, start: int = 0, length: int | None = None, capture: str | None = None, at: str = ""
) -> ReadResult | None:
    """As `read`, for an event loop, which must not be held up: of many links the metadata have the first few, and how
    many there are in all. None for what may take its time, so that a thread reads it: a long text, much metadata, a
    page that is held back, a name that is not stored."""
    _check_range(start, length)

    def ask(catalog: Catalog) -> ReadResult | None:
        stored = catalog.find_doc(doc) if not (capture and at) else None
        choice = _chosen(catalog, stored, capture, at) if stored is not None else None
        if choice is None or choice.held or choice.version is None or choice.version.chars > SMALL_TEXT:
            return None
        found = catalog.contents(choice.version)
        if len(found.meta) > SMALL_META:
            return None
        meta = unpacked(found.meta, None)
        if found.links is not None:
            meta["links_in_all"] = found.links
        return _range(choice, choice.version, found.text, meta, start, length)

    return index.reading(ask)


def _check_range(start: int, length: int | None) -> None:
    if start < 0:
        raise BadOption(f"bad start {start}: a number from 0 on")
    if length is not None and length < 0:
        raise BadOption(f"bad length {length}: a number from 0 on")


def _range(
    choice: Choice,
    version: StoredVersion,
    text: str,
    meta: Mapping[str, Any],
    start: int,
    length: int | None,
    main: tuple[tuple[int, int], ...] | None = None,
) -> ReadResult:
    start = min(start, len(text))
    end = len(text) if length is None else min(start + length, len(text))
    shown = text[start:end]
    if main is not None:
        parts = [text[max(a, start) : min(b, end)] for a, b in main if max(a, start) < min(b, end)]
        shown = "\n\n".join(parts)
    return ReadResult(
        doc=choice.doc.doc, kind=version.kind, title=version.title, url=version.url, capture=version.capture,
        fetched_at=version.fetched_at, at=choice.at, before_first=False, start=start, end=end, total=len(text),
        next_start=end if end < len(text) else None, text=shown, meta=meta, held_back=False,
        archived=version.archived, note=archive_note(version),
    )  # fmt: skip


def _held_back(catalog: Catalog, choice: Choice, version: StoredVersion, note: str | None) -> ReadResult:
    return ReadResult(
        doc=choice.doc.doc, kind=version.kind, title=None, url=version.url, capture=version.capture,
        fetched_at=version.fetched_at, at=choice.at, before_first=False, start=0, end=0, total=version.chars,
        next_start=None, text="", meta=structural(catalog.meta(version), version.chars), held_back=True,
        archived=version.archived, note=note or hold_note(version),
    )  # fmt: skip


def _before_first(catalog: Catalog, choice: Choice) -> ReadResult:
    return ReadResult(
        doc=choice.doc.doc, kind=None, title=None, url=None, capture=None, fetched_at=None, at=choice.at,
        before_first=True, start=0, end=0, total=0, next_start=None, text="", meta={}, held_back=choice.held,
        archived=None, note=before_first_note(catalog, choice.doc),
    )  # fmt: skip


def before_first_note(catalog: Catalog, doc: StoredDoc) -> str:
    """The note of a question about a time before the first capture."""
    return f"the first capture is of {utc_micros(catalog.first_fetched(doc))}"


def hold_note(version: StoredVersion) -> str:
    """The note of a held-back document."""
    why = f" ({version.held})" if version.held else ""
    return f"the page asked not to be AI input{why}; its text is held back"


def archive_note(version: StoredVersion) -> str | None:
    """The note of an archived copy: which archive, and of which date; None for a live page."""
    if version.archived is None:
        return None
    source = version.archived.get("source") or version.archived.get("type") or "an archive"
    when = version.archived.get("timestamp")
    return f"an archived copy from {source}" + (f" of {when}" if when else "")
