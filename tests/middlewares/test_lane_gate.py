"""What the gate lets pass, what it sends back and what it ends."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest
from scrapy import Request
from scrapy.utils.test import get_crawler

from polite_crawler.middlewares.lane_gate import LaneGate
from polite_crawler.rules.pacing import Answer, Policy
from polite_crawler.scheduling.declined import Declined
from polite_crawler.scheduling.lanes import HostLanes, LaneBusy
from polite_crawler.scheduling.requests import DEADLINE
from polite_crawler.scheduling.scheduler import PoliteScheduler
from polite_crawler.store.hosts import MemoryHosts
from polite_crawler.transport.trace import META, Trace


class Hands:
    """A clock that stands still."""

    time = 1_000_000.0

    def now(self) -> float:
        return self.time

    def call_later(self, delay: float, callback: Any) -> Any:
        return SimpleNamespace(cancel=lambda: None)


@pytest.fixture
def lanes() -> HostLanes:
    return HostLanes(MemoryHosts(), lambda host: Policy(), clock=Hands())


@pytest.fixture
def gate(lanes: HostLanes) -> LaneGate:
    crawler = get_crawler()
    crawler.engine = cast(Any, SimpleNamespace(scheduler=PoliteScheduler.from_crawler(crawler)))
    return LaneGate(crawler, lanes)


def request(queued: bool = True, **meta: Any) -> Request:
    return Request("http://A.example.:8080/x", meta={META: Trace(queued=queued), **meta})


async def hold(lanes: HostLanes) -> None:
    await lanes.acquire("a.example")


async def rest(lanes: HostLanes) -> None:
    lanes.release(await lanes.acquire("a.example"), Answer(status=200))


async def stop(lanes: HostLanes) -> None:
    lanes.stop("a.example", 60, "status 403")


async def rest_long(lanes: HostLanes) -> None:
    lanes.rest("a.example", 601)


async def close(lanes: HostLanes) -> None:
    lanes.close()


async def other_host(lanes: HostLanes) -> None:
    await lanes.acquire("www.a.example")


BEFORE = [
    (other_host, "passes"),
    (hold, "back"),
    (rest, "back"),
    (stop, "stop"),
    (rest_long, "deadline"),
    (close, "closing"),
]


@pytest.mark.parametrize(("before", "expected"), BEFORE, ids=[before.__name__ for before, _ in BEFORE])
def test_a_queued_request(gate: LaneGate, lanes: HostLanes, before: Any, expected: str):
    asyncio.run(before(lanes))
    asked = request()
    if expected in ("passes", "back"):
        assert gate.process_request(asked) is (asked if expected == "back" else None)
    else:
        with pytest.raises(Declined) as raised:
            gate.process_request(asked)
        assert raised.value.reason == expected


@pytest.mark.parametrize("before", [before for before, _ in BEFORE], ids=[before.__name__ for before, _ in BEFORE])
def test_a_direct_request_always_passes_and_waits_in_the_handler(gate: LaneGate, lanes: HostLanes, before: Any):
    asyncio.run(before(lanes))
    assert gate.process_request(request(queued=False)) is None


def test_a_request_without_a_trace_is_no_queued_one(gate: LaneGate, lanes: HostLanes):
    asyncio.run(hold(lanes))
    assert gate.process_request(Request("http://a.example/")) is None


def test_a_request_past_its_own_deadline(gate: LaneGate):
    with pytest.raises(Declined, match=r"^deadline reached$"):
        gate.process_request(request(**{DEADLINE: Hands.time - 1}))


@pytest.mark.parametrize(
    ("error", "queued", "back"),
    [(LaneBusy("a.example"), True, True), (LaneBusy("a.example"), False, False), (OSError(), True, False)],
)
def test_a_lane_that_was_lost_after_the_gate(gate: LaneGate, error: Exception, queued: bool, back: bool):
    asked = request(queued=queued)
    assert gate.process_exception(asked, error) is (asked if back else None)
    assert asked.dont_filter is False
