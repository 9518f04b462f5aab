"""Requests that wait for one robots.txt with different patience."""

import asyncio
from pathlib import Path
from typing import Any

from engine_lab import EndingSpider, crawl
from test_engine_endings import host_limits

from polite_crawler.middlewares.robots_files import robots_files_of
from polite_crawler.scheduling.lanes import DeadlineReached, lanes_of
from polite_crawler.testsite.site import Site


class Waits(EndingSpider):
    """Asks for the file of a host that rests for a while, one time with little patience and one time with much."""

    name = "waits"
    found: tuple[Any, ...] = ()

    def __init__(self, url: str, rest: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.url = url
        self.rest = rest

    async def start(self) -> Any:
        lanes, files = lanes_of(self.crawler), robots_files_of(self.crawler)
        lanes.rest("127.0.0.1", self.rest)
        short = lanes.clock.now() + self.rest / 2
        first = asyncio.ensure_future(files.of(self.url, deadline=short))
        await asyncio.sleep(0)
        self.found = tuple(
            await asyncio.gather(first, files.of(self.url), files.of(self.url, deadline=short), return_exceptions=True)
        )
        return
        yield


def test_one_that_gives_up_takes_the_file_from_nobody(site: Site, store_dir: Path) -> None:
    run = crawl(Waits, store_dir, url=site.url("/"), rest=0.6, settings=host_limits())
    hurried, patient, joined = run.spider.found  # type: ignore[attr-defined]
    assert isinstance(hurried, DeadlineReached)
    assert isinstance(joined, DeadlineReached)
    assert patient.standing.state == "rules"
    assert [one.path for one in site.log()] == ["/robots.txt"]


def test_one_that_gives_up_leaves_a_request_that_is_on_its_way(site: Site, store_dir: Path) -> None:
    class Joins(Waits):
        async def start(self) -> Any:
            lanes, files = lanes_of(self.crawler), robots_files_of(self.crawler)
            lanes.rest("127.0.0.1", self.rest)
            patient = asyncio.ensure_future(files.of(self.url))
            await asyncio.sleep(0)
            hurried = files.of(self.url, deadline=lanes.clock.now() + self.rest / 2)
            self.found = tuple(await asyncio.gather(hurried, patient, return_exceptions=True))
            return
            yield

    run = crawl(Joins, store_dir, url=site.url("/"), rest=0.6, settings=host_limits())
    hurried, patient = run.spider.found  # type: ignore[attr-defined]
    assert isinstance(hurried, DeadlineReached)
    assert patient.standing.state == "rules"
