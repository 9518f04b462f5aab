"""Where a quote stands in a text: the strictest set of named normalizations under which it is there.

The sets are in one sequence, from strict to loose: exact, then white-space, typography, ellipsis, emphasis and case,
where a set without a looser normalization always comes before a set with it. One fold under the loosest form says
whether the quote is there at all; the set is then found in the few places that it gave, so the time is linear.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from polite_crawler.errors import BadOption
from polite_crawler.query.canonical_chars import DROPPED
from polite_crawler.query.canonical_spaces import solid_pieces
from polite_crawler.query.canonical_text import Folded, Form, WhiteSpace, fold, fold_quote, has_emphasis
from polite_crawler.query.gram_index import SHORTEST, GramIndex

NORMALIZATIONS: Final = ("white-space", "typography", "ellipsis", "emphasis", "case")
"""The names, from strict to loose. No normalization is `exact`."""

ELLIPSIS_GAP: Final = 4000
"""How many code points of the text an ellipsis may stand for."""

_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:…|\.\.\.|\. \. \.)\s*\]|\(\s*(?:…|\.\.\.|\. \. \.)\s*\)|…|\.{3,}|\. \. \.)\s*")
_WORD = re.compile(r"\w")
_WORDS = re.compile(r"\w+")
_LETTER = re.compile(r"[^\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_MARGIN = 8
_INDEXED = 200_000
_MANY_MARKS = 2000
LOOSEST: Final = Form("collapsed", typography=True, case=True)
"""The form that tells whether a quote is there at all."""
_FEW = 64
_LOOKS = 12
_CACHED_CHARS = 32_000_000
_CACHED_FROM = 20_000


@dataclass(frozen=True, slots=True)
class Match:
    """A quote in a text: the first place, [start, end) in code points, and the number of such places.

    `count` counts the places, without overlap, that match under the same set and under no stricter one.
    """

    start: int
    end: int
    normalizations: tuple[str, ...]
    count: int

    @property
    def normalization(self) -> str:
        """The names joined by `+`, or `exact`."""
        return "+".join(self.normalizations) or "exact"


class QuotableText:
    """A text that quotes are looked up in. It keeps its folded forms, and for a long text an index, so that a second
    quote needs neither a fold nor a scan."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._forms: dict[Form, Folded] = {}
        self._grams: dict[Form, GramIndex] = {}
        self._emphasis: bool | None = None

    @property
    def weight(self) -> int:
        """About how many characters it holds in memory, with the form that each quote needs."""
        return len(self.text) * (1 + max(1, len(self._forms)))

    @property
    def has_emphasis(self) -> bool:
        """Whether the text has marks of emphasis, as a Markdown file has."""
        if self._emphasis is None:
            self._emphasis = has_emphasis(self.text)
        return self._emphasis

    def folded(self, form: Form) -> Folded:
        """The text under a form, made one time."""
        if form not in self._forms:
            self._forms[form] = fold(self.text, form)
        return self._forms[form]

    def places(self, piece: str, form: Form, limit: int | None) -> list[int]:
        """The places of a folded piece in the text under a form: the first ones, or without a limit all that do not
        overlap."""
        folded = self.folded(form).text
        known = None
        if len(folded) >= _INDEXED and len(piece) >= SHORTEST:
            if form not in self._grams:
                self._grams[form] = GramIndex(folded)
            known = self._grams[form].places(piece)
        if known is None:
            return list(_occurrences(folded, piece, limit))
        if limit is not None:
            return known[:limit]
        return [start for start, _ in _apart([(at, at + len(piece)) for at in known])]

    def exact(self, quote: str) -> Match | None:
        """The place of the quote as it is."""
        if len(self.text) < _INDEXED or len(quote) < SHORTEST:
            start = self.text.find(quote)
            return Match(start, start + len(quote), (), self.text.count(quote)) if start >= 0 else None
        starts = self._exact_places(quote)
        if starts is None:
            start = self.text.find(quote)
            starts = [] if start < 0 else list(_occurrences(self.text, quote, None))
        spans = _apart([(start, start + len(quote)) for start in starts])
        return Match(*spans[0], (), len(spans)) if spans else None

    def _exact_places(self, quote: str) -> list[int] | None:
        """Where the loosest form has the quote, looked at in the text itself. A quote that ends inside a character
        with marks is none there, so the places of the marks are looked at too."""
        folded, own = self.folded(LOOSEST), fold(quote, LOOSEST)
        wanted = own.text.strip(" ")
        begins_inside = fold("x" + quote, LOOSEST).text[1:] != own.text
        if len(folded.marks) > _MANY_MARKS or len(wanted) < SHORTEST or begins_inside:
            return None
        hits = self.places(wanted, LOOSEST, _FEW + 1)
        if len(hits) > _FEW:
            return None
        visible = own.text.index(wanted)
        lead = own.span(visible, visible + 1)[0]
        found = {folded.span(hit, hit + len(wanted))[0] - lead for hit in hits}
        starts = {start for start in found if start >= 0 and self.text.startswith(quote, start)}
        inside = {end - len(quote) for end in self._ends_inside(folded)}
        return sorted(starts | {start for start in inside if start >= 0 and self.text.startswith(quote, start)})

    def _ends_inside(self, folded: Folded) -> Iterator[int]:
        """The places inside a character with marks: before a mark, and before what shows nothing before it."""
        last = 0
        for mark in folded.marks.tolist():
            end = mark
            while end > last:
                yield end
                if ord(self.text[end - 1]) not in DROPPED:
                    break
                end -= 1
            last = mark


