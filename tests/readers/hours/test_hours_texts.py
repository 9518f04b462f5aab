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
    "08:00-18:00 Mo-Fr": "Mon-Fri 08:00-18:00",
    "10am-5pm Sa,Su. We are here": "Sat, Sun 10:00-17:00",
    "24 hours Mo - Fr": "Mon-Fri 00:00-24:00",
    "Closed on Mondays and Tuesdays": "Mon, Tue closed",
    "Call 555 1234. Sat 10am-2pm": "Sat 10:00-14:00",
    "Closed Mondays. Tue-Sun 9am-5pm": "Mon closed; Tue-Sun 09:00-17:00",
    "Closed Mon. Open Tue-Sun 9am-5pm": "Mon closed; Tue-Sun 09:00-17:00",
    "Closed Mondays, open Tue-Sun 9am-5pm": "Mon closed; Tue-Sun 09:00-17:00",
    "Closed Mon & Tue, Wed-Sun 9am-5pm": "Mon, Tue closed; Wed-Sun 09:00-17:00",
    "Closed Saturday, Sunday and Monday": "Mon closed; Sat, Sun closed",
    "MON. CLOSED": "Mon closed",
    "Mon. To Fri. 9am-5pm": "Mon-Fri 09:00-17:00",
    "Tues–Sun, noon to 3 and 6 to 10pm": "Tue-Sun 12:00-15:00, 18:00-22:00",
    "Sat 9-noon": "Sat 09:00-12:00",
    "9am-5pm M-F, 10am-2pm Sat": "Mon-Fri 09:00-17:00; Sat 10:00-14:00",
    "M-Th 9a-5p, F 9a-4p, Sa 10a-2p": "Mon-Thu 09:00-17:00; Fri 09:00-16:00; Sat 10:00-14:00",
    "Kitchen closes at 9pm. Open daily 11am-11pm": "Mon-Sun 11:00-23:00",
    "Sat 12-midnight": "Sat 12:00-24:00",
    "Mon 0900-1730h": "Mon 09:00-17:30",
    "Mon-Fri 9am-5pm, by appointment Sat": "Mon-Fri 09:00-17:00",
}
LOST = {
    "Closed 25 December. Mon-Fri 9am-5pm": "Mon-Fri 09:00-17:00",
    "Concert on 3 Dec. Open Mon-Fri 9am-5pm": "Mon-Fri 09:00-17:00",
    "Sat 3 June Mon 10am-4pm\nMon-Fri 9am-5pm": "Mon-Fri 09:00-17:00",
    "Sat 3 June closed. Mon-Fri 9am-5pm": "Mon-Fri 09:00-17:00",
    "First Sunday of the month closed. Mon-Fri 9am-5pm": "Mon-Fri 09:00-17:00",
    "9am-5pm public holidays": "",
    "Xyday 9am-5pm, Sat 10am-2pm": "Sat 10:00-14:00",
    "Mon until 9pm": "",
    "Mon-Fri until 5pm": "",
    "Fri dusk to dawn": "",
    "until late Fri": "",
    "Sat 10am onwards": "",
    "Mon by appointment only": "",
}
GUESSED = {
    "Hours: M-Th 11-9, F-Sa 11-10, Su 12-8": "Mon-Thu 11:00-21:00; Fri, Sat 11:00-22:00; Sun 12:00-20:00",
    "Mon to Fri 9 to 5": "Mon-Fri 09:00-17:00",
    "Mon-Fri 7-3": "Mon-Fri 07:00-15:00",
    "Mon-Fri: 6-2": "Mon-Fri 06:00-14:00",
    "Sat 5-2": "Sat 17:00-02:00",
    "Fri 6-10": "Fri 18:00-22:00",
    "Fri 10pm-2": "Fri 22:00-02:00",
    "Mon-Fri 9-5, Thu until 9": "Mon-Wed 09:00-17:00; Thu 09:00-21:00; Fri 09:00-17:00",
}


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_written(text: str) -> None:
    hours = from_text(text)

    assert describe_week(hours.week or {}) == TEXTS[text]
    assert not hours.inferred


