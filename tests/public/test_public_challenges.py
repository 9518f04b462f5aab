"""The shared facts on challenge pages, refusals and ordinary answers that look like them."""

import json
from pathlib import Path
from typing import Any

import pytest

from polite_crawler.rules.challenges import classify

CASES = Path(__file__).parents[2].parent / "shared" / "cases" / "challenges.json"
pytestmark = pytest.mark.skipif(not CASES.is_file(), reason="../shared/cases is not there")


def _cases() -> list[dict[str, Any]]:
    return json.loads(CASES.read_text("utf-8"))["cases"] if CASES.is_file() else []


@pytest.mark.parametrize("case", _cases(), ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    headers = [(name, value) for name, value in case["headers"]]
    found = classify(case["status"], headers, case["body"].encode())
    assert found.kind == case["expect"], case["why"]
    assert bool(found.mark) is (found.kind is not None)
    if found.kind == "challenge":
        assert found.vendor
