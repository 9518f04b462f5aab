"""Amounts of money in a text: a number with a currency symbol or an ISO 4217 code next to it, with one space or none.

A code counts only in capital letters and as a word of its own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from polite_crawler.readers.values.currencies import CURRENCY_CODES, CURRENCY_SYMBOLS
from polite_crawler.readers.values.numbers import (
    MINUS,
    NumberForm,
    NumberReading,
    is_sign,
    number_names,
    plain,
    read_amounts,
    signed,
    stands_alone,
)
from polite_crawler.readers.values.steps import Steps

_SPACE = "[ \u00a0\u2007\u2009\u202f]"
_SYMBOLS = "|".join(re.escape(symbol) for symbol in sorted(CURRENCY_SYMBOLS, key=len, reverse=True))
_BEFORE = re.compile(rf"(?P<marker>{_SYMBOLS}|[A-Z]{{3}})(?P<space>{_SPACE}?)\Z")
_AFTER = re.compile(rf"(?P<space>{_SPACE}?)(?P<marker>{_SYMBOLS}|[A-Z]{{3}})")
_REACH = 8


@dataclass(frozen=True, slots=True)
class MoneyForm:
    """One meaning of an amount: the number, the code of the currency, and how the currency is written."""

    amount: NumberForm
    currency: str
    marker: str
    before: bool
    space: str

    @property
    def meaning(self) -> str:
        """Amount and code, equal for equal sums."""
        return f"{plain(self.amount.value)} {self.currency}"


@dataclass(frozen=True, slots=True)
class MoneyReading:
    """An amount of money in a text, [start, end) in code points, with its meanings."""

    start: int
    end: int
    raw: str
    forms: tuple[MoneyForm, ...]

    @property
    def meanings(self) -> tuple[str, ...]:
        """Each meaning one time."""
        return tuple(dict.fromkeys(form.meaning for form in self.forms))


@dataclass(frozen=True, slots=True)
class _Marker:
    text: str
    start: int
    end: int
    space: str
    before: bool

    @property
    def codes(self) -> tuple[str, ...]:
        return CURRENCY_SYMBOLS.get(self.text) or ((self.text,) if self.text in CURRENCY_CODES else ())


def read_money(text: str, steps: Steps | None = None) -> Iterator[MoneyReading]:
    """The amounts of money of a text."""
    steps = steps or Steps()
    claimed = 0
    for number in read_amounts(text, steps):
        steps.add(2 * _REACH)
        if reading := _reading(text, number, claimed):
            claimed = reading.end
            yield reading


def parse_money(value: str) -> MoneyReading | None:
    """The reading of a text that is one amount of money and nothing more."""
    stripped = value.strip()
    whole = [one for one in read_money(stripped) if (one.start, one.end) == (0, len(stripped))]
    return whole[0] if len(whole) == 1 else None


def money_names(value: MoneyForm, reading: MoneyForm) -> set[str]:
    """The normalizations that make the spelling of a value of the one in the text."""
    names = number_names(value.amount, reading.amount)
    if (value.marker, value.before) != (reading.marker, reading.before):
        names.add("currency-symbol" if reading.marker in CURRENCY_SYMBOLS else "currency-code")
    elif value.space != reading.space:
        names.add("white-space")
    return names


def money_stands_alone(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] is an amount of its own: `$12` is not in `US$12`, `$12.50` or `$12k`."""
    before, after = text[start - 1 : start], text[end : end + 1]
    first, last = text[start], text[end - 1]
    if not stands_alone(text, start, end):
        return False
    if first.isalpha() and (before.isalnum() or before == "_") and not _is_ideographic(first):
        return False
    if not first.isalnum() and _continues(before, first):
        return False
    if last.isalpha() and after.isalnum() and not _is_ideographic(last):
        return False
    if last.isdecimal() and after.isalpha() and after.isascii():
        return False
    return last.isalnum() or not after.isdecimal()


def _reading(text: str, number: NumberReading, claimed: int) -> MoneyReading | None:
    """The amount of a number, if a marker stands next to it that the amount before has not claimed. Between two
    numbers (`5 € 6 $`, `$5 $6`) a marker belongs to the one that has no other."""
    before, after = _marker_before(text, number.start), _marker_after(text, number.end)
    if before and before.start < claimed:
        before = None
    if before and after and text[after.end : after.end + 3].lstrip(" +" + MINUS)[:1].isdecimal():
        after = None
    markers = [marker for marker in (before, after) if marker]
    if not markers:
        return None
    codes = _shared([marker.codes for marker in markers])
    start, end = min(number.start, markers[0].start), max(number.end, markers[-1].end)
    forms = number.forms
    sign = text[start - 1 : start]
    if before and sign and sign in MINUS and is_sign(text, start - 1):
        start -= 1
        forms = tuple(signed(form, sign) for form in forms)
    first = markers[0]
    found = tuple(MoneyForm(form, code, first.text, first.before, first.space) for form in forms for code in codes)
    return MoneyReading(start, end, text[start:end], found)


def _shared(choices: list[tuple[str, ...]]) -> tuple[str, ...]:
    """What two markers agree on (`$12 USD`), or each that one of them says."""
    common = tuple(code for code in choices[0] if all(code in codes for codes in choices))
    return common or tuple(dict.fromkeys(code for codes in choices for code in codes))


def _marker_before(text: str, end: int) -> _Marker | None:
    low = max(0, end - _REACH)
    match = _BEFORE.search(text[low:end])
    if match is None:
        return None
    start = low + match.start()
    marker = _Marker(match["marker"], start, end, match["space"], True)
    outside = text[start - 1 : start]
    if not marker.codes or _continues(outside, marker.text):
        return None
    glued = not marker.space and outside.isdecimal()
    return None if glued else marker


def _marker_after(text: str, start: int) -> _Marker | None:
    match = _AFTER.match(text[start : start + _REACH + 2])
    if match is None:
        return None
    end = start + match.end()
    marker = _Marker(match["marker"], start, end, match["space"], False)
    outside = text[end : end + 1]
    if not marker.codes or (outside.isalpha() and marker.text[-1].isalpha() and not _is_ideographic(marker.text)):
        return None
    glued = not marker.space and outside.isdecimal()
    return None if glued else marker


def _continues(before: str, marker: str) -> bool:
    """Whether the letter before a marker belongs to it: `XEUR`, `Z$`."""
    if marker[0].isalpha():
        return (before.isalnum() or before == "_") and not _is_ideographic(marker)
    return marker == "$" and before.isascii() and before.isalpha()


def _is_ideographic(marker: str) -> bool:
    return ord(marker[0]) >= 0x3000
