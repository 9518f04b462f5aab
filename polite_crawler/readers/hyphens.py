"""Words that a PDF breaks at the end of a line: PDFium marks the place of the hyphen with U+FFFE."""

import re
from collections.abc import Iterator, Sequence

MARK = "\ufffe"

_LEFT = re.compile(r"[^\W\d_]+\Z")
_RIGHT = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LONGEST = 64


def join_words(texts: Sequence[str]) -> list[str]:
    """The texts of the pages with broken words whole again. Whether the hyphen belongs to the word is read from the
    rest of the file: the spelling that stands elsewhere, else two parts that are words of it keep their hyphen.
    """
    if not any(MARK in text for text in texts):
        return list(texts)
    known = set(_WORD.findall(" ".join(piece for text in texts for piece in _unbroken(text)).lower()))
    return [_whole(text, known) if MARK in text else text for text in texts]


def _unbroken(text: str) -> Iterator[str]:
    """The text without its broken words."""
    pieces = text.split(MARK)
    for number, piece in enumerate(pieces):
        start = len(_right(piece)) if number else 0
        end = len(piece) - (len(_left(piece)) if number + 1 < len(pieces) else 0)
        yield piece[start:end]


def _whole(text: str, known: set[str]) -> str:
    first, *others = text.split(MARK)
    out = [first]
    left = _left(first)
    for piece in others:
        out.append(_hyphen(left, _right(piece), known))
        out.append(piece)
        left = _left(piece)
    return "".join(out)


def _left(piece: str) -> str:
    found = _LEFT.search(piece[-_LONGEST:])
    return found.group() if found else ""


def _right(piece: str) -> str:
    found = _RIGHT.match(piece[:_LONGEST])
    return found.group() if found else ""


def _hyphen(left: str, right: str, known: set[str]) -> str:
    """What stands between the two parts of a broken word: a hyphen or nothing."""
    if not left or not right[:1].islower() or f"{left}-{right}".lower() in known:
        return "-"
    if (left + right).lower() in known:
        return ""
    both = left.lower() in known and right in known and min(len(left), len(right)) > 2
    return "-" if both else ""