class TextCache:
    """The last texts that quotes were looked up in, by the SHA-256 of the text or the text itself."""

    def __init__(self, chars: int = _CACHED_CHARS) -> None:
        self._chars = chars
        self._texts: OrderedDict[str, QuotableText] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str) -> QuotableText | None:
        """The text of that key, when it is still there."""
        with self._lock:
            if key in self._texts:
                self._texts.move_to_end(key)
            return self._texts.get(key)

    def put(self, key: str, text: QuotableText) -> QuotableText:
        """Keep a text; the oldest ones go when the cache is full."""
        with self._lock:
            kept = self._texts.setdefault(key, text)
            self._texts.move_to_end(key)
            while len(self._texts) > 1 and sum(one.weight for one in self._texts.values()) > self._chars:
                self._texts.popitem(last=False)
        return kept


_RECENT = TextCache()


def quotable(text: str) -> QuotableText:
    """The text made ready; a long text is kept for the next quote."""
    if len(text) < _CACHED_FROM:
        return QuotableText(text)
    return _RECENT.get(text) or _RECENT.put(text, QuotableText(text))


def verify_text(text: str | QuotableText, quote: str) -> Match | None:
    """The place of a quote in a text, or None. Raises BadOption for a quote without a visible character.

    text[match.start:match.end] is the passage that matches.
    """
    check_quote(quote)
    ready = text if isinstance(text, QuotableText) else quotable(text)
    if exact := ready.exact(quote):
        return exact
    marked = has_emphasis(quote)
    pieces = tuple(piece for piece in _ELLIPSIS.split(quote) if _WORD.search(piece))
    cut = bool(pieces) and pieces != (quote,)
    for white_space in ("collapsed", "squeezed"):
        best: Match | None = None
        for emphasis, ellipsis in product((False, True), repeat=2):
            search = _Search(pieces if ellipsis else (quote,), white_space, ellipsis, emphasis)
            if (ellipsis and not cut) or (emphasis and not marked and (best or not search.may_be_marked(ready))):
                continue
            if best is None or _rank(search.fixed) < _rank(best.normalizations):
                best = min((one for one in (best, search.run(ready)) if one), key=_match_rank, default=None)
        if best:
            return best
    return None


def find_value(text: QuotableText, value: str) -> Match | None:
    """The place of a value in a text under white-space, typography and case alone, or None.

    The text holds the value itself anywhere, a word of its own first; under a normalization only as whole words.
    """
    places = _occurrences(text.text, value, _FEW)
    exact = sorted(places, key=lambda at: not is_whole(text.text, at, at + len(value)))
    if exact:
        return Match(exact[0], exact[0] + len(value), (), text.text.count(value))
    return _Search((value,), "collapsed", ellipsis=False, emphasis=False, whole=True).run(text)


