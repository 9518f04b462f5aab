"""Lanes of several processes, leases, and a state of the hosts that fails. Two HostLanes on one file stand for two
processes."""

from pathlib import Path
from typing import Any

import pytest
from fake_clock import FakeClock
from waits_lab import OK, begin, lanes_on, on_loop, settle

from polite_crawler.errors import StoreError
from polite_crawler.rules.pacing import Answer
from polite_crawler.scheduling.lanes import (
    POLL,
    HostLanes,
    HostStopped,
    LaneBusy,
)
from polite_crawler.store.hosts import LEASE, RENEW, MemoryHosts
from polite_crawler.store.hosts_sqlite import SqliteHosts


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hosts.sqlite"


@on_loop
async def test_two_processes_share_lane_and_rest(path: Path, clock: FakeClock):
    one, two = lanes_on(SqliteHosts(path), clock), lanes_on(SqliteHosts(path), clock)
    lane = await one.acquire("a")
    waits = await begin(two.acquire("a"))
    assert min(clock.waiting()) == POLL
    clock.advance(10)
    await settle()
    assert not waits.done()
    one.release(lane, OK)
    clock.advance(2.9)
    await settle()
    assert not waits.done()
    clock.advance(POLL + 0.1)
    await settle()
    assert waits.done()
    with pytest.raises(LaneBusy):
        await one.acquire("a", wait=False)


@on_loop
async def test_two_processes_share_stops(path: Path, clock: FakeClock):
    one, two = lanes_on(SqliteHosts(path), clock), lanes_on(SqliteHosts(path), clock)
    assert two.stop_of("a") is None
    one.release(await one.acquire("a"), Answer(status=403))
    with pytest.raises(HostStopped):
        await two.acquire("a")
    assert two.stop_of("a") is not None


@pytest.mark.parametrize("later", [POLL, -3600.0], ids=["in time", "after the clock was set back"])
def test_what_another_process_changes_is_seen(path: Path, clock: FakeClock, later: float):
    one, two = lanes_on(SqliteHosts(path), clock), lanes_on(SqliteHosts(path), clock)
    assert two.stop_of("a") is None
    one.stop("a", 7200, "status 403")
    clock.sleep(later)
    assert two.stop_of("a") is not None


def test_what_is_known_of_hosts_is_bounded(path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("polite_crawler.scheduling.lanes._ROWS", 10)
    lanes = lanes_on(SqliteHosts(path), clock)
    for number in range(100):
        lanes.ready_at(f"host{number}")
    assert len(lanes._rows) <= 10


@on_loop
async def test_a_process_that_slept_hands_a_lane_to_nobody_else(lanes: HostLanes, clock: FakeClock):
    await lanes.acquire("a")
    second = await begin(lanes.acquire("a"))
    clock.sleep(LEASE + 1)
    third = await begin(lanes.acquire("a"))
    assert (second.done(), third.done(), lanes.held, lanes.waiting) == (False, False, 1, 2)


@on_loop
async def test_a_killed_process_blocks_a_host_for_the_lease_and_no_longer(path: Path, clock: FakeClock):
    killed = SqliteHosts(path)
    assert killed.claim("a", owner="killed", now=clock.now()).granted
    waits = await begin(lanes_on(SqliteHosts(path), clock).acquire("a"))
    clock.advance(LEASE - 0.1)
    await settle()
    assert not waits.done()
    clock.advance(POLL + 0.1)
    await settle()
    assert waits.done()
    assert LEASE == 20


@on_loop
async def test_a_held_lane_is_renewed_every_five_seconds(path: Path, clock: FakeClock):
    store = SqliteHosts(path)
    lanes = lanes_on(store, clock)
    lane = await lanes.acquire("a")
    for _ in range(20):
        clock.advance(RENEW)
        assert store.peek("a").until == clock.now() + LEASE
    assert RENEW == 5
    with pytest.raises(LaneBusy):
        await lanes_on(SqliteHosts(path), clock).acquire("a", wait=False)
    lanes.release(lane, OK)
    clock.advance(RENEW)
    assert clock.waiting() == []


@on_loop
async def test_a_process_that_slept_notices_that_its_lane_is_gone(path: Path, clock: FakeClock):
    asleep, other = lanes_on(SqliteHosts(path), clock), lanes_on(SqliteHosts(path), clock)
    lane = await asleep.acquire("a")
    told: list[str] = []
    lane.on_lost = lambda: told.append("lost")
    clock.sleep(LEASE + 1)
    taken = await other.acquire("a")
    assert not asleep.holds(lane)
    assert (lane.lost, told) == (True, ["lost"])
    asleep.release(lane, Answer(status=429, retry_after_s=100))
    with pytest.raises(LaneBusy):
        await asleep.acquire("a", wait=False)
    # what the host said counts for both, whoever holds the lane
    other.release(taken, OK)
    assert other.rested_at("a") == clock.now() + 100


@on_loop
async def test_a_process_that_slept_keeps_a_lane_that_nobody_took(path: Path, clock: FakeClock):
    lanes = lanes_on(SqliteHosts(path), clock)
    lane = await lanes.acquire("a")
    clock.sleep(LEASE + 1)
    assert lanes.holds(lane)
    assert lane.until == clock.now() + LEASE


@on_loop
async def test_the_renewal_finds_a_lost_lane(path: Path, clock: FakeClock):
    asleep, other = lanes_on(SqliteHosts(path), clock), lanes_on(SqliteHosts(path), clock)
    lane = await asleep.acquire("a")
    clock.sleep(LEASE + 1)
    await other.acquire("a")
    clock.advance(RENEW)
    assert lane.lost


class Broken(MemoryHosts):
    """A store whose disk fails."""

    def __init__(self, method: str) -> None:
        super().__init__()
        self.method = method

    def __getattribute__(self, name: str) -> Any:
        if name == super().__getattribute__("__dict__").get("method"):
            return self._fail
        return super().__getattribute__(name)

    def _fail(self, *args: Any, **kwargs: Any) -> Any:
        raise StoreError("the disk is full")


@on_loop
async def test_a_store_that_fails_fails_the_waits(clock: FakeClock):
    store = Broken("nothing yet")
    lanes = lanes_on(store, clock)
    lanes.release(await lanes.acquire("a"), OK)
    waits = await begin(lanes.acquire("a"))
    store.method = "claim"
    clock.advance(3.1)
    with pytest.raises(StoreError, match="disk is full"):
        await waits
    with pytest.raises(StoreError):
        await lanes.acquire("b")
    assert (lanes.held, lanes.waiting) == (0, 0)


@on_loop
async def test_a_release_that_fails_does_not_hold_the_lane_for_ever(clock: FakeClock):
    store = Broken("release")
    lanes = lanes_on(store, clock)
    lane = await lanes.acquire("a")
    with pytest.raises(StoreError):
        lanes.release(lane, OK)
    assert lanes.held == 0


@on_loop
async def test_a_lease_that_cannot_be_renewed_is_lost_when_it_has_run_out(clock: FakeClock):
    lanes = lanes_on(Broken("renew"), clock)
    lane = await lanes.acquire("a")
    clock.advance(LEASE - 1)
    assert not lane.lost
    clock.advance(RENEW)
    assert lane.lost
