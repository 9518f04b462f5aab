"""Whether a stored copy answers (RFC 9111), and what a 304 changes."""

from email.utils import formatdate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polite_crawler.rules.durations import MaxAge, max_age
from polite_crawler.rules.freshness import (
    StoredCopy,
    answers,
    current_age,
    freshness_lifetime,
    is_fresh,
    updated_headers,
    vary_matches,
)
from polite_crawler.rules.httpdates import delta_seconds, directives, http_date

NOW = 1_796_000_000.0
HOUR = 3600.0
DAY = 24 * HOUR


def _date(ago: float = 0.0) -> str:
    return formatdate(NOW - ago, usegmt=True)


def _copy(*headers: tuple[str, str], age: float = 100.0, status: int = 200, took: float = 0.0) -> StoredCopy:
    return StoredCopy(status, headers, NOW - age - took, NOW - age, (("Accept", "*/*"), ("Accept-Language", "en")))


LIFETIMES = [
    ((), 200, 0.0),
    ((("Cache-Control", "max-age=60"),), 200, 60.0),
    ((("cache-control", 'private, MAX-AGE="60"'),), 200, 60.0),
    ((("Cache-Control", "private"), ("Cache-Control", "max-age=60")), 200, 60.0),
    ((("Cache-Control", "max-age=60, max-age=600"),), 200, 60.0),
    ((("Cache-Control", "max-age=99999999999"),), 200, 2.0**31),
    *(((("Cache-Control", f"max-age={bad}"), ("Expires", _date(-HOUR))), 200, 0.0) for bad in ("", "x", "-5", "1.5",
     "٣")),
    ((("Cache-Control", "s-maxage=600"),), 200, 0.0),
    ((("Cache-Control", "s-maxage=600, max-age=5"),), 200, 5.0),
    ((("Cache-Control", "max-age=60"), ("Expires", _date(-HOUR))), 200, 60.0),
    ((("Expires", _date(-HOUR)), ("Date", _date(HOUR))), 200, 2 * HOUR),
    ((("Expires", _date(0)),), 200, 100.0),
    ((("Expires", _date(2 * HOUR)),), 200, 0.0),
    ((("Expires", "0"), ("Last-Modified", _date(DAY))), 200, 0.0),
    ((("Last-Modified", _date(10 * DAY)), ("Date", _date(0))), 200, DAY),
    ((("Last-Modified", _date(10 * DAY)), ("Date", _date(0))), 404, DAY),
    ((("Last-Modified", _date(10 * DAY)), ("Date", _date(0))), 302, 0.0),
    ((("Last-Modified", _date(-DAY)), ("Date", _date(0))), 200, 0.0),
    ((("Last-Modified", "yesterday"),), 200, 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("headers", "status", "seconds"), LIFETIMES)
def test_lifetimes(headers: tuple[tuple[str, str], ...], status: int, seconds: float) -> None:
    assert freshness_lifetime(_copy(*headers, status=status)) == seconds


@pytest.mark.parametrize(
    ("headers", "took", "age"),
    [
        ((), 0.0, 100.0), ((("Age", "50"),), 0.0, 150.0), ((("Age", "50"),), 10.0, 160.0), ((("Age", "x"),), 0.0,
         100.0),
        ((("Age", "50, 60"),), 0.0, 150.0), ((("Date", _date(400)),), 0.0, 400.0), ((("Date", _date(400)), ("Age",
         "50")), 0.0, 400.0),
        ((("Date", _date(400)), ("Age", "500")), 0.0, 600.0), ((("Date", _date(-400)),), 0.0, 100.0), ((), 7.0, 107.0),
    ],
)  # fmt: skip
def test_current_age(headers: tuple[tuple[str, str], ...], took: float, age: float) -> None:
    assert current_age(_copy(*headers, took=took), now=NOW) == age


@pytest.mark.parametrize(
    ("headers", "fresh"),
    [
        ((("Cache-Control", "max-age=101"),), True), ((("Cache-Control", "max-age=100"),), False),
        ((("Cache-Control", "max-age=101"), ("Age", "1")), False), ((("Cache-Control", "max-age=999, no-cache"),),
         False),
        ((("Cache-Control", 'max-age=999, no-cache="set-cookie"'),), False), ((("Cache-Control",
         "no-store, max-age=9"),), False),
        ((("Cache-Control", "NO-STORE"), ("Cache-Control", "max-age=999")), False), ((), False),
        ((("Cache-Control", "x-no-store, max-age=999"),), True), ((("Cache-Control", "must-revalidate, max-age=999"),),
         True),
    ],
)  # fmt: skip
def test_what_the_server_calls_fresh(headers: tuple[tuple[str, str], ...], fresh: bool) -> None:
    assert is_fresh(_copy(*headers), now=NOW) is fresh
    assert answers(_copy(*headers), MaxAge("auto"), now=NOW) is fresh


@pytest.mark.parametrize(
    ("limit", "age", "headers", "answered"),
    [
        ("24h", DAY - 1, (), True), ("24h", DAY, (), False), (0, 0.0, (), False), ("1s", 0.5, (), True),
        ("24h", 10.0, (("Cache-Control", "no-store"),), True), ("24h", -10.0, (), False), ("stored", 1000 * DAY, (),
         True),
        ("stored", 1.0, (("Vary", "*"),), True), ("24h", 1.0, (("Vary", "*"),), False), ("auto", 1.0, (), False),
        ("auto", 1.0, (("Cache-Control", "max-age=60"), ("Vary", "*")), False), ("24h", 1.0, (("Vary",
         "Accept-Language"),), True),
    ],
)  # fmt: skip
def test_what_a_copy_answers(
    limit: str | int, age: float, headers: tuple[tuple[str, str], ...], answered: bool
) -> None:
    request = (("accept-language", "en"), ("Accept", "*/*"))
    assert answers(_copy(*headers, age=age), max_age(limit), now=NOW, request_headers=request) is answered


@pytest.mark.parametrize(
    ("vary", "request_headers", "same"),
    [
        ("", (), True), ("Accept-Language", (("accept-language", " en "),), True), ("Accept-Language",
         (("Accept-Language", "de"),), False),
        ("Accept-Language", (), False), ("accept, ACCEPT-language", (("Accept", "*/*"), ("Accept-Language", "en")),
         True),
        ("Accept, Accept-Language", (("Accept", "*/*"), ("Accept-Language", "de")), False), ("Cookie", (), True),
        ("Cookie", (("Cookie", "a=b"),), False), ("*", (), False), ("Cookie, *", (), False), (" , ", (), True),
    ],
)  # fmt: skip
def test_vary(vary: str, request_headers: tuple[tuple[str, str], ...], same: bool) -> None:
    assert vary_matches(_copy(("Vary", vary)), request_headers) is same


def test_white_space_and_lines_make_no_difference_to_vary() -> None:
    copy = StoredCopy(200, (("Vary", "X"),), 0, 0, (("X", "a,  b c"), ("x", "d")))
    assert vary_matches(copy, (("x", "a , b  c,d"),))


def test_a_304_updates_what_it_carries_and_keeps_the_rest() -> None:
    stored = (
        ("Content-Type", "text/html"), ("ETag", '"1"'), ("Cache-Control", "max-age=5"), ("Vary", "Accept"),
        ("Content-Length", "10"), ("X-A", "1"), ("x-a", "2"),
    )  # fmt: skip
    fresh = (
        ("cache-control", "max-age=60"), ("Date", "now"), ("X-A", "3"), ("Content-Type", "text/plain"),
        ("Content-Length", "0"), ("Connection", "close"), ("content-encoding", "br"), ("Transfer-Encoding", "chunked"),
    )  # fmt: skip
    assert updated_headers(stored, fresh) == (
        ("Content-Type", "text/html"), ("ETag", '"1"'), ("Vary", "Accept"), ("Content-Length", "10"),
        ("cache-control", "max-age=60"), ("Date", "now"), ("X-A", "3"),
    )  # fmt: skip
    assert updated_headers(stored, ()) == stored


@pytest.mark.parametrize(
    "text",
    [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        " Sun, 06 Nov 1994 08:49:37 GMT ",
    ],
)
def test_the_three_forms_of_a_date(text: str) -> None:
    assert http_date(text) == 784_111_777.0


@pytest.mark.parametrize(
    "text", [None, "", "0", "-1", "yesterday", "Sun, 99 Nov 1994 08:49:37 GMT", "x" * 1000, "1994-11-06"]
)
def test_what_is_no_date(text: str | None) -> None:
    assert http_date(text) is None


def test_directives() -> None:
    headers = (("Cache-Control", 'a, B=c , d="e, f",, g = "h"'), ("cache-control", "a=i"))
    assert directives(headers) == {"a": None, "b": "c", "d": "e, f", "g": "h"}
    assert delta_seconds("007") == 7.0
    assert delta_seconds("9" * 400) == 2.0**31


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Cache-Control", "Expires", "Age", "Date", "Last-Modified", "Vary"]), st.text(max_size=30)
        )
    )
)
def test_any_headers_have_a_lifetime_and_an_age(headers: list[tuple[str, str]]) -> None:
    copy = StoredCopy(200, headers, NOW - 1, NOW)
    assert freshness_lifetime(copy) >= 0
    assert current_age(copy, now=NOW) >= 0
    assert vary_matches(copy, ()) in (True, False)
