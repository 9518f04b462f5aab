"""The frontier: what survives, what is asked again, what never reaches the disk."""

import random
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lane_lab import LabSpider, Server, TreeSpider, crawl, ended, serving, start_crawl
from scrapy import FormRequest, Request, Spider

from polite_crawler.errors import StoreError
from polite_crawler.rules.secretfields import DEFAULT_SECRET_PARAMS
from polite_crawler.scheduling.closing import close
from polite_crawler.scheduling.fingerprint import Fingerprinter
from polite_crawler.scheduling.frontier import Frontier
from polite_crawler.scheduling.frontier_file import job_name
from polite_crawler.scheduling.frontier_filter import FrontierFilter
from polite_crawler.scheduling.request_codec import HasSecret, NotStorable, decode, encode
from polite_crawler.scheduling.scheduler import scheduler_of
from polite_crawler.scheduling.stored_queue import StoredHostQueue

PARAMS = DEFAULT_SECRET_PARAMS


class Pages(Spider):
    name = "pages"

    def got(self, response: Any) -> None: ...

    def failed(self, failure: Any) -> None: ...

    def __private(self, response: Any) -> None: ...


SPIDER = Pages()
OTHER = Pages()


# The codec

STORABLE = [
    Request("http://a.example/"),
    Request("http://a.example/x?b=1", callback=SPIDER.got, errback=SPIDER.failed, priority=-3, dont_filter=True),
    Request("http://a.example/", method="HEAD", headers={"Accept": ["text/html", "*/*"], "X-Odd": "ü"}, flags=["a"]),
    Request("http://a.example/", meta={"depth": 2, "t": (1, b"\xff"), "s": {1}, "f": frozenset("a"), "n": None}),
    Request("http://a.example/", meta={"d": {1: "int key", (2, 3): [True, 1.5]}, "dict": {"tuple": []}}),
    Request("http://a.example/", cb_kwargs={"name": "\ud800", "more": ["http://b.example/?q=1"]}, encoding="latin-1"),
    FormRequest("http://a.example/"),
]


@pytest.mark.parametrize("request_", STORABLE, ids=lambda request: str(request.meta or request.cb_kwargs or request))
def test_a_request_comes_back_as_it_was(request_: Request):
    copy = decode(encode(request_, SPIDER, PARAMS), SPIDER)
    assert type(copy) is type(request_)
    assert copy.to_dict(spider=SPIDER) == request_.to_dict(spider=SPIDER)
    assert {type(value) for value in copy.meta.values()} == {type(value) for value in request_.meta.values()}


def test_a_plain_request_takes_few_bytes():
    assert len(encode(Request("http://a.example/some/page"), SPIDER, PARAMS)) < 60


def test_what_belongs_to_one_way_through_the_engine_is_left_out():
    request = Request("http://a.example/", meta={"polite": object(), "download_slot": "a", "download_latency": 1.0})
    assert decode(encode(request, SPIDER, PARAMS), SPIDER).meta == {}


SECRETS = [
    Request("http://user:word@a.example/"),
    Request("http://a.example/?token=t0psecret"),
    Request("http://a.example/?next=http%3A%2F%2Fb.example%2F%3Ftoken%3Dt0psecret"),
    Request("http://a.example/", headers={"Authorization": "Basic dDBwc2VjcmV0"}),
    Request("http://a.example/", headers={"Cookie": "a=t0psecret"}),
    Request("http://a.example/", headers={"X-Api-Key": "t0psecret"}),
    Request("http://a.example/", headers={"X-From": "http://b.example/?token=t0psecret"}),
    Request("http://a.example/", cookies={"a": "t0psecret"}),
    Request("http://a.example/", method="POST", body=b"password=t0psecret"),
    Request("http://a.example/", meta={"redirect_urls": ["http://b.example/?token=t0psecret"]}),
    Request("http://a.example/", cb_kwargs={"deep": {"er": ("http://b.example/?token=t0psecret",)}}),
]


@pytest.mark.parametrize("request_", SECRETS, ids=str)
def test_a_secret_is_no_bytes(request_: Request):
    with pytest.raises(HasSecret):
        encode(request_, SPIDER, PARAMS)


def test_a_referer_loses_its_secret_as_it_does_when_it_is_sent():
    for referer, kept in (
        ("http://b.example/?token=t0psecret", [b"http://b.example/"]),
        ("http://b.example/page#part", [b"http://b.example/page"]),
        ("no url", []),
    ):
        copy = decode(encode(Request("http://a.example/", headers={"Referer": referer}), SPIDER, PARAMS), SPIDER)
        assert copy.headers.getlist("Referer") == kept


