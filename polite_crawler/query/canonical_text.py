"""Texts under named normalizations, each with the way back to the positions of the stored text.

A form says which normalizations apply. Under `typography` canonically equivalent texts (NFD) are equal, and an
explicit list makes quotation marks, dashes, ligatures, presentation forms and widths equal. NFKC is never used,
because `10²` is not `102` and `½` is not `1⁄2`. All work is linear in the length of the text.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from polite_crawler.query.canonical_chars import CODE, DROP, EXTENDS, MULTI, SPACE, Units, composed, extends, table
from polite_crawler.query.canonical_spaces import BLANK, SIGN, Places, joinable_spaces, kinds, repeated_spaces

WhiteSpace = Literal["kept", "collapsed", "squeezed"]

_Unit = TypeVar("_Unit", np.uint8, np.uint32)

_MARKS = "*_~`"
_MAX_MARKS = 32
"""More marks than this on one character are compared one by one, so that sorting them stays cheap."""

_PIECE = 1 << 16
"""A long text is folded in pieces of about this many characters, which fit into the cache of a processor."""

_NONE: Places = np.zeros(0, np.int64)


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
class _Removed:
    """A stage that leaves out units. In a `glued` stage a unit ends where the next one starts (a character and its
    marks), else after one unit. `shifts` are the places after the stage at which a unit was left out, `before` is the
    length before it."""

    shifts: Places
    before: int
    glued: bool = False

    @classmethod
    def at(cls, places: Places, before: int, *, glued: bool = False) -> "_Removed":
        """The stage that leaves out the units at these places, which are in sequence."""
        return cls(places - np.arange(len(places)), before, glued)

    def back(self, start: int, end: int) -> tuple[int, int]:
        first, last = self._source(start), self._source(end - 1) + 1
        if self.glued:
            last = self._source(end) if end < self.before - len(self.shifts) else self.before
        return first, last

    def _source(self, at: int) -> int:
        return at + int(np.searchsorted(self.shifts, at, side="right"))


@dataclass(frozen=True, slots=True)
class _Inserted:
    """A stage after which the units at `places` belong to the character of the unit before them."""

    places: Places

    def back(self, start: int, end: int) -> tuple[int, int]:
        return self._source(start), self._source(end - 1) + 1

    def _source(self, at: int) -> int:
        return at - int(np.searchsorted(self.places, at, side="right"))


_Stages = list[_Removed | _Inserted]


@dataclass(frozen=True, slots=True)
class Folded:
    """A text under a form. `marks` are the places of the combining marks of the stored text."""

    text: str
    stages: tuple[_Removed | _Inserted, ...] = ()
    marks: Places = field(default_factory=lambda: _NONE)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The code points of the stored text behind text[start:end]; start must be before end."""
        for stage in reversed(self.stages):
            start, end = stage.back(start, end)
        return start, end


def fold(text: str, form: Form) -> Folded:
    """The text under a form."""
    stages: _Stages = []
    if form.emphasis:
        text = _without_emphasis(text, stages)
    white_space = form.white_space != "kept"
    if not (form.typography or form.case or white_space):
        return Folded(text, tuple(stages))
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
    if text.isascii():
        data = text.encode("ascii").translate(_ascii_table(form.case, white_space))
        if white_space and b"  " in data:
            octets = np.frombuffer(data, np.uint8)
            data = _without(octets, repeated_spaces(octets), stages).tobytes()
        if form.white_space == "squeezed":
            octets = np.frombuffer(data, np.uint8)
            data = _without(octets, joinable_spaces(octets), stages).tobytes()
        return Folded(data.decode("ascii"), tuple(stages))
    units, marks = _joined([_folded_piece(piece, form) for piece in _pieces(text)], stages)
    if form.white_space == "squeezed":
        units = _without(units, joinable_spaces(units), stages)
    return Folded(units.tobytes().decode("utf-32-le", "surrogatepass"), tuple(stages), marks)


