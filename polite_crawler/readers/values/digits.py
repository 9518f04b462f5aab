"""Decimal digits of all scripts as ASCII digits, at the same positions."""

import re
import sys
import unicodedata
from functools import cache


def ascii_digits(text: str) -> str:
    """The text with each decimal digit (Unicode category Nd) as its ASCII digit. The length stays."""
    if text.isascii():
        return text
    pattern, table = _other_digits()
    return text.translate(table) if pattern.search(text) else text


@cache
def _other_digits() -> tuple[re.Pattern[str], dict[int, str]]:
    zeros = [code for code in range(128, sys.maxunicode + 1) if _is_zero(chr(code))]
    ranges = "".join(f"{chr(zero)}-{chr(zero + 9)}" for zero in zeros)
    return re.compile(f"[{ranges}]"), {zero + value: str(value) for zero in zeros for value in range(10)}


def _is_zero(char: str) -> bool:
    return char.isdecimal() and unicodedata.decimal(char) == 0
