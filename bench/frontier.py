"""The frontier of a resumable crawl: memory for many queued URLs, and what a crawl asks again after `kill -9`."""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from harness import Bar, Options, Report, main

from polite_crawler.testsite.process import SiteProcess

WORKER = Path(__file__).with_name("frontier_worker.py")
HOSTS = 8
MB = 1_000_000


def worker(job: dict[str, Any]) -> dict[str, Any] | None:
    """The result of one step, or None when its process was killed."""
    done = subprocess.run(
        [sys.executable, str(WORKER), json.dumps(job)], stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode == -9:
        return None
    if done.returncode:
        raise SystemExit(f"bench: {job['step']} ended with {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def fill(urls: int) -> dict[str, Any]:
    """Queue so many URLs."""
    with tempfile.TemporaryDirectory(prefix="polite-bench-") as folder:
        found = worker({"step": "fill", "urls": urls, "pops": 5_000, "folder": folder})
    assert found is not None
    return found


def again(variant: str, pages: int) -> tuple[int, int, int]:
    """What happens when a crawl is killed half way and started again with the same JOBDIR: how many pages are asked
    again, how many are never asked, and how many requests were in progress at the kill (0 for stock)."""
    with SiteProcess(hosts=HOSTS) as site, tempfile.TemporaryDirectory(prefix="polite-bench-") as folder:
        job = {"step": "crawl", "variant": variant, "folder": folder, "hosts": site.hosts, "port": site.port}
        if worker({**job, "pages": pages, "kill_at": pages // 2}) is not None:
            raise SystemExit(f"bench: the {variant} crawl was not killed")
        taken = int(Path(folder, "taken").read_text("ascii"))
        worker({**job, "pages": pages, "kill_at": 0})
        asked = Counter(one.path for one in site.log() if one.path.startswith("/p/"))
    return asked.total() - len(asked), pages - len(asked), taken


def measure(options: Options) -> Report:
    """Fill a frontier; in a full run, kill crawls too."""
    urls = 100_000 if options.quick else 1_000_000
    filled = fill(urls)
    bars = [Bar(f"memory that {urls:,} queued URLs add, MB", filled["grown"] / MB, "<=", 60 if options.quick else 200)]
    rows: list[tuple[str, object]] = [
        ("file, octets a queued URL", round(filled["size"] / urls)),
        ("CPU of a push with its fingerprint, in microseconds", round(filled["push_s"] * 1e6)),
        ("CPU of a pop that is ended, in microseconds", round(filled["pop_s"] * 1e6)),
    ]
    if not options.quick:
        pages = 600
        repeated, missing, taken = again("ours", pages)
        stock_repeated, stock_missing, _ = again("stock", pages)
        bars += [
            Bar("pages asked again after kill -9, in requests in progress then", repeated / taken, "<=", 1),
            Bar("pages never asked after kill -9 and a new start", missing, "<=", 0),
        ]
        rows += [
            (f"of {pages} pages, asked again by Scrapy with JOBDIR", stock_repeated),
            (f"of {pages} pages, never asked by Scrapy with JOBDIR", stock_missing),
        ]
    return Report(tuple(bars), rows=tuple(rows))


if __name__ == "__main__":
    main("frontier", measure, versions=("scrapy",))
