"""64-bit simhash: texts that differ in few words have hashes that differ in few bits (Charikar 2002; Manku 2007)."""

import re
from collections import OrderedDict
from hashlib import blake2b

BITS = 64
NEAR_BITS = 6
"""Two texts are near duplicates when at most as many bits differ: about 95 % of their shingles are the same."""

_SHINGLE = 3
_MOST_WORDS = 20_000
_WORD = re.compile(r"\w+")
_LANE = 16
# one octet as 8 lanes of 16 bits, so that a sum of integers counts all bits at once
_SPREAD = tuple(sum(((octet >> bit) & 1) << (_LANE * bit) for bit in range(8)) for octet in range(256))
# with one band more than bits that may differ, two near hashes share one
_BANDS = NEAR_BITS + 1
_BAND_BITS = BITS // _BANDS


def simhash(text: str) -> int:
    """The simhash of the words of a text (shingles of three, case folded; the first 20,000 words). 0 for no words."""
    words = [found[0] for found, _ in zip(_WORD.finditer(text.casefold()), range(_MOST_WORDS), strict=False)]
    if not words:
        return 0
    shingles = {" ".join(words[at : at + _SHINGLE]) for at in range(max(1, len(words) - _SHINGLE + 1))}
    counts = [0] * (BITS // 8)
    for shingle in shingles:
        for place, octet in enumerate(blake2b(shingle.encode("utf-8", "replace"), digest_size=BITS // 8).digest()):
            counts[place] += _SPREAD[octet]
    half = len(shingles) / 2
    lanes = ((counts[bit // 8] >> (_LANE * (bit % 8))) & 0xFFFF for bit in range(BITS))
    return sum(1 << bit for bit, count in enumerate(lanes) if count > half)


def distance(a: int, b: int) -> int:
    """How many bits differ."""
    return (a ^ b).bit_count()


class NearDuplicates:
    """Finds a text seen before that a text nearly equals. It keeps the newest `limit` hashes."""

    def __init__(self, limit: int = 100_000) -> None:
        self._limit = limit
        self._names: OrderedDict[int, str] = OrderedDict()
        self._bands: dict[tuple[int, int], dict[int, None]] = {}

    def find_or_add(self, value: int, name: str) -> str | None:
        """The name of a near duplicate that was added before, the nearest one; else None, and the text is added. The
        hash 0, of a text with no words, is near to nothing."""
        if not value:
            return None
        candidates = {other for key in _keys(value) for other in self._bands.get(key, ())}
        nearest = min(candidates, key=lambda other: distance(value, other), default=None)
        if nearest is not None and distance(value, nearest) <= NEAR_BITS:
            return self._names[nearest]
        self._add(value, name)
        return None

    def _add(self, value: int, name: str) -> None:
        if len(self._names) >= self._limit:
            oldest, _ = self._names.popitem(last=False)
            for key in _keys(oldest):
                self._bands[key].pop(oldest, None)
                if not self._bands[key]:
                    del self._bands[key]
        self._names[value] = name
        for key in _keys(value):
            self._bands.setdefault(key, {})[value] = None


def _keys(value: int) -> list[tuple[int, int]]:
    mask = (1 << _BAND_BITS) - 1
    return [(band, (value >> (band * _BAND_BITS)) & mask) for band in range(_BANDS)]
