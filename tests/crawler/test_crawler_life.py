"""How a crawler begins and ends, and what is left of it in the process: nothing."""

import asyncio
import logging
import os
import signal
import sys
import threading
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from library_lab import Held, captures_of, held, opened, run, until
from scrapy import signals
from scrapy.crawler import Crawler

from polite_crawler import BadOption, PoliteCrawler, PoliteError, StoreError, open_crawler, open_store
from polite_crawler.spiders.events import Event
from polite_crawler.testsite import Site, SiteProcess


def settled(before: Held) -> Held:
    """What the process holds once the operating system has taken the last thread away."""
    end = time.monotonic() + 5
    while held() != before and time.monotonic() < end:
        os.sched_yield()
    return held()


def test_a_thousand_fetches_of_a_hundred_hosts_leave_nothing(tmp_path: Path) -> None:
    async def fetch(site: SiteProcess, store: Path, number: int, hosts: int) -> Counter[str]:
        async with opened(store, page_interval=0) as crawler:
            calls = (crawler.fetch(site.url(f"/p/{one}", host=1 + one % hosts)) for one in range(number))
            pages = await asyncio.gather(*calls)
            return Counter(page.outcome for page in pages)

    with SiteProcess(hosts=100) as site:
        # what Python and its libraries open once, they open here
        run(fetch(site, tmp_path / "first", 5, 5))
        before = held()
        assert run(fetch(site, tmp_path / "store", 1000, 100)) == {"ok": 1000}
        assert settled(before) == before
    assert len(captures_of(tmp_path / "store")) == 1000
    assert len(captures_of(tmp_path / "store", "robots")) == 100


def test_names_that_resolve_and_runs_of_all_kinds_leave_nothing(site: Site, store_dir: Path) -> None:
    def work() -> None:
        with opened(store_dir, on_event=lambda event: None) as crawler:
            crawler.fetch(f"http://localhost:{site.port}/about", max_age=0)
            crawler.fetch(f"http://no-such-host.invalid:{site.port}/", max_age=0)
            crawler.fetch(site.url("/almanac.pdf"), max_age=0)
            list(crawler.crawl(site.url("/"), max_pages=3, max_age=0))
            list(crawler.discover(site.url("/"), max_age=0))
            for _ in crawler.crawl(site.url("/"), max_age=0):
                break

    work()
    before = held()
    work()
    assert settled(before) == before
    assert before.crawlers == 0
    assert not [name for name in before.threads if name.startswith("polite")]


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_store_that_cannot_be_made(tmp_path: Path, kind: str) -> None:
    (tmp_path / "file").write_text("a file stands where the store should be")
    before = held()
    opening = opened(tmp_path / "file")

    async def main() -> None:
        async with opening:
            pass

    opens = (lambda: run(main())) if kind == "async" else opening.__enter__
    with pytest.raises(StoreError):
        opens()
    assert settled(before) == before


def test_an_extension_that_hangs_does_not_hold_the_opening(store_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Hangs:
        @classmethod
        def from_crawler(cls, crawler: Crawler) -> "Hangs":
            extension = cls()
            crawler.signals.connect(extension.opened, signals.spider_opened, weak=False)
            return extension

        async def opened(self) -> None:
            await asyncio.Event().wait()

    monkeypatch.setattr("polite_crawler.crawler.engine.END", 0.5)
    opening = opened(store_dir, scrapy={"EXTENSIONS": {Hangs: 1}})
    with pytest.raises(PoliteError, match="did not start within"):
        opening.__enter__()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("polite-crawler")]


def test_an_opener_that_is_cancelled_leaves_nothing(store_dir: Path) -> None:
    before = held()

    async def main() -> None:
        opening = asyncio.ensure_future(opened(store_dir).__aenter__())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening

    run(main())
    assert settled(before) == before


def test_open_again_and_again_on_one_store(site: Site, store_dir: Path) -> None:
    opening = opened(store_dir)
    for _ in range(3):
        with opening as crawler:
            crawler.fetch(site.url("/about"))
    assert len(site.log(path="/about")) == 1


def test_several_crawlers_in_one_process(site: Site, tmp_path: Path) -> None:
    async def main() -> None:
        async with (
            opened(tmp_path / "one", page_interval=0.1) as one,
            opened(tmp_path / "one", page_interval=0.1) as same,
            opened(tmp_path / "two", user_agent="OtherBot/1.0") as other,
        ):
            paths = [f"/p/{number}" for number in range(8)]
            calls = [crawler.fetch(site.url(path)) for path in paths for crawler in (one, same)]
            pages = await asyncio.gather(*calls, other.fetch(site.url("/about", host=2)))
            assert {page.outcome for page in pages} == {"ok"}

    run(main())
    shared = [seen for seen in site.log(host=1) if seen.path != "/robots.txt"]
    # two crawlers on one store keep one pace, as two processes do
    assert max(seen.parallel for seen in shared) == 1
    ends = [seen.end for seen in shared]
    rests = [after.start - end for end, after in zip(ends, shared[1:], strict=False) if end]
    assert min(rests) >= 0.099
    (seen,) = site.log(host=2, path="/about")
    assert ("User-Agent", "OtherBot/1.0") in list(seen.headers)