def is_whole(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] neither begins nor ends inside a word."""
    left = start > 0 and _inside_word(text[start - 1], text[start])
    return not left and not (end < len(text) and _inside_word(text[end - 1], text[end]))


def _inside_word(before: str, after: str) -> bool:
    return bool(_LETTER.match(before) and _LETTER.match(after))


def check_quote(quote: str) -> None:
    """Raise BadOption for a quote that any text holds."""
    if not quote.strip():
        raise BadOption("the quote is empty: give the words that the text should hold")


def _rank(normalizations: Sequence[str]) -> int:
    return sum(1 << NORMALIZATIONS.index(name) for name in normalizations)


def _match_rank(match: Match) -> int:
    return _rank(match.normalizations)


@dataclass(frozen=True, slots=True)
class _Search:
    """A quote, in pieces between its ellipses, with the normalizations that are decided beforehand."""

    pieces: tuple[str, ...]
    white_space: WhiteSpace
    ellipsis: bool
    emphasis: bool
    whole: bool = False

    @property
    def fixed(self) -> tuple[str, ...]:
        """The names of the decided normalizations."""
        return tuple(name for name, on in (("ellipsis", self.ellipsis), ("emphasis", self.emphasis)) if on)

    def run(self, text: QuotableText) -> Match | None:
        """The strictest match in the whole text."""
        if self.white_space == "squeezed" and not self._may_be_squeezed(text):
            return None
        loosest = self._form(True, True, True)
        folded = text.folded(loosest)
        hits = self._places(text, loosest, _FEW + 1)
        if not hits:
            return None
        if len(hits) > _FEW:
            return self._by_whole_text(text)
        found = [self._in_window(text.text, folded.span(*hit)) for hit in hits]
        strictest = min(found, key=_match_rank)
        spans = sorted({(one.start, one.end) for one in found if one.normalizations == strictest.normalizations})
        return Match(*spans[0], strictest.normalizations, len(_apart(spans)))

    def _may_be_squeezed(self, text: QuotableText) -> bool:
        """Whether the text holds what no missing space can change: a cheap look before another fold."""
        form = Form("collapsed", typography=True, emphasis=self.emphasis, case=True)
        held = text.folded(form).text
        solid = solid_pieces(" ".join(fold_quote(piece, form) for piece in self.pieces))
        return all(piece in held for piece in solid[:_LOOKS])

    def may_be_marked(self, text: QuotableText) -> bool:
        """Whether the text has marks of emphasis and each word of the quote: they never stand inside a word."""
        held = text.folded(LOOSEST).text
        words = sorted(_WORDS.findall(fold_quote(" ".join(self.pieces), LOOSEST)), key=len, reverse=True)
        return all(word in held for word in words[:_LOOKS]) and text.has_emphasis

    def _form(self, white_space: bool, typography: bool, case: bool) -> Form:
        return Form(self.white_space if white_space else "kept", typography, self.emphasis, case)

    def _forms(self) -> Iterator[tuple[tuple[str, ...], Form]]:
        """From strict to loose."""
        for case, typography, white_space in product((False, True), repeat=3):
            on = {"white-space": white_space, "typography": typography, "case": case}
            names = tuple(name for name in NORMALIZATIONS if on.get(name) or name in self.fixed)
            yield names, self._form(white_space, typography, case)

    def _in_window(self, text: str, span: tuple[int, int]) -> Match:
        """The strictest match around a place that the loosest form gave."""
        low = max(0, span[0] - _MARGIN)
        window = QuotableText(text[low : span[1] + _MARGIN])
        names: tuple[str, ...] = ()
        for names, form in self._forms():
            if hits := self._places(window, form, len(window.text)):
                # another place may stand beside this one
                found = (window.folded(form).span(*hit) for hit in hits)
                start, end = min(found, key=lambda one: abs(low + one[0] - span[0]))
                return Match(low + start, low + end, names, 1)
        return Match(*span, names, 1)

    def _by_whole_text(self, text: QuotableText) -> Match | None:
        """The same where the loosest form matches in very many places."""
        for names, form in self._forms():
            if hits := self._places(text, form, None):
                return Match(*text.folded(form).span(*hits[0]), names, len(_apart(hits)))
        return None

    def _places(self, text: QuotableText, form: Form, limit: int | None) -> list[tuple[int, int]]:
        """The places in a text under a form, of whole words where that is asked."""
        if not self.whole:
            return self._chains(text, form, limit)
        folded = text.folded(form)
        hits = self._chains(text, form, None)
        return [hit for hit in hits if is_whole(text.text, *folded.span(*hit))][:limit]

    def _chains(self, text: QuotableText, form: Form, limit: int | None) -> list[tuple[int, int]]:
        """The places where the pieces follow each other, each within the gap of the one before."""
        pieces = [piece for piece in (fold_quote(piece, form) for piece in self.pieces) if piece]
        if not pieces:
            return []
        if len(pieces) == 1:
            return [(at, at + len(pieces[0])) for at in text.places(pieces[0], form, limit)]
        starts = origins = np.array(text.places(pieces[0], form, None), np.int64)
        ends = starts + len(pieces[0])
        for piece in pieces[1:]:
            starts, origins = _following(ends, origins, np.array(text.places(piece, form, None), np.int64))
            ends = starts + len(piece)
        chains = _apart(list(zip(origins.tolist(), ends.tolist(), strict=True)))
        return chains[:limit]


def _occurrences(text: str, piece: str, limit: int | None) -> Iterator[int]:
    """The places of a piece; all of them without overlap, or the first ones with it."""
    step = len(piece) if limit is None else 1
    at = text.find(piece)
    while at >= 0 and limit != 0:
        yield at
        limit = None if limit is None else limit - 1
        at = text.find(piece, at + step)


def _following(
    ends: NDArray[np.int64], origins: NDArray[np.int64], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The starts that follow an end within the gap, and the origin of the nearest such end."""
    nearest = np.searchsorted(ends, starts, side="right") - 1
    starts, nearest = starts[nearest >= 0], nearest[nearest >= 0]
    near = starts - ends[nearest] <= ELLIPSIS_GAP if len(starts) else np.zeros(0, np.bool_)
    return starts[near], origins[nearest[near]]


def _apart(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans, in the sequence of their ends, that do not overlap one before them."""
    out: list[tuple[int, int]] = []
    for start, end in spans:
        if not out or start >= out[-1][1]:
            out.append((start, end))
    return out
