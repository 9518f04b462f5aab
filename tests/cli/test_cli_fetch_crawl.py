"""`pc-fetch`, `pc-crawl` and `scrapy crawl` as processes: results, exit codes, one clear line for bad input."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from polite_crawler.query.store import open_store
from polite_crawler.spiders.results import CrawledPage, CrawlSummary, PageResult
from polite_crawler.testsite.site import Site

QUICK = ("-s", "POLITE_ALLOW_PRIVATE=1", "-s", "POLITE_PAGE_INTERVAL=0.01", "-s", "POLITE_SLOW_FACTOR=0")


def pc(*arguments: str, store: Path | None, **environment: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "polite_crawler.cli", *arguments]
    return _run(command, store, environment)


def scrapy(*arguments: str, store: Path | None = None) -> "subprocess.CompletedProcess[str]":
    return _run([sys.executable, "-m", "scrapy", *arguments], store, {})


def _run(command: Sequence[str], store: Path | None, environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    given = {"SCRAPY_SETTINGS_MODULE": "polite_crawler.settings", "POLITE_CRAWLER_ALLOW_PRIVATE": "1", **environment}
    if store is not None:
        given["POLITE_CRAWLER_DIR"] = str(store)
    return subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **given}, timeout=100, check=False
    )


def keys(result: type) -> set[str]:
    return set(result.__dataclass_fields__)


def test_fetch_prints_every_key_and_a_second_one_sends_nothing(site: Site, store_dir: Path) -> None:
    done = pc("fetch", site.url("/about"), "--json", store=store_dir)
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = done.stdout.splitlines()
    first = json.loads(line)
    assert set(first) == keys(PageResult)
    assert (first["outcome"], first["status"], first["from_cache"]) == ("ok", 200, False)
    site.reset()
    again = json.loads(pc("fetch", site.url("/about"), "--json", store=store_dir).stdout)
    assert (again["capture"], again["from_cache"]) == (first["capture"], True)
    assert site.log() == []


@pytest.mark.parametrize(("form", "title"), [((), b"??????"), (("--json",), "岩の上の灯台".encode())])
def test_a_terminal_of_another_encoding_loses_no_line(
    site: Site, store_dir: Path, form: tuple[str, ...], title: bytes
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "polite_crawler.cli", "fetch", site.url("/languages/ja"), *form],
        env={**os.environ, "POLITE_CRAWLER_DIR": str(store_dir), "POLITE_CRAWLER_ALLOW_PRIVATE": "1",
             "PYTHONIOENCODING": "latin-1"},
        capture_output=True, timeout=100, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert title in done.stdout


def test_a_fragment_is_no_part_of_what_was_fetched(site: Site, store_dir: Path) -> None:
    asked = site.url("/about#who")
    first = json.loads(pc("fetch", asked, "--json", store=store_dir).stdout)
    assert (first["url"], first["final_url"]) == (asked, site.url("/about"))
    again = pc("fetch", site.url("/about"), store=store_dir)
    assert again.stdout == f"stored       200  {site.url('/about')}  About the almanac\n"
    assert pc("fetch", asked, store=store_dir).stdout == f"stored       200  {asked}  About the almanac\n"
    with open_store(store_dir) as store:
        assert store.capture(first["capture"]).url == site.url("/about")


def test_crawl_ends_with_its_summary(site: Site, store_dir: Path) -> None:
    done = pc("crawl", site.url("/"), "--max-pages", "3", "--json", store=store_dir)
    assert done.returncode == 0
    *pages, last = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(set(page) == keys(CrawledPage) for page in pages)
    assert set(last) == {"summary"}
    summary = last["summary"]
    assert set(summary) == keys(CrawlSummary)
    assert summary["stopped"] == "max-pages"
    streamed = summary["fetched"] + summary["from_cache"] + summary["refused"] + summary["failed"]
    assert streamed == len(pages) == 3
    assert summary["skipped"] == sum(summary["skips"].values())


@pytest.mark.parametrize("command", [["fetch"], ["crawl", "--max-pages", "1"], ["product"]], ids=lambda one: one[0])
def test_a_space_does_not_end_a_url(site: Site, store_dir: Path, command: list[str]) -> None:
    done = pc(*command, site.url("/shop/lamp?a b#c d"), store=store_dir)
    assert (done.returncode, done.stderr) == (0, "")
    assert [one.target for one in site.log(path="/shop")] == ["/shop/lamp?a%20b"]


@pytest.mark.parametrize("fault", ["requests", "extract"])
def test_a_fault_of_a_recipe_is_told_in_lines(site: Site, store_dir: Path, tmp_path: Path, fault: str) -> None:
    recipe = tmp_path / "faulty.py"
    recipe.write_text(FAULTY.format(name=f"faulty-{fault}", fault=fault))
    done = pc("recipe", "run", str(recipe), site.url("/about"), store=store_dir)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "RuntimeError: boom" in done.stderr.splitlines()[-1]
    fixture = pc("recipe", "fixture", site.url("/about"), "--recipe", str(recipe), store=store_dir)
    assert fixture.returncode == 1
    assert len(fixture.stderr.splitlines()) == 1
    assert "fault of the program" not in fixture.stderr


FAULTY = """
from polite_crawler.recipes import Recipe
from scrapy import Request

