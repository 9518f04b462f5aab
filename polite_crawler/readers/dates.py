"""Dates as pages, sitemaps and feeds write them, in one form: RFC 3339, or a part of it when the day is all there is.

Sources: W3C-DTF (https://www.w3.org/TR/NOTE-datetime), RFC 5322 section 3.3 with its obsolete zones, ISO 8601.
"""

import re
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache

_MAX = 64
_W3C = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ]\s*(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?"
    r"\s*([Zz]|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?)?)?"
)
_USUAL = re.compile(r"\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:[0-5]\d(?:Z|[+-]\d\d:\d\d)", re.ASCII).fullmatch
_BASIC = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(?:(\d\d)(\d\d)?)?(Z|[+-]\d\d:?\d\d)?)?")
_ORDINAL = re.compile(r"\d{4}-\d{3}|\d{4}-W\d\d(?:-\d)?")
_DAY_NAME = re.compile(r"^[A-Za-z]{3,9}\.?,?\s+(?=\d)")
_MONTH = re.compile(r"\b([A-Za-z]{3})[a-z]*\.?")
_ASCTIME = re.compile(r"[A-Za-z]{3}\s+([A-Za-z]{3})\s+(\d{1,2})\s+(\d\d:\d\d:\d\d)\s+(?:[A-Z]{1,4}\s+)?(\d{4})")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()  # noqa: SIM905


@lru_cache(maxsize=4096)
def read_date(text: str | None) -> str | None:
    """A date or a time in its one form, or None when the text is no date.

    `2026`, `2026-03` and `2026-03-04` stay as they are. A time of day is given in UTC, as `2026-03-04T09:30:00Z`; one
    without a zone has no Z, because nobody knows it.
    """
    if not text or len(text) > _MAX:
        return None
    text = text.strip()
    if _USUAL(text):
        return _parsed(text)
    if not text.isascii():
        # The digits of another script would make a date that is none.
        text = " ".join(text.split())
        if not text.isascii():
            return None
    return _w3c(text) or _basic(text) or _mail(text)


def sort_key(date: str | None) -> str:
    """A text that sorts as the dates do; no date is the oldest."""
    return (date or "").rstrip("Z")


def _w3c(text: str) -> str | None:
    match = _W3C.fullmatch(text)
    if match is None:
        return _iso_week(text)
    year, month, day, hour, minute, second, _, zone = match.groups()
    if hour is None:
        return text if _is_day(year, month or "01", day or "01") else None
    return _moment(f"{year}-{month}-{day}", f"{hour}:{minute}:{second or '00'}", zone)


def _basic(text: str) -> str | None:
    match = _BASIC.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, _, zone = match.groups()
    date = f"{year}-{month}-{day}"
    if hour is None:
        return date if _is_day(year, month, day) else None
    return _moment(date, f"{hour}:{minute}:{second or '00'}", zone)


def _iso_week(text: str) -> str | None:
    """ISO 8601 ordinal dates and weeks."""
    if not _ORDINAL.fullmatch(text):
        return None
    try:
        if "W" in text:
            return datetime.fromisoformat(text).date().isoformat()
        return datetime.strptime(text, "%Y-%j").date().isoformat()
    except ValueError:
        return None


def _is_day(year: str, month: str, day: str) -> bool:
    try:
        datetime(int(year), int(month), int(day))
    except ValueError:
        return False
    return True


def _moment(date: str, time: str, zone: str | None) -> str | None:
    carried = 0
    if time.startswith("24:00:00"):
        time, carried = "00:00:00", 1
    # A leap second has no place in Python's times.
    time = time[:6] + "59" if time[6:] == "60" else time
    offset = {"Z": "+00:00", "UTC": "+00:00", "GMT": "+00:00"}.get((zone or "").upper(), zone or "")
    if len(offset) == 3:
        offset += ":00"
    try:
        moment = datetime.fromisoformat(f"{date}T{time}{offset}")
        if carried:
            moment = datetime.fromordinal(moment.toordinal() + 1).replace(tzinfo=moment.tzinfo)
        return _utc(moment)
    except (ValueError, OverflowError):
        return None


def _parsed(text: str) -> str | None:
    try:
        moment = datetime.fromisoformat(text)
        return text if text[-1] == "Z" else _utc(moment)
    except (ValueError, OverflowError):
        return None


def _utc(moment: datetime) -> str:
    if moment.tzinfo is None:
        return moment.isoformat(timespec="seconds")
    return (moment - moment.utcoffset()).replace(tzinfo=None).isoformat(timespec="seconds") + "Z"  # type: ignore[operator]


def _mail(text: str) -> str | None:
    """RFC 822 and what feeds make of it: full names of months, a wrong name of the day, no seconds, asctime."""
    match = _ASCTIME.fullmatch(text)
    if match is not None:
        month, day, time, year = match.groups()
        text = f"{day} {month} {year} {time}"
    text = _DAY_NAME.sub("", text)
    if not text[:1].isdigit():
        return None
    month_name = _MONTH.search(text)
    if month_name is None or month_name.group(1).lower() not in _MONTHS:
        return None
    text = text[: month_name.start()] + month_name.group(1) + text[month_name.end() :]
    if not re.search(r"\d:\d\d", text):
        text += " 00:00:00"
        only_day = True
    else:
        only_day = False
    try:
        moment = parsedate_to_datetime(text)
        return moment.date().isoformat() if only_day else _utc(moment)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
