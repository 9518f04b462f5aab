"""`crawl` and `discover`: what the loop gets, and what is left when it is left."""

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from library_lab import captures_of, opened, run, until

from polite_crawler import BadOption, PoliteCrawler, StoreError
from polite_crawler.spiders.results import CrawledPage, CrawlSummary
from polite_crawler.store.writer import WriterThread
from polite_crawler.testsite.site import Site


def adds_up(summary: CrawlSummary | None, pages: list[CrawledPage]) -> bool:
    """Whether the numbers of a summary add up to the pages that were given."""
    assert summary is not None
    return summary.fetched + summary.from_cache + summary.refused + summary.failed == len(pages)


def crawls(crawler: PoliteCrawler) -> int:
    """How many crawls are in progress, the one that stays not counted."""
    return len(crawler._thread.engine._crawls) - 1


def test_a_crawl_to_its_end(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with opened(store_dir) as crawler:
            found = crawler.crawl(site.url("/"), max_pages=12, max_depth=1, exclude="/shop/*")
            assert found.summary is None
            pages = [page async for page in found]
            assert pages[0].source == "seed"
            assert {page.depth for page in pages} == {0, 1}
            assert not any("/shop/" in page.url for page in pages)
            assert found.summary is not None
            assert found.summary.skips["pattern"] > 0
            assert adds_up(found.summary, pages)
            assert found.queued == 0
            # a loop over what has ended gives nothing
            assert [page async for page in found] == []
            await until(lambda: crawls(crawler) == 0)

    run(main())


def test_a_text_is_one_seed_and_a_list_holds_several(site: Site, store_dir: Path) -> None:
    with opened(store_dir) as crawler:
        spaced = list(crawler.crawl(site.url("/p/7?q=a b"), max_pages=1))
        assert [page.url for page in spaced] == [site.url("/p/7?q=a%20b")]
        several = list(crawler.crawl([site.url("/p/1"), site.url("/p/2", host=2)], max_pages=2))
        assert [page.source for page in several] == ["seed", "seed"]


def test_max_pages_is_exact(site: Site, store_dir: Path) -> None:
    with opened(store_dir) as crawler:
        found = crawler.crawl(site.url("/"), max_pages=5)
        pages = list(found)
    assert len(pages) == 5
    assert found.summary is not None
    assert found.summary.stopped == "max-pages"
    assert len([seen for seen in site.log() if seen.path != "/robots.txt"]) == 5


def test_leaving_the_loop_cancels(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with opened(store_dir) as crawler:
            found = crawler.crawl(site.url("/"))
            pages = []
            async for page in found:
                pages.append(page)
                if len(pages) == 3:
                    break
            assert found.summary is not None
            assert found.summary.stopped == "cancelled"
            assert adds_up(found.summary, pages)
            assert found.summary.queued > 0
            await found.aclose()
            assert crawls(crawler) == 0
            asked = len(site.log())
            # what was in progress is kept, what waited is not asked
            assert (await crawler.fetch(site.url("/about", host=2))).outcome == "ok"
            assert len([seen for seen in site.log() if seen.host == site.hosts[0]]) == asked

    run(main())


def test_leaving_a_plain_loop_cancels(site: Site, store_dir: Path) -> None:
    with opened(store_dir) as crawler:
        found = crawler.crawl(site.url("/"))
        for _ in found:
            break
        assert found.summary is not None
        assert (found.summary.stopped, found.summary.fetched) == ("cancelled", 1)
        with crawler.crawl(site.url("/", host=2)) as other:
            assert next(iter(other)).outcome == "ok"
        assert other.summary is not None


def test_a_cancelled_task_leaves_the_loop(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with opened(store_dir, page_interval=300, max_wait="1h") as crawler:
            found = crawler.crawl(site.url("/"), budget="1h")

            async def loop() -> None:
                async for _ in found:
                    pass

            task = asyncio.ensure_future(loop())
            await until(lambda: crawls(crawler) == 1 and found.queued)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert found.summary is not None
            assert (found.summary.stopped, found.summary.fetched) == ("cancelled", 0)
            await until(lambda: crawls(crawler) == 0)

    run(main())


def test_a_time_out_of_a_step_cancels_as_in_a_generator(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with opened(store_dir) as crawler:
            site.set(1, latency=0.5)
            found = crawler.crawl(site.url("/"), max_pages=1)
            steps = aiter(found)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(anext(steps), 0.1)
            assert found.summary is not None
            assert found.summary.stopped == "cancelled"
            with pytest.raises(StopAsyncIteration):
                await anext(steps)

    run(main())


def test_a_run_that_never_began_and_one_that_is_left_at_once(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with opened(store_dir) as crawler:
            never = crawler.crawl(site.url("/"))
            await never.aclose()
            assert never.summary is not None
            assert never.summary.stopped == "cancelled"
            assert [page async for page in never] == []
            first = crawler.crawl(site.url("/"))
            step = asyncio.ensure_future(anext(aiter(first)))
            await asyncio.sleep(0)
            step.cancel()
            await asyncio.wait([step])
            await first.aclose()
            await until(lambda: crawls(crawler) == 0)

    run(main())


@pytest.mark.parametrize(
    "arguments",
    [
        {"max_pages": 0},
        {"max_pages": "many"},
        {"max_depth": -1},
        {"budget": "soon"},
        {"max_age": "old"},
        {"allow_host": "bad host!/"},
        {"url": "no-url"},
        {"url": ()},
    ],
)
def test_a_bad_argument_is_a_fault_of_the_call(store_dir: Path, arguments: dict[str, Any]) -> None:
    with opened(store_dir) as crawler, pytest.raises(BadOption):
        crawler.crawl(**{"url": "http://a.example/", **arguments})


def test_crawls_at_once_have_limits_of_their_own(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with opened(store_dir) as crawler:

            async def pages(host: int, most: int) -> list[CrawledPage]:
                return [page async for page in crawler.crawl(site.url("/", host=host), max_pages=most)]

            first, second, third = await asyncio.gather(pages(1, 4), pages(2, 7), pages(1, 6))
            assert (len(first), len(second), len(third)) == (4, 7, 6)
            hosts = [{page.url.split("/")[2].split(":")[0] for page in found} for found in (first, second, third)]
            assert hosts == [{site.hosts[0]}, {site.hosts[1]}, {site.hosts[0]}]

    run(main())
    assert max(seen.parallel for seen in site.log()) == 1


def test_a_fetch_gets_its_turn_beside_a_crawl_of_the_same_host(site: Site, store_dir: Path) -> None:
    async def main() -> int:
        async with opened(store_dir, page_interval=0.1) as crawler:
            found = crawler.crawl(site.url("/"), max_pages=40)
            count = 0
            async for _ in found:
                count += 1
                if count == 3:
                    asked = len(site.log())
                    assert (await crawler.fetch(site.url("/p/77"))).outcome == "ok"
                    break
        paths = [seen.path for seen in site.log()]
        return paths.index("/p/77") - asked

    # whoever has had the host goes to the end of the line: a few pages come in between, and not the whole crawl
    assert run(main()) <= 20
    log = [seen for seen in site.log(host=1) if seen.end is not None]
    rests = [after.start - before.end for before, after in pairwise(log) if before.end]
    assert min(rests) >= 0.099


def test_a_stop_of_one_is_heard_by_the_others(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with opened(store_dir, page_interval=0.1) as crawler:
            found = crawler.crawl(site.url("/"), max_pages=30)
            pages = []
            async for page in found:
                pages.append(page)
                if len(pages) == 2:
                    assert (await crawler.fetch(site.url("/status/403"))).outcome == "blocked"
            assert found.summary is not None
            assert found.summary.refused > 0
            assert any("host stopped until" in (page.note or "") for page in pages)
            assert adds_up(found.summary, pages)

    run(main())


def test_a_crawl_uses_what_a_fetch_has_stored(site: Site, store_dir: Path) -> None:
    with opened(store_dir) as crawler:
        crawler.fetch(site.url("/"))
        found = crawler.crawl(site.url("/"), max_pages=2)
        assert [page.from_cache for page in found] == [True, False]
    assert len(site.log(path="/robots.txt")) == 1


def test_a_budget_ends_a_crawl(site: Site, store_dir: Path) -> None:
    with opened(store_dir, page_interval=0.2) as crawler:
        found = crawler.crawl(site.url("/"), budget=0.7)
        pages = list(found)
    assert found.summary is not None
    assert found.summary.stopped == "budget"
    assert adds_up(found.summary, pages)


def test_closing_the_crawler_ends_a_crawl(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        crawler = await opened(store_dir, page_interval=0.2)
        found = crawler.crawl(site.url("/"))
        pages = []
        async for page in found:
            pages.append(page)
            if len(pages) == 1:
                closing = asyncio.ensure_future(crawler.close())
        await closing
        assert found.summary is not None
        assert (found.summary.stopped, found.summary.reason) == ("closed", "the crawler is closed")
        assert adds_up(found.summary, pages)

    run(main())


def test_a_store_that_fails_ends_everything(site: Site, store_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with opened(store_dir) as crawler:
            await crawler.fetch(site.url("/about"))
            submit = WriterThread.submit

            def fails(self: WriterThread, *args: Any, **kwargs: Any) -> Any:
                self.close()
                return submit(self, *args, **kwargs)

            monkeypatch.setattr(WriterThread, "submit", fails)
            found = crawler.crawl(site.url("/", host=2))
            with pytest.raises(StoreError):
                async for _ in found:
                    pass
            assert found.summary is not None
            assert found.summary.stopped == "error"
            with pytest.raises(StoreError):
                await crawler.fetch(site.url("/visit"))
            # and then the crawler is closed, with the reason
            with pytest.raises(StoreError):
                await crawler.fetch(site.url("/p/1"))
            assert crawler.store.find("almanac")

    run(main())


def test_discover(site: Site, store_dir: Path) -> None:
    async def main() -> None:
        async with opened(store_dir) as crawler:
            found = crawler.discover(site.url("/"))
            rows = [row async for row in found]
            assert {row.via for row in rows} == {"sitemap", "feed"}
            assert found.summary is not None
            assert (found.summary.stopped, found.summary.count) == ("done", len(rows))
            few = crawler.discover(site.url("/"), max_urls=3, linked_feeds=False)
            assert len([row async for row in few]) == 3
            with pytest.raises(BadOption):
                crawler.discover(site.url("/"), feed="no-url")
            left = crawler.discover(site.url("/", host=2))
            async with left:
                await anext(aiter(left))
            assert left.summary is not None
            assert left.summary.stopped == "cancelled"

    run(main())
    assert {capture.kind for capture in captures_of(store_dir, "sitemap")} == {"sitemap"}
