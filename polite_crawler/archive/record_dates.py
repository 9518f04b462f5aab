"""Dates of archive records: RFC 3339 in WARC, as exact as its writer knew it, and 14 digits in ARC."""

import re
from datetime import date, timedelta

from polite_crawler.store.record import micros

_DATE = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)[T ]?(\d\d):?(\d\d):?(\d\d)(\.\d+)?(Z|[+-]\d\d:?\d\d)?", re.I)
# WARC 1.1 lets a date end behind its year, its month, its day or its minute; it then means the beginning of that
_SHORT = re.compile(r"(\d{4})(?:-?(\d\d)(?:-?(\d\d)(?:[T ]?(\d\d):?(\d\d)(Z|[+-]\d\d:?\d\d)?)?)?)?", re.I)
# one large old archive writes the day of the year in the place of the day
_DAY_OF_YEAR = re.compile(r"(\d{4})-\d\d-(\d{3})(?=T)")


def moment(text: str | None) -> int | None:
    """A date of a record in epoch microseconds; None for none."""
    text = _DAY_OF_YEAR.sub(_calendar_day, (text or "").strip())
    if (found := _DATE.match(text)) is not None:
        year, month, day, hour, minute, second, fraction, zone = found.groups()
    elif (found := _SHORT.fullmatch(text)) is not None:
        year, month, day, hour, minute, zone = found.groups()
        second = fraction = None
    else:
        return None
    day_text = f"{year}-{month or '01'}-{day or '01'}"
    try:
        return micros(f"{day_text}T{hour or '00'}:{minute or '00'}:{second or '00'}{(fraction or '')[:7]}{_zone(zone)}")
    except (ValueError, OverflowError):
        return None


def _zone(text: str | None) -> str:
    return (text or "Z").upper()


def _calendar_day(found: re.Match[str]) -> str:
    try:
        return (date(int(found[1]), 1, 1) + timedelta(days=int(found[2]) - 1)).isoformat()
    except (ValueError, OverflowError):
        return found[0]


__all__ = ["moment"]
