"""The diff of two texts: hunks, pairs, words, limits."""

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.query.text_diff import (
    CONTEXT,
    DiffHunk,
    DiffLimits,
    DiffLine,
    DiffSummary,
    TextDiff,
    diff_texts,
    lines_of,
)

HOURS = "Hours\nMon 9-17\nTue 9-17\nWed closed\n\nPrices\nBread 4.50 EUR\nCake 3 EUR\na\nb\nc\nd\nend"
LATER = "Hours\nMon 9-18\nTue 9-17\nWed closed\nThu 9-17\n\nPrices\nBread 4.80 EUR\na\nb\nc\nd\nend\nnew"

WORDS = st.lists(st.sampled_from(["a", "b c", "", "price 4", "price 5", "long line here", "日本語"]), max_size=20)
TEXTS = st.one_of(WORDS.map("\n".join), st.text(st.sampled_from("ab \n"), max_size=30))


def applied(text: str, diff: TextDiff) -> str:
    """The hunks applied as `patch` does: the old lines of each hunk must stand where it says."""
    old = lines_of(text)
    out: list[str] = []
    at = 0
    for hunk in diff.hunks:
        start = hunk.from_start - 1 if hunk.from_lines else hunk.from_start
        out += old[at:start]
        assert [line.text if line.op != "~" else line.from_ for line in hunk.lines if line.op != "+"] == (
            old[start : start + hunk.from_lines]
        )
        added = [line.text if line.op != "~" else line.to for line in hunk.lines if line.op != "-"]
        assert len(added) == hunk.to_lines
        assert len(out) == (hunk.to_start - 1 if hunk.to_lines else hunk.to_start)
        out += [line for line in added if line is not None]
        at = start + hunk.from_lines
    return "\n".join(out + old[at:])


def shown(hunk: DiffHunk) -> list[str]:
    return [line_text(line) for line in hunk.lines]


def line_text(line: DiffLine) -> str:
    if line.op != "~":
        return f"{line.op}{line.text}"
    marks = {" ": "{}", "-": "[-{}-]", "+": "{{+{}+}}"}
    return "~" + "".join(marks[part.op].format(part.text) for part in line.words or ())


def test_hunks_of_a_page() -> None:
    diff = diff_texts(HOURS, LATER)
    assert [shown(hunk) for hunk in diff.hunks] == [
        [
            " Hours", "~Mon 9-[-17-]{+18+}", " Tue 9-17", " Wed closed", "+Thu 9-17", " ", " Prices",
            "~Bread [-4.50-]{+4.80+} EUR", "-Cake 3 EUR", " a", " b",
        ],
        [" d", " end", "+new"],
    ]  # fmt: skip
    starts = [(hunk.from_start, hunk.from_lines, hunk.to_start, hunk.to_lines) for hunk in diff.hunks]
    assert starts == [(1, 10, 1, 10), (12, 2, 12, 3)]
    assert diff.summary == DiffSummary(2, 1, 2, 6, 5, 0)
    assert (diff.exact, diff.truncated, diff.notes) == (True, False, ())


@given(TEXTS, TEXTS)
def test_the_diff_applied_to_from_gives_to(old: str, new: str) -> None:
    diff = diff_texts(old, new)
    assert applied(old, diff) == new
    assert diff.exact
    assert bool(diff.hunks) == (old != new)


@given(TEXTS, TEXTS)
def test_words_make_up_both_lines(old: str, new: str) -> None:
    for hunk in diff_texts(old, new).hunks:
        for line in hunk.lines:
            if line.op == "~":
                assert line.words is not None
                assert "".join(part.text for part in line.words if part.op != "+") == line.from_
                assert "".join(part.text for part in line.words if part.op != "-") == line.to
                assert line.from_ != line.to


@given(TEXTS, TEXTS)
def test_a_hunk_has_two_lines_of_context_and_no_more(old: str, new: str) -> None:
    for hunk in diff_texts(old, new).hunks:
        runs = [(same, len(list(run))) for same, run in groupby(line.op == " " for line in hunk.lines)]
        assert all(length <= CONTEXT for same, length in (runs[0], runs[-1]) if same)
        assert all(length <= 2 * CONTEXT for same, length in runs[1:-1] if same)


