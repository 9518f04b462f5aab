"""Hours as the sites of shops, restaurants, museums and clinics print them, and the values that maps and records hold.

Each line of `cases.json` has what stands there, and what is read: the week as words (null for what is no week), and
the flags that are set.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from polite_crawler.readers.hours import compare_hours, describe_week, from_compact, from_schema_org, from_text

CASES = json.loads((Path(__file__).parent / "cases.json").read_text("utf-8"))
READERS = {"text": (from_text, "text"), "osm": (from_compact, "value"), "schema_org": (from_schema_org, "jsonld")}


@pytest.mark.parametrize(
    ("kind", "case"),
    [pytest.param(kind, case, id=f"{kind}-{number}") for kind in READERS for number, case in enumerate(CASES[kind])],
)
def test_what_is_read(kind: str, case: dict[str, Any]) -> None:
    read, key = READERS[kind]
    hours = read(case[key])

    assert (None if hours.week is None else describe_week(hours.week)) == case["hours"]
    for name, unset in (("inferred", False), ("partial", False), ("season", None), ("label", None)):
        assert getattr(hours, name) == case.get(name, unset), name


@pytest.mark.parametrize("case", CASES["compare"])
def test_what_has_changed(case: dict[str, Any]) -> None:
    change = compare_hours(case["kept"], case["reading"], skip_split=case["skip_split"])

    assert change.status == case["status"]
    for name in ("days", "added", "skipped"):
        assert list(getattr(change, name)) == case[name], name


@pytest.mark.parametrize("hours", [from_text("call us"), from_compact("call us"), from_schema_org({"name": "x"})])
def test_what_gives_nothing_says_why(hours: Any) -> None:
    assert hours.week is None
    assert hours.notes
