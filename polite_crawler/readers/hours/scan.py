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
_POINT = (
    rf"(?:(?:(?:the\s+)?(?:start|end|beginning|middle)\s+of\s+|(?:mid|early|late)[-\s])?{_END}"
    r"|easter\b|christmas\b|new\s+year\b|(?:labor|memorial|thanksgiving)\s+day\b)"
)
_WITH_DAYS = rf"\s+(?:{_DAY}|daily\b|every\s*day\b|week(?:day|end)s?\b)"
_SHORT = r"(?-i:Mo|Tu|We|Th|Fr|Sa|Su)"
_LETTER = r"(?:M|Tu?|W|Th|F|Sat?|Sun?)"
_LOWER = r"(?:mo|tu|we|th|fr|sa|su)"
_LETTERS = r"(?:M(?:Tu?)?W(?:Th)?F?|(?:M|Tu?)ThF?|(?:Tu)?WThF?)"
_CELL = r"(?:\b|(?<=\d)|(?<=[ap]m)|(?<=(?-i:osed))|(?<=(?-i:OSED)))"
_NEXT_CELL = r"(?:\b|(?-i:(?<=[a-z])(?=[A-Z]))|(?=(?-i:Mon|Tue|Wed|Thu|Fri|Sat|Sun|MON|TUE|WED|THU|FRI|SAT|SUN)))"
_RANGE_AHEAD = r"(?!\d{3}(?!\d))\d{1,2}(?:[:.]?\d\d)?\s?(?:[ap]\.?m\.?)?\s?-"
_ORDINAL = r"(?:first|second|third|fourth|last|1st|2nd|3rd|4th|every\s+other|every\s+second|alternate)"
_FILLERS = (
    "today|"
    "open|opens|opened|opening|hours?|hrs|times?|we(?:'re|’re)?|are|our|is|the|on|at|business|store|shop|trading|"
    "visiting|doors|operation|year-round|"
    "regular|normal|general|standard|lunch|dinner|breakfast|service|served|serving|as|follows|currently|now|schedule|"
    "each|every|week|and|of|weekly|only|also|usually|normally|typically|generally|approx|approximately|"
    "mornings?|afternoons?|evenings?|nights?|inclusive|including"
)
_WEEKLY = r"(?:\s+(?:a|per)\s+week)?"
_PATTERNS: tuple[tuple[Kind, str], ...] = (
    # telephone numbers and prices
    (Kind.WORD, r"\b\d{3}-\d{4}\b|\+\d[\d ()-]{6,}\d|\(\d{3,5}\)[\d -]{5,}|\b0\d{2,4} \d{3,4} ?\d{3,4}\b"),
    (Kind.WORD, r"[$£€] ?\d[\d.,]*(?:-\d[\d.,]*)?|\blast\s+(?:entry|admission|orders?)\b"),
    # "closed January": a part of the year that no week has
    (
        Kind.HOLIDAY,
        rf"\bclosed\s+(?:(?:in|during|for|throughout)\s+)?(?:the\s+month\s+of\s+)?{_MONTH}(?!\s*(?:\d|-|to\b|until\b))",
    ),
    # "From 1 June:", at the head of its hours: behind other words it is the end of an exhibition
    (
        Kind.SEASON,
        r"(?:^|(?<=[\n.;|(])|(?<=[.;|]\s)|(?<=hours\s)|(?<=times\s)|(?<=open\s))"
        rf"(?:from|until|till?|up\s+to)\s+{_POINT}(?:\s+\d{{4}})?(?=\s*:)",
    ),
    (Kind.SEASON, rf"(?:from\s+)?{_POINT}\s*(?:-|to|until|till?|through|thru)\s*{_POINT}"),
    (
        Kind.SEASON,
        rf"(?:in|during)\s+(?:the\s+)?(?:summer|winter|spring|autumn|{_MONTH}(?:\s*(?:,|&|and)\s*{_MONTH}){{0,4}})(?!\s+\d)"
        rf"|{_MONTH}(?:\s*(?:,|&|and)\s*{_MONTH}){{0,4}}(?=\s*:)|{_MONTH}\s*(?:&|and)\s*{_MONTH}(?={_WITH_DAYS})",
    ),
    (
        Kind.SEASON,
        rf"(?:summer|winter|spring|autumn|fall)(?={_WITH_DAYS})"
        rf"|(?:school|summer|winter|christmas|easter)\s+(?:holidays?|break|vacation)(?=\s*[:(]|{_WITH_DAYS})",
    ),
    (
        Kind.SEASON,
        r"(?:summer|winter|spring|autumn|fall|christmas|easter|holiday|ramadan|half[ -]term|term[ -]time)\s+"
        r"(?:week|opening\s+hours|opening\s+times|hours|season|times|schedule|period)\b",
    ),
    (
        Kind.SEASON,
        r"(?:summer|winter|spring|autumn|christmas|easter|ramadan|(?:during\s+)?term[ -]time(?:\s+only)?)(?=\s*[:)])",
    ),
    (Kind.DATE, rf"\d{{1,2}}{_NTH_DAY}\s*-\s*\d{{1,2}}{_NTH_DAY}\s+(?:of\s+)?{_MONTH}(?:\s+\d{{4}})?"),
    (Kind.DATE, rf"\d{{1,2}}{_NTH_DAY}\s+(?:of\s+)?{_MONTH}(?:\s+\d{{4}})?"),
    (
        Kind.DATE,
        rf"{_MONTH}\s+\d{{1,2}}{_NTH_DAY}\b(?!\s*(?:[ap]\.?m|[:.]\d))(?:\s*-\s*\d{{1,2}}\b)?(?:,?\s+\d{{4}})?",
    ),
    (Kind.DATE, r"\d{4}-\d\d-\d\d|(?<!-)\b(?!24/7)\d{1,2}/\d{1,2}(?:/\d{2,4})?(?!\d)"),
    (
        Kind.DATE,
        r"(?:christmas|boxing|new\s+year['’]?s|thanksgiving|labou?r|memorial|independence|veterans['’]?|presidents?['’]?"
        r"|(?:mother|father|valentine|patrick|president)['’]?s['’]?|columbus|canada|victoria|australia|anzac)\s+(?:day|eve)"
        r"|thanksgiving\b|christmas\b|new\s+year['’]?s\b|juneteenth\b",
    ),
    (
        Kind.DATE,
        r"(?:good|black|cyber|easter|whit|ash|maundy|holy|palm|pancake|shrove|fat|super\s+bowl|remembrance|mothering)"
        rf"\s+(?:{_DAY}|weekend\b)|\beaster\b",
    ),
    (
        Kind.HOLIDAY,
        r"(?:(?:public|bank|national|federal|school|legal|religious|stat(?:utory)?)\s+)?"
        rf"\b(?:holidays?\b(?:\s+(?:{_DAY}|weekends?\b))?|hols?\b)",
    ),
    (
        Kind.NTH,
        rf"\b{_ORDINAL}(?:\s*(?:,|&|and)\s*{_ORDINAL}){{0,4}}\s+(?:{_DAY})(?:\s+(?:(?:of|in)\s+)?(?:the|each|every)\s+month|\s+monthly)?",
    ),
    (Kind.NTH, r"\b(?:all\s+)?other\s+days\b|\b(?:the\s+)?rest\s+of\s+the\s+week\b"),
    (Kind.NTH, r"\b(?:fortnightly|bi-?weekly|alternate\s+weeks|every\s+(?:other|second)\s+week)\b"),
    (Kind.APPOINTMENT, r"\b(?:by|upon)\s+(?:prior\s+)?(?:appointment|arrangement|reservation)(?:\s+only)?"),
    (Kind.APPOINTMENT, r"\bon\s+request|\bappointment\s+only"),
    (Kind.LABEL, r"happy\s+hours?|kitchen|brunch|take-?(?:away|out)|drive-?(?:thru|through)"),
    (Kind.LABEL, rf"(?:box\s+)?(?<!post\s)\boffice(?=\s+(?:hours?|times?|is|opening|open)|\s*:|{_WITH_DAYS})"),
    (Kind.LABEL, r"(?:tele)?phone\s+lines?|call\s+cent(?:re|er)|helpline"),
    (Kind.LABEL, r"delivery(?=\s+(?:hours?|times?|is)|\s*:)"),
    (
        Kind.ALWAYS,
        r"\b24\s*/\s*7\b|\balways\s+open|\b24\s*(?:hours?|hrs?)(?:\s+a\s+day)?,?\s*"
        rf"(?:(?:7|seven)\s+days{_WEEKLY}|every\s*day|daily)",
    ),
    (Kind.ALL_DAY, r"\b(?:open\s+)?24[\s-]*(?:hours?|hrs?)(?:\s+(?:a|per)\s+day)?\b|\bround\s+the\s+clock"),
    (Kind.ALL_DAY, r"\ball\s+day(?!s)\b(?:\s+long)?"),
    (
        Kind.DAYS,
        rf"\bevery\s*day|\bdaily\b|\b(?:7|seven)\s+days{_WEEKLY}|\ball\s+(?:week|days)\b|\beach\s+day"
        r"|\b365\s+days(?:\s+(?:a|per|of\s+the)\s+year)?",
    ),
    (Kind.DAYS, r"\bweek\s*days?\b|\bweek-?\s*ends?\b"),
    (Kind.EXCEPT, r"\b(?:except(?:ing)?(?:\s+(?:for|on))?|excluding|but\s+not|other\s+than)\b"),
    (Kind.EXCEPT, r"(?:(?<=day\s)|(?<=daily\s)|(?<=week\s))but(?:\s+on)?\b"),
    (
        Kind.CLOSED,
        rf"(?:\b|(?<=day))(?:closed|shut|not\s+open){_NEXT_CELL}(?:\s+(?:all\s+day|for\s+lunch)\b)?(?:\s+on\b)?",
    ),
    (Kind.CLOSED, r"\blunch\s+(?:break|closure)\b"),
    (
        Kind.FILLER,
        r"\bfor\s+(?:lunch|dinner|breakfast|brunch|drinks|coffee|business)\b|\blate[-\s]+(?:nights?|opening)\b",
    ),
    (Kind.FILLER, rf"\bopen\s+late(?=\s+(?:on\s+)?(?:{_DAY})\s+(?:until|till?)\b)"),
    (Kind.FILLER, r"\bextended\s+(?:opening\s+)?hours\b|\b(?:open\s+)?all\s+year(?:[-\s]+round)?\b"),
    (
        Kind.DAYS,
        rf"(?-i:(?<!\d)(?<!\d\s)\b(?:{_LETTER}(?:\s*[-/,&+]\s*{_LETTER}){{1,6}}|{_LETTERS})\b)"
        r"(?=\s*:?\s*(?:\d|noon|closed))",
    ),
    (Kind.DAYS, rf"(?-i:(?<=[\dm]\s){_LETTER}-(?:{_LETTER}|Su|Sa)\b|(?<=[,;|]\s){_LETTER}\b(?=:?\s*\d))"),
    (Kind.DAYS, rf"(?-i:(?:^|(?<=\n)){_LETTER}\b(?=:?\s*{_RANGE_AHEAD}))"),
    (Kind.DAYS, rf"(?:\b{_LOWER}-{_LOWER}\b(?=:?\s*\d)|(?<=\d\s){_LOWER}\b(?=\s\d{{1,2}}:))"),
    (Kind.DAYS, rf"(?:(?<=\b{_SHORT}[-,&/])|(?<=\b{_SHORT}\s-\s)){_SHORT}\b"),
    (Kind.DAYS, rf"\b{_SHORT}\b(?=\s*(?:[-,&/:]|to\b)?\s*(?:{_SHORT}\b|\d|midnight|noon|closed|off))"),
    (Kind.DAYS, rf"{_CELL}(?:{_DAY})"),
    (Kind.TIME, r"\b12(?:[:.]00)?\s*[ap]\.?m\.?\s*\(?(?:noon|midday|mid-?night)\b\)?"),
    (Kind.TIME, r"\b(?:12(?:[:.]00)?\s*)?(?:noon|midday|mid-?night)\b|\b12\s?nn\b"),
    (
        Kind.TIME,
        rf"(?:(?<![\d$£€#.,:/])|(?<=[,/])(?={_RANGE_AHEAD}))"
        rf"(?:(?:0?[1-9]|1[0-2])[0-5]\d\s*(?:[ap]\.\s?m\.?|[ap]m{_NEXT_CELL})"
        r"|(?:[01]\d|2[0-4])[0-5]\d(?![\d:.])(?:\s*h(?:ou)?rs?\b|h\b)?"
        r"|\d{1,2}(?:(?:[:.]|h)[0-5]\d(?!\d)|h(?![a-z])|(?!\d))"
        rf"(?:\s*(?:o['’]clock|[ap]\.\s?m\.?|[ap]m{_NEXT_CELL}|[ap]\b|h(?:ou)?rs?\b|h\b))?)"
        rf"(?!\d|(?-i:(?!to[\s\d])[a-z])|%|\s?°|\.\d|[,/](?!{_RANGE_AHEAD})\d)",
    ),
    (Kind.OPEN_END, r"\b(?:late|close|closing(?:\s+time)?|dusk|sunset|dawn|sunrise|last\s+customer)\b"),
    (Kind.OPEN_END, r"\b(?:we\s+)?(?:sold|sell)\s+out\b"),
    (Kind.OPEN_END, r"\bonwards?\b|(?<=[\dm])\+"),
    (Kind.UNTIL, r"(?:\buntil\b|\btill?\b|['’]til\b)|\bclos(?:es|ing)(?:\s+at)?(?=\s+\d)"),
    (
        Kind.RANGE,
        r"-{1,3}>?|\bto\b|\bthrough\b|\bthru\b|(?<=[\dm])[,;]?[ ](?:and[ ])?clos(?:es|ing)(?:[ ]at)?(?=[ ]\d)",
    ),
    # the columns of a table: opens, closes
    (Kind.RANGE, r"(?<=[\dm.])[ ]?[\t|][ ]?(?=\d{1,2}(?:[:.]\d\d)?[ ]?(?:[ap]\.?m\.?)?[ ]?(?:[\t|\n]|$))"),
    (Kind.FROM, r"\b(?:from|after|between|starting)\b"),
    (Kind.AND, r"[,&+/]|\band\b|\bplus\b"),
    (Kind.FILLER, rf"\b(?:{_FILLERS})\b|\bincl?\b\.?|[:()\t*]|\.{{2,}}|…|_{{2,}}"),
    (Kind.BREAK, r"[;|.!?•·]"),
    (Kind.LINE, r"\n"),
    (Kind.WORD, r"[^\W\d_][\w'’-]*|\d+|\S"),
)
_TOKEN = re.compile("|".join(f"(?P<k{i}>{pattern})" for i, (_, pattern) in enumerate(_PATTERNS)), re.IGNORECASE)
_NUMERIC = re.compile(
    r"(\d{1,2}?)(?:[:.h]?(\d{2}))?(h?)\s*(?:o['’]clock|([ap])\.?\s?m?\.?|h(?:ou)?rs?|h)?$", re.IGNORECASE
)
_JOINED = re.compile(r"(\d{1,2})(\d\d)(h?)\s*(?:([ap])\.?\s?m)?", re.IGNORECASE)
_DASHES = str.maketrans(
    dict.fromkeys("‐‑‒–—―−~→", "-") | {"\u00a0": " ", "\u202f": " ", "\u2009": " ", "：": ":", "\r": " "}
)
_UNSEEN = str.maketrans(dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad"))
_UNITS = re.compile(
    r"\s*(?:years?|yrs?|minutes?|mins?|days?|weeks?|months?|people|persons?|guests|km|miles|m\b|%|euros?|pounds|items?)\b",
    re.IGNORECASE,
)


def tokens(text: str) -> list[Token]:
    """The tokens of a text."""
    seen = text.translate(_UNSEEN)
    return list(_scan(seen.translate(_DASHES), seen))


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
    if re.match(r"every|daily|7|365|seven|all|each", word):
        return list(range(7))
    if word.startswith("weekd"):
        return list(range(5))
    if word.startswith("weeke"):
        return [5, 6]
    if (match := ENGLISH_DAY.fullmatch(shown)) is not None:
        return [int(str(match.lastgroup)[1:])]
    if re.fullmatch(_LETTERS, shown):
        return [_letter_day(name) for name in re.findall("T[hu]|[MTWF]", shown)]
    days: list[int] = []
    for part in re.split("[/,&+]", shown):
        ends = [_letter_day(name) for name in part.split("-")]
        days.extend(day_range(ends[0], ends[-1]))
    return days


def _letter_day(name: str) -> int:
    word = name.strip().lower()[:2]
    return SHORT_DAYS.get(word, LETTER_DAYS.get(word, 0))


def _time(shown: str) -> Time | None:
    if re.search("noon|midday|nn", shown, re.IGNORECASE):
        return Time(12, 0, "p", clock24=False, bare=False, word=True)
    if "mid" in shown.lower():
        return Time(12, 0, "a", clock24=False, bare=False, word=True)
    match = _NUMERIC.match(shown) if not re.match(r"\d{3,4}", shown) else _JOINED.match(shown)
    if match is None:
        return None
    hour, minute = int(match[1]), int(match[2] or 0)
    half = match[4].lower() if match[4] else None
    if minute > 59 or hour > 24 or (half and hour > 12):
        return None
    clock24 = half is None and (
        hour > 12 or hour == 0 or shown.startswith("0") or re.search(r"\dh", shown, re.IGNORECASE) is not None
    )
    return Time(hour, minute, half, clock24=clock24, bare=half is None and match[2] is None and not match[3])
