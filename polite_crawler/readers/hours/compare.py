"""Weeks as words, and what has changed between two of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from polite_crawler.readers.hours.week import DAY, DAYS, Hours, Week, minutes

Status = Literal["same", "changed", "new"]


@dataclass(frozen=True, slots=True)
class Change:
    """What a reading says about the hours that were kept.

    `days` are those that both state and that differ, `added` those that only the reading states, `skipped` those that
    were not compared. `status` is `new` when no hours were kept.
    """

    status: Status
    days: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


def compare_hours(
    kept: Mapping[str, Sequence[Sequence[str]]] | None,
    reading: Hours | Mapping[str, Sequence[Sequence[str]]] | None,
    *,
    skip_split: bool = False,
) -> Change:
    """Compare the days that both weeks state. 24:00 and 00:00 are the same time, and 9:00 is 09:00; the order of the
    intervals of a day does not matter.

    With `skip_split`, a day with two intervals or more is not compared: for a store that keeps one interval a day.
    Raises ValueError for a day or a time that is none.
    """
    before = _sets(kept)
    after = _sets(reading.week if isinstance(reading, Hours) else reading)
    split = {day for day in DAYS if skip_split and max(len(before.get(day, ())), len(after.get(day, ()))) > 1}
    both = [day for day in DAYS if day in before and day in after and day not in split]
    days = tuple(day for day in both if before[day] != after[day])
    added = tuple(day for day in DAYS if day in after and day not in before)
    skipped = tuple(day for day in DAYS if day in before and day in after and day in split)
    status: Status = "new" if not before else "changed" if days else "same"
    return Change(status, days, added, skipped)


def describe_week(week: Week) -> str:
    """A week as words that `from_text` reads back to the same week: `Mon-Fri 09:00-17:00; Sat closed`. Days that
    follow each other with the same hours are one range."""
    twelve = not _shows_its_clock(week)
    stated = [day for day in DAYS if day in week]
    groups: list[list[str]] = []
    for day in stated:
        last = groups[-1][-1] if groups else None
        if last and DAYS.index(day) == DAYS.index(last) + 1 and list(week[day]) == list(week[last]):
            groups[-1].append(day)
        else:
            groups.append([day])
    return "; ".join(f"{_day_words(group)} {_times(week[group[0]], twelve)}" for group in groups)


def _day_words(group: Sequence[str]) -> str:
    names = [day.capitalize() for day in group]
    return names[0] if len(names) == 1 else ", ".join(names) if len(names) == 2 else f"{names[0]}-{names[-1]}"


def _times(intervals: Sequence[Sequence[str]], twelve: bool) -> str:
    shown = [f"{_time(start, twelve)}-{_time(end, twelve)}" for start, end in intervals]
    return ", ".join(shown) or "closed"


def _time(time: str, twelve: bool) -> str:
    if not twelve:
        return time
    at = minutes(time)
    return f"{(at // 60 + 11) % 12 + 1}:{at % 60:02}{'pm' if DAY // 2 <= at < DAY else 'am'}"


def _shows_its_clock(week: Week) -> bool:
    """Whether some time can only be one of a 24-hour clock."""
    times = [time for intervals in week.values() for pair in intervals for time in pair]
    return any(time.startswith("0") or time >= "13:00" for time in times)


def _sets(week: Mapping[str, Sequence[Sequence[str]]] | None) -> dict[str, frozenset[tuple[int, int]]]:
    found: dict[str, frozenset[tuple[int, int]]] = {}
    for day, intervals in (week or {}).items():
        if day not in DAYS:
            raise ValueError(f"{day!r} is not one of {', '.join(DAYS)}")
        found[day] = frozenset(_pair(start, end) for start, end in intervals)
    return found


def _pair(start: str, end: str) -> tuple[int, int]:
    return minutes(start) % DAY, minutes(end) % DAY
