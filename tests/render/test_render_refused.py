"""Renders that do not come to be: the fetched page is the answer then, with a note, and no host is blamed."""

import asyncio
import logging
import sys
from pathlib import Path
from typing import Any

import pytest
from engine_lab import EndingSpider, crawl
from render_lab import HTML, Pages, Reply, fetch

from polite_crawler import open_crawler
from polite_crawler.errors import RenderRefused
from polite_crawler.middlewares.render import RENDER
from polite_crawler.scheduling.lanes import lanes_of
from polite_crawler.store.hosts_sqlite import open_hosts
from polite_crawler.transport import browser

SHELL = "app.textContent = 'Made. '.repeat(50);"


def failures(store_dir: Path) -> dict[str, int]:
    hosts = open_hosts(store_dir / "hosts.sqlite")
    try:
        return {row.host: row.state.failures for row in hosts.rows()}
    finally:
        hosts.close()


def without_browser(monkeypatch: pytest.MonkeyPatch, why: str = "there is none here") -> None:
    def find() -> str:
        raise RenderRefused("browser", why)

    monkeypatch.setattr(browser, "find_program", find)


def with_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str) -> None:
    program = tmp_path / "chromium"
    program.write_text(f"#!{sys.executable}\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(browser, "find_program", lambda: str(program))


def test_without_a_browser_there_is_one_note_at_once(
    pages: Pages, store_dir: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    without_browser(monkeypatch)
    urls = [pages.page(SHELL, f"/page/{number}") for number in range(3)]
    with caplog.at_level(logging.WARNING, "polite_crawler"):
        run = fetch(store_dir, *urls)
    assert [(page.outcome, page.status, page.chars) for page in run.pages] == [("ok", 200, 0)] * 3
    assert all("not rendered: there is none here" in (page.note or "") for page in run.pages)
    warnings = [record.getMessage() for record in caplog.records if "plain HTML" in record.getMessage()]
    assert warnings == ["pages that need JavaScript are read as plain HTML: there is none here"]
    # nothing waited in the queue for it, and nothing was logged as a fetch decision
    assert run.captures("render") == []
    assert set(failures(store_dir).values()) == {0}


def test_without_playwright_the_note_says_what_to_install(
    pages: Pages, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "find_spec", lambda name: None)
    (page,) = fetch(store_dir, pages.page(SHELL)).pages
    assert "pip install 'polite-crawler[render]'" in (page.note or "")


def test_a_machine_without_chromium_is_told_so(
    pages: Pages, store_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "find_spec", lambda name: object())
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    with pytest.raises(RenderRefused, match="apt-get install chromium"):
        browser.find_program()
    brought = tmp_path / "chromium_headless_shell-1200" / "chrome-linux" / "headless_shell"
    brought.parent.mkdir(parents=True)
    brought.touch(0o755)
    assert browser.find_program() == str(brought)
    (tmp_path / "chromium").touch(0o755)
    assert browser.find_program() == str(tmp_path / "chromium")


@pytest.mark.browser
@pytest.mark.usefixtures("chromium")
@pytest.mark.parametrize("script", ["raise SystemExit(3)", "import time; time.sleep(60)"], ids=["ends", "hangs"])
def test_after_a_browser_that_does_not_start_nothing_more_is_rendered(
    pages: Pages, store_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    monkeypatch.setattr(browser, "_START_SECONDS", 3.0)
    with_program(monkeypatch, tmp_path, script)
    urls = [pages.page(SHELL, f"/page/{number}") for number in range(3)]
    run = fetch(store_dir, *urls)
    assert [page.outcome for page in run.pages] == ["ok"] * 3
    assert all("not rendered: the browser does not start" in (page.note or "") for page in run.pages)
    renders = run.captures("render")
    assert {(capture.outcome, capture.reason) for capture in renders} == {("skipped", "browser")}
    assert len(renders) < 3
    assert set(failures(store_dir).values()) == {0}


def test_a_page_that_is_offered_as_a_file_is_no_page(
    pages: Pages, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "find_program", lambda: "/nonexistent")
    url = pages.page(SHELL)
    pages.replies["/page"].headers = (*HTML, ("Content-Disposition", 'attachment; filename="page.html"'))
    run = fetch(store_dir, url)
    (render,) = run.captures("render")
    assert (render.outcome, render.reason, render.note) == ("skipped", "download", "the page is offered as a file")
    assert "not rendered: the page is offered as a file" in (run.pages[0].note or "")
    assert set(failures(store_dir).values()) == {0}


def test_nothing_is_rendered_when_nothing_may_be_sent(
    pages: Pages, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = pages.page(SHELL)
    fetch(store_dir, url, render="never")
    run = fetch(store_dir, url, max_age="stored")
    assert "not rendered: nothing is sent" in (run.pages[0].note or "")
    assert pages.paths() == ["/page"]


def test_a_host_that_was_stopped_meanwhile_is_not_asked_again(
    pages: Pages, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "find_program", lambda: "/nonexistent")

    class Stops(EndingSpider):
        async def start(self) -> Any:
            lanes = lanes_of(self.crawler)
            lanes.listeners.append(
                lambda event: lanes.stop(event.host, 60, "test") if event.kind == "free" and pages.paths() else None
            )
            async for request in super().start():
                yield request

    run = crawl(
        Stops, store_dir, urls=[pages.page(SHELL)], meta={RENDER: "always"}, settings={"POLITE_PAGE_INTERVAL": 1}
    )
    assert run.spider.endings == [(pages.url("/page"), "callback 200")]
    (render,) = run.captures("render")
    assert (render.outcome, render.reason) == ("skipped", "stop")


@pytest.mark.browser
@pytest.mark.usefixtures("chromium")
def test_a_render_in_progress_ends_with_the_crawler(pages: Pages, store_dir: Path) -> None:
    url = pages.page("fetch('/slow').catch(() => 0);")
    pages.replies["/slow"] = Reply("", seconds=20)

    async def main() -> None:
        async with open_crawler(store_dir, allow_private=True, page_interval=0, slow_factor=0, min_free=0) as crawler:
            page = asyncio.ensure_future(crawler.fetch(url))
            while "/slow" not in pages.paths():
                await asyncio.sleep(0.02)
            page.cancel()
            await asyncio.gather(page, return_exceptions=True)
            again = asyncio.ensure_future(crawler.fetch(pages.page(SHELL, "/other")))
            result = await again
            assert (result.title, result.chars) == ("Made", 299)

    async def bounded() -> None:
        async with asyncio.timeout(30):
            await main()

    asyncio.run(bounded())
