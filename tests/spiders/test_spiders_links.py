"""The rules of links and the sets behind them, without an engine."""

import tracemalloc
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.crawler import Crawler

from polite_crawler.errors import BadOption
from polite_crawler.readers.page import Link, Page
from polite_crawler.rules.scope import Scope
from polite_crawler.rules.simhash import NearDuplicates
from polite_crawler.rules.traps import TrapGuard
from polite_crawler.scheduling.fingerprint import Fingerprinter
from polite_crawler.scheduling.frontier import Frontier
from polite_crawler.scheduling.frontier_filter import FrontierFilter
from polite_crawler.spiders.arguments import flag, no_more, seeds, whole
from polite_crawler.spiders.known import Known
from polite_crawler.spiders.links import Choice, LinkRules, closed_page, link_urls
from polite_crawler.spiders.site import SiteSpider
from polite_crawler.store.record import Capture, Time
from polite_crawler.transport.trace import Trace

NOW = 1_780_000_000.0


def rules(*, known: Known | None = None, waiting: int = 0, most: int = 10, max_depth: int = 3) -> LinkRules:
    scope = Scope.of(["http://h.example/"], exclude=["/no*"])
    known = known or Known()
    return LinkRules(scope, known, TrapGuard(now=NOW), max_depth=max_depth, waiting=lambda: waiting, most=most)


def test_the_reasons_in_their_order() -> None:
    """What a link is comes before what it leads to, and a link that is not followed is not known afterwards."""
    one = rules()
    assert one.choose("http://other.example/no", 9) == Choice(reason="scope")
    assert one.choose("mailto:a@h.example", 1) == Choice(reason="scope")
    assert one.choose("http://h.example/no/x", 9) == Choice(reason="pattern")
    assert one.choose("http://h.example/a", 4) == Choice(reason="depth")
    assert one.choose("http://h.example/a", 1, closed="links-cap") == Choice(reason="links-cap")
    assert one.choose("http://h.example/a/a/a/a", 1, closed="trap:soft-404") == Choice(reason="trap:repeat-path")
    assert one.choose("http://h.example/a", 1) == Choice("http://h.example/a")
    assert one.choose("http://h.example/a", 9) == Choice(reason="seen")
    one.known.name(["http://h.example/b", "http://h.example/a"])
    assert one.choose("http://h.example/b", 9) == Choice(reason="canonical")
    assert one.choose("http://h.example/a", 1) == Choice(reason="seen")
    assert rules(waiting=10).choose("http://h.example/a", 1) == Choice(reason="queue-full")


def test_a_session_id_is_left_out_of_the_url_that_is_asked() -> None:
    one = rules()
    url = "http://h.example/a;jsessionid=8A1D33C7F9B04E21?x=1&PHPSESSID=0123456789abcdef0123456789abcdef"
    assert one.choose(url, 1) == Choice("http://h.example/a?x=1")
    assert one.choose("http://h.example/a?x=1", 1) == Choice(reason="seen")
    assert one.choose(url.replace("8A1D", "9B2E"), 1) == Choice(reason="trap:session-id")


def test_a_seed_with_a_session_id_is_the_page_without_it() -> None:
    one = rules()
    assert one.enter_seed("http://h.example/a;jsessionid=8A1D33C7F9B04E21?x=1")
    assert one.choose("http://h.example/a?x=1", 1) == Choice(reason="seen")
    assert one.choose("http://h.example/a;jsessionid=9B2E33C7F9B04E21?x=1", 1) == Choice(reason="trap:session-id")


def test_a_seed_is_asked_once_in_any_spelling_and_by_no_rule() -> None:
    one = rules()
    assert one.enter_seed("http://h.example/no/seed;jsessionid=8A1D33C7F9B04E21")
    assert not one.enter_seed("HTTP://H.example:80/no/./seed;jsessionid=8A1D33C7F9B04E21#x")
    assert one.enter_seed("http://other.example/")
    assert one.choose("https://other.example/", 1) == Choice(reason="scope")


def test_one_scheme_is_as_good_as_the_other() -> None:
    known = Known()
    known.ask("https://h.example/a")
    assert known.was_asked("http://h.example/a")
    assert not known.was_asked("http://h.example:8080/a")
    known.name(["http://h.example/b"])
    assert known.is_name("https://h.example/b")


def test_a_crawl_that_knows_too_much_follows_nothing_more() -> None:
    one = rules(known=Known(most=3))
    assert [one.choose(f"http://h.example/{n}", 1).reason for n in range(5)] == ["", "", "", "queue-full", "queue-full"]
    assert one.choose("http://h.example/1", 1) == Choice(reason="seen")


