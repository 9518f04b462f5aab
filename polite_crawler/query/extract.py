"""extract: check the values that a caller proposes for the fields of a stored page, and locate them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from polite_crawler.errors import BadOption
from polite_crawler.query.claims import Claim, claim_of, parse_field
from polite_crawler.query.evidence import STATUSES, Candidate, FieldResult, FieldSpan
from polite_crawler.query.fields import check_fields
from polite_crawler.query.read import choose
from polite_crawler.query.verify import Versions
from polite_crawler.store.blobs import BlobError
from polite_crawler.store.catalog import Catalog, StoredVersion
from polite_crawler.store.index import Index
from polite_crawler.store.projection import UndecodableBody, content_type, read_body

__all__ = [
    "Candidate",
    "Claim",
    "ExtractResult",
    "FieldResult",
    "FieldSpan",
    "check_fields",
    "claim_of",
    "extract_document",
    "parse_field",
]

MAX_FIELDS: Final = 200

_ALL = 1 << 40


@dataclass(frozen=True, slots=True)
class ExtractResult:
    """The status of each field, and how many fields have each status. A held-back page names no capture."""

    doc: str
    capture: str | None
    fetched_at: str | None
    fields: Mapping[str, FieldResult]
    summary: Mapping[str, int]

    @property
    def holds(self) -> bool:
        """Whether each field is verified or normalized."""
        return all(one.status in ("verified", "normalized") for one in self.fields.values())


def extract_document(
    store: Versions,
    doc: str,
    fields: Mapping[str, Any],
    *,
    capture: str | None = None,
    at: str | datetime | None = None,
    user_provided: bool = False,
) -> ExtractResult:
    """Check values against the current version of a document, or that of a capture or of a time.

    `fields` gives each name a value (a text or a number), a mapping with `value` and `kind`, or a Claim. A held-back
    page answers the same for each value. Raises NotStored, and BadOption for a bad field or `capture` with `at`.
    """
    if not fields:
        raise BadOption("no field to check: give at least one name and value")
    if len(fields) > MAX_FIELDS:
        raise BadOption(f"more than {MAX_FIELDS} fields")
    claims = {name: claim_of(value) for name, value in fields.items()}
    lift = store.lift_hold if user_provided else None
    return store.index.reading(lambda catalog: _extract(store.index, catalog, doc, claims, capture, at, lift))


def _extract(
    index: Index,
    catalog: Catalog,
    doc: str,
    claims: Mapping[str, Claim],
    capture: str | None,
    at: str | datetime | None,
    lift: Callable[[StoredVersion], str | None] | None,
) -> ExtractResult:
    choice = choose(catalog, doc, capture=capture, at=at)
    version = choice.version
    if choice.held and (version is None or lift is None or lift(version) is not None):
        return _result(choice.doc.doc, None, dict.fromkeys(claims, FieldResult("held-back")))
    if version is None:
        return _result(choice.doc.doc, None, dict.fromkeys(claims, FieldResult("not-found")))
    meta = catalog.meta(version)
    found = check_fields(catalog.text(version), meta, claims, _full_text(index, catalog, version, meta))
    return _result(choice.doc.doc, version, found)


def _result(doc: str, version: StoredVersion | None, found: Mapping[str, FieldResult]) -> ExtractResult:
    named = {
        name: replace(one, capture=version.capture) if version and one.status != "not-found" else one
        for name, one in found.items()
    }
    summary: dict[str, int] = {status: sum(one.status == status for one in named.values()) for status in STATUSES}
    return ExtractResult(
        doc=doc,
        capture=version.capture if version else None,
        fetched_at=version.fetched_at if version else None,
        fields=named,
        summary=summary,
    )


def _full_text(index: Index, catalog: Catalog, version: StoredVersion, meta: Mapping[str, Any]) -> str | None:
    """The whole text of a body whose reader kept only the first part, or None."""
    notes = meta.get("notes") or ()
    if version.kind not in ("text", "pdf") or not any(str(note).startswith("cut:") for note in notes):
        return None
    capture = catalog.capture(version.capture)
    if capture.body is None:
        return None
    try:
        body = read_body(capture, index.blobs.get(capture.body.sha256))
    except (BlobError, UndecodableBody):
        return None
    if version.kind == "pdf":
        from polite_crawler.readers.pdf import PdfLimits, read_pdf

        return read_pdf(body, PdfLimits(pages=_ALL, characters=_ALL)).text
    from polite_crawler.readers.charset import decode
    from polite_crawler.readers.reading import form_of
    from polite_crawler.readers.scrub import clean

    if form_of(body, content_type(capture)) == "office":
        from polite_crawler.readers.office.file import OfficeLimits, read_office

        return read_office(body, OfficeLimits(characters=_ALL, chapters=_ALL)).text
    return clean(decode(body, content_type(capture)).text)
