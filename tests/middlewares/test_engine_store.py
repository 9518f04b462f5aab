"""What a crawl leaves in the store, and what the store answers in its place."""

import base64
import gzip
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from engine_lab import EndingSpider, Run, crawl, log_lines
from jsonschema import Draft202012Validator
from scrapy import Request
from test_engine_endings import host_limits

from polite_crawler.query.store import open_store
from polite_crawler.spiders.page import PageSpider
from polite_crawler.store.record import Capture, capture_id
from polite_crawler.testsite.site import Site

SECRET = "s3cr3t-c4n4ry"


def fetch(site: Site, store: Path, *urls: str, max_age: str | None = None, **settings: Any) -> Run:
    whole = [url if url.startswith("http") else site.url(url) for url in urls]
    return crawl(PageSpider, store, url=" ".join(whole), max_age=max_age, settings={**host_limits(), **settings})


def test_each_line_validates_and_has_its_own_id(site: Site, store_dir: Path) -> None:
    paths = ["/", "/status/404", "/private/x", "/redir?to=/about", "/framing/garbage", "/coding/gzip", "/drip?n=3"]
    paths += ["/secrets/cookie", f"/secrets/echo?token={SECRET}", "/signals/ai-input-no", "/framing/short"]
    fetch(site, store_dir, *paths, POLITE_TIMEOUTS={"body": 0.3})
    schema = json.loads((files("polite_crawler.store") / "record.schema.json").read_text())
    validator = Draft202012Validator(schema)
    lines = log_lines(store_dir)
    assert len(lines) >= len(paths) + 1
    for line in lines:
        validator.validate(line)
        assert capture_id(line) == line["id"]
        assert Capture.from_json(line).sealed().id == line["id"]
    assert len({line["id"] for line in lines}) == len(lines)


def test_the_exact_heads_are_kept(site: Site, store_dir: Path) -> None:
    run = fetch(site, store_dir, "/framing/case")
    (capture,) = run.captures("fetch")
    assert capture.request is not None
    assert capture.response is not None
    assert capture.request.head.startswith("GET /framing/case HTTP/1.1\r\nHost: 127.0.0.1:")
    assert capture.request.head.endswith("\r\n\r\n")
    assert capture.response.head_kind == "exact"
    assert capture.net is not None
    assert capture.net.ip == "127.0.0.1"


def test_a_coded_body_is_kept_as_it_came(site: Site, store_dir: Path) -> None:
    run = fetch(site, store_dir, "/coding/gzip")
    (capture,) = run.captures("fetch")
    assert capture.body is not None
    assert capture.body.coding == "gzip"
    assert capture.body.decoded is not None
    digest = capture.body.sha256
    stored = gzip.decompress((store_dir / "blobs" / digest[:2] / digest[2:4] / f"{digest}.gz").read_bytes())
    assert len(stored) == capture.body.size
    assert len(gzip.decompress(stored)) == capture.body.decoded.size


def test_a_second_crawl_of_a_day_sends_nothing(site: Site, store_dir: Path) -> None:
    first = fetch(site, store_dir, "/about", "/redir?to=/visit")
    site.reset()
    second = fetch(site, store_dir, "/about", "/redir?to=/visit")
    assert site.log() == []
    assert [page.from_cache for page in second.pages] == [True, True]
    assert len(second.captures()) == len(first.captures())
    old, new = first.page("/about"), second.page("/about")
    assert (new.capture, new.doc, new.title, new.chars) == (old.capture, old.doc, old.title, old.chars)
    hop = second.page("/visit")
    assert hop.final_url == site.url("/visit")


def test_a_stale_copy_is_asked_for_with_its_validators(site: Site, store_dir: Path) -> None:
    fetch(site, store_dir, "/cache/both")
    run = fetch(site, store_dir, "/cache/both", max_age="0")
    _, asked = site.log(path="/cache/both")
    assert asked.header("if-none-match") == '"v1"'
    assert asked.header("if-modified-since") is not None
    full, confirmed = run.captures("fetch")
    assert (confirmed.outcome, confirmed.status) == ("not_modified", 304)
    assert confirmed.validators is not None
    assert confirmed.validators.of == full.id
    page = run.pages[-1]
    assert (page.outcome, page.capture, page.fetched_at) == ("not_modified", full.id, full.fetched_at)
    assert page.chars > 0
    with open_store(store_dir) as store:
        assert len(store.versions(site.url("/cache/both"))) == 1
        # the 304 makes the copy fresh again
        copy = store.latest(site.url("/cache/both"))
        assert copy is not None
        assert copy.checked_at == confirmed.fetched_at


def test_a_304_without_a_copy_reaches_the_callback(site: Site, store_dir: Path) -> None:
    run = crawl(EndingSpider, store_dir, urls=[site.url("/cache/304-always")], settings=host_limits())
    assert run.spider.endings == [(site.url("/cache/304-always"), "callback 304")]
    assert [capture.outcome for capture in run.captures("fetch")] == ["not_modified"]


def test_a_page_whose_stored_body_is_lost_is_asked_for_once_more(site: Site, store_dir: Path) -> None:
    fetch(site, store_dir, "/cache/both")
    for blob in (store_dir / "blobs").rglob("*.gz"):
        blob.unlink()
    url = site.url("/cache/both")
    for _ in range(2):
        run = crawl(EndingSpider, store_dir, urls=[url], settings=host_limits())
        assert run.spider.endings == [(url, "callback 200")]
    # the second crawl is answered by the store again
    assert [capture.outcome for capture in run.captures("fetch")] == ["ok", "not_modified", "ok"]
    conditional = [bool(seen.header("if-none-match")) for seen in site.log(path="/cache/both")]
    assert conditional == [False, True, False]


