"""The browser as a process: killed at random, worn, idle, shared; nothing of it is left."""

import asyncio
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from render_lab import Pages, Reply, Watch, fetch, needs_browser

from polite_crawler import open_crawler
from polite_crawler.rules.rendering import Limits
from polite_crawler.scheduling.render_slots import RenderSlots
from polite_crawler.spiders.events import Event
from polite_crawler.store.record import epoch
from polite_crawler.transport import browser, render_handler
from polite_crawler.transport.browser import Browser
from polite_crawler.transport.leftovers import kill_leftovers, profile_of

pytestmark = needs_browser

WORDS = "Words of a script. " * 40


class Killer(threading.Thread):
    """Kills a process of the browser now and then: its main one, a renderer, a helper."""

    def __init__(self, watch: Watch, seed: int, every: float) -> None:
        super().__init__(daemon=True)
        self._watch = watch
        self._random = random.Random(seed)
        self._every = every
        self._over = threading.Event()
        self.killed = 0

    def run(self) -> None:
        while not self._over.wait(self._random.uniform(0.1, self._every)):
            found = self._watch.browsers()
            with suppress(psutil.Error):
                main = [one for one in found if not any(part.startswith("--type=") for part in one.cmdline())]
                if found:
                    self._random.choice(main if main and self._random.random() < 0.5 else found).kill()
                    self.killed += 1

    def stop(self) -> None:
        self._over.set()
        self.join()


