"""What a page in a browser may ask for, and what goes to and fro."""

import pytest

from polite_crawler.errors import BadOption
from polite_crawler.rules.rendering import (
    Limits,
    asks_for,
    headers_of_tree,
    headers_to_send,
    headers_to_show,
    is_offered_as_file,
    mode,
)


@pytest.mark.parametrize(("text", "wanted"), [("auto", "auto"), (" Always ", "always"), ("NEVER", "never")])
def test_modes_as_people_write_them(text: str, wanted: str) -> None:
    assert mode(text, "POLITE_RENDER") == wanted


@pytest.mark.parametrize("text", ["", "yes", None, True, 1, "auto,never"])
def test_no_mode(text: object) -> None:
    with pytest.raises(BadOption, match=r"^POLITE_RENDER: .* is none of auto, always, never$"):
        mode(text, "POLITE_RENDER")


ASKED = [
    ("Script", "GET", "https://a.test/x.js", {}, True),
    ("Stylesheet", "GET", "http://a.test/x.css", {}, True),
    ("XHR", "GET", "http://a.test/api", {"Accept": "application/json"}, True),
    ("Fetch", "HEAD", "http://a.test/api", {}, True),
    ("Fetch", "OPTIONS", "http://a.test/api", {"Access-Control-Request-Method": "GET"}, True),
    ("XHR", "POST", "http://a.test/api", {}, False),
    ("XHR", "DELETE", "http://a.test/api", {}, False),
    ("XHR", "PROPFIND", "http://a.test/api", {}, False),
    ("Image", "GET", "http://a.test/x.png", {}, False),
    ("Media", "GET", "http://a.test/x.mp4", {}, False),
    ("Font", "GET", "http://a.test/x.woff2", {}, False),
    ("Document", "GET", "http://a.test/frame", {}, False),
    ("Ping", "POST", "http://a.test/beacon", {}, False),
    ("EventSource", "GET", "http://a.test/events", {}, False),
    ("Manifest", "GET", "http://a.test/manifest", {}, False),
    ("Other", "GET", "http://a.test/favicon.ico", {}, False),
    ("XHR", "GET", "http://a.test/events", {"Accept": "text/event-stream"}, False),
    ("Fetch", "GET", "http://a.test/ahead", {"Purpose": "prefetch"}, False),
    ("Script", "GET", "http://a.test/ahead", {"sec-purpose": "prefetch;prerender"}, False),
    ("XHR", "GET", "file:///etc/passwd", {}, False),
    ("XHR", "GET", "chrome://version", {}, False),
    ("Script", "GET", "data:text/javascript,1", {}, False),
    ("Script", "GET", "ftp://a.test/x.js", {}, False),
]


@pytest.mark.parametrize(("kind", "method", "url", "headers", "wanted"), ASKED)
def test_which_sub_requests_are_sent(kind: str, method: str, url: str, headers: dict[str, str], wanted: bool) -> None:
    assert asks_for(kind, method, url, headers) is wanted


def test_what_a_script_sets_goes_out_and_what_we_decide_does_not() -> None:
    sent = [
        ("Accept", "application/json"),
        ("X-Api-Version", "2"),
        ("Referer", "http://a.test/"),
        ("Origin", "http://a.test"),
    ]
    ours = [
        ("User-Agent", "Mozilla"), ("Cookie", "a=b"), ("Accept-Encoding", "br"), ("Host", "b.test"), ("Range", "x"),
        ("Sec-Fetch-Mode", "cors"), ("Sec-CH-UA", "x"), ("Proxy-Authorization", "x"), ("If-None-Match", "x"),
        ("Content-Length", "3"), ("Connection", "close"), (":authority", "b.test"), ("From", "x@a.test"),
        ("X-Split", "a\r\nHost: b"), ("X-Nul", "a\0b"),
    ]  # fmt: skip
    assert headers_to_send([*ours[:7], *sent, *ours[7:]]) == sent


def test_the_browser_gets_a_decoded_body_and_no_cookie() -> None:
    kept = [
        ("Content-Type", "text/html"),
        ("Content-Security-Policy", "default-src 'self'"),
        ("Access-Control-Allow-Origin", "*"),
    ]
    left = [
        ("Content-Encoding", "gzip"), ("Content-Length", "9"), ("Transfer-Encoding", "chunked"), ("Set-Cookie", "a=b"),
        ("Strict-Transport-Security", "max-age=1"), ("Alt-Svc", "h3"), ("Refresh", "0; url=/x"), ("Link", "</x>"),
    ]  # fmt: skip
    assert headers_to_show([*left[:4], *kept, *left[4:]]) == kept


def test_a_tree_has_the_signals_of_its_page_and_not_what_was_said_of_its_octets() -> None:
    kept = [
        ("X-Robots-Tag", "noindex"),
        ("Content-Signal", "ai-input=no"),
        ("Date", "x"),
        ("Cache-Control", "max-age=1"),
        ("Content-Language", "de"),
    ]
    left = [
        ("Content-Type", "text/html"),
        ("ETag", '"1"'),
        ("Content-Encoding", "br"),
        ("Digest", "x"),
        ("Set-Cookie", "a=b"),
    ]
    assert headers_of_tree([*left[:2], *kept, *left[2:]]) == kept


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (None, False), ("inline", False), ("Inline; filename=x", False), ("", False), ("attachment", True),
        ("ATTACHMENT; filename=x", True), ("form-data", True),
    ],
)  # fmt: skip
def test_a_file_is_no_page(value: str | None, wanted: bool) -> None:
    headers = [("Content-Type", "text/html")] + ([("Content-Disposition", value)] if value is not None else [])
    assert is_offered_as_file(headers) is wanted


def test_the_limits_are_those_of_the_documentation() -> None:
    assert Limits() == Limits(100, 10 * 1024 * 1024, 30.0, 5.0, 2, 0.5)
