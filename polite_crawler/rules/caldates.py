"""Dates in URLs: which links are the pages of a calendar, and of which month."""

import re
from dataclasses import dataclass

from polite_crawler.rules.urls import path_segments, query_params

_YEAR_NAMES = frozenset({"y", "yr", "year", "yyyy", "jahr", "annee", "ano", "anno", "rok"})
_MONTH_NAMES = frozenset({"m", "mo", "mon", "month", "mm", "monat", "mois", "mes", "mese"})
_DAY_NAMES = frozenset({"d", "day", "dd", "tag", "jour", "dia", "giorno"})
_WORDS = re.compile(
    r"cal|calendar|calendars|events?|agenda|kalender|calendrier|calendario|termine|veranstaltungen|schedule|archives?"
    r"|month|week|day|year",
    re.IGNORECASE,
).fullmatch
_VIEWS = frozenset(
    {"month", "week", "day", "year", "list", "agenda", "today", "grid", "map", "index.html", "index.php"}
)
_YEAR = re.compile(r"[12]\d{3}").fullmatch
_TWO = re.compile(r"\d{1,2}").fullmatch
_ISO = re.compile(r"([12]\d{3})[-/](\d{1,2})(?:[-/](\d{1,2}))?(?:[T ][\d:.Z+-]*)?").fullmatch
_COMPACT = re.compile(r"(19\d\d|2[01]\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])").fullmatch
_DAY_FIRST = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.]([12]\d{3})").fullmatch


@dataclass(frozen=True, slots=True)
class CalendarPage:
    """A page of a calendar: its shape (the URL with its dates left out) and the date it shows, as precise as its URL
    is (month and day 0 when they are not named)."""

    shape: tuple[str, ...]
    year: int
    month: int = 0
    day: int = 0

    @property
    def months(self) -> int:
        """The months since year 0; of a whole year, those of its middle."""
        return self.year * 12 + (self.month or 7) - 1


def calendar_page(url: str) -> CalendarPage | None:
    """The calendar page that an http(s) URL in its normal form names, or None.

    A date in the query is one; in the path only at its end, because `/2026/05/03/title` is an article.
    """
    segments, params = path_segments(url), query_params(url)
    return _of_query(segments, params) or _of_path(segments, tuple(name for name, _ in params))


def _of_query(segments: tuple[str, ...], params: tuple[tuple[str, str], ...]) -> CalendarPage | None:
    year = month = day = 0
    rest: list[str] = []
    for name, value in params:
        key = name.strip().lower()
        iso = _iso(value)
        if iso is not None and not year:
            year, month, day = iso
        elif key in _YEAR_NAMES and _YEAR(value):
            year = int(value)
        elif key in _MONTH_NAMES and _TWO(value):
            month = int(value)
        elif key in _DAY_NAMES and _TWO(value):
            day = int(value)
        else:
            rest.append(key)
    if not year:
        return None
    return CalendarPage(("query", *segments, "?", *sorted(rest), *_precision(month, day)), year, month, day)


def _of_path(segments: tuple[str, ...], names: tuple[str, ...]) -> CalendarPage | None:
    path = segments[:-1] if segments and segments[-1].lower() in _VIEWS else segments
    view = segments[len(path) :]
    for length in (3, 2, 1):
        found = _date_of(path[-length:]) if len(path) >= length else None
        if found is None:
            continue
        before = path[:-length]
        year, month, day = found
        if not month and not any(map(_WORDS, before)):
            return None
        return CalendarPage(("path", *before, *view, "?", *names, *_precision(month, day)), year, month, day)
    return None


def _date_of(parts: tuple[str, ...]) -> tuple[int, int, int] | None:
    year, *rest = parts
    if len(parts) == 1 and (iso := _iso(year)) is not None:
        return iso
    if not _YEAR(year) or not all(map(_TWO, rest)):
        return None
    month, day = (*map(int, rest), 0, 0)[:2]
    return _valid(int(year), month, day) if rest else (int(year), 0, 0)


def _iso(text: str) -> tuple[int, int, int] | None:
    if found := _ISO(text) or _COMPACT(text):
        return _valid(int(found[1]), int(found[2]), int(found[3] or 0))
    if found := _DAY_FIRST(text):
        return _valid(int(found[3]), int(found[2]), int(found[1]))
    return None


def _valid(year: int, month: int, day: int) -> tuple[int, int, int] | None:
    return (year, month, day) if 1 <= month <= 12 and day <= 31 else None


def _precision(month: int, day: int) -> tuple[str, ...]:
    return ("day",) if day else ("month",) if month else ("year",)
