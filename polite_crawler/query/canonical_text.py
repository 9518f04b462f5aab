"""Texts under named normalizations, each with the way back to the positions of the stored text.

A form says which normalizations apply. Under `typography` canonically equivalent texts (NFD) are equal, and an
explicit list makes quotation marks, dashes, ligatures, presentation forms and widths equal. NFKC is never used,
because `10²` is not `102` and `½` is not `1⁄2`. All work is linear in the length of the text.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from polite_crawler.query.canonical_chars import (
    CODE,
    DASHES,
    DROP,
    EXTENDS,
    MULTI,
    SPACE,
    Units,
    cluster_text,
    composed,
    table,
)

WhiteSpace = Literal["kept", "collapsed", "squeezed"]

_Unit = TypeVar("_Unit", np.uint8, np.uint32)
_Index = NDArray[np.int32]
_Places = NDArray[np.int64]

_MARKS = "*_~`"
_MARK_RUN = re.compile(r"[*_~`]+")
_MAX_MARKS = 32
"""More marks than this on one character are compared one by one, so that sorting them stays cheap."""


@dataclass(frozen=True, slots=True)
class Form:
    """Which normalizations a text is under.

    `collapsed` white space is one space for each run. `squeezed` also leaves out the spaces that the boxes of a page
    or the lines of a script without spaces may have or lack: `Mon 9am` is `Mon9am`, but `now here` is not `nowhere`.
    """

    white_space: WhiteSpace = "kept"
    typography: bool = False
    emphasis: bool = False
    case: bool = False


@dataclass(frozen=True, slots=True)
class _Stage:
    """Where each unit comes from: `source[i]` in the text before. In a `glued` stage a unit ends where the next one
    starts (a character and its marks), else after one unit."""

    source: _Index
    length: int
    glued: bool = False

    def back(self, start: int, end: int) -> tuple[int, int]:
        first = int(self.source[start])
        if self.glued:
            return first, int(self.source[end]) if end < len(self.source) else self.length
        return first, int(self.source[end - 1]) + 1


@dataclass(frozen=True, slots=True)
class Folded:
    """A text under a form."""

    text: str
    stages: tuple[_Stage, ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The code points of the stored text behind text[start:end]; start must be before end."""
        for stage in reversed(self.stages):
            start, end = stage.back(start, end)
        return start, end


def fold(text: str, form: Form) -> Folded:
    """The text under a form."""
    stages: list[_Stage] = []
    if form.emphasis:
        text = _without_emphasis(text, stages)
    white_space = form.white_space != "kept"
    if not (form.typography or form.case or white_space):
        return Folded(text, tuple(stages))
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    if text.isascii():
        data = text.encode("ascii").translate(_ascii_table(form.case, white_space))
        if form.white_space == "squeezed" or (white_space and b"  " in data):
            data = _without_spaces(np.frombuffer(data, np.uint8), form, stages).tobytes()
        return Folded(data.decode("ascii"), tuple(stages))
    codes = _codes(text)
    units = table(typography=form.typography, case=form.case, white_space=white_space).look_up(codes)
    if int(units.max()) >= DROP:
        units = _spread(units, form, stages)
        units = _glue_marks(units, stages)
    if white_space:
        units = _without_spaces(units, form, stages)
    return Folded(units.tobytes().decode("utf-32-le", "surrogatepass"), tuple(stages))


def fold_quote(quote: str, form: Form) -> str:
    """A quote under a form: as `fold`, and white space at its ends counts only when white space is kept."""
    folded = fold(quote, form).text
    return folded if form.white_space == "kept" else folded.strip(" ")


def solid_pieces(folded: str) -> list[str]:
    """The pieces of a folded quote in which no space can be missing or too much, the longest first.

    A text whose collapsed form lacks one of them does not hold the quote under the squeezed form.
    """
    places = np.array([at for at, char in enumerate(folded) if char != " "], np.int64)
    if not len(places):
        return []
    classes = _classes(_codes(folded)[places])
    cuts = np.flatnonzero(_MAY_JOIN[classes[:-1], classes[1:]])
    starts = [0, *places[cuts + 1].tolist()]
    ends = [*(places[cuts] + 1).tolist(), len(folded)]
    return sorted((folded[low:high] for low, high in zip(starts, ends, strict=True)), key=len, reverse=True)


def has_emphasis(text: str) -> bool:
    """Whether the form without emphasis leaves anything out of the text."""
    return bool(_emphasis_runs(text))


def _codes(text: str) -> Units:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


@cache
def _ascii_table(case: bool, white_space: bool) -> bytes:
    """Typography changes no ASCII character."""

    def one(code: int) -> int:
        char = chr(code)
        if white_space and char.isspace():
            return SPACE
        return ord(char.lower()) if case else code

    return bytes(one(code) if code < 128 else code for code in range(256))


def _positions(keep: NDArray[np.bool_]) -> _Index:
    return np.flatnonzero(keep).astype(np.int32)


# --- emphasis -------------------------------------------------------------------------------------------------


def _emphasis_runs(text: str) -> list[tuple[int, int]]:
    """The runs of marks that are neither inside a word nor between spaces: `**bold**`, not `5*3` and not `a * b`."""
    if not any(mark in text for mark in _MARKS):
        return []
    runs: list[tuple[int, int]] = []
    for match in _MARK_RUN.finditer(text):
        start, end = match.span()
        before, after = text[start - 1 : start], text[end : end + 1]
        inside = before.isalnum() and after.isalnum()
        alone = (not before or before.isspace()) and (not after or after.isspace())
        if not inside and not alone:
            runs.append((start, end))
    return runs


