"""Lanes by a clock of the test's own: order, rests, stops, deadlines, ends."""

import asyncio

import pytest
from fake_clock import FakeClock
from waits_lab import OK, POLICY, begin, lanes_on, on_loop, settle

from polite_crawler.rules.pacing import Answer
from polite_crawler.scheduling.lanes import (
    POLL,
    Closing,
    DeadlineReached,
    HostLanes,
    HostStopped,
    LaneBusy,
    LaneEvent,
)
from polite_crawler.store.hosts import RENEW, HostStateStore, MemoryHosts


@on_loop
async def test_the_lane_of_a_new_host_is_free_at_once(lanes: HostLanes):
    lane = await lanes.acquire("a")
    assert (lane.host, lane.lost, lanes.held, lanes.waiting) == ("a", False, 1, 0)


@on_loop
async def test_one_at_a_time_in_the_order_of_the_calls(lanes: HostLanes, clock: FakeClock):
    first = await lanes.acquire("a")
    second, third = await begin(lanes.acquire("a")), await begin(lanes.acquire("a"))
    clock.advance(60)
    await settle()
    assert not second.done()
    lanes.release(first, OK)
    clock.advance(2.99)
    await settle()
    assert not second.done()
    clock.advance(0.02)
    await settle()
    assert (second.done(), third.done()) == (True, False)
    lanes.release(second.result(), OK)
    clock.advance(3.01)
    await settle()
    assert third.done()


@on_loop
async def test_hosts_do_not_wait_for_each_other(lanes: HostLanes):
    a = await lanes.acquire("a")
    b = await lanes.acquire("b")
    assert {a.host, b.host} == {"a", "b"}


@on_loop
async def test_the_rest_begins_at_the_end_of_the_response(lanes: HostLanes, clock: FakeClock):
    lane = await lanes.acquire("a")
    clock.advance(10)
    state = lanes.release(lane, OK)
    assert state.ready == clock.now() + 3
    assert lanes.ready_at("a") == clock.now() + 3
    assert lanes.rested_at("b") == clock.now()


@on_loop
async def test_a_lane_given_back_unused_owes_no_rest(lanes: HostLanes):
    lanes.release(await lanes.acquire("a"), None)
    assert (await lanes.acquire("a")).state.asked == 0


@on_loop
async def test_hosts_that_nobody_waits_for_leave_nothing_behind(lanes: HostLanes):
    for number in range(100):
        lanes.release(await lanes.acquire(f"host{number}"), OK)
        with pytest.raises(LaneBusy):
            await lanes.acquire(f"host{number}", wait=False)
    assert lanes._lines == {}


@on_loop
async def test_a_second_release_changes_nothing(lanes: HostLanes, clock: FakeClock):
    lane = await lanes.acquire("a")
    lanes.release(lane, OK)
    ready = lanes.ready_at("a")
    clock.advance(1)
    lanes.release(lane, Answer(status=403))
    assert lanes.ready_at("a") == ready
    assert lanes.stop_of("a") is None
    clock.advance(2)
    taken = await lanes.acquire("a")
    lanes.release(lane, Answer(status=403))
    assert (lanes.held, lanes.holds(taken), lanes.stop_of("a")) == (1, True, None)


@on_loop
async def test_who_does_not_wait_gets_lane_busy(lanes: HostLanes, clock: FakeClock):
    lane = await lanes.acquire("a")
    with pytest.raises(LaneBusy):
        await lanes.acquire("a", wait=False)
    lanes.release(lane, OK)
    with pytest.raises(LaneBusy):
        await lanes.acquire("a", wait=False)
    clock.advance(3)
    assert await lanes.acquire("a", wait=False)


@on_loop
async def test_who_does_not_wait_never_passes_those_who_do(lanes: HostLanes, clock: FakeClock):
    lanes.release(await lanes.acquire("a"), OK)
    waits = await begin(lanes.acquire("a"))
    clock.sleep(5)  # the time has come, its timer has not
    with pytest.raises(LaneBusy):
        await lanes.acquire("a", wait=False)
    await settle()
    assert waits.done()


STOPS = [
    (Answer(status=403), 3600, "status 403"),
    (Answer(status=401), 3600, "status 401"),
    (Answer(status=402), 86400, "status 402"),
    (Answer(status=200, challenge=True), 86400, "challenge"),
    (Answer(status=503, retry_after_s=7200), 7200, "Retry-After"),
]