def test_with_a_file_the_file_knows(tmp_path: Path) -> None:
    frontier = Frontier(
        tmp_path / "f.sqlite", job={"spider": "x"}, spider=SiteSpider(url="http://h.example/"), params=frozenset()
    )
    try:
        seen = FrontierFilter(frontier, Fingerprinter().fingerprint, frozenset())
        known = Known(seen, most=1)
        assert not known.was_asked("http://h.example/a")
        known.ask("http://h.example/a")
        # the scheduler enters it, together with the request
        assert not known.was_asked("http://h.example/a")
        seen.request_seen(Request("https://h.example/a"))
        assert known.was_asked("http://h.example/a")
        assert seen.reserve(Request("http://h.example/hop"))
        assert known.was_asked("http://h.example/hop")
    finally:
        frontier.close()


def test_a_url_with_one_link_that_may_be_followed_may() -> None:
    page = Page(links=(
        Link("http://h/a", rel=("nofollow",)), Link("http://h/b"), Link("http://h/a", rel=("noopener",)),
        Link("http://h/c", rel=("ugc", "nofollow")), Link("http://h/b", rel=("nofollow",)),
    ))  # fmt: skip
    assert link_urls(page) == {"http://h/a": True, "http://h/b": True, "http://h/c": False}


@pytest.mark.parametrize(
    ("signals", "closed"),
    [({}, None), ({"hold": "noai"}, "held-back"), ({"robots_tag": ["nofollow"]}, "nofollow"),
     ({"robots_tag": ["noindex", "none"]}, "nofollow"), ({"robots_tag": ["noarchive"]}, None)],
)  # fmt: skip
def test_pages_whose_links_are_closed(signals: dict[str, object], closed: str | None) -> None:
    capture = Capture("fetch", "http://h/", Time("2026-01-01T00:00:00.000000Z"), "ok", signals=signals)
    assert closed_page(Trace(capture=capture)) == closed


def test_more_urls_than_a_crawl_may_know_are_not_known() -> None:
    known, urls = Known(most=2), [f"http://h.example/{n}" for n in range(4)]
    for url in urls:
        known.ask(url)
    known.name(urls)
    assert [known.was_asked(url) for url in urls] == [True, True, False, False]
    assert [known.is_name(url) for url in urls] == [True, True, False, False]
    assert known.is_full


def test_what_a_crawl_remembers_is_bounded() -> None:
    """Past its bounds nothing grows: neither the sets, nor the guard, nor the hashes."""
    one, near = rules(known=Known(most=2_000), most=1 << 60), NearDuplicates(limit=500)

    def feed(start: int, number: int) -> None:
        for n in range(start, start + number):
            url = f"http://h.example/{n}/{n * 7919}?a={n}&b={n % 97}"
            one.choose(url, 1)
            one.known.name([url])
            near.find_or_add(hash((n, "text")) & (1 << 64) - 1, url)

    tracemalloc.start()
    # past every bound, and past the caches of parsed URLs
    feed(0, 9_000)
    before, _ = tracemalloc.get_traced_memory()
    feed(9_000, 6_000)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # the URLs alone would be some megabytes
    assert after - before < 500_000


def test_arguments_as_text_and_as_values() -> None:
    assert (whole("7", "n", least=0), whole(0, "n", least=0)) == (7, 0)
    assert [flag(value, "f") for value in ("on", "Yes", "1", True, "off", "", "0", False)] == [True] * 4 + [False] * 4
    assert seeds(" http://a.example/  http://b.example/\nhttp://a.example/ ") == (
        "http://a.example/",
        "http://b.example/",
    )
    for bad in ("", "x", 1.0, True, -1, None):
        with pytest.raises(BadOption, match="is not a whole number from 0"):
            whole(bad, "n", least=0)  # type: ignore[arg-type]
    with pytest.raises(BadOption, match="neither on nor off"):
        flag("maybe", "f")
    with pytest.raises(BadOption, match="no argument 'max_paegs'; there are: url, max_pages"):
        no_more({"max_paegs": "5"}, SiteSpider)


def test_a_crawler_is_not_kept_alive_by_its_events() -> None:
    import gc
    import weakref

    from polite_crawler.spiders.events import events_of

    crawler = Crawler(SiteSpider)
    events_of(crawler).listen(lambda event: None)
    gone = weakref.ref(crawler)
    del crawler
    gc.collect()
    assert gone() is None
