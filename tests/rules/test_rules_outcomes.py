"""Outcomes, the notes of skips and the numbers of the summary."""

from typing import get_args

import pytest

from polite_crawler.rules import outcomes
from polite_crawler.rules.outcomes import Outcome, SkipKind, Tally, of_status, skip_kind, tally
from polite_crawler.store import record

TIME = "2026-11-30T10:00:00.000000Z"


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, "ok"), (204, "ok"), (299, "ok"), (304, "not_modified"), (301, "redirect"), (302, "redirect"),
        (307, "redirect"), (404, "gone"), (410, "gone"), (400, "refused"), (405, "refused"), (418, "refused"),
        (451, "refused"), (401, "blocked"), (403, "blocked"), (402, "paid"), (429, "busy"), (503, "busy"),
        (500, "error"), (502, "error"), (504, "error"), (599, "error"), (999, "error"), (100, "error"), (0, "error"),
    ],
)  # fmt: skip
def test_outcome_of_a_status(status: int, outcome: Outcome) -> None:
    assert of_status(status) == outcome


@pytest.mark.parametrize("status", [200, 202, 403, 429, 503])
def test_a_challenge_is_one_with_any_status(status: int) -> None:
    assert of_status(status, challenge=True) == "challenge"


def test_the_outcomes_are_those_of_the_record() -> None:
    assert record.OUTCOMES == outcomes.OUTCOMES


NOTES: list[tuple[str, SkipKind, str]] = [
    (
        outcomes.robots_note("PoliteCrawler", 4, "Disallow: /private"), "robots",
        "robots.txt disallows this URL for PoliteCrawler (line 4: Disallow: /private)",
    ),
    (
        outcomes.robots_note("PoliteCrawler", 4, "Disallow: /", ["008", "*"]), "robots",
        "robots.txt disallows this URL for PoliteCrawler (line 4: Disallow: /); the group also names 008, *",
    ),
    (outcomes.robots_note("X", None, None), "robots", "robots.txt disallows this URL for X"),
    (
        outcomes.unreachable_note("503", TIME), "robots-unreachable",
        f"robots.txt is unreachable (503); next try at {TIME}",
    ),
    (outcomes.stop_note(TIME, "status 403"), "stop", f"host stopped until {TIME}: status 403"),
    (
        outcomes.egress_note("127.0.0.1", "loopback"), "egress",
        "egress policy: 127.0.0.1 is a loopback address; set POLITE_ALLOW_PRIVATE to fetch it",
    ),
    (
        outcomes.egress_note("224.0.0.1", "multicast"), "egress",
        "egress policy: 224.0.0.1 is a multicast address; name it in POLITE_EGRESS_ALLOW to fetch it",
    ),
    (
        outcomes.egress_note("0.0.0.0", "unspecified"), "egress",
        "egress policy: 0.0.0.0 is an unspecified address; name it in POLITE_EGRESS_ALLOW to fetch it",
    ),
    (outcomes.DEADLINE_NOTE, "deadline", "deadline reached"),
    (outcomes.signer_note("no key"), "signer", "signer failed: no key"),
    ("something else", "other", "something else"),
]  # fmt: skip


@pytest.mark.parametrize(("note", "kind", "text"), NOTES)
def test_the_words_of_a_skip(note: str, kind: SkipKind, text: str) -> None:
    assert note == text
    assert skip_kind(note) == kind


@pytest.mark.parametrize(
    ("outcome", "where"),
    [
        ("ok", "fetched"), ("not_modified", "fetched"), ("redirect", "fetched"), ("blocked", "refused"),
        ("paid", "refused"), ("challenge", "refused"), ("refused", "refused"), ("gone", "failed"), ("busy", "failed"),
        ("error", "failed"),
    ],
)  # fmt: skip
def test_where_the_summary_counts_a_page(outcome: Outcome, where: Tally) -> None:
    assert tally(outcome) == where


@pytest.mark.parametrize("kind", get_args(SkipKind))
def test_where_the_summary_counts_a_skip(kind: SkipKind) -> None:
    refused = kind in ("robots", "robots-unreachable", "stop", "egress")
    assert tally("skipped", kind) == ("refused" if refused else "failed")


def test_every_outcome_is_counted() -> None:
    assert {tally(outcome) for outcome in outcomes.OUTCOMES} == set(get_args(Tally))
