"""The shared facts on what the answers to /robots.txt mean."""

from typing import Any

import pytest
from shared_files import facts, needs_cases

from polite_crawler.rules.robots import Answer, CachedFile, access

CASES: list[dict[str, Any]] = facts("robots_access").get("cases", [])
pytestmark = needs_cases

NOW = 1_796_000_000.0


def test_the_cases_are_all_there() -> None:
    assert len({case["id"] for case in CASES}) >= 45


def _cached(case: dict[str, Any]) -> CachedFile | None:
    file = case["cached"]
    if file is None:
        return None
    return CachedFile(
        body=file["body"].encode(),
        status=file["status"],
        fetched_at=NOW - file["age_h"] * 3600,
        origin=file.get("origin"),
        cache_control=file.get("cache_control"),
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    answers = [
        Answer(one.get("status"), one.get("headers", {}), one.get("body", "").encode(), one.get("error"))
        for one in case["responses"]
    ]
    found = access(answers, cached=_cached(case), now=NOW, token="PoliteCrawler", url=case["url"])
    assert found.result == case["expect"], case["why"]
    assert found.requests == case.get("requests", found.requests)
    assert found.retry_after_s == case.get("retry_after_s", found.retry_after_s)
