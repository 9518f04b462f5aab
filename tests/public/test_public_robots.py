"""The shared robots.txt facts: 1,932 cases of RFC 9309, from many test suites."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from polite_crawler.rules.robots import parse

CASES = Path(__file__).parents[2].parent / "shared" / "cases" / "robots.json"
pytestmark = pytest.mark.skipif(not CASES.is_file(), reason="../shared/cases is not there")


def _cases() -> list[dict[str, Any]]:
    return json.loads(CASES.read_text("utf-8"))["cases"] if CASES.is_file() else []


def _body(case: dict[str, Any]) -> bytes:
    if "robots_b64" in case:
        return base64.b64decode(case["robots_b64"])
    if "robots_parts" in case:
        return "".join(text * times for text, times in case["robots_parts"]).encode()
    return str(case["robots"]).encode()


@pytest.mark.parametrize("kind", ["core", "conflict"])
def test_every_case(kind: str) -> None:
    cases = [case for case in _cases() if case["cls"] == kind]
    wrong = {
        case["id"]: (decision, case["url"], case.get("why"))
        for case in cases
        if (decision := parse(_body(case)).decide(case["agent"], case["url"])).allowed is not case["allowed"]
    }
    assert len(cases) > 50
    assert wrong == {}


def test_every_refusal_names_its_rule() -> None:
    for case in _cases():
        decision = parse(_body(case)).decide(case["agent"], case["url"])
        if not decision.allowed:
            assert decision.rule is not None
            assert decision.rule.startswith("Disallow: ")
            assert decision.line is not None
            assert decision.octets > 0
            assert decision.group
