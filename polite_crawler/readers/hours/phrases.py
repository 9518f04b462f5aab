"""The phrases of a text about opening hours: a list of days, a span of times."""

from dataclasses import dataclass

from polite_crawler.readers.hours.scan import Kind, Time, Token
from polite_crawler.readers.hours.statements import Span
from polite_crawler.readers.hours.week import day_range

_MIDNIGHT = Time(0, 0, None, clock24=True, bare=False)
_END_OF_DAY = Time(24, 0, None, clock24=True, bare=False)
_CLOSES = (Kind.RANGE, Kind.UNTIL)
_TIMES = (Kind.TIME, Kind.FROM, Kind.UNTIL, Kind.OPEN_END, Kind.ALL_DAY, Kind.CLOSED)
_BETWEEN_DAYS = {"(", "on", "the", "every", ":", "also", "inc", "incl", "including"}


@dataclass(frozen=True, slots=True)
class DayList:
    """A list of days. `excepted` are the days that it leaves out, `holiday` tells that it names holidays too, and
    `adjacent` that nothing stands between two of them."""

    days: tuple[int, ...]
    excepted: tuple[int, ...] = ()
    holiday: bool = False
    adjacent: bool = False


@dataclass(frozen=True, slots=True)
class SpanRead:
    """What stands where a span may begin. `lost`: it has an open end; `bare`: it is of numbers and nothing more;
    `stray`: it is a time alone."""

    span: Span | None = None
    lost: bool = False
    bare: bool = False
    stray: bool = False