def fold_quote(quote: str, form: Form) -> str:
    """A quote under a form: as `fold`, and white space at its ends counts only when white space is kept."""
    folded = fold(quote, form).text
    return folded if form.white_space == "kept" else folded.strip(" ")


def has_emphasis(text: str) -> bool:
    """Whether the form without emphasis leaves anything out of the text."""
    return bool(len(_emphasis_places(text)))


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


def _without(units: NDArray[_Unit], places: Places, stages: _Stages) -> NDArray[_Unit]:
    """The units without those at some places."""
    if not len(places):
        return units
    stages.append(_Removed.at(places, len(units)))
    return _but(units, places)


def _but(units: NDArray[_Unit], places: Places) -> NDArray[_Unit]:
    keep = np.ones(len(units), np.bool_)
    keep[places] = False
    return units[keep]


# --- emphasis -------------------------------------------------------------------------------------------------


def _emphasis_places(text: str) -> Places:
    """The places of the marks that are neither inside a word nor between spaces: `**bold**`, not `5*3` and not
    `a * b`."""
    if not any(mark in text for mark in _MARKS):
        return _NONE
    codes = _codes(text)
    is_mark = np.zeros(len(codes), np.bool_)
    for mark in _MARKS:
        is_mark |= codes == ord(mark)
    places = np.flatnonzero(is_mark)
    begins = np.diff(places, prepend=-2) > 1
    before, after = places[begins] - 1, places[np.append(begins[1:], True)] + 1
    kinds_before = np.where(before >= 0, kinds(codes[before]), BLANK)
    kinds_after = np.where(after < len(codes), kinds(codes[np.minimum(after, len(codes) - 1)]), BLANK)
    stays = (kinds_before == kinds_after) & (kinds_before != SIGN)
    gone: Places = places[~stays[np.cumsum(begins) - 1]]
    return gone


def _without_emphasis(text: str, stages: _Stages) -> str:
    places = _emphasis_places(text)
    if not len(places):
        return text
    return _without(_codes(text), places, stages).tobytes().decode("utf-32-le", "surrogatepass")


