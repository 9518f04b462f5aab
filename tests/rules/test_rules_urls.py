"""The normal form of URLs, hosts, origins and links."""

import string
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from w3lib.url import safe_url_string

from polite_crawler.errors import BadOption
from polite_crawler.rules.urls import (
    TRACKING_PARAMS,
    absolute,
    bare_host,
    doc_id,
    host_key,
    is_http,
    normal_or_none,
    normalize,
    origin,
    path_segments,
    query_params,
    request_target,
    same_site,
    url_of_doc,
    without_fragment,
    without_space,
)

NORMAL = [
    # given, normal form
    ("http://example.com", "http://example.com/"),
    ("HTTP://EXAMPLE.com/", "http://example.com/"),
    ("http://example.com./a", "http://example.com/a"),
    ("http://example.com:80/", "http://example.com/"),
    ("https://example.com:443/", "https://example.com/"),
    ("http://example.com:/", "http://example.com/"),
    ("http://example.com:443/", "http://example.com:443/"),
    ("http://example.com:08080/", "http://example.com:8080/"),
    ("http://example.com?q=1", "http://example.com/?q=1"),
    ("http://example.com/a/./b/../c", "http://example.com/a/c"),
    ("http://example.com/../../a", "http://example.com/a"),
    ("http://example.com/a/..", "http://example.com/"),
    ("http://example.com/a/.", "http://example.com/a/"),
    ("http://example.com/a/%2E%2e/b", "http://example.com/b"),
    ("http://example.com/a/%2e%2ehidden", "http://example.com/a/..hidden"),
    ("http://example.com/.well-known/x", "http://example.com/.well-known/x"),
    ("http://example.com//a//b", "http://example.com//a//b"),
    ("http://example.com/%7Euser/%41", "http://example.com/~user/A"),
    ("http://example.com/a%2fb%3a", "http://example.com/a%2Fb%3A"),
    ("http://example.com/100%", "http://example.com/100%25"),
    ("http://example.com/%%34%31", "http://example.com/%2541"),
    ("http://example.com/a b|c", "http://example.com/a%20b%7Cc"),
    ("http://example.com/a[1]?b[c]=d", "http://example.com/a%5B1%5D?b%5Bc%5D=d"),
    ("http://example.com/é?é=ü", "http://example.com/%C3%A9?%C3%A9=%C3%BC"),
    ("http://example.com/a?b=1&a=2&b=0", "http://example.com/a?b=1&a=2&b=0"),
    ("http://example.com/a?", "http://example.com/a"),
    ("http://example.com/a?x=a+b%20c", "http://example.com/a?x=a+b%20c"),
    ("http://example.com/a?x=/../y", "http://example.com/a?x=/../y"),
    ("http://example.com/a#top", "http://example.com/a"),
    ("http://example.com/a?#x?y", "http://example.com/a"),
    ("http://user:pw@example.com/", "http://example.com/"),
    ("http://a@b@example.com/", "http://example.com/"),
    ("http://example.com/?utm_source=x&id=5&UTM_medium=y", "http://example.com/?id=5"),
    ("http://example.com/?gclid=1&fbclid=2&msclkid=3&mc_eid=4", "http://example.com/"),
    ("http://example.com/?utm%5Fsource=x&a", "http://example.com/?a"),
    ("http://example.com/?ref=utm_source&utmost=1", "http://example.com/?ref=utm_source&utmost=1"),
    ("  \t http://example.com/a\n", "http://example.com/a"),
    ("ht\ntp://exa\tmple.com/a\r\nb", "http://example.com/ab"),
    ("http:\\\\example.com\\a\\b?c\\d", "http://example.com/a/b?c%5Cd"),
    ("http:example.com/a", "http://example.com/a"),
    ("http:///example.com/a", "http://example.com/a"),
    ("http://bücher.example/", "http://xn--bcher-kva.example/"),
    ("http://BÜCHER.example/", "http://xn--bcher-kva.example/"),
    ("http://faß.example/", "http://xn--fa-hia.example/"),
    ("http://例え。テスト/", "http://xn--r8jz45g.xn--zckzah/"),
    ("http://☃.example/", "http://xn--n3h.example/"),
    ("http://i❤.ws/", "http://xn--i-7iq.ws/"),
    ("http://under_score.example/", "http://under_score.example/"),
    ("http://hg--69.example/", "http://hg--69.example/"),
    ("http://-a.example/", "http://-a.example/"),
    ("http://xn--/", "http://xn--/"),
    ("http://ex%61mple.com/", "http://example.com/"),
    ("http://ＥＸＡＭＰＬＥ.com/", "http://example.com/"),
    # a code point that has no character yet
    ("http://a。\U0001faff。com/", "http://a.xn--x39h.com/"),
    ("http://127.1/", "http://127.0.0.1/"),
    ("http://0x7f.0.0.1/", "http://127.0.0.1/"),
    ("http://0177.0.0.01/", "http://127.0.0.1/"),
    ("http://2130706433/", "http://127.0.0.1/"),
    ("http://１２７.0.0.1/", "http://127.0.0.1/"),
    ("http://1.2.3/", "http://1.2.0.3/"),
    ("http://[::1]:8080/", "http://[::1]:8080/"),
    ("http://[2001:DB8:0:0:1:0:0:1]/", "http://[2001:db8::1:0:0:1]/"),
    ("http://[0:0:0:0:0:0:0:0]/", "http://[::]/"),
    ("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
    ("http://[1:0:2:0:3:0:4:0]/", "http://[1:0:2:0:3:0:4:0]/"),
    ("http://[1:2:3:4:5:6:0:0]/", "http://[1:2:3:4:5:6::]/"),
    ("http://a..b/", "http://a..b/"),
    ("http://a\ud800b/\udfff", "http://xn--ab-gg4n/%EF%BF%BD"),
]


@pytest.mark.parametrize(("given_url", "expected"), NORMAL)
def test_normal_form(given_url: str, expected: str) -> None:
    assert normalize(given_url) == expected
    assert normalize(expected) == expected
    assert doc_id(given_url) == "url:" + expected
    assert url_of_doc("url:" + given_url) == expected
    assert url_of_doc(given_url) == expected


BAD = [
    "", "x", "/a", "//example.com/", "ftp://example.com/", "mailto:a@b.example", "javascript:1", "http://", "http:",
    "http:/", "http://?q", "http://#f", "http://user@/", "http://:80/", "http://./", "http://a b/", "http://a<b/", "http://a%20b/",
    "http://a%00b/", "http://a%2Fb/", "http://a^b/", "http://example.com:x/", "http://example.com:65536/",
    "http://example.com:-1/", "http://example.com:٣/", "http://[::1/", "http://[::1%25eth0]/", "http://[::g]/", "http://[1.2.3.4]/",
    "http://1.2.3.4.5/", "http://1.2.3.4.0/", "http://256.1.1.1/", "http://1.2.3.08/", "http://1.2.3.4294967296/", "http://4294967296/",
    "http://" + "9" * 100 + "/", "http://" + "ü" * 2000 + "/", "http://\u00ad/", "http://a／b/",
]  # fmt: skip


@pytest.mark.parametrize("url", BAD)
def test_what_is_no_url_is_a_bad_option(url: str) -> None:
    for function in (normalize, host_key, origin, request_target, doc_id, query_params, path_segments):
        with pytest.raises(BadOption, match="bad URL"):
            function(url)  # type: ignore[operator]
    assert normal_or_none(url) is None
    assert not is_http(url)
    assert not same_site(url, "http://example.com/")
    assert url_of_doc(url) is None


@pytest.mark.parametrize(
    "url",
    [
        "http://me:hunter2@example.com:x/", "http:\\\\me:hunter2@example.com:x/", "http:me:hunter2@example.com:x/",
        "//me:hunter2@example.com/", "me:hunter2@example.com/", "ftp://me:hunter2@example.com/",
        "ftp:me:hunter2@example.com", " \thttp://me:hun\nter2@example.com:x/", "http://example.com:x/?token=hunter2",
        "ftp://example.com/?a=1&Api-Key=hunter2#x", "http://example.com:x/#access_token=hunter2",
        "http://example.com:x/?u=http%3A%2F%2Fme%3Ahunter2%40h%2F", "http://" + "m" * 500 + ":hunter2@example.com:x/",
    ],
)  # fmt: skip
def test_the_message_shows_no_secret(url: str) -> None:
    with pytest.raises(BadOption) as caught:
        normalize(url)
    assert "hunter2" not in str(caught.value)
    assert "hun" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("url", "host", "start"),
    [
        ("http://Example.COM.:8080/a", "example.com", "http://example.com:8080"),
        ("https://example.com:443", "example.com", "https://example.com"),
        ("http://[::1]:80/", "::1", "http://[::1]"),
        ("http://bücher.example/", "xn--bcher-kva.example", "http://xn--bcher-kva.example"),
        ("http://user:pw@h/", "h", "http://h"),
    ],
)
def test_host_key_and_origin(url: str, host: str, start: str) -> None:
    assert host_key(url) == host
    assert origin(url) == start


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("http://example.com/", "https://www.example.com:8443/x", True),
        ("http://example.com/", "http://example.com./", True),
        ("http://example.com/", "http://shop.example.com/", False),
        ("http://www.example.com/", "http://www.www.example.com/", False),
        ("http://www.com/", "http://com/", False),
        ("http://wwwexample.com/", "http://example.com/", False),
        ("http://127.0.0.1:1/", "http://127.0.0.1:2/", True),
    ],
)
def test_same_site(a: str, b: str, same: bool) -> None:
    assert same_site(a, b) is same
    assert same_site(b, a) is same


