"""Opening hours as people write them, beside the shared facts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers.hours import describe_week, from_compact, from_schema_org, from_text, schedules

TEXTS = {
    "We are at 5 Main St. Open Mon-Fri 9am-5pm. Come visit us!": "Mon-Fri 09:00-17:00",
    "Lunch Mon-Fri 12-2:30pm, Dinner Mon-Sat 6-10pm": "Mon-Fri 12:00-14:30, 18:00-22:00; Sat 18:00-22:00",
    "Daily 10am-5pm; Fridays 10am-8pm": "Mon-Thu 10:00-17:00; Fri 10:00-20:00; Sat, Sun 10:00-17:00",
    "Monday\n9:00 AM – 5:00 PM\nTuesday\n10:00 AM – 6:00 PM\nSunday\nClosed": (
        "Mon 09:00-17:00; Tue 10:00-18:00; Sun closed"
    ),
    "Monday | 9am - 5pm | Tuesday | 10am - 4pm": "Mon 09:00-17:00; Tue 10:00-16:00",
    "Mon, Wed & Fri 7am–noon": "Mon 07:00-12:00; Wed 07:00-12:00; Fri 07:00-12:00",
    "Open daily except Tuesdays 12pm-10pm": "Mon 12:00-22:00; Tue closed; Wed-Sun 12:00-22:00",
    "Sat & Sun between 9am and 5pm": "Sat, Sun 09:00-17:00",
    "Last orders 9pm. Mon-Sun 12pm-10pm": "Mon-Sun 12:00-22:00",
    "9am-5pm Monday to Friday": "Mon-Fri 09:00-17:00",
    "Mon-Fri 10:00-24:00": "Mon-Fri 10:00-24:00",
    "Mon-Fri 24 hours": "Mon-Fri 00:00-24:00",
    "Monday-Friday: 09h00 - 17h30": "Mon-Fri 09:00-17:30",
    "Mon 9a-5p": "Mon 09:00-17:00",
    "Closed on Mondays and Tuesdays": "Mon, Tue closed",
    "Call 555 1234. Sat 10am-2pm": "Sat 10:00-14:00",
}
GUESSED = {
    "Hours: M-Th 11-9, F-Sa 11-10, Su 12-8": "Mon-Thu 11:00-21:00; Fri, Sat 11:00-22:00; Sun 12:00-20:00",
    "Mon to Fri 9 to 5": "Mon-Fri 09:00-17:00",
    "Mon-Fri 7-3": "Mon-Fri 07:00-15:00",
    "Mon-Fri: 6-2": "Mon-Fri 06:00-14:00",
    "Sat 5-2": "Sat 17:00-02:00",
    "Fri 6-10": "Fri 18:00-22:00",
}


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_written(text: str) -> None:
    hours = from_text(text)

    assert describe_week(hours.week or {}) == TEXTS[text]
    assert not hours.inferred


@pytest.mark.parametrize("text", GUESSED)
def test_what_is_guessed_says_so(text: str) -> None:
    hours = from_text(text)

    assert describe_week(hours.week or {}) == GUESSED[text]
    assert hours.inferred


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sunday 4 May 10am-4pm",
        "On Monday 12 people walked 5-10 km",
        "The sun rose; 9 to 5 is a film",
        "Wed 2026-06-03 10am-4pm",
        "Mon-Fri $5-10",
        "Sat 3-5 years",
    ],
)
def test_no_week(text: str) -> None:
    hours = from_text(text)

    assert hours.week is None
    assert not hours.partial


@pytest.mark.parametrize(
    ("text", "season", "label", "words"),
    [
        ("Mon-Fri 10am-5pm (April to October)", "April to October", None, "Mon-Fri 10:00-17:00"),
        ("Kitchen hours\nMon-Fri 12-9pm\nSat 12-10pm", None, "kitchen", "Mon-Fri 12:00-21:00; Sat 12:00-22:00"),
        ("Take-away Mon 12pm-9pm", None, "takeaway", "Mon 12:00-21:00"),
    ],
)
def test_seasons_and_labels(text: str, season: str | None, label: str | None, words: str) -> None:
    hours = from_text(text)

    assert (hours.season, hours.label, describe_week(hours.week or {})) == (season, label, words)


def test_each_schedule_is_a_reading_of_its_own() -> None:
    text = "Summer hours: Mon-Fri 9am-7pm\nWinter hours: Mon-Fri 9am-5pm\nBrunch Sat 10am-1pm"
    found = [(one.season, one.label, describe_week(one.week or {})) for one in schedules(text)]

    assert found == [
        ("Summer hours", None, "Mon-Fri 09:00-19:00"),
        ("Winter hours", None, "Mon-Fri 09:00-17:00"),
        ("Winter hours", "brunch", "Sat 10:00-13:00"),
    ]


@pytest.mark.parametrize(
    ("value", "words", "season"),
    [
        ("Mo-Fr 09:00-17:00; PH off", "Mon-Fri 09:00-17:00; Sat, Sun closed", None),
        ("Mo-Fr 17:00+", "Sat, Sun closed", None),
        ("Mo-Sa 08:00-18:00+", "Mon-Sat 08:00-18:00; Sun closed", None),
        ("sunrise-sunset", "", None),
        ("Mo-Fr 10:00-18:00; Dec 25 off", "Mon-Fri 10:00-18:00; Sat, Sun closed", None),
        ("Apr-Oct: Mo-Su 10:00-18:00; Nov-Mar: Sa 11:00-15:00", "Mon-Sun 10:00-18:00", "Apr-Oct"),
    ],
)
def test_what_no_week_can_say_is_partial(value: str, words: str, season: str | None) -> None:
    hours = from_compact(value)

    assert describe_week(hours.week or {}) == words
    assert hours.partial
    assert hours.season == season


@pytest.mark.parametrize("value", ["", "hello", "2026", "9", "Mo-Fr 09:00-17:00 <b>", "Mo 25:99-30:00", "-"])
def test_what_is_no_compact_value(value: str) -> None:
    assert from_compact(value).week is None


@pytest.mark.parametrize("obj", [None, 1, "Mo-Fr", [], {}, {"openingHours": None}, {"openingHoursSpecification": [1]}])
def test_what_is_no_record(obj: object) -> None:
    assert from_schema_org(obj).week is None


def test_midnight_to_midnight_is_closed_and_says_so() -> None:
    hours = from_schema_org({"openingHoursSpecification": {"dayOfWeek": "Monday", "opens": "00:00", "closes": "00:00"}})

    assert hours.week == {"mon": []}
    assert hours.notes


def test_a_list_of_texts_is_one_week() -> None:
    hours = from_schema_org({"openingHours": ["Mo-Fr 09:00-17:00", "Sa 10:00-12:00", "see the door"]})

    assert describe_week(hours.week or {}) == "Mon-Fri 09:00-17:00; Sat 10:00-12:00"
    assert hours.partial


@given(st.text(alphabet="Mon-Fr9amp:;, 12tilSuwe\n()", max_size=60))
def test_no_text_breaks_a_reader(text: str) -> None:
    for hours in (from_text(text), from_compact(text), from_schema_org({"openingHours": text})):
        assert hours.week is None or describe_week(hours.week) is not None


@pytest.mark.parametrize("unit", [" ", "first, ", "Mon ", "9-5 ", "Mon, ", "public ", "jan 1 to ", "24 hours a day "])
def test_a_long_text_ends(unit: str) -> None:
    """Where a pattern takes quadratic time, this takes longer than a test may."""
    text = unit * (200_000 // len(unit))

    assert from_compact(text).inferred is False
    assert isinstance(from_text(text).partial, bool)
