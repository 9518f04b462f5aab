"""Encodings: named rightly, wrongly, late or not at all."""

from dataclasses import dataclass

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.exchange import respond

CHARSETS = Family("Encodings")


@dataclass(frozen=True, slots=True)
class Encoded:
    """A page in an encoding: the charset of the header and of the meta element, each None when it is not there."""

    does: str
    text: str
    codec: str
    header: str | None = None
    meta: str | None = None
    mark: bytes = b""
    late: bool = False


_GERMAN = "Grüße aus dem Hafen – „täglich“ für 3 €"
_LATIN = "Grüße aus dem Hafen, täglich"
_RUSSIAN = "Привет из гавани"
_JAPANESE = "港からのご挨拶、図書館は十時に開きます"
_CHINESE = "来自港口的问候"
_KOREAN = "항구에서 인사드립니다"

KINDS: dict[str, Encoded] = {
    "utf-8": Encoded("UTF-8 in the header", _GERMAN, "utf-8", header="utf-8"),
    "utf-8-quoted": Encoded("UTF-8 in quotes in the header", _GERMAN, "utf-8", header='"UTF-8"'),
    "utf-8-meta": Encoded("UTF-8 in the meta element alone", _GERMAN, "utf-8", meta="utf-8"),
    "utf-8-mark": Encoded(
        "UTF-8 by its byte order mark, against the header", _GERMAN, "utf-8", header="iso-8859-1", mark=b"\xef\xbb\xbf"
    ),
    "utf-8-none": Encoded("UTF-8 that nobody names", _GERMAN, "utf-8"),
    "utf-16-le": Encoded("UTF-16 (little endian) by its mark", _GERMAN, "utf-16-le", mark=b"\xff\xfe"),
    "utf-16-be": Encoded("UTF-16 (big endian) by its mark", _GERMAN, "utf-16-be", mark=b"\xfe\xff"),
    "utf-16-header": Encoded("UTF-16 in the header, no mark", _GERMAN, "utf-16-le", header="utf-16le"),
    "utf-16-meta": Encoded("UTF-8 whose meta element says utf-16", _GERMAN, "utf-8", meta="utf-16"),
    "latin-1": Encoded("windows-1252 named iso-8859-1", _GERMAN, "cp1252", header="iso-8859-1"),
    "ascii": Encoded("windows-1252 named us-ascii", _GERMAN, "cp1252", header="us-ascii"),
    "latin-1-none": Encoded("windows-1252 that nobody names", _GERMAN, "cp1252"),
    "wrong-header": Encoded(
        "windows-1251 in the header, UTF-8 in truth and in the meta element",
        _GERMAN,
        "utf-8",
        header="windows-1251",
        meta="utf-8",
    ),
    "wrong-meta": Encoded(
        "UTF-8 in the header, windows-1251 in the meta element", _GERMAN, "utf-8", header="utf-8", meta="windows-1251"
    ),
    "unknown-header": Encoded(
        "a charset that nobody knows in the header, UTF-8 in the meta element",
        _GERMAN,
        "utf-8",
        header="klingon",
        meta="utf-8",
    ),
    "late-meta": Encoded("a meta element after 1,024 octets", _LATIN, "cp1252", meta="windows-1252", late=True),
    "windows-1251": Encoded("Cyrillic", _RUSSIAN, "cp1251", header="windows-1251"),
    "koi8-r": Encoded("Cyrillic, older", _RUSSIAN, "koi8-r", meta="koi8-r"),
    "iso-8859-5": Encoded("Cyrillic, rare", _RUSSIAN, "iso-8859-5", header="iso-8859-5"),
    "iso-8859-7": Encoded("Greek", "Χαιρετισμούς από το λιμάνι", "iso-8859-7", header="iso-8859-7"),
    "windows-1255": Encoded("Hebrew", "ברכות מהנמל", "cp1255", header="windows-1255"),
    "windows-1256": Encoded("Arabic", "تحيات من الميناء", "cp1256", header="windows-1256"),
    "windows-874": Encoded("Thai under its old name", "สวัสดีจากท่าเรือ", "cp874", header="tis-620"),
    "shift_jis": Encoded("Japanese", _JAPANESE, "cp932", header="shift_jis"),
    "euc-jp": Encoded("Japanese", _JAPANESE, "euc-jp", meta="euc-jp"),
    "iso-2022-jp": Encoded("Japanese with escape sequences", _JAPANESE, "iso-2022-jp", header="iso-2022-jp"),
    "gb2312": Encoded("gb18030 named gb2312", _CHINESE + "€", "gb18030", header="gb2312"),
    "gbk": Encoded("Chinese in the meta element", _CHINESE, "gbk", meta="gbk"),
    "big5": Encoded("Traditional Chinese", "來自港口的問候", "big5", header="big5"),
    "euc-kr": Encoded("Korean", _KOREAN, "cp949", header="euc-kr"),
    "utf-7": Encoded("UTF-7, which no browser reads", "Hello +AGEAYg-", "ascii", header="utf-7"),
}


def octets(kind: Encoded) -> bytes:
    """The page as it is sent."""
    meta = "" if kind.meta is None else f'<meta charset="{kind.meta}">'
    filler = f"<!-- {'x' * 1100} -->" if kind.late else ""
    top = f"<!doctype html><html><head>{filler}{meta}<title>{kind.text}</title></head>"
    text = f"{top}<body><p>{kind.text}</p></body></html>"
    return kind.mark + text.encode(kind.codec)


def _add(name: str) -> None:
    kind = KINDS[name]
    type = "text/html" if kind.header is None else f"text/html; charset={kind.header}"
    CHARSETS.add(f"/charset/{name}", kind.does, lambda ask: respond(ask, octets(kind), type=type))


for _name in KINDS:
    _add(_name)

CHARSETS.add(
    "/charset/bad-octets",
    "UTF-8 with octets that are none, NUL, and a lone surrogate",
    lambda ask: respond(ask, b"<title>Bad</title><p>good \xff\xfe bad \xc3 and \0 and \xed\xa0\x80 end</p>"),
)
CHARSETS.add(
    "/charset/http-equiv",
    "windows-1252 in an http-equiv element",
    lambda ask: respond(
        ask,
        '<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">'
        f"<title>{_GERMAN}</title><p>{_GERMAN}</p>".encode("cp1252"),
        type="text/html",
    ),
)
