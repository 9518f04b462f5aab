"""Politeness as the server saw it: three processes on one store and the same hosts; and the work of the ready queue."""

import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any, cast

from harness import Bar, Options, Report, main
from scrapy import Request
from scrapy.pqueues import DownloaderAwarePriorityQueue
from scrapy.squeues import FifoMemoryQueue
from scrapy.utils.test import get_crawler

from polite_crawler.rules.pacing import Policy
from polite_crawler.scheduling.lanes import HostLanes, use_lanes
from polite_crawler.scheduling.ready_queue import ReadyQueue
from polite_crawler.store.hosts import MemoryHosts
from polite_crawler.testsite.journal import Seen
from polite_crawler.testsite.process import SiteProcess

PROCESSES = 3
HOSTS = 20
REST = 0.3
FEW, MANY = 100, 50_000
WORKER = Path(__file__).with_name("engine_worker.py")


def three_processes(pages: int) -> tuple[list[Seen], float]:
    """What the site saw of processes that share a store, and the seconds from the first request to the last answer."""
    with SiteProcess(hosts=HOSTS) as site, tempfile.TemporaryDirectory(prefix="polite-bench-") as store:
        jobs = [
            {
                "variant": "store",
                "hosts": [],
                "urls": [f"http://{host}:{site.port}/p/{number}{page}" for page in range(pages) for host in site.hosts],
                "rest": REST,
                "settings": {"POLITE_STORE": store, "CONCURRENT_REQUESTS": HOSTS},
            }
            for number in range(1, PROCESSES + 1)
        ]
        workers = [
            subprocess.Popen([sys.executable, str(WORKER), json.dumps(job)], stdout=subprocess.PIPE, text=True)
            for job in jobs
        ]
        answers = [json.loads(worker.communicate()[0])["responses"] for worker in workers]
        if answers != [HOSTS * pages] * PROCESSES:
            raise SystemExit(f"bench: the processes had {answers} answers, and not {HOSTS * pages} each")
        seen = site.log()
    return seen, max(one.end or 0.0 for one in seen) - min(one.start for one in seen)


def least_rest(seen: Sequence[Seen]) -> float:
    """The shortest time from the end of an answer to the next request of the same host, in seconds."""
    by_host: dict[str, list[Seen]] = {}
    for one in sorted(seen, key=lambda entry: entry.start):
        by_host.setdefault(one.host, []).append(one)
    return min(
        later.start - (earlier.end or later.start) for ones in by_host.values() for earlier, later in pairwise(ones)
    )


def _crawler() -> Any:
    crawler = get_crawler()
    crawler.engine = cast(Any, SimpleNamespace(_slot=None, downloader=SimpleNamespace(slots={}, get_slot_key=_host)))
    return crawler


def _host(request: Request) -> str:
    return request.url.split("/")[2]


def ours() -> tuple[Any, Callable[[Request], None]]:
    """A ready queue in which every host is ready, and what tells it that a request has ended."""
    crawler, policy = _crawler(), Policy(page_interval=0.0)
    use_lanes(crawler, HostLanes(MemoryHosts(), lambda host: policy))
    queue = ReadyQueue.from_crawler(crawler, None, "")
    return queue, queue.back


def stock() -> tuple[Any, Callable[[Request], None]]:
    """The queue that Scrapy has by default."""
    queue = DownloaderAwarePriorityQueue.from_crawler(_crawler(), cast(Any, FifoMemoryQueue), "")
    return queue, lambda request: None


def pop_cpu(make: Callable[[], tuple[Any, Callable[[Request], None]]], hosts: int, pops: int) -> float:
    """The CPU seconds of a pop with so many hosts waiting; each host has a second request."""
    queue, back = make()
    for page in range(2):
        for number in range(hosts):
            queue.push(Request(f"http://h{number}.example/{page}"))
    # what waits is no garbage: without this a pop would now and then pay for a look at all of it
    gc.collect()
    gc.freeze()
    used = 0.0
    for _ in range(pops):
        before = time.process_time()
        request = queue.pop()
        used += time.process_time() - before
        assert request is not None
        back(request)
        queue.push(request)
    gc.unfreeze()
    return used / pops


def measure(options: Options) -> Report:
    """Crawl, then pop."""
    pages = 4 if options.quick else 10
    seen, wall = three_processes(pages)
    pops = {
        name: median(pop_cpu(make, hosts, count) for _ in range(options.rounds))
        for name, make, hosts, count in (
            ("few", ours, FEW, 2_000),
            ("many", ours, MANY, 2_000),
            ("stock", stock, MANY, 20),
        )
    }
    ideal = (PROCESSES * pages + 1) * REST
    return Report(
        (
            Bar(
                "most requests of one host in flight, 3 processes x 20 hosts",
                max(one.parallel for one in seen),
                "<=",
                1,
            ),
            Bar("shortest rest of a host, in page intervals, 3 processes x 20 hosts", least_rest(seen) / REST, ">=", 1),
            Bar("CPU of a pop with 50,000 hosts, in pops with 100", pops["many"] / pops["few"], "<=", 2),
        ),
        rows=(
            ("requests that the site saw", len(seen)),
            ("wall, in pages and one robots.txt of the busiest host x rest", f"{wall / ideal:.2f}"),
            (
                "CPU of a pop of Scrapy's default queue with 50,000 hosts, in ours",
                f"{pops['stock'] / pops['many']:.0f}",
            ),
        ),
    )


if __name__ == "__main__":
    main("politeness", measure, versions=("scrapy",))