@pytest.mark.parametrize(("answer", "seconds", "reason"), STOPS)
def test_a_stop_ends_the_waits_and_is_no_rest(store: HostStateStore, answer: Answer, seconds: float, reason: str):
    clock = FakeClock()

    async def run() -> None:
        lanes = lanes_on(store, clock)
        lane = await lanes.acquire("a")
        waits = await begin(lanes.acquire("a"))
        lanes.release(lane, answer)
        with pytest.raises(HostStopped, match=rf"^host stopped until 1970-.*Z: {reason}$"):
            await waits
        stop = lanes.stop_of("a")
        assert stop is not None
        assert (stop.until, stop.reason) == (clock.now() + seconds, reason)
        assert lanes.ready_at("a") == store.peek("a").state.ready
        clock.advance(seconds - 1)
        with pytest.raises(HostStopped):
            await lanes.acquire("a")
        clock.advance(1)
        assert lanes.stop_of("a") is None
        assert await lanes.acquire("a")

    asyncio.run(run())


@on_loop
async def test_a_challenge_in_the_body_stops_while_the_lane_is_held(lanes: HostLanes, clock: FakeClock):
    lane = await lanes.acquire("a")
    waits = await begin(lanes.acquire("a"))
    lanes.challenged("a")
    with pytest.raises(HostStopped, match="challenge"):
        await waits
    lanes.release(lane, OK)
    stop = lanes.stop_of("a")
    assert stop is not None
    assert stop.until == clock.now() + 86400


@on_loop
async def test_what_this_process_changes_is_seen_at_once(lanes: HostLanes, clock: FakeClock):
    assert lanes.stop_of("a") is None
    lanes.stop("a", 100, "status 403")
    assert lanes.stop_of("a") is not None
    lanes.reset("a")
    assert lanes.stop_of("a") is None
    lanes.rest("a", 50)
    assert lanes.rested_at("a") == clock.now() + 50


@on_loop
async def test_a_shorter_stop_never_shortens_a_longer_one(lanes: HostLanes, clock: FakeClock):
    lanes.stop("a", 100, "first")
    lanes.stop("a", 10, "second")
    stop = lanes.stop_of("a")
    assert stop is not None
    assert (stop.until, stop.reason) == (clock.now() + 100, "first")


@on_loop
async def test_a_rest_that_is_laid_on_later_counts(lanes: HostLanes, clock: FakeClock):
    lanes.release(await lanes.acquire("a"), OK)
    lanes.rest("a", 60)
    waits = await begin(lanes.acquire("a"))
    clock.advance(59)
    await settle()
    assert not waits.done()
    clock.advance(1.1)
    await settle()
    assert waits.done()


@on_loop
async def test_a_host_that_is_ready_after_the_deadline_is_refused_at_once(lanes: HostLanes, clock: FakeClock):
    lanes.rest("a", 100)
    with pytest.raises(DeadlineReached, match=r"^deadline reached$"):
        await lanes.acquire("a", deadline=clock.now() + 99)
    assert lanes.too_late("a", clock.now() + 99)
    assert not lanes.too_late("a", clock.now() + 100)
    waits = await begin(lanes.acquire("a", deadline=clock.now() + 100))
    clock.advance(100)
    assert (await waits).host == "a"


@on_loop
async def test_a_wait_ends_at_its_deadline_behind_a_lane_that_stays_held(lanes: HostLanes, clock: FakeClock):
    await lanes.acquire("a")
    waits = await begin(lanes.acquire("a", deadline=clock.now() + 30))
    clock.advance(29)
    await settle()
    assert not waits.done()
    clock.advance(1.1)
    with pytest.raises(DeadlineReached):
        await waits


@on_loop
async def test_a_long_line_is_no_late_host(lanes: HostLanes, clock: FakeClock):
    lanes.max_wait = 30
    lane = await lanes.acquire("a")
    # the files that an item pipeline asks for at one time
    line = [await begin(lanes.acquire("a")) for _ in range(4)]
    for waits in line[:3]:
        clock.advance(19)
        lanes.release(lane, None)
        lane = await waits
    clock.advance(19)
    await settle()
    assert not line[3].done()
    # and here nothing moves
    clock.advance(12)
    with pytest.raises(DeadlineReached):
        await line[3]


