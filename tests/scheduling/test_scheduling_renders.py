"""Renders in the ready queue: popped when a place and the lane are free, in nobody's way, and lost by no crash."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from queue_lab import Lab
from scrapy import Request, Spider
from scrapy.http import Response

from polite_crawler.rules.pacing import Answer
from polite_crawler.scheduling.frontier import Frontier
from polite_crawler.scheduling.ready_queue import ReadyQueue
from polite_crawler.scheduling.render_slots import RenderSlots, slots_of, use_slots
from polite_crawler.store.record import Capture, Time
from polite_crawler.transport.plain import RENDERS, Plain, plain_of
from polite_crawler.transport.trace import Trace


def render_of(request: Request, **meta: Any) -> Request:
    capture = Capture(kind="fetch", url=request.url, time=Time("2026-01-01T00:00:00.000000Z"), outcome="ok")
    plain = Plain(request, Trace(), Response(request.url), capture)
    return request.replace(meta={**request.meta, RENDERS: plain, **meta})


def render(url: str, **meta: Any) -> Request:
    return render_of(Request(f"http://{url}", meta=meta))


@pytest.fixture
def lab() -> Lab:
    return Lab(rest=0)


def pushed(lab: Lab, *requests: Request) -> list[Request]:
    for request in requests:
        lab.queue.push(request)
    return list(requests)


def test_two_places_are_the_default(lab: Lab) -> None:
    assert slots_of(cast(Any, lab.crawler)).free == 2


def test_a_render_waits_for_a_place(lab: Lab) -> None:
    renders = pushed(lab, *(render(f"host{number}/") for number in range(3)))
    assert [lab.queue.pop(), lab.queue.pop(), lab.queue.pop()] == [*renders[:2], None]
    assert (len(lab.queue), lab.queue.in_progress) == (1, 2)
    lab.queue.back(renders[0])
    lab.clock.advance(0.01)
    assert lab.engine.count > 0
    assert lab.queue.pop() is renders[2]


def test_a_render_waits_for_its_lane(lab: Lab) -> None:
    lab = Lab(rest=3)
    lab.push("a/1")
    assert lab.fetch() == "a/1"
    (waiting,) = pushed(lab, render("a/1"))
    assert lab.queue.pop() is None
    # a place is free all the while: waiting for a host takes none
    assert slots_of(cast(Any, lab.crawler)).free == 2
    lab.clock.advance(3)
    assert lab.queue.pop() is waiting
    assert slots_of(cast(Any, lab.crawler)).free == 1


def test_other_requests_of_its_host_do_not_wait_for_the_place(lab: Lab) -> None:
    busy = pushed(lab, render("x/"), render("y/"))
    assert [lab.queue.pop(), lab.queue.pop()] == busy
    (waiting,) = pushed(lab, render("a/1"))
    plain = lab.push("a/2")[0]
    assert lab.queue.pop() is plain
    lab.queue.back(plain)
    lab.queue.back(busy[0])
    assert lab.queue.pop() is waiting


def test_a_render_goes_before_the_other_requests_of_its_host(lab: Lab) -> None:
    plain = lab.push("a/1", "a/2", priority=10)
    (waiting,) = pushed(lab, render("a/3"))
    for wanted in (waiting, *plain):
        assert lab.queue.pop() is wanted
        lab.queue.back(wanted)


def test_a_host_whose_renders_pile_up_waits_for_them(lab: Lab) -> None:
    busy = pushed(lab, render("x/"), render("y/"))
    assert [lab.queue.pop(), lab.queue.pop()] == busy
    waiting = pushed(lab, *(render(f"a/{number}") for number in range(4)))
    lab.push("a/plain", "b/plain")
    assert lab.pops() == ["b/plain"]
    lab.queue.back(busy[0])
    assert lab.queue.pop() is waiting[0]


def test_one_that_comes_back_gives_its_place_back(lab: Lab) -> None:
    (waiting,) = pushed(lab, render("a/1"))
    assert lab.queue.pop() is waiting
    lab.queue.back(waiting)
    lab.queue.push(waiting, front=True)
    assert slots_of(cast(Any, lab.crawler)).free == 2
    assert lab.queue.pop() is waiting


def test_renders_of_a_stopped_host_pop_at_once_and_take_no_place(lab: Lab) -> None:
    busy = pushed(lab, render("x/"), render("y/"))
    assert [lab.queue.pop(), lab.queue.pop()] == busy
    (waiting,) = pushed(lab, render("a/1"))
    assert lab.queue.pop() is None
    lab.lanes.stop("a", 60, "test")
    assert lab.queue.pop() is waiting
    assert slots_of(cast(Any, lab.crawler)).free == 0
    lab.queue.back(waiting)
    assert (slots_of(cast(Any, lab.crawler)).free, len(lab.queue)) == (0, 0)


def test_a_render_whose_time_is_over_pops_at_once(lab: Lab) -> None:
    busy = pushed(lab, render("x/"), render("y/"))
    assert [lab.queue.pop(), lab.queue.pop()] == busy
    (waiting,) = pushed(lab, render("a/1", polite_deadline=lab.clock.now() + 5))
    assert lab.queue.pop() is None
    lab.clock.advance(6)
    assert lab.queue.pop() is waiting


def test_a_render_can_be_hurried(lab: Lab) -> None:
    busy = pushed(lab, render("x/"), render("y/"))
    assert [lab.queue.pop(), lab.queue.pop()] == busy
    (waiting,) = pushed(lab, render("a/1"))
    assert lab.queue.hurry(waiting)
    assert lab.queue.pop() is waiting


def test_crawlers_that_share_places_hear_of_each_other(lab: Lab) -> None:
    other = Lab(rest=0)
    shared = RenderSlots(1)
    queues = []
    for one in (lab, other):
        one.queue.close()
        use_slots(cast(Any, one.crawler), shared)
        one.queue = ReadyQueue.from_crawler(cast(Any, one.crawler), None, "")
        queues.append(one.queue)
    first, second = render("a/1"), render("b/1")
    queues[0].push(first)
    queues[1].push(second)
    assert (queues[0].pop(), queues[1].pop()) == (first, None)
    queues[0].back(first)
    other.clock.advance(0.01)
    assert other.engine.count > 0
    assert queues[1].pop() is second
    # a queue that closes with a render in progress keeps no place
    queues[1].close()
    assert shared.free == 1
    assert [listener for listener in shared.listeners if listener.__self__ is queues[1]] == []  # type: ignore[attr-defined]


class Kept(Spider):
    name = "kept"

    def parse(self, response: Response, **kwargs: Any) -> None:
        """A callback."""


def frontier_at(path: Path, spider: Spider) -> Frontier:
    return Frontier(path, job={"spider": "kept"}, spider=spider, params=frozenset({"token"}))


@pytest.mark.parametrize("end", ["done", "killed", "given back", "kept"])
def test_the_page_of_a_render_stays_in_the_file_until_the_render_is_done(tmp_path: Path, lab: Lab, end: str) -> None:
    spider = Kept()
    path = tmp_path / "frontier.sqlite"
    frontier = frontier_at(path, spider)
    lab.queue.use(frontier)
    lab.queue.push(Request("http://a/1", callback=spider.parse))
    page = lab.queue.pop()
    assert page is not None
    made = render_of(page)
    lab.queue.push(made)
    lab.queue.back(page)
    frontier.done(page)
    assert lab.queue.pop() is made
    if end == "given back":
        lab.queue.push(made, front=True)
        lab.queue.back(made)
        frontier.done(made)
        assert lab.queue.pop() is made
    if end in ("done", "given back"):
        frontier.done(made)
    if end == "kept":
        lab.queue.keep(made)
    frontier.close()
    left = frontier_at(path, spider).waiting
    assert left == ({} if end in ("done", "given back") else {"a": 1})


def test_a_render_of_a_page_with_a_secret_is_counted_until_it_is_done(tmp_path: Path, lab: Lab) -> None:
    spider = Kept()
    path = tmp_path / "frontier.sqlite"
    frontier = frontier_at(path, spider)
    lab.queue.use(frontier)
    lab.queue.push(Request("http://a/1?token=s3cret", callback=spider.parse))
    page = lab.queue.pop()
    assert page is not None
    made = render_of(page)
    lab.queue.push(made)
    frontier.done(page)
    lab.queue.push(Request("http://b/1", callback=spider.parse))
    frontier.close()
    assert frontier_at(path, spider).lost == {"secret-in-url": 1}


def test_several_answers_under_one_lane_count_each(lab: Lab) -> None:
    import asyncio

    lab = Lab(rest=3)

    async def main() -> None:
        lane = await lab.lanes.acquire("a")
        for status in (200, 503, 200):
            lab.lanes.learn(lane, Answer(kind="subresource", status=status))
        lab.clock.advance(1)
        lab.lanes.learn(lane, Answer(kind="subresource", status=403))
        # the stop counts at once, while the lane is held
        stop = lab.lanes.stop_of("a")
        assert stop is not None
        assert stop.reason == "status 403"
        lab.lanes.release(lane, None)
        assert lab.lanes.rested_at("a") >= lab.clock.now() + 3
        # a lane under which nothing was asked owes no rest
        free = await lab.lanes.acquire("b")
        lab.lanes.release(free, None)
        assert lab.lanes.rested_at("b") == lab.clock.now()

    asyncio.run(main())


def test_what_is_no_render_has_nothing_to_start_from() -> None:
    assert plain_of(Request("http://a/")) is None
    assert plain_of(Request("http://a/", meta={RENDERS: SimpleNamespace()})) is None
