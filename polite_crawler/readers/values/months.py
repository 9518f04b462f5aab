"""Names of months in the languages of the pages, without accents and in lower case."""

import unicodedata
from typing import Final

_LANGUAGES = {
    "en": "january february march april may june july august september october november december",
    "en-short": "jan feb mar apr may jun jul aug sep,sept oct nov dec",
    "de": "januar,janner februar,feber marz,maerz april mai juni juli august september oktober november dezember",
    "de-short": "jan feb mrz,mar apr mai jun jul aug sep,sept okt nov dez",
    "fr": "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "fr-short": "janv fevr,fev mars avr mai juin juil aout sept oct nov dec",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre,setiembre octubre noviembre diciembre",
    "es-short": "ene feb mar abr may jun jul ago sep,set oct nov dic",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "it-short": "gen feb mar apr mag giu lug ago set,sett ott nov dic",
    "pt": "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
    "pt-short": "jan fev mar abr mai jun jul ago set out nov dez",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "nl-short": "jan feb mrt apr mei jun jul aug sep,sept okt nov dec",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "da": "januar februar marts april maj juni juli august september oktober november december",
    "no": "januar februar mars april mai juni juli august september oktober november desember",
    "nordic-short": "jan feb mar apr maj jun jul aug sep,sept okt nov dec,des",
    "fi": "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesakuuta heinakuuta elokuuta syyskuuta lokakuuta"
    " marraskuuta joulukuuta",
    "fi-bare": "tammikuu helmikuu maaliskuu huhtikuu toukokuu kesakuu heinakuu elokuu syyskuu lokakuu marraskuu"
    " joulukuu",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia",
    "pl-bare": "styczen luty marzec kwiecien maj czerwiec lipiec sierpien wrzesien pazdziernik listopad grudzien",
    "cs": "ledna unora brezna dubna kvetna cervna cervence srpna zari rijna listopadu prosince",
    "cs-bare": "leden unor brezen duben kveten cerven cervenec srpen zari rijen listopad prosinec",
    "sk": "januara februara marca aprila maja juna jula augusta septembra oktobra novembra decembra",
    "hr": "sijecnja veljace ozujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga,studenog prosinca",
    "hu": "januar februar marcius aprilis majus junius julius augusztus szeptember oktober november december",
    "ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
    "tr": "ocak subat mart nisan mayıs,mayis haziran temmuz agustos eylul ekim kasım,kasim aralık,aralik",
    "ca": "gener febrer marc abril maig juny juliol agost setembre octubre novembre desembre",
    "id": "januari februari maret april mei juni juli agustus september oktober november desember",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "ru-bare": "январь февраль март апрель маи июнь июль август сентябрь октябрь ноябрь декабрь",
    "uk": "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
    "bg": "януари февруари март април маи юни юли август септември октомври ноември декември",
    "el": "ιανουαριου φεβρουαριου μαρτιου απριλιου μαιου ιουνιου ιουλιου αυγουστου σεπτεμβριου οκτωβριου νοεμβριου"
    " δεκεμβριου",
}


def bare_letters(word: str) -> str:
    """A word in lower case, without accents and without a point at its end."""
    decomposed = unicodedata.normalize("NFD", word.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char)).rstrip(".")


def _table() -> dict[str, tuple[int, ...]]:
    months: dict[str, set[int]] = {}
    for names in _LANGUAGES.values():
        for month, spellings in enumerate(names.split(), 1):
            for name in spellings.split(","):
                months.setdefault(bare_letters(name), set()).add(month)
    return {name: tuple(sorted(found)) for name, found in months.items()}


MONTH_NAMES: Final = _table()
"""Each name with the months that it stands for: `listopada` is October in Croatian and November in Polish."""
