"""GTINs, the article numbers under the bar code."""

import re
from collections.abc import Mapping
from typing import Any

from polite_crawler.recipes.offers import name_of

GTINS = ("gtin", "gtin13", "gtin14", "gtin12", "gtin8", "ean", "isbn")
"""The properties that hold one."""


def gtin_of(*records: Mapping[str, Any]) -> tuple[str | None, bool]:
    """The first GTIN with a right check digit, and whether there was another one."""
    bad = False
    for record in records:
        for key in GTINS:
            digits = re.sub(r"[\s-]", "", name_of(record.get(key)) or "")
            if is_gtin(digits):
                return digits, bad
            bad = bad or (any(mark.isdigit() for mark in digits) and key != "isbn")
    return None, bad


def is_gtin(digits: str) -> bool:
    """Whether digits are a GTIN of 8, 12, 13 or 14 digits with the right check digit, and not only zeros (GS1 General
    Specifications, section 7.9)."""
    if len(digits) not in (8, 12, 13, 14) or not digits.isascii() or not digits.isdigit() or not digits.strip("0"):
        return False
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(reversed(digits)))
    return total % 10 == 0