def test_a_moving_etag_is_given_up_after_three_answers(site: Site, store_dir: Path) -> None:
    for _ in range(6):
        fetch(site, store_dir, "/cache/etag-moves/x", max_age="0")
    sent = [(bool(one.header("if-none-match")), bool(one.header("if-modified-since")), one.status)
            for one in site.log(path="/cache/etag-moves")]  # fmt: skip
    assert sent == [(False, False, 200), *[(True, True, 200)] * 3, *[(False, True, 304)] * 2]


def test_the_server_decides_with_max_age_auto(site: Site, store_dir: Path) -> None:
    for _ in range(2):
        fetch(site, store_dir, "/fresh/no-store", "/fresh/max-age", max_age="auto")
    assert len(site.log(path="/fresh/no-store")) == 2
    assert len(site.log(path="/fresh/max-age")) == 1


def test_nothing_is_sent_with_max_age_stored(site: Site, store_dir: Path) -> None:
    fetch(site, store_dir, "/about")
    site.reset()
    run = fetch(site, store_dir, "/about", "/visit", max_age="stored")
    assert site.log() == []
    assert [page.outcome for page in sorted(run.pages, key=lambda page: page.url)] == ["ok", "skipped"]


def test_secrets_never_reach_the_disk(site: Site, store_dir: Path) -> None:
    class Carrying(EndingSpider):
        async def start(self) -> Any:
            headers = {"Authorization": f"Bearer {SECRET}", "Cookie": f"sid={SECRET}", "X-Api-Key": SECRET}
            for path in ("/secrets/echo", "/secrets/redirect", "/secrets/headers"):
                yield Request(
                    site.url(f"{path}?token={SECRET}&q=1"),
                    callback=self.got,
                    errback=self.failed,
                    headers={**headers, "Referer": site.url(f"/from?password={SECRET}")},
                )

    run = crawl(Carrying, store_dir, settings=host_limits())
    assert len(run.captures("fetch")) == 4
    assert {capture.secret_in_body for capture in run.captures("fetch") if capture.outcome == "ok"} == {True, False}
    blobs = {capture.body.sha256 for capture in run.captures() if capture.body and capture.secret_in_body}
    for path in store_dir.rglob("*"):
        if path.is_file() and path.name.removesuffix(".gz") not in blobs:
            octets = path.read_bytes()
            assert SECRET.encode() not in octets, path
            if path.suffix == ".gz":
                assert SECRET.encode() not in gzip.decompress(octets), path
    with open_store(store_dir) as store:
        assert store.find(f'"{SECRET}"') == ()
        assert store.find("token")
        reindexed = store.reindex()
        assert reindexed.failed == 0
        assert store.find(f'"{SECRET}"') == ()


def test_a_url_with_a_secret_is_never_answered_from_the_store(site: Site, store_dir: Path) -> None:
    for _ in range(2):
        fetch(site, store_dir, f"/secrets/plain?token={SECRET}")
    assert len(site.log(path="/secrets/plain")) == 2


@pytest.mark.parametrize(
    ("settings", "agent", "mailbox"),
    [
        ({}, "PoliteCrawler/0.1.0 (+https://mark1russell7.github.io/crawler/bot/)", None),
        (
            {"POLITE_CONTACT": "ops@example.com"},
            "PoliteCrawler/0.1.0 (+https://mark1russell7.github.io/crawler/bot/; ops@example.com)",
            "ops@example.com",
        ),
        ({"POLITE_USER_AGENT": "MyBot/2 (+https://bot.example/)"}, "MyBot/2 (+https://bot.example/)", None),
    ],
    ids=["default", "contact", "own"],
)
def test_who_asks(site: Site, store_dir: Path, settings: dict[str, Any], agent: str, mailbox: str | None) -> None:
    class Disguised(EndingSpider):
        custom_settings = {"USER_AGENT": "Mozilla/5.0"}  # noqa: RUF012

        async def start(self) -> Any:
            names = {"User-Agent": "Mozilla/5.0", "From": "somebody@else.example"}
            yield Request(site.url("/about"), callback=self.got, headers=names)

    crawl(Disguised, store_dir, settings=settings)
    assert {(seen.header("user-agent"), seen.header("from")) for seen in site.log()} == {(agent, mailbox)}


def test_a_held_back_page_shows_no_title_and_no_text(site: Site, store_dir: Path) -> None:
    run = fetch(site, store_dir, "/signals/ai-input-no")
    (page,) = run.pages
    assert (page.held_back, page.title) == (True, None)
    with open_store(store_dir) as store:
        read = store.read(page.doc or "")
        assert (read.held_back, read.text, read.title) == (True, "", None)
    (capture,) = run.captures("fetch")
    assert capture.hold == "ai-input=no"


def test_what_was_written_down_for_a_secret_finds_no_page(site: Site, store_dir: Path) -> None:
    fetch(site, store_dir, f"/secrets/echo?token={SECRET}")
    (page,) = fetch(site, store_dir, "/secrets/echo?token=REDACTED").pages
    assert not page.from_cache


def test_the_user_name_and_password_of_a_url_are_sent_and_never_stored(site: Site, store_dir: Path) -> None:
    url = site.url("/secrets/echo?q=1").replace("://", f"://user:{SECRET}@")
    run = fetch(site, store_dir, url)
    (seen,) = site.log(path="/secrets/echo")
    assert seen.header("authorization") == "Basic " + base64.b64encode(f"user:{SECRET}".encode()).decode()
    (capture,) = run.captures("fetch")
    assert capture.url == site.url("/secrets/echo?q=1").replace("://", "://REDACTED:REDACTED@")
    assert capture.request is not None
    assert "Authorization: Basic REDACTED" in capture.request.head
    (page,) = run.pages
    assert SECRET not in f"{page}"
