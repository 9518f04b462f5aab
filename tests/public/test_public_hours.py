"""The shared facts about opening hours: values of OpenStreetMap, English texts, schema.org records."""

from typing import Any

import pytest
from hours_lab import open_minutes, other_open_minutes
from shared_files import facts, needs_cases

from polite_crawler.readers.hours import from_compact, from_schema_org, from_text

FACTS = facts("hours")
pytestmark = needs_cases

READERS = {
    "osm": (from_compact, "value"),
    "text": (from_text, "text"),
    "text_alltheplaces": (from_text, "text"),
    "schema_org": (from_schema_org, "jsonld"),
}


CASES = [
    pytest.param(kind, case, id=f"{kind}-{number}")
    for kind in READERS
    for number, case in enumerate(FACTS.get(kind, []))
]


@pytest.mark.parametrize(("kind", "case"), CASES)
def test_each_fact(kind: str, case: dict[str, Any]) -> None:
    read, key = READERS[kind]
    hours = read(case[key])

    week = case["week"]
    assert hours.week == (week if week is None else {day: [tuple(pair) for pair in week[day]] for day in week})
    for name in ("inferred", "partial", "season", "label"):
        if name in case:
            assert getattr(hours, name) == case[name], name


@pytest.mark.parametrize(("kind", "count"), [("osm", 134), ("text", 65), ("text_alltheplaces", 7), ("schema_org", 19)])
def test_the_facts_are_all_there(kind: str, count: int) -> None:
    assert len(FACTS[kind]) >= count


SAME = [case["value"] for case in FACTS.get("osm", []) if case["opening_hours_py"] == "same"]


@pytest.mark.parametrize("value", SAME)
def test_a_second_reader_agrees_where_the_facts_say_so(value: str) -> None:
    assert open_minutes(from_compact(value).week or {}) == other_open_minutes(value)


def test_the_second_reader_is_asked_often_enough() -> None:
    assert len(SAME) >= 49
