"""One crawl for bench/engine.py, in a process of its own: prints its CPU time, wall time and counts as one JSON line.

`python bench/engine_worker.py '{"variant": "stock", "hosts": [...], "port": 8000, "pages": 20}'`
"""

import json
import resource
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from typing import Any

import scrapy
from scrapy import Request, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import CloseSpider
from scrapy.http import Response

# what a bench needs on top of the defaults: no log, no ports
QUIET: dict[str, Any] = {"LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False}
STOCK = QUIET
LANES: dict[str, Any] = {
    **QUIET,
    "DOWNLOADER": "polite_crawler.scheduling.downloader.PoliteDownloader",
    "SCHEDULER": "polite_crawler.scheduling.scheduler.PoliteScheduler",
    "SCHEDULER_PRIORITY_QUEUE": "polite_crawler.scheduling.ready_queue.ReadyQueue",
    "REQUEST_FINGERPRINTER_CLASS": "polite_crawler.scheduling.fingerprint.Fingerprinter",
    "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), "polite_crawler.transport.handler.PoliteDownloadHandler"),
    "CONCURRENT_ITEMS": 8,
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
        "polite_crawler.middlewares.lane_gate.LaneGate": 105,
    },
}
POLITE: dict[str, Any] = {**QUIET, "ADDONS": {"polite_crawler.Addon": 300}}
_OFF = {"polite_crawler.pipelines.read.Read": None, "polite_crawler.pipelines.index.Index": None}
_STORE = {"polite_crawler.pipelines.blob.Blob": None, "polite_crawler.pipelines.capture_log.CaptureLog": None}
OPEN: dict[str, Any] = {
    "POLITE_ALLOW_PRIVATE": True,
    "POLITE_MAX_AGE": 0,
    "POLITE_MIN_FREE": 0,
    "POLITE_SLOW_FACTOR": 0,
}


def settings_of(job: dict[str, Any], store: str) -> dict[str, Any]:
    """The settings of a variant: stock, lanes (handler and lanes), middlewares, store (Blob and CaptureLog), full."""
    rest = job.get("rest", 0.0)
    ours = {**OPEN, "POLITE_PAGE_INTERVAL": rest, "POLITE_STORE": store}
    variants: dict[str, dict[str, Any]] = {
        "stock": {**STOCK, "DOWNLOAD_DELAY": rest, "RANDOMIZE_DOWNLOAD_DELAY": False},
        "lanes": {**LANES, **ours},
        "middlewares": {**POLITE, **ours, "ITEM_PIPELINES": {**_OFF, **_STORE}},
        "store": {**POLITE, **ours, "ITEM_PIPELINES": _OFF},
        "full": {**POLITE, **ours},
    }
    found = dict(variants[job["variant"]])
    if job["variant"] == "stock":
        found["ROBOTSTXT_OBEY"] = job.get("robots", False)
        if rest:
            found["CONCURRENT_REQUESTS_PER_DOMAIN"] = 1
    return found | {"CONCURRENT_REQUESTS": job.get("concurrent", 100)} | job.get("settings", {})


class BenchSpider(scrapy.Spider):
    """Asks every page of every host, page by page, or each host's pages in a chain."""

    name = "bench"
    handle_httpstatus_all = True

    def __init__(self, job: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.job = job
        self.responses = 0
        self.octets = 0
        self.wire = 0
        self.paged = 0
        self.began = time.perf_counter()
        self.marked = 0.0

    async def start(self) -> AsyncIterator[Request]:
        for url in self.job.get("urls", ()):
            yield self._ask(url)
        for page in range(self.job.get("pages", 0)):
            for host in self.job["hosts"]:
                yield self._ask(f"http://{host}:{self.job['port']}{self.job.get('path', '/p/')}{page}")

    def _ask(self, url: str) -> Request:
        return Request(url, callback=self.got, errback=self.failed)

    def got(self, response: Response) -> None:
        self.responses += 1
        self.octets += len(response.body)
        wire = getattr(response.meta.get("polite"), "wire", None)
        self.wire += wire.wire_octets if wire is not None else 0
        until = self.settings.getint("BENCH_UNTIL")
        if until and "/slow/" not in response.url:
            self.paged += 1
            if self.paged == until:
                # what the crawl is about is done; the stalled host may go on for minutes
                self.marked = time.perf_counter() - self.began
                raise CloseSpider("finished")

    def failed(self, failure: Any) -> None:
        print(failure.getErrorMessage(), file=sys.stderr)


def main() -> None:
    """Run the job of the first argument."""
    job = json.loads(sys.argv[1])
    marks: dict[str, float] = {}

    def mark(name: str) -> None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        marks[name] = time.perf_counter()
        marks[f"{name}_cpu"] = used.ru_utime + used.ru_stime

    with tempfile.TemporaryDirectory(prefix="polite-bench-") as store:
        process = AsyncCrawlerProcess(settings_of(job, store))
        crawler = process.create_crawler(BenchSpider)
        # the marks stay alive as long as the crawler
        opened, closed = (lambda: mark("opened")), (lambda: mark("closed"))
        crawler.signals.connect(opened, signals.spider_opened)
        crawler.signals.connect(closed, signals.spider_closed)
        process.crawl(crawler, job=job)
        process.start()
        spider = crawler.spider
        assert isinstance(spider, BenchSpider)
        print(
            json.dumps(
                {
                    "responses": spider.responses,
                    "octets": spider.octets,
                    "wire": spider.wire,
                    "marked": spider.marked,
                    "wall": marks["closed"] - marks["opened"],
                    "cpu": marks["closed_cpu"] - marks["opened_cpu"],
                    "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
                }
            )
        )


if __name__ == "__main__":
    main()
