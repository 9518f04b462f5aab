"""The shared facts about opening hours: values of OpenStreetMap, English texts, schema.org records."""

import json
from pathlib import Path
from typing import Any

import pytest

from polite_crawler.readers.hours import from_compact, from_schema_org, from_text

FACTS = Path(__file__).parents[2].parent / "shared" / "cases" / "hours.json"

pytestmark = pytest.mark.skipif(not FACTS.is_file(), reason="the shared cases are not there")

READERS = {
    "osm": (from_compact, "value"),
    "text": (from_text, "text"),
    "text_alltheplaces": (from_text, "text"),
    "schema_org": (from_schema_org, "jsonld"),
}


def cases() -> list[Any]:
    if not FACTS.is_file():
        return []
    facts = json.loads(FACTS.read_text())
    return [
        pytest.param(kind, case, id=f"{kind}-{number}") for kind in READERS for number, case in enumerate(facts[kind])
    ]


@pytest.mark.parametrize(("kind", "case"), cases())
def test_each_fact(kind: str, case: dict[str, Any]) -> None:
    read, key = READERS[kind]
    hours = read(case[key])

    week = case["week"]
    assert hours.week == (week if week is None else {day: [tuple(pair) for pair in week[day]] for day in week})
    for name in ("inferred", "partial", "season", "label"):
        if name in case:
            assert getattr(hours, name) == case[name], name


def test_the_facts_are_many() -> None:
    assert len(cases()) > 200
