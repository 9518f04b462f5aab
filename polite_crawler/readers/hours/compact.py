"""Opening hours in the compact syntax of OpenStreetMap, and in the forms that people write for it.

The weekly part of https://wiki.openstreetmap.org/wiki/Key:opening_hours/specification is read whole: rules that
replace (`;`), add (`,`) or stand in (`||`), off, times past midnight, points in time. What no week can say (open ends,
sun times, holidays, dates, the first Sunday of a month) makes the reading `partial`.
"""

import re
from dataclasses import replace

from polite_crawler.readers.hours.rules import Rule, week_of
from polite_crawler.readers.hours.week import DAY, DAYS, Hours, day_range
from polite_crawler.readers.hours.words import ANY_DAY, MONTHS, fold

_ALWAYS = re.compile(
    r"(?<!\d)(?:24 ?(?:hours?|hrs?|h|std)?(?: a day)?[ ,]*[/x]? *7(?: *days?(?: +a|/)? *(?:week)?)?|7 ?j? ?/ ?7"
    r"|7 days(?: ?(?:a |/ ?)week)?|all week|non-? ?stop|always|any ?time|all day(?:s)?(?! *\d)"
    r"|24 ?/ ?24(?:[ ,]*7 ?/ ?7)?"
    r"|24 ?(?:hours?|hrs?|h|std\b\.?)(?: a day)?|rund um die uhr|tag und nacht|jour et nuit|круглосуточно"
    # alone: "Mo-Fr 8-18 Uhr durchgehend" has no break at noon
    r"|^(?:ganztagig|ganztags|durchgehend|immer|toujours|siempre|sempre)\b(?!.*\d))"
    r"(?: +(?:open|geoffnet|ouvert|abierto|aperto))?(?!\d)"
)
_EVERY_DAY = re.compile(
    r"\b(?:daily|every ?day|taglich|all days|tous les jours|todos los dias|tutti i giorni|codziennie|ежедневно)\b"
    # with times it is no more than each day
    r"|(?<!\d)(?:7 days(?: ?(?:a |/ ?)week)?|all week|7 ?j? ?/ ?7)(?=[ ,:]*(?:(?:from|von|de|open) )?\d)"
)
_TIME = r"(?:\d{1,2}[:.h]\d{2}(?::\d{2})?|\d{4}|\d{1,2}h?)(?!\d)(?:\ ?[ap]\.?m\b\.?|\ ?h\b)?|midnight"
_WORDS = (
    (re.compile(r"(?<=\d) ?uhr\b"), ""),
    (re.compile(r"\b(?:week ?ends?|we(?= *ends?)|wochenende)\b"), "sa-su"),
    (re.compile(r"\b(?:week ?days?|werktags?|wochentags?)\b"), "mo-fr"),
    (re.compile(r"\b(?:school holidays?|schulferien|ferien)\b"), "sh"),
    (re.compile(r"\b(?:(?:public|bank) )?holidays?\b|\bfeiertag(?:en?|s)?\b|\bjours feries\b|\bfestivos\b"), "ph"),
    (re.compile(r"\b(?:mid ?night|mitternacht)\b"), "midnight"),
    (re.compile(r"\b(?:mid ?day|noon|mittag)\b"), "12:00"),
    (re.compile(r"\b(?:geschlossen|geschl|closed|ruhetag|zu|ferme|cerrado|chiuso|fechado|gesloten)\b\.?"), "off"),
    (re.compile(r"\b(?:geoffnet|ouvert|abierto|aperto|aberto|geopend)\b"), "open"),
    (re.compile(r"(?<=[\w.]) +(?:to|til+|until|through|thru|bis|do|до|as|a|ate|au|al|tot|-) +(?=[\w-])"), "-"),
    (re.compile(rf"\b(?:ab|from|desde) +({_TIME})(?![\d:.h]| *-)"), r"\1+"),
    (re.compile(r" *(?:&|\+(?= *[a-z])|\b(?:and|und|et|en|plus)\b|\bu\b\.?) *"), ","),
    # a full stop or a single bar between two rules
    (re.compile(r"(?<=\d)\.(?= +[a-z]|$)|(?<=\d) ?(?<!\|)\|(?!\|)(?= ?[a-z])"), ";"),
    (re.compile(r"\b(?:von|vom|from|ab|de|du|dal)\b"), ""),
)
_PREFIX = re.compile(r"\s*(?:opening[_ ]hours|offnungszeit(?:en)?)\s*[-:]\s*")
_BRACKETS = str.maketrans("()", "  ")
_COMMENT = re.compile(r'"([^"]*)"')
_APPOINTMENT = re.compile(r"appointment|reservation|arrangement|termin|vereinbarung|rendez|cita|request", re.IGNORECASE)
_DASHES = str.maketrans(
    dict.fromkeys("‐‑‒–—―−ー=~～〜→", "-") | {"：": ":", "°": "0", "，": ",", "；": ";", "\u00a0": " "}
)
_SCRIPT_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")