NOT_STORABLE = [
    Request("http://a.example/", callback=lambda response: None),
    Request("http://a.example/", callback=OTHER.got),
    Request("http://a.example/", callback=SPIDER._Pages__private),  # type: ignore[attr-defined]
    Request("http://a.example/", meta={"object": object()}),
    Request("http://a.example/", cb_kwargs={"path": Path("x")}),
]


@pytest.mark.parametrize("request_", NOT_STORABLE, ids=["lambda", "other spider", "private", "meta", "cb_kwargs"])
def test_what_has_no_form_is_refused_and_never_changed(request_: Request):
    with pytest.raises(NotStorable) as raised:
        encode(request_, SPIDER, PARAMS)
    assert not isinstance(raised.value, HasSecret)


DAMAGED = [
    b"",
    b"[]",
    b"{}",
    b"{\xff",
    b'{"url":"no scheme"}',
    b'{"url":5}',
    b'{"url":"http://a/","callback":"gone"}',
    b'{"url":"http://a/","callback":"name"}',
    b'{"url":"http://a/","class":"os.system"}',
    b'{"url":"http://a/","class":"nowhere.at.all"}',
    b'{"url":"http://a/","meta":{"dict":[1]}}',
    b'{"url":"http://a/","meta":{"os":[1]}}',
    b'{"url":"http://a/","meta":{"a":1,"b":2}}',
    b'{"url":"http://a/","headers":{"A":"x","B":[1]}}',
]


@pytest.mark.parametrize("data", DAMAGED)
def test_damaged_bytes_are_one_error(data: bytes):
    with pytest.raises(NotStorable):
        decode(data, SPIDER)


# The file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "frontier" / "job.sqlite"


def opened(path: Path, job: str = "a", spider: Spider = SPIDER) -> Frontier:
    return Frontier(path, job={"seed": job}, spider=spider, params=PARAMS)


def killed(frontier: Frontier) -> None:
    """End it as a process that dies: nothing is committed, the lock goes."""
    if frontier._db.in_transaction:
        frontier._db.execute("ROLLBACK")
    frontier._file.close()


def url(number: int, host: str = "a") -> Request:
    return Request(f"http://{host}.example/{number}", callback=SPIDER.got)


def urls(frontier: Frontier, host: str = "a") -> list[str]:
    found = []
    while (request := frontier.take(host)) is not None:
        found.append(request.url.rpartition("/")[2])
    return found


def test_what_waits_is_there_after_a_kill(path: Path):
    first = opened(path)
    for number in range(3):
        assert first.put("a", url(number))
    first.put("b", url(9, "b"))
    first.commit()
    killed(first)
    second = opened(path)
    assert second.resumed
    assert second.waiting == {"a": 3, "b": 1}
    assert (urls(second), urls(second, "b"), second.waiting) == (["0", "1", "2"], ["9"], {})
    killed(second)


def test_what_was_taken_waits_again_after_a_kill_and_what_is_done_does_not(path: Path):
    first = opened(path)
    for number in range(4):
        first.put("a", url(number))
    first.commit()
    done, taken = first.take("a"), first.take("a")
    assert done is not None
    assert taken is not None
    first.done(done)
    killed(first)
    second = opened(path)
    assert urls(second) == ["1", "2", "3"]
    killed(second)


def test_a_request_is_done_with_what_it_led_to_or_not_at_all(path: Path):
    first = opened(path)
    first.put("a", url(0))
    first.commit()
    parent = first.take("a")
    assert parent is not None
    assert first.is_new(b"1" * 16, secret=False)
    first.put("a", url(1))
    killed(first)
    second = opened(path)
    assert second.is_new(b"1" * 16, secret=False)
    parent = second.take("a")
    assert parent is not None
    second.put("a", url(1))
    second.done(parent)
    killed(second)
    third = opened(path)
    assert not third.is_new(b"1" * 16, secret=False)
    assert urls(third) == ["1"]
    killed(third)


def test_the_order_is_by_priority_then_first_in_first_out_also_after_giving_back(path: Path):
    frontier = opened(path)
    for number, priority in enumerate([0, -1, 0, 5]):
        frontier.put("a", url(number).replace(priority=priority))
    first = frontier.take("a")
    assert first is not None
    assert first.url.endswith("/3")
    assert frontier.give_back(first)
    assert not frontier.give_back(first)
    assert urls(frontier) == ["3", "0", "2", "1"]
    frontier.close()


