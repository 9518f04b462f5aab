"""The diff of two texts: hunks of lines with context, changed lines paired, their words compared.

`diff_texts` is pure. The hunks applied to the one text give the other, unless a limit cut them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np
from rapidfuzz import fuzz, process
from rapidfuzz.distance import Indel

from polite_crawler.query.line_diff import MAX_CELLS, Change, diff_lines

Op = Literal[" ", "-", "+", "~"]

CONTEXT: Final = 2
"""Unchanged lines around each change."""

_ALIKE = 50
_TOKENS_A_WORD = 5
_RATIO_STEPS = 200_000_000
_CJK = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_CJK}]|\d+(?:[.,:]\d+)*(?!\w)|[^\W{_CJK}]+|\s+|[^\w\s]")
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class DiffLimits:
    """The bounds of one diff: lines of a side, cells of the line diff, cells to pair changed lines, words of a line,
    hunks, changes of the metadata, and characters of a value of the metadata."""

    lines: int = 100_000
    cells: int = MAX_CELLS
    pair_cells: int = 1_000_000
    words: int = 2000
    hunks: int = 1000
    meta_changes: int = 200
    value_chars: int = 300


DIFF_LIMITS: Final = DiffLimits()


@dataclass(frozen=True, slots=True)
class WordPart:
    """A part of a changed line that stays (" "), is removed ("-") or is added ("+")."""

    op: Literal[" ", "-", "+"]
    text: str


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a hunk. A changed line ("~") has `from_` and `to` in place of `text`, and its `words`, or None when
    it is too long to compare them. The parts of `words` that stay or are removed make up `from_`."""

    op: Op
    text: str | None = None
    from_: str | None = None
    to: str | None = None
    words: tuple[WordPart, ...] | None = None


@dataclass(frozen=True, slots=True)
class DiffHunk:
    """A change with its context. Line numbers start at 1; as in a unified diff, a side without lines names the line
    before."""

    from_start: int
    from_lines: int
    to_start: int
    to_lines: int
    lines: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class DiffSummary:
    """Counts over the whole diff. A changed line is neither added nor removed; the words of added and of removed
    lines count as added and removed."""

    lines_added: int = 0
    lines_removed: int = 0
    lines_changed: int = 0
    words_added: int = 0
    words_removed: int = 0
    meta_changes: int = 0


@dataclass(frozen=True, slots=True)
class TextDiff:
    """The diff of two texts. `exact` is false when it is not minimal or a changed line has no word diff, `truncated`
    when a part is left out; `notes` name each limit that applied. `steps` counts the work, alike on each computer."""

    hunks: tuple[DiffHunk, ...]
    summary: DiffSummary
    exact: bool
    truncated: bool
    steps: int
    notes: tuple[str, ...]


def diff_texts(a: str, b: str, *, limits: DiffLimits = DIFF_LIMITS) -> TextDiff:
    """What makes the text `b` of the text `a`, line by line. A line ends at "\\n"; the empty text has no line."""
    old, new = lines_of(a), lines_of(b)
    work = _Work(limits)
    if max(len(old), len(new)) > limits.lines:
        work.note(f"only the first {limits.lines:,} lines of each side are compared", truncated=True)
        old, new = old[: limits.lines], new[: limits.lines]
    lines = diff_lines(old, new, max_cells=limits.cells)
    work.steps += lines.steps
    if not lines.minimal:
        work.note(f"the line diff is not minimal: more than {limits.cells:,} cells")
    blocks = [(change, work.pair(old, new, change)) for change in lines.changes]
    groups = list(_groups(blocks))
    if len(groups) > limits.hunks:
        work.note(f"only the first {limits.hunks:,} of {len(groups):,} hunks are given", exact=True, truncated=True)
    hunks = tuple(_hunk(old, new, group) for group in groups[: limits.hunks])
    summary = _summary(line for _, block in blocks for line in block)
    return TextDiff(hunks, summary, work.exact, work.truncated, work.steps, tuple(work.notes))


def lines_of(text: str) -> list[str]:
    """The lines of a text: "\\n".join gives it back."""
    return text.split("\n") if text else []