def fail(method):
    if method == "{fault}":
        raise RuntimeError("boom")

class Faulty(Recipe):
    name = "{name}"

    def requests(self, input):
        fail("requests")
        yield Request(input)

    @classmethod
    def extract(cls, body, capture):
        fail("extract")
        return []
"""


def test_scrapy_crawl_site_then_the_answers(site: Site, store_dir: Path) -> None:
    settings = (*QUICK, "-s", f"POLITE_STORE={store_dir}")
    done = scrapy("crawl", "site", "-a", f"url={site.url('/')}", "-a", "max_pages=8", *settings)
    assert done.returncode == 0
    assert "stopped: max-pages" in done.stdout
    assert "Traceback" not in done.stderr
    found = pc("find", "lighthouse", "--json", store=store_dir)
    hit = json.loads(found.stdout.splitlines()[0])
    read = json.loads(pc("read", hit["doc"], "--json", store=store_dir).stdout)
    assert read["text"][hit["start"] : hit["end"]].split() == hit["snippet"].strip("…").split()
    quote = " ".join(read["text"].split()[:9])
    verified = json.loads(pc("verify", hit["doc"], quote, "--json", store=store_dir).stdout)
    assert verified["found"] is True
    assert read["text"][verified["start"] : verified["end"]] == verified["matched"]
    site.reset()
    again = scrapy("crawl", "site", "-a", f"url={site.url('/')}", "-a", "max_pages=8", *settings)
    assert again.returncode == 0
    assert site.log() == []


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["fetch", "nonsense"], 2, "bad URL 'nonsense'"),
        (["fetch", "ftp://example.com/"], 2, "only absolute http and https URLs"),
        (["fetch", "http://example.com:99999/"], 2, "the port"),
        (["fetch"], 2, "URL"),
        (["fetch", "http://example.com/", "--max-age", "soon"], 2, "--max-age"),
        (["fetch", "http://example.com/", "--contact", "no contact"], 2, "POLITE_CONTACT"),
        (["fetch", "http://example.com/", "--on-behalf-of", "Claude User/1"], 2, "POLITE_ON_BEHALF_OF"),
        (["crawl", "http://example.com/", "--max-pages", "0"], 2, "--max-pages"),
        (["crawl", "http://example.com/", "--budget", "later"], 2, "--budget"),
        (["crawl", "http://example.com/", "--nonsense"], 2, "--nonsense"),
        (["crawl", "http://example.com/", "--allow-host", "a/b"], 2, "allow_host"),
        (["frobnicate"], 2, "no command"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_wrong_command_line_opens_no_store(store_dir: Path, arguments: list[str], code: int, says: str) -> None:
    done = pc(*arguments, store=store_dir)
    assert done.returncode == code
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not store_dir.exists()


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["-a", "url=nonsense"], 2, "bad URL"),
        ([], 2, "no URL"),
        (["-a", "url=http://127.0.0.1/", "-a", "max_pages=x"], 2, "max_pages"),
        (["-a", "url=http://127.0.0.1/", "-a", "budget=x"], 2, "budget"),
        (["-a", "url=http://127.0.0.1/", "-s", "POLITE_PAGE_INTERVAL=x"], 2, "POLITE_PAGE_INTERVAL"),
        (["-a", "url=http://127.0.0.1/", "-s", "POLITE_CONTACT=x"], 2, "POLITE_CONTACT"),
        (["-a", "url=http://127.0.0.1/", "-s", "POLITE_EGRESS_ALLOW=a/b/c"], 2, "POLITE_EGRESS_ALLOW"),
        (["-a", "url=http://127.0.0.1/", "-s", "POLITE_STORE=/proc/none"], 1, "cannot write the store"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_scrapy_shows_one_line_and_no_traceback(store_dir: Path, arguments: list[str], code: int, says: str) -> None:
    store = () if "POLITE_STORE" in str(arguments) else ("-s", f"POLITE_STORE={store_dir}")
    done = scrapy("crawl", "site", *arguments, *store)
    assert done.returncode == code
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_a_store_of_another_version(site: Site, store_dir: Path) -> None:
    store_dir.mkdir()
    (store_dir / "VERSION").write_text("99\n")
    done = pc("fetch", site.url("/about"), store=store_dir)
    assert (done.returncode, site.log()) == (1, [])
    assert "has version 99" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_hosts_that_do_not_answer(site: Site, store_dir: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        urls = [f"http://127.0.0.1:{port}/", "http://no-such-host.invalid/", site.url("/about")]
        done = pc("fetch", *urls, "--json", store=store_dir)
    assert done.returncode == 1
    results = {json.loads(line)["url"]: json.loads(line) for line in done.stdout.splitlines()}
    assert [results[url]["outcome"] for url in urls] == ["skipped", "skipped", "ok"]
    assert "robots.txt is unreachable (refused)" in results[urls[0]]["note"]
    assert "robots.txt is unreachable (dns)" in results[urls[1]]["note"]


@pytest.mark.parametrize("program", ["pc", "scrapy"])
def test_ctrl_c_once_is_a_clean_stop_with_the_summary(site: Site, store_dir: Path, program: str) -> None:
    command = ["polite_crawler.cli", "crawl", site.url("/hold/x")]
    if program == "scrapy":
        command = ["scrapy", "crawl", "site", "-a", f"url={site.url('/hold/x')}", *QUICK]
    environment = {
        **os.environ,
        "SCRAPY_SETTINGS_MODULE": "polite_crawler.settings",
        "POLITE_CRAWLER_DIR": str(store_dir),
        "POLITE_CRAWLER_ALLOW_PRIVATE": "1",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", *command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    site.wait(lambda seen: any(entry.path == "/hold/x" for entry in seen))
    process.send_signal(signal.SIGINT)
    site.release("x")
    out, err = process.communicate(timeout=60)
    assert "stopped: cancelled" in out
    assert "Traceback" not in err
    assert process.returncode == (130 if program == "pc" else 0)
    with open_store(store_dir) as store:
        assert store.read(site.url("/hold/x")).text


def test_ctrl_c_of_a_fetch_says_that_it_stopped(site: Site, store_dir: Path) -> None:
    environment = {**os.environ, "POLITE_CRAWLER_DIR": str(store_dir), "POLITE_CRAWLER_ALLOW_PRIVATE": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "polite_crawler.cli", "fetch", site.url("/hold/x")],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    site.wait(lambda seen: any(entry.path == "/hold/x" for entry in seen))
    process.send_signal(signal.SIGINT)
    site.release("x")
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "stopped; what was fetched is kept\n")


def test_a_crawl_that_another_one_goes_on_with_is_one_line(site: Site, store_dir: Path) -> None:
    command = [sys.executable, "-m", "polite_crawler.cli", "crawl", site.url("/hold/x"), "--resume", "--max-pages", "1"]
    environment = {**os.environ, "POLITE_CRAWLER_DIR": str(store_dir), "POLITE_CRAWLER_ALLOW_PRIVATE": "1"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as first:
        site.wait(lambda seen: any(entry.path == "/hold/x" for entry in seen))
        second = pc("crawl", site.url("/hold/x"), "--resume", "--max-pages", "1", store=store_dir)
        site.release("x")
        assert first.wait(60) == 0
    assert second.returncode == 1
    assert len(second.stderr.splitlines()) == 1
    assert "in use by another crawl" in second.stderr
    assert second.stdout.startswith("stopped: error (")


def test_a_state_of_the_hosts_that_is_none_is_one_line(site: Site, store_dir: Path) -> None:
    store_dir.mkdir()
    (store_dir / "hosts.sqlite").write_bytes(b"no database" * 100)
    done = pc("fetch", site.url("/about"), store=store_dir)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
    assert "move it away" in done.stderr
    assert site.log() == []


def test_a_frontier_that_is_no_frontier_is_one_line(site: Site, store_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "frontier.sqlite").write_bytes(b"no database" * 100)
    settings = (*QUICK, "-s", f"POLITE_STORE={store_dir}", "-s", f"JOBDIR={tmp_path}")
    done = scrapy("crawl", "site", "-a", f"url={site.url('/about')}", *settings)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "frontier.sqlite" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert site.log() == []
