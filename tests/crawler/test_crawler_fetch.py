"""`fetch`: what a person gets of one page, from its server or from the store."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from library_lab import captures_of, opened, run

from polite_crawler import BadOption, PoliteError, Store, StoreError, open_crawler, open_store
from polite_crawler.crawler.engine import Engine
from polite_crawler.readers.page import Page
from polite_crawler.spiders.queue_fed import QueueFedSpider
from polite_crawler.spiders.results import PageResult
from polite_crawler.store.document import Document
from polite_crawler.store.hosts import MemoryHosts
from polite_crawler.store.record import Capture
from polite_crawler.testsite.site import Site


def test_a_page_is_fetched_found_read_and_verified(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with opened(store_dir) as crawler:
            page = await crawler.fetch(site.url("/about"))
            assert (page.outcome, page.status, page.from_cache) == ("ok", 200, False)
            assert page.doc is not None
            (found,) = crawler.store.find('"three people who live"')
            assert (found.doc, found.capture) == (page.doc, page.capture)
            text = crawler.store.read(page.doc).text
            assert len(text) == page.chars
            assert crawler.store.verify(page.doc, "three people who live").found

    run(main())
    with open_store(store_dir) as store:
        assert store.find("almanac")


# what is asked, the outcome, and a word of the note
OUTCOMES: list[tuple[str, str, str]] = [
    ("/about", "ok", ""),
    ("/redirects/chain/3", "ok", ""),
    ("/status/404", "gone", ""),
    ("/status/500", "error", ""),
    ("/status/503", "busy", ""),
    ("/status/403", "blocked", ""),
    ("/private/diary", "skipped", "robots.txt disallows"),
    ("/framing/garbage", "error", "HTTP"),
    ("/challenge/anubis", "challenge", "anubis"),
    ("/redirects/loop/a", "redirect", "loop"),
]


@pytest.mark.parametrize(("path", "outcome", "note"), OUTCOMES, ids=[row[0] for row in OUTCOMES])
def test_what_goes_wrong_is_an_outcome(site: Site, store_dir: Path, path: str, outcome: str, note: str) -> None:
    with opened(store_dir) as crawler:
        page = crawler.fetch(site.url(path))
    assert page.outcome == outcome
    assert note in (page.note or "")
    # a person who asks for one page can ask again
    assert len([one for one in captures_of(store_dir) if one.outcome in ("error", "busy")]) <= 1


def test_refused_addresses_and_unknown_hosts_are_outcomes(store_dir: Path) -> None:
    with opened(store_dir, allow_private=False) as crawler:
        refused = crawler.fetch("http://10.1.2.3/")
        assert (refused.outcome, refused.status) == ("skipped", None)
        assert refused.note is not None
        assert refused.note.startswith("egress policy: 10.1.2.3 is a private address")


@pytest.mark.parametrize(
    "url", ["ftp://example.com/", "no url", "", "javascript:alert(1)", "http://x.example/\udce4", None, 7, b"http://x/"]
)
def test_a_bad_url_is_a_fault_of_the_call(store_dir: Path, url: Any) -> None:
    with opened(store_dir) as crawler, pytest.raises(BadOption):
        crawler.fetch(url)
    assert captures_of(store_dir) == []


@pytest.mark.parametrize("value", ["soon", -1, "1 fortnight", float("nan"), True])
def test_a_bad_age_or_budget_is_a_fault_of_the_call(site: Site, store_dir: Path, value: Any) -> None:
    with opened(store_dir) as crawler:
        with pytest.raises(BadOption):
            crawler.fetch(site.url("/about"), max_age=value)
        with pytest.raises(BadOption):
            crawler.fetch(site.url("/about"), budget=value)
    assert site.log() == []


@pytest.mark.parametrize("recipe", ["No Such!", "", "\ud800", 5])
def test_the_name_of_no_recipe_is_a_fault_of_the_call(store_dir: Path, recipe: Any) -> None:
    with opened(store_dir) as crawler, pytest.raises(BadOption, match="the name of a recipe"):
        crawler.fetch("http://x.example/", recipe=recipe)
    assert captures_of(store_dir) == []


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"resume": "perhaps"}, "POLITE_RESUME"),
        ({"extractors": {"My Menu": print}}, "the name of a recipe"),
        ({"contact": "not a contact"}, "POLITE_CONTACT"),
        ({"page_interval": "soon"}, "POLITE_PAGE_INTERVAL"),
        ({"pageinterval": 3}, "do you mean 'page_interval'"),
        ({"PAGE_INTERVAL": 3}, "no option 'PAGE_INTERVAL'"),
        ({"polite_contact": "x"}, "no option 'polite_contact'"),
        ({"store": "x"}, "no option 'store'"),
        ({"timeouts": {"lunch": 1}}, "time-out 'lunch'"),
        ({"scrapy": {"DOWNLOAD_DELAY": "a while"}}, "DOWNLOAD_DELAY"),
    ],
)
def test_a_bad_option_is_refused_before_anything_is_opened(store_dir: Path, options: Any, text: str) -> None:
    with pytest.raises(BadOption) as error:
        open_crawler(store_dir, **options)
    assert text in str(error.value)
    assert not store_dir.exists()


def test_a_young_copy_answers_with_no_request(site: Site, store_dir: Path) -> None:
    with opened(store_dir) as crawler:
        first = crawler.fetch(site.url("/about"))
        again = crawler.fetch(site.url("/about"), max_age="1h")
        assert again.from_cache
        assert (again.capture, again.fetched_at, again.chars) == (first.capture, first.fetched_at, first.chars)
        assert crawler.fetch(site.url("/about"), max_age=0).from_cache is False
    assert len(site.log(path="/about")) == 2


def test_a_copy_is_as_old_as_the_clock_says(site: Site, store_dir: Path) -> None:
    class Later:
        def __init__(self) -> None:
            self.ahead = 0.0

        def now(self) -> float:
            return time.time() + self.ahead

        def call_later(self, delay: float, callback: Any) -> Any:
            return asyncio.get_running_loop().call_later(delay, callback)

    clock = Later()
    with opened(store_dir, clock=clock) as crawler:
        crawler.fetch(site.url("/about"))
        clock.ahead = 3600.0
        copy = crawler.fetch(site.url("/about"))
        assert 3600 <= copy.age_s < 3700
        assert not crawler.fetch(site.url("/about"), max_age="59m").from_cache


def test_nothing_is_sent_for_stored(site: Site, store_dir: Path) -> None:
    with opened(store_dir) as crawler:
        page = crawler.fetch(site.url("/about"), max_age="stored")
        assert page.outcome == "skipped"
        assert "nothing is sent" in (page.note or "")
    assert site.log() == []


# a page that the index alone answers, or that the engine has to see to
COPIES: list[tuple[str, bool]] = [
    ("/about", True),
    ("/redirects/chain/2", True),
    ("/signals/noai-meta", True),
    ("/notes/1?utm_source=x", True),
    ("/refresh/once", False),
    ("/refresh/header", False),
    ("/refresh/slow", True),
    ("/secrets/echo?token=s3cret", False),
    ("/fresh/vary-all", False),
]


@pytest.mark.parametrize(("path", "fast"), COPIES, ids=[row[0] for row in COPIES])
def test_the_index_gives_what_the_engine_would(
    site: Site, store_dir: Path, monkeypatch: pytest.MonkeyPatch, path: str, fast: bool
) -> None:
    engine = {"answers": 0}
    answer = Engine.answer

    def counted(self: Engine, *args: Any) -> PageResult | None:
        page = answer(self, *args)
        engine["answers"] += page is not None
        return page

    monkeypatch.setattr(Engine, "answer", counted)
    with opened(store_dir) as crawler:
        crawler.fetch(site.url(path))
        by_index = crawler.fetch(site.url(path))
        assert engine["answers"] == int(fast)
        monkeypatch.setattr(Engine, "answer", lambda *args: None)
        by_engine = crawler.fetch(site.url(path))
    if fast:
        assert {**asdict(by_index), "age_s": 0} == {**asdict(by_engine), "age_s": 0}


def test_a_copy_whose_body_is_gone_is_asked_for_again(site: Site, store_dir: Path) -> None:
    with opened(store_dir) as crawler:
        first = crawler.fetch(site.url("/about"))
        assert crawler.fetch(site.url("/about")).from_cache
        body = captures_of(store_dir)[0].body
        assert body is not None
        crawler.store.index.blobs.path(body.sha256).unlink()
        again = crawler.fetch(site.url("/about"))
        assert (again.from_cache, again.capture != first.capture) == (False, True)


def _flipped(line: bytes) -> bytes:
    return line.replace(b"200 OK", b"201 OK")


DAMAGES: dict[str, Callable[[bytes], bytes | None]] = {
    "whole": lambda log: log,
    "an octet of the line is another": _flipped,
    "the line is cut off": lambda log: log[: len(log) // 2],
    "the month is gone": lambda log: None,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_copy_whose_line_is_lost_is_asked_for_again(site: Site, store_dir: Path, damage: str) -> None:
    with opened(store_dir) as crawler:
        crawler.fetch(site.url("/about"))
    (month,) = (store_dir / "captures" / "fetch").glob("*/*.ndjson")
    left = DAMAGES[damage](month.read_bytes())
    month.unlink()
    if left is not None:
        month.write_bytes(left)
    with opened(store_dir) as crawler:
        assert crawler.fetch(site.url("/about")).from_cache is (damage == "whole")


def test_a_copy_that_a_304_confirmed_is_given_as_the_engine_would(
    site: Site, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = site.url("/cache/304-updates")
    with opened(store_dir) as crawler:
        first = crawler.fetch(url)
        crawler.fetch(url, max_age=0)
        by_index = crawler.fetch(url, max_age="1h")
        assert (by_index.from_cache, by_index.capture) == (True, first.capture)
        assert crawler._thread.engine.answer(url, None, None) is not None
        monkeypatch.setattr(Engine, "answer", lambda *args: None)
        by_engine = crawler.fetch(url, max_age="1h")
        assert {**asdict(by_index), "age_s": 0} == {**asdict(by_engine), "age_s": 0}
    assert len(site.log(path="/cache/304-updates")) == 2


def test_a_copy_that_a_smaller_limit_has_cut_is_asked_for_again(site: Site, store_dir: Path) -> None:
    url = site.url("/bytes/5000")
    for limit, age, from_cache, size in (
        (100, "24h", False, 100), (100, "24h", True, 100), (5000, "stored", True, 100), (5000, "24h", False, 5000),
        (100, "24h", True, 5000),
    ):  # fmt: skip
        with opened(store_dir, max_bytes=limit) as crawler:
            page = crawler.fetch(url, max_age=age)
        assert (page.from_cache, page.chars, page.truncated) == (from_cache, size, size == 100)


@pytest.mark.parametrize("scrapy", [{"DOWNLOAD_DELAY": 0.4}, {"DOWNLOAD_SLOTS": {"127.0.0.1": {"delay": 0.4}}}])
def test_a_larger_download_delay_counts(site: Site, store_dir: Path, scrapy: dict[str, Any]) -> None:
    with opened(store_dir, scrapy=scrapy) as crawler:
        crawler.fetch(site.url("/about"))
    robots, page = site.log()
    assert robots.end is not None
    assert page.start - robots.end >= 0.39


def test_the_engine_answers_when_the_index_does_not(
    site: Site, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: Store, *args: Any) -> None:
        raise StoreError("the index does not answer")

    with opened(store_dir) as crawler:
        crawler.fetch(site.url("/about"))
        monkeypatch.setattr(crawler.store, "index", SimpleNamespace(reading=fails, close=crawler.store.index.close))
        assert crawler.fetch(site.url("/about")).from_cache


def test_only_so_many_copies_are_kept_in_memory(site: Site, store_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polite_crawler.crawler.stored._KEPT", 3)
    with opened(store_dir) as crawler:
        urls = [site.url(f"/p/{number}") for number in range(5)]
        for _ in range(3):
            for url in urls:
                crawler.fetch(url)
        assert len(crawler._thread.engine.stored._known) == 3
    assert len([seen for seen in site.log() if seen.path.startswith("/p/")]) == 5


def test_a_fault_of_ours_is_an_error_of_the_call_and_harms_no_other(
    site: Site, store_dir: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with opened(store_dir) as crawler:
        with monkeypatch.context() as patch:
            patch.setattr(QueueFedSpider, "result", lambda *args: 1 / 0)
            with pytest.raises(PoliteError, match="the engine failed: ZeroDivisionError"):
                crawler.fetch(site.url("/about"))
        assert crawler.fetch(site.url("/visit")).outcome == "ok"
    assert "Spider error processing" in caplog.text


def menu(body: bytes, capture: Capture, page: Page) -> Sequence[Document]:
    return [Document(doc="menu:today", kind="menu", title="Menu", text=f"{page.title}: soup", url=capture.url)]


def test_an_extractor_reads_the_captures_of_its_recipe(site: Site, store_dir: Path) -> None:
    with opened(store_dir, extractors={"menu": menu}) as crawler:
        plain = crawler.fetch(site.url("/about"))
        page = crawler.fetch(site.url("/about"), recipe="menu")
        # the copy of the plain page has no menu
        assert (page.from_cache, plain.capture != page.capture) == (False, True)
        assert crawler.fetch(site.url("/about"), recipe="menu").from_cache
        assert crawler.store.read("menu:today").text == "About the almanac: soup"
        assert crawler.reindex().documents == 2
        assert crawler.store.read("menu:today").capture == page.capture
    assert [one.recipe for one in captures_of(store_dir)] == ["page", "menu"]


@pytest.mark.parametrize(("given", "error"), [(KeyError("soup"), "KeyError"), (["soup"], "TypeError")])
def test_an_extractor_that_fails_costs_a_note(site: Site, store_dir: Path, given: Any, error: str) -> None:
    def fails(body: bytes, capture: Capture, page: Page) -> Sequence[Document]:
        if isinstance(given, Exception):
            raise given
        return given

    with opened(store_dir, extractors={"menu": fails}) as crawler:
        page = crawler.fetch(site.url("/about"), recipe="menu")
        assert page.note == f"the extractor of menu failed: {error}"
        assert page.doc is not None
        assert crawler.store.read(page.doc).text


def test_a_host_state_of_the_program_is_used_and_left_open(site: Site, store_dir: Path) -> None:
    hosts = MemoryHosts()
    with opened(store_dir, host_state=hosts) as crawler:
        crawler.fetch(site.url("/status/403"))
        stopped = crawler.fetch(site.url("/about"))
        assert "host stopped until" in (stopped.note or "")
        assert crawler.reset_hosts(site.hosts[0]) == 1
        assert crawler.fetch(site.url("/about")).outcome == "ok"
    assert not (store_dir / "hosts.sqlite").exists()
    assert hosts.peek(site.hosts[0]).state.asked > 0


def test_reset_hosts_forgets_stops_of_all_or_of_one(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with opened(store_dir) as crawler:
            for host in (1, 2):
                await crawler.fetch(site.url("/status/403", host=host))
            assert await crawler.reset_hosts(site.hosts[0]) == 1
            assert (await crawler.fetch(site.url("/about"))).outcome == "ok"
            assert (await crawler.fetch(site.url("/about", host=2))).outcome == "skipped"
            assert await crawler.reset_hosts() == 2
            assert (await crawler.fetch(site.url("/about", host=2))).outcome == "ok"

    run(main())


def test_reset_hosts_forgets_that_a_robots_txt_was_unreachable(site: Site, store_dir: Path) -> None:
    site.reset(robots="503")
    with opened(store_dir) as crawler:
        refused = crawler.fetch(site.url("/about"))
        assert (refused.note or "").startswith("robots.txt is unreachable (503)")
        site.reset()
        assert crawler.fetch(site.url("/about")).outcome == "skipped"
        assert site.log() == []
        crawler.reset_hosts(site.hosts[0])
        assert crawler.fetch(site.url("/about")).outcome == "ok"


def test_a_budget_is_the_longest_wait(site: Site, store_dir: Path) -> None:
    with opened(store_dir, page_interval=300) as crawler:
        # the host rests after robots.txt already
        late = crawler.fetch(site.url("/about"), budget=5)
    assert late.note == "deadline reached"
    assert site.log(path="/about") == []


def test_scrapy_settings_pass_by_their_own_names(site: Site, store_dir: Path) -> None:
    with opened(store_dir, scrapy={"DEFAULT_REQUEST_HEADERS": {"Accept-Language": "sv"}}) as crawler:
        crawler.fetch(site.url("/about"))
    (seen,) = site.log(path="/about")
    assert ("Accept-Language", "sv") in [(name, value) for name, value in seen.headers]


def test_the_environment_names_the_store(site: Site, store_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLITE_CRAWLER_DIR", str(store_dir))
    with open_crawler(allow_private=True, page_interval=0, slow_factor=0, min_free=0) as crawler:
        crawler.fetch(site.url("/about"))
    assert captures_of(store_dir)
