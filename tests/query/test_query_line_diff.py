"""The line diff: minimal, applicable, linear while the change is small."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Indel

from polite_crawler.query import line_diff
from polite_crawler.query.line_diff import LineDiff, diff_lines

LINES = st.lists(st.integers(0, 5), max_size=25)


def applied(old: list[int], new: list[int], diff: LineDiff) -> list[int]:
    out: list[int] = []
    at = 0
    for change in diff.changes:
        out += old[at : change.from_start] + new[change.to_start : change.to_end]
        at = change.from_end
    return out + old[at:]


def edits(diff: LineDiff) -> int:
    return sum(one.from_end - one.from_start + one.to_end - one.to_start for one in diff.changes)


@given(LINES, LINES)
def test_minimal_by_the_greedy_algorithm(old: list[int], new: list[int]) -> None:
    diff = diff_lines(old, new)
    assert applied(old, new, diff) == new
    assert diff.minimal
    assert edits(diff) == Indel.distance(old, new)


@given(LINES, LINES)
def test_minimal_by_the_bit_parallel_algorithm(old: list[int], new: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_diff, "_GREEDY_CHANGES", 1)
        diff = diff_lines(old, new)
    assert applied(old, new, diff) == new
    assert edits(diff) == Indel.distance(old, new)


@given(LINES, LINES)
def test_beyond_the_cells_it_is_applicable_and_says_so(old: list[int], new: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_diff, "_GREEDY_CHANGES", 0)
        diff = diff_lines(old, new, max_cells=4)
    assert applied(old, new, diff) == new
    assert diff.minimal or edits(diff) >= Indel.distance(old, new)


def test_anchors_keep_what_each_side_has_one_time() -> None:
    old = [0, 0, 1, 0, 0, 2, 0, 3, 0]
    new = [3, 1, 0, 2, 0, 0, 0, 0, 3]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_diff, "_GREEDY_CHANGES", 0)
        diff = diff_lines(old, new, max_cells=0)
    assert not diff.minimal
    assert applied(old, new, diff) == new
    assert edits(diff) < len(old) + len(new)


def test_equal_and_empty_sides() -> None:
    assert diff_lines([1, 2], [1, 2]).changes == ()
    assert edits(diff_lines([], [1, 2])) == 2
    assert edits(diff_lines([1, 2], [])) == 2
    assert diff_lines([], []).steps == 0


def test_steps_are_linear_while_the_change_is_small() -> None:
    def steps(size: int) -> int:
        old = [f"line {number % (size // 2)}" for number in range(size)]
        new = ["first", *old[1 : size // 2], *old[size // 2 + 3 : -1], "last"]
        return diff_lines(old, new).steps

    assert steps(8000) <= 4.2 * steps(2000)


def test_steps_of_a_large_change_are_bounded_by_the_cells() -> None:
    picks = random.Random(3)
    old = [picks.randrange(40) for _ in range(1000)]
    new = [picks.randrange(40) for _ in range(1000)]
    diff = diff_lines(old, new)
    assert diff.minimal
    assert diff.steps <= 1000 * 1000 // 64 + 30 * 2000
