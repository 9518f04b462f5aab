"""Words that a PDF breaks at the end of a line: PDFium marks the place of the hyphen with U+FFFE."""

import re
from collections.abc import Sequence

MARK = "\ufffe"

_BROKEN = re.compile(rf"([^\W\d_]+){MARK}([^\W_]+)")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def join_words(texts: Sequence[str]) -> list[str]:
    """The texts of the pages with broken words whole again. Whether the hyphen belongs to the word is read from the
    rest of the file: the spelling that stands elsewhere, else two parts that are words of it keep their hyphen.
    """
    if not any(MARK in text for text in texts):
        return list(texts)
    known = set(_WORD.findall(_BROKEN.sub(" ", "\n".join(texts)).lower()))

    def whole(match: re.Match[str]) -> str:
        return _joined(match[1], match[2], known)

    return [_BROKEN.sub(whole, text).replace(MARK, "-") if MARK in text else text for text in texts]


def _joined(left: str, right: str, known: set[str]) -> str:
    hyphened, plain = f"{left}-{right}", left + right
    if not right[0].islower() or hyphened.lower() in known:
        return hyphened
    if plain.lower() in known:
        return plain
    both = left.lower() in known and right.lower() in known and min(len(left), len(right)) > 2
    return hyphened if both else plain
