"""Library crawlers for tests: quick options, a loop for each test, and what a process has open."""

import asyncio
import gc
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import psutil
from scrapy.crawler import Crawler

from polite_crawler import open_crawler
from polite_crawler.crawler.library import Opening
from polite_crawler.store.log import CaptureLog
from polite_crawler.store.record import Capture

T = TypeVar("T")
QUICK: dict[str, Any] = {"allow_private": True, "page_interval": 0.01, "slow_factor": 0, "min_free": 0}
LIMIT = 60.0


def opened(store: Path, **options: Any) -> Opening:
    """A crawler that is about to be opened, for the test site."""
    return open_crawler(store, **{**QUICK, **options})


def run(main: Coroutine[Any, Any, T], limit: float = LIMIT) -> T:
    """Run a coroutine to its end, or fail."""

    async def limited() -> T:
        async with asyncio.timeout(limit):
            return await main

    return asyncio.run(limited())


async def until(true: Callable[[], object]) -> None:
    """Let the loop go on until something has happened."""
    async with asyncio.timeout(LIMIT):
        while not true():
            await asyncio.sleep(0.005)


def captures_of(store: Path, kind: str = "fetch") -> list[Capture]:
    """The lines of the log of a kind, in their order."""
    log = CaptureLog(store / "captures" / "fetch")
    try:
        return [one for _, one in log.scan() if isinstance(one, Capture) and one.kind == kind]
    finally:
        log.close()


@dataclass(frozen=True)
class Held:
    """What this process holds: its files by name, its sockets, threads, children, and the Scrapy crawlers alive."""

    files: tuple[str, ...]
    descriptors: int
    sockets: int
    threads: tuple[str, ...]
    children: int
    crawlers: int


def held() -> Held:
    """What this process holds now."""
    gc.collect()
    process = psutil.Process()
    return Held(
        tuple(sorted(file.path for file in process.open_files())),
        process.num_fds(),
        len(process.net_connections()),
        tuple(sorted(thread.name for thread in threading.enumerate())),
        len(process.children(recursive=True)),
        sum(isinstance(one, Crawler) for one in gc.get_objects()),
    )
