"""The rules of a compact value, and the week that they make together."""

from dataclasses import dataclass, field

from polite_crawler.readers.hours.week import DAY, DAYS, Interval, clock, in_order


@dataclass(slots=True)
class Rule:
    """One rule. No days are all days, and no spans are all of a day. `joined` is the mark before it, `dated` tells
    that it names dates, `holiday` that it names holidays, `unread` that no week can say it, and `lost` that its days
    are open at times which no week can say."""

    days: set[int] = field(default_factory=set)
    spans: list[tuple[int, int]] = field(default_factory=list)
    off: bool = False
    joined: str = ";"
    dated: bool = False
    unread: bool = False
    lost: bool = False
    season: str | None = None
    open: bool = False
    holiday: bool = False

    @property
    def empty(self) -> bool:
        return not (self.days or self.spans or self.off or self.dated or self.unread or self.open or self.holiday)


def week_of(rules: list[Rule], stated: set[int]) -> dict[str, list[Interval]]:
    """The week of rules: the stated days, and those that they open."""
    return _week(_paint(rules), stated)


def _paint(rules: list[Rule]) -> list[list[bool]]:
    """Each minute of each day, open or not. A rule that replaces clears the days that it names, what flows into them
    past midnight from the rules before it included; off closes, and clears nothing else."""
    week = [[False] * DAY for _ in range(7)]
    before: Rule | None = None
    for rule in rules:
        days = rule.days or set(range(7))
        selects = bool(rule.days or rule.dated)
        replaces = selects or (before is not None and not (before.days or before.dated))
        if rule.joined == ";" and not rule.off and replaces:
            for day in days:
                week[day] = [False] * DAY
        held = [list(minutes) for minutes in week] if rule.joined == "||" else None
        for day in days:
            for start, end in rule.spans or [(0, DAY)]:
                _fill(week, day, start, end, open_=not rule.off)
        if held is not None:
            week = [[a or b for a, b in zip(*pair, strict=True)] for pair in zip(week, held, strict=True)]
        before = rule
    return week


def _fill(week: list[list[bool]], day: int, start: int, end: int, *, open_: bool) -> None:
    while start < end:
        number, at = divmod(start, DAY)
        stop = min(DAY, end - number * DAY)
        week[(day + number) % 7][at:stop] = [open_] * (stop - at)
        start = number * DAY + stop


def _week(painted: list[list[bool]], stated: set[int]) -> dict[str, list[Interval]]:
    """The intervals of each day. One that ends on the next day stays with the day that it begins on."""
    found: dict[str, list[Interval]] = {DAYS[day]: [] for day in range(7) if day in stated or any(painted[day])}
    runs = [_runs(minutes) for minutes in painted]
    for day, intervals in enumerate(runs):
        for start, end in intervals:
            before, after = runs[day - 1], runs[(day + 1) % 7]
            if start == 0 and before and _over_night(before[-1], (start, end)):
                continue
            if after and _over_night((start, end), after[0]):
                end = DAY + after[0][1]
            found[DAYS[day]].append((clock(start), clock(end)))
    return in_order({day: value for day, value in found.items() if value or DAYS.index(day) in stated})


def _over_night(last: tuple[int, int], first: tuple[int, int]) -> bool:
    """Whether the last run of a day and the first of the next are one night and not two days."""
    return last[1] == DAY and last[0] > 0 and first[0] == 0 and first[1] < DAY and first[1] < last[0]


def _runs(minutes: list[bool]) -> list[tuple[int, int]]:
    edges = [at for at in range(DAY + 1) if (at > 0 and minutes[at - 1]) != (at < DAY and minutes[at])]
    return list(zip(edges[::2], edges[1::2], strict=True))