@pytest.mark.parametrize(
    ("old", "new", "places"),
    [
        ("", "a", (0, 0, 1, 1)),
        ("a", "", (1, 1, 0, 0)),
        ("a", "a\n", (1, 1, 1, 2)),
        ("\n", "a\n", (1, 2, 1, 2)),
    ],
)
def test_line_numbers_are_those_of_a_unified_diff(old: str, new: str, places: tuple[int, ...]) -> None:
    (hunk,) = diff_texts(old, new).hunks
    assert (hunk.from_start, hunk.from_lines, hunk.to_start, hunk.to_lines) == places


def test_lines_pair_with_the_like_ones_in_sequence() -> None:
    old = "alpha beta gamma one\nsomething else entirely\ndelta epsilon zeta two"
    new = "alpha beta gamma ONE\ndelta epsilon zeta TWO\n12345"
    (hunk,) = diff_texts(old, new).hunks
    assert shown(hunk) == [
        "~alpha beta gamma [-one-]{+ONE+}",
        "-something else entirely",
        "~delta epsilon zeta [-two-]{+TWO+}",
        "+12345",
    ]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("今日は雨です", "今日は晴れです", "~今日は[-雨-]{+晴れ+}です"),
        ("open 9:00 to 17:00", "open 9:30 to 17:00", "~open [-9:00-]{+9:30+} to 17:00"),
        ("the end.", "the end!", "~the end[-.-]{+!+}"),
        ("a  b c d e f", "a b c d e f", "~a[-  -]{+ +}b c d e f"),
    ],
)
def test_words(old: str, new: str, line: str) -> None:
    (hunk,) = diff_texts(old, new).hunks
    assert shown(hunk) == [line]


def test_a_limit_of_lines() -> None:
    old = "\n".join("abcdefgh")
    diff = diff_texts(old, old + "\nnew", limits=DiffLimits(lines=5))
    assert diff.truncated
    assert not diff.exact
    assert diff.hunks == ()
    assert diff.notes == ("only the first 5 lines of each side are compared",)


def test_a_limit_of_cells() -> None:
    old = "\n".join(f"{number % 7} {number % 5}" for number in range(200))
    new = "\n".join(f"{number % 5} {number % 7}" for number in range(200))
    diff = diff_texts(old, new, limits=DiffLimits(cells=10))
    assert not diff.exact
    assert diff.notes[0] == "the line diff is not minimal: more than 10 cells"
    assert applied(old, diff) == new


def test_a_limit_of_cells_to_pair() -> None:
    diff = diff_texts("price 1\nprice 2", "price 3\nprice 4", limits=DiffLimits(pair_cells=3))
    assert (diff.summary.lines_changed, diff.summary.lines_added, diff.summary.lines_removed) == (0, 2, 2)
    assert (diff.exact, diff.truncated) == (True, False)
    assert diff.notes == ("changed lines are not paired beyond 3 cells",)


def test_a_limit_of_words() -> None:
    old = "word " * 30
    diff = diff_texts(old, old + "more", limits=DiffLimits(words=20))
    (line,) = diff.hunks[0].lines
    assert (line.op, line.from_, line.words) == ("~", old, None)
    assert not diff.exact
    assert diff.notes == ("a changed line of more than 20 words has no word diff",)


def test_a_limit_of_words_counts_marks_too() -> None:
    old = "!?" * 6000
    diff = diff_texts(old, old + ".")
    assert diff.hunks[0].lines[0].words is None
    assert not diff.exact


def test_a_limit_of_hunks() -> None:
    old = "\n".join(str(number) for number in range(100))
    new = old.replace("5", "five")
    diff = diff_texts(old, new, limits=DiffLimits(hunks=3))
    assert len(diff.hunks) == 3
    assert (diff.truncated, diff.exact) == (True, True)
    assert diff.notes[0].startswith("only the first 3 of ")
    assert diff.summary == diff_texts(old, new).summary


def test_very_long_lines_are_paired_by_a_part_of_them() -> None:
    old = "\n".join("x" * 3000 + str(number) for number in range(40))
    new = "\n".join("x" * 3000 + str(number) + "!" for number in range(40))
    assert diff_texts(old, new).summary.lines_changed == 40


def test_steps_do_not_depend_on_the_computer() -> None:
    assert diff_texts(HOURS, LATER).steps == diff_texts(HOURS, LATER).steps > 0
    assert diff_texts(HOURS, HOURS).steps == 2 * len(lines_of(HOURS))