_TOKEN = re.compile(
    rf"""\s*(?:
    (?P<always>24/7)
  | (?P<week>\bweek\ *(?P<weeks>\d{{1,2}}(?:-\d{{1,2}})?(?:,\d{{1,2}}(?:-\d{{1,2}})?)*(?P<step>\ */\ *\d+)?))
  | (?P<date>(?:\d{{4}}\ +)?(?:{"|".join(sorted(MONTHS, key=len, reverse=True))})\b\.?(?:\ *\d{{1,2}}\b(?![:.h]\d))?)
  | (?P<feast>\beaster\b(?:\ *[+-]\ *\d+\ *days?)?)
  | (?P<year>(?:19|20)\d\d(?=[ ,-](?!\d)|-(?:19|20)\d\d|$)\b(?!\ *-\ *\d\d:?\d\d))
  | (?P<time>{_TIME})
  | (?P<sun>\(?\b(?:sunrise|sunset|dawn|dusk)\b(?:[+-]\d+:\d+\))?)
  | (?P<holiday>\b[ps]h\b)
  | (?P<comment>"!?")
  | (?P<off>\boff\b)
  | (?P<open>\b(?:open|unknown)\b)
  | (?P<nth>\[[-\d,]+\](?:\ *[+-]\d+\ *days?)?)
  | (?P<fallback>\|\|)
  | (?P<mark>[;,:+/-])
  | (?P<word>[^\W\d]+\.?)
  | (?P<other>\S)
    )""",
    re.VERBOSE,
)
_CLOCK = re.compile(r"(\d{1,2})(?:[:.h]?(\d{2})(?::\d{2})?|h)?(?: ?([ap])\.?m\.?| ?h)?$")


NO_VALUE_NOTE = "the value is not of the opening_hours syntax, or it states no hours"
"""The note of a value that gave nothing."""


class _Unread(ValueError):
    """The value is not of this syntax."""


def from_compact(value: str) -> Hours:
    """Read a compact value. `week` states every day: a day that no rule opens is closed. A day that opens at times
    which no week can say is left out. None for a value that is not of this syntax.

    A rule without times opens its days for 24 hours, and so does 00:00-00:00, as in OpenStreetMap.
    """
    hours, lost = _read(value)
    if hours.week is None:
        return hours
    return replace(hours, week={day: hours.week.get(day, []) for day in DAYS if day in hours.week or day not in lost})


def stated_hours(value: str) -> Hours:
    """The same with the days that the rules name, and no other: what schema.org's `openingHours` means."""
    return _read(value)[0]


def _read(value: str) -> tuple[Hours, set[str]]:
    """The stated hours, and the days that open at times which no week can say."""
    try:
        rules = _Parser(value).rules()
    except _Unread:
        rules = []
    if all(rule.unread and rule.off for rule in rules):
        # nothing, or no more than days off that no week has
        return Hours(None, notes=(NO_VALUE_NOTE,)), set()
    season = None
    plain = [rule for rule in rules if not rule.unread and rule.season is None]
    if not any(not rule.off for rule in plain):
        # the rules of a season alone are the week of that season
        season = next((rule.season for rule in rules if rule.season and not rule.unread), None)
        plain = [rule for rule in rules if not rule.unread and rule.season in (None, season)]
    stated = {day for rule in plain for day in rule.days or range(7)}
    lost = {DAYS[day] for rule in rules if rule.lost for day in rule.days or range(7)}
    hours = Hours(week_of(plain, stated), partial=len(plain) < len(rules), season=season)
    return hours, lost


