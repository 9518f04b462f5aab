"""The file of a frontier: what survives, what is asked again, what never reaches the disk."""

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from frontier_lab import PARAMS, SPIDER
from scrapy import Request, Spider

from polite_crawler.errors import StoreError
from polite_crawler.scheduling.frontier import Frontier
from polite_crawler.scheduling.frontier_file import job_name
from polite_crawler.scheduling.frontier_filter import FrontierFilter
from polite_crawler.scheduling.stored_queue import StoredHostQueue


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
