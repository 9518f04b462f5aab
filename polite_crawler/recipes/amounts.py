"""Amounts and currencies as shops write them."""

import re
import unicodedata
from decimal import Decimal

from polite_crawler.readers.values.currencies import CURRENCY_CODES, CURRENCY_SYMBOLS

THREE_DECIMALS = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})
"""The currencies with three decimal digits (ISO 4217)."""
MAX_DIGITS = 60
MAX_TEXT = 200
"""Digits, and characters of a text with no more than two spaces in a row, up to which it is an amount."""

_QUOTES = "'’‘ʼ´`"
_BLANKS = rf"\s\u00a0\u2007\u2009\u202f{_QUOTES}"
_NUMBER = re.compile(rf"(?:(?<![\w.,])[.,])?\d(?:[\d.,{_BLANKS}]*\d)?")
_SPACES = re.compile(rf"[{_BLANKS}]")
_INDENT = re.compile(r"\s{3,}")
_SPACED = re.compile(rf"\d{{1,3}}(?:[{_BLANKS}]\d{{3}})*(?:[.,]\d+)?")
_INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:[.,]\d{3})+")
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{2,3})*[.,]\d{3}|\d*")
_MARK = "¤"
_NEGATIVE = re.compile(
    rf"[-−–]\s*(?:[^\W\d_]{{0,3}}|{_MARK})\s*\d"  # -5, - € 5
    r"|\d[-−](?!\d)"  # 5-, but not 5.-
    r"|\A[^\w(]*\([^()]*\d[^()]*\)[^\w)]*\Z"  # (5)
)
_EURO_POINT = re.compile(r"(\s*\d[\d.\s]*)€(\d\d\s*)")
_OTHER_UNIT = re.compile(
    r"\d\s*(?:%|‰|[万萬億亿千百만천억]|(?:[km]|bn|mn|mio|mi?ll?i(?:on|ard)\w*|mrd|tsd|thousand|billion|lakhs?|lacs?|cr|crores?"
    r"|тыс|млн|¢|c|ct|cts|cents?|p|pence)(?!\w))",
    re.IGNORECASE,
)
"""A share of a hundred, a multiple or a part of the currency after the digits."""
_GLUED = re.compile(r"\d([a-z]+)", re.IGNORECASE)
_MARKS = str.maketrans({"٫": ".", "٬": ",", **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}})
"""The separators of Arabic, and full-width marks, as ASCII."""
_POUNDS = frozenset({"EGP", "FKP", "GIP", "LBP", "SDG", "SHP", "SSP", "SYP"})


def _bounded(symbol: str) -> str:
    """The pattern of a symbol: one of letters is a word of its own, as the rouble's and not as the `Rp` of `Corp`."""
    before, after = ("" if mark >= "\u0e00" or not mark.isalpha() else r"[^\W\d_]" for mark in (symbol[0], symbol[-1]))
    return f"{f'(?<!{before})' * bool(before)}{re.escape(symbol)}{f'(?!{after})' * bool(after)}"


_SYMBOL = re.compile("|".join(_bounded(symbol) for symbol in sorted(CURRENCY_SYMBOLS, key=len, reverse=True)))
_CODE = re.compile(rf"\b([A-Z]{{3}})(?=[\s{_MARK}]*[\d.,])|\d[\s{_MARK}]*([A-Z]{{3}})\b")


def read_amount(text: object, currency: str | None = None) -> str | None:
    """The amount that a text or a number is, as decimal text, or None.

    The last separator is the decimal point. One kind of separator before groups of three digits separates thousands,
    so `1.299` is 1299; in a currency with three decimal digits it is 1.299. A range, a negative amount, zero, a share
    (`50%`) and what counts in another unit (`99 cents`, `1.5k`) give no amount.
    """
    if isinstance(text, bool):
        return None
    if isinstance(text, int | float | Decimal):
        number = Decimal(str(text)) if isinstance(text, float) else Decimal(text)
        return _positive(format(number, "f")) if number.is_finite() else None
    written = _number_of(_ascii(text)) if isinstance(text, str) else None
    if written is None or (_SPACES.search(written) and not _SPACED.fullmatch(written)):
        return None
    digits = _plain(_SPACES.sub("", written), (currency or "").upper() in THREE_DECIMALS)
    return _positive(digits) if digits is not None else None


def read_currency(code: object, *texts: object) -> str | None:
    """The ISO 4217 code of an offer: its declared code, or the symbol in one of the texts when that names one
    currency, as € and £ do. None when the two name two currencies."""
    declared = _currency_of(code)
    written = next((found for text in texts if (found := _currency_of(text)) is not None), None)
    if declared is None or written is None or declared == written:
        return declared or written
    return declared if written == "GBP" and declared in _POUNDS else None


def _currency_of(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    word = value.strip().upper()
    if word in CURRENCY_CODES:
        return word
    for symbol in _SYMBOL.findall(value[: MAX_TEXT * 10]):
        named = CURRENCY_SYMBOLS[symbol]
        if len(named) == 1:
            return named[0]
    codes = (code for found in _CODE.findall(_SYMBOL.sub(_MARK, _ascii(value))) for code in found)
    return next((code for code in codes if code in CURRENCY_CODES), None)


def _ascii(text: str) -> str:
    """The text with its digits and separators as ASCII, and none for one that is too long for an amount."""
    text = _INDENT.sub("  ", text.strip())
    if len(text) > MAX_TEXT:
        return ""
    return "".join(str(unicodedata.decimal(mark)) if mark.isdecimal() else mark for mark in text.translate(_MARKS))


def _number_of(text: str) -> str | None:
    """The one number of a text that can be an amount of money, as it is written."""
    if (parts := _EURO_POINT.fullmatch(text)) is not None:
        text = f"{parts[1]},{parts[2]}"  # 12€50, as shops of France write it
    text = _SYMBOL.sub(_MARK, text)
    numbers: list[str] = _NUMBER.findall(text)
    if len(numbers) != 1 or _has_fraction(text):
        return None
    glued = _GLUED.search(text)
    if glued is not None and glued[1].upper() not in CURRENCY_CODES:
        return None
    return None if _NEGATIVE.search(text) or _OTHER_UNIT.search(text) else numbers[0]


def _has_fraction(text: str) -> bool:
    """Whether a digit of another kind is beside the digits, as in `5½` and `10²`, and not in `€/m²`."""
    marks = "".join(text.split())
    beside = zip(marks, f" {marks}", f"{marks[1:]} ", strict=False)
    return any(
        unicodedata.category(mark) in ("No", "Nl") and (before.isdecimal() or after.isdecimal())
        for mark, before, after in beside
    )


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
    if all(len(group) == 3 for group in groups[1:]) and 1 <= len(groups[0]) <= 3 and not groups[0].startswith("0"):
        if three_decimals and len(marks) == 1:
            return f"{whole}.{rest}"
        return "".join(groups)
    if _INDIAN.fullmatch(text):
        return "".join(groups)
    if len(marks) > 1 and len(rest) < 3 and _THOUSANDS.fullmatch(whole):
        return f"{''.join(groups[:-1])}.{rest}"  # 1.299.00
    return f"{whole}.{rest}" if len(marks) == 1 else None


def _positive(digits: str) -> str | None:
    whole, point, rest = digits.partition(".")
    shown = (whole.lstrip("0") or "0") + point + rest
    return shown if len(shown) <= MAX_DIGITS and not shown.startswith("-") and Decimal(shown) > 0 else None