LIMITS = [
    # deadline of the crawl, own deadline, limit (seconds from now)
    (None, None, 600),
    (None, 5, 5),
    (None, 5000, 5000),
    (1000, None, 1000),
    (1000, 5, 5),
    (1000, 5000, 1000),
]


@pytest.mark.parametrize(("crawl", "own", "limit"), LIMITS)
def test_the_limit_is_the_earlier_deadline_or_max_wait(crawl: float | None, own: float | None, limit: float):
    clock = FakeClock()
    lanes = lanes_on(MemoryHosts(), clock)
    lanes.deadline = None if crawl is None else clock.now() + crawl
    assert lanes.limit(None if own is None else clock.now() + own) == clock.now() + limit


@on_loop
async def test_a_deadline_in_the_past_is_too_late_for_a_free_host(lanes: HostLanes, clock: FakeClock):
    assert lanes.too_late("a", clock.now() - 1)
    with pytest.raises(DeadlineReached):
        await lanes.acquire("a", deadline=clock.now() - 1)
    assert lanes.held == 0


@on_loop
async def test_closing_ends_each_wait_and_lets_the_held_lanes_end(lanes: HostLanes, clock: FakeClock):
    lane = await lanes.acquire("a")
    lanes.rest("b", 60)
    waits = [await begin(lanes.acquire(host)) for host in ("a", "a", "b")]
    lanes.close()
    for one in waits:
        with pytest.raises(Closing):
            await one
    with pytest.raises(Closing):
        await lanes.acquire("c")
    assert lanes.release(lane, OK).ready == clock.now() + 3
    assert (lanes.held, lanes.waiting, clock.waiting()) == (0, 0, [RENEW])


@on_loop
async def test_shut_leaves_no_lane_held_and_no_call_behind(lanes: HostLanes, clock: FakeClock, store: HostStateStore):
    await lanes.acquire("a")
    lanes.shut()
    assert clock.waiting() == []
    assert not store.peek("a").leased(clock.now())


@on_loop
async def test_a_wait_that_is_cancelled_leaves_the_line(lanes: HostLanes, clock: FakeClock):
    lane = await lanes.acquire("a")
    second, third = await begin(lanes.acquire("a")), await begin(lanes.acquire("a"))
    second.cancel()
    await settle()
    lanes.release(lane, OK)
    clock.advance(3.1)
    await settle()
    assert third.done()


@on_loop
async def test_a_lane_that_came_with_the_cancellation_is_free_again(lanes: HostLanes, clock: FakeClock):
    lanes.release(await lanes.acquire("a"), OK)
    task = await begin(lanes.acquire("a"))
    clock.advance(3.1)  # the lane is handed over now, the task has not run yet
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert lanes.held == 0
    assert await lanes.acquire("a", wait=False)


@on_loop
async def test_reset_forgets_stops_failures_and_long_rests(lanes: HostLanes, clock: FakeClock):
    lanes.stop("a", 1000, "status 403")
    lanes.rest("a", 500)
    lanes.stop("b", 1000, "status 403")
    assert lanes.reset("a") == 1
    assert lanes.stop_of("a") is None
    assert lanes.ready_at("a") == clock.now() + POLICY.page_interval
    assert lanes.stop_of("b") is not None
    assert lanes.reset() == 2
    assert lanes.stop_of("b") is None


@on_loop
async def test_reset_wakes_who_waits(lanes: HostLanes, clock: FakeClock):
    lanes.rest("a", 500)
    waits = await begin(lanes.acquire("a"))
    lanes.reset("a")
    clock.advance(3.1)
    await settle()
    assert waits.done()


@on_loop
async def test_listeners_hear_of_waits_releases_and_stops(lanes: HostLanes, clock: FakeClock):
    heard: list[LaneEvent] = []
    lanes.listeners.append(heard.append)
    lane = await lanes.acquire("a")
    waits = await begin(lanes.acquire("a"))
    lanes.release(lane, Answer(status=403))
    with pytest.raises(HostStopped):
        await waits
    now = clock.now()
    assert heard == [
        LaneEvent("wait", "a", now + POLL),
        LaneEvent("stop", "a", now + 3600, "status 403"),
        LaneEvent("free", "a", now + 3),
    ]