# --- pieces ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Piece:
    """A folded piece of a text. Its stages: the places of the units that were inserted (after it), dropped, glued to
    the one before and left out as a repeated space (each before it); and its length before each of the last three."""

    units: Units
    size: int
    inserted: Places = field(default_factory=lambda: _NONE)
    dropped: Places = field(default_factory=lambda: _NONE)
    glued: Places = field(default_factory=lambda: _NONE)
    spaces: Places = field(default_factory=lambda: _NONE)
    lengths: tuple[int, int, int] = (0, 0, 0)
    marks: Places = field(default_factory=lambda: _NONE)


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces, each but the first beginning with a letter or a digit: no cluster and no run of spaces goes
    over the edge of a piece."""
    start = 0
    while start < len(text):
        end = start + _PIECE
        while end < len(text) and (not text[end].isalnum() or extends(text[end])):
            end += 1
        yield text[start:end]
        start = end


def _folded_piece(piece: str, form: Form) -> _Piece:
    white_space = form.white_space != "kept"
    entries = table(typography=form.typography, case=form.case, white_space=white_space).look_up(_codes(piece))
    special = np.flatnonzero(entries >= DROP)
    marks = special[(entries[special] & np.uint32(EXTENDS)) != 0]
    inserted = dropped = glued = spaces = _NONE
    several = special[(entries[special] & np.uint32(MULTI)) != 0]
    if len(several):
        entries, special, inserted = _spread(entries, special, several, form)
    lengths = [len(entries)]
    is_dropped = entries[special] == DROP
    if is_dropped.any():
        dropped = special[is_dropped]
        entries = _but(entries, dropped)
        special = special[~is_dropped] - np.searchsorted(dropped, special[~is_dropped])
    lengths.append(len(entries))
    places = special[(entries[special] & np.uint32(EXTENDS)) != 0]
    entries[places] &= np.uint32(CODE)
    if len(places):
        glued = _glued_marks(entries, places)
        entries = _but(entries, glued)
    lengths.append(len(entries))
    if white_space:
        spaces = repeated_spaces(entries)
        entries = _but(entries, spaces) if len(spaces) else entries
    return _Piece(entries, len(piece), inserted, dropped, glued, spaces, (lengths[0], lengths[1], lengths[2]), marks)


def _joined(pieces: list[_Piece], stages: _Stages) -> tuple[Units, Places]:
    """The units of all pieces and the places of the marks in the text; the stages of the whole."""
    lengths = np.array([piece.lengths for piece in pieces]).T
    offsets = np.cumsum(lengths, axis=1) - lengths
    inserted = _moved([piece.inserted for piece in pieces], offsets[0])
    if len(inserted):
        stages.append(_Inserted(inserted))
    removed = (
        _moved([piece.dropped for piece in pieces], offsets[0]),
        _moved([piece.glued for piece in pieces], offsets[1]),
        _moved([piece.spaces for piece in pieces], offsets[2]),
    )
    for number, places in enumerate(removed):
        if len(places):
            stages.append(_Removed.at(places, int(lengths[number].sum()), glued=number == 1))
    sizes = np.array([piece.size for piece in pieces])
    marks = _moved([piece.marks for piece in pieces], np.cumsum(sizes) - sizes)
    return np.concatenate([piece.units for piece in pieces]), marks


def _moved(places: list[Places], offsets: Places) -> Places:
    found: Places = np.concatenate([one + offset for one, offset in zip(places, offsets, strict=True)])
    return found


def _spread(entries: Units, special: Places, several: Places, form: Form) -> tuple[Units, Places, Places]:
    """Give each unit of a character with several units a place of its own: the entries, the new places of the special
    ones, and those of the inserted ones."""
    lists = table(typography=form.typography, case=form.case, white_space=form.white_space != "kept").many
    which = entries[several] & np.uint32(CODE)
    more = np.fromiter((len(units) - 1 for units in lists), np.int64, len(lists))[which]
    entries[several] = np.fromiter((units[0] for units in lists), np.uint32, len(lists))[which]
    units = [unit for index in which.tolist() for unit in lists[index][1:]]
    at = np.repeat(several + 1, more)
    inserted = at + np.arange(len(at))
    moved = special + np.searchsorted(at, special, side="right")
    spread = np.insert(entries, at, np.array(units, np.uint32))
    return spread, np.sort(np.concatenate([moved, inserted]), kind="stable"), inserted


# --- marks ----------------------------------------------------------------------------------------------------


def _glued_marks(units: Units, places: Places) -> Places:
    """Make one unit of each character and the marks after it (at `places`), in canonical order (UAX #15). The places
    of the marks that are a part of the unit before them by that. A mark at the start or after a space stays alone."""
    first = np.flatnonzero(np.diff(places, prepend=-2) > 1)
    bases = places[first] - 1
    lengths = np.where((bases >= 0) & (units[bases] != SPACE), np.diff(first, append=len(places)), 0)
    several = (lengths > 1) & (lengths <= _MAX_MARKS)
    pairs = _compose_pairs(units, bases[lengths == 1])
    return np.sort(np.concatenate([pairs, _compose_longer(units, bases[several], lengths[several])]), kind="stable")


def _compose_pairs(units: Units, bases: Places) -> Places:
    keys = (units[bases].astype(np.uint64) << np.uint64(32)) | units[bases + 1]
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    found = [composed(units[bases[at] : bases[at] + 2]) for at in first]
    values = np.array([0 if unit is None else unit for unit in found], np.uint32)[which]
    done: Places = bases[values != 0]
    units[done] = values[values != 0]
    return done + 1


def _compose_longer(units: Units, bases: Places, lengths: Places) -> Places:
    known: dict[bytes, int | None] = {}
    gone: list[int] = []
    for base, length in zip(bases.tolist(), lengths.tolist(), strict=True):
        cluster = units[base : base + length + 1]
        key = cluster.tobytes()
        if key not in known:
            known[key] = composed(cluster)
        unit = known[key]
        if unit is not None:
            units[base] = unit
            gone += range(base + 1, base + length + 1)
    return np.array(gone, np.int64)
