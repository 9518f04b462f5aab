"""Crawls on a frontier: what was killed, stopped or cut off goes on where it was."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from frontier_lab import PARAMS
from lane_lab import LabSpider, Server, TreeSpider, crawl, ended, start_crawl

from polite_crawler.errors import StoreError
from polite_crawler.scheduling.closing import close
from polite_crawler.scheduling.fingerprint import Fingerprinter
from polite_crawler.scheduling.frontier import Frontier
from polite_crawler.scheduling.frontier_file import job_name
from polite_crawler.scheduling.scheduler import scheduler_of


def numbers(server: Server) -> Counter[int]:
    return Counter(int(one.path[1:]) for one in server.seen)


@pytest.mark.parametrize("reactor", [True, False], ids=["asyncio reactor", "reactorless"])
def test_kill_at_a_random_request_and_start_again(server: Server, tmp_path: Path, reactor: bool):
    dice, kills = random.Random(5 if reactor else 6), 0
    seed = [server.url("127.0.1.1", "/0")]
    options: dict[str, Any] = {
        "rest": 0.01,
        "reactor": reactor,
        "spider": "TreeSpider",
        "JOBDIR": str(tmp_path / "job"),
    }
    while kills < 4:
        process = start_crawl(seed, options={"kill_at": dice.randrange(1, 10)}, **options)
        process.communicate(timeout=60)
        assert process.returncode == -9
        kills += 1
    run = ended(start_crawl(seed, **options))
    assert run.reason == "finished"
    asked = numbers(server)
    assert sorted(asked) == list(range(TreeSpider.pages))
    # three hosts, so three requests in flight at each kill at the most
    assert asked.total() - TreeSpider.pages <= 3 * kills
    assert run.stats["polite/frontier/resumed"] > 0
    assert not (tmp_path / "job" / "frontier.sqlite").exists()


def test_a_clean_stop_goes_on_where_it_was(server: Server, tmp_path: Path):
    class Some(TreeSpider):
        async def got(self, response: Any) -> Any:  # type: ignore[override]
            for request in super().got(response):
                yield request
            if len(self.endings) == 11:
                close(self.crawler, "shutdown")

    settings = {"JOBDIR": str(tmp_path / "job"), "rest": 0.01}
    seed = [server.url("127.0.1.1", "/0")]
    assert crawl(Some, seed, **settings).reason == "shutdown"
    assert 11 <= numbers(server).total() < TreeSpider.pages
    assert crawl(TreeSpider, seed, **settings).reason == "finished"
    assert numbers(server) == Counter(range(TreeSpider.pages))
    assert crawl(TreeSpider, seed, **settings).reason == "finished"
    assert numbers(server).total() == 2 * TreeSpider.pages


def test_start_requests_past_the_filter_are_not_sent_again_after_a_resume(server: Server, tmp_path: Path):
    class Starts(LabSpider):
        async def start(self) -> Any:
            for number in range(6):
                yield self.request(server.url("127.0.1.1", f"/{number}"), dont_filter=True)

        async def got(self, response: Any) -> None:  # type: ignore[override]
            super().got(response)
            if len(self.endings) == self.stop_at:
                close(self.crawler, "shutdown")

        stop_at = 2

    class Goes(Starts):
        stop_at = 0

    settings = {"JOBDIR": str(tmp_path / "job"), "rest": 0.01}
    crawl(Starts, **settings)
    crawl(Goes, **settings)
    assert numbers(server) == Counter(range(6))


def test_an_admitted_request_is_in_the_file_when_it_waits(server: Server, tmp_path: Path):
    known: list[bool] = []

    class Admits(LabSpider):
        def got(self, response: Any) -> Any:
            super().got(response)
            scheduler, hop = scheduler_of(self.crawler), self.request(response.urljoin("/hop"))
            fingerprint = Fingerprinter().fingerprint(hop)
            assert scheduler.frontier is not None
            if response.url.endswith("/0"):
                known.append(scheduler.admit(hop))
                known.append(scheduler.admit(hop))
                known.append(scheduler.frontier.is_seen(fingerprint))
                yield hop
                yield self.request(response.urljoin("/hop"))
            else:
                known.append(scheduler.frontier.is_seen(fingerprint))

    run = crawl(Admits, [server.url("127.0.1.1", "/0")], JOBDIR=str(tmp_path), rest=0.01)
    assert known == [True, False, False, True]
    assert run.ended("callback") == ["/0", "/hop"]


def test_what_a_deadline_cut_off_is_asked_in_the_next_run(server: Server, tmp_path: Path):
    class Cut(LabSpider):
        async def got(self, response: Any) -> None:  # type: ignore[override]
            super().got(response)
            if self.cut:
                from polite_crawler.scheduling.lanes import lanes_of

                lanes_of(self.crawler).rest("127.0.1.1", 5000)

        cut = True

    class Whole(Cut):
        cut = False

    settings = {"JOBDIR": str(tmp_path / "job"), "rest": 0.01}
    seeds = [server.url("127.0.1.1", f"/{number}") for number in range(4)]
    assert crawl(Cut, seeds, **settings).ended("DeadlineReached") == ["/1", "/2", "/3"]
    assert len(crawl(Whole, seeds, **settings).ended("callback")) == 3
    assert numbers(server) == Counter(range(4))


@pytest.mark.parametrize("method", ["put", "take", "done"])
def test_a_frontier_that_fails_ends_the_crawl_with_error(
    server: Server, tmp_path: Path, method: str, monkeypatch: pytest.MonkeyPatch
):
    def fail(self: Frontier, *args: Any) -> Any:
        if len(server.seen) < (method != "take"):
            return original(self, *args)
        raise StoreError("the disk is full")

    original = getattr(Frontier, method)
    monkeypatch.setattr(Frontier, method, fail)
    run = crawl(TreeSpider, [server.url("127.0.1.1", "/0")], JOBDIR=str(tmp_path), limit=20)
    assert run.reason == "error"
    assert run.stats["polite/error"] == "the disk is full"


def test_a_job_of_the_store_is_named_by_seed_and_options(server: Server, tmp_path: Path):
    class Job(TreeSpider):
        frontier_job = {"url": "x", "depth": 3}  # noqa: RUF012

        async def got(self, response: Any) -> Any:  # type: ignore[override]
            for request in super().got(response):
                yield request
            close(self.crawler, "shutdown")

    settings = {"POLITE_STORE": str(tmp_path), "POLITE_RESUME": True, "rest": 0.01}
    crawl(Job, [server.url("127.0.1.1", "/0")], **settings)
    assert (tmp_path / "frontier" / f"{job_name(Job.frontier_job, PARAMS)}.sqlite").exists()


def test_a_crawl_without_a_job_writes_no_frontier(server: Server, tmp_path: Path):
    crawl(LabSpider, [server.url("127.0.1.1", "/0")], POLITE_STORE=str(tmp_path))
    assert list(tmp_path.rglob("*.sqlite")) == []
