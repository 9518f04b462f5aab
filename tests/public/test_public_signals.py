"""The shared facts on usage signals."""

import json
from pathlib import Path
from typing import Any

import pytest

from polite_crawler.rules.signals import combine

CASES = Path(__file__).parents[2].parent / "shared" / "cases" / "signals.json"
pytestmark = pytest.mark.skipif(not CASES.is_file(), reason="../shared/cases is not there")


def _cases() -> list[dict[str, Any]]:
    return json.loads(CASES.read_text("utf-8"))["cases"] if CASES.is_file() else []


def _octets(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


@pytest.mark.parametrize("case", _cases(), ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    given = case["input"]
    found = combine(
        robots=_octets(given.get("robots")),
        url=given["url"],
        headers=[(name, value) for name, value in given.get("headers", [])],
        html=_octets(given.get("html")),
        tdmrep=_octets(given.get("tdmrep")),
        tokens=given.get("agents", ("PoliteCrawler",)),
    )
    assert {key: getattr(found, key) for key in case["expect"]} == case["expect"], case["why"]
