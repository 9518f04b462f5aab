"""What the answers to /robots.txt mean, step by step."""

from email.utils import formatdate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polite_crawler.errors import BadOption
from polite_crawler.rules.access import lifetime, retry_in
from polite_crawler.rules.robots import Access, Answer, Ask, CachedFile, Standing, access, next_step, robots_url

NOW = 1_796_000_000.0
HOUR = 3600.0
DAY = 24 * HOUR
URL = "https://site.example/page?x=1"
ROBOTS = "https://site.example/robots.txt"
DENY = b"User-agent: *\nDisallow: /page\n"
OTHER = b"User-agent: *\nDisallow: /other\n"
ANUBIS = b'<script id="anubis_challenge" type="application/json">{}</script>'


def _access(*answers: Answer, cached: CachedFile | None = None, failures: int = 0) -> Access:
    return access(answers, cached=cached, now=NOW, token="PoliteCrawler", url=URL, failures=failures)


def _hops(*locations: str) -> list[Answer]:
    return [Answer(302, [("Location", location)]) for location in locations]


SINGLE = [
    (Answer(200, (), DENY), "deny-by-rule"),
    (Answer(200, (), b""), "allow"),
    (Answer(204), "allow"),
    (Answer(206, (), DENY), "deny-by-rule"),
    (Answer(200, {"content-type": "text/html"}, b"<html>no rules</html>"), "allow"),
    *((Answer(status, (), DENY), "allow") for status in (400, 401, 402, 403, 404, 405, 410, 418, 451, 499)),
    *((Answer(status, (), b""), "deny-unreachable") for status in (408, 425, 429)),
    *((Answer(status, (), OTHER), "deny-unreachable") for status in (500, 502, 503, 520, 599, 600, 999, 100, 199)),
    *((Answer(error=why), "deny-unreachable") for why in ("dns", "refused", "timeout", "tls", "reset", "egress")),
    (Answer(200, (), OTHER, "decode"), "deny-unreachable"),
    (Answer(404, (), b"", "decode"), "allow"),
    (Answer(), "deny-unreachable"),
    (Answer(304), "deny-unreachable"),
    (Answer(302), "deny-unreachable"),
    (Answer(302, {"location": ""}), "deny-unreachable"),
    (Answer(302, {"location": "mailto:a@b"}), "deny-unreachable"),
    (Answer(302, {"location": "http://["}), "deny-unreachable"),
    (Answer(305, {"location": "/r"}), "deny-unreachable"),
    (Answer(200, {"content-type": "text/html"}, ANUBIS), "host-stop"),
    (Answer(403, {"cf-mitigated": "challenge"}), "host-stop"),
    (Answer(503, [("CF-Mitigated", "challenge")]), "host-stop"),
]


@pytest.mark.parametrize(("answer", "result"), SINGLE)
def test_one_answer(answer: Answer, result: str) -> None:
    found = _access(answer)
    assert found.result == result
    assert found.requests == 1
    assert (found.retry_after_s is not None) is (result in ("deny-unreachable", "host-stop"))
    assert (found.decision is not None) is (answer.status in (200, 204, 206) and result in ("allow", "deny-by-rule"))


def test_the_decision_names_the_rule() -> None:
    decision = _access(Answer(200, (), DENY)).decision
    assert decision is not None
    assert (decision.rule, decision.line, decision.agent) == ("Disallow: /page", 2, "*")


def test_a_challenge_rests_for_a_day() -> None:
    assert _access(Answer(403, {"cf-mitigated": "challenge"})) == Access("host-stop", DAY, 1)


REDIRECTS = [
    # locations, the last answer, result, requests
    (["/r1"], Answer(200, (), DENY), "deny-by-rule", 2),
    (["/1", "/2", "/3", "/4", "/5"], Answer(200, (), DENY), "deny-by-rule", 6),
    (["/1", "/2", "/3", "/4", "/5", "/6"], Answer(200, (), DENY), "deny-unreachable", 6),
    (["/robots.txt"], Answer(200, (), DENY), "deny-unreachable", 1),
    (["/a", "/b", "/a"], Answer(200, (), DENY), "deny-unreachable", 3),
    (["/a", "/robots.txt#x"], Answer(200, (), DENY), "deny-unreachable", 2),
    (["https://cdn.example/r"], Answer(200, (), DENY), "deny-by-rule", 2),
    (["https://cdn.example/r"], Answer(404), "allow", 2),
    (["https://cdn.example/r"], Answer(503), "deny-unreachable", 2),
    (["//cdn.example/r", "x"], Answer(error="egress"), "deny-unreachable", 3),
    (["http://site.example/robots.txt"], Answer(200, (), DENY), "deny-by-rule", 2),
]  # fmt: skip


