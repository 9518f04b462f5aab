"""Whether two street addresses are one."""

import re
import unicodedata
from collections.abc import Iterator

from polite_crawler.readers.hours.words import fold

_EAST = "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u30ff\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff"
_EASTERN = re.compile(f"[{_EAST}]")
_EDGE = re.compile(rf"(?<=[{_EAST}])(?=\d)|(?<=\d)(?=[{_EAST}])")
_BLOCK = re.compile(r"(?<=\d)(?:丁目|番地|番|号|號|번지|[\u2010-\u2015\u2212ー])(?=\s*\d)")
"""What stands between the numbers of a block, as in 1丁目2-3."""
_SEGMENT = re.compile(r"[,;|\n、，]+")
_NUMBER = re.compile(r"\b\d{1,6}[a-z]?\b")
_CHAIN = re.compile(r"\d+(?:-\d+)*")
_WORD = re.compile(r"[^\W\d_]{2,}")
_POSTAL = re.compile(r"\W*\d{4,6}\b|.*\b\d{5,6}\b")
_STRASSE = re.compile(r"(?<=\w\w)str(?:asse|\b\.?)|\bstr(?:asse|\b\.?)")
_KIND_WORDS = """
street st road rd avenue ave av avda avenida lane ln drive dr square sq place pl way court ct boulevard blvd bd
terrace quay row parkway pkwy highway hwy close crescent strasse weg platz gasse allee rue chemin impasse via viale
corso piazza calle plaza paseo rua travessa laan straat gracht plein ulica ul улица ул проспект просп переулок пер
вулиця вул площадь набережная бульвар οδος شارع
"""
_SMALL_WORDS = """
the of and de la le les du des del della delle dei di da do dos das der den dem am an im zum zur van und et
saint san santa sankt north south east west nord sud est ouest
"""
_KINDS, _SMALL = frozenset(_KIND_WORDS.split()), frozenset(_SMALL_WORDS.split())
_SUFFIXES = ("strasse", "straat", "weg", "platz", "gasse", "laan", "gracht", "plein", "allee")


def same_street(one: str, other: str) -> bool:
    """Whether two addresses have the same street number and a word of the street. The town and its postal code do not
    count, and neither do words like `rue de la`."""
    theirs = list(_streets(other))
    return any(numbers & known and _share(words, names) for numbers, words in _streets(one) for known, names in theirs)


def has_eastern(text: str) -> bool:
    """Whether a text has letters of Chinese, Japanese or Korean."""
    return _EASTERN.search(text) is not None


def _streets(text: str) -> Iterator[tuple[set[str], set[str]]]:
    """The parts of an address that have a street number: the numbers, and the words of the street."""
    folded = _BLOCK.sub("-", fold(unicodedata.normalize("NFKC", text)).replace("ß", "ss"))
    parts = [part for part in _SEGMENT.split(_STRASSE.sub("strasse", _EDGE.sub(" ", folded))) if part.strip()]
    numbered = [at for at, part in enumerate(parts) if _numbers(part)]
    streets = [at for at in numbered if not _is_postal(parts[at])]
    for at in streets or numbered[:1]:
        beside = [parts[near] for near in (at, at - 1, at + 1) if 0 <= near < len(parts)]
        yield _numbers(parts[at]), next((words for part in beside if (words := _names(part))), set())


def _numbers(part: str) -> set[str]:
    if has_eastern(part):
        return set(_CHAIN.findall(part))
    found = set(_NUMBER.findall(part))
    return {one for one in found if len(one.rstrip("abcdefghijklmnopqrstuvwxyz")) < 5} or found


def _is_postal(part: str) -> bool:
    """Whether a part of an address is a town with its postal code: `10115 Berlin`, `MA 02110`."""
    words = _WORD.findall(part)
    named = any(word in _KINDS or word.endswith(_SUFFIXES) for word in words)
    return not named and not has_eastern(part) and _POSTAL.match(part) is not None


def _names(part: str) -> set[str]:
    words = set(_WORD.findall(part))
    return words - _KINDS - _SMALL or words - _KINDS or words


def _share(words: set[str], names: set[str]) -> bool:
    """Whether a word is in both. Chinese and Japanese write the town and the street as one word."""
    if words & names:
        return True
    pairs = ((one, other) for one in words for other in names if has_eastern(one))
    return any(one.endswith(other) or other.endswith(one) for one, other in pairs)