def test_nothing_of_the_program_is_configured(site: Site, store_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def program() -> dict[str, Any]:
        root = logging.getLogger()
        names = [name for name in logging.Logger.manager.loggerDict if name.partition(".")[0] in ("scrapy", "twisted")]
        loggers = [logging.getLogger(name) for name in names]
        return {
            "root": (root.level, list(root.handlers), list(root.filters)),
            "levels": {(one.name, one.level, one.propagate) for one in loggers if one.level or not one.propagate},
            "handlers": [one.name for one in loggers if one.handlers],
            "signals": [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)],
            "hooks": (sys.excepthook, threading.excepthook, sys.unraisablehook, tuple(sys.meta_path)),
            "filters": list(warnings.filters),
            "environment": dict(os.environ),
            "policy": type(asyncio.get_event_loop_policy()),
            "folder": os.getcwd(),
        }

    import polite_crawler.crawler.library  # noqa: F401

    before = program()
    with opened(store_dir) as crawler:
        crawler.fetch(site.url("/about"))
        assert program() == before
        list(crawler.crawl(site.url("/"), max_pages=2))
    assert program() == before
    assert capfd.readouterr() == ("", "")


def test_events_come_to_the_loop_that_opened(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        seen: list[tuple[Event, threading.Thread]] = []

        def note(event: Event) -> None:
            seen.append((event, threading.current_thread()))

        # the rest is long enough for each request to wait
        async with opened(store_dir, on_event=note, page_interval=0.3) as crawler:
            await crawler.fetch(site.url("/about"))
            await crawler.fetch(site.url("/about"))
            await crawler.fetch(site.url("/private/diary"))
            await crawler.fetch(site.url("/status/403"))
            async for _ in crawler.crawl(site.url("/", host=2), max_pages=2):
                pass
            await until(lambda: {event.type for event, _ in seen} >= {"request", "response", "wait", "stop", "skip"})
        assert {thread for _, thread in seen} == {threading.main_thread()}
        stored = [event for event, _ in seen if event.note == "from the store"]
        assert [event.url for event in stored] == [site.url("/about")]
        stops = [event for event, _ in seen if event.type == "stop"]
        assert [(event.host, event.note) for event in stops] == [(site.hosts[0], "status 403")]
        assert {event.host for event, _ in seen} == set(site.hosts[:2])

    run(main())


def test_a_port_that_is_taken_is_told_at_the_opening(
    site: Site, store_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = held()
    with pytest.raises(PoliteError, match="POLITE_METRICS_PORT"), opened(store_dir, metrics_port=site.port):
        pass
    # a line of the log holds the spider that it is about
    caplog.clear()
    assert settled(before) == before


def test_a_crawler_that_an_extension_closes_says_so(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with opened(store_dir, scrapy={"CLOSESPIDER_PAGECOUNT": 1}) as crawler:
            # the answer to robots.txt counts there
            for _ in range(2):
                with pytest.raises(PoliteError, match="the crawler is closed"):
                    await crawler.fetch(site.url("/about"))

    run(main())


def test_one_port_shows_the_metrics_of_fetches_and_crawls(site: Site, store_dir: Path) -> None:
    import socket
    from urllib.request import urlopen

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with opened(store_dir, metrics_port=port) as crawler:
        crawler.fetch(site.url("/about"))
        assert len(list(crawler.crawl(site.url("/", host=2), max_pages=3))) == 3
        with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
            text = answer.read().decode()
    # two robots.txt, a page, three pages
    assert "polite_requests_total 6\n" in text


def test_a_listener_that_fails_harms_nothing(site: Site, store_dir: Path, caplog: pytest.LogCaptureFixture) -> None:
    def fails(event: Event) -> None:
        raise ValueError("not me")

    with opened(store_dir, on_event=fails) as crawler:
        assert crawler.fetch(site.url("/about")).outcome == "ok"
        assert crawler.fetch(site.url("/about")).from_cache
    assert "a listener failed" in caplog.text


def test_a_crawler_awaited_and_closed_by_hand(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        crawler = await opened(store_dir)
        assert isinstance(crawler, PoliteCrawler)
        try:
            assert (await crawler.fetch(site.url("/about"))).outcome == "ok"
        finally:
            await crawler.close()

    run(main())


def test_a_crawler_serves_another_loop_than_its_own(site: Site, store_dir: Path) -> None:
    async def begin() -> PoliteCrawler:
        return await opened(store_dir)

    crawler = run(begin())
    assert run(crawler.fetch(site.url("/about"))).outcome == "ok"
    run(crawler.close())


def test_the_index_is_there_when_the_store_is_opened_again(site: Site, store_dir: Path) -> None:
    with opened(store_dir) as crawler:
        crawler.fetch(site.url("/about"))
    with open_store(store_dir, catch_up=False) as store:
        assert store.find("almanac")


def test_close_is_bounded(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        crawler = await opened(store_dir)
        calls = [asyncio.ensure_future(crawler.fetch(site.url("/stall/head", host=n))) for n in range(2, 10)]
        # host 1 is the crawl's alone: a head there would wait for the lane that its body holds
        stalls = asyncio.ensure_future(anext(aiter(crawler.crawl(site.url("/stall/body", host=1)))))
        await until(lambda: len(site.log(path="/stall/head")) == 8 and site.log(path="/stall/body"))
        # far below the time-outs of the exchanges (30 s for a head)
        async with asyncio.timeout(15):
            await crawler.close()
            pages = await asyncio.gather(*calls)
            await asyncio.wait([stalls])
        assert {page.outcome for page in pages} == {"error"}

    run(main())


def test_bad_options_are_one_line() -> None:
    with pytest.raises(BadOption) as error:
        open_crawler("x", contact="@")
    assert "\n" not in str(error.value)
