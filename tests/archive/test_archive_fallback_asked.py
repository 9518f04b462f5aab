"""What archives answer to whole crawls: copies, refusals of theirs and of others, outages, broken codings, signals."""

import re
import socket
from pathlib import Path
from typing import Any

import pytest
from archives_lab import DATA, INDEX, LIVE, TIME, WAYBACK, Archives, archives, authority, fetch, lead, stop, stop_of
from fake_archives import STAMP, memento
from sites import Site
from tls_lab import Authority

from polite_crawler import open_store
from polite_crawler.store.hosts_sqlite import open_hosts
from polite_crawler.transport.handler import PoliteDownloadHandler

__all__ = ["archives", "authority"]


def test_the_newest_copy_with_status_200_is_found(site: Site, store_dir: Path, archives: Archives) -> None:
    stop(store_dir, LIVE)
    page = fetch(store_dir, "/archived-429")
    assert page.archived["url"] == f"https://{WAYBACK}/web/20160101000000id_/{LIVE}/archived-429"
    assert [target.partition("?")[0] for target in archives.asked_of(WAYBACK)][1:] == [
        "/cdx/search/cdx", f"/web/20160101000000id_/{LIVE}/archived-429",
    ]  # fmt: skip
    # the answer that was a 429 once said nothing of the archive
    hosts = open_hosts(store_dir / "hosts.sqlite")
    state = hosts.peek(WAYBACK).state
    hosts.close()
    assert (state.stop_reason, state.backoff, state.failures) == ("", 0, 0)


@pytest.mark.parametrize(
    ("status", "fields", "reason"),
    [(403, [], "status 403"), (429, [("Retry-After", "86400")], "Retry-After"), (429, [], ""), (503, [], "")],
)
def test_a_refusal_of_the_archive_itself_stops_it(
    site: Site, store_dir: Path, archives: Archives, status: int, fields: list[tuple[str, str]], reason: str
) -> None:
    archives.answers = {WAYBACK: (status, fields, b"no")}
    stop(store_dir, LIVE)
    page = fetch(store_dir, "/cc")
    assert page.archived["source"] == "commoncrawl"
    assert stop_of(store_dir, WAYBACK) == reason
    hosts = open_hosts(store_dir / "hosts.sqlite")
    rest = hosts.peek(WAYBACK).state
    hosts.close()
    if status != 403:
        assert rest.ready > 0
        assert rest.backoff == 1
    archives.asked.clear()
    if reason:
        assert fetch(store_dir, "/cc", max_age="0").archived is not None
        assert archives.asked_of(WAYBACK) == []


