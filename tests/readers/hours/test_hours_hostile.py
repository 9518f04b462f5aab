"""No input breaks a reader of hours, and a long one costs no more than its length."""

import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers.hours import DAYS, Hours, from_compact, from_schema_org, from_text, schedules

WORDS = [
    "Mon", "Tue-Thu", "Fri", "Sa,Su", "M-F", "MWF", "Mondays", "daily", "weekends", "PH", "Sa[1]",
    "bank holidays", "first Sunday of the month", "9am", "5pm", "9-5", "9am-5pm", "10:00-12:00", "22:00-02:00",
    "0900", "noon", "midnight", "late", "dusk", "sunset", "24 hours", "24/7", "closed", "off", "open",
    "closed 1-2pm", "by appointment", "until 8pm", "from", "to", "-", "–", "+", "and", "&", ",", ";", ".", "|",
    "||", "/", "(", ")", ":", "\n", "\t", "except", "but", "summer", "April to October", "Apr-Sep",
    "week 1-53/2", "Dec 25", "Christmas Day", "easter", "kitchen", "brunch", "happy hour", "lunch", "word",
    "12", "0", "26:00", '"x"', "\u200b", "\u00a0", "°",
]  # fmt: skip
KEYS = [
    "openingHours", "openingHoursSpecification", "specialOpeningHoursSpecification", "dayOfWeek", "opens", "closes",
    "validFrom", "validThrough", "@id", "@value", "name",
]  # fmt: skip
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 2600)
    | st.text(max_size=8)
    | st.sampled_from([*WORDS, "Monday", "09:00"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=12,
)


def assert_sound(hours: Hours) -> None:
    """A week has days of a week, each with intervals of two times, in their order; nothing says why."""
    if hours.week is None:
        assert hours.notes
        return
    assert list(hours.week) == [day for day in DAYS if day in hours.week]
    for pairs in hours.week.values():
        assert pairs == sorted(set(pairs))
        for start, end in pairs:
            assert "00:00" <= start <= "23:59"
            assert "00:00" <= end <= "24:00"


@given(st.lists(st.sampled_from(WORDS), max_size=14), st.sampled_from(["", " "]))
def test_words_of_hours_in_any_order(words: list[str], joint: str) -> None:
    text = joint.join(words)

    for hours in (from_text(text), from_compact(text), from_schema_org({"openingHours": text}), *schedules(text)):
        assert_sound(hours)


@given(st.text(max_size=80))
def test_any_text(text: str) -> None:
    for hours in (from_text(text), from_compact(text), from_schema_org({"openingHours": text})):
        assert_sound(hours)


@given(VALUES)
def test_any_record(value: Any) -> None:
    assert_sound(from_schema_org(value))
    assert_sound(from_schema_org({"openingHoursSpecification": value}))


def steps_of(run: Callable[[], object]) -> int:
    """The lines of the readers that a run goes through."""
    count = 0

    def trace(frame: FrameType, event: str, _arg: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace if "hours" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return count


UNITS = [
    "Mon 9am-5pm; ", "Mon, ", "M/", "9am-5pm ", "9am-5pm Mon ", "Mon & bank holidays ", "closed 1pm-2pm ",
    "except Tue ", "Mon 9-5 (until 8pm Thu) ", "Sat 9am-1pm by appointment only ", "Mon 9am-12pm; 2pm-5pm; ",
    "kitchen Mon 9am-5pm\n", "summer hours Mon 9am-5pm\n", "closed Mon, ", "and ", "(", "first ",
    "Mo 10:00-12:00 || ", "PH off; ", "Dec 25 off; ", "week 1-5 ", "Mo,", "10:00-12:00,", '"x" ',
    "Mon 9am-5pm; Tue 2-1; ", "From 1 June: Mon 9am-5pm\n",
]  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("read", [from_text, from_compact, lambda text: from_schema_org({"openingHours": text})])
def test_twice_the_text_takes_twice_the_steps(unit: str, read: Callable[[str], Hours]) -> None:
    once, twice = (steps_of(partial(read, unit * size)) for size in (40, 80))

    assert twice <= 2.2 * once + 200


@pytest.mark.parametrize("size", [10, 20])
def test_twice_the_specifications_take_twice_the_steps(size: int) -> None:
    one = {"dayOfWeek": ["Monday", "Fri-Su"], "opens": "09:00", "closes": "17:00"}
    records = [{"openingHoursSpecification": [one] * count} for count in (size, 2 * size)]
    once, twice = (steps_of(partial(from_schema_org, record)) for record in records)

    assert twice <= 2.2 * once + 200