class Phrases:
    """Tokens that are read from the first to the last."""

    def __init__(self, found: list[Token], at: int = 0) -> None:
        self._tokens = found
        self._at = at

    def take(self) -> Token | None:
        """The next token, or None at the end."""
        self._at += 1
        return self._tokens[self._at - 1] if self._at <= len(self._tokens) else None

    def next_is(self, *kinds: Kind, ahead: int = 0) -> bool:
        """Whether the next token, or one that comes later, is of one of the kinds."""
        at = self._at + ahead
        return at < len(self._tokens) and self._tokens[at].kind in kinds

    def after_and(self) -> bool:
        """Whether the token that was taken last follows an `and` or a comma."""
        return self._at >= 2 and self._tokens[self._at - 2].kind is Kind.AND

    def in_brackets(self) -> bool:
        """Whether the token that was taken last follows an opening bracket."""
        return self._at >= 2 and self._tokens[self._at - 2].text == "("

    def goes_on(self) -> bool:
        """Whether a word of running text follows: lower case, or a sign that is no mark of a sentence."""
        if self.next_is(Kind.FILLER) and self._tokens[self._at].text.lower() == "of":
            return True
        if not self.next_is(Kind.WORD):
            return False
        word = self._tokens[self._at].text
        return word.islower() or not word[0].isalnum()

    def owns_days(self, *, comma: bool = False) -> bool:
        """Whether days follow that the times before them belong to: no times of their own come after them. `comma`:
        even behind a comma."""
        probe = Phrases(self._tokens, self._at + (comma and self.next_is(Kind.AND)))
        while probe.next_is(Kind.FILLER) and probe._tokens[probe._at].text.lower() in ("on", "every", "each"):
            probe._at += 1
        token = probe.take()
        if token is None or token.kind is not Kind.DAYS:
            return False
        probe.days(token)
        while probe.next_is(Kind.FILLER):
            probe._at += 1
        return not probe.next_is(*_TIMES, Kind.WORD)

    def heads_days(self) -> bool:
        """Whether days follow, with no more than a mark before them."""
        ahead = 1 if self.next_is(Kind.FILLER, Kind.AND) else 0
        return self.next_is(Kind.DAYS, ahead=ahead)

    def names_part_of_day(self) -> bool:
        """Whether a part of the days is named: `Wednesday afternoons`."""
        word = self._tokens[self._at].text.lower() if self.next_is(Kind.FILLER) else ""
        return word.startswith(("morning", "afternoon", "evening", "night"))

    def gap_follows(self) -> bool:
        """Whether times follow `closed` that are its own, and not those of days behind them."""
        probe = Phrases(self._tokens, self._at)
        token = probe.take()
        if token is None or token.kind not in (Kind.TIME, Kind.FROM):
            return False
        read = probe.span(token)
        return (read.span is not None or read.lost) and not probe.owns_days()

    def lists_days(self) -> bool:
        """Whether the list goes on with days: `and Sundays`."""
        return self.next_is(Kind.AND) and self.next_is(Kind.DAYS, ahead=1)

    def days(self, token: Token, *, closed: bool = False) -> DayList:
        """The list of days and ranges of days that begins with a token. `closed`: it is said to be closed."""
        days = list(self._range_from(token))
        excepted: list[int] = []
        target = days
        before = (self._at, 1)
        holiday, adjacent, single = False, False, len(days) == 1
        while True:
            ahead, joints = self._joints()
            if single and self._one_day():
                # "Sat Sun closed"
                adjacent = True
                days.extend(self._tokens[self._at].days)
                self._at += 1
                continue
            if joints and (self._names(ahead, Kind.HOLIDAY) or self._feast(ahead)):
                holiday = True
                self._at = ahead + 1
                continue
            if not joints & {Kind.AND, Kind.EXCEPT} or not self._names(ahead, Kind.DAYS):
                break
            if Kind.EXCEPT in joints:
                target = excepted
            before = (self._at, len(days))
            self._at = ahead + 1
            target.extend(self._range_from(self._tokens[ahead]))
        if closed and before[1] < len(days) and self.next_is(Kind.TIME, Kind.FROM):
            # "closed Mon, Tue-Sun 9am-5pm": the last ones are open
            self._at = before[0]
            return DayList(tuple(days[: before[1]]))
        stated = tuple(dict.fromkeys(day for day in days if day not in excepted))
        return DayList(stated, tuple(excepted), holiday, adjacent=adjacent)

    def _one_day(self) -> bool:
        """Whether the name of one day stands next, and no range of days begins with it."""
        return (
            self._names(self._at, Kind.DAYS)
            and len(self._tokens[self._at].days) == 1
            and not self.next_is(*_CLOSES, ahead=1)
        )

    def _joints(self) -> tuple[int, set[Kind]]:
        """Where the next member of a list may stand, and what joins it; nothing for words that join no days."""
        ahead = self._at
        found: set[Kind] = set()
        while self._names(ahead, Kind.AND, Kind.FILLER, Kind.EXCEPT):
            token = self._tokens[ahead]
            if token.kind is Kind.FILLER and token.text.lower().rstrip(".") not in _BETWEEN_DAYS:
                return ahead, set()
            found.add(token.kind)
            ahead += 1
        return ahead, found

    def _feast(self, at: int) -> bool:
        """Whether a date by its name stands somewhere: `Christmas Day`."""
        return self._names(at, Kind.DATE) and not any(sign.isdigit() for sign in self._tokens[at].text)

    def _names(self, at: int, *kinds: Kind) -> bool:
        return at < len(self._tokens) and self._tokens[at].kind in kinds

    def _range_from(self, token: Token) -> tuple[int, ...]:
        if self.next_is(*_CLOSES) and self.next_is(Kind.DAYS, ahead=1):
            last = self._tokens[self._at + 1]
            self._at += 2
            return tuple(day_range(token.days[0], last.days[-1]))
        return token.days

    def span(self, token: Token) -> SpanRead:
        """The span that begins with a token."""
        if token.kind in (Kind.ALL_DAY, Kind.ALWAYS):
            return SpanRead(Span(_MIDNIGHT, _END_OF_DAY))
        if token.kind is Kind.OPEN_END:
            return self._open_end()
        if token.kind is Kind.UNTIL:
            return self._until()
        start = token.time
        if token.kind is Kind.FROM:
            if not self.next_is(Kind.TIME):
                return self._open_end() if self.next_is(Kind.OPEN_END) else SpanRead()
            start = self._tokens[self._at].time
            self._at += 1
        assert start is not None
        between = token.kind is Kind.FROM and token.text.lower() == "between"
        if self.next_is(*_CLOSES, *((Kind.AND,) if between else ())):
            end = self._tokens[self._at + 1] if self._at + 1 < len(self._tokens) else None
            if end is not None and end.time is not None:
                self._at += 2
                return SpanRead(Span(start, end.time), bare=start.bare and end.time.bare)
            if end is not None and end.kind is Kind.OPEN_END:
                self._at += 2
                return SpanRead(lost=True)
        if self.next_is(Kind.OPEN_END):
            self._at += 1
            return SpanRead(lost=True)
        if token.kind is Kind.FROM and not start.bare:
            return SpanRead(lost=True)
        return SpanRead(bare=start.bare, stray=True)

    def _until(self) -> SpanRead:
        if self.next_is(Kind.TIME):
            end = self._tokens[self._at].time
            self._at += 1
            if end is not None:
                return SpanRead(Span(None, end), bare=end.bare)
        return self._open_end() if self.next_is(Kind.OPEN_END) else SpanRead()

    def _open_end(self) -> SpanRead:
        """Go over the rest of a span with an open end: `dawn to dusk`."""
        while self.next_is(*_CLOSES, Kind.OPEN_END):
            self._at += 1
        return SpanRead(lost=True)
