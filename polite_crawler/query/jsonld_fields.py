"""The check of a value against the JSON-LD of a page: as a number, a date, a URL and a text, in that sequence."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from polite_crawler.query.canonical_text import Form, fold_quote
from polite_crawler.query.claims import Claim
from polite_crawler.query.evidence import Candidate, FieldResult, joined
from polite_crawler.query.jsonld_paths import values_at
from polite_crawler.readers.values.dates import DateReading, date_names, parse_date
from polite_crawler.readers.values.numbers import NumberReading, exact_number, number_names, parse_number
from polite_crawler.readers.values.steps import Steps
from polite_crawler.readers.values.urls import url_meanings

_MAX_CANDIDATES = 20
_TIME_AFTER_DATE = re.compile(r"(\d{4}-\d\d-\d\d)[T ]\d\d", re.ASCII)
_RANKS = ("verified", "normalized", "ambiguous")
_TEXT_FORMS = tuple(
    (names, Form("collapsed" if "white-space" in names else "kept", "typography" in names, False, "case" in names))
    for names in (
        ("white-space",), ("typography",), ("white-space", "typography"), ("case",), ("white-space", "case"),
        ("typography", "case"), ("white-space", "typography", "case"),
    )
)  # fmt: skip


def check_jsonld(records: Sequence[Any], claim: Claim, steps: Steps | None = None) -> FieldResult:
    """The status of a value at its path: the best one over each concrete path, the first of equal ones."""
    assert claim.path is not None
    found: list[FieldResult] = []
    for path, raw in values_at(records, claim.path, steps):
        result = _compare(claim, path, raw)
        if result and result.status == "verified":
            return result
        if result:
            found.append(result)
    if not found:
        return FieldResult("not-found")
    best = min(found, key=lambda one: _RANKS.index(one.status))
    if best.status == "normalized":
        return best
    candidates = [candidate for one in found for candidate in one.candidates]
    return FieldResult("ambiguous", candidates=tuple(candidates[:_MAX_CANDIDATES]))


def _compare(claim: Claim, path: str, raw: Any) -> FieldResult | None:
    text = _text_of(raw)
    if text == claim.value or text.strip() == claim.value.strip():
        return FieldResult("verified", path=path, raw=raw)
    for status, names, meanings in _comparisons(claim, raw, text):
        if status == "ambiguous":
            return FieldResult("ambiguous", candidates=(Candidate(raw, meanings, path=path),))
        return FieldResult("normalized" if names else "verified", path=path, normalization=joined(names), raw=raw)
    return None


_Comparison = tuple[str, set[str], tuple[str, ...]]


def _comparisons(claim: Claim, raw: Any, text: str) -> Iterator[_Comparison]:
    """What the comparisons that find the value say, in their sequence."""
    yield from _as_number(claim, raw, text)
    yield from _as_date(claim, text)
    yield from _as_url(claim, text)
    yield from _as_text(claim, text)


def _as_number(claim: Claim, raw: Any, text: str) -> Iterator[_Comparison]:
    value = exact_number(claim.number) if claim.number is not None else parse_number(claim.value)
    is_number = isinstance(raw, int | float) and not isinstance(raw, bool)
    there = exact_number(raw) if is_number else parse_number(text)
    if value and there:
        yield from _one_meaning(value, there, number_names(value.forms[0], there.forms[0]))


def _as_date(claim: Claim, text: str) -> Iterator[_Comparison]:
    value = parse_date(claim.value)
    moment = _TIME_AFTER_DATE.match(text.strip())
    there = parse_date(moment[1] if moment else text)
    if value and there:
        same_text = value.raw == there.raw
        names = set() if same_text else date_names(value.forms[0], there.forms[0], value.raw, there.raw)
        yield from _one_meaning(value, there, names)


def _one_meaning(
    value: NumberReading | DateReading, there: NumberReading | DateReading, names: set[str]
) -> Iterator[_Comparison]:
    if not set(value.meanings) & set(there.meanings):
        return
    if len(value.meanings) > 1 or len(there.meanings) > 1:
        yield "ambiguous", set(), there.meanings if len(there.meanings) > 1 else value.meanings
    else:
        yield "normalized", names, there.meanings


def _as_url(claim: Claim, text: str) -> Iterator[_Comparison]:
    value, there = url_meanings(claim.value), url_meanings(text)
    if not set(value) & set(there):
        return
    if len(value) > 1 or len(there) > 1:
        yield "ambiguous", set(), there if len(there) > 1 else value
    else:
        yield "normalized", {"url-form"}, there


def _as_text(claim: Claim, text: str) -> Iterator[_Comparison]:
    for names, form in _TEXT_FORMS:
        folded = fold_quote(claim.value, form)
        if folded and folded == fold_quote(text, form):
            yield "normalized", set(names), (text,)
            return


def _text_of(raw: Any) -> str:
    if isinstance(raw, bool):
        return "true" if raw else "false"
    if isinstance(raw, int | float):
        return exact_number(raw).raw
    return str(raw)
