"""The ready queue by a clock of the test's own: which request comes when, and when the engine is woken."""

import asyncio
import random
from typing import Any, cast

import pytest
from queue_lab import Lab
from scrapy import Request
from scrapy.crawler import Crawler

from polite_crawler.errors import BadOption
from polite_crawler.rules.pacing import Answer
from polite_crawler.scheduling.host_queue import HostQueue
from polite_crawler.scheduling.lanes import LaneEvent
from polite_crawler.scheduling.ready_queue import ReadyQueue, ready_queue_of
from polite_crawler.scheduling.requests import DEADLINE
from polite_crawler.store.hosts import RENEW
from polite_crawler.transport.trace import trace_of


def test_an_empty_queue_gives_nothing_and_sets_no_timer(lab: Lab):
    assert lab.pop() is None
    assert (len(lab.queue), lab.clock.waiting()) == (0, [])


def test_hosts_come_out_at_most_once(lab: Lab):
    lab.push("a/1", "a/2", "b/1", "a/3")
    assert lab.pops() == ["a/1", "b/1"]
    assert (lab.queue.in_progress, len(lab.queue)) == (2, 2)


def test_a_host_that_rests_keeps_its_requests_and_one_timer_wakes_the_engine(lab: Lab):
    lab.push("a/1", "a/2", "b/1", "b/2")
    assert [lab.fetch(), lab.fetch(), lab.fetch()] == ["a/1", "b/1", None]
    assert lab.clock.waiting() == [3.0, RENEW]
    lab.clock.advance(2.9)
    assert (lab.pop(), lab.engine.count) == (None, 0)
    lab.clock.advance(0.1)
    assert lab.engine.count == 1
    assert [lab.fetch(), lab.fetch(), lab.fetch()] == ["a/2", "b/2", None]


def test_the_host_that_was_ready_first_comes_first(lab: Lab):
    lab.push("a/1", "b/1", "c/1", "a/2", "b/2", "c/2")
    for _ in range(3):
        lab.fetch()
        lab.clock.advance(1)
    lab.clock.advance(3)
    assert lab.pops() == ["a/2", "b/2", "c/2"]


def test_a_timer_for_an_earlier_host_replaces_a_later_one(lab: Lab):
    lab.lanes.rest("a", 100)
    lab.push("a/1")
    assert lab.pop() is None
    lab.lanes.rest("b", 10)
    lab.push("b/1")
    assert lab.pop() is None
    assert lab.clock.waiting() == [10.0]


def test_a_request_that_comes_back_is_the_next_of_its_priority(lab: Lab):
    lab.push("a/1", "a/2")
    request = lab.queue.pop()
    assert request is not None
    lab.queue.back(request)
    lab.queue.push(request, front=True)
    assert len(lab.queue) == 2
    assert [lab.fetch(), lab.clock.advance(3), lab.fetch()] == ["a/1", None, "a/2"]


def test_a_held_lane_is_no_key_of_infinity(lab: Lab):
    lane = asyncio.run(lab.lanes.acquire("a"))
    lab.push("a/1")
    assert lab.pop() is None
    assert 0 < min(lab.clock.waiting()) < 1
    lab.lanes.release(lane, Answer(status=200))
    lab.clock.advance(3)
    assert lab.engine.count >= 1
    assert lab.pop() == "a/1"


def test_listeners_hear_that_a_host_waits_in_the_queue(lab: Lab):
    heard: list[LaneEvent] = []
    lab.push("a/1", "a/2")
    lab.lanes.listeners.append(heard.append)
    lab.fetch()
    assert heard[-1] == LaneEvent("wait", "a", lab.clock.now() + 3)


def test_requests_of_a_stopped_host_pop_at_once(lab: Lab):
    lab.push("a/1", "a/2", "a/3", "b/1")
    lab.lanes.stop("a", 3600, "status 403")
    lab.clock.advance(0.001)
    assert lab.engine.count == 1
    assert lab.pops() == ["a/1", "a/2", "a/3", "b/1"]
    assert lab.queue.in_progress == 4


@pytest.mark.parametrize("answer", [Answer(status=403), Answer(status=503, retry_after_s=3000)])
def test_a_stop_or_a_long_rest_frees_those_behind_the_request_that_met_it(lab: Lab, answer: Answer):
    lab.push("a/1", "a/2", "a/3")
    request = lab.queue.pop()
    lane = asyncio.run(lab.lanes.acquire("a"))
    lab.lanes.release(lane, answer)
    assert lab.pops() == ["a/2", "a/3"]
    assert request is not None
    lab.queue.back(request)
    assert lab.queue.in_progress == 2