class _Parser:
    """Reads the tokens of a value into rules."""

    def __init__(self, value: str) -> None:
        text = _plain(value)
        if text.isdigit():
            raise _Unread(text)
        self._tokens = [
            (str(match.lastgroup), match.group().strip()) for match in _TOKEN.finditer(text) if match.group().strip()
        ]
        self._at = 0
        self._rules: list[Rule] = []
        self._rule = Rule()

    def rules(self) -> list[Rule]:
        """The rules. Raises _Unread."""
        while self._at < len(self._tokens):
            self._step(*self._tokens[self._at])
        self._end(";")
        return self._rules

    def _step(self, kind: str, text: str) -> None:
        rule = self._rule
        if kind in ("weeks", "week", "year", "feast"):
            self._part_of_year(kind, text)
        elif kind == "date" and not self._is_day(text):
            self._dates()
        elif kind == "holiday":
            self._holiday()
        elif kind in ("word", "date"):
            self._days(text)
        elif kind in ("time", "sun"):
            self._times()
        elif kind == "comment":
            self._comment(text)
        elif kind == "nth":
            rule.unread = rule.lost = True
            self._at += 1
        elif kind == "always":
            rule.spans.append((0, DAY))
            self._at += 1
        elif kind in ("off", "open"):
            if rule.off != (kind == "off") and (rule.off or rule.open):
                raise _Unread(text)
            rule.off, rule.open = kind == "off", kind == "open"
            if text == "unknown":
                rule.unread = rule.lost = True
            self._at += 1
        elif kind == "fallback" or text == ";":
            self._end(text)
            self._at += 1
        elif text in (",", ":", "/"):
            self._comma(text)
        else:
            raise _Unread(text)

    def _part_of_year(self, kind: str, text: str) -> None:
        self._at += 1
        rule = self._rule
        rule.dated = True
        if kind == "feast":
            rule.unread = True
            return
        rule.season = None if _whole_year(text) else text
        if "/" in text:
            # each second week is not each week
            rule.unread = rule.lost = True

    def _comment(self, text: str) -> None:
        """A comment in the place of times, or one of appointments, leaves open when the place is open."""
        self._at += 1
        rule = self._rule
        if self._peek() != ":" and not rule.off and (text == '"!"' or not (rule.spans or rule.open)):
            rule.unread = rule.lost = True

    def _comma(self, text: str) -> None:
        """A comma goes on with a list, or begins a rule that adds to the ones before."""
        self._at += 1
        ahead = self._peek(kind=True)
        if text == "/" and self._rule.spans and ahead == "time" and self._peek(1) != "-":
            # events that follow each other in a period
            self._rule.unread = self._rule.lost = True
            self._at += 1
            return
        said = self._rule.off or self._rule.open
        done = self._rule.spans or said or self._rule.unread
        apart = ahead in ("off", "open") or (ahead == "time" and not self._rule.spans)
        if text != ":" and ((done and ahead in ("word", "holiday", "date")) or (said and apart)):
            self._end(",")

    def _end(self, mark: str) -> None:
        rule = self._rule
        if not rule.empty:
            self._rules.append(rule)
        if rule.holiday and rule.days:
            self._rules.append(Rule(unread=True))
        elif rule.holiday:
            rule.unread = True
        joined = mark if self._rules else ";"
        self._rule = Rule(joined=joined)

    def _holiday(self) -> None:
        """Public and school holidays are no days of a week. A rule for them alone is left out."""
        self._at += 1
        rule = self._rule
        if rule.spans or rule.off or rule.open:
            self._end(";")
            rule = self._rule
        rule.holiday = True

    def _days(self, text: str) -> None:
        rule = self._rule
        if rule.spans and not (rule.days or rule.dated):
            # times before their days are not of this syntax
            raise _Unread(text)
        if rule.spans or rule.off or (rule.open and rule.days):
            self._end(";")
            rule = self._rule
        first = _day(text)
        self._at += 1
        last = first
        if self._peek() == "-" and self._peek(1, kind=True) == "word":
            last = _day(self._tokens[self._at + 1][1])
            self._at += 2
        rule.days.update(day_range(first, last))

    def _is_day(self, text: str) -> bool:
        """Whether the name of a month is that of a day beside another day: French `mar-sam`."""
        return text in ANY_DAY and self._peek(1) in ("-", ",") and self._peek(2, kind=True) == "word"

    def _dates(self) -> None:
        """A date or a range of dates: the season of the rule, or a day that is no day of a week."""
        rule = self._rule
        if rule.spans or rule.off:
            self._end(";")
            rule = self._rule
        parts: list[str] = []
        while self._at < len(self._tokens):
            kind, text = self._tokens[self._at]
            ranged = kind != "word" and (text == "-" or (parts and parts[-1] == "-"))
            if not (kind == "date" or (text in ("-", ",") and self._peek(1, kind=True) in ("date", "time")) or ranged):
                break
            if text == "," and self._peek(1, kind=True) != "date" and not self._day_number():
                break
            parts.append(text)
            self._at += 1
            if text == "," and self._tokens[self._at][0] == "time":
                parts.append(self._tokens[self._at][1])
                self._at += 1
        shown = "".join(parts)
        rule.dated = True
        if self._peek() == "/" and self._peek(1, kind=True) == "time":
            # each eighth day of a range
            rule.unread = rule.lost = True
            self._at += 2
        if re.search(r"[^\W\d] *\d{1,2}(?:,\d{1,2})*$", shown) and "-" not in shown:
            # single days of a year are no season
            rule.unread = True
        elif not _whole_year(shown):
            rule.season = shown.title()

    def _day_number(self) -> bool:
        """Whether a comma goes on with a day of the month that was named: `Dec 24,31`."""
        number = self._peek(1) or ""
        return number.isdigit() and len(number) <= 2 and self._tokens[self._at - 1][0] in ("date", "time")

    def _times(self) -> None:
        kind, text = self._tokens[self._at]
        self._at += 1
        ranged = self._peek() == "-"
        if ranged:
            if self._peek(1, kind=True) not in ("time", "sun"):
                raise _Unread(text)
            last_kind, last = self._tokens[self._at + 1]
            self._at += 2
        open_ended = self._peek() == "+"
        if open_ended:
            self._at += 1
        if kind == "sun" or (ranged and last_kind == "sun") or (open_ended and not ranged):
            self._lost()
            return
        start = _minutes(text)
        if start > DAY or (not ranged and self._at > 1 and self._tokens[self._at - 2][0] == "time"):
            # "26:00-28:00", and two times with nothing between them
            raise _Unread(text)
        end = _minutes(last, end=True) if ranged else start + 1
        if ranged and not re.search(r"[ap]\.?m", text) and (half := re.search(r"([ap])\.?m", last)):
            # `5-10pm`: the half of the day stands for both, unless that is impossible
            with_half = _minutes(f"{text} {half[1]}m")
            start = with_half if with_half < end else start
        if open_ended:
            self._rules.append(Rule(unread=True))
        self._rule.spans.append((start, end if end > start else end + DAY))

    def _lost(self) -> None:
        """A time that no week can say: the rule is left out, its other times are not."""
        if not self._rule.spans and self._peek() != ",":
            self._rule.unread = self._rule.lost = True
        else:
            self._rules.append(Rule(unread=True))

    def _peek(self, ahead: int = 0, *, kind: bool = False) -> str | None:
        at = self._at + ahead
        return self._tokens[at][0 if kind else 1] if at < len(self._tokens) else None


