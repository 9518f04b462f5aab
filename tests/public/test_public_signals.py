"""The shared facts on usage signals."""

from typing import Any

import pytest
from shared_files import facts, needs_cases

from polite_crawler.rules.signals import combine

CASES: list[dict[str, Any]] = facts("signals").get("cases", [])
pytestmark = needs_cases


def test_the_cases_are_all_there() -> None:
    assert len({case["id"] for case in CASES}) >= 61


def _octets(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
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
