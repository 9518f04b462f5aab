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

NO_HOURS_NOTE = "the record states no opening hours that can be read"
"""The note of a record that gave nothing."""

_TIME = re.compile(
    r"(?:[\d-]*T)?\s*(\d{1,2})(?:[:.h]?(\d{2})|h)?(?:[:.]\d{2}(?:\.\d+)?)?\s*([ap])?\.?(?:m\.?)?\s*"
    r"(?:Z|[+-]\d\d:?\d\d)?$",
    re.IGNORECASE,
)
_CLOSED = re.compile(r"\s*(?:closed|geschlossen|ferm[eé]|cerrado|chiuso)\s*$", re.IGNORECASE)
_WHOLE = {
    "weekdays": range(5),
    "weekday": range(5),
    "weekend": (5, 6),
    "weekends": (5, 6),
    "daily": range(7),
    "everyday": range(7),
    "every day": range(7),
}
_NAMED_TIMES = {"noon": 720, "midday": 720, "midnight": 0}
_STATES = {"dayOfWeek", "opens", "closes", "validFrom", "validThrough"}
_NAMES = ("openingHoursSpecification", "specialOpeningHoursSpecification", "openingHours")
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
            hours = _of_text(_list(record.get("openingHours")) or _list(record.get("openingHoursSpecification")))
        if hours.week is not None:
            return hours
    return Hours(None, notes=(NO_HOURS_NOTE,))


def _records(obj: object) -> Iterator[Mapping[str, Any]]:
    for one in _list(obj):
        if isinstance(one, Mapping):
            yield one


def _list(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [] if value is None else [value]


def _specifications(record: Mapping[str, Any], depth: int = 0) -> Iterator[Mapping[str, Any]]:
    if "opens" in record or "closes" in record or (depth and _STATES & record.keys()):
        yield record
        return
    if depth > _NESTING:
        return
    for value in [value for name in _NAMES for value in _list(record.get(name))]:
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
    always = [one for one in weekly if not one.get("validFrom")]
    if always and len(always) < len(weekly) and found.season is None:
        # what begins on a day that no reader knows to be past is not the week beside what always holds
        weekly, found.partial = always, True
    for one in weekly:
        _add(found, one)
    if (not found.days and not found.partial) or all(_is_blank(one) for one in specifications):
        return Hours(None)
    return Hours(
        in_order(found.days), partial=found.partial, season=found.season, notes=tuple(dict.fromkeys(found.notes))
    )


def _is_blank(one: Mapping[str, Any]) -> bool:
    """Whether the times of a specification are there and empty. That is a closed day beside others with times; a form
    in which nothing was filled in states no hours."""
    times = [one[key] for key in ("opens", "closes") if key in one]
    return bool(times) and all(_text(time) is None for time in times)


def _season(one: Mapping[str, Any]) -> str | None:
    """None for a week of the whole year, "" for one day of a year, else the range as words."""
    first, last = (str(_text(one.get(key)) or "")[:10] for key in ("validFrom", "validThrough"))
    if first and last:
        return "" if first == last else f"{first} to {last}"
    return f"until {last}" if last else None


def _add(found: _Found, one: Mapping[str, Any]) -> None:
    days, others = _days(one.get("dayOfWeek"))
    found.partial = found.partial or others
    if not days:
        return
    pairs: list[Interval] | None = []
    opens, closes = _list(one.get("opens")) or [None], _list(one.get("closes")) or [None]
    if len(opens) != len(closes):
        found.partial = True
        return
    for times in zip(opens, closes, strict=True):
        pair = _pair(found, *times)
        pairs = None if pair is None or pairs is None else pairs + pair
    if pairs is None:
        found.partial = True
        return
    for day in days:
        found.days.setdefault(DAYS[day], []).extend(pairs)


def _pair(found: _Found, opens: object, closes: object) -> list[Interval] | None:
    """The interval of two times, none for a closed day, None for times that cannot be read. schema.org: a place is
    closed when `opens` is not specified."""
    first, last = _text(opens), _text(closes)
    start, end = _minutes(first), _minutes(last, end=True)
    closed = any(text is not None and _CLOSED.match(text) for text in (first, last))
    if start is None and end is None and (closed or (first is None and last is None)):
        return []
    if start is None or end is None:
        return None
    if start == end == 0:
        found.notes.append(MIDNIGHT_NOTE)
        return []
    return [interval(start, end)]


def _days(value: object) -> tuple[list[int], bool]:
    """The days of a `dayOfWeek`, and whether it names holidays or what is no day, too. No value is each day."""
    names = [name for one in _list(value) if (name := _text(one))]
    if not names:
        return list(range(7)), False
    days: list[int] = []
    others = False
    for name in names:
        # a URL, or the name of the vocabulary before a colon
        name = re.split("[/#:]", name.rstrip("/"))[-1] if re.match(r"\w+:|//", name) else name
        for part in re.split(r"[,;&/]| and ", name):
            word = fold(part.strip())
            if not word:
                continue
            named = _WHOLE.get(word) or _range_of(word) or [day for one in word.split() for day in _range_of(one)]
            others = others or not named
            days.extend(named)
    return days, others


def _range_of(word: str) -> list[int]:
    """The days of a name or of a range of two, none for another word."""
    ends = [ANY_DAY.get(end.strip().rstrip(".")) for end in re.split(r"\s*[-–—]\s*|\s+(?:to|through|thru)\s+", word)]
    first, last = ends[0], ends[-1]
    return [] if len(ends) > 2 or first is None or last is None else day_range(first, last)


def _text(value: object) -> str | None:
    """The text of a value: itself, or what `@id`, `@value` or `name` says. The first one of several."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, Mapping):
        value = value.get("@id") or value.get("@value") or value.get("name")
    return str(value).strip() or None if isinstance(value, str | int) and not isinstance(value, bool) else None


def _minutes(text: str | None, *, end: bool = False) -> int | None:
    if text and fold(text) in _NAMED_TIMES:
        return _NAMED_TIMES[fold(text)]
    match = _TIME.match(text) if text else None
    if match is None:
        return None
    hour, minute = int(match[1]), int(match[2] or 0)
    if match[3] and 1 <= hour <= 12:
        hour = hour % 12 + (12 if match[3].lower() == "p" else 0)
    # an end beyond 24:00 is on the next day: 26:00
    return hour * 60 + minute if hour * 60 + minute <= (2 * DAY if end else DAY) and minute < 60 else None


def _of_text(value: object) -> Hours:
    """`openingHours`: one text or several, in the compact form or as people write it."""
    texts = [text for one in _list(value) if (text := _text(one))]
    read = [hours for text in texts if (hours := _one_text(text)).week is not None]
    if not read:
        return Hours(None)
    days: dict[str, list[Interval]] = {}
    for hours in read:
        for day, intervals in (hours.week or {}).items():
            days.setdefault(day, []).extend((start, "24:00" if end == "23:59" else end) for start, end in intervals)
    return Hours(
        in_order(days),
        inferred=any(hours.inferred for hours in read),
        partial=len(read) < len(texts) or any(hours.partial for hours in read),
        season=read[0].season,
    )


def _one_text(text: str) -> Hours:
    hours = stated_hours(text)
    return hours if hours.week is not None else from_text(text)