@pytest.mark.parametrize("text", LOST)
def test_what_a_week_cannot_say_is_told(text: str) -> None:
    hours = from_text(text)

    assert describe_week(hours.week or {}) == LOST[text]
    assert hours.partial


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
        "Sat 25:00-26:00",
        "Mon 13pm-14pm",
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
        ("7 days a week 9:00-17:00", "Mon-Sun 09:00-17:00", None),
        ("7j/7 de 9h à 19h", "Mon-Sun 09:00-19:00", None),
        ("24/7", "Mon-Sun 00:00-24:00", None),
        ("de lunes a viernes de 9:00 a 17:00", "Mon-Fri 09:00-17:00; Sat, Sun closed", None),
        ("week 10-20 Mo-Fr 09:00-17:00", "Mon-Fri 09:00-17:00; Sat, Sun closed", "week 10-20"),
        ("week 1-53 Mo-Fr 09:00-17:00", "Mon-Fri 09:00-17:00; Sat, Sun closed", None),
        ("2026 Mo-Fr 09:00-17:00", "Mon-Fri 09:00-17:00; Sat, Sun closed", "2026"),
        ("Jan-Dec Mo-Fr 09:00-17:00", "Mon-Fri 09:00-17:00; Sat, Sun closed", None),
        ("Jun 1-Aug 31 Mo-Fr 09:00-17:00", "Mon-Fri 09:00-17:00; Sat, Sun closed", "Jun 1-Aug 31"),
        ("Fr 20:00-04:00; Sa off", "Mon-Thu closed; Fri 20:00-24:00; Sat, Sun closed", None),
        ("Mo 10:00-12:00/14:00-16:00", "Mon 10:00-12:00, 14:00-16:00; Tue-Sun closed", None),
        ("Mo-Fr 09:00-12:00 || Sa 10:00-14:00", "Mon-Fri 09:00-12:00; Sat 10:00-14:00; Sun closed", None),
        ("Mo 0pm-1pm", "Mon 00:00-13:00; Tue-Sun closed", None),
        ("Tu off, 14:00-16:30", "Mon-Sun 14:00-16:30", None),
        ("open, 10:00-12:00 off", "Mon-Sun 12:00pm-10:00am", None),
        ("opening_hours = Fr 18:00-midnight", "Mon-Thu closed; Fri 18:00-24:00; Sat, Sun closed", None),
    ],
)
def test_the_compact_syntax(value: str, words: str, season: str | None) -> None:
    hours = from_compact(value)

    assert describe_week(hours.week or {}) == words
    assert (hours.season, hours.partial, hours.inferred) == (season, False, False)


