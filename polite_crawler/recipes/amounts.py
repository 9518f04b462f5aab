"""Amounts and currencies as shops write them."""

import re
import unicodedata
from decimal import Decimal

from polite_crawler.readers.values.currencies import CURRENCY_CODES, CURRENCY_SYMBOLS

THREE_DECIMALS = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})
"""The currencies with three decimal digits (ISO 4217)."""

_NUMBER = re.compile(r"(?:(?<![\w.,])[.,])?\d(?:[\d.,'’\s\u00a0\u2007\u2009\u202f]*\d)?")
_SPACES = re.compile(r"[\s'’\u00a0\u2007\u2009\u202f]")
_SPACED = re.compile(r"\d{1,3}(?:[\s'’\u00a0\u2007\u2009\u202f]\d{3})*(?:[.,]\d+)?")
_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}")
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{2,3})*[.,]\d{3}|\d*")
_MINUS = re.compile(r"[-−–]\s*(?:[^\W\d_]{0,3}|[$€£¥])\s*\d")
_ARABIC = str.maketrans("٫٬", ".,")
_CODE = re.compile(r"\b[A-Z]{3}\b")
_SYMBOL = re.compile("|".join(re.escape(symbol) for symbol in sorted(CURRENCY_SYMBOLS, key=len, reverse=True)))


def read_amount(text: object, currency: str | None = None) -> str | None:
    """The amount that a text or a number is, as decimal text, or None.

    The last separator is the decimal point. One kind of separator before groups of three digits separates thousands,
    so `1.299` is 1299; in a currency with three decimal digits it is 1.299. A range, a negative amount and zero give
    no amount.
    """
    if isinstance(text, bool):
        return None
    if isinstance(text, int | float | Decimal):
        number = Decimal(str(text))
        return _positive(format(number, "f")) if number.is_finite() else None
    if not isinstance(text, str):
        return None
    text = "".join(str(unicodedata.decimal(mark)) if mark.isdecimal() else mark for mark in text.translate(_ARABIC))
    numbers = _NUMBER.findall(text)
    if len(numbers) != 1 or _MINUS.search(text):
        return None
    written = numbers[0]
    if _SPACES.search(written) and not _SPACED.fullmatch(written):
        return None
    digits = _plain(_SPACES.sub("", str(written)), (currency or "").upper() in THREE_DECIMALS)
    return _positive(digits) if digits is not None else None


def read_currency(code: object, *texts: object) -> str | None:
    """The ISO 4217 code of an offer: its declared code, or the symbol in one of the texts when that names one
    currency, as € and £ do."""
    for value in (code, *texts):
        if not isinstance(value, str):
            continue
        word = value.strip().upper()
        if word in CURRENCY_CODES:
            return word
        for symbol in _SYMBOL.findall(value):
            named = CURRENCY_SYMBOLS[symbol]
            if len(named) == 1:
                return named[0]
        codes = (found.group() for found in _CODE.finditer(value))
        if (written := next((one for one in codes if one in CURRENCY_CODES), None)) is not None:
            return written
    return None


def _plain(text: str, three_decimals: bool) -> str | None:
    marks = [mark for mark in text if mark in ".,"]
    if not marks:
        return text
    last = marks[-1]
    whole, _, rest = text.rpartition(last)
    if len(set(marks)) > 1:
        # the last kind is the decimal point, so it stands there once
        known = marks.count(last) == 1 and _GROUPED.fullmatch(whole)
        return f"{re.sub('[.,]', '', whole)}.{rest}" if known else None
    groups = text.split(last)
    if all(len(group) == 3 for group in groups[1:]) and 1 <= len(groups[0]) <= 3 and groups[0] != "0":
        if three_decimals and len(marks) == 1:
            return f"{whole}.{rest}"
        return "".join(groups)
    if _INDIAN.fullmatch(text):
        return "".join(groups)
    return f"{whole}.{rest}" if len(marks) == 1 else None


def _positive(digits: str) -> str | None:
    whole, point, rest = digits.partition(".")
    shown = (whole.lstrip("0") or "0") + point + rest
    return shown if not shown.startswith("-") and Decimal(shown) > 0 else None