def test_a_stop_by_another_process_is_seen_before_the_request_goes_out(lab: Lab):
    lab.push("a/1", "a/2")
    lab.store.stop("a", until=lab.clock.now() + 3600, reason="status 403")
    assert lab.pops() == ["a/1", "a/2"]
    assert lab.queue.in_progress == 2


def test_a_rest_by_another_process_is_seen_before_the_request_goes_out(lab: Lab):
    lab.push("a/1")
    lab.store.rest("a", until=lab.clock.now() + 30)
    assert lab.pop() is None
    assert lab.clock.waiting() == [30.0]


def test_after_a_reset_a_host_that_was_stopped_is_asked_again(lab: Lab):
    lab.lanes.stop("a", 3600, "status 403")
    lab.push("a/1", "a/2")
    assert lab.pop() == "a/1"
    lab.lanes.reset()
    lab.clock.advance(3)
    assert lab.pop() == "a/2"
    assert lab.pop() is None


def test_a_host_that_is_out_stays_out_when_its_stop_is_lifted(lab: Lab):
    lab.push("a/1", "a/2", "a/3")
    request = lab.queue.pop()
    assert request is not None
    lab.lanes.stop("a", 3600, "status 403")
    lab.lanes.reset("a")
    lab.clock.advance(60)
    assert lab.pop() is None
    lab.queue.back(request)
    assert lab.pop() == "a/2"


def test_a_reset_brings_a_far_host_near(lab: Lab):
    lab.lanes.rest("a", 500)
    lab.push("a/1")
    assert lab.pop() is None
    lab.lanes.reset("a")
    assert lab.clock.waiting() == [3.0]
    lab.clock.advance(3)
    assert lab.pop() == "a/1"


def test_a_host_that_is_ready_too_late_is_drained(lab: Lab):
    lab.lanes.rest("a", 601)
    lab.lanes.rest("b", 600)
    lab.push("a/1", "b/1", "a/2")
    assert lab.pops() == ["a/1", "a/2"]


def test_a_host_becomes_too_late_by_its_answer(lab: Lab):
    lab.push("a/1", "a/2", "a/3")
    assert lab.fetch(Answer(status=503, retry_after_s=3000)) == "a/1"
    assert lab.pops() == ["a/2", "a/3"]


def test_the_deadline_of_the_crawl_drains_hosts_that_are_ready_after_it(lab: Lab):
    lab.lanes.deadline = lab.clock.now() + 50
    lab.lanes.rest("a", 51)
    lab.lanes.rest("b", 49)
    lab.push("a/1", "b/1")
    assert lab.pops() == ["a/1"]
    lab.clock.advance(49)
    assert lab.pops() == ["b/1"]


def deadline(lab: Lab, seconds: float) -> dict[str, float]:
    return {DEADLINE: lab.clock.now() + seconds}


def test_a_deadline_before_the_host_is_ready_pops_that_request_alone(lab: Lab):
    lab.lanes.rest("a", 60)
    lab.push("a/1")
    lab.push("a/hurry", meta=deadline(lab, 59))
    lab.push("a/time", meta=deadline(lab, 61))
    assert lab.pops() == ["a/hurry"]
    assert len(lab.queue) == 2
    lab.clock.advance(60)
    assert lab.pops() == ["a/1"]


def test_a_deadline_that_passes_behind_others_pops_that_request(lab: Lab):
    lab.push("a/1", "a/2")
    lab.push("a/hurry", meta=deadline(lab, 2))
    assert lab.fetch() == "a/1"
    assert lab.pops() == ["a/hurry"]
    lab.clock.advance(3)
    assert lab.pops() == ["a/2"]


def test_a_deadline_passes_while_its_host_is_out(lab: Lab):
    lab.push("a/1")
    lab.push("a/hurry", meta=deadline(lab, 2))
    assert lab.pop() == "a/1"
    assert lab.pop() is None
    assert lab.clock.waiting() == [2.0]
    lab.clock.advance(2.01)
    assert lab.engine.count >= 1
    assert lab.pop() == "a/hurry"
    assert (len(lab.queue), lab.queue.in_progress) == (0, 2)


def test_a_request_in_time_is_not_popped_twice(lab: Lab):
    lab.push("a/hurry", meta=deadline(lab, 2))
    assert lab.fetch() == "a/hurry"
    lab.clock.advance(10)
    assert (lab.pop(), len(lab.queue)) == (None, 0)


@pytest.mark.parametrize("url", ["ftp://a/1", "data:,x", "about:blank"])
def test_a_url_without_a_host_key_pops_and_is_declined_later(lab: Lab, url: str):
    request = Request(url)
    lab.queue.push(request)
    assert lab.queue.pop() is request
    lab.queue.back(request)
    assert lab.queue.in_progress == 0


