"""Archived copies in whole crawls: the test site refuses, and the fake archives stand behind their own names."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from archives_lab import (
    INDEX,
    LIVE,
    ON,
    SITES,
    TIME,
    WAYBACK,
    Archives,
    archives,
    authority,
    fetch,
    stop,
    stop_of,
)
from engine_lab import EndingSpider, crawl
from fake_archives import PAGE, STAMP, memento
from scrapy import Request
from scrapy.http import Response
from sites import Site
from tls_lab import Authority

from polite_crawler import open_store
from polite_crawler.scheduling.closing import close
from polite_crawler.spiders.page import PageSpider
from polite_crawler.store.hosts_sqlite import open_hosts

__all__ = ["archives", "authority"]


def test_a_refused_page_comes_from_the_archive(site: Site, store_dir: Path, archives: Archives) -> None:
    page = fetch(store_dir, "/status/403")
    assert (page.outcome, page.status, page.from_cache) == ("blocked", 403, False)
    assert page.doc == f"archive:{LIVE}/status/403"
    assert page.archived == {
        "source": "wayback", "timestamp": TIME, "record": None,
        "url": f"https://{WAYBACK}/web/{STAMP}id_/http://ex.test/status/403", "original": "http://ex.test/status/403",
    }  # fmt: skip
    assert page.age_s > 8 * 365 * 86_400
    assert page.note.endswith(f"an archived copy from wayback of {TIME}")
    with open_store(store_dir) as store:
        read = store.read(page.doc)
        assert (read.text, read.kind, read.capture, read.archived) == (
            "as it was",
            "archived",
            page.capture,
            page.archived,
        )
        assert read.fetched_at == page.fetched_at
        assert store.verify(page.doc, "as it was").note == f"an archived copy from wayback of {TIME}"
        (hit,) = store.find("was", kind="archived")
        assert hit.archived == page.archived
        assert not store.find("was", kind="page")
        (version,) = store.versions(page.doc)
        assert version.capture_kind == "archive-copy"


def test_the_log_has_the_live_fetch_the_exchanges_and_the_copy(site: Site, store_dir: Path, archives: Archives) -> None:
    run = crawl(PageSpider, store_dir, url=f"{LIVE}/status/403", settings=ON)
    (live,) = run.captures("fetch")
    assert (live.outcome, live.status, live.source) == ("blocked", 403, None)
    first, second, copy = run.captures("archive-copy")
    assert (first.status, first.source, second.status, second.source) == (302, None, 200, None)
    assert second.net is not None
    assert second.request is not None
    assert "Accept-Encoding: identity" in second.request.head
    assert "PoliteCrawler/" in second.request.head
    assert copy.source is not None
    assert (copy.source["of"], copy.source["asked"]) == (second.id, f"{LIVE}/status/403")
    assert copy.response is not None
    assert (copy.response.head_kind, copy.net, copy.request, copy.recipe) == ("rebuilt", None, None, None)
    assert copy.fetched == second.fetched
    assert copy.body is not None
    assert copy.body.size == len(PAGE)
    # the robots.txt of the site at that time, and not that of the archive
    assert [check.rule for check in copy.robots] == [check.rule for check in live.robots]
    assert [one.host for one in archives.asked if one.target == "/robots.txt"] == [WAYBACK]


@pytest.mark.parametrize(
    ("path", "outcome"),
    [("/status/401", "blocked"), ("/pay", "paid"), ("/status/503", "busy"), ("/status/500", "error"),
     ("/challenge/cloudflare", "challenge")],
)  # fmt: skip
def test_after_what_a_copy_is_asked_for(
    site: Site, store_dir: Path, archives: Archives, path: str, outcome: str
) -> None:
    page = fetch(store_dir, path)
    assert (page.outcome, page.doc) == (outcome, f"archive:{LIVE}{path}")


def test_after_a_stop_and_a_robots_txt_that_cannot_be_reached(site: Site, store_dir: Path, archives: Archives) -> None:
    stop(store_dir, LIVE)
    page = fetch(store_dir, "/notes/1")
    assert (page.outcome, page.status, page.doc) == ("skipped", None, f"archive:{LIVE}/notes/1")
    assert page.note.startswith("host stopped until ")
    site.reset(robots="503")
    other = crawl(PageSpider, store_dir, url=f"http://{SITES[1]}/notes/1", settings=ON).pages[0]
    assert (other.outcome, other.archived is None) == ("skipped", False)
    assert other.note is not None
    assert other.note.startswith("robots.txt is unreachable (503)")


@pytest.mark.parametrize(
    ("path", "settings", "outcome"),
    [
        ("/status/404", {}, "gone"),
        ("/status/418", {}, "refused"),
        ("/notes/1", {}, "ok"),
        ("/private/x", {}, "skipped"),
        ("/status/403?token=secret-1234", {}, "blocked"),
        ("/status/403", {"POLITE_ARCHIVE_FALLBACK": False}, "blocked"),
        ("/notes/1", {"POLITE_ALLOW_PRIVATE": False}, "skipped"),
        ("/notes/1", {"POLITE_MAX_AGE": "stored"}, "skipped"),
    ],
)
def test_when_no_archive_is_asked(
    site: Site, store_dir: Path, archives: Archives, path: str, settings: dict[str, Any], outcome: str
) -> None:
    page = fetch(store_dir, path, settings=settings)
    assert (page.outcome, page.archived) == (outcome, None)
    assert archives.asked == []


def test_a_deadline_and_a_signer_that_fails_are_no_reason_to_ask(
    site: Site, store_dir: Path, archives: Archives, monkeypatch: pytest.MonkeyPatch
) -> None:
    urls = [f"{LIVE}/notes/1"]
    run = crawl(EndingSpider, store_dir, urls=urls, meta={"polite_deadline": 1.0}, settings=ON)
    assert run.spider.endings == [(urls[0], "errback Declined")]  # type: ignore[attr-defined]

    class Failing:
        keyid, agent = "k", "https://bot.example"

        def headers(self, method: str, url: str) -> Any:
            raise ValueError("no key")

    monkeypatch.setattr("polite_crawler.middlewares.web_bot_auth.configured_signer", lambda *a, **k: Failing())
    page = fetch(store_dir, "/notes/1")
    assert (page.outcome, page.note, page.archived) == ("skipped", "signer failed: no key", None)
    assert archives.asked == []


def test_the_page_that_redirects_lead_to_is_asked_for(site: Site, store_dir: Path, archives: Archives) -> None:
    page = fetch(store_dir, "/redir?to=/status/403")
    assert (page.url, page.final_url) == (f"{LIVE}/redir?to=/status/403", f"{LIVE}/status/403")
    assert (page.outcome, page.doc) == ("blocked", f"archive:{LIVE}/status/403")


def test_a_busy_site_is_asked_again_before_an_archive(site: Site, store_dir: Path, archives: Archives) -> None:
    hosts = {"www.ex.test": {"backoff_min": 0.02, "backoff_max": 0.05}}
    settings = {**ON, "POLITE_RETRIES": 2, "POLITE_HOSTS": hosts}
    urls = [f"{LIVE}/flaky/2?status=503", f"{LIVE}/flaky/9?status=500"]
    run = crawl(EndingSpider, store_dir, urls=urls, settings=settings)
    assert sorted(run.spider.endings) == [(url, "callback 200") for url in urls]  # type: ignore[attr-defined]
    assert len(site.log(path="/flaky/9")) == 3
    assert all("/flaky/9" in target for target in archives.asked_of(WAYBACK))


def test_a_page_that_robots_txt_of_today_disallows(site: Site, store_dir: Path, archives: Archives) -> None:
    page = fetch(store_dir, "/private/x", settings={"POLITE_ARCHIVE_DESPITE_ROBOTS": True})
    assert (page.outcome, page.doc) == ("skipped", f"archive:{LIVE}/private/x")
    assert page.note.startswith("robots.txt disallows this URL for PoliteCrawler")


def test_the_rules_of_a_stopped_host_still_count(site: Site, store_dir: Path, archives: Archives) -> None:
    # the file is in the store from here on
    assert fetch(store_dir, "/notes/1").outcome == "ok"
    stop(store_dir, LIVE)
    asked = len(site.log())
    page = fetch(store_dir, "/private/x")
    assert (page.outcome, page.archived, archives.asked) == ("skipped", None, [])
    assert "no archive is asked: robots.txt disallows this URL for PoliteCrawler" in page.note
    assert fetch(store_dir, "/notes/2").archived is not None
    assert len(site.log()) == asked


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/never", "the Wayback Machine has no copy; Common Crawl has no copy in this index"),
        ("/excluded", "the Wayback Machine does not give copies of this site"),
        ("/archived-403", "the newest copy of wayback is a 403"),
        ("/bot-check", "the newest copy of wayback is a bot check"),
        ("/loop", "the archive redirects without end"),
    ],
)
def test_no_copy_leaves_the_live_outcome(site: Site, store_dir: Path, archives: Archives, path: str, said: str) -> None:
    stop(store_dir, LIVE)
    page = fetch(store_dir, path)
    assert (page.outcome, page.archived, page.doc) == ("skipped", None, None)
    assert page.note.startswith("host stopped until ")
    assert f"no archived copy: {said}" in page.note
    assert stop_of(store_dir, WAYBACK) == ""


def test_a_live_response_comes_back_as_it_was(site: Site, store_dir: Path, archives: Archives) -> None:
    archives.answers = {WAYBACK: (404, [], b""), INDEX: (404, [], b"")}

    class Keeping(PageSpider):
        async def parse(self, response: Response, **kwargs: Any) -> Any:
            self.got = response
            async for item in super().parse(response, **kwargs):
                yield item

    run = crawl(Keeping, store_dir, url=f"{LIVE}/status/403", settings=ON)
    got = run.spider.got  # type: ignore[attr-defined]
    assert (got.status, got.url, got.request.url) == (403, f"{LIVE}/status/403", f"{LIVE}/status/403")
    assert b"The answer of the site is 403." in got.body
    assert not {"polite_archive_search", "polite_live", "polite_kind", "polite_index_age"} & set(got.request.meta)
    (page,) = run.pages
    assert page.note == "blocked; no archived copy: the Wayback Machine has no copy; Common Crawl answered 404"
    assert len(site.log(path="/status/403")) == 1


@pytest.mark.parametrize("found", [True, False])
def test_each_request_ends_once(site: Site, store_dir: Path, archives: Archives, found: bool) -> None:
    if not found:
        archives.answers = {WAYBACK: (404, [], b""), INDEX: (404, [], b"")}
    urls = [f"{LIVE}/status/403", f"{LIVE}/notes/1", f"{LIVE}/notes/2"]
    run = crawl(EndingSpider, store_dir, urls=urls, settings={**ON, "HTTPERROR_ALLOW_ALL": True})
    endings = dict(run.spider.endings)  # type: ignore[attr-defined]
    assert len(run.spider.endings) == 3  # type: ignore[attr-defined]
    assert endings[urls[0]] == ("callback 200" if found else "callback 403")
    # the host is stopped now
    assert {endings[url] for url in urls[1:]} == {"callback 200" if found else "errback HostStopped"}


def test_a_search_in_progress_ends_once_when_the_crawl_closes(site: Site, store_dir: Path, archives: Archives) -> None:
    archives.holding = Event()

    class Closing(EndingSpider):
        async def start(self) -> Any:
            async for request in super().start():
                yield request
            await asyncio.to_thread(archives.held.wait, 30)
            close(self.crawler, "cancelled")
            archives.holding.set()  # type: ignore[union-attr]

    urls = [f"{LIVE}/status/403"]
    run = crawl(Closing, store_dir, urls=urls, settings=ON)
    # the archive named another request, which nobody would have heard of
    assert run.spider.endings == [(urls[0], "callback 403")]  # type: ignore[attr-defined]
    assert len(archives.asked_of()) == 1


def test_a_stored_copy_answers_with_no_request_and_never_as_the_page(
    site: Site, store_dir: Path, archives: Archives
) -> None:
    stop(store_dir, LIVE)
    first = fetch(store_dir, "/notes/1")
    archives.asked.clear()
    again = fetch(store_dir, "/notes/1")
    assert (again.capture, again.from_cache, again.archived) == (first.capture, True, first.archived)
    assert again.age_s >= first.age_s
    assert archives.asked == []
    assert fetch(store_dir, "/notes/1", max_age="0").capture != first.capture
    hosts = open_hosts(store_dir / "hosts.sqlite")
    hosts.reset(None, ready=0)
    hosts.close()
    live = fetch(store_dir, "/notes/1")
    assert (live.outcome, live.from_cache, live.archived) == ("ok", False, None)


def test_no_secret_of_a_copy_reaches_the_disk(site: Site, store_dir: Path, archives: Archives) -> None:
    secret = "hunter2-hunter2"
    cookie = ("x-archive-orig-set-cookie", f"sid={secret}; Path=/")
    body = f"<p>your session is {secret}</p>".encode()
    archives.answers = {WAYBACK: memento(f"{LIVE}/status/403", body=body, more=(cookie,))}
    page = fetch(store_dir, "/status/403")
    for file in store_dir.rglob("*.ndjson"):
        assert secret not in file.read_text()
    with open_store(store_dir) as store:
        assert store.read(page.doc).text == f"your session is {'*' * len(secret)}"


def test_an_archive_hears_nothing_of_the_request_and_no_file_does(
    site: Site, store_dir: Path, tmp_path: Path, archives: Archives
) -> None:
    secret = "hunter2-hunter2"
    found: list[Path] = []
    leaks: list[Path] = []

    class Known(EndingSpider):
        async def start(self) -> Any:
            headers = {"Authorization": f"Bearer {secret}", "X-Api-Key": secret, "Referer": f"{LIVE}/?token={secret}"}
            yield Request(f"{LIVE}/status/403", self.got, errback=self.failed, headers=headers)
            await asyncio.to_thread(archives.held.wait, 30)
            found.extend(
                path for folder in (store_dir, tmp_path / "job") for path in folder.rglob("*") if path.is_file()
            )
            leaks.extend(path for path in found if secret.encode() in path.read_bytes())
            archives.holding.set()  # type: ignore[union-attr]

    archives.holding = Event()
    run = crawl(Known, store_dir, settings={**ON, "JOBDIR": str(tmp_path / "job")})
    assert run.spider.endings == [(f"{LIVE}/status/403", "callback 200")]  # type: ignore[attr-defined]
    assert (tmp_path / "job" / "frontier.sqlite") in found
    assert leaks == []
    assert archives.asked
    for one in archives.asked:
        assert not {"authorization", "x-api-key", "referer", "cookie"} & {name.lower() for name in one.headers}


def test_a_copy_whose_url_has_a_secret_is_not_taken(site: Site, store_dir: Path, archives: Archives) -> None:
    moved = f"https://{WAYBACK}/web/{STAMP}id_/{LIVE}/status/403?token=secret-1234"
    archives.answers = {WAYBACK: (302, [("Location", moved)], b""), INDEX: (404, [], b"")}
    page = fetch(store_dir, "/status/403")
    assert page.archived is None
    assert "the URL of the copy holds a secret" in page.note
    assert not [target for target in archives.asked_of() if "secret" in target]


def test_a_healthy_host_never_waits_for_an_archive(site: Site, store_dir: Path, archives: Archives) -> None:
    archives.holding = Event()
    done: list[str] = []

    class Watching(PageSpider):
        def _counted(self, request: Any, answer: Any) -> Any:
            page = super()._counted(request, answer)
            done.append(page.url)
            if len(done) == 3:
                archives.holding.set()  # type: ignore[union-attr]
            return page

    others = [f"http://{SITES[2]}/notes/{n}" for n in (1, 2, 3)]
    run = crawl(
        Watching, store_dir, url=" ".join([f"{LIVE}/status/403", *others]),
        settings={**ON, "CONCURRENT_REQUESTS": 2},
    )  # fmt: skip
    assert done == [*others, f"{LIVE}/status/403"]
    assert run.page("/status/403").archived is not None


@pytest.mark.parametrize("found", [True, False])
def test_a_search_survives_kill_9(
    site: Site, store_dir: Path, tmp_path: Path, archives: Archives, authority: Authority, found: bool
) -> None:
    settings = {**ON, "JOBDIR": str(tmp_path / "job")}
    given = {
        "archives": archives.port, "hosts": site.hosts, "port": site.port, "store": str(store_dir),
        "ca": authority.pem(authority.certificate).decode(), "url": f"{LIVE}/status/403", "settings": settings,
    }  # fmt: skip
    archives.holding = Event()
    path = {"PYTHONPATH": ":".join([str(Path(__file__).parent), str(Path(__file__).parents[1])])}
    process = subprocess.Popen(
        [sys.executable, Path(__file__).with_name("fallback_victim.py"), json.dumps(given)], env=path
    )
    assert archives.held.wait(60)
    process.kill()
    process.wait(30)
    archives.holding.set()
    archives.holding = None
    if not found:
        archives.answers = {WAYBACK: (404, [], b""), INDEX: (404, [], b"")}
    hosts = open_hosts(store_dir / "hosts.sqlite")
    hosts.reset(WAYBACK, ready=0)
    hosts.close()
    (page,) = crawl(PageSpider, store_dir, url=f"{LIVE}/status/403", settings=settings).pages
    assert (page.url, page.final_url, page.outcome, page.status) == (given["url"], given["url"], "blocked", 403)
    assert (page.archived is not None) is found
    assert found or "no archived copy: " in str(page.note)
    # the site was not asked again
    assert len(site.log(path="/status/403")) == 1
