"""Crawls of a site: what is followed, in which order, where it ends, and numbers that add up."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from engine_lab import Run, crawl
from page_lab import index, links, serving, urlset
from scrapy import signals
from scrapy.crawler import Crawler

from polite_crawler.errors import BadOption
from polite_crawler.scheduling.closing import close
from polite_crawler.spiders.page import PageSpider
from polite_crawler.spiders.results import CrawledPage
from polite_crawler.spiders.site import SiteSpider
from polite_crawler.testsite.process import SiteProcess
from polite_crawler.testsite.site import Site

FAST: dict[str, Any] = {"POLITE_PAGE_INTERVAL": 0.001}


def paths(run: Run) -> list[str]:
    """The paths of the pages, in the order in which they ended."""
    return ["/" + page.url.split("/", 3)[3] for page in run.pages]


def adds_up(run: Run) -> None:
    summary = run.summary
    assert summary.fetched + summary.from_cache + summary.refused + summary.failed == len(run.pages)
    assert summary.skipped == sum(summary.skips.values())
    stats = run.crawler.stats.get_stats()
    assert {name: stats.get(f"polite/skips/{name}") for name in summary.skips} == dict(summary.skips)


def test_each_page_once_by_depth(site: Site, store_dir: Path) -> None:
    run = crawl(
        SiteSpider, store_dir, url=site.url("/tree/0?size=13"), exclude="/* /*$", include="/tree/*", settings=FAST
    )
    assert paths(run) == ["/tree/0?size=13"]
    run = crawl(SiteSpider, store_dir, url=site.url("/tree/0?size=13"), include="/tree/*", max_age="0", settings=FAST)
    assert paths(run) == [f"/tree/{n}?size=13" for n in range(13)]
    assert [page.depth for page in run.pages if isinstance(page, CrawledPage)] == [0, *[1] * 3, *[2] * 9]
    assert [page.source for page in run.pages if isinstance(page, CrawledPage)] == ["seed", *["link"] * 12]
    assert run.summary.stopped == "done"
    assert run.summary.queued == 0
    adds_up(run)


def test_the_numbers_of_a_crawl_of_every_kind_add_up(site: Site, store_dir: Path) -> None:
    site.reset(robots_text="User-agent: *\nDisallow: /private/\n")
    seeds = ["/", "/status/404", "/status/402", "/status/418", "/status/500", "/status/503", "/redir?to=/nowhere"]
    hosts = {f"127.0.0.{n}": {"backoff_min": 0.01, "backoff_max": 0.01, "stop_paid": 0} for n in (1, 2)}
    settings = {**FAST, "POLITE_HOSTS": hosts, "POLITE_RETRIES": 1}
    run = crawl(SiteSpider, store_dir, url=" ".join(map(site.url, seeds)), settings=settings, max_depth=1)
    adds_up(run)
    by_outcome = {
        name: sum(page.outcome == name for page in run.pages) for name in {page.outcome for page in run.pages}
    }
    assert by_outcome == {"ok": 11, "gone": 2, "paid": 1, "refused": 1, "error": 1, "busy": 1, "skipped": 1}
    summary = run.summary
    assert (summary.fetched, summary.refused, summary.failed, summary.from_cache) == (11, 3, 4, 0)
    again = crawl(SiteSpider, store_dir, url=site.url("/"), settings=FAST, max_depth=1)
    assert (again.summary.fetched, again.summary.from_cache) == (0, 11)
    adds_up(again)


@pytest.mark.parametrize("most", [1, 2, 7])
def test_never_a_page_request_too_many(site: Site, store_dir: Path, most: int) -> None:
    run = crawl(
        SiteSpider,
        store_dir,
        url=" ".join(site.url("/fan/30", host=n) for n in (1, 2, 3)),
        max_pages=most,
        settings=FAST,
    )
    asked = [seen for seen in site.log() if seen.path != "/robots.txt"]
    assert len(asked) == len(run.pages) == most
    assert run.summary.stopped == "max-pages"
    assert run.summary.queued > 0
    adds_up(run)


def test_a_crawl_that_ends_with_its_last_page_is_done(store_dir: Path) -> None:
    with serving({"/": links("/a", "/b"), "/a": links("/"), "/b": links("/a")}) as pages:
        run = crawl(SiteSpider, store_dir, url=pages.url(), max_pages=3, settings=FAST)
    assert (run.summary.stopped, run.summary.queued, len(run.pages)) == ("done", 0, 3)


# links of a page, options, the paths that are asked beside it, the reasons of the others
FOLLOWED: list[tuple[list[str], dict[str, Any], list[str], dict[str, int]]] = [
    (["/a", "/a#x", "/b?utm_source=z", "/b"], {}, ["/a", "/b"], {"seen": 2}),
    (["/"], {}, [], {"seen": 1}),
    (["/a", "/x/b", "/x/c.pdf"], {"include": "/x/*"}, ["/x/b", "/x/c.pdf"], {"pattern": 1}),
    (["/a", "/x/b", "/x/c.pdf"], {"include": "/x/* /a$", "exclude": "*.pdf$"}, ["/a", "/x/b"], {"pattern": 1}),
    (["/a", "/b"], {"exclude": "{base}/b"}, ["/a"], {"pattern": 1}),
    (["/a"], {"max_depth": 0}, [], {"depth": 1}),
    (["!/a", "/b"], {}, ["/b"], {"nofollow": 1}),
    (["!/a", "/a"], {}, ["/a"], {}),
    (["http://other.example/", "http://sub.127.0.0.1.example/", "/a"], {}, ["/a"], {"scope": 2}),
    (["mailto:a@b.example", "javascript:void(0)", "tel:1", "#top", "/a"], {}, ["/a"], {}),
    ([f"/l/{n}" for n in range(105)], {"max_pages": 1}, [], {"links-cap": 5}),
    (["/s;jsessionid=8A1D33C7F9B04E21", "/s"], {}, ["/s"], {"seen": 1}),
    (["/s", "/s;jsessionid=8A1D33C7F9B04E21", "/s?PHPSESSID=1"], {}, ["/s"], {"trap:session-id": 2}),
    (["/a/a/a/a", "/b"], {}, ["/b"], {"trap:repeat-path": 1}),
    (["/q?p=1&p=2&p=3&p=4&p=5", "/b"], {}, ["/b"], {"trap:query": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("hrefs", "options", "asked", "skips"), FOLLOWED, ids=[str(n) for n in range(len(FOLLOWED))])
def test_which_links_are_followed(
    store_dir: Path, hrefs: list[str], options: dict[str, Any], asked: list[str], skips: dict[str, int]
) -> None:
    found = {href.lstrip("!").partition("#")[0]: "<p>x" for href in [*hrefs, "/b", "/s"]}
    with serving({**found, "/": links(*hrefs)}) as pages:
        options = {name: str(value).replace("{base}", pages.url("")) for name, value in options.items()}
        run = crawl(SiteSpider, store_dir, url=pages.url(), settings=FAST, **options)
        assert pages.asked() == ["/", *asked]
    assert run.summary.skips == skips
    adds_up(run)


def test_another_host_comes_in_by_its_name_and_no_other_one(site: Site, store_dir: Path) -> None:
    seeds, hosts = site.url("/redir?to=/tree/0"), site.hosts
    other = [site.url("/redir?to=" + site.url(f"/p/{n}", host=n)) for n in (2, 3)]
    with serving({"/": links(seeds, *other, site.url("/about", host=4))}) as pages:
        run = crawl(
            SiteSpider, store_dir, url=pages.url(), allow_host=f"{hosts[1]} {hosts[3]}", max_depth=1, settings=FAST
        )
    assert [seen.target for seen in site.log(host=2)] == ["/robots.txt", "/p/2"]
    assert [seen.target for seen in site.log(host=3)] == []
    assert [seen.target for seen in site.log(host=4)] == ["/robots.txt", "/about"]
    ended = run.page("/redir?to=" + site.url("/p/3", host=3))
    assert (ended.outcome, ended.status) == ("redirect", 302)
    assert ended.note == f"the redirect leads out of scope: {site.url('/p/3', host=3)}"
    adds_up(run)


def test_a_seed_is_read_where_it_leads_and_its_links_keep_to_the_seeds(site: Site, store_dir: Path) -> None:
    target = site.url("/p/5", host=2)
    run = crawl(SiteSpider, store_dir, url=site.url("/redir?to=" + target), settings=FAST)
    assert [(page.outcome, page.final_url) for page in run.pages] == [("ok", target)]
    assert run.summary.skips == {"scope": 1}
    assert [seen.target for seen in site.log(host=2)] == ["/robots.txt", "/p/5"]


def test_another_scheme_or_spelling_is_no_other_page(site: Site, store_dir: Path) -> None:
    hrefs = (
        "/x",
        "HTTP://LOCALHOST:{port}/x",
        "http://localhost.:{port}/x",
        "https://localhost:{port}/x",
        "/./x#a",
        "/%78",
    )
    with serving({"/x": "<p>x"}) as pages:
        pages.pages = {**pages.pages, "/": links(*(href.format(port=pages.port) for href in hrefs))}
        seed = f"http://localhost:{pages.port}/"
        run = crawl(SiteSpider, store_dir, url=f"{seed} {seed}# {seed.upper()}", settings=FAST)
        assert pages.asked() == ["/", "/x"]
    assert run.summary.skips == {"seen": 3}


def test_final_and_canonical_urls_are_not_fetched_again(store_dir: Path) -> None:
    canonical = '<link rel="canonical" href="/real">'
    site_map = {
        "/": links("/one", "/moved", "/real", "/target"),
        "/one": links("/late", head=canonical),
        "/moved": (302, {"Location": "/target"}, ""),
        "/target": links("/real"),
        "/real": "<p>the real one",
        "/late": links("/real", "/target"),
    }
    with serving(site_map) as pages:
        run = crawl(SiteSpider, store_dir, url=pages.url(), settings=FAST)
        assert pages.asked() == ["/", "/one", "/moved", "/target", "/late"]
    # /real waited already when /one named it, and /moved led to /target, which waited too
    assert run.summary.skips["canonical"] == 1
    assert (
        run.page("/moved").note == f"the redirect leads to {pages.url('/target')}, which this crawl has asked already"
    )
    assert run.page("/target").outcome == "ok"
    assert run.summary.queued == 0
    adds_up(run)


def test_a_link_to_the_target_of_a_hop_is_seen(store_dir: Path) -> None:
    pages_ = {
        "/": links("/moved"),
        "/moved": (301, {"Location": "/target"}, ""),
        "/target": links("/target", "/moved", "/"),
    }
    with serving(pages_) as pages:
        run = crawl(SiteSpider, store_dir, url=pages.url(), settings=FAST)
        assert pages.asked() == ["/", "/moved", "/target"]
    assert run.summary.skips == {"seen": 2, "canonical": 1}
    assert run.summary.queued == 0


@pytest.mark.parametrize("how", ["meta", "header"])
def test_a_quick_refresh_is_a_hop_of_the_page(store_dir: Path, how: str) -> None:
    moved: Any = links(head='<meta http-equiv="refresh" content="1; url=/there">')
    if how == "header":
        moved = (200, {"Refresh": "0; url=/there"}, "<p>moved")
    slow = links(head='<meta http-equiv="refresh" content="30; url=/never">')
    with serving({"/": moved, "/there": links("/slow"), "/slow": slow}) as pages:
        run = crawl(SiteSpider, store_dir, url=pages.url(), settings=FAST)
        assert pages.asked() == ["/", "/there", "/slow"]
        assert [(page.url, page.final_url) for page in run.pages] == [
            (pages.url("/"), pages.url("/there")), (pages.url("/slow"), pages.url("/slow")),
        ]  # fmt: skip
    first, hop, _ = run.captures("fetch")
    assert hop.redirect_of == first.id
    again = crawl(SiteSpider, store_dir, url=pages.url(), settings=FAST)
    assert [(page.final_url, page.from_cache) for page in again.pages] == [(page.final_url, True) for page in run.pages]


def test_the_links_of_a_page_that_says_no_are_not_followed(site: Site, store_dir: Path) -> None:
    for head, headers, reason in (
        ('<meta name="robots" content="nofollow">', {}, "nofollow"),
        ("", {"X-Robots-Tag": "none"}, "nofollow"),
        ("", {"Content-Signal": "ai-input=no"}, "held-back"),
    ):
        with serving({"/": (200, headers, links("/a", "/b", head=head)), "/a": "a", "/b": "b"}) as pages:
            run = crawl(SiteSpider, store_dir, url=pages.url(), settings=FAST)
            assert pages.asked() == ["/"]
        assert run.summary.skips == {reason: 2}


def test_sitemap_pages_come_after_the_seeds_the_newest_first(store_dir: Path) -> None:
    site_map = {
        "/robots.txt": "Sitemap: {base}/index\n",
        "/index": index(("/s-old", "2024-01-02"), ("/s-new", "2026-06-02")),
        "/s-old": urlset(("/old", "2024-01-01"), ("/new", "2026-05-01T10:00:00Z"), ("/out", "2026")),
        "/s-new": urlset(("/mid", "2025-06-01"), ("/newest", "2026-06-01"), ("/no-date", "")),
        "/": links("/link"), "/link": "l", "/newest": links("/deep"), "/deep": "d",
        **{path: path for path in ("/old", "/new", "/mid", "/no-date", "/out")},
    }  # fmt: skip
    # a rest in which a file is read before the next request leaves the queue
    rest = {"POLITE_PAGE_INTERVAL": 0.2}
    with serving(site_map) as pages:
        run = crawl(SiteSpider, store_dir, url=pages.url(), sitemaps="on", exclude="/out", settings=rest)
        assert pages.asked()[:4] == ["/", "/index", "/s-new", "/s-old"]
    assert paths(run) == ["/", "/newest", "/new", "/mid", "/old", "/no-date", "/link", "/deep"]
    told = [(page.source, page.depth) for page in run.pages if isinstance(page, CrawledPage)]
    assert told == [("seed", 0), *[("sitemap", 0)] * 5, ("link", 1), ("link", 1)]
    assert run.summary.skips == {"pattern": 1}
    assert {capture.kind for capture in run.captures()} == {"robots", "sitemap", "fetch"}
    adds_up(run)


def test_enough_pages_in_the_first_sitemap_are_enough(site: Site, store_dir: Path) -> None:
    site.reset(robots="sitemaps")
    # the first sitemap is read while the host rests
    settings = {"POLITE_PAGE_INTERVAL": 0.3}
    run = crawl(SiteSpider, store_dir, url=site.url("/"), sitemaps="on", max_pages=3, settings=settings)
    assert [seen.target for seen in site.log(path="/sitemaps/")] == ["/sitemaps/index", "/sitemaps/gzip"]
    assert len(run.pages) == 3
    assert run.summary.queued > 30


def test_the_budget_ends_a_crawl(site: Site, store_dir: Path) -> None:
    settings = {"POLITE_PAGE_INTERVAL": 0.2}
    run = crawl(
        SiteSpider, store_dir, url=site.url("/p/1"), budget="2s", max_depth=1000, max_pages=1000, settings=settings
    )
    assert run.summary.stopped == "budget"
    assert 1 <= len(run.pages) < 20
    adds_up(run)


def test_a_host_that_is_ready_after_the_budget_is_not_waited_for(site: Site, store_dir: Path) -> None:
    site.reset(robots="crawl-delay-day")
    run = crawl(SiteSpider, store_dir, url=site.url("/tree/0?size=4"), include="/tree/*", budget="30s")
    assert [page.outcome for page in run.pages] == ["ok", "skipped", "skipped", "skipped"]
    assert {page.note for page in run.pages[1:]} == {"deadline reached"}
    assert run.summary.stopped == "budget"
    assert run.summary.failed == 3
    assert len([seen for seen in site.log() if seen.path.startswith("/tree")]) == 1
    adds_up(run)


class Stopped(SiteSpider):
    """Ends in flight: after its first page, while the second one is on its way."""

    name = "stopped"
    reason = "cancelled"

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> "Stopped":
        spider = super().from_crawler(crawler, *args, **kwargs)

        def reached(request: Any) -> None:
            if "/hold/" in request.url:
                asyncio.get_running_loop().call_later(0.05, close, crawler, spider.reason)

        spider.reached = reached
        crawler.signals.connect(reached, signals.request_reached_downloader)
        return spider


def test_a_crawl_that_is_closed_in_flight_keeps_what_came(site: Site, store_dir: Path) -> None:
    for reason, stopped, why in (
        ("cancelled", "cancelled", None),
        ("closespider_timeout", "closed", "closespider_timeout"),
    ):
        site.reset()
        Stopped.reason = reason
        settings = {**FAST, "POLITE_TIMEOUTS": {"head": 0.5}, "POLITE_RETRIES": 0}
        with serving({"/": links(site.url("/hold/never"), "/a", "/b", "/c"), "/a": "a"}) as pages:
            run = crawl(Stopped, store_dir, url=pages.url(), allow_host=site.hosts[0], settings=settings, max_age="0")
        assert (run.summary.stopped, run.summary.reason) == (stopped, why)
        assert run.page("/hold/never").outcome == "error"
        assert len(run.pages) + run.summary.queued == 5
        adds_up(run)


def test_a_stored_page_answers_with_its_links(site: Site, store_dir: Path) -> None:
    first = crawl(SiteSpider, store_dir, url=site.url("/tree/0?size=4"), include="/tree/*", settings=FAST)
    asked = len(site.log())
    again = crawl(SiteSpider, store_dir, url=site.url("/tree/0?size=4"), include="/tree/*", settings=FAST)
    assert paths(again) == paths(first)
    assert again.summary.from_cache == 4
    assert len(site.log()) == asked


def test_the_depth_limit_of_the_project_counts_too(site: Site, store_dir: Path) -> None:
    run = crawl(
        SiteSpider, store_dir, url=site.url("/tree/0?size=13"), include="/tree/*", settings={**FAST, "DEPTH_LIMIT": 1}
    )
    assert len(run.pages) == 4
    assert run.summary.skips["depth"] == 9


BAD: list[tuple[str, Any]] = [
    ("max_pages", "0"), ("max_pages", "many"), ("max_depth", "-1"), ("max_depth", 1.5), ("budget", "soon"),
    ("sitemaps", "perhaps"), ("max_age", "old"), ("allow_host", "a/b"), ("max_paegs", "5"), ("url", "ftp://x/"),
    ("url", "  "),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_bad_argument_is_a_bad_option_before_a_request(site: Site, store_dir: Path, name: str, value: Any) -> None:
    with pytest.raises(BadOption):
        crawl(SiteSpider, store_dir, **{"url": site.url(), name: value})
    assert site.log() == []


def test_ctrl_c_prints_the_summary_and_exits_with_130(site_process: SiteProcess, store_dir: Path) -> None:
    command = [
        sys.executable, "-m", "polite_crawler.cli", "crawl", site_process.url("/p/1"), "--dir", str(store_dir),
        "--json", "--allow-private", "--max-depth", "1000",
    ]  # fmt: skip
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    assert process.stdout is not None
    first = json.loads(process.stdout.readline())
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    last = json.loads(out.splitlines()[-1])
    assert first["outcome"] == "ok"
    assert last["summary"]["stopped"] == "cancelled"
    assert last["summary"]["fetched"] >= 1
    assert last["summary"]["queued"] == 1


def test_a_long_url_that_was_asked_for_has_a_result(store_dir: Path) -> None:
    long = "/long?" + "x" * 5000
    with serving({long: links(long + "x")}) as here:
        run = crawl(SiteSpider, store_dir, url=here.url(long))
        assert [(page.url, page.outcome) for page in run.pages] == [(here.url(long), "ok")]
        assert (run.summary.skips, run.summary.queued) == ({"trap:query": 1}, 0)
        alone = crawl(PageSpider, store_dir / "other", url=here.url(long))
    assert [page.outcome for page in alone.pages] == ["ok"]
