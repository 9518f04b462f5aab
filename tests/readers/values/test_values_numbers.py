"""Numbers in texts, with every meaning of their separators."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers.values.digits import ascii_digits
from polite_crawler.readers.values.numbers import (
    exact_number,
    number_names,
    parse_number,
    plain,
    read_numbers,
    separated_forms,
    stands_alone,
)
from polite_crawler.readers.values.steps import Steps

MEANINGS = [
    ("1234", ["1234"]),
    ("1,234", ["1234", "1.234"]),
    ("1.234", ["1234", "1.234"]),
    ("12,345", ["12345", "12.345"]),
    ("1234,567", ["1234.567"]),
    ("0.123", ["0.123"]),
    ("0,123", ["0.123"]),
    ("1,234.5", ["1234.5"]),
    ("1.234,5", ["1234.5"]),
    ("12,50", ["12.5"]),
    ("12.5", ["12.5"]),
    ("1,2345", ["1.2345"]),
    ("1,234,567", ["1234567"]),
    ("1.234.567", ["1234567"]),
    ("1,23,456", ["123456"]),
    ("12,34,567.80", ["1234567.8"]),
    ("1 234", ["1234"]),
    ("1\u00a0234\u202f567", ["1234567"]),
    ("1 234,50", ["1234.5"]),
    ("1 234.567", ["1234.567"]),
    ("1'234.50", ["1234.5"]),
    ("1’234", ["1234"]),
    ("1,234.567.8", []),
    ("1,23", ["1.23"]),
    ("1.2.3", []),
    ("1,2,3", []),
    ("12 34", []),
    ("1234 567", []),
]


@pytest.mark.parametrize(("run", "meanings"), MEANINGS)
def test_separators(run: str, meanings: list[str]) -> None:
    assert [form.meaning for form in separated_forms(run)] == meanings


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It costs 5 or 10.", [("5", ["5"]), ("10", ["10"])]),
        ("-5 to −3", [("-5", ["-5"]), ("−3", ["-3"])]),
        ("pages 10-12", [("10", ["10"]), ("12", ["12"])]),
        ("+7 degrees", [("+7", ["7"])]),
        (".5 and 0.5", [(".5", ["0.5"]), ("0.5", ["0.5"])]),
        ("1e3 and 1.5E-2", [("1e3", ["1000"]), ("1.5E-2", ["0.015"])]),
        ("5kg, A4, v2, 3D, x_7", [("5", ["5"]), ("3", ["3"])]),
        ("1,2,3 4", [("1", ["1"]), ("2", ["2"]), ("3", ["3"]), ("4", ["4"])]),
        ("10:30 and 03/04/2026", []),
        ("2026-03-04", []),
        ("version 1.2.3", []),
        ("12 345 visitors", [("12 345", ["12345"])]),
        ("rooms 12 34 56", [("12", ["12"]), ("34", ["34"]), ("56", ["56"])]),
        ("٤٫٥ and １２", [("٤٫٥", ["4.5"]), ("１２", ["12"])]),
        ("9" * 61, []),
        ("", []),
    ],
)
def test_numbers_of_a_text(text: str, found: list[tuple[str, list[str]]]) -> None:
    assert [(one.raw, list(one.meanings)) for one in read_numbers(text)] == found


@pytest.mark.parametrize(
    ("value", "meanings"),
    [("12", ("12",)), (" -12.50 ", ("-12.5",)), (".5", ("0.5",)), ("1,234", ("1234", "1.234")), ("1e3", ("1000",)),
     ("+5", ("5",)), ("--5", None), ("5 EUR", None), ("five", None), ("", None), ("1.2.3", None), ("5-", None)],
)  # fmt: skip
def test_a_value_is_one_number(value: str, meanings: tuple[str, ...] | None) -> None:
    reading = parse_number(value)
    assert (reading.meanings if reading else None) == meanings


def test_a_number_of_a_program_has_one_meaning() -> None:
    assert exact_number(1.234).meanings == ("1.234",)
    assert exact_number(1234).raw == "1234"
    assert exact_number(-0.5).raw == "-0.5"
    assert exact_number(1e30).meanings == ("1" + "0" * 30,)
    with pytest.raises(ValueError, match="no finite number"):
        exact_number(float("nan"))


@pytest.mark.parametrize(
    ("one", "other", "names"),
    [
        ("1234.5", "1,234.5", {"thousands-separator"}),
        ("1234.5", "1.234,5", {"thousands-separator", "decimal-comma"}),
        ("12.5", "12,50", {"decimal-comma", "number-form"}),
        ("12", "12.0", {"number-form"}),
        ("007", "7", {"number-form"}),
        ("12", "12", set()),
    ],
)
def test_names(one: str, other: str, names: set[str]) -> None:
    first, second = separated_forms(one)[0], separated_forms(other)[0]
    assert number_names(first, second) == number_names(second, first) == names


@pytest.mark.parametrize(
    ("text", "value", "alone"),
    [("12", "12", True), ("12.50", "12", False), ("112", "12", False), ("12 500", "12", True), ("12.", "12", True),
     ("(12)", "12", True), ("-12", "12", False), ("10-12", "12", True), ("12\u00a0500", "12", False),
     ("12kg", "12", True), ("A12", "12", False), ("1e12", "1", False), ("1,12", "12", False)],
)  # fmt: skip
def test_stands_alone(text: str, value: str, alone: bool) -> None:
    start = text.rindex(value) if value != "1" else 0
    assert stands_alone(text, start, start + len(value)) is alone


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**20), max_value=10**20))
def test_a_plain_decimal_has_its_own_meaning(number: object) -> None:
    text = format(number, ",.3f").replace(",", "\u00a0")  # type: ignore[str-format]
    (reading,) = read_numbers(text)
    assert reading.meanings[-1] == plain(number)  # type: ignore[arg-type]
    assert reading.raw == text


@given(st.text(st.sampled_from("0123456789.,' -−+eE/:aA_٣\u00a0"), max_size=40))
def test_readings_stand_in_sequence(text: str) -> None:
    last = 0
    for reading in read_numbers(text):
        assert last <= reading.start < reading.end <= len(text)
        assert text[reading.start : reading.end] == reading.raw
        assert reading.forms
        last = reading.end


def test_digits_of_all_scripts_keep_their_places() -> None:
    text = "٣ ३ ３ ๓ x²"
    assert ascii_digits(text) == "3 3 3 3 x²"
    assert len(ascii_digits(text)) == len(text)


def test_steps_are_linear() -> None:
    def count(size: int) -> int:
        steps = Steps()
        text = "1,234 12.5 1 234 567 0x1 10:30 " * size
        assert list(read_numbers(text, steps))
        return steps.count

    assert count(4000) <= 4.1 * count(1000)
