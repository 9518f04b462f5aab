"""Skeletons: what a text looks like to a reader who does not mind case, script, invisible marks or escapes.

A skeleton is for searching only. Each of its characters knows which characters of the text it stands for.
"""

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from html.entities import html5
from typing import Final

LEVELS: Final = 3
"""How many levels of escapes are looked through: entities of entities of entities."""

_HYPHENS: Final = "-‐‑‒–—―−⁃﹘﹣ー─━˗۔╌╴➖⸺⸻〜~᠆᐀゠Ⲻㅡ一㆒֊⸗‿⁀∼\u05be\U00010ead"
_ANGLES: Final = {"<": "<‹〈⟨《«❬❮❰ᐸ˂≺⧼⋖𐒼ᚲ𝈶", ">": ">›〉⟩》»❭❯❱ᐳ˃≻⧽⟫⋗𖼿𝈷"}
_SLASHES: Final = "/∕⁄⧸╱⟋Ⳇノ〳᜵⁁⼃㇓丿𝈺"
_LOOK_ALIKES: Final = {
    "u": "υսᴜʊμµцùⴎ∪⋃ꭎꞟʋሀᑌꓴꭒ𐓎𐓶𑢸𑣘𖽂",
    "n": "пոηռɴиⲛπᴎŋɲńղΝꓠ𐔓",
    "t": "тτᴛŧƭ7†┬⊤ꓔⲧȶʈţᎢ⟙𐊗𐊱𐌕𑢼𖼊🝨",
    "r": "гᴦʀᴙɾɼⲅꮁƨя®ᎡᏒᖇꓣꭇꭈ𐒴𖼵𝈖",
    "s": "ѕꜱ$5ꙅʂƽꮪ§ßՏᏕꓢ𐊖𐐠𐑈𑣁𖼺",
    "e": "еєεҽᴇ3ɛəëёℯⲉꬲ€Ꭼ∊⋴℮⋿ⴹꓰ𐊆𑢦𑢮ǝɇ",
    "d": "ԁɗժɖᴅđⅾꓒδ∂ᎠᏧᑯᗞᗪꓓ",
    "w": "ԝшщωաѡᴡɯѿⲱꮃ₩ʍᏔꓪ𑜊𑜎𑜏𑣦𑣯",
    "b": "ьвβʙƅЪъᏏƀɓБҍ8฿ᏴᑲᖯᗷꓐꞴ𐊂𐊡𐌁",
    "c": "сϲᴄⅽ¢ƈçⲥꮯɔ©∁Ϲꓚ𐊢𐌂𐐕𐐽𐔜𑣩𑣲🝌",
    "o": "оοօσᴏ0øⲟဝ๐০੦ഠ〇○◯ọɵθ°۵૦ଠ୦௦ం౦ಂ೦ം൦ං໐ჿዐᴑⵔꓳꬽ𐊒𐊫𐐄𐐬𐓂𐓪𐔖𑓐𑢵𑣈𑣗𑣠०၀",
}
_FILLERS: Final = frozenset({
    0x115F, 0x1160, 0x3164, 0xFFA0, 0x034F, 0x17B4, 0x17B5, 0x180E, 0x2800,
    0x2065, *range(0xFFF0, 0xFFF9), *range(0xE0000, 0xE1000),
    0x241B, 0xFFFD,
})  # fmt: skip
"""Letters and marks that show nothing, what Unicode keeps for such ones (Default_Ignorable_Code_Point), and what the
envelope writes in the place of a control."""
_LETTERS: Final = (0x1F150, 0x1F170, 0x1F1E6)
"""Where letters in circles and squares, and those of flags, begin: they have no decomposition."""


def invisible(char: str) -> bool:
    """Whether a character shows nothing of its own: a format character, a mark, a filler, a control."""
    point = ord(char)
    return unicodedata.category(char) in ("Cf", "Mn", "Me", "Cc", "Cs") or point in _FILLERS


def _folds() -> dict[int, str]:
    folds = {ord(char): "-" for char in _HYPHENS}
    for plain, chars in _ANGLES.items():
        folds |= {ord(char): plain for char in chars}
    folds |= {ord(char): "/" for char in _SLASHES}
    for plain, chars in _LOOK_ALIKES.items():
        folds |= {ord(form): plain for char in chars for form in char.casefold() if len(char.casefold()) == 1}
        folds |= {ord(char): plain for char in chars}
    for first in _LETTERS:
        folds |= {first + at: chr(ord("a") + at) for at in range(26)}
    return folds


_FOLDS: Final = _folds()


def _fold(char: str) -> str:
    """The skeleton of one character: none, one or more characters."""
    if char in "\n\t\r":
        return char
    if ord(char) in _FOLDS:
        return _FOLDS[ord(char)]
    out: list[str] = []
    for part in unicodedata.normalize("NFKD", char):
        known = _FOLDS.get(ord(part))
        if known is None and invisible(part):
            continue
        out += [_FOLDS.get(ord(folded), folded) for folded in (part.casefold() if known is None else known)]
    return "".join(out)


