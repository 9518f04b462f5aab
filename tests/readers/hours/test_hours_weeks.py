"""Weeks as words and back, what has changed between two, and a second reader of the compact syntax."""

import pytest
from hours_lab import open_minutes, other_open_minutes
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers.hours import DAYS, Hours, compare_hours, describe_week, from_compact, from_text


@st.composite
def weeks(draw: st.DrawFn) -> dict[str, list[tuple[str, str]]]:
    """Weeks as a reader gives them: intervals in order, no one longer than a day."""
    week = {}
    for day in DAYS:
        if not draw(st.booleans()):
            continue
        edges = sorted(draw(st.lists(st.integers(0, 287), max_size=6, unique=True)))
        pairs = list(zip(edges[::2], edges[1::2], strict=False))
        if pairs and draw(st.booleans()):
            # the last one goes on past midnight, or ends at it
            start = pairs.pop()[0]
            pairs.append((start, 288 + draw(st.integers(0, max(0, min(start - 1, edges[0] - 1))))))
        week[day] = [(clock(a * 5), clock(b * 5)) for a, b in pairs]
    return week


def clock(minutes: int) -> str:
    minutes = minutes if minutes <= 1440 else minutes - 1440
    return f"{minutes // 60:02}:{minutes % 60:02}"


@given(weeks())
def test_the_words_of_a_week_read_back_to_it(week: dict[str, list[tuple[str, str]]]) -> None:
    hours = from_text(describe_week(week))

    assert hours.week == (week or None)
    assert not hours.inferred
    assert not hours.partial


@pytest.mark.parametrize(
    ("week", "words"),
    [
        ({}, ""),
        ({"mon": [("09:00", "17:00")], "tue": [("09:00", "17:00")], "wed": []}, "Mon, Tue 09:00-17:00; Wed closed"),
        ({day: [("07:00", "15:00")] for day in DAYS}, "Mon-Sun 07:00-15:00"),
        ({"sat": [("10:00", "12:00")]}, "Sat 10:00am-12:00pm"),
        ({"fri": [("18:00", "02:00"), ("12:00", "14:00")]}, "Fri 18:00-02:00, 12:00-14:00"),
        ({"mon": [("09:00", "12:00")], "wed": [("09:00", "12:00")]}, "Mon 09:00-12:00; Wed 09:00-12:00"),
    ],
)
def test_the_words(week: dict[str, list[tuple[str, str]]], words: str) -> None:
    assert describe_week(week) == words


def test_only_days_that_both_state_are_compared() -> None:
    kept = {"mon": [["9:00", "17:00"]], "tue": [["18:00", "24:00"]], "sat": [["08:00", "13:00"]]}
    reading = Hours({"mon": [("09:00", "17:00")], "tue": [("18:00", "00:00")], "sat": [], "sun": []})

    change = compare_hours(kept, reading)

    assert (change.status, change.days, change.added, change.skipped) == ("changed", ("sat",), ("sun",), ())


def test_the_order_of_intervals_is_no_change() -> None:
    kept = {"mon": [["18:00", "22:00"], ["12:00", "14:00"]]}

    assert compare_hours(kept, {"mon": [("12:00", "14:00"), ("18:00", "22:00")]}).status == "same"


def test_a_split_day_is_skipped_when_asked() -> None:
    kept = {"mon": [["12:00", "22:00"]], "tue": [["12:00", "22:00"]]}
    reading = {"mon": [("12:00", "14:00"), ("18:00", "22:00")], "tue": [("12:00", "22:00")]}

    change = compare_hours(kept, reading, skip_split=True)

    assert (change.status, change.days, change.skipped) == ("same", (), ("mon",))
    assert compare_hours(kept, reading).days == ("mon",)


@pytest.mark.parametrize("kept", [None, {}])
def test_nothing_kept_is_new(kept: dict[str, list[list[str]]] | None) -> None:
    change = compare_hours(kept, {"mon": [("09:00", "17:00")]})

    assert (change.status, change.added) == ("new", ("mon",))


@pytest.mark.parametrize("kept", [{"monday": []}, {"mon": [["25:00", "26:00"]]}])
def test_a_kept_week_that_is_none(kept: dict[str, list[list[str]]]) -> None:
    with pytest.raises(ValueError, match="is not"):
        compare_hours(kept, {})


@st.composite
def strict_values(draw: st.DrawFn) -> str:
    """Values of the strict syntax: rules with days and times."""
    names = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"]
    rules = []
    for _ in range(draw(st.integers(1, 4))):
        first, last = draw(st.tuples(st.integers(0, 6), st.integers(0, 6)))
        days = names[first] if first == last else f"{names[first]}-{names[last]}"
        edges = sorted(draw(st.lists(st.integers(0, 47), min_size=2, max_size=4, unique=True)))
        spans = [f"{clock(a * 30)}-{clock(b * 30)}" for a, b in zip(edges[::2], edges[1::2], strict=False)]
        rules.append(f"{days} {draw(st.sampled_from([','.join(spans), 'off']))}")
    return draw(st.sampled_from(["; ", ", "])).join(rules)


@given(strict_values())
def test_another_reader_of_the_strict_syntax_agrees(value: str) -> None:
    assert open_minutes(from_compact(value).week or {}) == other_open_minutes(value)