@pytest.mark.parametrize(("locations", "last", "result", "requests"), REDIRECTS)
def test_redirects(locations: list[str], last: Answer, result: str, requests: int) -> None:
    found = _access(*_hops(*locations), last)
    assert (found.result, found.requests) == (result, requests)


@pytest.mark.parametrize("status", [300, 301, 302, 303, 307, 308])
def test_each_redirect_is_followed(status: int) -> None:
    step = next_step([Answer(status, {"Location": "/r#x"})], cached=None, now=NOW, url=URL)
    assert step == Ask("https://site.example/r")


def test_a_redirect_that_leads_nowhere_is_no_loop() -> None:
    step = next_step([Answer(302, {"Location": ""})], cached=None, now=NOW, url=URL)
    assert isinstance(step, Standing)
    assert (step.state, step.why) == ("unreachable", "302")


def test_the_caller_learns_what_to_ask_next() -> None:
    def step(*answers: Answer) -> Ask | Standing:
        return next_step(answers, cached=None, now=NOW, url=URL)

    assert step() == Ask(ROBOTS)
    hops = _hops("/a?b#c", "//cdn.example/d")
    assert step(hops[0]) == Ask("https://site.example/a?b")
    assert step(*hops) == Ask("https://cdn.example/d")
    end = step(*hops, Answer(200, (), DENY))
    assert isinstance(end, Standing)
    assert (end.state, end.source, end.requests, end.fresh_s) == ("rules", "answer", 3, DAY)


def test_too_few_answers_are_unreachable() -> None:
    assert _access() == Access("deny-unreachable", 60.0, 0)
    assert _access(*_hops("/a")).result == "deny-unreachable"


@pytest.mark.parametrize(
    ("url", "robots"),
    [
        ("https://Site.Example:443/a/b?c", ROBOTS),
        ("http://site.example:8080", "http://site.example:8080/robots.txt"),
        ("http://u:p@[::1]/x", "http://[::1]/robots.txt"),
    ],
)
def test_where_the_file_stands(url: str, robots: str) -> None:
    assert robots_url(url) == robots
    with pytest.raises(BadOption):
        robots_url("about:blank")


def _copy(age: float, body: bytes = OTHER, status: int = 200, **more: str) -> CachedFile:
    return CachedFile(body, status, NOW - age, **more)


CACHED = [
    # the copy, answers, result, requests
    (_copy(23 * HOUR), [], "allow", 0),
    (_copy(23 * HOUR, DENY), [], "deny-by-rule", 0),
    (_copy(23 * HOUR, DENY, 404), [], "allow", 0),
    (_copy(24 * HOUR), [Answer(200, (), DENY)], "deny-by-rule", 1),
    (_copy(-HOUR), [Answer(200, (), DENY)], "deny-by-rule", 1),
    (_copy(25 * HOUR), [Answer(304)], "allow", 1),
    (_copy(25 * HOUR, DENY), [Answer(304)], "deny-by-rule", 1),
    (_copy(25 * HOUR, DENY, 410), [Answer(304)], "allow", 1),
    (_copy(25 * HOUR), [Answer(503)], "allow", 1),
    (_copy(25 * HOUR, DENY), [Answer(error="dns")], "deny-by-rule", 1),
    (_copy(25 * HOUR, b"", 404), [Answer(503)], "allow", 1),
    (_copy(30 * DAY), [Answer(503)], "allow", 1),
    (_copy(31 * DAY), [Answer(503)], "deny-unreachable", 1),
    (_copy(25 * HOUR, OTHER, 503), [Answer(503)], "deny-unreachable", 1),
    (_copy(25 * HOUR, OTHER, 503), [Answer(304)], "deny-unreachable", 1),
    (_copy(HOUR, OTHER, 503), [Answer(200, (), DENY)], "deny-by-rule", 1),
    (_copy(25 * HOUR), [Answer(403, {"cf-mitigated": "challenge"})], "host-stop", 1),
    (_copy(HOUR, cache_control="max-age=60"), [Answer(200, (), DENY)], "deny-by-rule", 1),
    (_copy(25 * HOUR, cache_control="max-age=999999"), [Answer(200, (), DENY)], "deny-by-rule", 1),
    (_copy(HOUR, origin="http://site.example"), [Answer(200, (), DENY)], "deny-by-rule", 1),
    (_copy(HOUR, origin="https://site.example:8443"), [Answer(200, (), DENY)], "deny-by-rule", 1),
    (_copy(25 * HOUR, origin="http://site.example"), [Answer(503)], "deny-unreachable", 1),
    (_copy(HOUR, origin="https://SITE.example:443"), [], "allow", 0),
]


