"""Folding: the form of a text in which words match, whatever their case, accents, width or script.

The index holds folded text under FTS5's `ascii` tokenizer, so that Python and SQLite agree on each token and no
Unicode table of SQLite counts. Scripts without spaces (Han, kana, hangul, Thai, Lao, Khmer, Myanmar) are cut in
overlapping pairs of grapheme clusters; the last cluster of a run stands alone behind them, so that one cluster is
found at each place: as the beginning of a pair or as that last one.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from itertools import pairwise
from typing import Any

FOLD_VERSION = 1
"""Changes when the same text folds to other tokens: an index of another version is rebuilt."""

LONGEST_TOKEN = 256
"""Characters. A longer token (a data URL, a key) is cut in pieces, in the text and in the question alike."""

_DROPPED = (
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"  # diacritics that combine
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew points and accents
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"  # Arabic vowels and Koranic marks
    "\u00ad\u200b-\u200d\u2060\ufeff\ufe00-\ufe0f\u0640]+"  # soft hyphen, zero widths, variation selectors, tatweel
)
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ħ": "h", "ŧ": "t"}
)
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_ASCII_BREAKS = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))


@dataclass(frozen=True, slots=True)
class Atom:
    """One word or phrase of a question: its tokens in sequence; `prefix` when the last one may go on."""

    tokens: tuple[str, ...]
    prefix: bool = False

    def match(self) -> str:
        """The FTS5 string of this atom. Tokens hold no quote, so nothing of the question is FTS5 syntax."""
        return f'"{" ".join(self.tokens)}"' + ("*" if self.prefix else "")


def fold(text: str) -> str:
    """The folded text: its tokens, with one space between them. FTS5's `ascii` tokenizer cuts it at the spaces."""
    return " ".join(fold_words(text))


def fold_words(text: str) -> list[str]:
    """The tokens of a text."""
    words = (text.lower().translate(_ASCII_BREAKS) if text.isascii() else _patterns().fold(text)).split()
    if max(map(len, words), default=0) > LONGEST_TOKEN:
        words = [piece for word in words for piece in _pieces(word)]
    return words


def tokens(folded: str) -> list[str]:
    """The tokens of a folded text."""
    return folded.split()


def parse_query(query: str) -> tuple[Atom, ...]:
    """The atoms of a question, each one time. Text in double quotes (also curly ones; an open quote goes to the end)
    is a phrase, a last `*` makes a prefix, and all else is words: AND, NEAR( and a colon have no meaning."""
    found: dict[Atom, None] = {}
    for match in _ATOM.finditer(query.translate(_QUOTES)):
        phrase, word = match.group(1), match.group(2)
        atom = _atom(phrase if phrase is not None else word, phrase is None and word.endswith("*"))
        if atom is not None:
            found[atom] = None
    return tuple(found)


_QUOTES = str.maketrans({**dict.fromkeys("“”„‟〝〞＂", '"'), "\0": " "})
_ATOM = re.compile(r'"([^"]*)(?:"|$)|([^\s"]+)')


def _atom(text: str, prefix: bool) -> Atom | None:
    words = fold_words(text)
    if not words:
        return None
    cut, open_ = _patterns().run_end(text) if not text.isascii() else (False, False)
    if cut:
        # the last cluster of a run stands alone only where the run ends, and this one may go on in a document
        return Atom(tuple(words[:-1]), prefix)
    return Atom(tuple(words), prefix or open_)


class _Patterns:
    """The compiled tables for what is not ASCII: made at the first use, since most questions never need them."""

    def __init__(self) -> None:
        regex: Any = import_module("regex")
        self._dropped: Any = regex.compile(_DROPPED)
        self._other: Any = regex.compile(r"[^\p{L}\p{N}\p{M}\p{Co}]+")
        self._run: Any = regex.compile(rf"[{_UNSPACED}][{_UNSPACED}\p{{M}}]*")
        self._clusters: Callable[[str], list[str]] = regex.compile(r"\X").findall

    def normal(self, text: str) -> str:
        decomposed = unicodedata.normalize("NFKD", text).casefold()
        bare = self._dropped.sub("", unicodedata.normalize("NFKD", decomposed))
        composed = unicodedata.normalize("NFC", bare).translate(_LETTERS)
        # only now: NFKD makes punctuation of its own ("⒓" is "12.", "⅒" is "1⁄10")
        return str(self._other.sub(" ", composed))

    def fold(self, text: str) -> str:
        return str(self._run.sub(self._pairs, self.normal(text)))

    def run_end(self, text: str) -> tuple[bool, bool]:
        """Whether a text ends with a run of two or more clusters, and whether with a run of exactly one."""
        normal = self.normal(text).rstrip(" ")
        runs = list(self._run.finditer(normal))
        if not runs or runs[-1].end() != len(normal):
            return False, False
        clusters = len(self._clusters(runs[-1].group()))
        return clusters > 1, clusters == 1

    def _pairs(self, match: Any) -> str:
        clusters = self._clusters(match.group())
        pairs = [first + second for first, second in pairwise(clusters)]
        return f" {' '.join([*pairs, clusters[-1]])} "


@lru_cache(maxsize=1)
def _patterns() -> _Patterns:
    return _Patterns()


def _pieces(word: str) -> list[str]:
    return [word[at : at + LONGEST_TOKEN] for at in range(0, len(word), LONGEST_TOKEN)]