def test_bare_host() -> None:
    assert bare_host("www.example.com") == "example.com"
    assert bare_host("www.com") == "www.com"


RESOLVED = [
    ("x", "http://b.example/d/x"), ("./x", "http://b.example/d/x"), ("../x", "http://b.example/x"),
    ("../../x", "http://b.example/x"), ("/x", "http://b.example/x"), ("//o.example/x", "http://o.example/x"),
    ("?q", "http://b.example/d/e?q"), ("?", "http://b.example/d/e?"), ("#f", "http://b.example/d/e?a=1#f"),
    ("", "http://b.example/d/e?a=1"), ("https://o.example", "https://o.example/"), ("https:y", "https://y/"),
    ("http:y", "http://b.example/d/y"), ("http:/y", "http://b.example/y"), ("\\\\o.example\\x", "http://o.example/x"),
    ("\\x", "http://b.example/x"), ("..", "http://b.example/"), (" x y\n", "http://b.example/d/x%20y"),
    ("x?a=é#é", "http://b.example/d/x?a=%C3%A9#%C3%A9"), ("%7Ex?utm_source=1", "http://b.example/d/%7Ex?utm_source=1"),
    ("http://u:p@o.example/", "http://u:p@o.example/"), ("HTTP://O.example:80/", "http://o.example/"), ("x:y", None),
    ("mailto:a@b", None), ("javascript:void(0)", None), ("data:text/html,x", None), ("tel:+1", None),
    ("http://", None), ("//", None), ("http://[", None), ("//a b/", None), ("https://", None),
]  # fmt: skip


