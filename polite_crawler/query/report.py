"""The report of a Markdown file: each quotation with a link or a document id, checked against the store."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from polite_crawler.errors import BadOption, NotStored
from polite_crawler.query.markdown_quotes import Quotation, quotations
from polite_crawler.query.verify import VerifyResult


@dataclass(frozen=True, slots=True)
class CheckedQuotation:
    """A quotation of a file and what the store says of it. `ok` is true when the document holds it; a stale quotation
    is ok with a note, because the citation names the capture that holds it."""

    line: int
    quote: str
    doc: str
    ok: bool
    found: bool
    normalization: str | None
    capture: str | None
    fetched_at: str | None
    stale: bool
    held_back: bool
    closest: str | None
    note: str | None


@dataclass(frozen=True, slots=True)
class QuoteReport:
    """The report of one file. `checked` and `failed` count the quotations with a link or a document id, `unlinked`
    those without, which are not checked."""

    ok: bool
    checked: int
    failed: int
    unlinked: int
    quotations: tuple[CheckedQuotation, ...]


class Verifier(Protocol):
    """A store that answers for a quote."""

    def verify(self, doc: str, quote: str, *, capture: str | None = None) -> VerifyResult: ...


def check_report(store: Verifier, markdown: str) -> QuoteReport:
    """Check the quotations of a Markdown text. A document that is not stored is a failure with a note, no error."""
    found = list(quotations(markdown))
    checked = tuple(_check(store, one) for one in found if one.doc is not None)
    failed = sum(not one.ok for one in checked)
    return QuoteReport(not failed, len(checked), failed, len(found) - len(checked), checked)


def report_lines(report: QuoteReport, name: str) -> Iterator[str]:
    """The report for a person: a line for each quotation in the form `file:line: ...`, and the sum."""
    for one in report.quotations:
        state = _state(one)
        quote = one.quote if len(one.quote) <= 80 else one.quote[:79] + "…"
        yield f"{name}:{one.line}: {state}: {' '.join(quote.split())!r} in {one.doc}"
        if one.closest is not None:
            yield f"{name}:{one.line}: closest passage: {' '.join(one.closest.split())!r}"
        if one.note:
            yield f"{name}:{one.line}: {one.note}"
    unlinked = f"; {report.unlinked} without a link" if report.unlinked else ""
    yield f"{name}: {report.checked} quotations checked, {report.failed} failed{unlinked}"


def _state(one: CheckedQuotation) -> str:
    if one.found:
        return f"ok ({one.normalization}{', stale' if one.stale else ''})"
    return "HELD BACK" if one.held_back else "NOT FOUND"


def _check(store: Verifier, quotation: Quotation) -> CheckedQuotation:
    assert quotation.doc is not None
    try:
        result = store.verify(quotation.doc, quotation.quote, capture=quotation.capture)
    except (NotStored, BadOption) as error:
        return CheckedQuotation(
            line=quotation.line, quote=quotation.quote, doc=quotation.doc, ok=False, found=False, normalization=None,
            capture=None, fetched_at=None, stale=False, held_back=False, closest=None, note=str(error),
        )  # fmt: skip
    return CheckedQuotation(
        line=quotation.line, quote=quotation.quote, doc=result.doc, ok=result.found, found=result.found,
        normalization=result.normalization, capture=result.capture, fetched_at=result.fetched_at, stale=result.stale,
        held_back=result.held_back, closest=result.closest.matched if result.closest else None, note=result.note,
    )  # fmt: skip
