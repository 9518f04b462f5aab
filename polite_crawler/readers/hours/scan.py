"""English text about opening hours as tokens: days, times, and the words that change what they mean."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from polite_crawler.readers.hours.week import day_range
from polite_crawler.readers.hours.words import DOT, ENGLISH_DAY, LETTER_DAYS, SHORT_DAYS


class Kind(Enum):
    """What a token is."""

    SEASON = auto()
    DATE = auto()
    HOLIDAY = auto()
    NTH = auto()
    APPOINTMENT = auto()
    LABEL = auto()
    CLOSED = auto()
    ALL_DAY = auto()
    ALWAYS = auto()
    DAYS = auto()
    EXCEPT = auto()
    TIME = auto()
    EVENT = auto()
    UNTIL = auto()
    RANGE = auto()
    FROM = auto()
    AND = auto()
    OPEN_END = auto()
    FILLER = auto()
    BREAK = auto()
    LINE = auto()
    WORD = auto()


@dataclass(frozen=True, slots=True)
class Time:
    """A time as it is written: `half` is "a", "p" or None, `clock24` tells that it can only be of a 24-hour clock,
    `bare` that it is a number and nothing more."""

    hour: int
    minute: int
    half: str | None
    clock24: bool
    bare: bool
    word: bool = False


@dataclass(frozen=True, slots=True)
class Token:
    """A token: `days` of a name of days, `time` of a time."""

    kind: Kind
    text: str
    days: tuple[int, ...] = ()
    time: Time | None = None


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    rf"|nov(?:ember)?|dec(?:ember)?)\b{DOT}"
)
_NTH_DAY = r"(?:st|nd|rd|th)?"
_END = rf"(?:\d{{1,2}}{_NTH_DAY}\s+(?:of\s+)?)?{_MONTH}(?:\s+\d{{1,2}}{_NTH_DAY}\b(?!\s*(?:[ap]\.?m|[:.]\d)))?"
_DAY = re.sub(r"\?P<d\d>", "?:", ENGLISH_DAY.pattern)
_SHORT = r"(?-i:Mo|Tu|We|Th|Fr|Sa|Su)"
_LETTER = r"(?:M|Tu?|W|Th|F)"
_ORDINAL = r"(?:first|second|third|fourth|last|1st|2nd|3rd|4th|every\s+other|every\s+second|alternate)"
_FILLERS = (
    "open|opens|opened|opening|hours?|hrs|times?|we(?:'re|’re)?|are|our|is|the|on|at|business|store|shop|trading|"
    "visiting|doors|"
    "regular|normal|general|standard|lunch|dinner|breakfast|service|served|serving|as|follows|currently|now|schedule|"
    "each|every|week|and|of"
)
_WEEKLY = r"(?:\s+(?:a|per)\s+week)?"
_PATTERNS: tuple[tuple[Kind, str], ...] = (
    # telephone numbers and prices
    (Kind.WORD, r"\b\d{3}-\d{4}\b|\+\d[\d ()-]{6,}\d|\(\d{3,5}\)[\d -]{5,}|\b0\d{2,4} \d{3,4} ?\d{3,4}\b"),
    (Kind.WORD, r"[$£€] ?\d[\d.,]*(?:-\d[\d.,]*)?|\blast\s+(?:entry|admission|orders?)\b"),
    (Kind.SEASON, rf"(?:from\s+)?{_END}\s*(?:-|to|until|till?|through|thru)\s*{_END}"),
    (
        Kind.SEASON,
        r"(?:summer|winter|spring|autumn|fall|christmas|easter|holiday|ramadan|half[ -]term|term[ -]time)\s+"
        r"(?:week|opening\s+hours|opening\s+times|hours|season|times|schedule|period)",
    ),
    (Kind.SEASON, r"(?:summer|winter|spring|autumn|christmas|easter|ramadan|term[ -]time)(?=\s*:)"),
    (Kind.DATE, rf"\d{{1,2}}{_NTH_DAY}\s*-\s*\d{{1,2}}{_NTH_DAY}\s+(?:of\s+)?{_MONTH}(?:\s+\d{{4}})?"),
    (Kind.DATE, rf"\d{{1,2}}{_NTH_DAY}\s+(?:of\s+)?{_MONTH}(?:\s+\d{{4}})?"),
    (
        Kind.DATE,
        rf"{_MONTH}\s+\d{{1,2}}{_NTH_DAY}\b(?!\s*(?:[ap]\.?m|[:.]\d))(?:\s*-\s*\d{{1,2}}\b)?(?:,?\s+\d{{4}})?",
    ),
    (Kind.DATE, r"\d{4}-\d\d-\d\d|\b(?!24/7)\d{1,2}/\d{1,2}(?:/\d{2,4})?(?!\d)"),
    (
        Kind.DATE,
        r"(?:christmas|boxing|new\s+year['’]?s|thanksgiving|labou?r|memorial|independence|easter)\s+"
        r"(?:day|eve|sunday|monday)|thanksgiving\b",
    ),
    (Kind.HOLIDAY, r"(?:(?:public|bank|national|federal|school)\s+)?\bholidays?\b"),
    (
        Kind.NTH,
        rf"\b{_ORDINAL}(?:\s*(?:,|&|and)\s*{_ORDINAL}){{0,4}}\s+(?:{_DAY})(?:\s+(?:of|in)\s+(?:the|each|every)\s+month)?",
    ),
    (Kind.APPOINTMENT, r"\b(?:by|upon)\s+(?:prior\s+)?(?:appointment|arrangement|reservation)(?:\s+only)?"),
    (Kind.APPOINTMENT, r"\bon\s+request|\bappointment\s+only"),
    (Kind.LABEL, r"happy\s+hours?|kitchen|brunch|take-?(?:away|out)|drive-?(?:thru|through)"),
    (Kind.LABEL, r"(?:box\s+)?office(?=\s+(?:hours?|times?|is|opening|open)|\s*:)"),
    (Kind.LABEL, r"delivery(?=\s+(?:hours?|times?|is)|\s*:)"),
    (
        Kind.ALWAYS,
        r"\b24\s*/\s*7\b|\balways\s+open|\b24\s*(?:hours?|hrs?)(?:\s+a\s+day)?,?\s*"
        rf"(?:(?:7|seven)\s+days{_WEEKLY}|every\s*day|daily)",
    ),
    (Kind.ALL_DAY, r"\b(?:open\s+)?24[\s-]*(?:hours?|hrs?)(?:\s+(?:a|per)\s+day)?\b|\bround\s+the\s+clock"),
    (Kind.ALL_DAY, r"\ball\s+day(?!s)\b(?:\s+long)?"),
    (Kind.DAYS, rf"\bevery\s*day|\bdaily\b|\b(?:7|seven)\s+days{_WEEKLY}|\ball\s+(?:week|days)\b|\beach\s+day"),
    (Kind.DAYS, r"\bweek\s*days?\b|\bweek-?\s*ends?\b"),
    (Kind.EXCEPT, r"\b(?:except(?:ing)?(?:\s+(?:for|on))?|excluding|but\s+not|other\s+than)\b"),
    (Kind.CLOSED, r"\b(?:closed|shut|not\s+open)\b(?:\s+on\b)?"),
    (Kind.DAYS, rf"(?-i:\b{_LETTER}\s*-\s*(?:{_LETTER}|Su|Sa)\b)(?=:?\s*\d)"),
    (Kind.DAYS, rf"(?-i:(?<=[\dm]\s){_LETTER}-(?:{_LETTER}|Su|Sa)\b|(?<=[,;]\s){_LETTER}\b(?=:?\s*\d))"),
    (Kind.DAYS, rf"(?:(?<=\b{_SHORT}[-,&/])|(?<=\b{_SHORT}\s-\s)){_SHORT}\b"),
    (Kind.DAYS, rf"\b{_SHORT}\b(?=\s*(?:[-,&/:]|to\b)?\s*(?:{_SHORT}\b|\d|midnight|noon|closed|off))"),
    (Kind.DAYS, rf"\b(?:{_DAY})"),
    (Kind.TIME, r"\b(?:12\s*)?(?:noon|midday|mid-?night)\b"),
    (
        Kind.TIME,
        r"(?<![\d$£€#.,:/])(?:(?:[01]\d|2[0-4])[0-5]\d(?![\d:.])h?"
        r"|\d{1,2}(?:(?:[:.]|h)[0-5]\d(?!\d)|h(?![a-z])|(?!\d))"
        r"(?:\s*(?:o'clock|[ap]\.\s?m\.?|[ap]m\b|[ap]\b|hrs\b|h\b))?)(?!\d|%|[.,]\d)",
    ),
    (Kind.OPEN_END, r"\b(?:late|close|closing(?:\s+time)?|dusk|sunset|dawn|sunrise|last\s+customer)\b"),
    (Kind.OPEN_END, r"\bonwards?\b|(?<=[\dm])\+"),
    (Kind.UNTIL, r"(?:\buntil\b|\btill?\b|['’]til\b)"),
    (Kind.RANGE, r"-|\bto\b|\bthrough\b|\bthru\b"),
    # the columns of a table: opens, closes
    (Kind.RANGE, r"(?<=[\dm])\t(?=\d{1,2}(?:[:.]\d\d)?[ ]?(?:[ap]\.?m\.?)?[ ]*(?:\n|$))"),
    (Kind.FROM, r"\b(?:from|after|between|starting)\b"),
    (Kind.AND, r"[,&+/]|\band\b|\bplus\b"),
    (Kind.FILLER, rf"\b(?:{_FILLERS})\b|[:()\t*]"),
    (Kind.BREAK, r"[;|.!?•·]"),
    (Kind.LINE, r"\n"),
    (Kind.WORD, r"[^\W\d_][\w'’-]*|\d+|\S"),
)
_TOKEN = re.compile("|".join(f"(?P<k{i}>{pattern})" for i, (_, pattern) in enumerate(_PATTERNS)), re.IGNORECASE)
_NUMERIC = re.compile(r"(\d{1,2}?)(?:[:.h]?(\d{2}))?(h?)\s*(?:o'clock|([ap])\.?\s?m?\.?|hrs|h)?$", re.IGNORECASE)
_DASHES = str.maketrans(
    dict.fromkeys("‐‑‒–—―−~→", "-") | {"\u00a0": " ", "\u202f": " ", "\u2009": " ", "：": ":", "\r": " "}
)
_UNITS = re.compile(
    r"\s*(?:years?|yrs?|minutes?|mins?|days?|weeks?|months?|people|persons?|guests|km|miles|m\b|%|euros?|pounds|items?)\b",
    re.IGNORECASE,
)


def tokens(text: str) -> list[Token]:
    """The tokens of a text."""
    return list(_scan(text.translate(_DASHES), text))


def _scan(text: str, written: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        kind = _PATTERNS[int(str(match.lastgroup)[1:])][0]
        shown = match.group()
        if kind is Kind.DAYS:
            yield Token(kind, shown, days=tuple(_days(shown)))
        elif kind is Kind.TIME:
            time = _time(shown)
            if time is None or (time.bare and _UNITS.match(text, match.end())):
                yield Token(Kind.WORD, shown)
            else:
                yield Token(kind, shown, time=time)
        else:
            yield Token(kind, written[match.start() : match.end()] if kind is Kind.SEASON else shown)


def _days(shown: str) -> list[int]:
    word = re.sub(r"[\s.-]", "", shown.lower())
    if re.match(r"every|daily|7|seven|all|each", word):
        return list(range(7))
    if word.startswith("weekd"):
        return list(range(5))
    if word.startswith("weeke"):
        return [5, 6]
    if (match := ENGLISH_DAY.fullmatch(shown)) is not None:
        return [int(str(match.lastgroup)[1:])]
    ends = [SHORT_DAYS.get(end.strip().lower(), LETTER_DAYS.get(end.strip().lower(), 0)) for end in shown.split("-")]
    return day_range(ends[0], ends[-1])


def _time(shown: str) -> Time | None:
    word = shown.lower().removeprefix("12").strip()
    if word.startswith(("noon", "midday")):
        return Time(12, 0, "p", clock24=False, bare=False, word=True)
    if word.startswith("mid"):
        return Time(12, 0, "a", clock24=False, bare=False, word=True)
    match = _NUMERIC.match(shown) if not re.match(r"\d{3,4}", shown) else re.match(r"(\d\d)(\d\d)(h?)()", shown)
    if match is None:
        return None
    hour, minute = int(match[1]), int(match[2] or 0)
    half = match[4].lower() if match[4] else None
    if minute > 59 or hour > 24 or (half and hour > 12):
        return None
    clock24 = half is None and (
        hour > 12 or hour == 0 or shown.startswith("0") or "h" in shown.lower().replace("hrs", "")
    )
    return Time(hour, minute, half, clock24=clock24, bare=half is None and match[2] is None and not match[3])
