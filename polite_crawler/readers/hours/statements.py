"""What a text says of the days of a week, and the week that follows from it."""

from dataclasses import dataclass, field

from polite_crawler.readers.hours.halves import meaning, one
from polite_crawler.readers.hours.scan import Time
from polite_crawler.readers.hours.week import DAYS, Hours, Interval, ends, in_order, interval, minutes, without


@dataclass(frozen=True, slots=True)
class Span:
    """From `start` (None: the opening time that the day has) to `end`."""

    start: Time | None
    end: Time

    @property
    def clock24(self) -> bool:
        """Whether one of its times can only be of a 24-hour clock."""
        return any(time is not None and time.clock24 for time in (self.start, self.end))


@dataclass(frozen=True, slots=True)
class Statement:
    """Spans of some days, in one breath; none means closed. `instead`: they stand in the place of what was said of the
    days before. `gap`: the place is closed for these spans."""

    days: tuple[int, ...]
    spans: tuple[Span, ...]
    instead: bool = False
    gap: bool = False


@dataclass(slots=True)
class Schedule:
    """The statements of one season and one label. `lost`: it says something that no week can say."""

    season: str | None
    label: str | None
    statements: list[Statement] = field(default_factory=list)
    lost: bool = False


def hours_of(part: Schedule, *, clock24: bool) -> Hours:
    """The hours of a schedule. `clock24`: its text writes a 24-hour clock."""
    days: dict[str, list[Interval]] = {}
    guesses: set[tuple[str, Interval]] = set()
    inferred, lost = False, part.lost
    for said in part.statements:
        pairs: list[Interval] = []
        for span in said.spans:
            if span.start is None:
                at, guessed = one(span.end, clock24=clock24)
                lost = _close_later(days, said.days, at) or lost
                inferred = inferred or guessed
            else:
                start, end, guessed = meaning(span.start, span.end, clock24=clock24)
                pairs.append(interval(start, end))
                guesses.update((DAYS[day], pairs[-1]) for day in said.days if guessed)
        if said.gap:
            lost = _close_between(days, said.days, pairs) or lost
        elif pairs or not said.spans:
            for day in said.days:
                _state(days, DAYS[day], pairs, instead=said.instead)
    dropped = _drop_scores(days, guesses)
    inferred = inferred or dropped < len(guesses)
    return Hours(in_order(days), inferred=inferred, partial=lost or dropped > 0, season=part.season, label=part.label)


def _drop_scores(days: dict[str, list[Interval]], guesses: set[tuple[str, Interval]]) -> int:
    """Take out guessed times that run into stated ones of their day, and count them: hours of one day do not cross,
    so `Tue 2-1` beside `Tue 9am-5pm` is a score."""
    dropped = 0
    for day, pairs in days.items():
        sure = [pair for pair in pairs if (day, pair) not in guesses]
        days[day] = [pair for pair in pairs if (day, pair) not in guesses or not any(_cross(pair, one) for one in sure)]
        dropped += len(pairs) - len(days[day])
    return dropped


def _cross(new: Interval, old: Interval) -> bool:
    """Whether two intervals overlap and neither lies in the other."""
    (a, b), (c, d) = ends(new), ends(old)
    return a < c < b < d or c < a < d < b


def _state(days: dict[str, list[Interval]], day: str, pairs: list[Interval], *, instead: bool) -> None:
    """Later words about a day add to the earlier ones, or stand in their place when they speak of the same hours."""
    before = days.get(day, [])
    again = instead or any(_same_hours(new, old) for new in pairs for old in before)
    days[day] = list(pairs) if not pairs or again else [*before, *pairs]


def _same_hours(new: Interval, old: Interval) -> bool:
    """Whether two intervals begin or end alike, or one of them lies in the other."""
    (a, b), (c, d) = ends(new), ends(old)
    return a == c or b == d or (a < c and d < b) or (c < a and b < d)


def _close_later(days: dict[str, list[Interval]], which: tuple[int, ...], at: int) -> bool:
    """Give days another closing time. Whether one of them has no opening time."""
    lost = False
    for day in which:
        before = days.get(DAYS[day])
        if not before:
            lost = True
        else:
            before[-1] = interval(minutes(before[-1][0]), at)
    return lost


def _close_between(days: dict[str, list[Interval]], which: tuple[int, ...], gaps: list[Interval]) -> bool:
    """Take gaps out of days. Whether one of them does not lie in the hours of its day."""
    lost = not gaps
    for day in which:
        for gap in gaps:
            before = days.get(DAYS[day], [])
            left = [piece for pair in before for piece in without(pair, gap)]
            lost = lost or left == before
            if before:
                days[DAYS[day]] = left
    return lost