def test_an_archive_that_refuses_the_connection_is_stopped(
    site: Site, store_dir: Path, archives: Archives, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop(store_dir, LIVE)
    assert fetch(store_dir, "/notes/1").archived is not None
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        client = lead(closed.getsockname()[1], site.hosts, site.port, authority.context())
        monkeypatch.setattr(PoliteDownloadHandler, "make_client", client)
        page = fetch(store_dir, "/notes/2")
    assert page.archived is None
    assert "no archived copy: web.archive.org does not answer; index.commoncrawl.org: " in page.note
    assert stop_of(store_dir, WAYBACK) == "the connection is refused"


def test_common_crawl_gives_its_record(site: Site, store_dir: Path, archives: Archives) -> None:
    archives.answers = {WAYBACK: (404, [], b"")}
    stop(store_dir, LIVE)
    page = fetch(store_dir, "/cc-old")
    assert page.archived["source"] == "commoncrawl"
    assert page.archived["record"].endswith("@272838009")
    assert [target.partition("?")[0] for target in archives.asked_of(INDEX)] == [
        "/collinfo.json", "/CC-MAIN-2019-18-index", "/CC-MAIN-2019-13-index", "/CC-MAIN-2019-09-index",
    ]  # fmt: skip
    assert len(archives.asked_of(DATA)) == 1
    with open_store(store_dir) as store:
        assert store.read(page.doc).text == "in the crawl"
    # the list of the indexes is kept for a day
    archives.asked.clear()
    assert fetch(store_dir, "/cc").archived is not None
    assert "/collinfo.json" not in archives.asked_of(INDEX)


def test_a_record_over_the_limit_is_not_asked_for(site: Site, store_dir: Path, archives: Archives) -> None:
    archives.answers = {WAYBACK: (404, [], b"")}
    stop(store_dir, LIVE)
    page = fetch(store_dir, "/cc-long", settings={"POLITE_MAX_BYTES": 2000})
    assert page.archived is None
    assert re.search(r"the record of Common Crawl has 4\d\d\d octets, and 2000 are the limit", page.note)
    assert archives.asked_of(DATA) == []


def test_an_empty_list_of_an_outage_is_asked_for_again(site: Site, store_dir: Path, archives: Archives) -> None:
    archives.answers = {WAYBACK: (404, [], b""), INDEX: (200, [("Content-Type", "application/json")], b"[]")}
    stop(store_dir, LIVE)
    assert "Common Crawl names no index" in fetch(store_dir, "/cc").note
    archives.answers = {WAYBACK: (404, [], b"")}
    archives.asked.clear()
    hosts = open_hosts(store_dir / "hosts.sqlite")
    assert hosts.peek(INDEX).state.ready > 0
    hosts.reset(INDEX, ready=0)
    hosts.close()
    assert fetch(store_dir, "/cc").archived is not None
    assert archives.asked_of(INDEX)[0] == "/collinfo.json"


def test_robots_txt_of_an_archive_is_obeyed(site: Site, store_dir: Path, archives: Archives) -> None:
    archives.robots = {WAYBACK: b"User-agent: *\nDisallow: /web/\n"}
    stop(store_dir, LIVE)
    assert fetch(store_dir, "/cc").archived["source"] == "commoncrawl"
    assert archives.asked_of(WAYBACK) == []
    archives.robots |= {INDEX: b"User-agent: PoliteCrawler\nDisallow: /\n"}
    page = fetch(store_dir, "/notes/1", settings={"POLITE_MAX_AGE": 0})
    assert page.archived is None or page.archived["source"] != "wayback"


def test_a_timegate_of_ones_own_comes_first(site: Site, store_dir: Path, archives: Archives) -> None:
    stop(store_dir, LIVE)
    settings = {"POLITE_ARCHIVE_TIMEGATE": f"https://{WAYBACK}/web/{STAMP}id_"}
    page = fetch(store_dir, "/notes/1", settings=settings)
    assert (page.archived["source"], page.archived["timestamp"]) == (WAYBACK, TIME)
    assert archives.asked_of() == [f"/web/{STAMP}id_/{LIVE}/notes/1"]
    (asked,) = [one for one in archives.asked if one.target != "/robots.txt"]
    assert asked.headers["Prefer"] == "raw"


@pytest.mark.parametrize("path", ["/two-codings", "/bare-gzip"])
def test_broken_codings_of_the_archive(site: Site, store_dir: Path, archives: Archives, path: str) -> None:
    stop(store_dir, LIVE)
    page = fetch(store_dir, path)
    with open_store(store_dir) as store:
        assert store.read(page.doc).text == "as it was"
        store.reindex()
        assert store.read(page.doc).text == "as it was"


HOLDS = [
    ("robots.txt of today", {"robots_text": "User-agent: *\nContent-Signal: ai-input=no\nAllow: /\n"}, (), b""),
    ("a field of the copy", {}, (("x-archive-orig-content-signal", "ai-input=no"),), b""),
    ("a field of the archive", {}, (("Content-Signal", "ai-input=no"),), b""),
    ("robots.txt of the archive", {}, (), b"User-agent: *\nContent-Signal: ai-input=no\nAllow: /\n"),
]


@pytest.mark.parametrize(("given", "fields", "robots"), [row[1:] for row in HOLDS], ids=[row[0] for row in HOLDS])
def test_a_copy_whose_signals_hold_it_back(
    site: Site, store_dir: Path, archives: Archives, given: Any, fields: tuple[tuple[str, str], ...], robots: bytes
) -> None:
    site.reset(**given)
    if robots:
        archives.robots = {WAYBACK: robots}
    if fields:
        archives.answers = {WAYBACK: memento(f"{LIVE}/status/403", more=fields)}
    page = fetch(store_dir, "/status/403")
    assert (page.held_back, page.title, page.archived is None) == (True, None, False)
    with open_store(store_dir) as store:
        assert store.read(page.doc).held_back
