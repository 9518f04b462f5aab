"""RFC 9309: groups, lines, patterns, octets, and what stands outside the RFC."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polite_crawler.rules.robots import MAX_DELAY, MAX_OCTETS, Decision, parse
from polite_crawler.rules.robotsfile import names_token

US = "PoliteCrawler"
SITE = "https://site.example"


def _allows(robots: str | bytes, path: str, token: str = US) -> bool:
    body = robots.encode() if isinstance(robots, str) else robots
    return parse(body).decide(token, SITE + path).allowed


GROUPS = [
    # what, robots.txt, token, path, allowed
    ("no group", "", US, "/a", True),
    ("another group only", "User-agent: Other\nDisallow: /\n", US, "/a", True),
    ("everybody", "User-agent: *\nDisallow: /a\n", US, "/a", False),
    ("our group replaces everybody's", "User-agent: *\nDisallow: /\n\nUser-agent: PoliteCrawler\nDisallow: /b\n", US,
     "/a", True),
    ("our empty group too", "User-agent: *\nDisallow: /\n\nUser-agent: PoliteCrawler\n", US, "/a", True),
    ("an empty disallow is no rule", "User-agent: *\nDisallow: /\n\nUser-agent: PoliteCrawler\nDisallow:\n", US, "/a",
     True),
    ("an empty disallow ends the agents", "User-agent: PoliteCrawler\nDisallow:\nUser-agent: B\nDisallow: /\n", US,
     "/a", True),
    ("order has no meaning", "User-agent: PoliteCrawler\nAllow: /\n\nUser-agent: *\nDisallow: /\n", US, "/a", True),
    ("case has none", "User-agent: pOLITEcRAWLER\nDisallow: /\n", US, "/a", False),
    ("a prefix is another token", "User-agent: Polite\nDisallow: /\n", US, "/a", True),
    ("a longer token is another", "User-agent: PoliteCrawler-News\nDisallow: /\n", US, "/a", True),
    ("with an underscore too", "User-agent: PoliteCrawler_x\nDisallow: /\n", US, "/a", True),
    ("Claude is not Claude-User", "User-agent: Claude\nDisallow: /\n", "Claude-User", "/a", True),
    ("ClaudeBot is not Claude-User", "User-agent: ClaudeBot\nDisallow: /\n", "Claude-User", "/a", True),
    ("the second of three agents", "User-agent: A\nUser-agent: Claude-User\nUser-agent: B\nDisallow: /\n",
     "Claude-User", "/a", False),
    ("a version after the token", "User-agent: PoliteCrawler/0.1\nDisallow: /\n", US, "/a", False),
    ("words after the token", "User-agent: PoliteCrawler images\nDisallow: /\n", US, "/a", False),
    ("a comment after the token", "User-agent: PoliteCrawler # ours\nDisallow: /\n", US, "/a", False),
    ("inside a token", "User-agent: NotPoliteCrawler\nDisallow: /\n", US, "/a", True),
    ("a digit after the token", "User-agent: PoliteCrawler2\nDisallow: /\n", US, "/a", False),
    ("a token with digits is whole", "User-agent: Bot42x\nDisallow: /\n", "Bot4", "/a", True),
    ("* with a comment", "User-agent: * # all\nDisallow: /\n", US, "/a", False),
    ("* and words", "User-agent: * all\nDisallow: /\n", US, "/a", False),
    ("* and more", "User-agent: *bot\nDisallow: /\n", US, "/a", True),
    ("groups of one token merge",
     "User-agent: PoliteCrawler\nDisallow: /a\n\nUser-agent: X\n\nUser-agent: politecrawler\nDisallow: /b\n", US, "/b",
      False),
    ("also those of everybody", "User-agent: *\nDisallow: /a\n\nUser-agent: X\n\nUser-agent: *\nDisallow: /b\n", US,
     "/b", False),
    ("ours and * in one group",
     "User-agent: PoliteCrawler\nUser-agent: *\nDisallow: /x\n\nUser-agent: *\nDisallow: /y\n", US, "/y", True),
    ("rules in front of a group", "Disallow: /\n\nUser-agent: *\nDisallow: /b\n", US, "/a", True),
    ("blank lines end no agents", "User-agent: PoliteCrawler\n\n\nUser-agent: B\n\nDisallow: /x\n", US, "/x", False),
    ("blank lines end no rules", "User-agent: PoliteCrawler\nDisallow: /a\n\n\nDisallow: /x\n", US, "/x", False),
    ("no token still opens a group", "User-agent: A\nDisallow: /x\nUser-agent:\nDisallow: /y\n", "A", "/y", True),
    ("an invalid token too", "User-agent: A\nDisallow: /x\nUser-agent: 5eme\nDisallow: /y\n", "A", "/y", True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("robots", "token", "path", "allowed"), [row[1:] for row in GROUPS], ids=[row[0] for row in GROUPS]
)
def test_groups(robots: str, token: str, path: str, allowed: bool) -> None:
    assert _allows(robots, path, token) is allowed


OTHER_RECORDS = [
    "Sitemap: https://site.example/s.xml", "Crawl-delay: 10", "Host: site.example", "Content-Signal: ai-train=no",
    "Content-Usage: train-ai=n", "Request-rate: 1/10", "Noindex: /q", "License: https://site.example/l.xml",
    "Unknown-Thing: x", "Clean-param: a /b", "Visit-time: 0600-0845", "prose without a colon of some words",
]  # fmt: skip


@pytest.mark.parametrize("record", OTHER_RECORDS)
def test_other_records_end_no_group(record: str) -> None:
    assert not _allows(f"User-agent: PoliteCrawler\n{record}\nUser-agent: Other\nDisallow: /x\n", "/x")
    assert not _allows(f"User-agent: PoliteCrawler\nDisallow: /a\n{record}\nDisallow: /x\n", "/x")


LINES = [
    ("LF", "User-agent: *\nDisallow: /x\n", False),
    ("CR", "User-agent: *\rDisallow: /x\r", False),
    ("CRLF", "User-agent: *\r\nDisallow: /x\r\n", False),
    ("mixed, no last end", "User-agent: *\rDisallow: /a\r\nDisallow: /b\nDisallow: /x", False),
    *((f"U+{ord(char):04X} ends no line", f"User-agent: *\nDisallow: /a #{char}Disallow: /x\n", True)
     for char in "\v\f\x1c\x1d\x1e\x85\u2028\u2029"),
    ("spaces around all", " \t User-agent \t : \t * \nDisallow\f: /x\v\n", False),
    ("any case of a key", "USER-AGENT: *\ndISALLOW: /x\n", False),
    ("no colon, two words", "User-agent *\nDisallow /x\n", False),
    ("no colon, three words", "User-agent: *\nDisallow /x please\n", True),
    ("prose", "User-agent: *\nAllow everything that is public\nDisallow: /x\n", False),
    *((f"misspelled {key}", f"User-agent: *\n{key}: /x\n", False) for key in ("Dissallow", "Dissalow", "Disalow",
     "Diasllow", "Disallaw")),
    *((f"misspelled {key}", f"{key}: *\nDisallow: /x\n", False) for key in ("Useragent", "User agent")),
    ("a comment cuts", "User-agent: *\nDisallow: /x#y\n", False),
    ("only a comment", "User-agent: *\nDisallow: #/x\n", True),
    ("a UTF-8 mark", b"\xef\xbb\xbfUser-agent: *\nDisallow: /x\n", False),
    ("a part of the mark", b"\xef\xbbUser-agent: *\nDisallow: /x\n", False),
    ("UTF-16 LE", "\ufeffUser-agent: *\nDisallow: /x\n".encode("utf-16-le"), False),
    ("UTF-16 BE", "\ufeffUser-agent: *\nDisallow: /x\n".encode("utf-16-be"), False),
    ("a false UTF-16 mark", b"\xff\xfeUser-agent: *\nDisallow: /x\n", False),
    ("a line that is no UTF-8", b"User-agent: *\nDisallow: /caf\xe9\nDisallow: /x\n", False),
    ("stray NULs", b"User-agent: *\n\0\0Disallow: /x\0\n", False),
    ("HTML", "<html><body>Not found</body></html>", True),
]  # fmt: skip


@pytest.mark.parametrize(("robots", "allowed"), [row[1:] for row in LINES], ids=[row[0] for row in LINES])
def test_lines(robots: str | bytes, allowed: bool) -> None:
    assert _allows(robots, "/x") is allowed


PATTERNS: list[tuple[str, list[str], list[str]]] = [
    # pattern of a disallow, what it matches, what it does not match
    ("/foo", ["/foo", "/foo/", "/foobar", "/foo?x", "/foo;p", "/foo#f"], ["/fo", "/Foo", "/x/foo", "/", "/%2Ffoo"]),
    ("/", ["", "/", "?q", "/a/robots.txt", "/robots.txt.bak", "/Robots.txt", "/robots.txt?x"], ["/robots.txt"]),
    ("/robots.txt", ["/robots.txt/x"], ["/robots.txt", "/robots.txt#x"]),
    ("foo/", ["/foo/", "/foo/a"], ["/foo", "/a/foo/"]),
    ("/this/*/exactly", ["/this/a/exactly", "/this//exactly", "/this/a/b/exactly?x"], ["/this/exactly",
     "/this/a/exactl"]),
    ("/fish*", ["/fish", "/fishes"], ["/fis"]),
    ("*.gif$", ["/a/b.gif"], ["/a.gif?x", "/a.gifx"]),
    ("/*a*b*c", ["/abc", "/xaxbxc", "/aabbcc"], ["/acb", "/ab", "/cba"]),
    ("/a***b", ["/ab", "/axb"], ["/a"]),
    ("/*aa*aa", ["/aaaa", "/aa/aa"], ["/aaa", "/aa"]),
    ("/*.php$", ["/a.php", "/x/y.php", "/a.php.php", "/?f=a.php"], ["/a.php?x", "/a.php5", "/a.PHP"]),
    ("/a*aba$", ["/aaba", "/axaba"], ["/aba"]),
    ("/exact$", ["/exact"], ["/exact/", "/exact?a", "/exact$", "/exact%24", "/exac"]),
    ("/a$b", ["/a$b", "/a$bc", "/a%24b"], ["/a", "/ab"]),
    ("/a$$", ["/a$"], ["/a", "/a$b"]),
    ("/fish*$", ["/fish", "/fish/x"], ["/shark/fish"]),
    ("$", [], ["/", "/$"]),
    ("/a.b", ["/a.b"], ["/axb"]),
    ("/[ef](g|h)i?j+", ["/[ef](g|h)i?j+", "/%5Bef%5D%28g%7Ch%29i?j%2B"], ["/e", "/eg", "/[ef](g|h)ij"]),
    ("/foo/%62%61%7A", ["/foo/baz", "/foo/%62%61%7A", "/foo/ba%7a"], ["/foo/BAZ"]),
    ("/a%3Cd.html", ["/a%3cd.html", "/a%3Cd.html"], ["/a%3Dd.html"]),
    ("/a%2fb", ["/a%2Fb"], ["/a/b"]),
    ("/a/b", ["/a/b"], ["/a%2fb", "//a/b"]),
    ("/a:b", ["/a:b", "/a%3Ab"], []),
    ("/a%2Ab", ["/a*b", "/a%2ab"], ["/axb"]),
    ("/a%24", ["/a$", "/a$b"], ["/a"]),
    ("/%zz%", ["/%zz%", "/%25zz%25"], ["/zz"]),
    ("/é", ["/é", "/%C3%A9", "/%c3%a9x"], ["/e"]),
    ("/s?q=é", ["/s?q=%C3%A9"], ["/s%3Fq=%C3%A9", "/s?q%3Dé"]),
    ("/a b", ["/a%20bc", "/a b"], ["/ab"]),
    ("//a", ["//a/b"], ["/a/b"]),
    ("/?", ["/?a", "?a", "/?"], ["/", "/a?"]),
    ("/*s=", ["/?s=a"], ["/?s%3Da"]),
    ("/*://x.example", ["/go?u=https://x.example/y"], []),
    ("/a/private", ["/a/./private", "/a/b/../private", "/a/%2e%2E/a/private", "\\a\\private"], ["/a/../private"]),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "hits", "misses"), PATTERNS, ids=[row[0] for row in PATTERNS])
def test_patterns(pattern: str, hits: list[str], misses: list[str]) -> None:
    robots = f"User-agent: *\nDisallow: {pattern}\n"
    assert [path for path in hits if _allows(robots, path)] == []
    assert [path for path in misses if not _allows(robots, path)] == []


def test_an_octet_outside_utf8_is_compared_as_it_is() -> None:
    assert not _allows(b"User-agent: *\nDisallow: /caf\xe9\n", "/caf%E9")


def test_an_allow_without_a_slash_matches_nothing() -> None:
    assert not _allows("User-agent: *\nDisallow: /\nAllow: fish\n", "/fish")
    assert _allows("User-agent: *\nDisallow: /\nAllow: *fish\n", "/fish")


OCTETS = [
    # disallow, allow, path, allowed, octets of the rule that decides
    ("/a", "/a/b", "/a/b", True, 4),
    ("/a/b/c", "/a/b", "/a/b/c", False, 6),
    ("/a", "/a", "/a", True, 2),
    ("/*b", "/ab", "/ab", True, 3),
    ("/*.htm", "/page", "/page.htm", False, 6),
    ("/", "/$", "/", True, 2),
    ("/", "/$", "/a", False, 1),
    ("/a?b", "/a*bcd", "/a?bcd", True, 6),
    ("/*?", "/wa/", "/wa/y?z=1", True, 4),
    ("/w:x:y", "/w*y*zz", "/w:x:yzz", True, 7),
    ("/é", "/*éa", "/%C3%A9a", True, 9),
    ("/%61%62%63", "/abc/d", "/abc/d", True, 6),
    ("/%3C", "/<a", "/%3Ca", False, 4),
    ("/a%2F", "/a*b", "/a%2Fb", False, 5),
]


@pytest.mark.parametrize(("disallow", "allow", "path", "allowed", "octets"), OCTETS)
def test_the_rule_with_the_most_octets_decides(
    disallow: str, allow: str, path: str, allowed: bool, octets: int
) -> None:
    for rules in (f"Disallow: {disallow}\nAllow: {allow}", f"Allow: {allow}\nDisallow: {disallow}"):
        found = parse(f"User-agent: *\n{rules}\n".encode()).decide(US, SITE + path)
        assert (found.allowed, found.octets) == (allowed, octets)


def test_the_decision_names_group_rule_and_line() -> None:
    file = parse(b"# ours\nUser-agent: 008\r\nuser-agent: politecrawler\r\rdisallow:  /private # x\nAllow: /\n")
    assert file.decide(US, SITE + "/private/a") == Decision(
        False, "PoliteCrawler", ("008", "politecrawler"), "Disallow: /private", 5, 8
    )
    assert file.decide(US, SITE + "/b") == Decision(True, "PoliteCrawler", ("008", "politecrawler"), "Allow: /", 6, 1)
    assert file.decide(US, SITE + "/robots.txt") == Decision(True, "PoliteCrawler")
    assert file.decide("Other", SITE + "/private") == Decision(True)
    assert parse(b"User-agent: *\n").decide(US, SITE) == Decision(True, "*")
    assert parse(b"User-agent: *\nDisallow: " + b"/x" * 400).decide("*", SITE + "/x" * 400).rule is not None


def test_the_text_of_a_long_rule_is_cut() -> None:
    found = parse(b"User-agent: *\nDisallow: /" + b"x" * 5000).decide(US, SITE + "/" + "x" * 5000)
    assert found.rule is not None
    assert len(found.rule) == 500
    assert found.octets == 5001


@pytest.mark.parametrize(
    "url", ["", "/a", "a", "//site.example/a", "ftp://site.example/a", "https://u:p@site.example:1/a"]
)
def test_odd_urls_are_read_as_paths(url: str) -> None:
    file = parse(b"User-agent: *\nDisallow: /a\nDisallow: /$\n")
    assert not file.decide(US, url).allowed


def test_the_file_is_cut_and_its_last_line_dropped() -> None:
    line = b"Allow: /public/x\n"
    head = b"User-agent: *\nDisallow: /private\n"
    filler = b"#" * (MAX_OCTETS - len(head) - 9) + b"\n"
    file = parse(head + filler + line)
    assert file.truncated
    assert not file.decide(US, SITE + "/private").allowed
    assert [rule.text for rule in file.groups[0].rules] == ["Disallow: /private"]
    exact = parse((head + filler + line)[:MAX_OCTETS])
    assert not exact.truncated
    assert [rule.text for rule in exact.groups[0].rules] == ["Disallow: /private", "Allow: /"]
    assert parse(b"x" * (MAX_OCTETS + 1)).truncated


def test_a_long_line_hides_nothing() -> None:
    assert not _allows("User-agent: *\nDisallow: /" + "x" * 100_000 + "\nDisallow: /y\n", "/y")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/" + "a*" * 5000 + "b", "/" + "a" * 4000), ("/" + "*a" * 5000 + "$", "/" + "a" * 4000 + "b"),
        ("/" + "*" * 10_000 + "b", "/" + "a" * 4000), ("/" + "*ab" * 64 + "c", "/" + "ab" * 2000),
    ],
)  # fmt: skip
def test_many_wildcards_take_linear_time(pattern: str, path: str) -> None:
    """A matcher that backtracks would never end here."""
    assert _allows(f"User-agent: *\nDisallow: {pattern}\n", path)


def test_many_agents_and_records_take_linear_time() -> None:
    """Copies of the agents for each record would need hundreds of millions of steps."""
    body = b"".join(b"user-agent:a%d\nx:1\n" % n for n in range(25_000))
    file = parse(body)
    assert file.records[-1].agents == (f"a{len(file.records) - 1}",)


DELAYS = [
    # robots.txt, token, crawl delay
    ("User-agent: *\nCrawl-delay: 10\n", US, 10.0),
    ("User-agent: *\nCrawl-delay: 2.5 # slow\n", US, 2.5),
    ("User-agent: *\nCrawl-delay: .5\n", US, 0.5),
    ("User-agent: *\nCrawl-delay: 10s\n", US, 10.0),
    ("User-agent: *\nCrawl-delay: 10\nCrawl-delay: 20\nCrawl-delay: 5\n", US, 20.0),
    ("User-agent: *\nCrawl-delay: 0\n", US, 0.0),
    ("User-agent: *\nCrawl-delay: 999999\n", US, MAX_DELAY),
    *((f"User-agent: *\nCrawl-delay: {bad}\n", US, None) for bad in ("-1", "x", "", "1e400", "inf", "nan", "1,5",
     "10 m", "٣")),
    ("User-agent: *\nCrawl-delay: 10\n\nUser-agent: PoliteCrawler\nAllow: /\n", US, None),
    ("User-agent: *\nCrawl-delay: 10\n\nUser-agent: PoliteCrawler\nCrawl-delay: 2\n", US, 2.0),
    ("User-agent: PoliteCrawler\nCrawl-delay: 10\nUser-agent: Other\nDisallow: /\n", US, 10.0),
    ("User-agent: PoliteCrawler\nCrawl-delay: 10\nUser-agent: Other\nDisallow: /\n", "Other", None),
    ("User-agent: Other\nCrawl-delay: 10\nUser-agent: PoliteCrawler\nDisallow: /\n", US, None),
    ("User-agent: Polite\nCrawl-delay: 10\n", US, None),
    ("User-agent: *\nCrawl-delay: 1\n\nUser-agent: Slow\nCrawl-delay: 60\n", US, 1.0),
    ("User-agent: *\nCrawl-delay: 1\n\nUser-agent: Slow\nCrawl-delay: 60\n", "Slow", 60.0),
    ("User-agent: *\nUser-agent: B\nCrawl-delay: 1\nCrawl-delay: 2\nUser-agent: C\nCrawl-delay: 3\n", "B", 2.0),
    ("User-agent: A\nRequest-rate: 1/1\nUser-agent: B\nCrawl-delay: 3\n", "A", 3.0),
    ("Crawl-delay: 7\nUser-agent: *\nDisallow: /x\n", US, 7.0),
    ("Crawl-delay: 7\nUser-agent: PoliteCrawler\nCrawl-delay: 2\n", US, 7.0),
]  # fmt: skip


@pytest.mark.parametrize(("robots", "token", "delay"), DELAYS)
def test_crawl_delay(robots: str, token: str, delay: float | None) -> None:
    assert parse(robots.encode()).crawl_delay(token) == delay


@pytest.mark.parametrize(
    ("rate", "seconds"),
    [
        ("1/10", 10.0), ("1/10s", 10.0), ("1/5m", 300.0), ("2/1h", 1800.0), ("1/1d", MAX_DELAY), ("1/9d", MAX_DELAY),
        ("30/60", 2.0), ("1 / 10", 10.0), ("1/30 0600-0845", 30.0), ("0/10", None), ("1", None), ("x/y", None),
         ("-1/5", None),
    ],
)  # fmt: skip
def test_request_rate(rate: str, seconds: float | None) -> None:
    assert parse(f"User-agent: *\nRequest-rate: {rate}\n".encode()).request_rate(US) == seconds


def test_the_interval_is_the_largest_over_all_tokens() -> None:
    file = parse(
        b"User-agent: A\nCrawl-delay: 5\n\nUser-agent: B\nRequest-rate: 1/20\n\nUser-agent: *\nCrawl-delay: 9\n"
    )
    assert file.interval(["A", "B"]) == 20.0
    assert file.interval(["C"]) == 9.0
    assert file.interval([]) is None


def test_records_outside_the_rfc() -> None:
    file = parse(
        b"Sitemap: https://site.example/1.xml\nUser-agent: *\nDisallow: /x\nVisit-time: 0600-0845\n"
        b"sitemap: /relative.xml\nSitemap: https://site.example/1.xml\nHost: www.site.example\n"
    )
    assert file.sitemaps == ("https://site.example/1.xml", "/relative.xml")
    assert file.host == "www.site.example"
    assert file.visit_time(US) == ("06:00", "08:45")
    nothing = parse(b"User-agent: *\nDisallow: /x\n")
    assert (nothing.sitemaps, nothing.host, nothing.visit_time(US)) == ((), None, None)


@pytest.mark.parametrize(
    ("agent", "token", "named"),
    [("A/1", "a", True), ("ab", "a", False), ("a-", "a", False), ("a1", "a", True), ("a1", "a1", True), ("a12", "a1",
     False),
     ("", "", False), ("a", "", False), ("a.b", "a", True)],
)  # fmt: skip
def test_which_line_names_a_token(agent: str, token: str, named: bool) -> None:
    assert names_token(agent, token) is named


LINE = st.one_of(
    st.sampled_from(
        ["User-agent: *", "User-agent: PoliteCrawler", "Disallow: /", "Allow: /a*$", "Crawl-delay: 1", "#", ""]
    ),
    st.text(max_size=20),
)


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(st.binary(max_size=200), st.lists(LINE, max_size=12).map(lambda lines: "\n".join(lines).encode())),
    st.text(max_size=20),
)
def test_any_octets_are_a_file(body: bytes, path: str) -> None:
    file = parse(body)
    decision = file.decide(US, SITE + "/" + path)
    assert decision.allowed or decision.rule
    assert file.decide(US, SITE + "/robots.txt").allowed
    assert file.interval([US]) is None or 0 <= (file.interval([US]) or 0) <= MAX_DELAY
    assert isinstance(file.sitemaps, tuple)
    assert file.visit_time(US) is None or len(file.visit_time(US) or ()) == 2
    assert isinstance(file.host, str | None)
