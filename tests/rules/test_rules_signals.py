"""Usage signals of robots.txt, headers and HTML, and how they combine."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polite_crawler.rules.preferences import content_signal, content_usage, robots_directives
from polite_crawler.rules.robots import parse
from polite_crawler.rules.signals import Signals, combine
from polite_crawler.rules.structured import dictionary_tokens

URL = "https://site.example/a/page?q=1"
Headers = Sequence[tuple[str, str]]


def _read(
    robots: str | None = None, *, headers: Headers = (), html: str | bytes | None = None, tdmrep: str | None = None,
    url: str = URL, tokens: Sequence[str] = ("PoliteCrawler",),
) -> Signals:  # fmt: skip
    return combine(
        robots=None if robots is None else robots.encode(),
        url=url,
        headers=headers,
        html=html.encode() if isinstance(html, str) else html,
        tdmrep=None if tdmrep is None else tdmrep.encode(),
        tokens=tokens,
    )


CONTENT_SIGNALS = [
    ("search=yes, ai-input=no, ai-train=no", {"search": "yes", "ai-input": "no", "ai-train": "no"}),
    ("search=yes,ai-train=no,use=reference", {"search": "yes", "ai-train": "no", "use": "reference"}),
    ("search=yes; ai-input=no", {"search": "yes", "ai-input": "no"}),
    ("search=yes ai-input=no", {"search": "yes", "ai-input": "no"}),
    ("AI-Input = NO", {"ai-input": "no"}),
    ("ai_input=no, ai_train=yes", {"ai-input": "no", "ai-train": "yes"}),
    ('ai-input="no", search=\'yes\'', {"ai-input": "no", "search": "yes"}),
    ("ai-input=disallow, search=allow", {"ai-input": "no", "search": "yes"}),
    ("ai-input=n, search=y, ai-train=0", {"ai-input": "no", "search": "yes", "ai-train": "no"}),
    ("ai-input=deny, ai-train=false, search=true", {"ai-input": "no", "ai-train": "no", "search": "yes"}),
    ("ai-input=no, ai-input=yes", {"ai-input": "no"}),
    ("ai-input=yes, ai-input=no", {"ai-input": "no"}),
    ("use=full, use=immediate, use=reference", {"use": "immediate"}),
    ("ai-input=maybe, use=never, other=no", {}),
    ("no", {}), ("", {}), (",;=", {}), ("ai-input", {}), ("ai-input=", {}), ("xai-input=no", {}), ("ai-input-x=no", {}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "pairs"), CONTENT_SIGNALS)
def test_content_signal(text: str, pairs: dict[str, str]) -> None:
    assert content_signal(text) == pairs
    assert _read(headers=[("Content-Signal", text)]).content_signal == pairs
    assert _read(f"User-agent: *\nContent-Signal: {text}\n").content_signal == pairs


ROBOTS = [
    # what, robots.txt, tokens, content_signal
    ("of our group",
     "User-agent: *\nContent-Signal: ai-input=no\n\n"
     "User-agent: PoliteCrawler\nContent-Signal: ai-input=yes\nAllow: /\n",
     ["PoliteCrawler"], {"ai-input": "yes"}),
    ("our group inherits nothing",
     "User-agent: *\nContent-Signal: ai-input=no\nAllow: /\n\nUser-agent: PoliteCrawler\nAllow: /\n",
     ["PoliteCrawler"], {}),
    ("two groups for everybody", "User-agent: *\nContent-Signal: ai-input=no\nAllow: /\n\n"
     "User-agent: *\nContent-Signal: ai-input=yes\nDisallow: /t\n", ["PoliteCrawler"], {"ai-input": "no"}),
    ("in front of all groups", "Content-Signal: ai-input=no\nUser-agent: *\nAllow: /\n", ["PoliteCrawler"],
     {"ai-input": "no"}),
    ("in front of all groups, with one of ours",
     "Content-Signal: ai-input=no\nUser-agent: PoliteCrawler\nContent-Signal: ai-input=yes, search=yes\nAllow: /\n",
     ["PoliteCrawler"], {"ai-input": "no", "search": "yes"}),
    ("below other agents", "User-agent: Other\nContent-Signal: ai-input=no\nUser-agent: PoliteCrawler\nAllow: /\n",
     ["PoliteCrawler"], {}),
    ("above other agents", "User-agent: PoliteCrawler\nContent-Signal: ai-input=no\nUser-agent: Other\nAllow: /\n",
     ["PoliteCrawler"], {"ai-input": "no"}),
    ("after the rules", "User-agent: *\nAllow: /\nContent-Signal: ai-input=no\n", ["PoliteCrawler"],
     {"ai-input": "no"}),
    ("each agent counts", "User-agent: Claude-User\nContent-Signal: ai-input=no\nAllow: /\n", ["PoliteCrawler",
     "Claude-User"], {"ai-input": "no"}),
    ("no beats yes",
     "User-agent: *\nContent-Signal: ai-input=no\nAllow: /\n\n"
     "User-agent: Claude-User\nContent-Signal: ai-input=yes\nAllow: /\n",
     ["PoliteCrawler", "Claude-User"], {"ai-input": "no"}),
    ("a path", "User-agent: *\nContent-Signal: ai-input=yes\nContent-Signal: /a/ ai-input=no\n", ["PoliteCrawler"],
     {"ai-input": "no"}),
    ("another path", "User-agent: *\nContent-Signal: ai-input=yes\nContent-Signal: /b/ ai-input=no\n",
     ["PoliteCrawler"], {"ai-input": "yes"}),
    ("a pattern", "User-agent: *\nContent-Signal: *page ai-input=no\nContent-Signal: /a ai-input=yes\n",
     ["PoliteCrawler"], {"ai-input": "no"}),
    ("a path alone", "User-agent: *\nContent-Signal: /a/\n", ["PoliteCrawler"], {}),
    ("in comments", "# content-signal: ai-input=no\nUser-agent: *\nAllow: / # Content-Signal: ai-input=no\n",
     ["PoliteCrawler"], {}),
    ("of a URL that is disallowed", "User-agent: *\nContent-Signal: ai-input=no\nDisallow: /\n", ["PoliteCrawler"],
     {"ai-input": "no"}),
]  # fmt: skip


@pytest.mark.parametrize(("robots", "tokens", "pairs"), [row[1:] for row in ROBOTS], ids=[row[0] for row in ROBOTS])
def test_content_signals_of_robots_txt(robots: str, tokens: list[str], pairs: dict[str, str]) -> None:
    assert _read(robots, tokens=tokens).content_signal == pairs


def test_sources_combine_and_no_beats_yes() -> None:
    robots = "User-agent: *\nContent-Signal: ai-input=no, use=full\n"
    headers = [
        ("content-signal", "ai-input=yes, search=yes"),
        ("X-Archive-Orig-Content-Signal", "search=no, use=reference"),
    ]
    assert _read(robots, headers=headers).content_signal == {"ai-input": "no", "search": "no", "use": "reference"}


def test_a_parsed_file_is_read_too() -> None:
    file = parse(b"User-agent: *\nContent-Signal: ai-input=no\n")
    assert combine(robots=file, url=URL, headers=(), html=None).hold == "ai-input=no"


DICTIONARIES: list[tuple[str, dict[str, str | None] | None]] = [
    ("", {}), ("a=b", {"a": "b"}), ("a=b, c=d", {"a": "b", "c": "d"}), ("a=b,c", {"a": "b", "c": None}),
    ("a=b;x=1;y=\"z\";w, c=d", {"a": "b", "c": "d"}), ("a;x, a=b", {"a": "b"}), ("a=b, a", {"a": None}),
    ('a="b", c=1, d=-1.5, e=?0, f=:aGk=:, g=@12, h=%"x%c3%a9"', dict.fromkeys("acdefgh")),
    ("a=(b \"c\" 1);x, d=e", {"a": None, "d": "e"}), ("a=()", {"a": None}), ("a=( b  c )", {"a": None}),
    ("a=b\t,\t c=d", {"a": "b", "c": "d"}), ("  a=b  ", {"a": "b"}), ("*a-b.c_d=x/y:z", {"*a-b.c_d": "x/y:z"}),
    ("A=b", None), ("a=b,", None), (",a=b", None), ("a=b c=d", None), ("a=", None), ("a=b;", None), ("a=b;X=1", None),
    ('a="b', None), ("a=(b", None), ("a=(b\"c\")", None), ("a=?2", None), ("a=:x", None), ("a=1.2345", None), ("a=é",
     None),
    ("a=1234567890123456", None), ("a==b", None), ("1=a", None), ("a=b;;c", None), ("a=(b,c)", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "members"), DICTIONARIES)
def test_structured_dictionaries(text: str, members: dict[str, str | None] | None) -> None:
    assert dictionary_tokens(text) == members


@pytest.mark.parametrize(
    ("text", "usage"),
    [
        ("train-ai=n", {"train-ai": "n"}), ("train-ai=y, search=n", {"train-ai": "y", "search": "n"}),
        ("train-ai;allow=n, train-ai=y", {"train-ai": "y"}), ("train-ai=no", {}), ("train-ai=N", {}), ('train-ai="n"',
         {}),
        ("train-ai", {}), ("Train-AI=n, search=n", {}), ("train-ai=n,", {}), ("other=n", {}), ("", {}),
    ],
)  # fmt: skip
def test_content_usage(text: str, usage: dict[str, str]) -> None:
    assert content_usage(text) == usage
    assert _read(headers=[("content-usage", text)]).content_usage == usage
    assert _read(f"User-agent: *\nContent-Usage: {text}\n").content_usage == usage
    assert _read(headers=[("content-usage", text)]).hold is None


def test_fields_of_content_usage_are_joined_before_they_are_parsed() -> None:
    assert _read(headers=[("Content-Usage", "train-ai=n"), ("content-usage", "search=y")]).content_usage == {
        "train-ai": "n", "search": "y",
    }  # fmt: skip
    assert _read(headers=[("Content-Usage", "train-ai=n"), ("content-usage", "X")]).content_usage == {}
    archived = [("Content-Usage", "train-ai=y"), ("X-Archive-Orig-Content-Usage", "train-ai=n")]
    assert _read(headers=archived).content_usage == {"train-ai": "n"}


USAGE_LINES = [
    # lines below `User-agent: *`, URL, content_usage
    ("Content-Usage: train-ai=n\nContent-Usage: /ai-ok/ train-ai=y", "/test", {"train-ai": "n"}),
    ("Content-Usage: train-ai=n\nContent-Usage: /ai-ok/ train-ai=y", "/ai-ok/x", {"train-ai": "y"}),
    ("Disallow: /never/\nContent-Usage: train-ai=n", "/never/x", {}),
    ("Content-Usage: /x train-ai=y\nContent-Usage: /x train-ai=n", "/x", {"train-ai": "n"}),
    ("Content-Usage: /x train-ai=n\nContent-Usage: /x bad,", "/x", {"train-ai": "n"}),
    ("Content-Usage: train-ai=n\nContent-Usage: /x BAD", "/x", {}),
    (" content-usage \t: /x\ttrain-ai=n", "/x/y", {"train-ai": "n"}),
    ("Content-Usage: /*.pdf$ train-ai=n", "/a.pdf", {"train-ai": "n"}),
    ("Content-Usage: /*.pdf$ train-ai=n", "/a.pdf?x", {}),
]


@pytest.mark.parametrize(("lines", "path", "usage"), USAGE_LINES)
def test_the_longest_path_of_content_usage_counts(lines: str, path: str, usage: dict[str, str]) -> None:
    assert _read(f"User-agent: *\n{lines}\n", url="https://site.example" + path).content_usage == usage


DIRECTIVES = [
    ("noindex, noarchive", ["noindex", "noarchive"]), ("NoIndex", ["noindex"]), ("", []), (" , ,", []),
    ("noindex nofollow", ["noindex", "nofollow"]), ("googlebot: noindex, nofollow", []),
    ("PoliteCrawler: noai", ["noai"]), ("politecrawler/0.1: noai, noindex", ["noai", "noindex"]), ("*: noai", ["noai"]),
    ("otherbot: noindex, politecrawler: noai, nofollow", ["noai", "nofollow"]), ("noindex, otherbot: noai",
     ["noindex"]),
    ("politecrawler:", []), ("max-snippet:20, noindex", ["max-snippet:20", "noindex"]),
    ("max-image-preview: large, max-video-preview:-1", ["max-image-preview:large", "max-video-preview:-1"]),
    ("noindex; noai", ["noindex", "noai"]), ("max-snippet:20;noai;", ["max-snippet:20", "noai"]),
    ("otherbot: noindex; noai", []),
    ("politecrawler: max-snippet: 5", ["max-snippet:5"]), ("otherbot: max-snippet: 5", []),
    ("unavailable_after: 25 Jun 2010 15:00:00 PST", ["unavailable_after:25 Jun 2010 15:00:00 PST"]),
    ("unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noai", ["unavailable_after:Fri, 25 Jun 2010 15:00:00 GMT",
     "noai"]),
    ("Unavailable_After: Friday, 25-Jun-10 15:00:00 GMT", ["unavailable_after:Friday, 25-Jun-10 15:00:00 GMT"]),
    ("unavailable_after: 2010-06-25, noindex", ["unavailable_after:2010-06-25", "noindex"]),
    ("unavailable_after: Friday", ["unavailable_after:Friday"]),
]  # fmt: skip


@pytest.mark.parametrize(("value", "expected"), DIRECTIVES)
def test_robots_directives(value: str, expected: list[str]) -> None:
    assert list(robots_directives(value, ["PoliteCrawler"])) == expected
    assert _read(headers=[("X-Robots-Tag", value)]).robots_tag == sorted(expected)


def _head(inner: str, body: str = "x") -> str:
    return f"<!doctype html><html><head><meta charset=utf-8>{inner}</head><body>{body}</body></html>"


METAS = [
    (_head('<meta name="robots" content="noai">'), ["noai"]),
    (_head("<META NAME=Robots CONTENT='noai, noimageai'>"), ["noai", "noimageai"]),
    (_head('<meta content="noai" name="robots"/><meta name="robots" content="noindex">'), ["noai", "noindex"]),
    (_head('<meta name="robots" content="no&#97;i">'), ["noai"]),
    (_head('<meta name="googlebot" content="noai">'), []),
    (_head('<meta name="politecrawler" content="noai">'), ["noai"]),
    (_head('<meta name="robots">'), []),
    (_head('<meta property="robots" content="noai">'), []),
    (_head('<!-- <meta name="robots" content="noai"> -->'), []),
    (_head('<script>"<meta name=robots content=noai>"</script>'), []),
    (_head('<template><meta name="robots" content="noai"></template>'), []),
    (_head('<noscript><meta name="robots" content="noai"></noscript>'), ["noai"]),
    (_head('<meta name="description" content="Home > Shop"><meta name="robots" content="noai">'), ["noai"]),
    (_head('<noscript><img src="c.gif"></noscript><meta name="robots" content="noai">'), ["noai"]),
    (_head('<noscript>Scripts!<p>x</p></noscript><meta name="robots" content="noai">'), ["noai"]),
    (_head("<noscript><img></noscript>", '<noscript><i></noscript><meta name="robots" content="noai">'), []),
    (_head("<title>a</title><style>b</style>", '<div><meta name="robots" content="noai"></div>'), []),
    (_head("<div></div><meta name='robots' content='noai'>"), []),
    (_head("text <meta name='robots' content='noai'>"), []),
    ('<head></head><meta name="robots" content="noai"><body>', ["noai"]),
    ('<head></body><meta name="robots" content="noai">', []),
    ('\ufeff<meta name="robots" content="noai">', ["noai"]),
    ('<meta name="robots" content="noai">', ["noai"]),
    ("", []),
]


@pytest.mark.parametrize(("html", "expected"), METAS)
def test_meta_elements_of_the_head(html: str, expected: list[str]) -> None:
    assert _read(html=html).robots_tag == expected
    assert (
        _read(html="\ufeff".encode("utf-16-le") + html.replace("\ufeff", "").encode("utf-16-le")).robots_tag == expected
    )


def test_a_meta_for_the_agent_that_we_ask_for() -> None:
    html = _head('<meta name="Claude-User" content="noai">')
    assert _read(html=html).hold is None
    assert _read(html=html, tokens=["PoliteCrawler", "Claude-User"]).hold == "noai"


@pytest.mark.parametrize(
    ("signals", "hold"),
    [
        ({}, None), ({"headers": [("Content-Signal", "ai-input=no")]}, "ai-input=no"),
        ({"headers": [("Content-Signal", "use=immediate")]}, "use=immediate"),
        ({"headers": [("Content-Signal", "use=reference, ai-train=no, search=no")]}, None),
        ({"headers": [("X-Robots-Tag", "noai")]}, "noai"), ({"headers": [("X-Robots-Tag", "no-ai")]}, "noai"),
        ({"headers": [("X-Robots-Tag", "noimageai, noindex, noarchive, nosnippet, none")]}, None),
        ({"headers": [("X-Archive-Orig-X-Robots-Tag", "noai")]}, "noai"),
        ({"headers": [("X-Robots-Tag", "noai"), ("Content-Signal", "use=immediate")]}, "use=immediate"),
        ({"headers": [("Content-Signal", "use=immediate, ai-input=no")]}, "ai-input=no"),
        ({"headers": [("TDM-Reservation", "1"), ("Content-Usage", "train-ai=n")]}, None),
    ],
)  # fmt: skip
def test_only_a_refusal_of_ai_input_holds_the_text_back(signals: dict[str, Any], hold: str | None) -> None:
    assert _read(**signals).hold == hold


@pytest.mark.parametrize(("value", "nofollow"), [("nofollow", True), ("none", True), ("noindex", False), ("", False)])
def test_nofollow(value: str, nofollow: bool) -> None:
    assert _read(headers=[("X-Robots-Tag", value)]).nofollow is nofollow


LICENSE = "https://site.example/license.xml"
RSL = 'rel="license"; type="application/rsl+xml"'
RSL_LINK = RSL.replace(";", "")
LICENSES = [
    ({"robots": f"License: {LICENSE}\n\nUser-agent: *\nAllow: /\n"}, [LICENSE]),
    ({"robots": f"User-agent: GPTBot\nDisallow: /\nlicense: {LICENSE}\nLicense: {LICENSE}\n"}, [LICENSE]),
    ({"robots": "License: /license.xml\nLicense: ftp://h/x\nLicense:\n"}, []),
    ({"headers": [("Link", f"</r.xml>; {RSL}")]}, ["https://site.example/r.xml"]),
    ({"headers": [("Link", f'<{LICENSE}>; rel="x license"; type=application/rsl+xml, <b>; rel=next')]}, [LICENSE]),
    ({"headers": [("Link", f'<a>; title="a, <b>; \\" x"; rel=next, <{LICENSE}>; {RSL}')]}, [LICENSE]),
    ({"headers": [("Link", "<https://cc.example/by>; rel=license")]}, []),
    ({"headers": [("Link", f"<{LICENSE}>; type=application/rsl+xml; rel=alternate")]}, []),
    # the first of two counts (RFC 8288 section 3.3)
    ({"headers": [("Link", f"<{LICENSE}>; {RSL}; rel=next")]}, [LICENSE]),
    ({"headers": [("Link", f"<{LICENSE}>; rel=next; {RSL}")]}, []),
    ({"headers": [("Link", f"<javascript:x>; {RSL}"), ("Link", "<")]}, []),
    ({"html": _head('<link rel="license" type="application/rsl+xml" href="/r.xml">')}, ["https://site.example/r.xml"]),
    ({"html": _head("", f'<link type="application/RSL+xml; a=b" href="{LICENSE}" rel=License>')}, [LICENSE]),
    (
        {"html": _head(f"<base target=_top><base href=//cdn.example/x/><base href=/y/><link {RSL_LINK} href=r.xml>")},
        ["https://cdn.example/x/r.xml"],
    ),
    ({"html": _head(f'<link {RSL_LINK} href="r.xml"><base href="https://cdn.example/">')}, ["https://cdn.example/r.xml"]),
    ({"html": _head(f"<link {RSL_LINK} href={LICENSE}>").encode("utf-16")}, [LICENSE]),
    ({"html": _head(f'<base href="javascript:x"><link {RSL_LINK} href="/r.xml">')}, ["https://site.example/r.xml"]),
    ({"html": _head('<link rel="license" href="https://cc.example/by"><!-- rsl+xml -->')}, []),
]  # fmt: skip


@pytest.mark.parametrize(("signals", "licenses"), LICENSES)
def test_rsl_licences(signals: dict[str, Any], licenses: list[str]) -> None:
    assert _read(**signals).licenses == licenses


TDMREP = """[
    {"location": "/b", "tdm-reservation": 0},
    {"location": "/a/*e$", "tdm-reservation": 0},
    {"location": "/a", "tdm-reservation": 1, "tdm-policy": "https://p.example/"}
]"""
TDM = [
    ({"headers": [("TDM-Reservation", "1")]}, {"reservation": 1, "source": "header"}),
    ({"headers": [("tdm-reservation", " 0 ")]}, {"reservation": 0, "source": "header"}),
    *(({"headers": [("tdm-reservation", bad)]}, {}) for bad in ("yes", "2", "", "01", "true", "1, 0")),
    ({"headers": [("tdm-reservation", "1"), ("tdm-reservation", "0")]}, {"reservation": 1, "source": "header"}),
    ({"headers": [("tdm-policy", " https://p.example/ ")]}, {"policy": "https://p.example/"}),
    ({"headers": [("tdm-policy", "https://p.example/"), ("tdm-policy", "https://q.example/")]},
     {"policy": "https://q.example/"}),
    ({"headers": [("tdm-reservation", "1")], "html": _head('<meta name="TDM-Reservation" content="0">')},
     {"reservation": 0, "source": "meta"}),
    ({"headers": [("tdm-reservation", "1")], "html": _head("")}, {"reservation": 1, "source": "header"}),
    ({"html": _head("", '<meta name="tdm-reservation" content="1">')}, {}),
    ({"html": _head("", '<p><meta name="tdm-reservation" content="1">')}, {}),
    ({"tdmrep": TDMREP}, {"reservation": 1, "source": "file", "policy": "https://p.example/"}),
    ({"tdmrep": TDMREP, "url": "https://site.example/a/page"}, {"reservation": 0, "source": "file"}),
    ({"tdmrep": TDMREP, "url": "https://site.example/c"}, {}),
    ({"tdmrep": TDMREP, "headers": [("tdm-reservation", "0")]},
     {"reservation": 0, "source": "header", "policy": "https://p.example/"}),
    *(({"tdmrep": bad}, {}) for bad in (
        "", "{", "[", "1", "null", '{"location":"/","tdm-reservation":1}', '[{"location":"/"}]', '["/"]', "[" * 100_000,
        '[{"location":1,"tdm-reservation":1}]', '[{"location":"/","tdm-reservation":true}]',
        '[{"location":"/","tdm-reservation":"1"}]', '[{"location":"/","tdm-reservation":2}]',
    )),
    ({"tdmrep": '[{"location":"/","tdm-reservation":1,"tdm-policy":5}]'}, {"reservation": 1, "source": "file"}),
]  # fmt: skip


@pytest.mark.parametrize(("signals", "tdm"), TDM)
def test_tdmrep(signals: dict[str, Any], tdm: dict[str, Any]) -> None:
    found = _read(**signals)
    assert found.tdm == tdm
    assert found.hold is None


def test_the_object_of_a_capture_says_only_what_was_said() -> None:
    assert _read().to_json() == {}
    headers = [("Content-Signal", "ai-input=no"), ("X-Robots-Tag", "noindex"), ("TDM-Reservation", "0")]
    assert _read(headers=headers).to_json() == {
        "content_signal": {"ai-input": "no"}, "robots_tag": ["noindex"], "tdm": {"reservation": 0, "source": "header"},
        "hold": "ai-input=no",
    }  # fmt: skip


@pytest.mark.parametrize("part", ["<", "<a ", "a=", ";x=", '"', ",", "</a>;", "noai:", "<meta ", "(a", "/a "])
def test_hostile_signals_take_linear_time(part: str) -> None:
    """A quadratic rule would take minutes here."""
    text = part * (100_000 // len(part))
    names = ("Link", "Content-Usage", "Content-Signal", "X-Robots-Tag", "TDM-Reservation")
    found = _read(
        f"User-agent: *\nContent-Signal: {text}\n", headers=[(name, text) for name in names], html=text, tdmrep=text
    )
    assert found.hold is None


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80), st.text(max_size=40), st.binary(max_size=80), st.binary(max_size=40))
def test_nothing_raises(robots: bytes, value: str, html: bytes, tdmrep: bytes) -> None:
    names = ("Content-Signal", "Content-Usage", "X-Robots-Tag", "Link", "tdm-reservation", "tdm-policy")
    found = combine(robots=robots, url=URL, headers=[(name, value) for name in names], html=html, tdmrep=tdmrep)
    assert found.hold in (None, "ai-input=no", "use=immediate", "noai")
    assert list(found.robots_tag) == sorted(set(found.robots_tag))