def _plain(value: str) -> str:
    """The value in one spelling: dashes, digits, words of other languages."""
    text = fold(_COMMENT.sub(_comment, value.translate(_DASHES).translate(_SCRIPT_DIGITS)))
    # runs of spaces would take the patterns below quadratic time
    text = " ".join(text.split())
    text = _PREFIX.sub("", text, count=1)
    text = _EVERY_DAY.sub("mo-su", text)
    text = _ALWAYS.sub("24/7", text)
    for pattern, word in _WORDS:
        text = pattern.sub(word, text)
    if not re.search("sun|dawn|dusk", text):
        text = text.translate(_BRACKETS)
    return " ".join(text.split())


def _comment(match: re.Match[str]) -> str:
    """A comment as a token: `"!"` for one that makes the hours depend on an agreement."""
    return ' "!" ' if _APPOINTMENT.search(match[1]) else ' "" '


def _day(word: str) -> int:
    day = ANY_DAY.get(word.rstrip("."))
    if day is None:
        raise _Unread(word)
    return day


def _minutes(text: str, *, end: bool = False) -> int:
    if text == "midnight":
        return DAY if end else 0
    match = _CLOCK.match(text)
    if match is None:
        raise _Unread(text)
    hour, minute = int(match[1]), int(match[2] or 0)
    if match[3]:
        if not 1 <= hour <= 12:
            hour = hour if hour else 0
        else:
            hour = hour % 12 + (12 if match[3] == "p" else 0)
    if hour > 48 or minute > 59:
        raise _Unread(text)
    return hour * 60 + minute


def _whole_year(text: str) -> bool:
    """Whether months or weeks that follow each other in a circle are all of the year."""
    if weeks := re.fullmatch(r"week *0?1-5[23]", text):
        return bool(weeks)
    months = [MONTHS[word] for word in re.findall(r"[a-zа-я]+", text) if word in MONTHS]
    return "-" in text and len(months) == 2 and (months[0] - months[1]) % 12 == 1 and not re.search(r"\d", text)
