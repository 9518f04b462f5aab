"""The engine against stock Scrapy (its defaults and its http11 handler): CPU a request, the pace of many hosts, one
stalled host, requests beside the reading of large pages, and a gzip bomb.

`python bench/engine.py [--quick] [--json]`

Each crawl runs in a process of its own (bench/engine_worker.py) against the bundled test site in another one. CPU is
that of the crawling process from spider_opened to spider_closed. What the SERVER saw decides about pace.
"""

import json
import subprocess
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from harness import Bar, Options, Report, main
from large_pages import LargePages

from polite_crawler.testsite import SiteProcess

WORKER = Path(__file__).with_name("engine_worker.py")
REST = 1.0
SHORT = 0.3
CPU = ("stock", "lanes", "middlewares", "store")


def crawl(site: SiteProcess, **job: Any) -> dict[str, float]:
    """What a worker measured."""
    whole = {"hosts": list(site.hosts), "port": site.port, **job}
    done = subprocess.run(
        [sys.executable, str(WORKER), json.dumps(whole)], stdout=subprocess.PIPE, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def cpu_a_request(site: SiteProcess, options: Options) -> dict[str, float]:
    """The median CPU milliseconds a request of each variant."""
    pages, rounds = (6, 2) if options.quick else (20, options.rounds)
    times: dict[str, list[float]] = defaultdict(list)
    tuned = {"settings": {"CONCURRENT_ITEMS": 8}}
    for _ in range(rounds):
        for variant, extra in (*((name, {}) for name in CPU), ("stock", tuned)):
            site.reset(robots="allow")
            site.journal(on=False)
            found = crawl(site, variant=variant, pages=pages, **extra)
            name = "stock with CONCURRENT_ITEMS 8" if extra else variant
            times[name].append(found["cpu"] / found["responses"] * 1000)
    return {name: median(seconds) for name, seconds in times.items()}


def pace(site: SiteProcess, variant: str, pages: int) -> dict[str, float]:
    """A crawl with a rest: its wall time, the ideal one, and the least rest and the most parallel requests that the
    server saw on a host."""
    site.reset(robots="allow")
    found = crawl(site, variant=variant, pages=pages, rest=REST, concurrent=16, robots=True)
    by_host = seen_by_host(site)
    rests = [later.start - earlier.end for host in by_host.values() for earlier, later in pairwise(host)]
    busiest = max(sum(one.end - one.start for one in host) for host in by_host.values())
    return {
        "wall": found["wall"],
        "ideal": (pages + 1) * REST + busiest,
        "least rest": min(rests),
        "most parallel": max(one.parallel for host in by_host.values() for one in host),
    }


def seen_by_host(site: SiteProcess) -> dict[str, list[Any]]:
    """The requests that the server saw to their end, host by host."""
    by_host: dict[str, list[Any]] = defaultdict(list)
    for seen in site.log():
        if seen.end is not None:
            by_host[seen.host].append(seen)
    return by_host


def stalled(site: SiteProcess, pages: int) -> float:
    """How much longer 20 hosts take beside one host whose 100 URLs answer after a second each."""
    walls = []
    for slow in (0, 100):
        site.reset(robots="allow")
        first, *others = site.hosts[:21]
        urls = [f"http://{first}:{site.port}/slow/head?s=1&n={n}" for n in range(slow)]
        site_hosts = {"hosts": others, "port": site.port}
        found = crawl(site, **site_hosts, variant="middlewares", urls=urls, pages=pages, rest=0.2, concurrent=16,
                      settings={"BENCH_UNTIL": 20 * pages})  # fmt: skip
        walls.append(found["marked"])
    return walls[1] / walls[0]


def lateness(site: SiteProcess, options: Options) -> dict[str, list[float]]:
    """How late the requests of 20 hosts start after their rest, in ms: in a crawl that reads small pages alone
    (usual), and in one that reads large pages of another host all the time (beside). The rounds take turns. `large`
    counts those pages."""
    pages, rounds = (8, 2) if options.quick else (30, options.rounds)
    late: dict[str, list[float]] = {"usual": [], "beside": [], "large": []}
    with LargePages() as large:
        settings = {"POLITE_HOSTS": {large.host: {"page_interval": 0.01}}, "BENCH_UNTIL": 20 * pages}
        for name in ("usual", "beside") * rounds:
            site.reset(robots="allow")
            urls = large.urls(200) if name == "beside" else []
            found = crawl(site, hosts=site.hosts[:20], port=site.port, variant="full", urls=urls, pages=pages,
                          rest=SHORT, concurrent=32, settings=settings)  # fmt: skip
            if urls:
                late["large"].append(found["responses"] - 20 * pages)
            # the first request of a host has no rest to wait for
            late[name] += [
                (later.start - earlier.end - SHORT) * 1000
                for host in seen_by_host(site).values()
                for earlier, later in pairwise(host)
            ]
    return late


def bomb(site: SiteProcess) -> tuple[float, float]:
    """The growth of the memory over a small page (MB), and what the server sent (KiB), for 1 GB of zeros in gzip."""
    site.reset(robots="allow")
    settings = {"POLITE_RETRIES": 0}
    url = f"http://{site.hosts[0]}:{site.port}"
    plain = crawl(site, variant="store", urls=[f"{url}/p/1"], settings=settings)
    site.reset(robots="allow")
    bombed = crawl(site, variant="store", urls=[f"{url}/bomb/gzip"], settings=settings)
    return (bombed["rss"] - plain["rss"]) / 1e6, bombed["wire"] / 1024


def rows_of(cpu: dict[str, float], stock: dict[str, float], late: dict[str, list[float]]) -> list[tuple[str, object]]:
    """The figures beside the bars."""
    rows: list[tuple[str, object]] = [(f"{name}: CPU ms a request", f"{value:.3f}") for name, value in cpu.items()]
    rows += [
        ("stock, the same crawl: wall of the ideal", f"{stock['wall'] / stock['ideal']:.2f}"),
        ("stock, the same crawl: least rest, s", f"{stock['least rest']:.3f}"),
    ]
    rows += [
        (f"lateness of a request, {name}: median and p90, ms", f"{median(found):.1f} {quantiles(found, n=10)[-1]:.1f}")
        for name, found in (("usual", late["usual"]), ("while a page is read", late["beside"]))
    ]
    return [*rows, ("large pages read meanwhile, a crawl", f"{median(late['large']):.0f}")]


def measure(options: Options) -> Report:
    """All claims of the engine."""
    with SiteProcess(hosts=200) as site:
        cpu = cpu_a_request(site, options)
        stock = cpu["stock"]
        pages = 4 if options.quick else 20
        ours, theirs = pace(site, "middlewares", pages), pace(site, "stock", pages)
        slower = stalled(site, 10 if options.quick else 30)
        grown, read = bomb(site)
        late = lateness(site, options)
    bars = (
        Bar("handler and lanes, CPU a request of stock Scrapy", cpu["lanes"] / stock, "<=", 0.9),
        Bar("with all middlewares", cpu["middlewares"] / stock, "<=", 1.1),
        Bar("with Blob and CaptureLog", cpu["store"] / stock, "<=", 2.0),
        Bar(
            f"200 hosts x {pages} pages, rest 1 s, 16 at once: wall of the ideal",
            ours["wall"] / ours["ideal"],
            "<=",
            1.15,
        ),
        Bar("requests of a host in flight at one time", ours["most parallel"], "<=", 1),
        Bar("least rest that the server saw, of the setting", ours["least rest"] / REST, ">=", 1.0),
        Bar("20 hosts beside a stalled one of 100 URLs: wall of without it", slower, "<=", 1.1),
        Bar(
            "lateness of other hosts while a page is read, of the usual (medians)",
            median(late["beside"]) / median(late["usual"]),
            "<=",
            3,
        ),
        Bar("1 GB gzip bomb: memory over a small page, MB", grown, "<=", 50),
        Bar("1 GB gzip bomb: KiB read from the wire", read, "<=", 128),
    )
    return Report(bars, "synthetic", rows_of(cpu, theirs, late))


if __name__ == "__main__":
    main("engine", measure, versions=("scrapy", "twisted"))
