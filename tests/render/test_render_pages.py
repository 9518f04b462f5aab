"""Pages that a browser makes: what is read of them, what is stored, and what is asked for."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from engine_lab import crawl
from render_lab import HTML, Pages, Reply, body_of, fetch, needs_browser

from polite_crawler.archive.erase import erase
from polite_crawler.query.store import open_store
from polite_crawler.spiders.site import SiteSpider
from polite_crawler.store.blobs import Blobs
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.index import Index
from polite_crawler.testsite.site import Site

pytestmark = needs_browser

WORDS = "Text that a script wrote, word after word, so that there is something to read. " * 20
WRITES = f"app.textContent = {WORDS!r};"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/js/text", "Text that a script wrote."),
        ("/js/fetch", "Text that a script fetched."),
        ("/js/file", "Text of an external script."),
        ("/js/redirect", "Text that a script fetched."),
        ("/js/slow?s=0.7", "Late text."),
        ("/js/many?n=30", "Part 29 of many."),
        ("/js/dialog", "After."),
    ],
)
def test_pages_of_the_test_site_are_read_through_the_browser(site: Site, store_dir: Path, path: str, text: str) -> None:
    run = fetch(store_dir, site.url(path))
    (page,) = run.pages
    assert (page.outcome, page.status, page.note) == ("ok", 200, None)
    assert page.capture == run.captures("render")[0].id
    with open_store(store_dir) as store:
        read = store.read(page.doc or "")
        assert text in read.text
        assert read.capture == page.capture
        assert [version.capture_kind for version in store.versions(page.doc or "")] == ["render", "fetch"]
        assert store.verify(page.doc or "", text).found
        assert "needs_javascript" not in read.meta
        assert store.reindex().failed == 0
        assert store.read(page.doc or "").text == read.text
    assert [one.target for one in site.log()].count(path) == 1


def test_a_render_is_a_capture_of_the_page_that_was_fetched(pages: Pages, store_dir: Path) -> None:
    url = pages.page(WRITES)
    pages.replies["/page"].headers = (*HTML, ("X-Robots-Tag", "noarchive"), ("ETag", '"1"'), ("Set-Cookie", "a=b"))
    run = fetch(store_dir, url)
    (plain,), (render,) = run.captures("fetch"), run.captures("render")
    assert render.source == {"of": plain.id}
    assert render.response is not None
    assert render.response.head_kind == "browser"
    assert (render.request, render.net, render.recipe, render.status) == (None, None, "page", 200)
    assert render.response.head.startswith("HTTP/1.1 200 \r\nContent-Type: text/html; charset=utf-8\r\n")
    assert "X-Robots-Tag: noarchive" in render.response.head
    assert "ETag" not in render.response.head
    assert "Set-Cookie" not in render.response.head
    assert render.robots[0].allowed
    assert body_of(run, render).startswith("<!DOCTYPE html><html><head><title>Made</title></head><body><div id=")
    assert render.body is not None
    assert render.body.decoded is not None
    assert pages.paths() == ["/page"]


@pytest.mark.parametrize("charset", ["windows-1251", "shift_jis"])
def test_both_read_the_same_characters(pages: Pages, store_dir: Path, charset: str) -> None:
    word = {"windows-1251": "Маяк", "shift_jis": "灯台"}[charset]
    url = pages.page("app.textContent = document.title + app.dataset.more.repeat(200);")
    text = str(pages.replies["/page"].body).replace("Made", word).replace("id=app", f'id=app data-more="{word} "')
    pages.replies["/page"] = Reply(
        text.replace("<head>", f"<head><meta charset={charset}>").encode(charset), (("Content-Type", "text/html"),)
    )
    (page,) = fetch(store_dir, url).pages
    assert page.title == word
    with open_store(store_dir) as store:
        assert store.read(page.doc or "").text.count(word) == 201


def test_open_shadow_roots_are_read(pages: Pages, store_dir: Path) -> None:
    script = (
        "const one = app.attachShadow({mode: 'open'}); one.innerHTML = '<p>In the shadow.</p><div id=deep></div>';"
        "one.getElementById('deep').attachShadow({mode: 'open'}).innerHTML = '<p>In its shadow.</p>';"
    )
    (page,) = fetch(store_dir, pages.page(script)).pages
    with open_store(store_dir) as store:
        assert store.read(page.doc or "").text.splitlines() == ["In the shadow.", "", "In its shadow."]


def test_a_page_cannot_change_how_it_is_read(pages: Pages, store_dir: Path) -> None:
    script = (
        "Element.prototype.getHTML = Node.prototype.cloneNode = () => { throw 1; };"
        "document.querySelectorAll = () => { throw 2; }; Array.prototype.push = String.prototype.slice = null;"
    )
    run = fetch(store_dir, pages.page(WRITES + script))
    assert run.pages[0].chars > 1000


def test_a_tree_over_the_limit_is_cut(pages: Pages, store_dir: Path) -> None:
    run = fetch(store_dir, pages.page("app.textContent = 'ж'.repeat(50_000);"), POLITE_MAX_BYTES=20_000)
    (render,) = run.captures("render")
    assert render.body is not None
    assert (render.body.truncated, 19_990 < render.body.size <= 20_000) == ("length", True)
    assert run.pages[0].truncated


def test_a_second_crawl_of_a_day_sends_nothing(pages: Pages, store_dir: Path) -> None:
    url = pages.page("fetch('/hop').then(r => r.text()).then(t => { app.textContent = t; });")
    pages.replies["/hop"] = Reply("", (("Location", "/data"),), 302)
    pages.replies["/data"] = Reply(WORDS)
    first = fetch(store_dir, url).pages[0]
    assert pages.paths() == ["/page", "/hop", "/data"]
    pages.seen.clear()
    second = fetch(store_dir, url).pages[0]
    assert (second.capture, second.chars, second.from_cache, second.title) == (first.capture, first.chars, True, "Made")
    # one that has to be made again takes its sub-requests from the store
    third = fetch(store_dir, pages.page(str(pages.replies["/page"].body).partition("textContent")[0] and
        "fetch('/hop').then(r => r.text()).then(t => { app.textContent = 'New. ' + t; });", "/other"))  # fmt: skip
    assert pages.paths() == ["/other"]
    assert third.pages[0].chars == first.chars + 5
    assert [capture.url for capture in third.captures("subresource")] == [pages.url("/hop"), pages.url("/data")]


def test_a_page_with_another_body_is_made_anew(pages: Pages, store_dir: Path) -> None:
    url = pages.page(WRITES)
    first = fetch(store_dir, url, max_age="0").pages[0]
    again = fetch(store_dir, url, max_age="0").pages[0]
    assert again.capture != first.capture
    pages.page("app.textContent = 'Another text. '.repeat(90);")
    third = fetch(store_dir, url, max_age="0").pages[0]
    with open_store(store_dir) as store:
        assert store.read(third.doc or "").text.startswith("Another text.")
        # the render stays current over the plain page that it was made of, and goes with it
        fetch(store_dir, url, max_age="0", render="never")
        assert store.read(third.doc or "").capture == third.capture
        pages.page("app.textContent = 'Third text. '.repeat(90);")
        plain = fetch(store_dir, url, max_age="0", render="never").pages[0]
        assert store.read(third.doc or "").capture == plain.capture


def test_a_304_is_made_of_the_stored_page(site: Site, pages: Pages, store_dir: Path) -> None:
    url = pages.page(WRITES)
    pages.replies["/page"].headers = (*HTML, ("ETag", '"1"'))
    first = fetch(store_dir, url)
    pages.replies["/page"] = Reply("", (("ETag", '"1"'),), 304)
    second = fetch(store_dir, url, max_age="0")
    (page,) = second.pages
    assert (page.outcome, page.status, page.chars) == ("ok", 200, first.pages[0].chars)
    plain, confirmed = second.captures("fetch")
    assert confirmed.outcome == "not_modified"
    assert [render.source for render in second.captures("render")] == [{"of": plain.id}] * 2


@pytest.mark.parametrize(
    ("mode", "kinds"), [("auto", ["fetch"]), ("always", ["fetch", "render"]), ("never", ["fetch"])]
)
def test_auto_makes_only_what_needs_it(pages: Pages, store_dir: Path, mode: str, kinds: list[str]) -> None:
    pages.replies["/page"] = Reply(f"<title>Plain</title><p>{WORDS}<script>document.title = 'Made'</script>")
    run = fetch(store_dir, pages.url("/page"), POLITE_RENDER=mode)
    assert [capture.kind for capture in run.captures() if capture.kind != "robots"] == kinds
    assert run.pages[0].title == ("Made" if mode == "always" else "Plain")
    assert pages.paths() == ["/page"]


def test_a_shell_is_read_as_it_is_when_nothing_shall_be_made(pages: Pages, store_dir: Path) -> None:
    run = fetch(store_dir, pages.page(WRITES), render="never")
    assert (run.pages[0].chars, run.pages[0].note) == (0, "the page has no text without scripts")


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, "<script>document.body.textContent = 'x'</script>"),
        (403, "<script>document.body.textContent = 'x'</script>"),
        (
            200,
            "<title>Just a moment...</title><script>window._cf_chl_opt = {cvId: '3'};</script>",
        ),
    ],
    ids=["gone", "blocked", "bot check"],
)
def test_what_is_no_page_is_not_made(pages: Pages, store_dir: Path, status: int, body: str) -> None:
    pages.replies["/page"] = Reply(body, status=status)
    run = fetch(store_dir, pages.url("/page"), POLITE_RENDER="always")
    assert run.captures("render") == []
    assert pages.paths() == ["/page"]


def test_a_page_that_its_script_leaves_is_left(site: Site, store_dir: Path) -> None:
    for _ in range(2):
        run = fetch(store_dir, site.url("/js/moves"))
        (page,) = run.pages[-1:]
        assert (page.url, page.final_url) == (site.url("/js/moves"), site.url("/notes/1"))
        assert page.title == "The lighthouse on the north rock"
    # the second time all of it comes from the store
    assert [one.path for one in site.log()] == ["/robots.txt", "/js/moves", "/notes/1"]
    hop = run.captures("fetch")[1]
    assert hop.redirect_of == run.captures("render")[0].id


def test_scripts_that_lead_in_a_circle_end(pages: Pages, store_dir: Path) -> None:
    first = pages.page("location.href = '/two';", "/one")
    pages.page("location.replace('/one');", "/two")
    run = fetch(store_dir, first)
    (page,) = run.pages
    assert page.final_url == pages.url("/two")
    assert "a script loop" in (page.note or "")
    assert pages.paths() == ["/one", "/two"]


def test_a_script_leads_out_of_no_scope(pages: Pages, store_dir: Path) -> None:
    pages.page(f"location.href = '{pages.url('/else', 2)}';")
    pages.replies["/"] = Reply(f"<p>{WORDS}<a href=/page>Next</a>")
    run = crawl(SiteSpider, store_dir, url=pages.url("/"))
    assert "the script leads out of scope" in (run.page("/page").note or "")
    assert pages.paths() == ["/", "/page"]


@pytest.mark.parametrize(
    "script", ["location.reload();", "location.href = '#there';", "history.pushState({}, '', '/elsewhere');"]
)
def test_a_page_that_stays_is_read(pages: Pages, store_dir: Path, script: str) -> None:
    (page,) = fetch(store_dir, pages.page(WRITES + script)).pages
    assert (page.final_url, page.chars > 1000, page.note) == (pages.url("/page"), True, None)
    assert pages.paths() == ["/page"]


def test_the_links_of_a_made_page_are_followed(pages: Pages, store_dir: Path) -> None:
    url = pages.page(f"{WRITES} document.body.insertAdjacentHTML('beforeend', '<a href=/next>Next</a>');")
    pages.replies["/next"] = Reply(f"<title>Next</title><p>{WORDS}")
    run = crawl(SiteSpider, store_dir, url=url)
    assert sorted(page.url for page in run.pages) == [pages.url("/next"), url]
    assert (run.summary.stopped, run.summary.fetched, run.summary.queued) == ("done", 2, 0)


def test_a_picture_is_a_body_of_the_store(pages: Pages, store_dir: Path) -> None:
    run = fetch(store_dir, pages.page(WRITES), POLITE_SCREENSHOT=True)
    (render,) = run.captures("render")
    picture = str((render.source or {})["picture"])
    assert Blobs(store_dir / "blobs").get(picture).startswith(b"\x89PNG\r\n\x1a\n")
    # a picture shows what the page says, so it goes with it
    with Index(StoreFolder(store_dir)) as index:
        erased = erase(index, run.pages[0].doc or "", reason="test")
    assert picture in erased.bodies
    assert not Blobs(store_dir / "blobs").has(picture)


def test_a_secret_of_the_url_is_covered_in_the_made_page(pages: Pages, store_dir: Path) -> None:
    secret = "s3cr3t-c4n4ry"
    pages.page("app.textContent = (location.href + ' ').repeat(40); history.replaceState({}, '', '/page');")
    run = fetch(store_dir, pages.url(f"/page?token={secret}"))
    (render,) = run.captures("render")
    assert render.secret_in_body
    assert secret not in f"{render}"
    with open_store(store_dir) as store:
        text = store.read(run.pages[0].doc or "").text
        assert "*" * len(secret) in text
        assert secret not in text


def test_a_login_of_the_url_is_not_told_to_the_page(pages: Pages, store_dir: Path) -> None:
    pages.page(
        "app.textContent = (location.href + ' ' + document.URL + ' ').repeat(20); fetch('/data').catch(() => 0);"
    )
    run = fetch(store_dir, pages.url("/page").replace("://", "://user:s3cr3t@"))
    (page,) = run.pages
    assert (page.title, page.chars > 500) == ("Made", True)
    (render,) = run.captures("render")
    assert "s3cr3t" not in body_of(run, render)
    assert pages.seen[1].headers["Authorization"].startswith("Basic ")
    assert "Authorization" not in pages.seen[2].headers
    with open_store(store_dir) as store:
        assert [version.capture_kind for version in store.versions(page.doc or "")] == ["render", "fetch"]


def test_a_page_that_never_ends_is_read_as_it_was(
    pages: Pages, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from polite_crawler.rules.rendering import Limits
    from polite_crawler.transport import render_handler

    monkeypatch.setattr(render_handler, "LIMITS", Limits(seconds=7))
    url = pages.page("setTimeout(() => { while (true) {} }, 0);", inside="<p>Before the loop.</p>")
    run = fetch(store_dir, url)
    (page,) = run.pages
    assert page.chars == len("Before the loop.")
    assert "a script that did not end was stopped" in (page.note or "")


def test_a_page_that_asks_again_and_again_is_done(pages: Pages, store_dir: Path) -> None:
    url = pages.page("setInterval(() => fetch('/clock').then(r => r.text()).then(t => { app.textContent += t; }), 50);")
    pages.replies["/clock"] = Reply("Tick. " * 50)
    run = fetch(store_dir, url)
    (render,) = run.captures("render")
    assert render.note is None
    assert pages.paths() == ["/page", "/clock"]


def test_the_page_knows_who_asks(pages: Pages, store_dir: Path) -> None:
    url = pages.page("app.textContent = navigator.userAgent + ' ' + document.cookie + '.'.repeat(9);")
    pages.replies["/page"].headers = (*HTML, ("Set-Cookie", "sid=1"))
    (page,) = fetch(store_dir, url, POLITE_USER_AGENT="MyBot/2 (+https://bot.example/)").pages
    with open_store(store_dir) as store:
        assert store.read(page.doc or "").text == "MyBot/2 (+https://bot.example/) ........."


def test_scrapy_crawl_makes_pages_under_its_reactor(site: Site, store_dir: Path) -> None:
    command = [sys.executable, "-m", "scrapy", "crawl", "page", "-a", f"url={site.url('/js/fetch')}", "-L", "DEBUG"]
    for setting in (
        f"POLITE_STORE={store_dir}",
        "POLITE_ALLOW_PRIVATE=1",
        "POLITE_PAGE_INTERVAL=0",
        "POLITE_MIN_FREE=0",
    ):
        command += ["-s", setting]
    environment = {**os.environ, "SCRAPY_SETTINGS_MODULE": "polite_crawler.settings"}
    ended = subprocess.run(command, env=environment, cwd=store_dir.parent, capture_output=True, text=True, timeout=100)
    assert ended.returncode == 0
    assert "Using reactor: twisted.internet.asyncioreactor.AsyncioSelectorReactor" in ended.stderr
    assert "Unhandled" not in ended.stderr
    with open_store(store_dir) as store:
        assert "Text that a script fetched." in store.read(site.url("/js/fetch")).text


def test_pc_fetch_makes_pages_without_a_reactor(site: Site, store_dir: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "polite_crawler.cli",
        "fetch",
        site.url("/js/text"),
        "--dir",
        str(store_dir),
        "--allow-private",
    ]
    ended = subprocess.run([*command, "--json", "--screenshot"], capture_output=True, text=True, timeout=100)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert '"title": "Written by script"' in ended.stdout
    with open_store(store_dir) as store:
        assert "Text that a script wrote." in store.read(site.url("/js/text")).text
