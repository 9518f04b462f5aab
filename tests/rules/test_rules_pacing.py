"""The pace and the stops of a host, as tables."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polite_crawler.errors import BadOption
from polite_crawler.rules.pacing import (
    FRESH,
    MAX_CRAWL_DELAY,
    MAX_RETRY_AFTER,
    Answer,
    HostState,
    Policy,
    backoff,
    next_state,
    policies,
    retry_after,
    stopped,
    with_fields,
)

NOW = 1_800_000_000.0
HOUR = 3600.0
DAY = 24 * HOUR
POLICY = Policy()


def after(answer: Answer, state: HostState = FRESH, policy: Policy = POLICY, jitter: float = 0.0) -> HostState:
    return next_state(state, answer, policy, now=NOW, jitter=jitter)


RESTS = [
    # what happened, the answer, the state before, the rest
    ("the page interval", Answer(status=200, seconds=0.1), FRESH, 3),
    ("twice a slow response", Answer(status=200, seconds=4), FRESH, 8),
    ("a very slow one, capped", Answer(status=200, seconds=1000), FRESH, 300),
    ("Crawl-delay", Answer(status=200), HostState(crawl_delay=10), 10),
    ("a Crawl-delay under the interval", Answer(status=200), HostState(crawl_delay=1), 3),
    ("a day of Crawl-delay", Answer(status=200), HostState(crawl_delay=DAY), DAY),
    ("more than a day of Crawl-delay", Answer(status=200), HostState(crawl_delay=9e9), MAX_CRAWL_DELAY),
    ("a Crawl-delay under a slow response", Answer(status=200, seconds=10), HostState(crawl_delay=5), 20),
    ("not found", Answer(status=404), FRESH, 3),
    ("forbidden", Answer(status=403), FRESH, 3),
    ("a network error", Answer(error=True), FRESH, 5),
    ("a second one", Answer(error=True), HostState(backoff=1), 10),
    ("a third one", Answer(error=True), HostState(backoff=2), 20),
    ("a seventh one", Answer(error=True), HostState(backoff=6), 300),
    ("a thousandth one", Answer(error=True), HostState(backoff=999), 300),
    ("a server error", Answer(status=500), FRESH, 5),
    ("too many requests", Answer(status=429), FRESH, 5),
    ("too many again", Answer(status=429), HostState(backoff=1), 10),
    ("unavailable", Answer(status=503), HostState(backoff=2), 20),
    ("Retry-After", Answer(status=429, retry_after_s=120), FRESH, 120),
    ("Retry-After under the backoff", Answer(status=429, retry_after_s=1), FRESH, 5),
    ("Retry-After of a redirect", Answer(status=301, retry_after_s=60), FRESH, 60),
    ("a long Retry-After is a stop and a rest of an hour", Answer(status=503, retry_after_s=DAY), FRESH, HOUR),
    ("robots.txt", Answer(kind="robots", status=200), HostState(crawl_delay=DAY), 3),
    ("slow robots.txt", Answer(kind="robots", status=200, seconds=20), FRESH, 3),
    ("robots.txt with an error", Answer(kind="robots", error=True), HostState(backoff=3), 3),
    ("robots.txt that asks to wait", Answer(kind="robots", status=503, retry_after_s=60), FRESH, 60),
    ("robots.txt that asks to wait for a day", Answer(kind="robots", status=503, retry_after_s=DAY), FRESH, HOUR),
    ("a busy archive", Answer(kind="archive-copy", status=429), FRESH, 5),
    ("a cancelled exchange", Answer(), HostState(backoff=3), 3),
]


@pytest.mark.parametrize(("answer", "state", "rest"), [row[1:] for row in RESTS], ids=[row[0] for row in RESTS])
def test_rest(answer: Answer, state: HostState, rest: float):
    assert after(answer, state).ready - NOW == rest


def test_a_rest_never_gets_shorter():
    state = HostState(ready=NOW + 100)
    assert after(Answer(status=200), state).ready == NOW + 100


def test_a_host_that_does_not_respect_crawl_delay_for_its_own_site():
    policy = replace(POLICY, respect_crawl_delay=False)
    assert after(Answer(status=200), HostState(crawl_delay=60), policy).ready == NOW + 3


STOPS = [
    ("401", Answer(status=401), FRESH, HOUR, "status 401"),
    ("403", Answer(status=403), FRESH, HOUR, "status 403"),
    ("402", Answer(status=402), FRESH, DAY, "status 402"),
    ("a challenge", Answer(status=200, challenge=True), FRESH, DAY, "challenge"),
    ("a challenge with a 403", Answer(status=403, challenge=True), FRESH, DAY, "challenge"),
    ("the fifth failure", Answer(error=True), HostState(failures=4), HOUR, "5 failures in sequence"),
    ("the fifth, a 500", Answer(status=500), HostState(failures=4), HOUR, "5 failures in sequence"),
    ("the fourth failure", Answer(error=True), HostState(failures=3), 0, ""),
    ("Retry-After of an hour", Answer(status=503, retry_after_s=HOUR), FRESH, 0, ""),
    ("Retry-After of two hours", Answer(status=503, retry_after_s=2 * HOUR), FRESH, 2 * HOUR, "Retry-After"),
    ("Retry-After of a year", Answer(status=429, retry_after_s=365 * DAY), FRESH, 30 * DAY, "Retry-After"),
    ("403 and Retry-After of a day", Answer(status=403, retry_after_s=DAY), FRESH, DAY, "Retry-After"),
    ("robots.txt: 401", Answer(kind="robots", status=401), FRESH, 0, ""),
    ("a sub-request: 401", Answer(kind="subresource", status=401), FRESH, 0, ""),
    ("a sub-request: 403", Answer(kind="subresource", status=403), FRESH, HOUR, "status 403"),
    ("robots.txt: 403", Answer(kind="robots", status=403), FRESH, 0, ""),
    ("robots.txt: 402", Answer(kind="robots", status=402), FRESH, 0, ""),
    ("robots.txt: an error after four", Answer(kind="robots", error=True), HostState(failures=4), 0, ""),
    ("robots.txt: Retry-After of a day", Answer(kind="robots", status=503, retry_after_s=DAY), FRESH, 0, ""),
    ("robots.txt: a challenge", Answer(kind="robots", status=200, challenge=True), FRESH, DAY, "challenge"),
    ("an archive: 403", Answer(kind="archive-copy", status=403), FRESH, 0, ""),
    ("an archive: an error after four", Answer(kind="archive-index", error=True), HostState(failures=4), 0, ""),
    ("an archive that refuses us", Answer(kind="archive-copy", status=403, refused=True), FRESH, HOUR, "status 403"),
    (
        "an archive that wants a day",
        Answer(kind="archive-index", status=429, retry_after_s=DAY, refused=True),
        FRESH,
        DAY,
        "Retry-After",
    ),
    (
        "an archive behind its firewall",
        Answer(kind="archive-copy", error=True, refused=True),
        FRESH,
        HOUR,
        "the connection is refused",
    ),
    ("404", Answer(status=404), HostState(failures=4), 0, ""),
    ("429", Answer(status=429), HostState(failures=4), 0, ""),
    ("503", Answer(status=503), HostState(failures=4), 0, ""),
]


@pytest.mark.parametrize(
    ("answer", "state", "span", "reason"), [row[1:] for row in STOPS], ids=[row[0] for row in STOPS]
)
def test_stop(answer: Answer, state: HostState, span: float, reason: str):
    new = after(answer, state)
    assert (new.stop_until, new.stop_reason) == ((NOW + span, reason) if span else (0.0, ""))
    assert new.stopped(NOW) == bool(span)
    assert not new.stopped(NOW + span)


COUNTS = [
    # the answer, then failures and backoff of a host that had 2 and 3
    ("an answer", Answer(status=200), 0, 0),
    ("a redirect", Answer(status=302), 0, 0),
    ("not found", Answer(status=404), 0, 0),
    ("forbidden", Answer(status=403), 0, 0),
    ("an error", Answer(error=True), 3, 4),
    ("an answer that does not decode", Answer(status=200, error=True), 3, 4),
    ("a server error", Answer(status=502), 3, 4),
    ("an odd status", Answer(status=999), 3, 4),
    ("busy", Answer(status=429), 2, 4),
    ("unavailable", Answer(status=503), 2, 4),
    ("nothing", Answer(), 2, 3),
    ("robots.txt", Answer(kind="robots", status=200), 2, 3),
    ("robots.txt with an error", Answer(kind="robots", error=True), 2, 3),
]


@pytest.mark.parametrize(("answer", "failures", "steps"), [row[1:] for row in COUNTS], ids=[row[0] for row in COUNTS])
def test_counts(answer: Answer, failures: int, steps: int):
    new = after(answer, HostState(failures=2, backoff=3, asked=7))
    assert (new.failures, new.backoff, new.asked) == (failures, steps, 8)


def test_the_count_of_failures_begins_again_after_a_stop():
    state = FRESH
    for _ in range(5):
        state = after(Answer(error=True), state)
    assert (state.failures, state.stop_until) == (0, NOW + HOUR)


def test_a_shorter_stop_does_not_replace_a_longer_one():
    state = stopped(FRESH, until=NOW + DAY, reason="challenge")
    assert after(Answer(status=403), state).stop_reason == "challenge"
    assert stopped(state, until=NOW + DAY, reason="again") is state


def test_a_stop_of_no_time_is_none():
    assert after(Answer(status=403), policy=replace(POLICY, stop_blocked=0.0)).stop_until == 0


@given(
    step=st.integers(1, 5000),
    jitter=st.floats(0, 1, exclude_max=True),
    low=st.floats(0, 1000),
    high=st.floats(0, 1000),
)
@settings(max_examples=200)
def test_backoff_stays_in_its_limits(step: int, jitter: float, low: float, high: float):
    policy = replace(POLICY, backoff_min=low, backoff_max=high)
    assert low <= backoff(step, policy, jitter=jitter) <= max(low, high)


def test_backoff_doubles_and_has_jitter_at_every_step():
    assert [backoff(step, POLICY, jitter=0.0) for step in range(8)] == [0, 5, 10, 20, 40, 80, 160, 300]
    for step in range(1, 12):
        assert len({backoff(step, POLICY, jitter=part / 10) for part in range(10)}) == 10


# the three forms of an HTTP-date: RFC 9110, section 5.6.7
AT = 784_111_777.0
RETRY_AFTERS = [
    (None, None),
    ("", None),
    ("120", 120),
    (" 120 ", 120),
    ("0", 0),
    ("1.5", 1.5),
    ("120, 60", 120),
    ("99999999999", MAX_RETRY_AFTER),
    ("9" * 40, None),
    ("-5", None),
    ("+5", None),
    ("1e3", None),
    ("\u0663", None),
    ("soon", None),
    ("12 apples", None),
    ("Sun, 06 Nov 1994 08:49:37 GMT", 60),
    ("Sunday, 06-Nov-94 08:49:37 GMT", 60),
    ("Sun Nov  6 08:49:37 1994", 60),
    ("Sun, 06 Nov 1994 08:40:00 GMT", 0),
    ("Fri, 31 Dec 9999 23:59:59 GMT", MAX_RETRY_AFTER),
    ("Sun, 06 Nov 1994 99:49:37 GMT", None),
]


@pytest.mark.parametrize(("text", "seconds"), RETRY_AFTERS)
def test_retry_after(text: str | None, seconds: float | None):
    assert retry_after(text, now=AT - 60) == seconds


@given(st.text(max_size=60))
@settings(max_examples=200)
def test_retry_after_of_any_text(text: str):
    found = retry_after(text, now=NOW)
    assert found is None or 0 <= found <= MAX_RETRY_AFTER


HOSTS: dict[str, dict[str, Any]] = {
    "slow.example": {"page_interval": "1m", "failures": 2},
    "*.example.org": {"page_interval": 10},
    "*.deep.example.org": {"page_interval": 20.5},
    "own.example.org": {"respect_crawl_delay": False, "slow_factor": 0, "stop_blocked": "2h"},
    "*.BÜCHER.example": {"page_interval": 7},
    "[::1]": {"page_interval": 0},
}

OF_HOSTS = [
    ("slow.example", replace(POLICY, page_interval=60.0, failures=2)),
    ("www.slow.example", POLICY),
    ("example.org", POLICY),
    ("www.example.org", replace(POLICY, page_interval=10.0)),
    ("a.b.example.org", replace(POLICY, page_interval=10.0)),
    ("a.deep.example.org", replace(POLICY, page_interval=20.5)),
    ("own.example.org", replace(POLICY, respect_crawl_delay=False, slow_factor=0.0, stop_blocked=7200.0)),
    ("www.xn--bcher-kva.example", replace(POLICY, page_interval=7.0)),
    ("::1", replace(POLICY, page_interval=0.0)),
    ("other.test", POLICY),
    ("", POLICY),
]


@pytest.mark.parametrize(("host", "policy"), OF_HOSTS)
def test_policy_of_a_host(host: str, policy: Policy):
    assert policies(HOSTS)(host) == policy


def test_without_hosts_everyone_has_the_default():
    default = replace(POLICY, page_interval=9.0)
    assert policies({}, default)("any.example") is default


@pytest.mark.parametrize(
    ("hosts", "host", "interval"),
    [
        ({}, "web.archive.org", 6),
        ({}, "index.commoncrawl.org", 3),
        ({"*.archive.org": {"page_interval": 1}}, "web.archive.org", 6),
        ({"*.commoncrawl.org": {"page_interval": 0}}, "data.commoncrawl.org", 1),
        ({"web.archive.org": {"page_interval": "20s"}}, "web.archive.org", 20),
        ({"*.archive.org": {"page_interval": 1}}, "blog.archive.org", 1),
    ],
)
def test_no_setting_makes_the_rest_of_a_public_archive_shorter(hosts: Any, host: str, interval: float):
    assert policies(hosts)(host).page_interval == interval


BAD_HOSTS = [
    ["example.org"],
    {"example.org": 3},
    {"": {}},
    {"*": {}},
    {"*.": {}},
    {"www.*.org": {}},
    {"https://example.org": {}},
    {"example.org/a": {}},
    {"example.org:80": {}},
    {"user@example.org": {}},
    {".example.org": {}},
    {"a b": {}},
    {7: {}},
    {"example.org": {"interval": 3}},
    {"example.org": {"page_interval": -1}},
    {"example.org": {"page_interval": "soon"}},
    {"example.org": {"page_interval": None}},
    {"example.org": {"page_interval": float("nan")}},
    {"example.org": {"page_interval": float("inf")}},
    {"example.org": {"page_interval": True}},
    {"example.org": {"respect_crawl_delay": "no"}},
    {"example.org": {"failures": 0}},
    {"example.org": {"failures": 2.5}},
    {"example.org": {"failures": True}},
]


@pytest.mark.parametrize("hosts", BAD_HOSTS, ids=repr)
def test_bad_hosts_are_one_clear_line(hosts: Any):
    with pytest.raises(BadOption) as raised:
        policies(hosts)
    assert "\n" not in str(raised.value)
    assert "POLITE_HOSTS" in str(raised.value)


def test_with_fields_names_the_setting():
    with pytest.raises(BadOption, match=r"^POLITE_X: there is no limit 'a' \(there are backoff_max, "):
        with_fields(POLICY, {"a": 1}, name="POLITE_X")
