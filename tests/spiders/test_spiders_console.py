"""What a person sees: a line for each page, a summary, and nothing that a page could do to a terminal."""

import asyncio
import contextlib
import io
import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from engine_lab import crawl
from page_lab import links, serving
from scrapy import Request
from scrapy.utils.log import StreamLogger
from twisted.python.failure import Failure

from polite_crawler.errors import StoreError
from polite_crawler.spiders.base import page_note
from polite_crawler.spiders.console import (
    StatusLine,
    discovered_line,
    discovery_text,
    page_line,
    printable,
    summary_text,
    to_json,
)
from polite_crawler.spiders.page import PageSpider
from polite_crawler.spiders.results import (
    CrawledPage,
    CrawlSummary,
    DiscoveredUrl,
    DiscoverySource,
    DiscoverySummary,
    Tally,
)
from polite_crawler.spiders.site import SiteSpider
from polite_crawler.testsite.process import SiteProcess
from polite_crawler.testsite.site import Site

PAGE_KEYS = [
    "url", "final_url", "doc", "outcome", "status", "title", "capture", "fetched_at", "from_cache", "age_s", "chars",
    "truncated", "held_back", "archived", "note", "depth", "source",
]  # fmt: skip


def page(**facts: Any) -> CrawledPage:
    plain: dict[str, Any] = {
        "url": "http://h.example/a", "final_url": "http://h.example/a", "doc": "url:http://h.example/a",
        "outcome": "ok", "status": 200, "title": "A", "capture": "fetch.x", "fetched_at": "2026-01-01T00:00:00Z",
        "from_cache": False, "age_s": 0, "chars": 1, "truncated": False, "held_back": False, "archived": None,
        "note": None,
    }  # fmt: skip
    return CrawledPage(**{**plain, **facts})


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        ({}, "ok           200  http://h.example/a  A"),
        ({"from_cache": True}, "stored       200  http://h.example/a  A"),
        ({"final_url": "http://h.example/b"}, "ok           200  http://h.example/a -> http://h.example/b  A"),
        ({"title": None, "held_back": True}, "ok           200  http://h.example/a  held back"),
        ({"outcome": "skipped", "status": None, "title": None, "note": "deadline reached"},
         "skipped        -  http://h.example/a  deadline reached"),
        ({"title": None, "note": None}, "ok           200  http://h.example/a"),
        ({"title": "a\x1b[2Jb\u202ec\nd"}, "ok           200  http://h.example/a  a\ufffd[2Jb\ufffdc\nd"),
    ],
)  # fmt: skip
def test_a_page_is_one_line(facts: dict[str, Any], line: str) -> None:
    assert page_line(page(**facts)) == line


def test_all_keys_are_there() -> None:
    assert list(json.loads(to_json(page()))) == PAGE_KEYS
    assert list(json.loads(to_json(DiscoveredUrl("u", None, None, "feed", "s")))) == [
        "url", "lastmod", "changefreq", "via", "source",
    ]  # fmt: skip


def test_the_summaries() -> None:
    crawl_summary = CrawlSummary("closed", "closespider_timeout", 3, 1, 2, 0, 3, {"scope": 1, "seen": 2}, 7)
    assert summary_text(crawl_summary) == (
        "stopped: closed (closespider_timeout)\n"
        "pages: 3 fetched, 1 from the store, 2 refused, 0 failed\n"
        "links not followed: 3 (scope 1, seen 2); still queued: 7"
    )
    source = DiscoverySource("http://h.example/s", "sitemap", "gone", 0, "not here")
    assert discovery_text(DiscoverySummary("done", 2, 1, (source,))) == (
        "stopped: done; 2 URLs, 1 left out\n  sitemap gone              0  http://h.example/s  not here"
    )
    assert discovered_line(DiscoveredUrl("http://h.example/a", "2026-01-01", None, "feed", "s")).split() == [
        "2026-01-01", "http://h.example/a",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("outcome", "reason", "cached", "counted"),
    [
        ("ok", None, False, "fetched"), ("not_modified", None, False, "fetched"), ("redirect", None, False, "fetched"),
        ("blocked", None, False, "refused"), ("paid", None, False, "refused"), ("challenge", None, False, "refused"),
        ("refused", None, False, "refused"), ("skipped", "robots", False, "refused"),
        ("skipped", "stop", False, "refused"), ("skipped", "egress", False, "refused"),
        ("skipped", "deadline", False, "failed"), ("skipped", "url", False, "failed"), ("gone", None, False, "failed"),
        ("busy", None, False, "failed"), ("error", "dns", False, "failed"), ("ok", None, True, "from_cache"),
    ],
)  # fmt: skip
def test_where_a_page_counts(outcome: str, reason: str | None, cached: bool, counted: str) -> None:
    tally = Tally()
    tally.add(page(outcome=outcome, from_cache=cached), reason)
    assert getattr(tally, counted) == tally.pages == 1


