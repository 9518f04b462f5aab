"""A second reader of the compact syntax, opening-hours-py, to hold our weeks against."""

import datetime
from collections.abc import Mapping, Sequence

import opening_hours

from polite_crawler.readers.hours import DAYS

_DAY = 1440
_TIMES = [datetime.datetime(2026, 6, 1) + datetime.timedelta(minutes=at) for at in range(7 * _DAY)]


def open_minutes(week: Mapping[str, Sequence[Sequence[str]]]) -> set[int]:
    """The minutes of a week, counted from Monday 00:00, at which it is open."""
    found: set[int] = set()
    for number, day in enumerate(DAYS):
        for start, end in week.get(day, ()):
            first, last = _minutes(start), _minutes(end)
            last = last if last > first else last + _DAY
            found.update((number * _DAY + at) % (7 * _DAY) for at in range(first, last))
    return found


def other_open_minutes(value: str) -> set[int]:
    """The same of a value, by the other reader."""
    other = opening_hours.OpeningHours(value)
    return {at for at, time in enumerate(_TIMES) if other.is_open(time)}


def _minutes(time: str) -> int:
    hour, minute = time.split(":")
    return int(hour) * 60 + int(minute)
