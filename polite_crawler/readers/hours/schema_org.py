"""Opening hours of schema.org records: `openingHoursSpecification` and `openingHours`.

https://schema.org/OpeningHoursSpecification. `opens` = `closes` = 00:00 is read as closed, as Google's documentation
of the markup says; schema.org itself gives no rule.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from polite_crawler.readers.hours.compact import stated_hours
from polite_crawler.readers.hours.text import from_text
from polite_crawler.readers.hours.week import DAY, DAYS, Hours, Interval, day_range, in_order, interval
from polite_crawler.readers.hours.words import ANY_DAY, fold

MIDNIGHT_NOTE = "opens and closes are both 00:00: read as closed"
"""The note of a reading that took midnight to midnight for closed."""

_TIME = re.compile(
    r"(?:.*T)?\s*(\d{1,2})(?:[:.](\d{2}))?(?:[:.]\d{2}(?:\.\d+)?)?\s*([ap])?\.?(?:m\.?)?\s*(?:Z|[+-]\d\d:?\d\d)?$", re.I
)
_CLOSED = re.compile(r"\s*(?:closed|geschlossen|ferm[eé]|cerrado|chiuso)\s*$", re.IGNORECASE)
_WHOLE = {"weekdays": range(5), "weekday": range(5), "weekend": (5, 6), "weekends": (5, 6), "daily": range(7)}
_HOLIDAY = re.compile(r"public ?holidays?|ph|bank ?holidays?", re.IGNORECASE)
_NESTING = 8


@dataclass(slots=True)
class _Found:
    days: dict[str, list[Interval]] = field(default_factory=dict)
    partial: bool = False
    season: str | None = None
    notes: list[str] = field(default_factory=list)


def from_schema_org(obj: object) -> Hours:
    """Read the hours of a record, or of the first record of a list that has some. `hoursAvailable` (of a contact point
    or a service) is not the venue.

    A specification for one day of a year is an exception and makes the reading partial; one with a longer range is a
    season, which is the reading when there is no week besides.
    """
    for record in _records(obj):
        specifications = list(_specifications(record))
        if specifications:
            hours = _of_specifications(specifications)
        else:
            hours = _of_text(record.get("openingHours"))
        if hours.week is not None:
            return hours
    return Hours(None)


def _records(obj: object) -> Iterator[Mapping[str, Any]]:
    for one in _list(obj):
        if isinstance(one, Mapping):
            yield one


def _list(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [] if value is None else [value]


def _specifications(record: Mapping[str, Any], depth: int = 0) -> Iterator[Mapping[str, Any]]:
    if "opens" in record or "closes" in record:
        yield record
        return
    if depth > _NESTING:
        return
    for value in _list(record.get("openingHoursSpecification")) + _list(record.get("specialOpeningHoursSpecification")):
        if isinstance(value, Mapping):
            yield from _specifications(value, depth + 1)
        elif isinstance(value, list):
            yield from (one for one in value if isinstance(one, Mapping))


def _of_specifications(specifications: list[Mapping[str, Any]]) -> Hours:
    weekly = [one for one in specifications if _season(one) is None]
    seasons = [(_season(one), one) for one in specifications if _season(one) is not None]
    found = _Found(partial=bool(seasons))
    if not weekly and (longer := [season for season, _ in seasons if season]):
        found.season = longer[0]
        weekly = [one for season, one in seasons if season == longer[0]]
        found.partial = len(weekly) < len(specifications)
    for one in weekly:
        _add(found, one)
    if not found.days and not found.partial:
        return Hours(None)
    return Hours(
        in_order(found.days), partial=found.partial, season=found.season, notes=tuple(dict.fromkeys(found.notes))
    )


def _season(one: Mapping[str, Any]) -> str | None:
    """None for a week of the whole year, "" for one day of a year, else the range as words."""
    first, last = (str(_text(one.get(key)) or "")[:10] for key in ("validFrom", "validThrough"))
    if first and last:
        return "" if first == last else f"{first} to {last}"
    return f"until {last}" if last else None


def _add(found: _Found, one: Mapping[str, Any]) -> None:
    days, holiday = _days(one.get("dayOfWeek"))
    found.partial = found.partial or holiday
    if not days:
        return
    opens, closes = (_text(one.get(key)) for key in ("opens", "closes"))
    start, end = _minutes(opens), _minutes(closes)
    closed = any(isinstance(text, str) and _CLOSED.match(text) for text in (opens, closes))
    if start is None and end is None and (closed or (opens is None and closes is None)):
        pairs: list[Interval] = []
    elif start is None or end is None:
        found.partial = True
        return
    elif start == end == 0:
        found.notes.append(MIDNIGHT_NOTE)
        pairs = []
    else:
        pairs = [interval(start, end)]
    for day in days:
        found.days.setdefault(DAYS[day], []).extend(pairs)


def _days(value: object) -> tuple[list[int], bool]:
    """The days of a `dayOfWeek`, and whether it names public holidays too. No value is each day."""
    names = [name for one in _list(value) if (name := _text(one))]
    if not names:
        return list(range(7)), False
    days: list[int] = []
    holiday = False
    for name in names:
        for part in re.split(r"[,;&]| and ", str(name).rstrip("/").rsplit("/", 1)[-1].rsplit("#", 1)[-1]):
            word = fold(part.strip())
            if not word:
                continue
            if _HOLIDAY.fullmatch(word):
                holiday = True
            elif word in _WHOLE:
                days.extend(_WHOLE[word])
            else:
                ends = [ANY_DAY.get(end.strip().rstrip(".")) for end in re.split(r"\s*[-–—]\s*|\s+to\s+", word)]
                if len(ends) <= 2 and ends[0] is not None and ends[-1] is not None:
                    days.extend(day_range(ends[0], ends[-1]))
    return days, holiday


def _text(value: object) -> str | None:
    """The text of a value: itself, or what `@id`, `@value` or `name` says. The first one of several."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, Mapping):
        value = value.get("@id") or value.get("@value") or value.get("name")
    return str(value).strip() or None if isinstance(value, str | int) and not isinstance(value, bool) else None


def _minutes(text: str | None) -> int | None:
    match = _TIME.match(text) if text else None
    if match is None:
        return None
    hour, minute = int(match[1]), int(match[2] or 0)
    if match[3] and 1 <= hour <= 12:
        hour = hour % 12 + (12 if match[3].lower() == "p" else 0)
    return hour * 60 + minute if hour * 60 + minute <= DAY and minute < 60 else None


def _of_text(value: object) -> Hours:
    """`openingHours`: one text or several, in the compact form or as people write it."""
    texts = [text for one in _list(value) if (text := _text(one))]
    read = [hours for text in texts if (hours := _one_text(text)).week is not None]
    if not read:
        return Hours(None)
    days: dict[str, list[Interval]] = {}
    for hours in read:
        for day, intervals in (hours.week or {}).items():
            days.setdefault(day, []).extend(intervals)
    return Hours(
        in_order(days),
        inferred=any(hours.inferred for hours in read),
        partial=len(read) < len(texts) or any(hours.partial for hours in read),
        season=read[0].season,
    )


def _one_text(text: str) -> Hours:
    hours = stated_hours(text)
    return hours if hours.week is not None else from_text(text)
