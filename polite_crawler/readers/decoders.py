"""The decoders of the WHATWG Encoding Standard, on top of Python's codecs.

Python's codecs are fast and differ from the standard in a few hundred sequences and in what they do after an invalid
byte. Here an error handler applies the recovery of the standard, and small tables add or change what differs.
Source: https://encoding.spec.whatwg.org/ sections 8 to 14.
"""

import codecs
import re
from collections.abc import Callable, Container
from functools import cache

_ERROR = "\ufffd"
_Handler = Callable[[UnicodeError], tuple[str, int]]

_CODECS = {"macintosh": "mac_roman", "x-mac-cyrillic": "mac_cyrillic", "windows-874": "cp874", "ibm866": "cp866",
           "iso-8859-8-i": "iso8859_8"}  # fmt: skip
_KOI8_U = {0xAE: "\u045e", 0xBE: "\u040e"}
_WINDOWS_1255 = {0xCA: "\u05ba"}

# Big5: the rows that Python's big5hkscs (2004) does not have.
_BIG5_CODES = (
    "877a-877e 87a1-87df 8e69 8e6f 8e7e 8eab 8eb4 8ecd 8ed0 8f57 8f69 8f6e 8fcb 8fcc 8ffe 906d 907a 90dc 90f1 91bf "
    "9244 92af-92b2 92c8 92d1 9447 94ca 95d9 9644 96ed 96fc 9b76 9b78 9b7b 9bc6 9bde 9bec 9bf6 9c42 9c53 9c62 9c68 "
    "9c6b 9c77 9cbc 9cbd 9cd0 9d57 9d5a 9dc4 9ea9 9eef 9efd 9f60 9f66 9fcb 9fd8 a063 a077 a0d5 a0df a0e4 a3c0-a3e1 "
    "c6cf c6d3 c6d5 c6d7 c6de c6df fa5f fa66 fabd fac5 fad5 fb48 fbb8 fbf3 fbf9 fc4f fc6c fcb9 fce2 fcf1 fdb7 fdb8 "
    "fdbb fdf1 fe52 fe6f feaa fedd"
)
_BIG5_CHARS = (
    "㡵𡵓𣚞𦀡㻬𥣞㫵竼龗𤅡𨤍𣇪𠪊𣉞䌊蒄龖鐯䤰蘓墖靊鈘秐稲晠権袝瑌篅枂稬剏遆㓦珄𥶹瓆鿇垳䤯呌䄱𣚎堘穲𧭥讏䚮𦺈䆁𥶙箮𢒼鿈𢓁𢓉𢓌鿉蔄𣖻䂴鿊䓡𪷿拁灮"
    "鿋箸簆糎緒縝者耨菁蒨萏覦覩起都銹靜響鼖蔃兙兛兝兞鍮瑹浧禛邗靝瀞嬨爁矗纇駖釔惞澶輶侻營鄄鷰菏尐秣婧輋筑拐恢痹"
    "汊鬮鼗僭弌蠏拎瑨煢牐␀␁␂␃␄␅␆␇␈␉␊␋␌␍␎␏␐␑␒␓␔␕␖␗␘␙␚␛␜␝␞␟␡€廴无癶隶〃仝倩偽包卄卿嘅婷幵廐彘悤撐晴杞沜渝港煮猪瑜瓩砉"
)
_BIG5_CHANGED = str.maketrans("\u2022\uff64\u203e\u223c\u2641\u2609\xa5\xa2\xa3", "‧﹑¯～⊕⊙￥￠￡")
# Python gives these two pairs the characters of A1FE and A240.
_BIG5_PAIRS = {b"\xa2\x41": "\u2215", b"\xa2\x42": "\ufe68"}
_BIG5_PAIR = re.compile(rb"[\x81-\xfe][\x40-\x7e\x80-\xff]")

_GB18030_CHANGED = str.maketrans(
    "\ue5e5\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795\ue796\ue7c7\ue81e\ue826\ue82b\ue82c\ue832\ue843"
    "\ue854\ue864",
    "\u3000\ufe10\ufe12\ufe11\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18\ufe19\u1e3f\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9"
    "\u9fba\u9fbb",
)
# Python has U+1E3F at this sequence of four octets, the standard the character of its private use.
_GB18030_FOUR = b"\x81\x35\xf4\x37"
_GB18030_SEQUENCE = re.compile(rb"[\x81-\xfe](?:[\x30-\x39][\x81-\xfe][\x30-\x39]|[\x40-\x7e\x80-\xfe])")
_EUC_JP_CHANGED = str.maketrans("\u301c\u2016\u2212\xa2\xa3\xac", "～∥－￠￡￢")
_SHIFT_JIS_CHANGED = str.maketrans("\uf8f0\uf8f1\uf8f2\uf8f3", _ERROR * 4)

