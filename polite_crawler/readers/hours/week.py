"""A week of opening hours, and what a reader of one gives."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
"""The days of a week, in their order."""

Interval = tuple[str, str]
"""Opening and closing time, `HH:MM`. A closing time that is not later than the opening time is that of the next day;
24:00 is the end of the day."""

Week = Mapping[str, Sequence[Interval]]
"""The stated days, each with its intervals; a day that is stated as closed has none, a day that is not stated is
absent."""

DAY = 1440
"""Minutes of a day."""


@dataclass(frozen=True, slots=True)
class Hours:
    """What was read.

    `week` is None when nothing of the source is weekly opening hours. `inferred`: an am or pm was guessed. `partial`:
    the source says more than the week does (an open end, a public holiday, a second season). `season` is the part of
    the year that the week is for, as it is written. `label` names a schedule that is not that of the whole place
    (kitchen, brunch, happy hour, office). `notes` tell the choices of a reader.
    """

    week: dict[str, list[Interval]] | None
    inferred: bool = False
    partial: bool = False
    season: str | None = None
    label: str | None = None
    notes: tuple[str, ...] = ()


def clock(minutes: int) -> str:
    """Minutes since midnight as `HH:MM`; 1440 is 24:00, and what is later belongs to the next day."""
    shown = minutes if minutes <= DAY else minutes - DAY
    return f"{shown // 60:02}:{shown % 60:02}"


def interval(start: int, end: int) -> Interval:
    """An interval from minutes. An end before the start, or at it, is on the next day; 00:00 at the end is 24:00, and
    so is 23:59, which sites write for it."""
    start %= DAY
    if end % DAY == 0 or end == DAY - 1:
        return clock(start), "24:00"
    return clock(start), clock(end % DAY)


def minutes(time: str) -> int:
    """Minutes since midnight of `H:MM`, `HH:MM` or `HH:MM:SS`. Raises ValueError for another text or time."""
    hour, minute = (int(part) for part in time.split(":")[:2])
    if not (0 <= hour <= 24 and 0 <= minute <= 59) or hour * 60 + minute > DAY:
        raise ValueError(f"{time!r} is not a time of a day")
    return hour * 60 + minute


def without(pair: Interval, gap: Interval) -> list[Interval]:
    """What is left of an interval around a gap that lies in it; the interval itself around another one."""
    (start, end), (first, last) = (ends(pair), ends(gap))
    if first < start:
        first, last = first + DAY, last + DAY
    # what would begin past midnight is of another day
    if last > end or (first, last) == (start, end) or DAY <= last < end:
        return [pair]
    return [interval(a, b) for a, b in ((start, first), (last, end)) if a < b]


def ends(pair: Interval) -> tuple[int, int]:
    """The minutes of an interval; an end on the next day is beyond those of the day."""
    start, end = (minutes(time) for time in pair)
    return start, end if end > start else end + DAY


def day_range(first: int, last: int) -> list[int]:
    """The days from one to another, by number; the range may wrap over the end of the week."""
    return [(first + step) % 7 for step in range((last - first) % 7 + 1)]


def in_order(days: Mapping[str, Iterable[Interval]]) -> dict[str, list[Interval]]:
    """The days of a mapping in the order of a week, each with its intervals by opening time, each once."""
    return {day: sorted(set(days[day])) for day in DAYS if day in days}
