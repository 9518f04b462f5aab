"""Durations and ages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polite_crawler.errors import BadOption
from polite_crawler.rules.durations import MaxAge, max_age, seconds


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("90s", 90.0), ("10m", 600.0), ("24h", 86_400.0), ("7d", 604_800.0), ("2w", 1_209_600.0), ("250ms", 0.25),
        ("1h30m", 5400.0), ("1h 30m", 5400.0), ("1.5h", 5400.0), (" 10M ", 600.0), ("0", 0.0), ("0s", 0.0), (0, 0.0),
        ("90", 90.0), ("1.25", 1.25), (3, 3.0), (2.5, 2.5), ("3650d", 315_360_000.0),
    ],
)  # fmt: skip
def test_durations(value: str | float, expected: float) -> None:
    assert seconds(value) == expected


BAD = [
    "", " ", "x", "-1", "1y", "10 minutes", "m", "1h-30m", "٣s", "1e3", "inf", "nan", "9" * 40, "99999999d", "1..5s",
    -1, -0.5, float("inf"), float("nan"), 10**18, True, False, None, [], b"10s",
]  # fmt: skip


@pytest.mark.parametrize("value", BAD)
def test_what_is_no_duration_is_one_clear_line(value: object) -> None:
    with pytest.raises(BadOption) as caught:
        seconds(value, "POLITE_MAX_WAIT")  # type: ignore[arg-type]
    assert str(caught.value).startswith("POLITE_MAX_WAIT: ")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("24h", MaxAge("fixed", 86_400.0)), (0, MaxAge("fixed")), ("0", MaxAge("fixed")), ("auto", MaxAge("auto")),
        (" Auto ", MaxAge("auto")), ("stored", MaxAge("stored")), (MaxAge("stored"), MaxAge("stored")),
    ],
)  # fmt: skip
def test_max_age(value: str | int | MaxAge, expected: MaxAge) -> None:
    assert max_age(value) == expected


@pytest.mark.parametrize("value", ["never", "", -1, "autos", None])
def test_a_bad_age_says_what_else_there_is(value: object) -> None:
    with pytest.raises(BadOption, match='"auto" or "stored"'):
        max_age(value, "POLITE_MAX_AGE")  # type: ignore[arg-type]


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(max_size=20), st.floats(), st.integers()))
def test_any_value_is_seconds_or_refused(value: str | float) -> None:
    try:
        found = seconds(value)
    except BadOption:
        return
    assert 0 <= found <= 100 * 366 * 86_400
