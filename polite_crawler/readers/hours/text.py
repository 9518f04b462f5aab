"""Opening hours of English text.

What is read: days, times, and what people write around them. What is not understood breaks the bond between a day and
a time, so that a number in prose is no opening time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from polite_crawler.readers.hours.halves import meaning, one
from polite_crawler.readers.hours.scan import Kind, Time, Token, tokens
from polite_crawler.readers.hours.week import DAYS, Hours, Interval, day_range, in_order, interval

_ALL = tuple(range(7))
_MIDNIGHT = Time(0, 0, None, clock24=True, bare=False)
_END_OF_DAY = Time(24, 0, None, clock24=True, bare=False)
_CLOSES = (Kind.RANGE, Kind.UNTIL)


@dataclass(frozen=True, slots=True)
class _Span:
    """From `start` (None: the opening time that the day has) to `end`."""

    start: Time | None
    end: Time


@dataclass(frozen=True, slots=True)
class _Statement:
    """Spans of some days, in one breath; none means closed."""

    days: tuple[int, ...]
    spans: tuple[_Span, ...]


@dataclass(slots=True)
class _Schedule:
    """The statements of one season and one label. `lost`: it says something that no week can say."""

    season: str | None
    label: str | None
    statements: list[_Statement] = field(default_factory=list)
    lost: bool = False


def from_text(text: str) -> Hours:
    """Read the hours that a text states: those of the place before those with a label, of its first season.

    `week` holds the days that the text states. A time with no day, an open end ("til late") and days that no week can
    say ("first Sunday of the month") give no interval and make the reading partial; a date is an event and no week.
    """
    return next(schedules(text), Hours(None))


def schedules(text: str) -> Iterator[Hours]:
    """Every schedule of a text, that of the place first: one for each label and each season."""
    reader = _Reader(tokens(text))
    found = [one for one in reader.read() if one.statements or one.lost]
    clock24 = any(
        time.clock24 for part in found for said in part.statements for span in said.spans for time in _times(span)
    )
    found.sort(key=lambda part: (part.label is not None, not part.statements))
    for part in found:
        others = len(found) > 1 and part.label is None
        hours = _hours(part, clock24=clock24)
        yield replace(hours, partial=hours.partial or others or reader.exceptions)


def _times(span: _Span) -> list[Time]:
    return [time for time in (span.start, span.end) if time is not None]


def _hours(part: _Schedule, *, clock24: bool) -> Hours:
    days: dict[str, list[Interval]] = {}
    inferred, lost = False, part.lost
    for said in part.statements:
        pairs: list[Interval] = []
        for span in said.spans:
            if span.start is None:
                at, guessed = one(span.end, clock24=clock24)
                lost = _close_later(days, said.days, at) or lost
            else:
                start, end, guessed = meaning(span.start, span.end, clock24=clock24)
                pairs.append(interval(start, end))
            inferred = inferred or guessed
        if pairs or not said.spans:
            for day in said.days:
                _state(days, DAYS[day], pairs)
    return Hours(in_order(days), inferred=inferred, partial=lost, season=part.season, label=part.label)


def _state(days: dict[str, list[Interval]], day: str, pairs: list[Interval]) -> None:
    """Later words about a day add to the earlier ones, or stand in their place when they speak of the same hours."""
    before = days.get(day, [])
    again = any(new[0] == old[0] or new[1] == old[1] for new in pairs for old in before)
    days[day] = list(pairs) if not pairs or again else [*before, *pairs]


def _close_later(days: dict[str, list[Interval]], which: tuple[int, ...], at: int) -> bool:
    """Give days another closing time. Whether one of them has no opening time."""
    lost = False
    for day in which:
        before = days.get(DAYS[day])
        if not before:
            lost = True
        else:
            hour, minute = before[-1][0].split(":")
            before[-1] = interval(int(hour) * 60 + int(minute), at)
    return lost


class _Reader:
    """Goes over the tokens once. `_days` are the days that the next time belongs to; `_waiting` the times that still
    have no day."""

    def __init__(self, found: list[Token]) -> None:
        self._tokens = found
        self._at = 0
        self._parts: dict[tuple[str | None, str | None], _Schedule] = {}
        self._season: str | None = None
        self._label: str | None = None
        self._labelled = 0
        self._heading = False
        self._trailing: str | None = None
        self.exceptions = False
        self._clear()

    def _clear(self) -> None:
        self._days: tuple[int, ...] | None = None
        self._excepted: tuple[int, ...] = ()
        self._bound: _Statement | None = None
        self._waiting: list[_Span] = []
        self._waiting_lost = False
        self._closed = False
        self._unsayable = False
        self._event = False
        self._noise = False

    def read(self) -> list[_Schedule]:
        """The schedules, in the order of the text."""
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            self._step(token)
        self._finish()
        if self._trailing is not None and len(self._parts) == 1:
            # "Mon-Fri 10am-5pm (April to October)"
            next(iter(self._parts.values())).season = self._trailing
        return list(self._parts.values())

    def _step(self, token: Token) -> None:
        kind = token.kind
        if kind is Kind.SEASON:
            self._new_season(token.text)
        elif kind is Kind.LABEL:
            self._finish()
            shown = " ".join(token.text.lower().split()).removesuffix("s")
            self._label = {"take-away": "takeaway", "take-out": "takeout"}.get(shown, shown)
            self._labelled, self._heading = 0, False
        elif kind is Kind.DATE:
            self._clear()
            self._event = True
            self.exceptions = True
        elif kind in (Kind.HOLIDAY, Kind.NTH):
            self._unsaid_days(kind)
        elif kind is Kind.DAYS:
            self._name_days(token)
        elif kind in (Kind.TIME, Kind.FROM, Kind.UNTIL, Kind.OPEN_END, Kind.ALL_DAY, Kind.ALWAYS):
            self._name_times(token)
        elif kind is Kind.CLOSED:
            self._say_closed()
        elif kind is Kind.FILLER and token.text.lower().startswith("open"):
            self._closed = False
        elif kind is Kind.APPOINTMENT:
            if self._days is not None and self._bound is None:
                self._lose()
            self._days = None
        elif kind in (Kind.BREAK, Kind.LINE):
            self._end_clause(token)
        elif kind is Kind.WORD:
            self._days, self._bound, self._closed, self._unsayable = None, None, False, False
            self._waiting, self._waiting_lost = [], False
            self._noise = True

    def _part(self) -> _Schedule:
        key = (self._season, self._label)
        if self._label is not None:
            self._labelled += 1
        return self._parts.setdefault(key, _Schedule(self._season, self._label))

    def _lose(self) -> None:
        self._part().lost = True

    def _new_season(self, text: str) -> None:
        self._finish()
        shown = text.removeprefix("from ").removeprefix("From ").strip()
        if self._parts:
            self._trailing = shown if self._trailing is None else None
        self._season, self._label = shown, None

    def _unsaid_days(self, kind: Kind) -> None:
        """Days that no week has: their times are read over."""
        waiting = self._waiting or self._waiting_lost
        closed = self._closed
        self._clear()
        self._unsayable = True
        if kind is Kind.HOLIDAY or closed or waiting:
            self.exceptions = True
        if waiting:
            self._lose()

    def _name_days(self, token: Token) -> None:
        closed = self._closed
        days, excepted = self._day_list(token)
        if self._event:
            return
        # days after a season that follows some hours: it is a season of its own
        self._trailing = None
        times = bool(self._waiting) or self._waiting_lost
        if closed:
            self._say(days, ())
            self._days, self._bound = None, None
        elif times and not (self._noise and self._times_follow()):
            if self._waiting:
                self._say(days, tuple(self._waiting))
            if self._waiting_lost:
                self._lose()
            self._days, self._bound = None, None
        else:
            if times:
                # "X 9am-5pm, Sat 10am-2pm": those were the times of what could not be read
                self._lose()
            self._days, self._excepted, self._bound = days, excepted, None
        self._waiting, self._waiting_lost, self._unsayable = [], False, False

    def _day_list(self, token: Token) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """A list of days and ranges of days from here, and the days that it excepts."""
        days = list(self._range_from(token))
        excepted: list[int] = []
        target = days
        before = (self._at, 1)
        while True:
            ahead = self._at
            while ahead < len(self._tokens) and self._tokens[ahead].kind in (Kind.AND, Kind.FILLER, Kind.EXCEPT):
                ahead += 1
            between = [one.kind for one in self._tokens[self._at : ahead]]
            listed = Kind.AND in between or Kind.EXCEPT in between
            fillers = {one.text for one in self._tokens[self._at : ahead] if one.kind is Kind.FILLER}
            if not listed or not fillers <= {"(", "on", "the", "every", ":"} or not self._is(ahead, Kind.DAYS):
                break
            if Kind.EXCEPT in between:
                target = excepted
            before = (self._at, len(days))
            self._at = ahead + 1
            target.extend(self._range_from(self._tokens[ahead]))
        if self._closed and before[1] < len(days) and self._times_follow():
            # "closed Mon, Tue-Sun 9am-5pm": the last ones are open
            self._at, self._closed = before[0], False
            return tuple(days[: before[1]]), ()
        return tuple(dict.fromkeys(day for day in days if day not in excepted)), tuple(excepted)

    def _range_from(self, token: Token) -> tuple[int, ...]:
        joined = self._at < len(self._tokens) and self._tokens[self._at].kind in _CLOSES
        if joined and self._is(self._at + 1, Kind.DAYS):
            last = self._tokens[self._at + 1]
            self._at += 2
            return tuple(day_range(token.days[0], last.days[-1]))
        return token.days

    def _times_follow(self) -> bool:
        return self._is(self._at, Kind.TIME) or self._is(self._at, Kind.FROM)

    def _is(self, at: int, kind: Kind) -> bool:
        return at < len(self._tokens) and self._tokens[at].kind is kind

    def _name_times(self, token: Token) -> None:
        span, lost, bare = self._span(token)
        if self._event or (span is None and not lost):
            return
        if self._unsayable:
            self._lose()
        elif self._days is not None:
            if lost or span is None:
                self._lose()
                self._days = None if self._bound is None else self._days
            else:
                self._bind(span)
        elif bare or (span is not None and span.start is None):
            self._noise = True
        elif token.kind is Kind.ALWAYS and span is not None:
            self._say(_ALL, (span,))
        elif span is not None:
            self._waiting.append(span)
        else:
            self._waiting_lost = True

    def _bind(self, span: _Span) -> None:
        """Give a span to the days. Several spans of the same days are one statement."""
        assert self._days is not None
        part = self._part()
        if self._bound is not None and part.statements and part.statements[-1] is self._bound:
            part.statements.pop()
            self._bound = _Statement(self._days, (*self._bound.spans, span))
        else:
            if self._excepted:
                part.statements.append(_Statement(self._excepted, ()))
            self._bound = _Statement(self._days, (span,))
        part.statements.append(self._bound)

    def _span(self, token: Token) -> tuple[_Span | None, bool, bool]:
        """The span that begins at a token, whether it has an open end, and whether it is of bare numbers."""
        if token.kind in (Kind.ALL_DAY, Kind.ALWAYS):
            return _Span(_MIDNIGHT, _END_OF_DAY), False, False
        if token.kind is Kind.OPEN_END:
            self._skip_end()
            return None, True, False
        start = token.time
        if token.kind is Kind.UNTIL:
            return self._until()
        between = token.kind is Kind.FROM and token.text.lower() == "between"
        if token.kind is Kind.FROM:
            if not self._is(self._at, Kind.TIME):
                return (None, self._skip_end(), False) if self._is(self._at, Kind.OPEN_END) else (None, False, False)
            start = self._tokens[self._at].time
            self._at += 1
        assert start is not None
        joints = (*_CLOSES, Kind.AND) if between else _CLOSES
        if self._at < len(self._tokens) and self._tokens[self._at].kind in joints:
            end = self._tokens[self._at + 1] if self._at + 1 < len(self._tokens) else None
            if end is not None and end.time is not None:
                self._at += 2
                return _Span(start, end.time), False, start.bare and end.time.bare
            if end is not None and end.kind is Kind.OPEN_END:
                self._at += 2
                return None, True, False
        if self._is(self._at, Kind.OPEN_END):
            self._at += 1
            return None, True, False
        if token.kind is Kind.FROM and not start.bare:
            return None, True, False
        self._days = None
        self._noise = True
        return None, False, start.bare

    def _until(self) -> tuple[_Span | None, bool, bool]:
        if self._is(self._at, Kind.TIME):
            end = self._tokens[self._at].time
            self._at += 1
            if end is not None:
                return _Span(None, end), False, end.bare
        return None, self._skip_end() if self._is(self._at, Kind.OPEN_END) else False, False

    def _skip_end(self) -> bool:
        """Go over the rest of a span with an open end: `dawn to dusk`."""
        while self._at < len(self._tokens) and self._tokens[self._at].kind in (*_CLOSES, Kind.OPEN_END):
            self._at += 1
        return True

    def _say_closed(self) -> None:
        if self._event:
            return
        if self._unsayable:
            self.exceptions = True
        elif self._days is not None and self._bound is None:
            self._say(self._days, ())
            self._days = None
        else:
            self._days, self._bound, self._closed = None, None, True

    def _say(self, days: tuple[int, ...], spans: tuple[_Span, ...]) -> None:
        self._part().statements.append(_Statement(days, spans))

    def _end_clause(self, token: Token) -> None:
        if token.kind is Kind.LINE or token.text == "|":
            kept = (self._days, self._excepted, self._bound, self._unsayable)
            if self._event:
                self._clear()
            elif not self._waiting and not self._waiting_lost:
                self._clear()
                self._days, self._excepted, self._bound, self._unsayable = kept
        else:
            if self._noise and not self._heading:
                # "Kitchen closes at 9pm. Open daily 11am-11pm"
                self._label = None
            self._finish()
        self._end_label(token)

    def _end_label(self, token: Token) -> None:
        """A label is for its clause; one that stands alone on its line is for the lines below, to the next gap."""
        if token.kind is Kind.LINE and self._label is not None and not self._labelled:
            self._heading = True
        gap = token.kind is Kind.LINE and self._is(self._at, Kind.LINE)
        if self._labelled and (gap or not self._heading):
            self._label = None

    def _finish(self) -> None:
        """The end of a clause: times that never got a day are lost, unless something else was said with them."""
        if (self._waiting or self._waiting_lost) and not self._noise:
            self._lose()
        self._clear()