_ESCAPE = re.compile(rb"\x1b(?:\([BJI]|\$[@B])")
_SWITCHES = {b"\x1b(B": "ascii", b"\x1b(J": "roman", b"\x1b(I": "katakana", b"\x1b$@": "kanji", b"\x1b$B": "kanji"}
# Pairs; a lead byte with what is no trail byte; a lead byte before an escape or the end, or a byte that is none.
_KANJI = re.compile(rb"(?:[\x21-\x7e]{2})+|[\x21-\x7e][^\x1b]|.", re.S)
_HIGH = bytes(byte | 0x80 for byte in range(256))
_YEN = str.maketrans("\\~", "¥‾")


def decode_as(body: bytes, encoding: str) -> str:
    """The text of a body in a WHATWG encoding, given by its name in lower case. An invalid sequence is U+FFFD.

    The result holds no lone surrogate. A byte order mark is not removed. An unknown name raises LookupError.
    """
    decoder = _DECODERS.get(encoding)
    if decoder is not None:
        return decoder(body)
    table = _single_byte_table(encoding)
    return codecs.charmap_decode(body, "replace", table)[0]


def encode_query(text: str, encoding: str) -> bytes:
    """The octets that a form or a link of a page in this encoding sends for a text ("encode" with the html mode): a
    character that the encoding does not have becomes its numeric character reference.
    """
    if encoding in ("utf-8", "utf-16le", "utf-16be", "replacement", "x-user-defined"):
        return text.encode("utf-8", "replace")
    name = {"gbk": "gb18030", "shift_jis": "cp932", "euc-kr": "cp949", "big5": "big5hkscs"}.get(encoding)
    return text.encode(name or _CODECS.get(encoding, encoding), "xmlcharrefreplace")


@cache
def _single_byte_table(encoding: str) -> str:
    """The 256 characters of a single-byte encoding. U+FFFE marks a byte without a character."""
    name = _CODECS.get(encoding, encoding)
    changed = {"koi8-u": _KOI8_U, "windows-1255": _WINDOWS_1255}.get(encoding, {})
    table = []
    for byte in range(256):
        char = changed.get(byte) or bytes([byte]).decode(name, "replace")
        if len(char) != 1:
            raise LookupError(f"not a single-byte encoding: {encoding}")
        if char == _ERROR:
            # The holes of the windows encodings are C1 controls; the holes above 9F are errors.
            char = chr(byte) if 0x80 <= byte <= 0x9F else "\ufffe"
        table.append(char)
    return "".join(table)


def _utf_8(body: bytes) -> str:
    return body.decode("utf-8", "replace")


def _utf_16(codec: str) -> Callable[[bytes], str]:
    return lambda body: body.decode(codec, "replace")


def _replacement(body: bytes) -> str:
    return _ERROR if body else ""


def _x_user_defined(body: bytes) -> str:
    table = "".join(chr(byte if byte < 0x80 else 0xF700 + byte) for byte in range(256))
    return codecs.charmap_decode(body, "replace", table)[0]


def _gb18030(body: bytes) -> str:
    if _GB18030_FOUR not in body:
        return _gb18030_run(body)
    out: list[str] = []
    start = 0
    for match in _GB18030_SEQUENCE.finditer(body):
        if match.group() == _GB18030_FOUR:
            out += _gb18030_run(body[start : match.start()]), "\ue7c7"
            start = match.end()
    out.append(_gb18030_run(body[start:]))
    return "".join(out)


def _gb18030_run(body: bytes) -> str:
    return body.decode("gb18030", "polite_crawler.gb18030").translate(_GB18030_CHANGED)


def _big5(body: bytes) -> str:
    if not any(pair in body for pair in _BIG5_PAIRS):
        return _big5_run(body)
    out: list[str] = []
    start = 0
    for match in _BIG5_PAIR.finditer(body):
        char = _BIG5_PAIRS.get(match.group())
        if char is not None:
            out += _big5_run(body[start : match.start()]), char
            start = match.end()
    out.append(_big5_run(body[start:]))
    return "".join(out)


def _big5_run(body: bytes) -> str:
    return body.decode("big5hkscs", "polite_crawler.big5").translate(_BIG5_CHANGED)


def _euc_jp(body: bytes) -> str:
    # JIS X 0212 has the full-width tilde at A2B7; Python gives "~". 8F is never a trail byte.
    body = body.replace(b"\x8f\xa2\xb7", b"\xa1\xc1")
    return body.decode("euc_jp", "polite_crawler.euc-jp").translate(_EUC_JP_CHANGED)


def _shift_jis(body: bytes) -> str:
    return body.decode("cp932", "polite_crawler.shift_jis").translate(_SHIFT_JIS_CHANGED)


def _euc_kr(body: bytes) -> str:
    return body.decode("cp949", "polite_crawler.euc-kr")