def test_what_is_kept_waits_for_the_next_run_only(path: Path):
    first = opened(path)
    for number in range(2):
        first.put("a", url(number))
    request = first.take("a")
    assert request is not None
    first.keep(request)
    assert urls(first) == ["1"]
    first.done(request)
    first.close()
    second = opened(path)
    assert sorted(urls(second)) == ["0", "1"]
    killed(second)


def test_a_job_with_nothing_left_leaves_no_file(path: Path):
    frontier = opened(path)
    frontier.put("a", url(0))
    request = frontier.take("a")
    assert request is not None
    frontier.done(request)
    frontier.close()
    assert list(path.parent.iterdir()) == []


def test_a_job_that_died_when_it_was_done_begins_anew(path: Path):
    first = opened(path)
    assert first.is_new(b"1" * 16, secret=False)
    first.commit()
    killed(first)
    second = opened(path)
    assert not second.resumed
    assert second.is_new(b"1" * 16, secret=False)
    second.close()


def test_no_secret_and_no_hash_of_one_reaches_the_disk(path: Path):
    frontier = opened(path)
    fingerprints = FrontierFilter(frontier, lambda request: request.url.encode(), PARAMS)
    queue = StoredHostQueue(frontier, "a")
    secret = Request("http://a.example/?token=t0psecret")
    for request in (secret, url(1)):
        assert not fingerprints.request_seen(request)
        assert fingerprints.request_seen(request)
        queue.push(request)
    frontier.commit()
    assert len(queue) == 2
    assert b"t0psecret" not in b"".join(one.read_bytes() for one in path.parent.iterdir())
    assert (queue.pop(), len(queue)) == (secret, 1)
    killed(frontier)


def test_after_a_kill_the_requests_that_were_in_memory_only_are_counted(path: Path):
    first = opened(path)
    queue = StoredHostQueue(first, "a")
    for request in (
        Request("http://a.example/?token=one"),
        Request("http://a.example/?token=two"),
        Request("http://a.example/", meta={"object": object()}),
        url(1),
    ):
        queue.push(request)
    done = queue.pop()
    assert done is not None
    first.done(done)
    killed(first)
    second = opened(path)
    assert second.lost == {"secret-in-url": 1, "not-storable": 1}
    killed(second)
    third = opened(path)
    assert third.lost == {}
    killed(third)


def test_a_host_queue_mixes_memory_and_file_by_priority(path: Path):
    frontier = opened(path)
    queue = StoredHostQueue(frontier, "a")
    queue.push(url(0))
    queue.push(Request("http://a.example/?token=low", priority=-1))
    queue.push(Request("http://a.example/?token=high", priority=1))
    queue.push(url(1), deadline=50.0)
    assert [one.url.rpartition("/")[2] for one in queue.overdue(51)] == ["1"]
    popped = []
    while (request := queue.pop()) is not None:
        popped.append(request.url.rpartition("/")[2])
    assert popped == ["?token=high", "0", "?token=low"]
    assert len(queue) == 0
    killed(frontier)


def test_a_damaged_row_is_left_out_and_counted(path: Path, caplog: pytest.LogCaptureFixture):
    frontier = opened(path)
    for number in range(3):
        frontier.put("a", url(number))
    frontier._db.execute("UPDATE queue SET request = x'00' WHERE seq = 2")
    queue = StoredHostQueue(frontier, "a")
    assert len(queue) == 3
    assert [queue.pop() is not None, queue.pop() is not None, queue.pop(), len(queue)] == [True, True, None, 0]
    assert "left out" in caplog.text
    killed(frontier)


def test_a_second_owner_is_refused_while_the_first_one_lives(path: Path):
    first = opened(path)
    first.put("a", url(0))
    code = """
import sys
from pathlib import Path
from scrapy import Spider
from polite_crawler.errors import StoreError
from polite_crawler.scheduling.closing import close
from polite_crawler.scheduling.fingerprint import Fingerprinter
from polite_crawler.scheduling.frontier import Frontier
try:
    Frontier(Path(sys.argv[1]), job={"seed": "a"}, spider=Spider("x"), params=frozenset()).close()
    print("opened")
except StoreError as error:
    print(error)
"""
    command = [sys.executable, "-c", code, str(path)]

    def other() -> str:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    import os

    assert other() == f"{path} is in use by another crawl (process {os.getpid()})"
    with pytest.raises(StoreError, match="in use by another crawl"):
        opened(path)
    killed(first)
    assert other() == "opened"


def test_a_lock_file_that_was_removed_meanwhile_is_no_lock(path: Path, monkeypatch: pytest.MonkeyPatch):
    """Between opening the lock file and locking it, the job of another process ends and removes it."""
    import fcntl

    flock, removed = fcntl.flock, []

    def slow_flock(descriptor: int, how: int) -> None:
        if not removed:
            path.with_name(path.name + ".lock").unlink()
            removed.append(True)
        flock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", slow_flock)
    frontier = opened(path)
    monkeypatch.undo()
    with pytest.raises(StoreError, match="in use by another crawl"):
        opened(path)
    frontier.close()


