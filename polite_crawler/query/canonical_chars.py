"""What one character becomes under a normalization: the explicit list of typography, and the units of comparison.

A unit is a character with its combining marks (a cluster), as one number: the code point of its NFC form, or a code
point of the private planes for a cluster that has none. Canonically equivalent texts so have equal units.
"""

import threading
import unicodedata
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

Units = NDArray[np.uint32]

# what an entry says beside a plain code point
DROP: Final = 1 << 28
MULTI: Final = 1 << 29
EXTENDS: Final = 1 << 30
CODE: Final = (1 << 28) - 1
SPACE: Final = 0x20
_PRIVATE: Final = 0xF0000
_PRIVATE_END: Final = 0x10FFFE

DROPPED: Final = frozenset(
    [
        *(0x00AD, 0x034F, 0x061C, 0x180E, 0x2060, 0xFEFF),
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
        *range(0xFE00, 0xFE10),
    ]
)
"""Code points that show nothing: soft hyphen, zero-width characters, direction marks, variation selectors."""

_SINGLE_QUOTES = "‘’‚‛′ʼʻʹˈ´‹›＇"
_DOUBLE_QUOTES = "“”„‟″«»「」『』〝〞〟＂"
DASHES: Final = "‐‑‒–—―−⸺⸻﹘﹣－⁃"
EXPLICIT: Final = {
    **dict.fromkeys(_SINGLE_QUOTES, "'"),
    **dict.fromkeys(_DOUBLE_QUOTES, '"'),
    **dict.fromkeys(DASHES, "-"),
    "…": "...", "‥": "..", "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st",
    "ĳ": "ij", "Ĳ": "IJ", "ſ": "s", "µ": "μ", "〜": "~", "～": "~", "℃": "°C", "℉": "°F", "・": "·", "･": "·",
}  # fmt: skip
"""Characters and the character that they are a look of. What has a meaning of its own (², ½, ①) is not here."""

_TAGS = ("<wide>", "<narrow>", "<isolated>", "<initial>", "<medial>", "<final>", "<noBreak>", "<font>")
"""The compatibility tags (UAX #44) whose characters differ from their decomposition in their looks alone."""

_JAMO = frozenset(map(chr, (*range(0x1160, 0x1200), *range(0xD7B0, 0xD7FC))))
JOINS_BACK: Final = _JAMO | frozenset(
    "\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u102e\u1b35"
    "\U00011127\U0001133e\U00011357\U000114b0\U000114ba\U000114bd\U000115af\U00011930"
)
"""The characters of combining class 0 that NFC composes with the character before them."""


def extends(char: str) -> bool:
    """Whether the character belongs to the one before it."""
    return unicodedata.combining(char) != 0 or char in JOINS_BACK


class _Clusters:
    """One unit for each cluster that no single code point stands for, the same as long as the process lives."""

    def __init__(self) -> None:
        self._units: dict[str, int] = {}
        self._texts: list[str] = []
        self._lock = threading.Lock()

    def units(self, cluster: str) -> tuple[int, ...]:
        """The units of a cluster in NFC: one, or its code points when the private planes are used up."""
        if len(cluster) == 1 and ord(cluster) < _PRIVATE:
            return (ord(cluster),)
        with self._lock:
            unit = self._units.get(cluster)
            if unit is None:
                if _PRIVATE + len(self._texts) >= _PRIVATE_END:
                    return tuple(map(ord, cluster))
                unit = self._units[cluster] = _PRIVATE + len(self._texts)
                self._texts.append(cluster)
        return (unit,)

    def text(self, unit: int) -> str:
        """The characters of a unit."""
        inside = _PRIVATE <= unit < _PRIVATE + len(self._texts)
        return self._texts[unit - _PRIVATE] if inside else chr(unit)


_CLUSTERS = _Clusters()


def cluster_text(unit: int) -> str:
    """The characters of a unit."""
    return _CLUSTERS.text(unit)


def composed(units: Units) -> int | None:
    """The unit of a character and its marks, given as units, or None when there is none left."""
    cluster = "".join(_CLUSTERS.text(int(unit)) for unit in units)
    found = _CLUSTERS.units(unicodedata.normalize("NFC", cluster))
    return found[0] if len(found) == 1 else None


def _typographic(char: str) -> str:
    if ord(char) in DROPPED:
        return ""
    if char in EXPLICIT:
        return EXPLICIT[char]
    if unicodedata.decomposition(char).startswith(_TAGS):
        decomposed = unicodedata.normalize("NFKD", char)
        return unicodedata.normalize("NFC", "".join(EXPLICIT.get(one, one) for one in decomposed))
    return unicodedata.normalize("NFC", char)


def _text_of(char: str, *, typography: bool, case: bool, white_space: bool) -> str:
    if 0xD800 <= ord(char) < 0xE000:
        return char
    text = _typographic(char) if typography else char
    if case:
        text = text.casefold()
        if typography:
            text = unicodedata.normalize("NFC", text)
    if white_space:
        text = "".join(" " if one.isspace() else one for one in text)
    return text


def _units_of(text: str, *, typography: bool) -> tuple[int, ...]:
    """The units of a text; a mark with no character before it keeps the sign that it extends what stands before."""
    if not typography:
        return tuple(unit for char in text for unit in _CLUSTERS.units(char))
    leading = 0
    while leading < len(text) and extends(text[leading]):
        leading += 1
    clusters: list[str] = []
    for char in text[leading:]:
        if clusters and extends(char):
            clusters[-1] += char
        else:
            clusters.append(char)
    marks = tuple(ord(char) | EXTENDS for char in text[:leading])
    return marks + tuple(unit for cluster in clusters for unit in _CLUSTERS.units(cluster))


def distinct(units: NDArray[np.uint8] | Units) -> list[int]:
    """The different units, in linear time whatever they are."""
    seen = np.zeros(0x110000, np.bool_)
    seen[units] = True
    return np.flatnonzero(seen).tolist()


class Table:
    """What each code point becomes under one set of normalizations; filled for the code points that occur.

    An entry is a unit, with EXTENDS for a combining mark, or DROP, or MULTI and an index of `many`.
    """

    def __init__(self, *, typography: bool, case: bool, white_space: bool) -> None:
        self._typography, self._case, self._white_space = typography, case, white_space
        self._entries: Units = np.zeros(0x110000, np.uint32)  # 0: not known yet
        self.many: list[tuple[int, ...]] = []

    def look_up(self, codes: Units) -> Units:
        """The entries of code points. NUL must not be among them."""
        found = self._entries[codes]
        if len(found) and not found.all():
            for code in distinct(codes[found == 0]):
                self._entries[code] = self._entry(chr(code))
            found = self._entries[codes]
        return found

    def _entry(self, char: str) -> int:
        text = _text_of(char, typography=self._typography, case=self._case, white_space=self._white_space)
        units = _units_of(text, typography=self._typography)
        if not units:
            return DROP
        if len(units) == 1:
            return units[0]
        self.many.append(units)
        return MULTI | (len(self.many) - 1)


@cache
def table(*, typography: bool, case: bool, white_space: bool) -> Table:
    """The one table of a set of normalizations."""
    return Table(typography=typography, case=case, white_space=white_space)
