"""Links that never end."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polite_crawler.errors import BadOption
from polite_crawler.rules.caldates import calendar_page
from polite_crawler.rules.traps import (
    MOST_FAR_PAGES,
    MOST_NEAR_PAGES,
    MOST_PARAM_SETS,
    TrapGuard,
    url_trap,
    without_session,
)

NOW = datetime(2026, 11, 30, tzinfo=UTC).timestamp()

REPEATING = [
    "/a/a/a", "/products/products/products/", "/x/a/b/a/b/a/b/", "/a/b/c/d/a/b/c/d/a/b/c/d", "/11/11/11/11",
     "/" + "/".join("abcdefghijklmnopqrstu"),
    "/" + "x" * 3000,
]  # fmt: skip
GROWN = [
    "/q?p=1&p=2&p=3&p=4", "/q?a=1&amp;p=1&amp;p=2", "/q?" + "&".join(f"a{n}=1" for n in range(17)),
     "/q?a=" + "x" * 3000,
    "/q?" + "&".join("i[]=1" for _ in range(11)),
]  # fmt: skip
FINE = [
    "/", "/a/a/b", "/a/a", "/2011/11/11/", "/11/11/11/x", "/a/b/a/b", "/en/docs/a/docs/b/docs",
     "/" + "/".join("abcdefghijklmnopqrst"),
    "/q?p=1&p=2&p=3", "/q?amp;p=1", "/q?" + "&".join(f"a{n}=1" for n in range(16)), "/q?" + "&".join("i[]=1"
     for _ in range(10)), "/q?&&&&&&&&&&&&&&&&&&&&&",
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "trap"),
    [
        *((path, "trap:repeat-path") for path in REPEATING),
        *((path, "trap:query") for path in GROWN),
        *((path, None) for path in FINE),
    ],
)
def test_what_a_url_shows_by_itself(path: str, trap: str | None) -> None:
    assert url_trap("https://h" + path) == trap
    assert TrapGuard(now=NOW).refusal("https://h" + path) == trap


def test_what_is_no_url_is_no_trap() -> None:
    guard = TrapGuard(now=NOW)
    assert url_trap("mailto:a@b") is None
    assert guard.refusal("mailto:a@b") is None
    assert not guard.is_soft_404("mailto:a@b", "digest")


CALENDAR = [
    # URL, year, month, day, or None
    ("/cal?y=2026&m=1", (2026, 1, 0)), ("/cal?year=2026&month=12&day=31&view=list", (2026, 12, 31)),
    ("/cal?date=2026-05", (2026, 5, 0)), ("/?tribe-bar-date=2026-05-03", (2026, 5, 3)), ("/e?from=20260503", (2026, 5,
     3)),
    ("/e?d=3/5/2026", (2026, 5, 3)), ("/e?d=3.5.2026", (2026, 5, 3)), ("/e?when=2026-05-03T10:00:00Z", (2026, 5, 3)),
    ("/2026/05", (2026, 5, 0)), ("/2026/05/03/", (2026, 5, 3)), ("/events/2026-05", (2026, 5, 0)),
     ("/events/2026/5/month", (2026, 5, 0)),
    ("/events/20260503", (2026, 5, 3)), ("/events/2026", (2026, 0, 0)), ("/calendar/2026/year", (2026, 0, 0)),
    ("/2026/05/03/title", None), ("/2026", None), ("/about/2026", None), ("/2026/13", None), ("/2026/00", None),
     ("/2026/05/32", None),
    ("/p/12345678", None), ("/p/123456", None), ("/v/1.2.3", None), ("/docs/2023.1", None), ("/t/20265", None),
     ("/e?d=13/13/2026", None), ("/page/2", None), ("/cal?m=1&d=2", None),
     ("/?id=2026", None), ("/", None),
    ("/list", None), ("/e?d=1-2-99", None),
]  # fmt: skip


@pytest.mark.parametrize(("path", "date"), CALENDAR)
def test_which_urls_are_pages_of_a_calendar(path: str, date: tuple[int, int, int] | None) -> None:
    page = calendar_page("https://h" + path)
    assert (None if page is None else (page.year, page.month, page.day)) == date


def test_the_shape_leaves_the_date_out() -> None:
    def shape(path: str) -> tuple[str, ...]:
        page = calendar_page("https://h" + path)
        assert page is not None
        return page.shape

    assert shape("/cal?y=2026&m=1&view=list") == shape("/cal?view=grid&m=12&y=2031")
    assert shape("/cal?y=2026&m=1") != shape("/cal?y=2026&m=1&d=1")
    assert shape("/a/2026/01") != shape("/b/2026/01")
    assert shape("/a/2026/01/list") == shape("/a/2027/12/list")


@pytest.mark.parametrize(
    "form", ["/cal?y={y}&m={m}", "/events/{y}/{m:02}", "/events/{y}-{m:02}", "/cal?date={y}-{m:02}-01"]
)
@pytest.mark.parametrize("step", [1, -1])
def test_an_endless_calendar_ends(form: str, step: int) -> None:
    guard = TrapGuard(now=NOW)
    followed = 0
    for n in range(600):
        month = 2026 * 12 + 10 + n * step
        trap = guard.refusal("https://h" + form.format(y=month // 12, m=month % 12 + 1))
        assert trap in (None, "trap:calendar")
        followed += trap is None
    assert followed == 14 + MOST_FAR_PAGES
    assert guard.refusal("https://h/other/page") is None
    assert guard.refusal("https://other" + form.format(y=2090, m=1)) is None


def test_the_days_of_a_year_are_bounded_too() -> None:
    guard = TrapGuard(now=NOW)
    days = [f"https://h/day/2026/{month:02}/{day:02}" for month in range(1, 13) for day in range(1, 29)]
    assert sum(guard.refusal(url) is None for url in days) == MOST_NEAR_PAGES
    assert guard.refusal(days[0]) is None  # what was followed once is no trap


def test_articles_with_dates_are_no_calendar() -> None:
    guard = TrapGuard(now=NOW)
    assert not any(guard.refusal(f"https://h/2019/{n % 12 + 1:02}/{n % 28 + 1:02}/title-{n}") for n in range(500))


def test_one_set_of_parameters_in_another_order_is_one_page() -> None:
    guard = TrapGuard(now=NOW)
    assert guard.refusal("https://h/q?a=1&b=2") is None
    assert guard.refusal("https://h/q?b=2&a=1") == "trap:query"
    assert guard.refusal("https://h/q?a=1&b=2") is None
    assert guard.refusal("https://h/q?b=3&a=1") is None
    assert guard.refusal("https://h/r?b=2&a=1") is None


def test_facets_that_multiply_end_and_a_forum_does_not() -> None:
    guard = TrapGuard(now=NOW)
    names = "abcdefgh"
    sets = ["&".join(f"{name}=1" for name in names if bits >> names.index(name) & 1) for bits in range(256)]
    facets = [guard.refusal("https://h/facets?" + query) for query in sets if query.count("&")]
    assert facets.count(None) == MOST_PARAM_SETS
    assert not any(guard.refusal(f"https://h/viewtopic?f={n % 7}&t={n}&start={n * 15}") for n in range(3000))


SESSIONS = [
    ("/a;jsessionid=0123ABC?x=1", "/a?x=1"), ("/a;JSESSIONID=x/b", "/a/b"), ("/a;v=1;jsessionid=x", "/a;v=1"),
     ("/a;v=1", "/a;v=1"),
    ("/a?PHPSESSID=abc", "/a"), ("/a?x=1&phpsessid=abc&y=2", "/a?x=1&y=2"), ("/a?ASPSESSIONIDQQ=X&b", "/a?b"),
     ("/a?cfid=1&cftoken=2", "/a"),
    ("/a?sid=0123456789abcdef0", "/a"), ("/a?sid=5", "/a?sid=5"), ("/a?sid=abcdefghijklmnopqrst",
     "/a?sid=abcdefghijklmnopqrst"),
    ("/a?s=" + "0123456789abcdef" * 2, "/a"), ("/a?s=search+words", "/a?s=search+words"), ("/a?session=2026",
     "/a?session=2026"),
    ("/(S(lit3py55t21z5v55vlm25s55))/o.aspx", "/o.aspx"), ("/f(x)/a", "/f(x)/a"), ("/a?b=jsessionid",
     "/a?b=jsessionid"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "bare"), SESSIONS)
def test_session_ids(path: str, bare: str) -> None:
    assert without_session("https://h" + path) == "https://h" + bare
    assert without_session("https://h" + bare) == "https://h" + bare


def test_without_session_wants_a_url() -> None:
    with pytest.raises(BadOption):
        without_session("mailto:a@b")


def test_a_page_that_repeats_itself_is_a_soft_404() -> None:
    guard = TrapGuard(now=NOW)
    urls = [f"https://h/{'x/' * n}" for n in range(6)]
    assert [guard.is_soft_404(url, "same") for url in urls] == [False, False, True, True, True, True]
    assert not guard.is_soft_404(urls[0] + "#top", "same")
    assert not guard.is_soft_404("https://h/y", "other")
    assert not guard.is_soft_404("https://other/y", "same")


def test_a_full_guard_refuses_nothing_new() -> None:
    guard = TrapGuard(now=NOW, limit=1)
    first = ["https://h/cal?y=2090&m=1&v=a", "https://h/p1?a=1&b=2"]
    assert not any(guard.refusal(url) for url in first)
    for n in range(200):
        assert guard.refusal(f"https://h{n}/cal/2090/{n % 12 + 1}") is None
        assert guard.refusal(f"https://h/p{n}?b={n}&a=1&c{n}=1") is None
        assert not guard.is_soft_404(f"https://h/{n}", f"digest {n}")
    assert guard.refusal("https://h/p1?b=2&a=1") is None
    # what is not remembered is not counted
    assert not any(guard.is_soft_404(f"https://h/{n}", "late") for n in range(9))
    assert not any(guard.refusal(f"https://late/cal/{2050 + n // 12}/{n % 12 + 1}") for n in range(200))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(alphabet="ab/?&=;.0123(%", max_size=30).map("https://h/".__add__), max_size=10))
def test_no_link_breaks_the_guard(urls: list[str]) -> None:
    guard = TrapGuard(now=NOW)
    first = [guard.refusal(url) for url in urls]
    for url, trap in zip(urls, first, strict=True):
        if trap is None:
            assert guard.refusal(url) is None
        assert without_session(without_session(url)) == without_session(url)
