"""The shared facts on challenge pages, refusals and ordinary answers that look like them."""

from typing import Any

import pytest
from shared_files import facts, needs_cases

from polite_crawler.rules.challenges import classify

CASES: list[dict[str, Any]] = facts("challenges").get("cases", [])
pytestmark = needs_cases


def test_the_cases_are_all_there() -> None:
    assert len({case["id"] for case in CASES}) >= 38


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    headers = [(name, value) for name, value in case["headers"]]
    found = classify(case["status"], headers, case["body"].encode())
    assert found.kind == case["expect"], case["why"]
    assert bool(found.mark) is (found.kind is not None)
    if found.kind == "challenge":
        assert found.vendor