class _Table(dict[int, str]):
    """A table of `str.translate` that is filled as characters come."""

    def __missing__(self, point: int) -> str:
        folded = self[point] = _fold(chr(point))
        return folded


_TABLE: Final = _Table()
_OCTETS: Final = bytes(ord(chr(point).translate(_TABLE) or "\0") for point in range(128)) + bytes(128)


def skeleton(text: str) -> str:
    """The skeleton of a text."""
    if text.isascii():
        # the same table, many times faster; what shows nothing is a NUL in it
        return text.encode("ascii").translate(_OCTETS).replace(b"\0", b"").decode("ascii")
    return text.translate(_TABLE)


def places(text: str) -> list[int]:
    """For each character of the skeleton the index of the character of the text that it comes from."""
    return [at for at, char in enumerate(text) for _ in _TABLE[ord(char)]]


_ESCAPE: Final = re.compile(
    r"&(?:\#[0-9]+;?|\#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]{0,31};?)"
    r"|(?:%[0-9A-Fa-f]{2})+|%u[0-9A-Fa-f]{4}"
    r"|\\u\{[0-9a-fA-F]{1,6}\}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\x\{?[0-9a-fA-F]{2}\}?"
    r"|\\00[0-9a-fA-F]{4}|\\[0-3][0-7]{2}|\\[bfnrtv]"
)

_ONE_LETTER: Final = frozenset("bfnrtv")
"""Escapes of white space: `\\n` and its like."""

Piece = tuple[str, int, int]
"""A decoded character and the range of the text that it stands for."""


def unescaped(text: str) -> tuple[str, list[tuple[int, int]]] | None:
    """One level of HTML, percent and backslash escapes decoded: the text, and for each of its characters the range
    that it stands for. None when there is nothing to decode."""
    if "&" not in text and "%" not in text and "\\" not in text:
        return None
    out: list[str] = []
    spans: list[tuple[int, int]] = []
    done = 0
    for escape in _ESCAPE.finditer(text):
        pieces = list(_decoded(escape))
        if not pieces:
            continue
        start = pieces[0][1]
        out.append(text[done:start])
        spans.extend((at, at + 1) for at in range(done, start))
        for char, low, high in pieces:
            out.append(char)
            spans.append((low, high))
        done = pieces[-1][2]
    if not done:
        return None
    out.append(text[done:])
    spans.extend((at, at + 1) for at in range(done, len(text)))
    return "".join(out), spans


def _decoded(escape: "re.Match[str]") -> Iterator[Piece]:
    kind, rest = escape.group()[0], escape.group()[1:]
    if kind == "&":
        yield from _entity(escape)
    elif kind == "%" and rest[0] != "u":
        yield from _octets(escape)
    elif rest in _ONE_LETTER:
        yield " ", escape.start(), escape.end()
    else:
        # three digits are octal (C); six of them (CSS) and whatever follows a letter are not
        number = int(rest.strip("uUx{}"), 8 if len(rest) == 3 and rest[0].isdigit() else 16)
        if number < 0x110000:
            yield chr(number), escape.start(), escape.end()


def _entity(escape: "re.Match[str]") -> Iterator[Piece]:
    name, start = escape.group()[1:], escape.start()
    if name.startswith("#"):
        hexadecimal = name[1] in "xX"
        digits = name[2 if hexadecimal else 1 :].rstrip(";").lstrip("0") or "0"
        # Python refuses to read a number of thousands of digits, and there is no such character
        char = html.unescape(f"&#{'x' if hexadecimal else ''}{digits};") if len(digits) <= 8 else ""
        yield from ((one, start, escape.end()) for one in char)
        return
    # without a semicolon the longest known name counts, as in the HTML standard
    for end in range(len(name), 1, -1):
        if name[:end] in html5:
            yield from ((one, start, start + 1 + end) for one in html5[name[:end]])
            return


def _octets(escape: "re.Match[str]") -> Iterator[Piece]:
    octets = bytes.fromhex(escape.group().replace("%", ""))
    at = 0
    while at < len(octets):
        size = _size(octets[at:])
        char = octets[at : at + size].decode("utf-8", "replace")
        low = escape.start() + 3 * at
        yield char[0], low, low + 3 * size
        at += size


def _size(octets: bytes) -> int:
    """How many octets the first character of UTF-8 has; 1 for one that is none."""
    for size in range(1, 5):
        try:
            octets[:size].decode("utf-8")
        except UnicodeDecodeError:
            continue
        return min(size, len(octets))
    return 1


def views(text: str) -> Iterator[tuple[str, Sequence[tuple[int, int]] | None]]:
    """The text, then what it says after one, two and three levels of decoding, each with the ranges of the text that
    its characters stand for (None: each character for itself)."""
    yield text, None
    view, spans = text, None
    for _ in range(LEVELS):
        level = unescaped(view)
        if level is None:
            return
        view, inner = level
        known = spans
        spans = inner if known is None else [(known[low][0], known[high - 1][1]) for low, high in inner]
        yield view, spans
