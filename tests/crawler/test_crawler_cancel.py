"""A caller that goes away frees its place, wherever its request is."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from library_lab import captures_of, opened, run, until

from polite_crawler import PoliteCrawler, PoliteError
from polite_crawler.crawler.engine import Engine
from polite_crawler.testsite.site import Site


def engine_of(crawler: PoliteCrawler) -> Engine:
    return crawler._thread.engine


def left(crawler: PoliteCrawler) -> int:
    """How many requests wait or are in progress."""
    main = engine_of(crawler)._main
    assert main is not None
    return main.left


def sent(site: Site, path: str) -> Callable[[], bool]:
    return lambda: bool(site.log(path=path))


def test_an_exchange_in_progress_ends(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with opened(store_dir) as crawler:
            stalls = asyncio.ensure_future(crawler.fetch(site.url("/stall/head")))
            await until(sent(site, "/stall/head"))
            stalls.cancel()
            page = await crawler.fetch(site.url("/about"))
            assert page.outcome == "ok"
            assert stalls.cancelled()
            assert left(crawler) == 0

    run(main())
    first, second = captures_of(store_dir)
    assert (first.outcome, first.reason, first.note) == ("error", "cancelled", "the caller went away")
    assert second.outcome == "ok"
    (seen,) = site.log(path="/stall/head")
    assert seen.cut


def test_an_exchange_that_was_cut_is_followed_by_the_rest(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with opened(store_dir, page_interval=0.5) as crawler:
            stalls = asyncio.ensure_future(crawler.fetch(site.url("/stall/head")))
            await until(sent(site, "/stall/head"))
            stalls.cancel()
            await crawler.fetch(site.url("/about"))

    run(main())
    (cut,), (next_,) = site.log(path="/stall/head"), site.log(path="/about")
    assert cut.end is not None
    assert next_.start - cut.end >= 0.49


def test_requests_that_wait_leave_the_queue(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with opened(store_dir, page_interval=300, max_wait="1h") as crawler:
            calls = [asyncio.ensure_future(crawler.fetch(site.url(f"/p/{number}"))) for number in range(20)]
            await until(lambda: site.log(path="/robots.txt") and left(crawler) == 20)
            for call in calls:
                call.cancel()
            await until(lambda: left(crawler) == 0)
            assert all(call.cancelled() for call in calls)
            # another host is free, and so is the line of this one
            assert (await crawler.fetch(site.url("/about", host=2), max_age="stored")).outcome == "skipped"

    run(main())
    assert [one.url for one in captures_of(store_dir)] == [site.url("/about", host=2)]


def test_the_others_of_the_host_go_on(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with opened(store_dir, page_interval=0.05) as crawler:
            calls = [asyncio.ensure_future(crawler.fetch(site.url(f"/p/{number}"))) for number in range(9)]
            await until(lambda: left(crawler) == 9)
            for call in calls[::2]:
                call.cancel()
            ended = await asyncio.gather(*calls, return_exceptions=True)
            assert [isinstance(one, asyncio.CancelledError) for one in ended] == [n % 2 == 0 for n in range(9)]

    run(main())
    assert len([seen for seen in site.log() if seen.path.startswith("/p/")]) == 4


def test_a_hop_of_a_call_that_went_away_is_not_followed(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with opened(store_dir, page_interval=300, max_wait="1h", hosts={site.hosts[1]: {}}) as crawler:
            url = site.url(f"/redir?to={site.url('/stall/head', host=2)}", host=3)
            call = asyncio.ensure_future(crawler.fetch(url, budget="1h"))
            await until(sent(site, "/robots.txt"))
            call.cancel()
            await until(lambda: left(crawler) == 0)

    run(main())
    assert site.log(path="/stall/head") == []


def test_a_time_out_of_the_caller_cancels(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with opened(store_dir) as crawler:
            # wherever its request is at that time
            for number, seconds in enumerate((0.001, 0.02, 0.05, 0.1, 0.2, 0.3)):
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(seconds):
                        await crawler.fetch(site.url("/stall/body", host=1 + number))
            await until(lambda: left(crawler) == 0)

    run(main())


@pytest.mark.parametrize("rest", [0, 0.2])
def test_robots_txt_goes_on_for_the_others(site: Site, store_dir: Path, rest: float) -> None:
    site.set(1, latency=0.3)

    async def main() -> None:
        async with opened(store_dir, page_interval=rest) as crawler:
            first = asyncio.ensure_future(crawler.fetch(site.url("/about")))
            await until(sent(site, "/robots.txt"))
            second = asyncio.ensure_future(crawler.fetch(site.url("/visit")))
            first.cancel()
            assert (await second).outcome == "ok"

    run(main())
    assert len(site.log(path="/robots.txt")) == 1
    assert site.log(path="/about") == []


def test_closing_ends_what_waits_and_what_is_in_progress(site: Site, store_dir: Path) -> None:
    async def main() -> list[object]:
        async with opened(store_dir, page_interval=300, max_wait="1h") as crawler:
            calls = [
                asyncio.ensure_future(crawler.fetch(site.url("/p/1"))),
                asyncio.ensure_future(crawler.fetch(site.url("/p/2"))),
            ]
            await until(lambda: left(crawler) == 2)
        return list(await asyncio.gather(*calls, return_exceptions=True))

    ended = run(main())
    assert [(type(one), str(one)) for one in ended] == [(PoliteError, "the crawler is closed")] * 2


def test_closing_cuts_an_exchange_after_a_grace(site: Site, store_dir: Path) -> None:
    async def main() -> object:
        async with opened(store_dir) as crawler:
            call = asyncio.ensure_future(crawler.fetch(site.url("/stall/head")))
            await until(sent(site, "/stall/head"))
        return await call

    page = run(main(), limit=15)
    assert getattr(page, "outcome", page) == "error"
    assert captures_of(store_dir)[-1].note == "the crawler is closed"


def test_a_closed_crawler_says_so(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        crawler = await opened(store_dir)
        await crawler.close()
        await crawler.close()
        with pytest.raises(PoliteError, match="closed"):
            await crawler.fetch(site.url("/about"))
        with pytest.raises(PoliteError, match="closed"):
            async for _ in crawler.crawl(site.url("/")):
                pass
        with pytest.raises(PoliteError, match="closed"):
            await crawler.reset_hosts()

    run(main())


def test_threads_share_a_crawler(site: Site, store_dir: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with opened(store_dir) as crawler, ThreadPoolExecutor(8) as pool:
        pages = list(pool.map(lambda n: crawler.fetch(site.url(f"/p/{n}", host=1 + n % 4)), range(24)))
    assert {page.outcome for page in pages} == {"ok"}
