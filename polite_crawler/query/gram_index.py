"""All places of a piece in a long text, without a scan: an index of the text's grams at every few characters."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

_STEP: Final = 12
_GRAM: Final = 8
_BUCKETS: Final = 1 << 16
_MANY: Final = 4096
_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)

SHORTEST: Final = _STEP + _GRAM - 1
"""A piece of this many characters holds a whole gram that stands at a step, wherever it stands."""


class GramIndex:
    """The grams of a text by the bucket of their hash. The time and memory to make it are linear in the text."""

    def __init__(self, text: str) -> None:
        self._text = text
        units = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
        self._hashes = _hashes(units, _STEP)
        buckets = (self._hashes >> np.uint64(48)).astype(np.uint16)
        self._order = np.argsort(buckets, kind="stable").astype(np.int32)
        self._bounds = np.concatenate([[0], np.cumsum(np.bincount(buckets, minlength=_BUCKETS))])

    def places(self, piece: str) -> list[int] | None:
        """Every place of a piece, also those that overlap, in sequence. None when the index cannot tell cheaply: a
        piece that is too short, or grams that are everywhere."""
        if len(piece) < SHORTEST:
            return None
        wanted = _hashes(np.frombuffer(piece[:SHORTEST].encode("utf-32-le", "surrogatepass"), "<u4"), 1)
        found: list[int] = []
        tried = 0
        for offset, gram in enumerate(wanted):
            bucket = int(gram >> np.uint64(48))
            steps = self._order[self._bounds[bucket] : self._bounds[bucket + 1]]
            steps = steps[self._hashes[steps] == gram]
            tried += len(steps)
            if tried > _MANY:
                return None
            starts = (steps.astype(np.int64) * _STEP - offset).tolist()
            found += [start for start in starts if start >= 0 and self._text.startswith(piece, start)]
        return sorted(found)


def _hashes(units: NDArray[np.uint32], step: int) -> NDArray[np.uint64]:
    """A hash of the gram at each step."""
    count = max(0, (len(units) - _GRAM) // step + 1)
    hashes = np.zeros(count, np.uint64)
    for at in range(_GRAM):
        hashes = (hashes ^ units[at : at + (count - 1) * step + 1 : step]) * _FACTOR if count else hashes
        hashes ^= hashes >> np.uint64(29)
    return hashes