def renders_with_kills(pages: Pages, store_dir: Path, watch: Watch, number: int, *, every: float) -> int:
    pages.replies["/data"] = Reply(WORDS)
    script = "fetch('/data').then(r => r.text()).then(t => { app.textContent = t; });"
    for count in range(number):
        pages.page(script, f"/page/{count}")
    urls = [pages.url(f"/page/{count}", 1 + count % 4) for count in range(number)]
    killer = Killer(watch, seed=number, every=every)
    killer.start()
    try:
        run = fetch(store_dir, *urls, limit=20 + 20 * number)
    finally:
        killer.stop()
    # each page has one result; a render that was lost twice is the fetched page, with a note
    assert sorted(page.url for page in run.pages) == sorted(urls)
    assert {page.outcome for page in run.pages} == {"ok"}
    lost = [page for page in run.pages if page.chars < 100]
    assert all("not rendered: the browser cannot make the page" in (page.note or "") for page in lost)
    reasons = Counter((capture.outcome, capture.reason) for capture in run.captures("render"))
    assert reasons[("ok", None)] == number - len(lost)
    assert set(reasons) <= {("ok", None), ("skipped", "refused")}
    assert watch.gone()
    return killer.killed


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page whose helper process was killed is not waited for as long as in life."""
    monkeypatch.setattr(render_handler, "LIMITS", Limits(seconds=8))
    monkeypatch.setattr(browser, "_PATIENCE", 3.0)


@pytest.mark.timeout(300)
@pytest.mark.usefixtures("impatient")
def test_a_browser_that_is_killed_at_random_is_begun_anew(pages: Pages, store_dir: Path, watch: Watch) -> None:
    assert renders_with_kills(pages, store_dir, watch, 30, every=2.0) >= 3


def test_a_page_whose_requests_broke_with_the_browser_is_made_again(
    pages: Pages, store_dir: Path, watch: Watch
) -> None:
    pages.page("fetch('/data').then(r => r.text()).then(t => { app.textContent = t; });")
    pages.replies["/data"] = Reply(WORDS, seconds=1.5)

    def kill() -> None:
        while "/data" not in pages.paths():
            time.sleep(0.01)
        for process in watch.browsers():
            if any("NetworkService" in part for part in process.cmdline()):
                process.kill()

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    run = fetch(store_dir, pages.url("/page"))
    killer.join()
    (page,) = run.pages
    assert (page.chars, page.note) == (len(WORDS.strip()), None)
    # it was not asked for again
    assert pages.paths().count("/data") == 1


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_two_hundred_renders_leave_no_process_and_no_memory(pages: Pages, store_dir: Path, watch: Watch) -> None:
    before = psutil.Process().memory_info().rss
    assert renders_with_kills(pages, store_dir, watch, 200, every=3.0) >= 20
    assert psutil.Process().memory_info().rss - before < 150 * 2**20


def test_no_more_pages_are_made_at_one_time_than_allowed(pages: Pages, store_dir: Path) -> None:
    pages.replies["/slow"] = Reply("", seconds=0.5)
    pages.page(f"fetch('/slow').then(() => {{ app.textContent = {WORDS!r}; }});")
    run = fetch(store_dir, *(pages.url("/page", host) for host in (1, 2, 3, 4)), POLITE_MAX_RENDERS=2)
    spans = [(epoch(one.time.start), epoch(one.fetched_at)) for one in run.captures("render")]
    assert len(spans) == 4
    at_once = [sum(other[0] <= start < other[1] for other in spans) for start, _ in spans]
    assert max(at_once) == 2
    # the pages themselves did not wait for a place
    fetched = [epoch(one.fetched_at) for one in run.captures("fetch")]
    assert max(fetched) < sorted(end for _, end in spans)[1]


def test_one_browser_makes_many_pages_and_is_then_begun_anew(
    pages: Pages, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "_MOST_TABS", 3)
    started = []
    start = Browser._start

    async def counted(self: Browser) -> object:
        started.append(self)
        return await start(self)

    monkeypatch.setattr(Browser, "_start", counted)
    urls = [pages.page(f"app.textContent = {WORDS!r};", f"/page/{count}") for count in range(7)]
    run = fetch(store_dir, *urls)
    assert len(run.captures("render")) == 7
    assert len(started) == 3


def test_the_library_has_one_browser_for_all_and_ends_it(pages: Pages, store_dir: Path, watch: Watch) -> None:
    urls = [
        pages.page(f"app.textContent = {WORDS!r};", f"/page/{count}", host=f"127.0.0.{count}") for count in (1, 2, 3, 4)
    ]
    urls = [url.replace("127.0.0.1:", f"127.0.0.{1 + number}:") for number, url in enumerate(urls)]

    events: list[Event] = []
    options = {"allow_private": True, "page_interval": 0, "slow_factor": 0, "min_free": 0}

    async def main() -> None:
        async with open_crawler(store_dir, on_event=events.append, **options) as crawler:
            run = crawler.crawl(urls[0], max_pages=1)
            results, crawled = await asyncio.gather(asyncio.gather(*map(crawler.fetch, urls[1:])), _all(run))
            assert {page.chars for page in [*results, *crawled]} == {len(WORDS.strip())}
            assert len(watch.drivers()) == 1
            assert crawler.store.find("script", limit=9)
            # the store answers for the page and for its render
            again = await crawler.fetch(urls[1])
            assert (again.capture, again.from_cache) == (results[0].capture, True)
            # a render is no request, and is none of the answers
            asked = Counter(event.url for event in events if event.type == "request")
            assert {asked[url] for url in urls} == {1}
            answered = Counter(event.url for event in events if event.type == "response" and not event.note)
            assert {answered[url] for url in urls} <= {0, 1}
            plain = await crawler.fetch(urls[2], max_age=0, render="never")
            assert (plain.title, plain.chars) == ("Made", 0)

    asyncio.run(main())
    assert watch.gone()


async def _all(run: object) -> list[object]:
    return [page async for page in run]  # type: ignore[attr-defined]


def test_an_idle_browser_ends(watch: Watch) -> None:
    async def main() -> None:
        one = Browser(RenderSlots(1), idle_seconds=0)
        async with one.tab() as page:
            await page.goto("about:blank")
            assert watch.browsers() != []
        async with asyncio.timeout(20):
            while watch.running():
                await asyncio.sleep(0.05)
        # it starts again when it is needed
        async with one.tab() as page:
            assert await page.evaluate("navigator.serviceWorker") is None
        await one.shut()

    asyncio.run(main())


@pytest.mark.parametrize("what", ["driver", "browser"])
def test_what_is_killed_is_begun_anew(watch: Watch, what: str) -> None:
    async def main() -> None:
        one = Browser(RenderSlots(1))
        async with one.tab():
            for process in watch.drivers() if what == "driver" else watch.browsers():
                process.kill()
        async with one.tab() as page:
            assert await page.evaluate("1 + 1") == 2
        await one.shut()

    async def bounded() -> None:
        async with asyncio.timeout(90):
            await main()

    asyncio.run(bounded())


def test_what_hangs_is_killed_by_its_home(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-c",
        "import time; print(flush=True); time.sleep(600)",
        f"--user-data-dir={tmp_path}/own",
    ]
    processes = [
        subprocess.Popen(command, env={"HOME": str(tmp_path / name)}, stdout=subprocess.PIPE) for name in ("a", "ab")
    ]
    try:
        for process in processes:
            assert process.stdout is not None
            process.stdout.readline()
        assert profile_of(str(tmp_path / "a")) == f"{tmp_path}/own"
        assert profile_of(str(tmp_path / "none")) is None
        assert kill_leftovers(str(tmp_path / "a")) == 1
        assert processes[0].wait(20) == -signal.SIGKILL
        assert processes[1].poll() is None
    finally:
        for process in processes:
            process.kill()
            process.communicate()
