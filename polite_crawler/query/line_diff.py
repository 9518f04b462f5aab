"""The line diff: which lines of two texts stay, with the least number of added and removed lines.

Lines are interned, equal ends are trimmed and lines that only one side has are put aside, none of which makes a
minimal diff longer. What is left is solved by Myers' greedy algorithm while the change is small (linear), else by
the bit-parallel longest common subsequence (n x m / 64 steps), and beyond the limit of cells by patience anchors,
which is not minimal.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from rapidfuzz.distance import Indel

MAX_CELLS: Final = 2_000_000_000
"""The most cells (lines of one side times lines of the other) of a minimal diff; its memory is a bit a cell."""

_GREEDY_CHANGES = 64


@dataclass(frozen=True, slots=True)
class Change:
    """Lines [from_start, from_end) of one side stand in the place of [to_start, to_end) of the other."""

    from_start: int
    from_end: int
    to_start: int
    to_end: int


@dataclass(frozen=True, slots=True)
class LineDiff:
    """The changes in sequence. `steps` counts the work, the same on each computer."""

    changes: tuple[Change, ...]
    minimal: bool
    steps: int


Pairs = list[tuple[int, int]]


def diff_lines(a: Sequence[Hashable], b: Sequence[Hashable], *, max_cells: int = MAX_CELLS) -> LineDiff:
    """The changes that make `b` of `a`."""
    numbers: dict[Hashable, int] = {}
    x = [numbers.setdefault(line, len(numbers)) for line in a]
    y = [numbers.setdefault(line, len(numbers)) for line in b]
    low = _common(x, y)
    high = _common(x[low:][::-1], y[low:][::-1])
    inner_x, inner_y = range(low, len(x) - high), range(low, len(y) - high)
    both = {x[i] for i in inner_x} & {y[j] for j in inner_y}
    places_x = [i for i in inner_x if x[i] in both]
    places_y = [j for j in inner_y if y[j] in both]
    solver = _Solver(max_cells, steps=len(x) + len(y))
    pairs = solver.solve([x[i] for i in places_x], [y[j] for j in places_y])
    kept = [(places_x[i], places_y[j]) for i, j in pairs]
    return LineDiff(_changes(kept, inner_x, inner_y), solver.minimal, solver.steps)


def _common(x: Sequence[int], y: Sequence[int]) -> int:
    """The length of the common start."""
    size = min(len(x), len(y))
    if x[:size] == y[:size]:
        return size
    return next(index for index in range(size) if x[index] != y[index])


def _changes(kept: Pairs, inner_x: range, inner_y: range) -> tuple[Change, ...]:
    out: list[Change] = []
    i, j = inner_x.start, inner_y.start
    for at_x, at_y in [*kept, (inner_x.stop, inner_y.stop)]:
        if i < at_x or j < at_y:
            out.append(Change(i, at_x, j, at_y))
        i, j = at_x + 1, at_y + 1
    return tuple(out)


class _Solver:
    """Finds the pairs of lines that stay, and counts."""

    def __init__(self, max_cells: int, steps: int) -> None:
        self._max_cells = max_cells
        self.steps = steps
        self.minimal = True

    def solve(self, x: list[int], y: list[int]) -> Pairs:
        if not x or not y:
            return []
        pairs = self._greedy(x, y)
        if pairs is not None:
            return pairs
        if len(x) * len(y) <= self._max_cells:
            return self._bit_parallel(x, y)
        self.minimal = False
        return self._by_anchors(x, y)

    def _greedy(self, x: list[int], y: list[int]) -> Pairs | None:
        """Myers 1986, with the furthest reach of each diagonal; None when the change is not small."""
        budget = 2 * (len(x) + len(y)) + _GREEDY_CHANGES**2
        reach = {1: 0}
        history: list[dict[int, int]] = []
        steps = 0
        for edits in range(_GREEDY_CHANGES + 1):
            history.append(dict(reach))
            for diagonal in range(-edits, edits + 1, 2):
                down = diagonal == -edits or (diagonal != edits and reach[diagonal - 1] < reach[diagonal + 1])
                i = start = reach[diagonal + 1] if down else reach[diagonal - 1] + 1
                j = i - diagonal
                while i < len(x) and j < len(y) and x[i] == y[j]:
                    i, j = i + 1, j + 1
                steps += 1 + i - start
                reach[diagonal] = i
                if i >= len(x) and j >= len(y):
                    self.steps += steps
                    return _walk_back(history, len(x), len(y))
            if steps > budget:
                break
        self.steps += steps
        return None

    def _bit_parallel(self, x: list[int], y: list[int]) -> Pairs:
        self.steps += len(x) * (len(y) // 64 + 1)
        return [
            (block.src_start + offset, block.dest_start + offset)
            for block in Indel.opcodes(x, y)
            if block.tag == "equal"
            for offset in range(block.src_end - block.src_start)
        ]

    def _by_anchors(self, x: list[int], y: list[int]) -> Pairs:
        """Patience: the lines that each side has one time, in their longest common sequence, cut the texts into
        parts; a part beyond the cells that are left has no kept lines."""
        self.steps += len(x) + len(y)
        anchors = _anchors(x, y)
        left = self._max_cells
        pairs: Pairs = []
        i = j = 0
        for at_x, at_y in [*anchors, (len(x), len(y))]:
            part_x, part_y = x[i:at_x], y[j:at_y]
            cells = len(part_x) * len(part_y)
            if 0 < cells <= left:
                left -= cells
                pairs += [(i + p, j + q) for p, q in self._bit_parallel(part_x, part_y)]
            if at_x < len(x):
                pairs.append((at_x, at_y))
            i, j = at_x + 1, at_y + 1
        return pairs


def _walk_back(history: list[dict[int, int]], i: int, j: int) -> Pairs:
    """The kept pairs of the path that ends at the ends of both sides."""
    pairs: Pairs = []
    for edits in range(len(history) - 1, -1, -1):
        reach, diagonal = history[edits], i - j
        down = diagonal == -edits or (diagonal != edits and reach[diagonal - 1] < reach[diagonal + 1])
        before = diagonal + 1 if down else diagonal - 1
        start = reach[before] if down else reach[before] + 1
        while i > max(start, 0):
            i, j = i - 1, j - 1
            pairs.append((i, j))
        i, j = (i, j - 1) if down else (i - 1, j)
    return pairs[::-1]


def _anchors(x: list[int], y: list[int]) -> Pairs:
    counts_x, counts_y = Counter(x), Counter(y)
    where = {line: j for j, line in enumerate(y) if counts_y[line] == 1}
    common = [(i, where[line]) for i, line in enumerate(x) if counts_x[line] == 1 and line in where]
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, (_, j) in enumerate(common):
        at = bisect_left(tails, j)
        tails[at : at + 1] = [j]
        ends[at : at + 1] = [index]
        before.append(ends[at - 1] if at else -1)
    chain: Pairs = []
    index = ends[-1] if ends else -1
    while index >= 0:
        chain.append(common[index])
        index = before[index]
    return chain[::-1]
