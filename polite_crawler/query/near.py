"""The passage of a text that is nearest to a quote that is not in it: by edit distance, never a match.

With edlib (the extra `near`) the whole text is searched. Without it a text of at most 20,000 characters is searched
whole, and of a longer one the surroundings of the rarest words of the quote.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import numpy as np

from polite_crawler.query.canonical_text import Form
from polite_crawler.query.quotes import QuotableText

MAX_QUOTE: Final = 2000
"""Code points of the longest quote that a nearest passage is looked for."""

_FORM = Form("collapsed", typography=True, case=True)
_WHOLE = 20_000
_WINDOWS = 24
_WORDS = 16
_WORD = re.compile(r"\w{3,}")
_OTHER = 1

Aligner = Callable[[str, str, int], "tuple[int, int] | None"]
"""(quote, text, most edits) -> the edit distance of the best passage and its end, or None."""


@dataclass(frozen=True, slots=True)
class Span:
    """A place in the stored text: code points, end exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Closest:
    """The nearest passage. `distance` counts the insertions, deletions and replacements between the quote and the
    passage, both without regard to white space, typography and case; `ratio` is 1 minus the share of them in the
    length of the quote, at least 2/3."""

    span: Span
    matched: str
    distance: int
    ratio: float


def closest(text: QuotableText, quote: str, *, aligner: Aligner | None = None) -> Closest | None:
    """The passage of the text with the least edit distance to the quote, if at most a third of it differs.

    Of equal ones the first. None for a quote of more than MAX_QUOTE code points.
    """
    folded = text.folded(_FORM)
    wanted = QuotableText(quote).folded(_FORM).text.strip(" ")
    if not wanted or len(quote) > MAX_QUOTE:
        return None
    most = len(wanted) // 3
    found = (aligner or default_aligner())(wanted, folded.text, most)
    if found is None or found[0] > most:
        return None
    distance, end = found
    start = end - _length(wanted, folded.text[max(0, end - len(wanted) - most) : end], distance)
    if start >= end:
        return None
    span = Span(*folded.span(start, end))
    return Closest(span, text.text[span.start : span.end], distance, round(1 - distance / len(wanted), 4))


def default_aligner() -> Aligner:
    """edlib when it is installed, else the bounded search."""
    try:
        edlib = import_module("edlib")
    except ImportError:
        return bounded_align
    return lambda quote, text, most: _edlib_align(edlib, quote, text, most)


def bounded_align(quote: str, text: str, most: int) -> tuple[int, int] | None:
    """The best passage around the rarest words of the quote. The work does not grow with what the text repeats."""
    best: tuple[int, int] | None = None
    for low, high in _windows(quote, text, most):
        found = _infix(quote, text[low:high])
        if found and (best is None or found[0] < best[0]):
            best = (found[0], low + found[1])
    return best if best and best[0] <= most else None


def _edlib_align(edlib: Any, quote: str, text: str, most: int) -> tuple[int, int] | None:
    """edlib compares at most 256 different characters, so each character of the quote gets a byte and all others
    share one that matches nothing."""
    letters = sorted(set(quote))
    if len(letters) > 254:
        return bounded_align(quote, text, most)
    codes = np.full(0x110000, _OTHER, np.uint8)
    codes[[ord(letter) for letter in letters]] = np.arange(_OTHER + 1, _OTHER + 1 + len(letters))

    def coded(chars: str) -> bytes:
        return bytes(codes[np.frombuffer(chars.encode("utf-32-le", "surrogatepass"), "<u4")])

    found = edlib.align(coded(quote), coded(text), mode="HW", task="distance", k=most)
    if found["editDistance"] < 0:
        return None
    return found["editDistance"], found["locations"][0][1] + 1


def _windows(quote: str, text: str, most: int) -> Iterator[tuple[int, int]]:
    if len(text) <= _WHOLE:
        yield 0, len(text)
        return
    words = {match.group(): match.start() for match in _WORD.finditer(quote)}
    longest = sorted(words, key=lambda word: (-len(word), words[word]))[:_WORDS]
    counts = {word: text.count(word) for word in longest}
    left = _WINDOWS
    for word in sorted(longest, key=lambda word: (counts[word], words[word])):
        at = text.find(word)
        while at >= 0 and left:
            low = max(0, at - words[word] - most)
            yield low, min(len(text), at - words[word] + len(quote) + most)
            left -= 1
            at = text.find(word, at + len(word))


def _infix(pattern: str, text: str) -> tuple[int, int] | None:
    """The least edit distance of the pattern to any passage and the first end of such a passage."""
    best: tuple[int, int] | None = None
    for end, score in enumerate(_scores(pattern, text, free_start=True), 1):
        if best is None or score < best[0]:
            best = (score, end)
    return best


def _length(pattern: str, before: str, distance: int) -> int:
    """The length of the passage that ends where `before` ends and has this distance: the one nearest in length."""
    scores = _scores(pattern[::-1], before[::-1], free_start=False)
    lengths = [length for length, score in enumerate(scores, 1) if score == distance]
    return min(lengths, key=lambda length: (abs(length - len(pattern)), length), default=0)


def _scores(pattern: str, text: str, *, free_start: bool) -> Iterator[int]:
    """The edit distance of the pattern to the text up to each place (Myers 1999, with one integer for a column).

    With a free start it is the distance to the best passage that ends there.
    """
    size = len(pattern)
    ones = (1 << size) - 1
    last = 1 << (size - 1)
    where: dict[str, int] = {}
    for index, char in enumerate(pattern):
        where[char] = where.get(char, 0) | 1 << index
    plus, minus, score = ones, 0, size
    for char in text:
        equal = where.get(char, 0)
        vertical = equal | minus
        horizontal = (((equal & plus) + plus) ^ plus) | equal
        up = minus | (ones & ~(horizontal | plus))
        down = plus & horizontal
        if up & last:
            score += 1
        elif down & last:
            score -= 1
        up = (up << 1 | (0 if free_start else 1)) & ones
        down = (down << 1) & ones
        plus = down | (ones & ~(vertical | up))
        minus = up & vertical
        yield score