def test_what_pops_has_a_new_trace_that_says_so(lab: Lab):
    (request,) = lab.push("a/1")
    first = trace_of(request)
    assert lab.queue.pop() is request
    assert trace_of(request) is not first
    assert trace_of(request).queued


@pytest.mark.parametrize("slot", ["b", "whatever"])
def test_a_download_slot_moves_nothing(lab: Lab, slot: str):
    lab.push("a/1")
    lab.push("a/2", meta={"download_slot": slot})
    assert lab.pops() == ["a/1"]


def test_close_forgets_all(lab: Lab):
    lab.lanes.rest("a", 10)
    lab.push("a/1")
    assert lab.pop() is None
    assert ready_queue_of(lab.crawler) is lab.queue
    lab.queue.close()
    assert ready_queue_of(lab.crawler) is None
    assert (len(lab.queue), lab.clock.waiting(), lab.lanes.listeners) == (0, [], [])


def test_a_disk_queue_is_refused_with_one_line(lab: Lab):
    with pytest.raises(BadOption, match="JOBDIR"):
        ReadyQueue.from_crawler(cast(Crawler, lab.crawler), None, "/folder")


def test_every_request_comes_out_once_whatever_happens():
    """Random pushes, answers, stops and deadlines: nothing is lost and nothing comes twice."""
    for seed in range(30):
        dice, lab = random.Random(seed), Lab(rest=1.0)
        pushed: set[str] = set()
        popped: list[str] = []
        for step in range(150):
            for _ in range(dice.randrange(3)):
                url = f"h{dice.randrange(6)}/{step}-{len(pushed)}"
                meta = {DEADLINE: lab.clock.now() + dice.randrange(1, 9)} if dice.random() < 0.3 else {}
                lab.push(url, meta=meta, priority=dice.randrange(3))
                pushed.add(url)
            status = dice.choice([200, 200, 200, 429, 403, 500])
            answer = Answer(status=status, retry_after_s=dice.choice([None, None, 5, 700, 4000]))
            if (url := _fetch_or_decline(lab, answer)) is not None:
                popped.append(url)
            assert lab.queue.in_progress == 0
            lab.clock.advance(dice.random())
        for _ in range(3000):
            if (url := _fetch_or_decline(lab, Answer(status=200))) is not None:
                popped.append(url)
            elif not len(lab.queue):
                break
            else:
                lab.clock.advance(1)
        assert sorted(popped) == sorted(pushed)
        assert len(lab.queue) == 0


def _fetch_or_decline(lab: Lab, answer: Answer) -> str | None:
    request = lab.queue.pop()
    if request is None:
        return None
    host = request.url.split("/")[2]

    async def send() -> None:
        if lab.lanes.stop_of(host) is None and lab.lanes.rested_at(host) <= lab.clock.now():
            lab.lanes.release(await lab.lanes.acquire(host), answer)

    asyncio.run(send())
    lab.queue.back(request)
    return request.url.removeprefix("http://")


def test_pop_does_not_look_at_hosts_that_are_not_ready():
    """The work of a pop does not grow with the number of hosts (counted, not timed)."""
    looked: dict[int, int] = {}
    for hosts in (100, 10_000):
        lab = Lab()
        lab.push(*(f"h{number}/{page}" for page in range(2) for number in range(hosts)))
        for _ in range(50):
            lab.fetch()
        count = 0
        peek = lab.store.peek

        def counted(host: str, peek: Any = peek) -> Any:
            nonlocal count
            count += 1
            return peek(host)

        lab.store.peek = counted  # type: ignore[method-assign]
        for _ in range(10):
            lab.queue.pop()
        looked[hosts] = count
    assert looked[10_000] == looked[100]


def test_the_heap_does_not_grow_with_events(lab: Lab):
    lab.lanes.rest("first", 10)
    lab.lanes.rest("a", 400)
    lab.push("first/1", "a/1", "a/2")
    for _ in range(2000):
        lab.lanes.heard(LaneEvent("free", "a", 0.0))
        assert lab.pop() is None
    assert len(lab.queue._heap) < 200
    lab.clock.advance(400)
    assert lab.pops() == ["first/1", "a/1"]


def test_a_host_queue_takes_out_the_overdue_and_keeps_the_order():
    queue = HostQueue()
    requests = [Request(f"http://a/{number}") for number in range(6)]
    for number, request in enumerate(requests):
        queue.push(request, deadline=float(number) if number % 2 else None)
    assert queue.overdue(0.5) == []
    assert queue.overdue(4) == [requests[1], requests[3]]
    assert len(queue) == 4
    assert [queue.pop() for _ in range(5)] == [requests[0], requests[2], requests[4], requests[5], None]
    assert len(queue) == 0