def test_the_file_is_for_its_owner_alone(path: Path):
    frontier = opened(path)
    frontier.put("a", url(0))
    assert {one.stat().st_mode & 0o077 for one in path.parent.iterdir()} == {0}
    killed(frontier)


def test_another_job_in_the_same_file_is_refused(path: Path):
    first = opened(path, job="http://a.example/")
    first.put("a", url(0))
    first.close()
    with pytest.raises(StoreError, match="holds another crawl"):
        opened(path, job="http://b.example/")
    assert urls(opened(path, job="http://a.example/")) == ["0"]


def _bytes(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"this is no database, however long it is" * 40)


def _version(path: Path) -> None:
    frontier = opened(path)
    frontier.put("a", url(0))
    frontier.close()
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 99")
    db.close()


def _folder(path: Path) -> None:
    path.mkdir(parents=True)


def _file_for_a_folder(path: Path) -> None:
    path.parent.write_bytes(b"")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (_bytes, "cannot be used"),
        (_version, "has version 99, this program reads version 1"),
        (_folder, "cannot be used"),
        (_file_for_a_folder, "cannot be written"),
    ],
    ids=["no database", "a later version", "a folder", "a file for a folder"],
)
def test_a_file_that_is_not_ours_is_one_clear_line_and_leaves_no_lock(path: Path, make: Any, message: str):
    make(path)
    for _ in range(2):
        with pytest.raises(StoreError) as raised:
            opened(path)
        assert message in str(raised.value)
        assert str(path) in str(raised.value)
        assert "\n" not in str(raised.value)


def test_a_disk_that_fails_is_a_store_error(path: Path):
    frontier = opened(path)
    frontier.put("a", url(0))
    frontier.commit()
    taken = frontier.take("a")
    assert taken is not None
    frontier.put("a", url(1))
    frontier._db.execute("PRAGMA query_only = 1")
    with pytest.raises(StoreError, match="readonly"):
        frontier.put("a", url(2))
    frontier._db.execute("PRAGMA query_only = 0")
    # the page whose links were lost must not count as done
    frontier.done(taken)
    frontier.keep(taken)
    with pytest.raises(StoreError, match="an earlier write failed"):
        frontier.put("a", url(3))
    frontier.close()
    again = opened(path)
    assert urls(again) == ["0"]
    killed(again)


def test_what_was_written_is_committed_in_time_and_by_number(path: Path):
    calls: list[Any] = []
    frontier = Frontier(path, job={}, spider=SPIDER, params=PARAMS, later=calls.append)
    calls.clear()
    frontier._commit_in_time()
    frontier.put("a", url(0))
    frontier.put("a", url(1))
    assert len(calls) == 1
    calls[0]()
    assert not frontier._db.in_transaction
    for number in range(2500):
        frontier.put("a", url(number))
    assert len(calls) == 2
    killed(frontier)
    second = opened_again(path)
    assert second.waiting["a"] == 2002
    killed(second)
    frontier._closed = True
    calls[1]()


def opened_again(path: Path) -> Frontier:
    return Frontier(path, job={}, spider=SPIDER, params=PARAMS)


def test_the_name_of_a_job_is_its_seed_and_its_options_without_secrets():
    job = {"urls": ["http://a.example/?token=one"], "max_depth": 3, "hosts": ("a",), "more": {"x": None}}
    turned = dict(reversed(job.items()))
    assert job_name(job, PARAMS) == job_name(turned, PARAMS)
    assert job_name(job, PARAMS) == job_name({**job, "urls": ["http://a.example/?token=two"]}, PARAMS)
    assert job_name(job, PARAMS) != job_name({**job, "max_depth": 4}, PARAMS)
    assert job_name(job, PARAMS).isalnum()


def test_a_reserved_fingerprint_is_seen_and_not_written(path: Path):
    frontier = opened(path)
    fingerprints = FrontierFilter(frontier, lambda request: request.url.encode(), PARAMS)
    hop = url(1)
    assert fingerprints.reserve(hop)
    assert not fingerprints.reserve(hop)
    assert fingerprints.request_seen(hop)
    assert not frontier.is_seen(hop.url.encode())
    fingerprints.settle(hop)
    assert frontier.is_seen(hop.url.encode())
    assert not fingerprints.reserve(hop)
    killed(frontier)


# Whole crawls


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


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
