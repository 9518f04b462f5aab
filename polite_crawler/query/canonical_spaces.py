"""White space between units: which of it may be missing or too much without another word or number."""

import re
import unicodedata
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from polite_crawler.query.canonical_chars import DASHES, SPACE, cluster_text, distinct

_Unit = TypeVar("_Unit", np.uint8, np.uint32)
Places = NDArray[np.int64]

_LETTER, _DIGIT, _NUMERIC, _HYPHEN, _OTHER, _CONTINUOUS = range(1, 7)
BLANK, WORD, SIGN = 1, 2, 3
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u31a0-\ua4cf\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)


class Classes:
    """A small number for each unit, worked out for the units that occur."""

    def __init__(self, of: Callable[[str], int]) -> None:
        self._of = of
        self._known = np.zeros(0x110000, np.uint8)

    def __call__(self, units: NDArray[_Unit]) -> NDArray[np.uint8]:
        """The class of each unit."""
        found = self._known[units]
        if not found.all():
            for unit in distinct(units[found == 0]):
                self._known[unit] = self._of(cluster_text(unit)[0])
            found = self._known[units]
        return found


def _class_of(char: str) -> int:
    if _SPACELESS.match(char):
        return _CONTINUOUS
    if char.isdigit():
        return _DIGIT
    if char.isalpha() or unicodedata.combining(char):
        return _LETTER
    if char == "-" or char in DASHES:
        return _HYPHEN
    return _NUMERIC if char in ".,:/+'’" else _OTHER


def _kind_of(char: str) -> int:
    if char.isspace():
        return BLANK
    return WORD if char.isalnum() or unicodedata.category(char)[0] == "M" else SIGN


kinds = Classes(_kind_of)
"""BLANK, WORD (letters, digits and their marks) or SIGN."""

_classes = Classes(_class_of)


def _may_join() -> NDArray[np.bool_]:
    joins = np.zeros((7, 7), np.bool_)
    for kind in (_DIGIT, _NUMERIC):
        joins[_LETTER, kind] = joins[kind, _LETTER] = True
    joins[_NUMERIC, _NUMERIC] = True
    for free in (_OTHER, _CONTINUOUS):
        joins[free, :] = joins[:, free] = True
    return joins


_MAY_JOIN = _may_join()


def repeated_spaces(units: NDArray[_Unit]) -> Places:
    """The places of the spaces that follow a space."""
    is_space = units == SPACE
    return np.flatnonzero(is_space[1:] & is_space[:-1]) + 1


def joinable_spaces(units: NDArray[_Unit]) -> Places:
    """The places of single spaces that may be missing: `Mon 9am`, but not `now here` and not `10 2`."""
    gaps = np.flatnonzero(units == SPACE)
    gaps = gaps[(gaps > 0) & (gaps < len(units) - 1)]
    found: Places = gaps[_MAY_JOIN[_classes(units[gaps - 1]), _classes(units[gaps + 1])]]
    return found


def solid_pieces(folded: str) -> list[str]:
    """The pieces of a folded quote in which no space can be missing or too much, the longest first.

    A text whose collapsed form lacks one of them does not hold the quote under the squeezed form.
    """
    places = np.array([at for at, char in enumerate(folded) if char != " "], np.int64)
    if not len(places):
        return []
    codes = np.frombuffer(folded.encode("utf-32-le", "surrogatepass"), "<u4")
    classes = _classes(codes[places])
    cuts = np.flatnonzero(_MAY_JOIN[classes[:-1], classes[1:]])
    starts = [0, *places[cuts + 1].tolist()]
    ends = [*(places[cuts] + 1).tolist(), len(folded)]
    return sorted((folded[low:high] for low, high in zip(starts, ends, strict=True)), key=len, reverse=True)