@dataclass(slots=True)
class _Work:
    """What a diff has used of its limits, and what it has to say of that."""

    limits: DiffLimits
    steps: int = 0
    exact: bool = True
    truncated: bool = False
    notes: list[str] = field(default_factory=list)
    _pair_cells: int = 0

    def note(self, text: str, *, exact: bool = False, truncated: bool = False) -> None:
        """Say once that a limit applied, and what became of the diff by it."""
        self.exact = self.exact and exact
        self.truncated = self.truncated or truncated
        if text not in self.notes:
            self.notes.append(text)

    def pair(self, old: Sequence[str], new: Sequence[str], change: Change) -> tuple[DiffLine, ...]:
        """The lines of a change: each removed line with the added one that is like it, in sequence."""
        removed, added = old[change.from_start : change.from_end], new[change.to_start : change.to_end]
        pairs: list[tuple[int, int]] = []
        cells = len(removed) * len(added)
        if cells and self._pair_cells + cells > self.limits.pair_cells:
            self.note(f"changed lines are not paired beyond {self.limits.pair_cells:,} cells", exact=True)
        elif cells:
            self._pair_cells += cells
            self.steps += cells
            pairs = _alike(removed, added)
        out: list[DiffLine] = []
        i = j = 0
        for at_old, at_new in [*pairs, (len(removed), len(added))]:
            out += [DiffLine("-", text) for text in removed[i:at_old]]
            out += [DiffLine("+", text) for text in added[j:at_new]]
            if at_old < len(removed) and at_new < len(added):
                out.append(self._changed(removed[at_old], added[at_new]))
            i, j = at_old + 1, at_new + 1
        return tuple(out)

    def _changed(self, old: str, new: str) -> DiffLine:
        tokens_old, tokens_new = _TOKEN.findall(old), _TOKEN.findall(new)
        if max(_size_in_words(tokens) for tokens in (tokens_old, tokens_new)) > self.limits.words:
            self.note(f"a changed line of more than {self.limits.words:,} words has no word diff")
            return DiffLine("~", from_=old, to=new)
        self.steps += len(tokens_old) * (len(tokens_new) // 64 + 1)
        return DiffLine("~", from_=old, to=new, words=tuple(_words(tokens_old, tokens_new)))


def _alike(removed: Sequence[str], added: Sequence[str]) -> list[tuple[int, int]]:
    """The pairs in sequence with the greatest sum of likeness, each at least half alike."""
    length = max(200, int((64 * _RATIO_STEPS / (len(removed) * len(added))) ** 0.5))
    likeness = process.cdist(
        [line[:length] for line in removed], [line[:length] for line in added],
        scorer=fuzz.ratio, score_cutoff=_ALIKE, dtype=np.float32,
    )  # fmt: skip
    best = np.zeros((len(removed) + 1, len(added) + 1), np.float32)
    for i, row in enumerate(likeness):
        paired = np.where(row > 0, best[i, :-1] + row, best[i, 1:])
        best[i + 1, 1:] = np.maximum.accumulate(np.maximum(paired, best[i, 1:]))
    pairs: list[tuple[int, int]] = []
    i, j = len(removed), len(added)
    while i and j:
        if best[i, j] == best[i - 1, j]:
            i -= 1
        elif best[i, j] == best[i, j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]


def _size_in_words(tokens: Sequence[str]) -> int:
    """The number of words; a line of little but punctuation counts by its marks."""
    return max(sum(1 for token in tokens if _WORD.match(token)), len(tokens) // _TOKENS_A_WORD)


def _words(old: list[str], new: list[str]) -> Iterator[WordPart]:
    numbers: dict[str, int] = {}
    x = [numbers.setdefault(token, len(numbers)) for token in old]
    y = [numbers.setdefault(token, len(numbers)) for token in new]
    i = j = 0
    for block in [one for one in Indel.opcodes(x, y) if one.tag == "equal"]:
        yield from _replaced(old[i : block.src_start], new[j : block.dest_start])
        yield WordPart(" ", "".join(old[block.src_start : block.src_end]))
        i, j = block.src_end, block.dest_end
    yield from _replaced(old[i:], new[j:])


def _replaced(old: list[str], new: list[str]) -> Iterator[WordPart]:
    if old:
        yield WordPart("-", "".join(old))
    if new:
        yield WordPart("+", "".join(new))


_Block = tuple[Change, tuple[DiffLine, ...]]


def _groups(blocks: Sequence[_Block]) -> Iterator[list[_Block]]:
    """The blocks whose contexts touch."""
    group: list[_Block] = []
    for block in blocks:
        if group and block[0].from_start - group[-1][0].from_end > 2 * CONTEXT:
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _hunk(old: Sequence[str], new: Sequence[str], group: Sequence[_Block]) -> DiffHunk:
    first, last = group[0][0], group[-1][0]
    before = min(CONTEXT, first.from_start)
    after = min(CONTEXT, len(old) - last.from_end)
    lines: list[DiffLine] = []
    at = first.from_start - before
    for change, block in group:
        lines += [DiffLine(" ", text) for text in old[at : change.from_start]]
        lines += block
        at = change.from_end
    lines += [DiffLine(" ", text) for text in old[at : at + after]]
    from_start, to_start = first.from_start - before, first.to_start - before
    from_lines, to_lines = last.from_end + after - from_start, last.to_end + after - to_start
    return DiffHunk(from_start + bool(from_lines), from_lines, to_start + bool(to_lines), to_lines, tuple(lines))


def _summary(lines: Iterable[DiffLine]) -> DiffSummary:
    counts = {"-": 0, "+": 0, "~": 0}
    words = {"-": 0, "+": 0}
    for line in lines:
        counts[line.op] += 1
        parts = line.words or ()
        if line.op != "~" and line.text is not None:
            words[line.op] += count_words(line.text)
        for part in parts:
            if part.op != " ":
                words[part.op] += count_words(part.text)
    return DiffSummary(counts["+"], counts["-"], counts["~"], words["+"], words["-"])


def count_words(text: str) -> int:
    """The words of a text; a character of a script without spaces is one."""
    return sum(1 for token in _TOKEN.findall(text) if _WORD.match(token))