def _iso_2022_jp(body: bytes) -> str:
    """Section 12.2: escape sequences switch between four sets; a byte over 7F is an error in each."""
    out = []
    state = "ascii"
    start = 0
    for match in _ESCAPE.finditer(body):
        run = body[start : match.start()]
        out.append(_iso_2022_jp_run(run, state))
        if not run and start:
            # Two escape sequences with nothing between: an error, so that no text can be smuggled past a filter.
            out.append(_ERROR)
        state = _SWITCHES[match.group()]
        start = match.end()
    out.append(_iso_2022_jp_run(body[start:], state))
    return "".join(out)


def _iso_2022_jp_run(run: bytes, state: str) -> str:
    if state == "kanji":
        return "".join(map(_kanji, _KANJI.findall(run)))
    if state == "katakana":
        return "".join(chr(byte + 0xFF40) if 0x21 <= byte <= 0x5F else _ERROR for byte in run)
    text = run.decode("ascii", "replace").translate({0x0E: _ERROR, 0x0F: _ERROR, 0x1B: _ERROR})
    return text.translate(_YEN) if state == "roman" else text


def _kanji(part: bytes) -> str:
    """The characters of whole pairs, or the one error of what is none."""
    return _euc_jp(part.translate(_HIGH)) if len(part) > 1 and 0x21 <= part[1] <= 0x7E else _ERROR


_DECODERS: dict[str, Callable[[bytes], str]] = {
    "utf-8": _utf_8, "utf-16le": _utf_16("utf-16-le"), "utf-16be": _utf_16("utf-16-be"),
    "replacement": _replacement, "x-user-defined": _x_user_defined, "gbk": _gb18030, "gb18030": _gb18030,
    "big5": _big5, "euc-jp": _euc_jp, "shift_jis": _shift_jis, "euc-kr": _euc_kr, "iso-2022-jp": _iso_2022_jp,
}  # fmt: skip


def _expand(codes: str) -> list[int]:
    out: list[int] = []
    for item in codes.split():
        first, _, last = item.partition("-")
        out += range(int(first, 16), int(last or first, 16) + 1)
    return out


_BIG5_ADDED = dict(zip(_expand(_BIG5_CODES), _BIG5_CHARS, strict=True))


def _pair_handler(leads: Container[int], added: Callable[[int, int], str | None]) -> _Handler:
    """The recovery of the two-byte decoders: an ASCII byte after a bad lead is read again, another byte is not."""

    def handle(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        body, at = error.object, error.start
        if body[at] not in leads or at + 1 >= len(body):
            return _ERROR, at + 1
        char = added(body[at], body[at + 1])
        if char is not None:
            return char, at + 2
        return _ERROR, at + (1 if body[at + 1] < 0x80 else 2)

    return handle


def _row_13(lead: int, trail: int) -> str | None:
    """The NEC and IBM rows of JIS X 0208, which Python has under Shift_JIS only."""
    if not (0xA1 <= lead <= 0xFE and 0xA1 <= trail <= 0xFE):
        return None
    row, cell = lead - 0xA0, trail - 0xA0
    first = (row + 1) // 2 + (0x80 if row <= 62 else 0xC0)
    second = cell + 0x3F + (cell >= 64) if row % 2 else cell + 0x9E
    char = bytes((first, second)).decode("cp932", "replace")
    return char if len(char) == 1 and char != _ERROR else None


def _handle_euc_jp(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    body, at = error.object, error.start
    if body[at] == 0x8F and at + 1 < len(body) and 0xA1 <= body[at + 1] <= 0xFE:
        if at + 2 >= len(body):
            return _ERROR, len(body)
        return _ERROR, at + (2 if body[at + 2] < 0x80 else 3)
    return _EUC_JP_PAIRS(error)


def _handle_gb18030(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    body, at = error.object, error.start
    if body[at] == 0x80:
        return "€", at + 1
    if body[at] != 0xFF and at + 1 < len(body) and 0x30 <= body[at + 1] <= 0x39:
        third, fourth = body[at + 2 : at + 3], body[at + 3 : at + 4]
        if not third or (not fourth and 0x81 <= third[0] <= 0xFE):
            return _ERROR, len(body)
        if 0x81 <= third[0] <= 0xFE and fourth and 0x30 <= fourth[0] <= 0x39:
            return _ERROR, at + 4
        return _ERROR, at + 1
    return _GB18030_PAIRS(error)


_EUC_JP_PAIRS = _pair_handler({0x8E, 0x8F, *range(0xA1, 0xFF)}, _row_13)
_GB18030_PAIRS = _pair_handler(range(0x81, 0xFF), lambda lead, trail: None)
codecs.register_error("polite_crawler.gb18030", _handle_gb18030)
codecs.register_error("polite_crawler.euc-jp", _handle_euc_jp)
codecs.register_error(
    "polite_crawler.big5", _pair_handler(range(0x81, 0xFF), lambda lead, trail: _BIG5_ADDED.get(lead << 8 | trail))
)
codecs.register_error("polite_crawler.shift_jis", _pair_handler(range(0x81, 0xFD), lambda lead, trail: None))
codecs.register_error("polite_crawler.euc-kr", _pair_handler(range(0x81, 0xFF), lambda lead, trail: None))
