"""The clauses of a text about opening hours: which times belong to which days."""

import re

from polite_crawler.readers.hours.phrases import Phrases, SpanRead
from polite_crawler.readers.hours.scan import Kind, Token
from polite_crawler.readers.hours.statements import Schedule, Span, Statement

_ALL = tuple(range(7))
_TO = re.compile(r"[-‐‑‒–—―−~→]|\b(?:to|until|till?|through|thru)\b", re.IGNORECASE)
_LABELS = {"take-away": "takeaway", "take-out": "takeout"}


class Clauses:
    """Goes over the tokens once. `_days` are the days that the next time belongs to; `_waiting` the times that still
    have no day; `_again` the days that times behind a semicolon belong to when no others are named. `exceptions` tells
    that the text speaks of days or times that no week has."""

    def __init__(self, found: list[Token]) -> None:
        self._in = Phrases(found)
        self._parts: dict[tuple[str | None, str | None], Schedule] = {}
        self._season: str | None = None
        self._label: str | None = None
        self._labelled = 0
        self._heading = False
        self._trailing: str | None = None
        self.exceptions = False
        self._clear()

    def _clear(self) -> None:
        self._dropped = False
        self._days: tuple[int, ...] | None = None
        self._excepted: tuple[int, ...] = ()
        self._bound: Statement | None = None
        self._waiting: list[Span] = []
        self._waiting_lost = False
        self._again: tuple[int, ...] = ()
        self._closed = False
        self._gap: tuple[int, ...] = ()
        self._excepting = False
        self._opened = False
        self._unsayable = False
        self._event = False
        self._noise = False
        self._said = False

    def read(self) -> list[Schedule]:
        """The schedules, in the order of the text."""
        while (token := self._in.take()) is not None:
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
            self._new_label(token.text)
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
        elif token.text.lower() == "to" and self._days is not None and self._bound is None:
            # "Fri to 9pm"
            if self._in.next_is(Kind.TIME) and not self._in.next_is(Kind.RANGE, ahead=1):
                self._name_times(Token(Kind.UNTIL, token.text))
        elif kind is Kind.EXCEPT:
            self._excepting = self._bound is not None
            if self._waiting or self._waiting_lost:
                # "24 hours except Sunday": of which days is not said
                self._lose()
                self._waiting, self._waiting_lost = [], False
        elif kind is Kind.FILLER and token.text.lower().startswith("open"):
            self._closed, self._opened = False, True
        elif kind is Kind.APPOINTMENT:
            self._by_appointment(token.text)
        elif kind in (Kind.BREAK, Kind.LINE):
            self._end_clause(token)
        elif kind is Kind.WORD:
            self._forget()

    def _forget(self) -> None:
        """What is not understood parts the days before it from the times behind it."""
        self._dropped = self._dropped or (self._days is not None and self._bound is None)
        self._days, self._bound, self._closed, self._unsayable = None, None, False, False
        self._waiting, self._waiting_lost, self._again = [], False, ()
        self._noise, self._said = True, False
        self._no_trailing()

    def _no_trailing(self) -> None:
        """The season behind some hours was not theirs: something is said of it."""
        self.exceptions = self.exceptions or self._trailing is not None
        self._trailing = None

    def _part(self) -> Schedule:
        key = (self._season, self._label)
        if self._label is not None:
            self._labelled += 1
        return self._parts.setdefault(key, Schedule(self._season, self._label))

    def _lose(self) -> None:
        self._part().lost = True

    def _new_season(self, text: str) -> None:
        if self._closed or (self._excepting and self._bound is not None):
            # "closed November to March": a part of the year that no week has
            self._unsaid_days(Kind.HOLIDAY)
            return
        said, days = self._said, self._days if self._bound is None else None
        shown, inside = _season_name(text)
        if inside and not said and days is None and not self._in.heads_days():
            # "we opened in May", "(3pm in winter)"
            self.exceptions = True
            self._forget()
            return
        self._finish()
        # "Mon-Fri (term time) 9am-5pm"
        self._days = days
        if self._parts:
            self._trailing = shown if self._trailing is None and said else None
            self.exceptions = self.exceptions or self._trailing is None
        self._season, self._label = shown, None

    def _new_label(self, text: str) -> None:
        """A label. Days that wait for their times belong to it: `Sunday brunch 10am-2pm`."""
        days = self._days if self._bound is None else None
        self._finish()
        self._days = days
        shown = " ".join(text.lower().split()).removesuffix("s")
        self._label = _LABELS.get(shown, shown)
        self._labelled, self._heading = 0, False

    def _unsaid_days(self, kind: Kind) -> None:
        """Days that no week has: their times are read over."""
        waiting = self._waiting or self._waiting_lost
        closed, bound = self._closed, self._bound
        self._clear()
        if kind is Kind.NTH and self._in.in_brackets() and self._unsay(bound):
            # "Sat 9am-1pm (first Saturday of the month only)"
            return
        if kind is Kind.HOLIDAY or closed or waiting:
            self.exceptions = True
        if waiting:
            self._lose()
        # "closed on public holidays and Sundays"
        self._closed = closed and self._in.lists_days()
        self._unsayable = not self._closed

    def _by_appointment(self, text: str) -> None:
        """Times by appointment are no opening hours: not those that stand right before it, either."""
        self.exceptions = True
        if self._days is not None and self._bound is None:
            self._lose()
        elif not self._in.after_and() or text.lower().endswith("only"):
            self._unsay(self._bound)
        self._days, self._bound = None, None

    def _unsay(self, bound: Statement | None) -> bool:
        """Take back the statement that was made last, if it is this one. Whether it is."""
        statements = self._part().statements if bound is not None else []
        if not statements or statements[-1] is not bound:
            return False
        statements.pop()
        self._lose()
        return True

    def _name_days(self, token: Token) -> None:
        closed, before = self._closed, self._bound
        found = self._in.days(token, closed=closed)
        if self._event:
            return
        self.exceptions = self.exceptions or found.holiday
        # days after a season that follows some hours: it is a season of its own
        self._trailing = None
        times = bool(self._waiting) or self._waiting_lost
        follow = self._in.next_is(Kind.TIME, Kind.FROM)
        if found.adjacent and self._in.next_is(Kind.LINE):
            # the head of a table with a column for each day
            self._forget()
        elif closed:
            self._close_days(found.days)
        elif self._excepting and before is not None and not follow:
            self._say(found.days, ())
            self._days, self._bound = None, None
        elif times and not (self._noise and follow):
            if self._waiting:
                self._say(found.days, tuple(self._waiting))
                if found.excepted:
                    self._say(found.excepted, ())
            if self._waiting_lost:
                self._lose()
            self._days, self._bound = None, None
        else:
            if times:
                # "X 9am-5pm, Sat 10am-2pm": those were the times of what could not be read
                self._lose()
            self._days, self._excepted, self._bound = found.days, found.excepted, None
        self._waiting, self._waiting_lost, self._unsayable, self._again = [], False, False, ()

    def _close_days(self, days: tuple[int, ...]) -> None:
        """Days after `closed`: closed whole, or between the times that stand with them."""
        self._closed = False
        if self._waiting:
            self._say(days, tuple(self._waiting), gap=True)
        elif self._waiting_lost:
            self._lose()
        elif self._in.names_part_of_day():
            # "closed Wednesday afternoons"
            self._lose()
        else:
            self._say(days, ())
        self._days, self._bound = None, None

    def _name_times(self, token: Token) -> None:
        opened = self._in.in_brackets() and self._bound is not None and token.time is not None
        read = self._in.span(token)
        if read.stray and opened and not read.bare and token.time is not None and self._in.owns_days():
            # "7.30am-10pm (11pm Fri & Sat)"
            read = SpanRead(Span(None, token.time))
        elif read.stray or (read.bare and (self._in.goes_on() or _score(read.span))):
            # a time alone, or numbers of running text: "Fri 3-2 win"
            alone = read.stray and not read.bare and self._days is not None and self._bound is None
            self.exceptions = self.exceptions or alone
            self._days, self._noise, self._said, read = None, True, False, SpanRead(bare=read.bare)
        span = read.span
        if self._event or (span is None and not read.lost):
            return
        if self._unsayable:
            self._lose()
        elif self._closed and self._gap and not (read.lost or self._in.owns_days()):
            self._close_between(span)
        elif self._bound is not None and span is not None and self._in.owns_days():
            # "Mon-Sat 9am-6pm (until 8pm Thu)"
            self._days, self._bound = None, None
            self._waiting.append(span)
        elif self._days is not None:
            if span is None:
                self._lose()
                self._days = None if self._bound is None else self._days
            else:
                self._bind(span)
        else:
            self._wait(token, read)

    def _wait(self, token: Token, read: SpanRead) -> None:
        """Times whose days may follow. Numbers alone only do when the days stand right behind them."""
        span = read.span
        if (
            span is not None
            and (read.bare or span.start is None)
            and (self._noise or not self._in.owns_days(comma=True))
        ):
            self._noise = True
        elif token.kind is Kind.ALWAYS and span is not None:
            self._say(_ALL, (span,))
        elif span is not None:
            self._waiting.append(span)
        elif token.text.lower().startswith("clos"):
            # the head of a column of a table
            self._noise = True
        else:
            self._waiting_lost = True

    def _bind(self, span: Span) -> None:
        """Give a span to the days. Several spans of the same days are one statement."""
        assert self._days is not None
        part = self._part()
        if self._bound is not None and part.statements and part.statements[-1] is self._bound:
            part.statements.pop()
            self._bound = Statement(self._days, (*self._bound.spans, span), self._bound.instead)
        else:
            if self._excepted:
                part.statements.append(Statement(self._excepted, ()))
            self._bound = Statement(self._days, (span,), instead=self._excepting)
        part.statements.append(self._bound)
        self._said = True

    def _say_closed(self) -> None:
        self._no_trailing()
        if self._event:
            return
        if self._unsayable:
            self.exceptions = True
        elif self._days is not None and self._bound is None and not self._in.gap_follows():
            self._say(self._days, ())
            self._days = None
        elif self._days is not None and self._bound is None:
            # "Wed closed 1pm-2pm"
            self._gap, self._days, self._closed = self._days, None, True
        else:
            self._gap = self._bound.days if self._bound is not None else ()
            self._days, self._bound, self._closed = None, None, True

    def _close_between(self, span: Span | None) -> None:
        """A gap in the hours that were just said: `9am-5pm (closed 1pm-2pm)`."""
        if span is None or span.start is None:
            self._lose()
        else:
            self._say(self._gap, (span,), gap=True)
        self._closed, self._gap = False, ()

    def _say(self, days: tuple[int, ...], spans: tuple[Span, ...], *, gap: bool = False) -> None:
        self._said = True
        self._part().statements.append(Statement(days, spans, gap=gap))

    def _end_clause(self, token: Token) -> None:
        if token.kind is Kind.LINE or token.text == "|":
            kept = (self._days, self._excepted, self._bound, self._unsayable, self._said)
            if self._event:
                self._clear()
            elif not self._waiting and not self._waiting_lost:
                self._clear()
                self._days, self._excepted, self._bound, self._unsayable, self._said = kept
        else:
            again = self._bound.days if token.text == ";" and self._bound is not None else ()
            if self._noise and not self._heading:
                # "Kitchen closes at 9pm. Open daily 11am-11pm"
                self._label = None
            self._finish()
            self._again = again
        self._end_label(token)

    def _end_label(self, token: Token) -> None:
        """A label is for its clause; one that stands alone on its line is for the lines below, to the next gap."""
        if token.kind is Kind.LINE and self._label is not None and not self._labelled:
            self._heading = True
        gap = token.kind is Kind.LINE and self._in.next_is(Kind.LINE)
        if self._labelled and (gap or not self._heading):
            self._label = None

    def _finish(self) -> None:
        """The end of a clause: times that never got a day are lost, unless something else was said with them."""
        if self._waiting and self._again and not self._noise and not self._waiting_lost:
            # "Wed 9am-12pm; 2pm-6pm"
            self._say(self._again, tuple(self._waiting))
        elif (self._waiting or self._waiting_lost) and not self._noise:
            self._lose()
        if self._excepted and self._opened and self._days is not None and self._bound is None:
            # "open daily except Tuesday"
            self._say(self._excepted, ())
            self._lose()
        if self._waiting and self._dropped:
            # the days were there, and what stands between them and their times was not understood
            self.exceptions = True
        if self._closed and self._season is not None:
            self.exceptions = True
        self._clear()


def _season_name(text: str) -> tuple[str, bool]:
    """A season as it is named, and whether the text says `in` or `during` before it."""
    first, _, rest = text.strip().partition(" ")
    inside = first.lower() in ("in", "during")
    range_ = first.lower() == "from" and _TO.search(rest)
    return (rest.strip() if inside or range_ else text.strip()), inside


def _score(span: Span | None) -> bool:
    """Whether bare numbers are no hours of a day: a zero that is not that of 0-24."""
    if span is None or span.start is None:
        return False
    return span.end.hour == 0 or (span.start.hour == 0 and span.end.hour != 24)
