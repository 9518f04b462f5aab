"""verify: whether a stored document holds a quote, where, and in which capture."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from polite_crawler.query.near import MAX_QUOTE, Closest, closest
from polite_crawler.query.quotes import Match, QuotableText, TextCache, check_quote, verify_text
from polite_crawler.query.read import Choice, archive_note, before_first_note, choose, hold_note
from polite_crawler.query.selectors import selectors
from polite_crawler.store.catalog import Catalog, StoredVersion
from polite_crawler.store.index import Index

__all__ = ["Match", "VerifyResult", "verify_document", "verify_text"]


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """The answer to a quote.

    `start` and `end` are code points of the stored text of `capture`, end exclusive, and `matched` is that passage.
    `normalization` is `exact` or the names of the strictest set that matches, joined by `+`; `count` is the number of
    such places. `stale` is true when only an earlier capture holds the quote. `closest` is the nearest passage of a
    quote that is not there. `capture`, `blob` and `fetched_at` are those of the text that holds the quote, else of
    the text that was examined; a held-back document names none.
    """

    doc: str
    found: bool
    start: int | None
    end: int | None
    matched: str | None
    normalization: str | None
    count: int
    capture: str | None
    blob: str | None
    fetched_at: str | None
    stale: bool
    held_back: bool
    closest: Closest | None
    selectors: tuple[Mapping[str, object], ...] | None
    note: str | None


class Versions(Protocol):
    """What a question about versions needs of a store."""

    @property
    def index(self) -> Index: ...

    def lift_hold(self, version: StoredVersion) -> str | None:
        """Log that a person gave the URL: None, or a note that says why the hold stays."""
        ...


_TEXTS = TextCache()


def verify_document(
    store: Versions,
    doc: str,
    quote: str,
    *,
    capture: str | None = None,
    at: str | datetime | None = None,
    user_provided: bool = False,
) -> VerifyResult:
    """Look a quote up in the current text of a document, or of a capture, or in the one of a time.

    Without `capture` and `at`, a quote that the current text lacks is looked up in the earlier ones that are not held
    back, the newest first. Raises NotStored, and BadOption for an empty quote or for `capture` with `at`.
    """
    check_quote(quote)
    lift = store.lift_hold if user_provided else None
    return store.index.reading(lambda catalog: _verify(catalog, doc, quote, capture, at, lift))


def _verify(
    catalog: Catalog,
    doc: str,
    quote: str,
    capture: str | None,
    at: str | datetime | None,
    lift: Callable[[StoredVersion], str | None] | None,
) -> VerifyResult:
    choice = choose(catalog, doc, capture=capture, at=at)
    version = choice.version
    if version is None:
        return _nothing(choice, held=choice.held, note=before_first_note(catalog, choice.doc))
    if choice.held and (note := lift(version) if lift else hold_note(version)):
        return _nothing(choice, held=True, note=note)
    text = text_of(catalog, version)
    if match := verify_text(text, quote):
        return _found(choice, version, text, match, stale=False)
    if capture is None and at is None:
        seen = {version.text_sha256}
        for earlier in catalog.versions(choice.doc):
            if earlier.held or earlier.text_sha256 in seen:
                continue
            seen.add(earlier.text_sha256)
            earlier_text = text_of(catalog, earlier)
            if match := verify_text(earlier_text, quote):
                return _found(choice, earlier, earlier_text, match, stale=True)
    return _missed(choice, version, text, quote)


def text_of(catalog: Catalog, version: StoredVersion) -> QuotableText:
    """The stored text of a version, with its folded forms; the last texts are kept."""
    kept = _TEXTS.get(version.text_sha256)
    return kept or _TEXTS.put(version.text_sha256, QuotableText(catalog.text(version)))


def _found(choice: Choice, version: StoredVersion, text: QuotableText, match: Match, *, stale: bool) -> VerifyResult:
    old = "only an earlier capture holds the quote: the current text does not" if stale else None
    return VerifyResult(
        doc=choice.doc.doc, found=True, start=match.start, end=match.end, matched=text.text[match.start : match.end],
        normalization=match.normalization, count=match.count, capture=version.capture, blob=version.blob,
        fetched_at=version.fetched_at, stale=stale, held_back=False, closest=None,
        selectors=selectors(text.text, match.start, match.end, url=version.url, count=match.count),
        note=_notes(old, archive_note(version)),
    )  # fmt: skip


def _missed(choice: Choice, version: StoredVersion, text: QuotableText, quote: str) -> VerifyResult:
    too_long = f"a quote of more than {MAX_QUOTE} characters has no closest passage" if len(quote) > MAX_QUOTE else None
    return VerifyResult(
        doc=choice.doc.doc, found=False, start=None, end=None, matched=None, normalization=None, count=0,
        capture=version.capture, blob=version.blob, fetched_at=version.fetched_at, stale=False, held_back=False,
        closest=closest(text, quote), selectors=None, note=_notes(too_long, archive_note(version)),
    )  # fmt: skip


def _nothing(choice: Choice, *, held: bool, note: str) -> VerifyResult:
    return VerifyResult(
        doc=choice.doc.doc, found=False, start=None, end=None, matched=None, normalization=None, count=0, capture=None,
        blob=None, fetched_at=None, stale=False, held_back=held, closest=None, selectors=None, note=note,
    )  # fmt: skip


def _notes(*notes: str | None) -> str | None:
    return "; ".join(note for note in notes if note) or None
