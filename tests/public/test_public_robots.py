"""The shared robots.txt facts: 1,932 cases of RFC 9309, from many test suites."""

import base64
from typing import Any

import pytest
from shared_files import facts, needs_cases

from polite_crawler.rules.robots import parse

CASES: list[dict[str, Any]] = facts("robots").get("cases", [])
pytestmark = needs_cases


def _body(case: dict[str, Any]) -> bytes:
    if "robots_b64" in case:
        return base64.b64decode(case["robots_b64"])
    if "robots_parts" in case:
        return "".join(text * times for text, times in case["robots_parts"]).encode()
    return str(case["robots"]).encode()


@pytest.mark.parametrize(("kind", "count"), [("core", 1874), ("conflict", 58)])
def test_every_case(kind: str, count: int) -> None:
    cases = [case for case in CASES if case["cls"] == kind]
    wrong = {
        case["id"]: (decision, case["url"], case.get("why"))
        for case in cases
        if (decision := parse(_body(case)).decide(case["agent"], case["url"])).allowed is not case["allowed"]
    }
    assert len(cases) >= count
    assert wrong == {}


def test_every_refusal_names_its_rule() -> None:
    refused = 0
    for case in CASES:
        decision = parse(_body(case)).decide(case["agent"], case["url"])
        if not decision.allowed:
            refused += 1
            assert decision.rule is not None
            assert decision.rule.startswith("Disallow: ")
            assert decision.line is not None
            assert decision.octets > 0
            assert decision.group
    assert refused > 500
