"""Dates: each meaning of a spelling, and no guess."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers.values.dates import date_names, date_stands_alone, parse_date, read_dates
from polite_crawler.readers.values.months import MONTH_NAMES, bare_letters
from polite_crawler.readers.values.steps import Steps

MARCH = "2026-03-04"


@pytest.mark.parametrize(
    ("text", "meanings"),
    [
        ("2026-03-04", [MARCH]), ("2026/3/4", [MARCH]), ("2026.03.04", [MARCH]), ("04.03.2026", [MARCH]),
        ("4. 3. 2026", [MARCH]), ("4.3.26", [MARCH]), ("03/04/2026", ["2026-04-03", MARCH]),
        ("03-04-2026", ["2026-04-03", MARCH]), ("17/10/2026", ["2026-10-17"]), ("10/17/2026", ["2026-10-17"]),
        ("17/10/26", ["2026-10-17"]), ("03/03/2026", ["2026-03-03"]), ("31/02/2026", []), ("2026-13-01", []),
        ("10.17.2026", ["2026-10-17"]), ("01/02/1999", ["1999-02-01", "1999-01-02"]), ("17/10/99", ["1999-10-17"]),
        ("4 March 2026", [MARCH]), ("4th of March, 2026", [MARCH]), ("March 4, 2026", [MARCH]),
        ("March 4th 2026", [MARCH]), ("Mar. 4, 2026", [MARCH]), ("MARCH 4 2026", [MARCH]), ("4-Mar-2026", [MARCH]),
        ("4-Mar-26", [MARCH]), ("4 March '26", [MARCH]), ("4 March 26.", [MARCH]), ("4 March 26 people", []),
        ("2026 March 4", [MARCH]),
        ("4. März 2026", [MARCH]), ("4 mars 2026", [MARCH]), ("1er mars 2026", ["2026-03-01"]),
        ("4 de marzo de 2026", [MARCH]), ("4 marzo 2026", [MARCH]), ("4 de março de 2026", [MARCH]),
        ("4 maart 2026", [MARCH]), ("4. března 2026", [MARCH]), ("4 marca 2026", [MARCH]), ("4 марта 2026 г.", [MARCH]),
        ("4 Mart 2026", [MARCH]), ("2026年3月4日", [MARCH]), ("2026년 3월 4일", [MARCH]),
        ("4 d'abril 2026", ["2026-04-04"]),
        ("3 d’octubre de 2026", ["2026-10-03"]), ("4 December 2026", ["2026-12-04"]),
        ("4 listopada 2026", ["2026-10-04", "2026-11-04"]), ("٤ مارس", []), ("March 4", []), ("March 2026", []),
        ("1.2.3.4", []), ("192.168.1.1", []), ("12026-03-04", []), ("2026-03-045", []), ("4 Foo 2026", []),
        ("on 29 February 2026", []), ("29 February 2024", ["2024-02-29"]),
    ],
)  # fmt: skip
def test_meanings(text: str, meanings: list[str]) -> None:
    assert [one for reading in read_dates(text) for one in reading.meanings] == meanings


def test_a_reading_stands_at_its_place() -> None:
    text = "From 4 March 2026 (04.03.2026) to March 5, 2026."
    found = sorted((one.start, one.raw) for one in read_dates(text))
    assert found == [(5, "4 March 2026"), (19, "04.03.2026"), (34, "March 5, 2026")]


@pytest.mark.parametrize(
    ("value", "meanings"),
    [(" 2026-03-04 ", (MARCH,)), ("03/04/2026", ("2026-04-03", MARCH)), ("2026-03-04T10:00", None), ("March 4", None),
     ("on 4 March 2026", None), ("", None), ("x" * 100, None)],
)  # fmt: skip
def test_a_value_is_one_date(value: str, meanings: tuple[str, ...] | None) -> None:
    reading = parse_date(value)
    assert (reading.meanings if reading else None) == meanings


@pytest.mark.parametrize(
    ("value", "there", "names"),
    [
        (MARCH, "March 4, 2026", {"month-name"}),
        (MARCH, "04.03.2026", {"date-order"}),
        (MARCH, "4.3.26", {"date-order", "two-digit-year"}),
        (MARCH, "4 March '26", {"month-name", "two-digit-year"}),
        ("4 March 2026", "March 4, 2026", {"date-order"}),
        ("4 March 2026", "4 Mar 2026", {"month-name"}),
        ("4 March 2026", "4 MARCH 2026", {"case"}),
        ("4 March 2026", "4  March 2026", {"white-space"}),
        ("4 March 2026", "4th March 2026", {"number-form"}),
        (MARCH, "2026/03/04", {"date-order"}),
        (MARCH, "2026-3-4", {"number-form"}),
    ],
)
def test_names(value: str, there: str, names: set[str]) -> None:
    one, other = parse_date(value), parse_date(there)
    assert one
    assert other
    assert date_names(one.forms[0], other.forms[0], one.raw, other.raw) == names


@pytest.mark.parametrize(
    ("text", "value", "alone"),
    [("on 4.3.2026.", "4.3.2026", True), ("14.3.2026", "4.3.2026", False), ("4.3.20261", "4.3.2026", False),
     ("2026-03-04T10:00", MARCH, True), ("1-2026-03-04", MARCH, False), ("March 45", "March 4", False),
     ("xMarch 4", "March 4", False), ("March 4, 2026", "March 4", True), ("2026-03-04-05", MARCH, False),
     ("4 Marches", "4 March", False)],
)  # fmt: skip
def test_stands_alone(text: str, value: str, alone: bool) -> None:
    start = text.index(value)
    assert date_stands_alone(text, start, start + len(value)) is alone


@given(st.dates(date(1970, 1, 1), date(2068, 12, 31)))
def test_iso_and_named_dates_have_one_meaning(day: date) -> None:
    for text in (day.isoformat(), f"{day:%d.%m.%Y}", f"{day:%B} {day.day}, {day.year}", f"{day:%d-%b-%y}"):
        reading = parse_date(text)
        assert reading is not None
        assert reading.meanings == (day.isoformat(),)


@given(st.text(st.sampled_from("0123456789-/. ,'MarchJuneof年月日th"), max_size=40))
def test_readings_are_parts_of_the_text(text: str) -> None:
    for reading in read_dates(text):
        assert text[reading.start : reading.end] == reading.raw
        assert 0 <= reading.start < reading.end
        assert all(date.fromisoformat(meaning) for meaning in reading.meanings)


def test_names_of_months_are_bare_letters() -> None:
    assert all(name == bare_letters(name) for name in MONTH_NAMES)
    assert MONTH_NAMES["listopada"] == (10, 11)
    assert [name for name, months in MONTH_NAMES.items() if len(months) > 2] == []


def test_steps_are_linear() -> None:
    def count(size: int) -> int:
        steps = Steps()
        text = "4 March 2026 1/2/3 4 4 4 March March 2026-03-04 12345678 " * size
        assert list(read_dates(text, steps))
        return steps.count

    assert count(2000) <= 4.1 * count(500)