def _without_emphasis(text: str, stages: list[_Stage]) -> str:
    runs = _emphasis_runs(text)
    if not runs:
        return text
    keep = np.ones(len(text), np.bool_)
    pieces: list[str] = []
    done = 0
    for start, end in runs:
        keep[start:end] = False
        pieces.append(text[done:start])
        done = end
    stages.append(_Stage(_positions(keep), len(text)))
    return "".join([*pieces, text[done:]])


# --- characters -----------------------------------------------------------------------------------------------


def _spread(entries: Units, form: Form, stages: list[_Stage]) -> Units:
    """Leave out what is dropped, and give each unit of a character with several units a place of its own."""
    dropped = entries == DROP
    many = np.flatnonzero(entries & np.uint32(MULTI))
    if not len(many):
        if not dropped.any():
            return entries
        source = _positions(~dropped)
        stages.append(_Stage(source, len(entries)))
        return entries[source]
    lists = table(typography=form.typography, case=form.case, white_space=form.white_space != "kept").many
    which = entries[many] & np.uint32(CODE)
    lengths = np.where(dropped, 0, 1).astype(np.int32)
    lengths[many] = np.fromiter((len(units) for units in lists), np.int32, len(lists))[which]
    source = np.repeat(np.arange(len(entries), dtype=np.int32), lengths)
    out = entries[source]
    starts = np.cumsum(lengths)[many] - lengths[many]
    for offset in range(int(lengths[many].max())):
        at_offset = np.array([units[offset] if offset < len(units) else 0 for units in lists], np.uint32)
        reaches = lengths[many] > offset
        out[starts[reaches] + offset] = at_offset[which[reaches]]
    stages.append(_Stage(source, len(entries)))
    return out


def _glue_marks(entries: Units, stages: list[_Stage]) -> Units:
    """One unit for each character and the marks after it, in canonical order (UAX #15)."""
    units = entries & np.uint32(CODE)
    marks = (entries & np.uint32(EXTENDS)) != 0
    marks[:1] = False
    if not marks.any():
        return units
    edges = np.flatnonzero(np.diff(marks.astype(np.int8), append=np.int8(0)))
    bases, lengths = edges[::2], edges[1::2] - edges[::2]
    glued = np.zeros(len(units), np.bool_)
    _compose_pairs(units, glued, bases[lengths == 1])
    several = (lengths > 1) & (lengths <= _MAX_MARKS)
    _compose_longer(units, glued, bases[several], lengths[several])
    source = _positions(~glued)
    stages.append(_Stage(source, len(units), glued=True))
    return units[source]


def _compose_pairs(units: Units, glued: NDArray[np.bool_], bases: _Places) -> None:
    if not len(bases):
        return
    keys = (units[bases].astype(np.uint64) << np.uint64(32)) | units[bases + 1]
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    found = [composed(units[bases[at] : bases[at] + 2]) for at in first]
    values = np.array([0 if unit is None else unit for unit in found], np.uint32)[which]
    done = bases[values != 0]
    units[done] = values[values != 0]
    glued[done + 1] = True


def _compose_longer(units: Units, glued: NDArray[np.bool_], bases: _Places, lengths: _Places) -> None:
    known: dict[bytes, int | None] = {}
    for base, length in zip(bases.tolist(), lengths.tolist(), strict=True):
        cluster = units[base : base + length + 1]
        key = cluster.tobytes()
        if key not in known:
            known[key] = composed(cluster)
        unit = known[key]
        if unit is not None:
            units[base] = unit
            glued[base + 1 : base + length + 1] = True


# --- white space ----------------------------------------------------------------------------------------------


def _without_spaces(units: NDArray[_Unit], form: Form, stages: list[_Stage]) -> NDArray[_Unit]:
    """One space for each run of white space; a squeezed form also leaves out the spaces that may be missing."""
    is_space = units == SPACE
    repeated = np.zeros(len(units), np.bool_)
    repeated[1:] = is_space[1:] & is_space[:-1]
    if repeated.any():
        source = _positions(~repeated)
        stages.append(_Stage(source, len(units)))
        units, is_space = units[source], is_space[source]
    if form.white_space != "squeezed":
        return units
    gaps = np.flatnonzero(is_space)
    gaps = gaps[(gaps > 0) & (gaps < len(units) - 1)]
    joined = gaps[_MAY_JOIN[_classes(units[gaps - 1]), _classes(units[gaps + 1])]]
    if not len(joined):
        return units
    keep = np.ones(len(units), np.bool_)
    keep[joined] = False
    source = _positions(keep)
    stages.append(_Stage(source, len(units)))
    return units[source]


_LETTER, _DIGIT, _NUMERIC, _HYPHEN, _OTHER, _CONTINUOUS = range(1, 7)
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u31a0-\ua4cf\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]"
)


def _may_join() -> NDArray[np.bool_]:
    """Between which classes a space may be missing without making another word or another number."""
    joins = np.zeros((7, 7), np.bool_)
    for kind in (_DIGIT, _NUMERIC):
        joins[_LETTER, kind] = joins[kind, _LETTER] = True
    joins[_NUMERIC, _NUMERIC] = True
    for free in (_OTHER, _CONTINUOUS):
        joins[free, :] = joins[:, free] = True
    return joins


_MAY_JOIN = _may_join()
_CLASSES = np.zeros(0x110000, np.uint8)


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


def _classes(units: NDArray[_Unit]) -> NDArray[np.uint8]:
    found = _CLASSES[units]
    if not found.all():
        for unit in np.unique(units[found == 0]):
            _CLASSES[unit] = _class_of(cluster_text(int(unit))[0])
        found = _CLASSES[units]
    return found
