"""One step of bench/frontier.py in a process of its own; prints one JSON line.

`python bench/frontier_worker.py '{"step": "fill", "urls": 1000000, "folder": ...}'`: put so many URLs in a frontier.
`python bench/frontier_worker.py '{"step": "crawl", "variant": "stock", "base": ..., "pages": ..., "kill_at": ...}'`
"""

import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import scrapy
from engine_worker import LANES, OPEN, STOCK
from harness import rss
from scrapy import Request
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from polite_crawler.rules.pacing import Policy
from polite_crawler.rules.secretfields import DEFAULT_SECRET_PARAMS
from polite_crawler.scheduling.fingerprint import Fingerprinter
from polite_crawler.scheduling.frontier import Frontier
from polite_crawler.scheduling.frontier_filter import FrontierFilter
from polite_crawler.scheduling.lanes import HostLanes, use_lanes
from polite_crawler.scheduling.ready_queue import ReadyQueue
from polite_crawler.scheduling.scheduler import scheduler_of
from polite_crawler.store.hosts import MemoryHosts

HOSTS = 200


class TreeSpider(scrapy.Spider):
    """Page n leads to pages 2n+1 and 2n+2. The process kills itself at the answer number `kill_at`."""

    name = "tree"

    def __init__(self, job: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.job = job
        self.answers = 0

    async def start(self) -> AsyncIterator[Request]:
        yield self._ask(0)

    def _ask(self, number: int) -> Request:
        hosts = self.job["hosts"]
        return Request(f"http://{hosts[number % len(hosts)]}:{self.job['port']}/p/{number}", callback=self.got)

    def got(self, response: Response) -> Iterator[Request]:
        self.answers += 1
        if self.answers == self.job["kill_at"]:
            frontier = None if self.job["variant"] == "stock" else scheduler_of(self.crawler).frontier
            taken = frontier.in_progress if frontier is not None else 0
            Path(self.job["folder"], "taken").write_text(str(taken), "ascii")
            os.kill(os.getpid(), signal.SIGKILL)
        number = int(response.url.rpartition("/")[2])
        for child in (2 * number + 1, 2 * number + 2):
            if child < self.job["pages"]:
                yield self._ask(child)


def crawl(job: dict[str, Any]) -> dict[str, Any]:
    """Crawl the tree with JOBDIR: `stock` Scrapy, or ours."""
    folder = job["folder"]
    ours = {**LANES, **OPEN, "POLITE_PAGE_INTERVAL": 0, "POLITE_STORE": f"{folder}/store"}
    settings = {**(STOCK if job["variant"] == "stock" else ours), "JOBDIR": f"{folder}/job", "CONCURRENT_REQUESTS": 8}
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(TreeSpider)
    process.crawl(crawler, job=job)
    process.start()
    return {"answers": cast(TreeSpider, crawler.spider).answers}


def fill(job: dict[str, Any]) -> dict[str, Any]:
    """Queue URLs and enter their fingerprints, then take and end some of them."""
    crawler, spider = get_crawler(), scrapy.Spider("bench")
    crawler.engine = cast(Any, SimpleNamespace(_slot=None))
    policy = Policy(page_interval=0.0)
    use_lanes(crawler, HostLanes(MemoryHosts(), lambda host: policy))
    queue = ReadyQueue.from_crawler(crawler, None, "")
    path = Path(job["folder"]) / "frontier.sqlite"
    frontier = Frontier(path, job={}, spider=spider, params=DEFAULT_SECRET_PARAMS)
    queue.use(frontier)
    seen = FrontierFilter(frontier, Fingerprinter().fingerprint, DEFAULT_SECRET_PARAMS)
    before, used = rss(), time.process_time()
    for number in range(job["urls"]):
        request = Request(f"https://host{number % HOSTS}.example.org/articles/2026/page-{number}.html")
        if not seen.request_seen(request):
            queue.push(request)
    pushed = time.process_time() - used
    grown, used = rss() - before, time.process_time()
    for _ in range(job["pops"]):
        popped = queue.pop()
        assert popped is not None
        queue.back(popped)
        frontier.done(popped)
    popping = time.process_time() - used
    size = sum(one.stat().st_size for one in path.parent.iterdir())
    waiting = len(queue)
    frontier.close()
    return {
        "grown": max(grown, rss() - before),
        "push_s": pushed / job["urls"],
        "pop_s": popping / job["pops"],
        "size": size,
        "waiting": waiting,
    }


if __name__ == "__main__":
    task = json.loads(sys.argv[1])
    print(json.dumps(fill(task) if task["step"] == "fill" else crawl(task)))
