"""Traps: each crawl ends, the trap is counted, and other pages are still fetched. docs/traps.md tells which test
covers which kind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from engine_lab import captures_of, crawl
from page_lab import links, serving
from trap_lab import FAST, ends_well, enter

from polite_crawler.query.store import open_store
from polite_crawler.rules.urls import path_segments
from polite_crawler.spiders.page import PageSpider
from polite_crawler.testsite.process import SiteProcess
from polite_crawler.testsite.site import Site

# where the trap begins, the reason that counts it, how many pages of it are fetched at most
ENDLESS: list[tuple[str, str, int]] = [
    ("/trap/calendar?y=2026&m=1", "trap:calendar", 60),
    ("/trap/calendar-path/2026/01", "trap:calendar", 60),
    ("/trap/query", "trap:query", 10),
    ("/trap/query-order?a=1&b=2", "trap:query", 300),
    ("/trap/repeat/", "trap:repeat-path", 10),
    ("/trap/deep/", "trap:repeat-path", 25),
    ("/trap/session/home", "trap:session-id", 3),
    ("/trap/session-query/home", "trap:session-id", 3),
    ("/trap/soft-404/", "trap:soft-404", 10),
]


@pytest.mark.parametrize(("start", "reason", "most"), ENDLESS, ids=[row[0] for row in ENDLESS])
def test_what_has_no_end_ends(site: Site, store_dir: Path, start: str, reason: str, most: int) -> None:
    run = enter(store_dir, site.url(start))
    ends_well(run)
    assert run.summary.skips[reason] > 0
    assert run.crawler.stats.get_value(f"polite/skips/{reason}") == run.summary.skips[reason]
    assert 1 < len(site.log(path="/trap/")) <= most
    assert len(site.log(path="/trap/")) == len(run.pages) - 1


def test_a_query_that_is_escaped_again_and_again_ends(store_dir: Path) -> None:
    found = {f"/q?a=1{'&amp;p=' * n}": links(f"/q?a=1{'&amp;amp;p=' * (n + 1)}") for n in range(30)}
    with serving({**found, "/": links("/q?a=1", "/about"), "/about": "<p>here"}) as pages:
        run = enter(store_dir, pages.url(), include="")
        assert sorted(pages.asked()) == ["/", "/about", "/q?a=1", "/q?a=1&amp;p="]
    ends_well(run)
    assert run.summary.skips["trap:query"] == 1


class EveryPath(dict[str, Any]):
    """A site with a page for every path, with relative links."""

    def __init__(self, text_of: Callable[[str], str]) -> None:
        super().__init__({"/about": "<p>here", "/robots.txt": ""})
        self.text_of = text_of

    def get(self, path: str, default: Any = None) -> Any:  # type: ignore[override]
        return self[path] if path in self else links("products/", "news/", "jobs/", "/about", text=self.text_of(path))


NOWHERE = {
    "pages that name the path": lambda path: f"<h1>Page not found</h1><p>There is no {path} here: {time.monotonic()}.",
    "one page that does not say what it is": lambda path: "<h1>Welcome</h1><p>All that we have is here.",
}


@pytest.mark.parametrize("text_of", NOWHERE.values(), ids=NOWHERE)
def test_not_found_pages_are_one_trap(store_dir: Path, text_of: Callable[[str], str]) -> None:
    with serving(EveryPath(text_of)) as pages:
        run = enter(store_dir, pages.url("/start/"), include="")
        assert len(pages.asked()) < 12
    ends_well(run)
    assert run.summary.skips["trap:soft-404"] > 0


def test_pages_that_only_look_alike_keep_their_links(store_dir: Path) -> None:
    """A gallery: the same words on each page, other links."""
    gallery = {f"/g/{n}": links(f"/g/{n + 1}", "/about", text="next picture") for n in range(20)}
    with serving({**gallery, "/about": "<p>here"}) as pages:
        run = enter(store_dir, pages.url("/g/0"), include="")
        assert len(pages.asked()) == 22
    assert "trap:soft-404" not in run.summary.skips


def test_near_duplicates_are_counted_and_noted_and_kept(site: Site, store_dir: Path) -> None:
    run = enter(store_dir, site.url("/trap/near/1"), max_pages=8)
    copies = [page for page in run.pages if "/near/" in page.url]
    assert [page.outcome for page in copies] == ["ok"] * len(copies)
    noted = [page for page in copies if page.note]
    assert {page.note for page in noted} == {f"nearly the same text as {site.url('/trap/near/1')}"}
    assert len(noted) == len(copies) - 1 >= 5
    assert run.crawler.stats.get_value("polite/near_duplicates") == len(noted)
    with open_store(store_dir) as store:
        assert all(store.versions(f"url:{page.url}") for page in copies)


def test_the_same_octets_under_every_path(site: Site, store_dir: Path) -> None:
    run = enter(store_dir, site.url("/trap/same/a"))
    ends_well(run)
    assert len(run.pages) == 5


def test_many_spellings_are_one_page(site: Site, store_dir: Path) -> None:
    run = enter(store_dir, site.url("/trap/spellings"), include="/notes/1 /about", max_depth=1)
    ends_well(run)
    assert [seen.target for seen in site.log(path="/notes/1")] == ["/notes/1"]
    # three of the spellings differ in their octets only after a browser has read them
    assert run.summary.skips["seen"] >= 5


def test_links_that_are_no_pages(site: Site, store_dir: Path) -> None:
    run = enter(store_dir, site.url("/trap/schemes"))
    ends_well(run)
    assert {seen.path for seen in site.log()} == {"/robots.txt", "/trap/schemes", "/about"}


# path, outcome of its one page, what its note says, how many requests it costs
LOOPS: list[tuple[str, str, str | None, int]] = [
    ("/redirects/loop/a", "redirect", "a redirect loop: {base}/redirects/loop/a was asked before", 2),
    ("/redirects/self", "redirect", "a redirect loop: {base}/redirects/self was asked before", 1),
    ("/redirects/cookie", "redirect", "a redirect loop: {base}/redirects/cookie was asked before", 1),
    ("/redirects/growing", "redirect", "more than 10 redirects", 11),
    ("/refresh/loop/a", "ok", "a meta refresh loop: {base}/refresh/loop/a was asked before", 2),
    ("/refresh/self", "ok", None, 1),
    ("/refresh/header-self", "ok", None, 1),
    ("/refresh/slow", "ok", None, 1),
    ("/canonical/loop/a", "ok", None, 1),
    ("/canonical/chain/5", "ok", None, 1),
    ("/canonical/two", "ok", None, 1),
    ("/canonical/offsite", "ok", None, 1),
    ("/canonical/missing", "ok", None, 1),
]


@pytest.mark.parametrize(("path", "outcome", "note", "requests"), LOOPS, ids=[row[0] for row in LOOPS])
def test_a_loop_is_one_page_with_one_outcome(
    site: Site, store_dir: Path, path: str, outcome: str, note: str | None, requests: int
) -> None:
    with serving({"/": links(site.url(path), site.url("/about"))}) as pages:
        run = enter(store_dir, pages.url(), include="")
    family = "/" + path.split("/")[1]
    (page,) = [page for page in run.pages if page.url == site.url(path)]
    assert page.outcome == outcome
    assert page.note == (note.replace("{base}", site.base) if note else None)
    assert len(site.log(path=family)) == requests
    ends_well(run)


def test_ten_pages_with_one_canonical_url(site: Site, store_dir: Path) -> None:
    run = enter(store_dir, site.url("/trap/canonical/1"))
    ends_well(run)
    assert run.summary.skips["canonical"] == 9
    assert [seen for seen in site.log(path="/trap/canonical/") if seen.path.endswith("/0")] == []


BODIES: list[tuple[str, str]] = [
    ("/endless", "length"), ("/bomb/gzip", "length"), ("/bomb/br", "length"), ("/bomb/zstd", "length"),
    ("/drip", "time"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "cut"), BODIES, ids=[row[0] for row in BODIES])
def test_a_body_without_an_end_is_cut_and_kept(site: Site, store_dir: Path, path: str, cut: str) -> None:
    settings = {"POLITE_MAX_BYTES": 200_000, "POLITE_TIMEOUTS": {"body": 1}}
    run = enter(store_dir, f"{site.url(path)} {site.url('/about')}", settings=settings)
    page = run.page(path)
    assert (page.outcome, page.truncated) == ("ok", True)
    (capture,) = [one for one in run.captures("fetch") if one.url.endswith(path)]
    assert capture.body is not None
    assert capture.body.truncated == cut
    assert 0 < (capture.body.decoded or capture.body).size <= 200_000
    ends_well(run)


def test_a_redirect_never_reaches_a_refused_address(site: Site, store_dir: Path) -> None:
    kinds = ("host", "host-twice", "private", "metadata", "mapped", "nat64", "decimal", "file", "ftp")
    seeds = " ".join(site.url(f"/redirects/to/{kind}") for kind in kinds)
    settings = {"POLITE_ALLOW_PRIVATE": False, "POLITE_EGRESS_ALLOW": [site.hosts[0]], **FAST}
    run = crawl(PageSpider, store_dir, url=seeds, settings=settings)
    ended = {page.url.rpartition("/")[2]: (page.outcome, page.note or "") for page in run.pages}
    refused = {kind: note for kind, (outcome, note) in ended.items() if outcome == "skipped"}
    assert set(refused) == {"host", "host-twice", "private", "metadata", "mapped", "nat64", "decimal"}
    assert all(note.startswith("egress policy: ") for note in refused.values())
    assert {ended["file"], ended["ftp"]} == {("redirect", "the redirect has no http or https target")}
    assert [seen.host for seen in site.log() if seen.host != site.hosts[0]] == []


@pytest.mark.parametrize("robots", ["500", "503", "reset", "garbage", "redirect-loop"])
def test_no_page_is_asked_while_robots_txt_cannot_be_read(site: Site, store_dir: Path, robots: str) -> None:
    site.reset(robots=robots)
    run = enter(store_dir, f"{site.url('/about')} {site.url('/p/1')}")
    assert {page.outcome for page in run.pages} == {"skipped"}
    assert all(page.note and page.note.startswith("robots.txt is unreachable (") for page in run.pages)
    assert [seen.path for seen in site.log() if "robots" not in seen.path] == []


def test_robots_txt_is_read_before_twenty_pages_under_load(site: Site, store_dir: Path) -> None:
    site.reset(robots="slow")
    hosts = " ".join(site.url(f"/tree/{n}?size=1", host=1 + n % 4) for n in range(20))
    run = enter(store_dir, hosts, include="/nothing")
    assert len(run.pages) == 20
    for host in range(1, 5):
        first, *rest = site.log(host=host)
        assert first.path == "/robots.txt"
        assert len(rest) == 5
        assert first.end is not None
        assert min(seen.start for seen in rest) >= first.end


def test_the_disk_guard_ends_a_crawl_with_one_line(site: Site, store_dir: Path) -> None:
    run = enter(store_dir, site.url("/about"), settings={"POLITE_MIN_FREE": 1 << 60})
    assert run.summary.stopped == "error"
    assert run.summary.reason is not None
    assert "free" in run.summary.reason
    assert captures_of(store_dir) == []


def test_a_crawl_that_was_killed_goes_on_where_it_was(
    site_process: SiteProcess, store_dir: Path, tmp_path: Path
) -> None:
    code = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "from pathlib import Path; from engine_lab import crawl\n"
        "from polite_crawler.spiders.site import SiteSpider\n"
        f"run = crawl(SiteSpider, Path(sys.argv[1]), url={site_process.url('/tree/0?size=40')!r}, max_depth=9,"
        f" include='/tree/*', settings={{'JOBDIR': {str(tmp_path / 'job')!r}, 'POLITE_MAX_AGE': '0',"
        " 'POLITE_PAGE_INTERVAL': 0.02})\n"
        "print(run.summary.stopped, run.summary.queued, len(run.pages))\n"
    )

    def begin(store: str) -> "subprocess.Popen[str]":
        root = Path(__file__).parents[2]
        return subprocess.Popen(
            [sys.executable, "-c", code, str(store_dir / store)],
            cwd=root,
            stdout=subprocess.PIPE,
            text=True,
            env=dict(os.environ),
        )

    first = begin("first")
    while len(site_process.log(path="/tree/")) < 12:
        assert first.poll() is None
    first.send_signal(signal.SIGKILL)
    first.communicate()
    # in another store, where the lease of the dead process is not waited for
    second = begin("second")
    out, _ = second.communicate(timeout=60)
    assert out.startswith("done 0 ")
    asked = [
        int(path_segments(site_process.url(seen.target))[1].partition("?")[0])
        for seen in site_process.log(path="/tree/")
    ]
    assert set(asked) == set(range(40))
    # what was in progress at the kill is asked again: the exchange, and pages whose links were not stored yet
    assert len(asked) <= 43


@pytest.mark.slow
def test_every_trap_of_the_site_at_once(site: Site, store_dir: Path) -> None:
    settings = {"POLITE_TIMEOUTS": {"body": 1, "head": 2}}
    run = enter(store_dir, site.url("/traps"), include="", exclude="", max_pages=5000, max_depth=100, settings=settings)
    ends_well(run)
    assert {"trap:calendar", "trap:query", "trap:repeat-path", "trap:session-id", "trap:soft-404"} <= set(
        run.summary.skips
    )
    assert len(run.pages) < 1000