@pytest.mark.parametrize(("copy", "answers", "result", "requests"), CACHED)
def test_cached_files(copy: CachedFile, answers: list[Answer], result: str, requests: int) -> None:
    found = _access(*answers, cached=copy)
    assert (found.result, found.requests) == (result, requests)


def test_a_copy_is_confirmed_by_its_validators() -> None:
    assert next_step([], cached=_copy(25 * HOUR), now=NOW, url=URL) == Ask(ROBOTS, conditional=True)
    assert next_step([], cached=_copy(31 * DAY), now=NOW, url=URL) == Ask(ROBOTS)
    assert next_step(_hops("/a"), cached=_copy(25 * HOUR), now=NOW, url=URL) == Ask("https://site.example/a")


def test_a_standing_says_where_it_comes_from() -> None:
    def standing(*answers: Answer, cached: CachedFile) -> tuple[str, str, float | None, float | None]:
        found = next_step(answers, cached=cached, now=NOW, url=URL)
        assert isinstance(found, Standing)
        return found.state, found.source, found.fresh_s, found.retry_after_s

    assert standing(cached=_copy(23 * HOUR)) == ("rules", "cached", HOUR, None)
    assert standing(Answer(304), cached=_copy(25 * HOUR)) == ("rules", "confirmed", DAY, None)
    control = {"Cache-Control": "max-age=600"}
    assert standing(Answer(304, control), cached=_copy(25 * HOUR)) == ("rules", "confirmed", 600.0, None)
    short = _copy(25 * HOUR, cache_control="max-age=600")
    assert standing(Answer(304), cached=short) == ("rules", "confirmed", 600.0, None)
    assert standing(Answer(304), cached=_copy(2 * DAY, b"", 404)) == ("free", "confirmed", DAY, None)
    assert standing(Answer(503), cached=_copy(2 * DAY)) == ("rules", "stale", 60.0, 60.0)
    assert standing(Answer(503), cached=_copy(2 * DAY, b"", 404)) == ("free", "stale", 60.0, 60.0)


@pytest.mark.parametrize(
    ("control", "seconds"),
    [
        (None, DAY), ("", DAY), ("max-age=3600", HOUR), ("public, MAX-AGE = \"3600\"", HOUR), ("max-age=5", 60.0),
        ("max-age=0", 60.0), ("max-age=9999999999", DAY), ("max-age=x", DAY), ("no-cache", 300.0),
        ("private, no-store, max-age=0", 300.0), ("s-maxage=5", DAY), ("x-max-age=5", DAY),
    ],
)  # fmt: skip
def test_how_long_a_file_is_used(control: str | None, seconds: float) -> None:
    assert lifetime(control) == seconds


@pytest.mark.parametrize(
    ("failures", "retry_after", "seconds"),
    [
        (0, None, 60.0), (1, None, 120.0), (3, None, 480.0), (6, None, 3600.0), (10_000, None, 3600.0), (-1, None,
         60.0),
        (0, 120.0, 120.0), (0, 5.0, 60.0), (0, 7200.0, 3600.0), (5, 120.0, 1920.0),
    ],
)  # fmt: skip
def test_the_next_try(failures: int, retry_after: float | None, seconds: float) -> None:
    assert retry_in(failures, retry_after) == seconds


@pytest.mark.parametrize("value", ["120", formatdate(NOW + 120, usegmt=True)])
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_counts(status: int, value: str) -> None:
    assert _access(Answer(status, {"Retry-After": value})).retry_after_s == 120.0
    assert _access(Answer(status, {"Retry-After": value}), failures=4).retry_after_s == 960.0


ANSWER = st.builds(
    Answer,
    st.one_of(st.none(), st.integers(-1, 1000)),
    st.lists(
        st.tuples(st.sampled_from(["location", "Retry-After", "cache-control"]), st.text(max_size=12)), max_size=3
    ),
    st.binary(max_size=40),
    st.one_of(st.none(), st.text(max_size=5)),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(ANSWER, max_size=8), st.one_of(st.none(), st.builds(_copy, st.floats(-1e7, 1e7))))
def test_any_answers_have_a_meaning(answers: list[Answer], cached: CachedFile | None) -> None:
    found = _access(*answers, cached=cached)
    assert 0 <= found.requests <= min(6, len(answers))
    if found.result == "deny-by-rule":
        assert found.decision is not None
    assert found.retry_after_s is None or 60 <= found.retry_after_s <= DAY