def test_control_characters_never_reach_a_terminal() -> None:
    text = "".join(
        map(chr, [*range(32), 127, *range(128, 160), 0x2028, *range(0x202A, 0x202F), *range(0x2066, 0x206A)])
    )
    shown = printable(text)
    assert set(shown) == {"\ufffd", "\n"}
    assert printable("Ünïcode 漢字 🙂") == "Ünïcode 漢字 🙂"


def test_a_status_line_goes_away() -> None:
    stream = io.StringIO()
    line = StatusLine(stream)
    line.clear()
    assert stream.getvalue() == ""
    line.show("1 pages, 2 waiting" + "x" * 200)
    assert stream.getvalue().startswith("\r\x1b[K1 pages, 2 waiting")
    assert len(stream.getvalue()) <= 120
    line.clear()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_the_json_lines_of_a_crawl(site: Site, store_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawl(SiteSpider, store_dir, url=site.url("/tree/0?size=4"), include="/tree/*", settings={"POLITE_OUTPUT": "json"})
    *rows, last = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert [row["url"] for row in rows] == [site.url(f"/tree/{n}?size=4") for n in range(4)]
    assert all(list(row) == PAGE_KEYS for row in rows)
    assert list(last["summary"]) == [
        "stopped", "reason", "fetched", "from_cache", "refused", "failed", "skipped", "skips", "queued",
    ]  # fmt: skip


def test_each_url_of_a_fetch_has_a_result(site: Site, store_dir: Path) -> None:
    with serving({"/": (302, {"Location": "/there"}, ""), "/there": links(text="here")}) as pages:
        spelled = pages.url("/there").replace("127.0.0.1", "127.0.0.1.")
        run = crawl(
            PageSpider, store_dir, url=f"{pages.url('/there')} {pages.url('/')} {spelled} {pages.url('/there')}"
        )
    assert [(one.outcome, one.final_url) for one in run.pages] == [("ok", pages.url("/there"))] * 3
    assert {one.url for one in run.pages} == {pages.url("/there"), pages.url("/"), spelled}


def test_a_crawl_ends_when_nobody_reads_on(site_process: SiteProcess, store_dir: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "from pathlib import Path; from engine_lab import crawl\n"
        "from polite_crawler.spiders.site import SiteSpider\n"
        f"run = crawl(SiteSpider, Path({str(store_dir)!r}), url={site_process.url('/p/1')!r},"
        " max_depth=10000, max_pages=10000,"
        " settings={'POLITE_OUTPUT': 'text'})\n"
        "print(run.summary.stopped, file=sys.stderr)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=dict(os.environ), text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith("ok ")
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 0
    assert err == "cancelled\n"


def test_an_exchange_that_was_cut_off_says_so_in_words() -> None:
    request = Request("http://x.example/")
    assert page_note(request, Failure(asyncio.CancelledError())) == "stopped"
    assert page_note(request, Failure(StoreError("disk full"))) == "disk full"
    assert page_note(request, Failure(ValueError("odd"))) == "ValueError: odd"


def test_lines_go_to_whatever_stands_for_standard_output(
    site: Site, store_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "stdout")
    kept = io.StringIO()
    # that of a program, and that of Scrapy with LOG_STDOUT
    for stream in (kept, StreamLogger(logging.getLogger("stdout"))):
        with contextlib.redirect_stdout(stream):
            crawl(PageSpider, store_dir, url=site.url("/about"), settings={"POLITE_OUTPUT": "json"})
    logged = [record.getMessage() for record in caplog.records if record.name == "stdout"]
    assert [json.loads(line)["url"] for line in (*kept.getvalue().splitlines(), *logged)] == [site.url("/about")] * 2
