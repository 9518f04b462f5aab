"""Discovery: the files that it reads, the URLs that it keeps, and where it stops."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from engine_lab import Run, crawl
from page_lab import links, serving

from polite_crawler.errors import BadOption
from polite_crawler.spiders.discover import DiscoverSpider
from polite_crawler.spiders.listings import newest_first, read_listing
from polite_crawler.spiders.results import DiscoveredUrl, DiscoverySummary
from polite_crawler.testsite.process import SiteProcess
from polite_crawler.testsite.site import Site

FAST: dict[str, Any] = {"POLITE_PAGE_INTERVAL": 0.001}


def discover(store: Path, url: str, **options: Any) -> Run:
    settings = {**FAST, **options.pop("settings", {})}
    return crawl(DiscoverSpider, store, url=url, settings=settings, **options)


def found(run: Run) -> list[str]:
    """The paths of the URLs that were kept, in the order of the result."""
    rows = [item for item in run.items if isinstance(item, DiscoveredUrl)]
    assert len(rows) == summary(run).count
    return ["/" + row.url.split("/", 3)[3] for row in rows]


def summary(run: Run) -> DiscoverySummary:
    result = run.spider.summary  # type: ignore[attr-defined]
    assert isinstance(result, DiscoverySummary)
    return result


def sources(run: Run) -> list[tuple[str, str, str, int]]:
    return [(one.kind, "/" + one.url.split("/", 3)[3], one.outcome, one.urls) for one in summary(run).sources]


def test_the_sources_in_their_order_and_the_newest_first(site: Site, store_dir: Path) -> None:
    run = discover(store_dir, site.url("/"))
    assert sources(run) == [
        ("page", "/", "ok", 1), ("feed", "/feeds/rss", "ok", 6), ("robots", "/robots.txt", "ok", 1),
        ("sitemap", "/sitemap.xml", "ok", 35),
    ]  # fmt: skip
    assert summary(run).stopped == "done"
    assert summary(run).dropped == 0
    assert found(run)[0] == "/languages/el"
    assert len(found(run)) == 35
    by_url = {row.url: row for row in run.items}
    note = by_url[site.url("/notes/2")]
    assert (note.lastmod, note.changefreq, note.via, note.source) == (
        "2026-10-02T08:00:00Z", None, "feed", site.url("/feeds/rss"),
    )  # fmt: skip
    about = by_url[site.url("/about")]
    assert (about.lastmod, about.changefreq, about.via, about.source) == (
        "2026-10-04", "weekly", "sitemap", site.url("/sitemap.xml"),
    )  # fmt: skip
    assert [(one.kind, one.recipe) for one in run.captures()] == [
        ("robots", None), ("fetch", "page"), ("feed", "feed"), ("sitemap", "sitemap"),
    ]  # fmt: skip


def test_the_parts_of_an_index_come_newest_first(site: Site, store_dir: Path) -> None:
    site.reset(robots="sitemaps")
    run = discover(store_dir, site.url("/"), linked_feeds="off")
    assert [seen.target for seen in site.log()] == [
        "/robots.txt", "/sitemaps/index", "/sitemaps/gzip", "/sitemaps/text", "/sitemaps/part-2", "/sitemaps/part-3",
        "/sitemaps/part-1",
    ]  # fmt: skip
    assert found(run)[-9:] == [f"/p/{n}" for n in (20, 21, 22, 30, 31, 32, 10, 11, 12)]


def test_sitemap_xml_is_read_when_nothing_is_named(site: Site, store_dir: Path) -> None:
    site.reset(robots="allow")
    run = discover(store_dir, site.url("/about"))
    assert sources(run)[1:] == [("robots", "/robots.txt", "ok", 0), ("sitemap", "/sitemap.xml", "ok", 35)]
    named = discover(store_dir, site.url("/about"), sitemap=site.url("/sitemaps/text"))
    assert [source[1] for source in sources(named) if source[0] == "sitemap"] == ["/sitemaps/text"]


def test_feeds_that_are_named_and_five_that_are_linked(site: Site, store_dir: Path) -> None:
    heads = "".join(f'<link rel="alternate" type="application/rss+xml" href="/feed/{n}">' for n in range(7))
    empty = (200, {"Content-Type": "application/rss+xml"}, "<rss><channel></channel></rss>")
    with serving({"/": links(head=heads), **{f"/feed/{n}": empty for n in range(9)}}) as pages:
        feeds = f"{pages.url('/feed/8')} {pages.url('/feed/2')}"
        run = discover(store_dir, pages.url(), feed=feeds)
        assert pages.seen == ["/robots.txt", "/", *(f"/feed/{n}" for n in (0, 1, 2, 3, 4, 8)), "/sitemap.xml"]
    assert sources(run)[0] == ("page", "/", "ok", 7)
    assert sources(run)[-1] == ("sitemap", "/sitemap.xml", "gone", 0)


# file, the paths that are kept, how many are dropped
FILES: list[tuple[str, str, list[str], int]] = [
    ("feed", "atom", [f"/notes/{n}" for n in (6, 5, 4, 3, 2, 1)], 0),
    ("feed", "rdf", [f"/notes/{n}" for n in range(1, 7)], 0),
    ("feed", "json", [f"/notes/{n}" for n in range(1, 7)], 0),
    ("feed", "relative", ["/notes/1"], 0),
    ("feed", "offsite", [], 1),
    ("feed", "page", [], 0),
    ("sitemap", "cdata", ["/p/1?a=1&b=2"], 0),
    ("sitemap", "not-gzip.xml.gz", [], 0),
    ("sitemap", "gzip-text", ["/p/1"], 0),
    ("sitemap", "text", ["/p/1", "/p/2"], 0),
    ("sitemap", "space-first", ["/p/1", "/p/2"], 0),
    ("sitemap", "utf-16", ["/p/1", "/p/2"], 0),
    ("sitemap", "no-namespace", ["/p/1", "/p/2"], 0),
    ("sitemap", "prefixed", ["/p/1"], 0),
    ("sitemap", "html-type", ["/p/1", "/p/2"], 0),
    ("sitemap", "twice", ["/p/1"], 0),
    ("sitemap", "offsite", ["/p/2", "/p/1"], 2),
    ("sitemap", "entities", ["/p/1", "/p/2"], 0),
    ("sitemap", "empty", [], 0),
    ("sitemap", "html", [], 0),
    ("sitemap", "long-value", ["/p/1", "/p/2"], 0),
]


@pytest.mark.parametrize(("kind", "name", "kept", "dropped"), FILES, ids=[f"{row[0]}-{row[1]}" for row in FILES])
def test_files_of_every_form(site: Site, store_dir: Path, kind: str, name: str, kept: list[str], dropped: int) -> None:
    folder = "feeds" if kind == "feed" else "sitemaps"
    site.reset(robots_text=f"Disallow: nothing\nSitemap: {site.url('/sitemaps/no-entries')}\n")
    options = {kind: site.url(f"/{folder}/{name}")}
    run = discover(store_dir, site.url("/"), linked_feeds="off", **options)
    if name == "not-gzip.xml.gz":
        assert len(found(run)) == 35
    else:
        assert found(run) == kept
    assert summary(run).dropped == dropped
    if not kept and name not in ("offsite", "not-gzip.xml.gz"):
        assert summary(run).sources[1].note


def test_what_robots_txt_disallows_is_left_out(site: Site, store_dir: Path) -> None:
    other = "\n\nUser-agent: Claude-User\nDisallow: /about\n"
    site.reset(robots_text="User-agent: *\nDisallow: /notes/\nDisallow: /sitemap.xml" + other)
    run = discover(store_dir, site.url("/"), settings={"POLITE_ON_BEHALF_OF": ["Claude-User"]})
    assert sources(run)[-1] == ("sitemap", "/sitemap.xml", "skipped", 0)
    assert (
        summary(run).sources[-1].note
        == "robots.txt disallows this URL for PoliteCrawler (line 3: Disallow: /sitemap.xml)"
    )
    assert (found(run), summary(run).dropped) == ([], 6)
    site.reset(robots_text="User-agent: *\nDisallow: /notes/" + other)
    run = discover(store_dir / "b", site.url("/"), settings={"POLITE_ON_BEHALF_OF": ["Claude-User"]})
    assert not [path for path in found(run) if path.startswith("/notes/") or path == "/about"]
    # six of the feed; of the sitemap the list of the notes, eighteen notes, and the page that the other token may not
    assert summary(run).dropped == 6 + 1 + 18 + 1


def test_an_unreachable_robots_txt_leaves_nothing_to_read(site: Site, store_dir: Path) -> None:
    site.reset(robots="503")
    run = discover(store_dir, site.url("/"))
    assert [source[:3] for source in sources(run)] == [("page", "/", "skipped"), ("robots", "/robots.txt", "busy")]
    note = summary(run).sources[1].note
    assert note is not None
    assert note.startswith("robots.txt is unreachable (503); next try at 2")
    assert {seen.path for seen in site.log()} == {"/robots.txt"}


def test_more_hosts_by_name_and_robots_txt_of_each(site: Site, store_dir: Path) -> None:
    listed = "".join(f"{site.url('/p/1', host=n)}\n" for n in range(1, 10))
    site.set(3, robots="deny")
    with serving({"/s": (200, {"Content-Type": "text/plain"}, listed + "{base}/x\n")}) as pages:
        run = discover(
            store_dir, pages.url(), linked_feeds="off", sitemap=pages.url("/s"), allow_host=" ".join(site.hosts[1:4])
        )
        # 127.0.0.1 is the host of the seed: ports are no other site
        kept = [site.url("/p/1", host=n) for n in (1, 2, 4)] + [pages.url("/x")]
    assert [row.url for row in run.items] == kept
    assert summary(run).dropped == 6
    assert sorted({seen.host for seen in site.log()}) == list(site.hosts[:4])


def test_robots_txt_of_ten_origins_at_most(site: Site, store_dir: Path) -> None:
    ports = "".join(f"http://127.0.0.1:{port}/\n" for port in range(2, 20))
    with serving({"/s": (200, {"Content-Type": "text/plain"}, ports)}) as pages:
        settings = {
            "POLITE_RETRIES": 0,
            "POLITE_HOSTS": {"127.0.0.1": {"backoff_min": 0, "backoff_max": 0, "failures": 99}},
        }
        run = discover(store_dir, pages.url(), linked_feeds="off", sitemap=pages.url("/s"), settings=settings)
    assert (summary(run).count, summary(run).dropped) == (0, 18)
    assert len({capture.url for capture in run.captures("robots")}) == 10


def test_the_limit_of_urls(site: Site, store_dir: Path) -> None:
    site.reset(robots="sitemaps")
    run = discover(store_dir, site.url("/"), linked_feeds="off", max_urls=5)
    assert summary(run).stopped == "max-urls"
    assert found(run) == ["/languages/el", "/languages/ru", "/languages/vi", "/languages/fr", "/languages/de"]
    assert summary(run).dropped == 30
    assert [seen.target for seen in site.log()] == ["/robots.txt", "/sitemaps/index", "/sitemaps/gzip"]


def test_the_limit_of_files(site: Site, store_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polite_crawler.spiders.discover.MOST_FILES", 2)
    site.reset(robots="sitemaps")
    run = discover(store_dir, site.url("/"))
    assert summary(run).stopped == "max-files"
    assert [source[1] for source in sources(run)] == ["/", "/feeds/rss", "/robots.txt", "/sitemaps/index"]
    assert len(found(run)) == 6


def test_the_limit_of_time(site: Site, store_dir: Path) -> None:
    site.reset(robots_text=f"User-agent: *\nCrawl-delay: 3600\nSitemap: {site.url('/sitemaps/text')}\n")
    run = discover(store_dir, site.url("/"))
    assert summary(run).stopped == "budget"
    assert [source[:3] for source in sources(run)] == [("page", "/", "ok"), ("feed", "/feeds/rss", "skipped")]
    assert summary(run).sources[-1].note == "deadline reached"
    assert summary(run).count == 0


def test_an_index_of_itself_ends(site: Site, store_dir: Path) -> None:
    run = discover(store_dir, site.url("/"), linked_feeds="off", sitemap=site.url("/sitemaps/nested"))
    assert len(site.log(path="/sitemaps/nested")) == 1
    assert summary(run).stopped == "done"


def test_parts_that_fail_do_not_end_it(site: Site, store_dir: Path) -> None:
    site.reset(
        robots_text="Sitemap: {origin}/sitemaps/broken-parts\nSitemap: ::no url::\n".replace("{origin}", site.base)
    )
    settings = {"POLITE_RETRIES": 0, "POLITE_TIMEOUTS": {"head": 0.3}}
    run = discover(store_dir, site.url("/"), linked_feeds="off", settings=settings)
    outcomes = {path: outcome for kind, path, outcome, _ in sources(run) if kind == "sitemap"}
    assert outcomes["/status/404"] == "gone"
    assert outcomes["/status/503"] == "busy"
    assert outcomes["/stall/head"] == "error"
    assert {"/p/10", "/p/11", "/p/12"} <= set(found(run))


def test_a_large_sitemap_and_a_bomb_are_cut(site: Site, store_dir: Path) -> None:
    bomb, many = (site.url(path) for path in ("/sitemaps/bomb", "/sitemaps/many?n=50001"))
    site.reset(robots_text=f"Sitemap: {bomb}\nSitemap: {many}\n")
    run = discover(store_dir, site.url("/"), linked_feeds="off", max_urls=10)
    assert [(one.outcome, one.urls) for one in summary(run).sources[1:]] == [("ok", 0), ("ok", 50_000)]
    first, second = (one.note for one in summary(run).sources[1:])
    assert first is not None
    assert first.startswith("only the first part was read (length)")
    assert second == "cut: more than 50000 entries"
    assert summary(run).dropped == 49_990


def test_a_stored_file_answers_with_no_request(site: Site, store_dir: Path) -> None:
    first = discover(store_dir, site.url("/"))
    asked = len(site.log())
    again = discover(store_dir, site.url("/"))
    assert found(again) == found(first)
    assert len(site.log()) == asked
    fresh = discover(store_dir, site.url("/"), max_age="0")
    assert found(fresh) == found(first)
    assert [seen.target for seen in site.log()[asked:]] == ["/", "/feeds/rss", "/sitemap.xml"]


def test_a_page_and_a_sitemap_of_one_url_are_two_captures(site: Site, store_dir: Path) -> None:
    url = site.url("/sitemaps/text")
    run = discover(store_dir, url, sitemap=url)
    assert [(one.kind, one.outcome) for one in run.captures() if one.url == url] == [("fetch", "ok"), ("sitemap", "ok")]


BAD: list[tuple[str, Any]] = [
    ("url", ""), ("url", "ftp://x/"), ("max_urls", 0), ("feed", "x"), ("sitemap", "/s"), ("budget", "-1"),
    ("max_age", "x"), ("sitemaps", "on"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_bad_argument_is_a_bad_option(site: Site, store_dir: Path, name: str, value: Any) -> None:
    with pytest.raises(BadOption):
        discover(store_dir, **{"url": site.url("/"), name: value})
    assert site.log() == []


def test_dates_of_every_precision_sort() -> None:
    body = "".join(
        f"<url><loc>http://h.example/{n}</loc><lastmod>{day}</lastmod></url>"
        for n, day in enumerate(["2025", "2026-03", "2026-03-01T00:00:01Z", "", "1969-01-01", "2026-02-28"])
    )
    listed = read_listing("sitemap", f"<urlset>{body}</urlset>".encode(), url="http://h.example/s", content_type=None)
    assert [entry.url[-1] for entry in listed.entries] == ["2", "1", "5", "0", "3", "4"]
    assert newest_first(listed.entries) == listed.entries


def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "polite_crawler.cli", "discover", *arguments],
        capture_output=True, text=True, timeout=60, env=dict(os.environ), check=False,
    )  # fmt: skip


def test_the_command_prints_rows_and_a_summary(site_process: SiteProcess, store_dir: Path) -> None:
    # from the store, so that no host has to rest
    discover(store_dir, site_process.url("/about"), feed=site_process.url("/feeds/rss"), max_urls=2)
    common = ("--dir", str(store_dir), "--allow-private", "--json")
    done = run_command(site_process.url("/about"), "--max-urls", "2", "--feed", site_process.url("/feeds/rss"), *common)
    assert done.returncode == 0, done.stderr
    *rows, last = (json.loads(line) for line in done.stdout.splitlines())
    assert [sorted(row) for row in rows] == [["changefreq", "lastmod", "source", "url", "via"]] * 2
    assert last["summary"]["stopped"] == "max-urls"
    assert last["summary"]["count"] == 2
    assert [sorted(one) for one in last["summary"]["sources"]] == [["kind", "note", "outcome", "url", "urls"]] * 3
    site_process.reset(robots="deny")
    nothing = run_command(site_process.url("/", host=2), *common)
    assert nothing.returncode == 1
