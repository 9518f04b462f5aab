"""Durations and ages as people write them: `90s`, `10m`, `24h`, `7d`, `1h30m`, plain seconds, 0."""

import math
import re
from dataclasses import dataclass
from typing import Literal

from polite_crawler.errors import BadOption

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
_PART = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s*(ms|[smhdw])", re.ASCII)
_WHOLE = re.compile(r"(?:\d{1,15}(?:\.\d{1,9})?\s*(?:ms|[smhdw])\s*)+", re.ASCII).fullmatch
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?", re.ASCII).fullmatch
_LONGEST = 100 * 365.25 * 86_400.0

Duration = str | int | float
"""A number of seconds, or a text such as `"10m"`."""


def seconds(value: Duration, name: str = "duration") -> float:
    """The seconds of a duration, from 0 to 100 years. `name` is the option that a BadOption names."""
    if isinstance(value, str):
        found = _of_text(value.strip().lower())
    else:
        found = None if isinstance(value, bool) or not isinstance(value, (int, float)) else float(value)
    if found is None or not math.isfinite(found) or not 0 <= found <= _LONGEST:
        raise BadOption(f'{name}: {str(value)[:60]!r} is no duration; write seconds, or "90s", "10m", "24h", "7d"')
    return found


def _of_text(text: str) -> float | None:
    if _NUMBER(text):
        return float(text)
    if not _WHOLE(text):
        return None
    return math.fsum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))


@dataclass(frozen=True, slots=True)
class MaxAge:
    """Up to which age a stored copy answers with no request.

    `fixed`: younger than `seconds` (0: never). `auto`: as long as the server said (RFC 9111). `stored`: always, and
    nothing is ever sent.
    """

    kind: Literal["fixed", "auto", "stored"]
    seconds: float = 0.0


def max_age(value: Duration | MaxAge, name: str = "max_age") -> MaxAge:
    """The age of an option: a duration, 0, `auto` or `stored`. Raises BadOption."""
    if isinstance(value, MaxAge):
        return value
    if isinstance(value, str) and value.strip().lower() in ("auto", "stored"):
        return MaxAge("auto" if value.strip().lower() == "auto" else "stored")
    try:
        return MaxAge("fixed", seconds(value, name))
    except BadOption as error:
        raise BadOption(f'{error}, "auto" or "stored"') from None
