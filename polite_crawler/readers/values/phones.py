"""Telephone numbers in a text, compared by their digits.

Two spellings are one number when the digits are equal without the country code or the trunk prefix 0 that only one
of them has. A number without its area code has no meaning of its own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from polite_crawler.readers.values.digits import ascii_digits
from polite_crawler.readers.values.steps import Steps

MIN_DIGITS: Final = 7
"""The fewest digits that two spellings must share."""

_MAX_DIGITS = 15
_NANP_DIGITS = 10
_SEPARATOR = "[ \u00a0\u2007\u2009\u202f./‐‑–−-]"
_GROUP = re.compile(r"\(\+?\d{1,5}\)|\d+", re.ASCII)
_TOKEN = re.compile(
    r"(?<![\w.+])(?:\+ ?)?(?:\(\+?\d{1,5}\)|\d{1,15})"
    rf"(?:{_SEPARATOR}{{0,2}}(?:\(\d{{1,5}}\)|\d{{1,15}})){{0,20}}",
    re.ASCII,
)
# the country codes that ITU-T E.164 assigns
_CODES = """
1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82
84 86 90 91 92 93 94 95 98 211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234 235
236 237 238 239 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 256 257 258 260 261 262 263
264 265 266 267 268 269 290 291 297 298 299 350 351 352 353 354 355 356 357 358 359 370 371 372 373 374 375
376 377 378 379 380 381 382 383 385 386 387 389 420 421 423 500 501 502 503 504 505 506 507 508 509 590 591
592 593 594 595 596 597 598 599 670 672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690
691 692 800 808 850 852 853 855 856 870 878 880 881 882 883 886 888 960 961 962 963 964 965 966 967 968 970
971 972 973 974 975 976 977 979 992 993 994 995 996 998
"""
_COUNTRIES = frozenset(_CODES.split())


@dataclass(frozen=True, slots=True)
class PhoneReading:
    """A telephone number in a text, [start, end) in code points. `digits` are those of the number without `+` or 00;
    `international` says that it begins with its country code."""

    start: int
    end: int
    raw: str
    digits: str
    international: bool

    @property
    def meanings(self) -> tuple[str, ...]:
        """The digits, with `+` before a country code."""
        return (("+" if self.international else "") + self.digits,)


def read_phones(text: str, steps: Steps | None = None) -> Iterator[PhoneReading]:
    """What can be a telephone number in a text: a run of digits and separators. A run of several numbers is cut."""
    steps = steps or Steps()
    folded = ascii_digits(text)
    steps.add(len(text))
    for match in _TOKEN.finditer(folded):
        steps.add(match.end() - match.start())
        for start, end in _numbers(folded, match.start(), match.end()):
            reading = _reading(text, folded, start, end)
            if MIN_DIGITS <= len(reading.digits) <= _MAX_DIGITS:
                yield reading


def _numbers(folded: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The numbers of a run: cut at a bracket or a space between two whole numbers, or where its pattern repeats."""
    groups = [(start + one.start(), start + one.end()) for one in _GROUP.finditer(folded[start:end])]
    sizes = [sum(char.isdigit() for char in folded[low:high]) for low, high in groups]
    firsts = [0]
    for index in range(1, len(groups)):
        spaced = folded[groups[index][0] - 1].isspace()
        opens = folded[groups[index][0]] == "("
        before, after = sum(sizes[firsts[-1] : index]), sum(_joined_sizes(folded, groups, sizes, index))
        if before >= MIN_DIGITS and (opens or (spaced and after >= MIN_DIGITS)):
            firsts.append(index)
    period = _period(sizes) if len(firsts) == 1 and folded[start] != "+" else None
    if period:
        firsts = list(range(0, len(groups), period))
    for first, after_last in zip(firsts, [*firsts[1:], len(groups)], strict=True):
        yield start if first == 0 else groups[first][0], groups[after_last - 1][1]


def _joined_sizes(folded: str, groups: list[tuple[int, int]], sizes: list[int], first: int) -> Iterator[int]:
    """The digits of the groups from one on, up to the next space."""
    for index in range(first, len(groups)):
        if index > first and folded[groups[index][0] - 1].isspace():
            return
        yield sizes[index]


def _period(sizes: list[int]) -> int | None:
    """The number of groups after which the pattern of a run repeats, when each part can be a number."""
    for period in range(1, len(sizes) // 2 + 1):
        part = sizes[:period]
        if len(sizes) % period == 0 and sum(part) >= MIN_DIGITS and part * (len(sizes) // period) == sizes:
            return period
    return None


def parse_phone(value: str) -> PhoneReading | None:
    """The reading of a text that is one telephone number and nothing more; `tel:` may stand before it."""
    stripped = value.strip()
    bare = stripped[4:].strip() if stripped[:4].lower() == "tel:" else stripped
    folded = ascii_digits(bare)
    match = _TOKEN.match(folded)
    if match is None or match.end() != len(bare):
        return None
    reading = _reading(bare, folded, 0, len(bare))
    return reading if MIN_DIGITS <= len(reading.digits) <= _MAX_DIGITS else None


def same_number(one: PhoneReading, other: PhoneReading) -> bool:
    """Whether two spellings are one number: equal digits, or equal without country code and trunk prefix."""
    if one.digits == other.digits:
        return True
    if one.international and other.international:
        return _no_trunk(one.digits) == _no_trunk(other.digits)
    full, national = (one, other) if one.international else (other, one)
    if full.international:
        return any(full.digits == code + digits for code, digits in _with_codes(full.digits, national.digits))
    longer, shorter = sorted((one.digits, other.digits), key=len, reverse=True)
    return longer == "0" + shorter or (longer == "1" + shorter and len(shorter) == _NANP_DIGITS)


def ends_with(reading: PhoneReading, value: PhoneReading) -> bool:
    """Whether the number in a text ends with the digits of a shorter value."""
    return not value.international and reading.digits.endswith(value.digits.removeprefix("0"))


def phone_names(value: PhoneReading, reading: PhoneReading) -> set[str]:
    """The normalizations that make the spelling of a value of the one in the text."""
    names = set()
    if (value.digits, value.international) != (reading.digits, reading.international):
        names.add("phone-country")
    longer, shorter = sorted((value.raw, reading.raw), key=len, reverse=True)
    if not longer.endswith(shorter):
        names.add("phone-digits")
    return names


def _with_codes(full: str, national: str) -> Iterator[tuple[str, str]]:
    """The country codes that `full` may begin with, each with a form of the national number."""
    for digits in {national, national.removeprefix("0")}:
        code = full[: len(full) - len(digits)]
        if len(digits) >= MIN_DIGITS and code in _COUNTRIES:
            yield code, digits


def _no_trunk(digits: str) -> str:
    """`+44 (0)20 ...` is written with a trunk prefix that is not dialled."""
    for size in (1, 2, 3):
        if digits[:size] in _COUNTRIES and digits[size : size + 1] == "0" and not digits.startswith("39"):
            return digits[:size] + digits[size + 1 :]
    return digits


def _reading(text: str, folded: str, start: int, end: int) -> PhoneReading:
    raw = folded[start:end]
    digits = re.sub(r"\D", "", raw)
    international = "+" in raw
    if not international and raw.startswith("00"):
        international, digits = True, digits[2:]
    return PhoneReading(start, end, text[start:end], _no_trunk(digits) if international else digits, international)
