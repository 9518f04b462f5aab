"""Dates in a text, each with every meaning that it allows.

`03/04/2026` is 3 April or 4 March; `17/10/2026` has one meaning. With points the day comes first, with the year
first the month follows. A date without a year has no meaning. Years of two digits are 1969 to 2068 (POSIX).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from polite_crawler.readers.values.digits import ascii_digits
from polite_crawler.readers.values.months import MONTH_NAMES, bare_letters
from polite_crawler.readers.values.steps import Steps

_NUMERIC = re.compile(r"(?<!\d)(\d{1,4})([-/.])( ?)(\d{1,2})\2( ?)(\d{4}|\d{1,2})(?!\d)", re.ASCII)
_EAST_ASIAN = re.compile(r"(?<!\d)(\d{4}|\d{2}) ?[年년] ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日号號일]?", re.ASCII)
_WORD = r"[^\W\d_]{3,14}"
_GAP = "[ \u00a0\u202f]"
_DAY_FIRST = re.compile(
    rf"(?<![\d.,/:-])(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|[ºª.]|e)?(?:{_GAP}{{0,2}}|[-/])"
    rf"(?:(?:of|de){_GAP}|d['’]{_GAP}?)?(?P<month>{_WORD})(?P<after>\.?,?(?:{_GAP}{{1,2}}|[-/]))(?:(?:de|del){_GAP})?"
    r"(?P<year>\d{4}|['’]\d{2}|\d{2})(?!\d)"
)
_DAY_YEAR = re.compile(
    rf"(?<=[ \u00a0\u202f.-])(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,{_GAP}{{0,2}}|{_GAP}{{1,2}}|[-/])"
    r"(?P<year>\d{4}|['’]\d{2})(?!\d)"
)
_MONTH_BEFORE = re.compile(rf"(?<!\w)(?P<month>{_WORD})\.?(?:[ \u00a0\u202f]{{1,2}}|-)\Z")
_YEAR_FIRST = re.compile(
    rf"(?<![\d.,/:-])(?P<year>\d{{4}})[.,]?[ -]{{1,2}}(?P<month>{_WORD})\.?[ -](?P<day>\d{{1,2}})(?!\d)"
)
_CLAUSE_END = re.compile(r"\s*(?:$|[^\w\s]|\n)")
_REACH = 20


@dataclass(frozen=True, slots=True)
class DateForm:
    """One meaning of a written date: the day, the sequence of its parts ("ymd", "dmy", "mdy"), the name of the month
    as it is written ("" for a number) and whether its year has two digits."""

    day: date
    order: str
    name: str
    short_year: bool

    @property
    def meaning(self) -> str:
        """The date as ISO 8601."""
        return self.day.isoformat()


@dataclass(frozen=True, slots=True)
class DateReading:
    """A date in a text, [start, end) in code points, with its meanings."""

    start: int
    end: int
    raw: str
    forms: tuple[DateForm, ...]

    @property
    def meanings(self) -> tuple[str, ...]:
        """Each meaning one time."""
        return tuple(dict.fromkeys(form.meaning for form in self.forms))


def read_dates(text: str, steps: Steps | None = None) -> Iterator[DateReading]:
    """The dates of a text that name a day, a month and a year."""
    steps = steps or Steps()
    folded = ascii_digits(text)
    for find in (_numeric, _east_asian, _day_first, _month_first, _year_first):
        steps.add(len(text))
        for start, end, forms in find(folded):
            steps.add(end - start)
            if forms:
                yield DateReading(start, end, text[start:end], forms)


def parse_date(value: str) -> DateReading | None:
    """The reading of a text that is one date and nothing more."""
    stripped = value.strip()
    if len(stripped) > 80:
        return None
    whole = [one for one in read_dates(stripped) if (one.start, one.end) == (0, len(stripped))]
    return whole[0] if whole else None


def date_names(value: DateForm, reading: DateForm, raw_value: str, raw: str) -> set[str]:
    """The normalizations that make the spelling of a value of the one in the text."""
    names = set()
    if bare_letters(value.name) != bare_letters(reading.name):
        names.add("month-name")
    elif value.order != reading.order:
        names.add("date-order")
    if value.short_year != reading.short_year:
        names.add("two-digit-year")
    return names or _small_difference(value, raw_value, raw)


def _small_difference(value: DateForm, raw_value: str, raw: str) -> set[str]:
    """Spaces, case, the marks between numbers, or the digits of the day (`4`, `04`, `4th`)."""
    one, other = ("".join(text.split()) for text in (raw_value, raw))
    if one == other:
        return {"white-space"}
    if one.casefold() == other.casefold():
        return {"case"}
    marks = [re.sub(r"\d", "", text) for text in (one, other)]
    return {"date-order"} if not value.name and marks[0] != marks[1] else {"number-form"}


def date_stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the date text[start:end] does not go on there: `4.3.2026` is not in `14.3.2026`."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if text[start].isalnum() and (before.isalnum() or before == "_"):
        return False
    if text[start].isdecimal() and before and before in "-./" and text[start - 2 : start - 1].isdecimal():
        return False
    last = text[end - 1]
    if (last.isdecimal() and after.isdecimal()) or (last.isalpha() and after.isalpha()):
        return False
    return not (last.isdecimal() and after and after in "-./" and text[end + 1 : end + 2].isdecimal())


_Found = Iterator[tuple[int, int, tuple[DateForm, ...]]]


def _numeric(text: str) -> _Found:
    for match in _NUMERIC.finditer(text):
        first, mark, _, second, _, third = match.groups()
        if _goes_on(text, match.start(), match.end(), mark):
            continue
        yield match.start(), match.end(), _numeric_forms(first, mark, second, third)


def _goes_on(text: str, start: int, end: int, mark: str) -> bool:
    """A longer number, such as an address or a version."""
    before = text[start - 1 : start] == mark and text[start - 2 : start - 1].isdigit()
    return before or (text[end : end + 1] == mark and text[end + 1 : end + 2].isdigit())


def _numeric_forms(first: str, mark: str, second: str, third: str) -> tuple[DateForm, ...]:
    if len(first) > 2:
        return _forms([(first, second, third, "ymd")], "") if len(first) == 4 and len(third) <= 2 else ()
    day_first = (third, second, first, "dmy")
    month_first = (third, first, second, "mdy")
    if mark == ".":
        return _forms([day_first], "") or _forms([month_first], "")
    return _forms([day_first, month_first], "")


def _east_asian(text: str) -> _Found:
    for match in _EAST_ASIAN.finditer(text):
        year, month, day = match.groups()
        yield match.start(), match.end(), _forms([(year, month, day, "ymd")], "年")


def _day_first(text: str) -> _Found:
    for match in _DAY_FIRST.finditer(text):
        year = match["year"]
        spaced = match["after"][-1] not in "-/"
        if len(year) == 2 and spaced and not _CLAUSE_END.match(text, match.end()):
            continue
        yield match.start(), match.end(), _named(match, "dmy")


def _month_first(text: str) -> _Found:
    for match in _DAY_YEAR.finditer(text):
        low = max(0, match.start() - _REACH)
        before = _MONTH_BEFORE.search(text[low : match.start()])
        if before is None:
            continue
        forms = _by_name(before["month"], match["year"], match["day"], "mdy")
        yield low + before.start(), match.end(), forms


def _year_first(text: str) -> _Found:
    for match in _YEAR_FIRST.finditer(text):
        yield match.start(), match.end(), _named(match, "ymd")


def _named(match: re.Match[str], order: str) -> tuple[DateForm, ...]:
    return _by_name(match["month"], match["year"], match["day"], order)


def _by_name(name: str, year: str, day: str, order: str) -> tuple[DateForm, ...]:
    months = MONTH_NAMES.get(bare_letters(name), ())
    return _forms([(year, str(month), day, order) for month in months], name)


def _forms(parts: list[tuple[str, str, str, str]], name: str) -> tuple[DateForm, ...]:
    """The parts (year, month, day, order) that are a day of the calendar, each day one time."""
    forms: dict[date, DateForm] = {}
    for year, month, day, order in parts:
        digits = year.lstrip("'’")
        number = int(digits)
        if len(digits) == 2:
            number += 2000 if number < 69 else 1900
        elif len(digits) != 4:
            continue
        try:
            when = date(number, int(month), int(day))
        except ValueError:
            continue
        forms.setdefault(when, DateForm(when, order, name, len(digits) == 2))
    return tuple(forms.values())
