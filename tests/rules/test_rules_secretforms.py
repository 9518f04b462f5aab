"""Known secrets in a body, in each form in which a page writes them."""

import html
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polite_crawler.rules.redaction import find_secrets, mask

SECRET = 'a/b+c==" d & é<ü\U0001f600>\\xyz'
FORMS = {
    "as it is": SECRET,
    "percent": quote(SECRET),
    "percent, all": quote(SECRET, safe=""),
    "percent, lower case": quote(SECRET, safe="").lower(),
    "percent, two times": quote(quote(SECRET, safe=""), safe=""),
    "form field": quote_plus(SECRET),
    "HTML": html.escape(SECRET),
    "HTML without quotes": html.escape(SECRET, quote=False),
    "HTML, decimal": "".join(f"&#{ord(char)};" if not char.isalnum() else char for char in SECRET),
    "HTML, hexadecimal": "".join(f"&#x{ord(char):X};" if not char.isalnum() else char for char in SECRET),
    "JSON": json.dumps(SECRET)[1:-1],
    "JSON, Unicode": json.dumps(SECRET, ensure_ascii=False)[1:-1],
    "JSON of PHP": json.dumps(SECRET)[1:-1].replace("/", "\\/"),
    "JSON for HTML": json.dumps(SECRET)[1:-1].replace("<", "\\u003c").replace("&", "\\u0026"),
    "JSON in HTML": html.escape(json.dumps(SECRET)[1:-1]),
    "HTML in JSON": json.dumps(html.escape(SECRET))[1:-1],
    "URL in HTML": html.escape(quote(SECRET)),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_found_whole(name: str) -> None:
    form = FORMS[name].encode()
    body = b"<p>before " + form + b" between " + form + b" after"
    second = 10 + len(form) + len(" between ")
    assert find_secrets(body, [SECRET]) == ((10, len(form)), (second, len(form)))


@pytest.mark.parametrize("coding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_bodies(coding: str) -> None:
    body = f"before {SECRET} after".encode(coding)
    ((start, length),) = find_secrets(body, [SECRET])
    assert length == 2 * len(SECRET) + 2  # one character has two units
    covered = mask(body, [(start, length)])
    assert covered[:start] + covered[start + length :] == body[:start] + body[start + length :]
    assert "xyz" not in covered.decode(coding)


def test_latin1_bodies() -> None:
    body = "before geheim-müller after".encode("latin-1")
    assert find_secrets(body, ["geheim-müller"]) == ((7, 13),)


@pytest.mark.parametrize(
    ("secret", "body", "found"),
    [
        ("abc12", "abc12", False),  # too short to tell from words
        ("abc123", "x abc123 y", True),
        ("abc123", "xabc123", False),
        ("abc123", "abc1234", False),
        ("abc123", "-abc123-", True),
        ("abcdefghijkl", "xxabcdefghijklyy", True),
        ("ABC123", "abc123", False),
        ("......", "a......b", False),
        ("......", " ...... ", True),
        ("", "", False),
    ],
)
def test_short_secrets_stand_alone(secret: str, body: str, found: bool) -> None:
    assert bool(find_secrets(body.encode(), [secret])) is found


def test_overlapping_secrets_become_one_span() -> None:
    body = b"x abcdefghijklmnop y"
    assert find_secrets(body, ["abcdefghijkl", "efghijklmnop", "abcdefghijkl"]) == ((2, 16),)
    # one inside another, and one right behind another
    assert find_secrets(body, ["abcdefghijklmnop", "bcdefghijklmn"]) == ((2, 16),)
    assert find_secrets(b"abcdefghijklABCDEFGHIJKL", ["abcdefghijkl", "ABCDEFGHIJKL"]) == ((0, 24),)


@pytest.mark.parametrize(
    ("spans", "masked"),
    [
        ([(2, 3)], b"01***56789"), ([(0, 1), (9, 1)], b"*12345678*"), ([(8, 50)], b"01234567**"),
        ([(50, 5)], b"0123456789"),
        ([(3, 0)], b"0123456789"), ([(-5, 3)], b"0123456789"), ([], b"0123456789"),
    ],
)  # fmt: skip
def test_mask_keeps_the_length(spans: list[tuple[int, int]], masked: bytes) -> None:
    assert mask(b"0123456789", spans) == masked


@settings(max_examples=150, deadline=None)
@given(st.text(min_size=12, max_size=30), st.binary(max_size=40), st.binary(max_size=40))
def test_a_long_secret_is_always_found_and_masked(secret: str, before: bytes, after: bytes) -> None:
    body = before + secret.encode("utf-8", "replace") + after
    covered = mask(body, find_secrets(body, [secret]))
    assert len(covered) == len(body)
    start = len(before)
    assert covered[start : len(body) - len(after)] == b"*" * (len(body) - len(before) - len(after))


@pytest.mark.parametrize("part", ["/", "a/", "%2F", "&#47;", "&amp;", "\\/", "=", "secret"])
def test_hostile_bodies_take_linear_time(part: str) -> None:
    body = (part * (2_000_000 // len(part))).encode()
    secrets = ["/" * 40 + "secret", "a/" * 20 + "=end", "&" * 30]
    assert find_secrets(mask(body, find_secrets(body, secrets)), secrets) == ()
