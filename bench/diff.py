"""diff: 10,000 lines against difflib with autojunk off, and whether the result is minimal.

The lines are source code of this Python's library: like pages, it repeats many lines. The peer of minimality is the
edit distance of rapidfuzz.
"""

import random
import sysconfig
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path

from harness import Bar, Options, Report, main, medians
from rapidfuzz.distance import Indel

from polite_crawler.query.line_diff import diff_lines
from polite_crawler.query.text_diff import diff_texts

LINES = 10_000


def measure(options: Options) -> Report:
    """The bars of the bench."""
    old = _source(LINES)
    picks = random.Random(options.seed)
    cases = {
        "one line in a hundred": _changed(old, 0.01, picks),
        "one line in ten": _changed(old, 0.1, picks),
        "half of the lines": _changed(old, 0.5, picks),
        "shuffled": picks.sample(old, len(old)),
    }
    ratios: dict[str, float] = {}
    rows: list[tuple[str, object]] = []
    excess = 0.0
    for name, new in cases.items():
        times = medians(
            max(2, options.rounds - 1),
            ours=lambda new=new: diff_lines(old, new),  # type: ignore[misc]
            peer=lambda new=new: SequenceMatcher(None, old, new, autojunk=False).get_opcodes(),  # type: ignore[misc]
            whole=lambda new=new: diff_texts("\n".join(old), "\n".join(new)),  # type: ignore[misc]
        )
        ratios[name] = times["ours"] / times["peer"]
        excess = max(excess, _edits(old, new) / max(1, Indel.distance(_ids(old, old), _ids(old, new))))
        rows.append((f"{name}: lines, ms", round(times["ours"] * 1000, 1)))
        rows.append((f"{name}: difflib, ms", round(times["peer"] * 1000, 1)))
        rows.append((f"{name}: hunks, pairs and words, ms", round(times["whole"] * 1000, 1)))
    bars = [Bar(f"{name}: <= 1/10 of difflib without autojunk", ratio, "<=", 0.1) for name, ratio in ratios.items()]
    bars.append(Bar("minimal: edits over the edit distance", excess, "<=", 1))
    bars.append(Bar("4x the lines with the same small change <= 4.2x the steps", _step_growth(), "<=", 4.2))
    return Report(tuple(bars), rows=tuple(rows))


def _source(count: int) -> list[str]:
    lines: list[str] = []
    for file in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        lines += file.read_text("utf-8", "replace").split("\n")
        if len(lines) >= count:
            break
    return lines[:count]


def _changed(lines: Sequence[str], share: float, picks: random.Random) -> list[str]:
    out: list[str] = []
    for line in lines:
        roll = picks.random() / share
        if roll < 1 / 3:
            continue
        out.append(line + " # changed" if roll < 2 / 3 else line)
        if 2 / 3 <= roll < 1:
            out.append(f"added = {picks.random()}")
    return out


def _edits(old: Sequence[str], new: Sequence[str]) -> int:
    changes = diff_lines(old, new).changes
    return sum(one.from_end - one.from_start + one.to_end - one.to_start for one in changes)


def _ids(base: Sequence[str], lines: Sequence[str]) -> list[int]:
    numbers = {line: index for index, line in enumerate(dict.fromkeys(base))}
    return [numbers.get(line, hash(line) | 1 << 62) for line in lines]


def _step_growth() -> float:
    def steps(size: int) -> int:
        old = [f"line {number % (size // 3)}" for number in range(size)]
        return diff_lines(old, ["first", *old[1 : size // 2], *old[size // 2 + 2 : -1], "last"]).steps

    return steps(4 * LINES) / steps(LINES)


if __name__ == "__main__":
    main("diff", measure, versions=("rapidfuzz",))
