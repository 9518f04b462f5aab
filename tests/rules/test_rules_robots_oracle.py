"""Protego as the oracle: where it and RFC 9309 differ is pinned, and nowhere else do they differ.

A new release of Protego that changes one of the pinned answers fails here, so that the list is read again.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protego import Protego

from polite_crawler.rules.robots import parse

SITE = "https://site.example"

DISAGREEMENTS = [
    # why, robots.txt, token, path, what the RFC says
    ("another record ends no group", "User-agent: A\nCrawl-delay: 5\nUser-agent: B\nDisallow: /\n", "A", "/a", False),
    ("also Content-Signal", "User-agent: A\nContent-Signal: x=y\nUser-agent: B\nDisallow: /\n", "A", "/a", False),
    ("also an unknown one", "User-agent: A\nNoindex: /q\nUser-agent: B\nDisallow: /\n", "A", "/a", False),
    ("a part of our token is another", "User-agent: Polite\nDisallow: /\n", "PoliteCrawler", "/a", True),
    ("Claude is not Claude-User", "User-agent: Claude\nDisallow: /\n", "Claude-User", "/a", True),
    ("a version after the token", "User-agent: Bot/0.1\nDisallow: /\n", "Bot", "/a", False),
    ("words after the token", "User-agent: Bot images\nDisallow: /\n", "Bot", "/a", False),
    ("a vertical tab ends no line", "User-agent: *\nDisallow: /a #\vAllow: /a/b\n", "Bot", "/a/b", False),
    ("U+2028 ends no line", "User-agent: *\nDisallow: /a #\u2028Allow: /a/b\n", "Bot", "/a/b", False),
    ("a last $ is only the end", "User-agent: *\nDisallow: /\nAllow: /d$\n", "Bot", "/d$x", False),
    ("? counts as one octet", "User-agent: *\nDisallow: /*?\nAllow: /wa/\n", "Bot", "/wa/y?z=1", True),
    ("%3F is not ?", "User-agent: *\nDisallow: /a%3Fb\n", "Bot", "/a?b", True),
    ("no rule for index.html", "User-agent: *\nDisallow: /\nAllow: /d/index.html\n", "Bot", "/d/", False),
]  # fmt: skip


def _protego(robots: str, token: str, path: str) -> bool:
    return bool(Protego.parse(robots).can_fetch(SITE + path, token))


@pytest.mark.parametrize(
    ("robots", "token", "path", "allowed"), [row[1:] for row in DISAGREEMENTS], ids=[row[0] for row in DISAGREEMENTS]
)
def test_the_pinned_disagreements(robots: str, token: str, path: str, allowed: bool) -> None:
    assert parse(robots.encode()).decide(token, SITE + path).allowed is allowed
    assert _protego(robots, token, path) is not allowed


SEGMENT = st.sampled_from(["a", "b", "ab", "x1", "~u", "a.b", "*", "a*b", "%41", "%2F", "é"])
PATH = st.lists(SEGMENT.filter(lambda text: "*" not in text), max_size=3).map(lambda parts: "/" + "/".join(parts))
PATTERN = st.tuples(st.lists(SEGMENT, max_size=3), st.sampled_from(["", "/"])).map(
    lambda made: "/" + "/".join(made[0]) + made[1]
)
RULE = st.tuples(st.sampled_from(["Allow", "Disallow"]), PATTERN).map(": ".join)
GROUP = st.tuples(
    st.lists(st.sampled_from(["Alpha", "alpha", "Beta", "*"]), min_size=1, max_size=2, unique=True),
    st.lists(RULE, min_size=1, max_size=4),
).map(lambda made: "\n".join([*(f"User-agent: {agent}" for agent in made[0]), *made[1]]))
FILE = st.lists(GROUP, max_size=4).map(lambda groups: "\n\n".join(groups) + "\n")


@settings(max_examples=200, deadline=None)
@given(FILE, PATH, st.sampled_from(["Alpha", "Beta", "Gamma"]))
def test_no_other_disagreement(robots: str, path: str, token: str) -> None:
    ours = parse(robots.encode()).decide(token, SITE + path)
    assert ours.allowed is _protego(robots, token, path), ours


@settings(max_examples=100, deadline=None)
@given(FILE, st.sampled_from(["Alpha", "Beta", "Gamma"]), st.integers(0, 500))
def test_crawl_delays_agree(robots: str, token: str, delay: int) -> None:
    text = robots.replace("\nAllow", f"\nCrawl-delay: {delay}\nAllow", 1)
    theirs = Protego.parse(text).crawl_delay(token)
    assert parse(text.encode()).crawl_delay(token) == theirs
