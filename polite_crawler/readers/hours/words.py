"""The words of opening hours: days and months in the languages that sites and maps use."""

import re
import unicodedata

_DAY_WORDS = (
    "mo mon monday mondays montag montags lu lun lundi lunes lunedi maandag pn pon poniedzialek seg segunda po pondeli "
    "mandag понедельник пн mån mandagen 月 月曜 月曜日",
    "tu tue tues tuesday tuesdays di dienstag dienstags mar mardi martes martedi dinsdag wt wtorek ter terca utery "
    "tirsdag tisdag вторник вт ut 火 火曜 火曜日",
    "we wed weds wednesday wednesdays mi mittwoch mittwochs mer mercredi mie miercoles mercoledi wo woensdag sr sroda "
    "qua quarta streda onsdag среда ср st 水 水曜 水曜日",
    "th thu thur thurs thursday thursdays do donnerstag donnerstags jeu jeudi jue jueves gio giovedi donderdag czw "
    "czwartek qui quinta ctvrtek torsdag четверг чт ct 木 木曜 木曜日",
    "fr fri friday fridays freitag freitags ve ven vendredi vie viernes venerdi vr vrijdag pt piatek sex sexta patek "
    "fredag пятница пт pa pia 金 金曜 金曜日",
    "sa sat saturday saturdays samstag samstags sonnabend sonnabends sam samedi sab sabado sabato za zaterdag so "
    "sobota lordag lördag суббота сб 土 土曜 土曜日",
    "su sun sunday sundays sonntag sonntags dim dimanche dom domingo domenica zo zondag nd niedz niedziela nedele "
    "sondag söndag воскресенье вс ne 日 日曜 日曜日",
)
_MONTH_WORDS = (
    "jan january januar",
    "feb february februar",
    "mar march marz",
    "apr april",
    "may mai",
    "jun june juni",
    "jul july juli",
    "aug august",
    "sep sept september",
    "oct october okt oktober",
    "nov november",
    "dec december dez dezember",
)


def fold(text: str) -> str:
    """Lower case without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(c))


def _table(rows: tuple[str, ...]) -> dict[str, int]:
    return {fold(word): number for number, row in enumerate(rows) for word in row.split()}


ANY_DAY = _table(_DAY_WORDS)
"""A folded name of a day, in any of the languages -> its number, Monday is 0. `so` is German for Sunday and is read
so: Polish writes `sob`."""
ANY_DAY["so"] = 6
ANY_DAY["sob"] = 5

MONTHS = _table(_MONTH_WORDS)
"""A folded name of a month -> its number, January is 0."""

DOT = r"(?:\.(?!\s+(?!(?:closed|to|thr(?:u|ough)|and|noon|mid(?:day|night)|from|until|till)\b)(?-i:[A-Z])))?"
"""The dot of an abbreviation, and not one that ends a sentence: `Mon. to Fri.`, but `Closed Mondays. Tue-Sun 9-5`."""

_END = r"(?:['’]?s)?(?:\b|(?=\d|(?-i:Closed|CLOSED|Open)))"
"""The end of a name of a day. Cells of a table may stand with nothing between them: `Monday9am`, `SundayClosed`."""

ENGLISH_DAY = re.compile(
    r"(?:(?P<d0>mon(?:day)?)|(?P<d1>tue(?:s|sday)?)|(?P<d2>wed(?:s|nesday)?)|(?P<d3>thu(?:r|rs|rsday)?)"
    rf"|(?P<d4>fri(?:day)?)|(?P<d5>sat(?:urday)?)|(?P<d6>sun(?:day)?)){_END}{DOT}",
    re.IGNORECASE,
)
"""An English name of a day; the group that matched tells its number."""

SHORT_DAYS = {"mo": 0, "tu": 1, "we": 2, "th": 3, "fr": 4, "sa": 5, "su": 6}
"""Two letters name a day only beside another day or a time."""

LETTER_DAYS = {"m": 0, "t": 1, "w": 2, "f": 4}
"""One letter names a day only beside other days: `M-F`, `M/W/F`, `MWF`."""