@pytest.mark.parametrize(
    ("value", "words", "season"),
    [
        ("Mo-Fr 09:00-17:00; Sa unknown", "Mon-Fri 09:00-17:00; Sun closed", None),
        ("Mo-Fr 09:00-17:00 unknown", "Sat, Sun closed", None),
        ("Mo-Fr 09:00-17:00/01:30", "Sat, Sun closed", None),
        ("Mo-Fr 09:00-17:00; Su[1,3] 10:00-12:00", "Mon-Fri 09:00-17:00; Sat closed", None),
        ("Mo-Fr 09:00-12:00,sunset-22:00", "Mon-Fri 09:00-12:00; Sat, Sun closed", None),
        ("PH,Mo-Fr 09:00-17:00", "Mon-Fri 09:00-17:00; Sat, Sun closed", None),
        ("Mo-Fr 09:00-17:00, PH 10:00-12:00", "Mon-Fri 09:00-17:00; Sat, Sun closed", None),
        ("Mo-Fr 09:00-17:00 PH off", "Mon-Fri 09:00-17:00; Sat, Sun closed", None),
        ("Mo-Fr 09:00-17:00 Dec 24 10:00-12:00", "Mon-Fri 09:00-17:00; Sat, Sun closed", None),
        ("Mo-Fr 09:00-17:00; Jul-Aug off", "Mon-Fri 09:00-17:00; Sat, Sun closed", None),
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


@pytest.mark.parametrize(
    "value",
    [
        "", "hello", "2026", "9", "Mo-Fr 09:00-17:00 <b>", "Mo 25:99-30:00", "-", "Mo-Xx 10:00", "Mo 10:00-", ";",
        "10:00-12:00 Mo", "24/7 Mo-Fr", "easter off",
    ],
)  # fmt: skip
def test_what_is_no_compact_value(value: str) -> None:
    assert from_compact(value).week is None


@pytest.mark.parametrize("obj", [None, 1, "Mo-Fr", [], {}, {"openingHours": None}, {"openingHoursSpecification": [1]}])
def test_what_is_no_record(obj: object) -> None:
    assert from_schema_org(obj).week is None


def _stated(days: object, opens: object = "09:00", closes: object = "17:00", **more: str) -> dict[str, object]:
    return {"dayOfWeek": days, "opens": opens, "closes": closes, **more}


@pytest.mark.parametrize(
    ("stated", "words", "partial", "season"),
    [
        (_stated("Weekdays"), "Mon-Fri 09:00-17:00", False, None),
        (_stated(["https://schema.org/PublicHolidays", {"@id": "Monday"}]), "Mon 09:00-17:00", True, None),
        (_stated("Mon-Wed, ,Sun", "9:00 AM", "5 PM"), "Mon-Wed 09:00-17:00; Sun 09:00-17:00", False, None),
        (_stated("Monday", "09:00", None), "", True, None),
        (_stated("Monday", "25:00", "26:00"), "", True, None),
        (_stated("Monday", "Closed", "Closed"), "Mon closed", False, None),
        ([[_stated("Monday", ["09:00"], ["17:00"])]], "Mon 09:00-17:00", False, None),
        (_stated(None, "2026-01-01T09:00:00+01:00", "17:00:00"), "Mon-Sun 09:00-17:00", False, None),
        (_stated("Friday", "20:00", "02:00"), "Fri 20:00-02:00", False, None),
        (_stated("Monday", validThrough="2026-08-31"), "Mon 09:00-17:00", False, "until 2026-08-31"),
        (_stated("Monday", ["09:00", "13:00"], "12:00"), "", True, None),
        (
            [_stated("Monday"), _stated("Monday", "10:00", "16:00", validFrom="2026-10-01")],
            "Mon 09:00-17:00",
            True,
            None,
        ),
        ([_stated("Monday"), {"validFrom": "2026-12-25", "validThrough": "2026-12-25"}], "Mon 09:00-17:00", True, None),
        (_stated("Someday"), "", True, None),
        (_stated(0), "", True, None),
    ],
)
def test_specifications(stated: object, words: str, partial: bool, season: str | None) -> None:
    hours = from_schema_org({"openingHoursSpecification": stated})

    assert describe_week(hours.week or {}) == words
    assert (hours.partial, hours.season, hours.inferred) == (partial, season, False)


def test_specifications_in_specifications_end() -> None:
    nested: dict[str, object] = {}
    nested["openingHoursSpecification"] = nested

    assert from_schema_org(nested).week is None


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


@pytest.mark.parametrize(
    "unit",
    [
        " ", "first, ", "Mon ", "9-5 ", "Mon, ", "public ", "jan 1 to ", "24 hours a day ", "M/", "M, ", "closed Jan ",
        "end of ", "Mon9am-5pm", "12 noon ", "12,14-", "9am | ", "from 9 ", '"x" ',
    ],
)  # fmt: skip
def test_a_long_text_ends(unit: str) -> None:
    """Where a pattern takes quadratic time, this takes longer than a test may."""
    text = unit * (200_000 // len(unit))

    assert from_compact(text).inferred is False
    assert isinstance(from_text(text).partial, bool)
