"""The check of field values against a text and its metadata: pure, over what a version holds.

A value is verified when the text holds the value's own text, normalized when a place says the same with one meaning,
ambiguous when it takes a guess, else not found. Nothing is guessed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from polite_crawler.query.claims import Claim
from polite_crawler.query.evidence import Candidate, Evidence, FieldResult, FieldSpan, Place, joined
from polite_crawler.query.jsonld_fields import check_jsonld
from polite_crawler.readers.values.dates import date_names, date_stands_alone, parse_date
from polite_crawler.readers.values.emails import parse_email
from polite_crawler.readers.values.money import money_names, money_stands_alone, parse_money
from polite_crawler.readers.values.numbers import exact_number, number_names, parse_number, stands_alone
from polite_crawler.readers.values.phones import PhoneReading, ends_with, parse_phone, phone_names, same_number
from polite_crawler.readers.values.urls import url_meanings, url_stands_alone

MAX_CANDIDATES: Final = 20
NOT_FOUND: Final = FieldResult("not-found")


def check_fields(
    text: str, meta: Mapping[str, Any], claims: Mapping[str, Claim], full_text: str | None = None
) -> dict[str, FieldResult]:
    """The status of each claim against a stored text and its metadata (`links`, `jsonld`).

    `full_text` is the whole text where the reader cut the stored one. The time is linear in the length of the text.
    """
    evidence = Evidence.of(text, meta, full_text)
    return {name: check_field(evidence, claim) for name, claim in claims.items()}


def check_field(evidence: Evidence, claim: Claim) -> FieldResult:
    """The status of one claim."""
    if claim.path is not None:
        records = evidence.meta.get("jsonld")
        return check_jsonld(records if isinstance(records, list | tuple) else [], claim, evidence.steps)
    return _CHECKS[claim.kind](evidence, claim)


def _check_text(evidence: Evidence, claim: Claim) -> FieldResult:
    return evidence.words(claim.value) or NOT_FOUND


def _check_number(evidence: Evidence, claim: Claim) -> FieldResult:
    value = exact_number(claim.number) if claim.number is not None else parse_number(claim.value)
    found = evidence.exact(claim.value.strip(), stands_alone)
    if found or value is None:
        return found or NOT_FOUND
    return _by_meaning(value, evidence.places("number"), lambda one, other, _: number_names(one, other))


def _check_money(evidence: Evidence, claim: Claim) -> FieldResult:
    value = parse_money(claim.value)
    found = evidence.exact(claim.value.strip(), money_stands_alone)
    if found or value is None:
        return found or NOT_FOUND
    return _by_meaning(value, evidence.places("money"), lambda one, other, _: money_names(one, other))


def _check_date(evidence: Evidence, claim: Claim) -> FieldResult:
    value = parse_date(claim.value)
    found = evidence.exact(claim.value.strip(), date_stands_alone)
    if found or value is None:
        return found or NOT_FOUND
    raw = value.raw
    return _by_meaning(value, evidence.places("date"), lambda one, other, there: date_names(one, other, raw, there))


def _by_meaning(value: Any, places: Sequence[Place], names: Callable[[Any, Any, str], set[str]]) -> FieldResult:
    """Compare a value with the readings of the text: one meaning on both sides, or it is ambiguous."""
    if len(value.meanings) > 1:
        return _ambiguous(value, [place for place in places if set(place.reading.meanings) & set(value.meanings)])
    if not value.meanings:
        return NOT_FOUND
    wanted = value.forms[0]
    same = [place for place in places if wanted.meaning in place.reading.meanings]
    for place in same:
        if len(place.reading.meanings) == 1:
            return place.normalized(names(wanted, place.reading.forms[0], place.reading.raw) or {"number-form"})
    return _ambiguous(None, same) if same else NOT_FOUND


def _ambiguous(value: Any, places: Sequence[Place]) -> FieldResult:
    candidates = [place.candidate() for place in places[:MAX_CANDIDATES]]
    if not candidates:
        candidates = [Candidate(value.raw, value.meanings)]
    return FieldResult("ambiguous", candidates=tuple(candidates))


def _check_url(evidence: Evidence, claim: Claim) -> FieldResult:
    value = claim.value.strip()
    if found := evidence.exact(value, url_stands_alone):
        return found
    links = list(evidence.links())
    for path, url in links:
        if url == value:
            return FieldResult("verified", path=path, raw=url)
    meanings = url_meanings(value)
    if not meanings:
        return NOT_FOUND
    same = [place for place in evidence.places("url") if set(place.reading.meanings) & set(meanings)]
    linked = [(path, url) for path, url in links if set(url_meanings(url)) & set(meanings)]
    if len(meanings) == 1:
        for place in same:
            if len(place.reading.meanings) == 1:
                return place.normalized({"url-form"})
        if linked:
            path, url = linked[0]
            return FieldResult("normalized", path=path, normalization=joined({"url-form"}), raw=url)
        return FieldResult("ambiguous", candidates=tuple(_candidates(same, linked))) if same else NOT_FOUND
    candidates = tuple(_candidates(same, linked)) or (Candidate(value, meanings),)
    return FieldResult("ambiguous", candidates=candidates[:MAX_CANDIDATES])


def _candidates(places: Sequence[Place], linked: Sequence[tuple[str, str]]) -> Iterator[Candidate]:
    for place in places[:MAX_CANDIDATES]:
        yield place.candidate()
    for path, url in linked[:MAX_CANDIDATES]:
        yield Candidate(url, url_meanings(url), path=path)


def _check_email(evidence: Evidence, claim: Claim) -> FieldResult:
    value = parse_email(claim.value)
    if value is None:
        return NOT_FOUND
    places = evidence.places("email")
    for place in places:
        if place.reading.raw == value.raw:
            return place.verified()
    for place in places:
        if place.reading.meanings == value.meanings:
            return place.normalized({"email-case"})
    return NOT_FOUND


def _check_phone(evidence: Evidence, claim: Claim) -> FieldResult:
    value = parse_phone(claim.value)
    if value is None:
        return evidence.exact(claim.value.strip(), stands_alone) or NOT_FOUND
    places = evidence.places("phone")
    for place in places:
        if place.reading.raw == value.raw:
            return place.verified()
    same = [place for place in places if same_number(place.reading, value)]
    same = same or [place for place in places if ends_with(place.reading, value)]
    if same:
        fullest: PhoneReading = max(
            (place.reading for place in same), key=lambda one: (one.international, len(one.digits))
        )
        if all(same_number(place.reading, fullest) for place in same):
            return same[0].normalized(phone_names(value, same[0].reading))
        return _ambiguous(value, same)
    partial = [place for place in places if value.digits.endswith(place.reading.digits)]
    return _ambiguous(value, partial) if partial else NOT_FOUND


_CHECKS: Final[dict[str, Callable[[Evidence, Claim], FieldResult]]] = {
    "text": _check_text,
    "number": _check_number,
    "money": _check_money,
    "date": _check_date,
    "url": _check_url,
    "email": _check_email,
    "phone": _check_phone,
}

__all__ = ["Candidate", "FieldResult", "FieldSpan", "check_field", "check_fields"]
