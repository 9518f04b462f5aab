"""diff: what changed between two versions of a stored document."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

from polite_crawler.errors import BadOption
from polite_crawler.query.meta_diff import MetaChange, diff_meta
from polite_crawler.query.moments import moment_of
from polite_crawler.query.read import before_first_note, hold_note
from polite_crawler.query.text_diff import (
    DIFF_LIMITS,
    DiffHunk,
    DiffLimits,
    DiffLine,
    DiffSummary,
    TextDiff,
    WordPart,
    diff_texts,
)
from polite_crawler.store.catalog import Catalog, StoredDoc, StoredVersion
from polite_crawler.store.document import structural
from polite_crawler.store.index import Index

__all__ = [
    "DIFF_LIMITS",
    "DiffHunk",
    "DiffLimits",
    "DiffLine",
    "DiffResult",
    "DiffSide",
    "DiffSummary",
    "MetaChange",
    "TextDiff",
    "VersionChoice",
    "WordPart",
    "diff_document",
    "diff_texts",
]

VersionChoice = str | datetime | Mapping[str, "str | datetime"]
"""A capture id, a time, or `{"at": time}`: the version that was current at that time."""


@dataclass(frozen=True, slots=True)
class DiffSide:
    """The version of one side."""

    capture: str
    fetched_at: str


@dataclass(frozen=True, slots=True)
class DiffResult:
    """The changes from one version of a document to another.

    `same` is true when text, title, URL and metadata are the same, and None when a side is held back: then only the
    structural metadata are compared. `from_` or `to` is None when there is no such version; the note tells why.
    """

    doc: str
    from_: DiffSide | None
    to: DiffSide | None
    same: bool | None
    exact: bool
    truncated: bool
    summary: DiffSummary
    hunks: tuple[DiffHunk, ...]
    meta: tuple[MetaChange, ...]
    note: str | None


class Indexed(Protocol):
    """A store with an index."""

    @property
    def index(self) -> Index: ...


def diff_document(
    store: Indexed,
    doc: str,
    *,
    from_: VersionChoice | None = None,
    to: VersionChoice | None = None,
    limits: DiffLimits = DIFF_LIMITS,
) -> DiffResult:
    """Compare two versions of a document. `to` is the newest by default, and `from_` the version before `to` of the
    same recipe and capture kind, so a render is not compared with the plain page under it.

    Raises NotStored and BadOption.
    """
    return store.index.reading(lambda catalog: _diff(catalog, doc, from_, to, limits))


def _diff(
    catalog: Catalog, doc: str, from_: VersionChoice | None, to: VersionChoice | None, limits: DiffLimits
) -> DiffResult:
    stored = catalog.doc(doc)
    newer = catalog.versions(stored)[0] if to is None else _chosen(catalog, stored, to)
    older = _before(catalog, stored, newer) if from_ is None else _chosen(catalog, stored, from_)
    if older is None or newer is None:
        missing = older is None and from_ is None and newer is not None
        none_before = "there is no earlier version of the same recipe and capture kind"
        note = none_before if missing else before_first_note(catalog, stored)
        return _result(stored, older, newer, note=note)
    if stored.held or older.held or newer.held:
        return _of_structure(catalog, stored, older, newer, limits)
    return _of_versions(catalog, stored, older, newer, limits)


def _chosen(catalog: Catalog, stored: StoredDoc, choice: VersionChoice) -> StoredVersion | None:
    if isinstance(choice, Mapping):
        if set(choice) != {"at"}:
            raise BadOption("a version is a capture id, a time, or {'at': time}")
        return catalog.version_at(stored, moment_of(choice["at"]))
    if isinstance(choice, str) and not choice[:1].isdigit():
        return catalog.version_of(stored, choice)
    return catalog.version_at(stored, moment_of(choice))


def _before(catalog: Catalog, stored: StoredDoc, newer: StoredVersion | None) -> StoredVersion | None:
    if newer is None:
        return None
    for version in catalog.versions(stored):
        is_older = (version.fetched, version.capture) < (newer.fetched, newer.capture)
        if is_older and version.recipe == newer.recipe and version.capture_kind == newer.capture_kind:
            return version
    return None


def _of_versions(
    catalog: Catalog, stored: StoredDoc, older: StoredVersion, newer: StoredVersion, limits: DiffLimits
) -> DiffResult:
    alike = older.text_sha256 == newer.text_sha256
    text = diff_texts("" if alike else catalog.text(older), "" if alike else catalog.text(newer), limits=limits)
    result = _with_meta(_result(stored, older, newer), _facts(catalog, older), _facts(catalog, newer), limits)
    return replace(
        result,
        same=alike and not result.summary.meta_changes,
        exact=text.exact,
        truncated=result.truncated or text.truncated,
        summary=replace(text.summary, meta_changes=result.summary.meta_changes),
        hunks=text.hunks,
        note="; ".join([*text.notes, *([result.note] if result.note else [])]) or None,
    )


def _of_structure(
    catalog: Catalog, stored: StoredDoc, older: StoredVersion, newer: StoredVersion, limits: DiffLimits
) -> DiffResult:
    sides = [{"meta": structural(catalog.meta(one), one.chars)} for one in (older, newer)]
    result = _with_meta(_result(stored, older, newer), sides[0], sides[1], limits)
    held = next((one for one in (newer, older) if one.held), newer)
    notes = [hold_note(held), *([result.note] if result.note else [])]
    return replace(result, same=None, note="; ".join(notes))


def _facts(catalog: Catalog, version: StoredVersion) -> dict[str, Any]:
    title = {} if version.title is None else {"title": version.title}
    return {**title, "url": version.url, "meta": catalog.meta(version)}


def _with_meta(result: DiffResult, old: Mapping[str, Any], new: Mapping[str, Any], limits: DiffLimits) -> DiffResult:
    meta = diff_meta(old, new, changes=limits.meta_changes, value_chars=limits.value_chars)
    notes = []
    if meta.total > len(meta.changes):
        notes.append(f"only the first {limits.meta_changes:,} of {meta.total:,} changes of the metadata are given")
    if meta.cut:
        notes.append(f"values of the metadata are cut to {limits.value_chars:,} characters")
    return replace(
        result,
        truncated=bool(notes),
        summary=replace(result.summary, meta_changes=meta.total),
        meta=meta.changes,
        note="; ".join(notes) or None,
    )


def _result(
    stored: StoredDoc, older: StoredVersion | None, newer: StoredVersion | None, note: str | None = None
) -> DiffResult:
    sides = [DiffSide(one.capture, one.fetched_at) if one else None for one in (older, newer)]
    return DiffResult(
        doc=stored.doc, from_=sides[0], to=sides[1], same=None, exact=True, truncated=False, summary=DiffSummary(),
        hunks=(), meta=(), note=note,
    )  # fmt: skip
