"""Conditional requests and the memo of validators, with the counts of the specification: 3, 20, 7 days, 3."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polite_crawler.rules.validators import (
    DATE_MISSES,
    ETAG_MISSES,
    PROBE_REQUESTS,
    PROBE_SECONDS,
    Conditions,
    Memo,
    Result,
    conditions,
    next_memo,
)

NOW = 1_796_000_000.0
DATE = "Sun, 06 Nov 1994 08:49:37 GMT"
BOTH = {"If-None-Match": '"1"', "If-Modified-Since": DATE}
DATE_ALONE = {"If-Modified-Since": DATE}
ETAG_ALONE = {"If-None-Match": '"1"'}


def _ask(memo: Memo, now: float = NOW, etag: str | None = '"1"', date: str | None = DATE) -> Conditions:
    return conditions(memo, etag=etag, last_modified=date, now=now)


def _after(memo: Memo, *results: Result, now: float = NOW) -> Memo:
    for result in results:
        memo = next_memo(memo, _ask(memo, now), result, now=now)
    return memo


STOPPED = _after(Memo(), *["same-body"] * 3)


def test_the_counts() -> None:
    assert (ETAG_MISSES, PROBE_REQUESTS, PROBE_SECONDS, DATE_MISSES) == (3, 20, 604_800.0, 3)


@pytest.mark.parametrize(
    ("etag", "date", "sent"),
    [
        ('"1"', DATE, BOTH), ('W/"a b"'.replace(" ", ""), None, {"If-None-Match": 'W/"ab"'}), (None, DATE, DATE_ALONE),
        (None, None, {}), ("", "", {}), (' "1" ', f" {DATE} ", BOTH), ("unquoted", None, {"If-None-Match": "unquoted"}),
        ("*", DATE, DATE_ALONE), ('"a", "b"', DATE, DATE_ALONE), ("a,b", None, {}), ('"a\r\nX: y"', None, {}), ('"1"',
         "then", ETAG_ALONE),
        ('""', None, {"If-None-Match": '""'}),
    ],
)  # fmt: skip
def test_what_a_request_sends(etag: str | None, date: str | None, sent: dict[str, str]) -> None:
    found = _ask(Memo(), etag=etag, date=date)
    assert found.headers == sent
    assert not found.probe


def test_the_etag_stops_after_three_bodies_again() -> None:
    memo = _after(Memo(), "same-body", "same-body")
    assert _ask(memo).headers == BOTH
    memo = _after(memo, "same-body")
    assert memo == STOPPED == Memo("date", since=NOW)
    assert _ask(memo).headers == DATE_ALONE


@pytest.mark.parametrize(
    "results",
    [
        ["same-body", "same-body", "not-modified", "same-body", "same-body"],
        ["changed"] * 30,
        ["not-modified"] * 30,
    ],
)
def test_what_does_not_stop_the_etag(results: list[Result]) -> None:
    assert _ask(_after(Memo(), *results)).headers == BOTH


def test_another_body_tells_nothing() -> None:
    memo = _after(Memo(), "same-body", "changed", "same-body", "changed", "changed", "same-body")
    assert memo.mode == "date"


def test_a_copy_with_one_validator_tells_nothing() -> None:
    memo = Memo()
    for _ in range(10):
        memo = next_memo(memo, _ask(memo, date=None), "same-body", now=NOW)
        memo = next_memo(memo, _ask(memo, etag=None), "same-body", now=NOW)
    assert memo == Memo()


def test_a_probe_after_twenty_requests() -> None:
    memo = STOPPED
    for _ in range(20):
        assert _ask(memo).headers == DATE_ALONE
        memo = _after(memo, "not-modified")
    probe = _ask(memo)
    assert probe == Conditions('"1"', DATE, probe=True)


def test_a_probe_after_seven_days() -> None:
    assert not _ask(STOPPED, NOW + 604_799).probe
    assert _ask(STOPPED, NOW + 604_800).probe


def test_a_304_to_the_probe_starts_the_etag_again() -> None:
    later = NOW + 604_800
    assert next_memo(STOPPED, _ask(STOPPED, later), "not-modified", now=later) == Memo()


@pytest.mark.parametrize("result", ["same-body", "changed"])
def test_a_200_to_the_probe_keeps_it_stopped_until_the_next(result: Result) -> None:
    memo = _after(STOPPED, *["not-modified"] * 20)
    later = NOW + 50
    memo = next_memo(memo, _ask(memo, later), result, now=later)
    assert memo == Memo("date", requests=0, since=later)
    assert _after(memo, *["changed"] * 19, now=later).requests == 19
    assert not _ask(_after(memo, *["changed"] * 19, now=later), later).probe
    assert _ask(_after(memo, *["changed"] * 20, now=later), later).probe


def test_both_are_sent_again_when_the_date_fails_too() -> None:
    memo = _after(STOPPED, "same-body", "not-modified", "same-body", "same-body")
    assert _ask(memo).headers == DATE_ALONE
    memo = _after(memo, "same-body")
    assert memo == Memo("neither")
    for _ in range(30):
        assert _ask(memo).headers == BOTH
        memo = _after(memo, "same-body", "changed")
    assert memo.mode == "neither"
    assert _after(memo, "not-modified") == Memo()


def test_a_copy_without_a_date_sends_its_etag_on_a_stopped_host() -> None:
    sent = _ask(STOPPED, date=None)
    assert sent.headers == ETAG_ALONE
    assert not sent.probe
    assert next_memo(STOPPED, sent, "same-body", now=NOW) == STOPPED
    assert next_memo(STOPPED, sent, "not-modified", now=NOW) == Memo()
    assert next_memo(STOPPED, _ask(STOPPED, etag=None, date=None), "same-body", now=NOW) == STOPPED


@pytest.mark.parametrize("memo", [Memo(), STOPPED, Memo("neither", 1, 2, 3.5)])
def test_a_memo_survives_its_json(memo: Memo) -> None:
    assert Memo.from_json(memo.to_json()) == memo


@pytest.mark.parametrize(
    "value",
    [None, {}, {"mode": "x"}, {"mode": "date"}, {"mode": "date", "misses": "x", "requests": 0, "since": 0},
     {"mode": "date", "misses": None, "requests": 0, "since": 0}],
)  # fmt: skip
def test_a_memo_that_is_not_valid_is_a_new_one(value: dict[str, object] | None) -> None:
    assert Memo.from_json(value) == Memo()


STEP = st.tuples(
    st.sampled_from(["not-modified", "same-body", "changed"]), st.booleans(), st.booleans(), st.floats(0, 1e6)
)


@settings(max_examples=200, deadline=None)
@given(st.lists(STEP, max_size=80))
def test_the_memo_never_loses_its_way(steps: list[tuple[Result, bool, bool, float]]) -> None:
    memo, now = Memo(), NOW
    for result, with_etag, with_date, pause in steps:
        now += pause
        sent = _ask(memo, now, '"1"' if with_etag else None, DATE if with_date else None)
        assert (sent.if_modified_since is not None) is with_date
        assert sent.if_none_match is None or with_etag
        memo = next_memo(memo, sent, result, now=now)
        assert memo.misses < 3
        assert memo.mode == "date" or memo.requests == 0