@pytest.mark.parametrize(("href", "expected"), RESOLVED)
def test_links_become_absolute(href: str, expected: str | None) -> None:
    assert absolute("http://b.example/d/e?a=1#z", href) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://x.example/a b?c d#e f", "http://x.example/a%20b?c%20d#e%20f"),
        ("http://x.example/a\u3000b", "http://x.example/a%E3%80%80b"),
        (" HTTP://X.example/\u00e9#a\n", "HTTP://X.example/\u00e9#a"),
        ("http://u:p@x.example/a b", "http://u:p@x.example/a%20b"),
    ],
)
def test_a_url_without_white_space(url: str, expected: str) -> None:
    assert without_space(url) == expected
    assert normalize(expected) == normalize(url)


@pytest.mark.parametrize("url", ["", "x y", "ftp://x.example/a b", "http://a b/"])
def test_what_is_no_url_has_no_form_without_white_space(url: str) -> None:
    with pytest.raises(BadOption):
        without_space(url)


def test_a_bad_base_resolves_only_absolute_links() -> None:
    assert absolute("about:blank", "x") is None
    assert absolute("about:blank", "http://h/") == "http://h/"


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://h", "/"), ("http://h?x", "/?x"), ("http://h/a b?c d#e", "/a%20b?c%20d"), ("http://h/%7Ea?", "/%7Ea?"),
        ("http://h/?utm_source=x", "/?utm_source=x"), ("http://h/a\r\nX: y", "/aX:%20y"), ("http://h/é", "/%C3%A9"),
    ],
)  # fmt: skip
def test_request_target(url: str, target: str) -> None:
    assert request_target(url) == target


def test_parts_of_a_url() -> None:
    assert query_params("http://h/?a=1&b=%20&c&&=d") == (("a", "1"), ("b", " "), ("c", ""), ("", "d"))
    assert path_segments("http://h//a/%20/b/") == ("a", "%20", "b")
    assert without_fragment("http://h/a#b#c") == "http://h/a"


def test_the_named_tracking_parameters_are_among_the_dropped_ones() -> None:
    assert {"utm_*", "gclid", "fbclid", "msclkid", "mc_eid"} <= set(TRACKING_PARAMS)


TEXT = st.text(alphabet=st.sampled_from("ab./:?#@\\%[]&=;+ \t\n|é☃。" + string.hexdigits), max_size=40)
ANY_URL = st.one_of(TEXT, st.text(max_size=40), TEXT.map("http://h/".__add__), TEXT.map("http://".__add__))


@settings(max_examples=200, deadline=None)
@given(ANY_URL)
def test_any_text_has_one_normal_form_or_is_refused(url: str) -> None:
    normal = normal_or_none(url)
    if normal is None:
        return
    assert normalize(normal) == normal
    assert normal.isascii()
    assert "#" not in normal
    assert not set(normal) & set(" \t\r\n\\")
    parts = urlsplit(normal)
    assert parts.scheme in ("http", "https")
    assert parts.path.startswith("/")
    assert "@" not in parts.netloc
    assert origin(normal) == origin(url)
    target = request_target(url)
    assert target.startswith("/")
    assert target.isascii()
    assert not set(target) & set(" \t\r\n#")


@settings(max_examples=200, deadline=None)
@given(TEXT.map("http://h.example/".__add__))
def test_the_spelling_that_scrapy_sends_has_the_same_normal_form(url: str) -> None:
    plain = without_fragment(url).replace("\t", "").replace("\n", "").strip()
    if "\\" in plain:
        return  # w3lib keeps a backslash, which browsers read as a slash
    assert normalize(safe_url_string(plain)) == normalize(plain)


@settings(max_examples=200, deadline=None)
@given(TEXT, ANY_URL)
def test_any_link_is_absolute_or_none(href: str, base: str) -> None:
    found = absolute(base, href)
    assert found is None or is_http(found)
