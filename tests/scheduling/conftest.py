"""What the tests of scheduling share: a clock that a test moves, a state of the hosts, a server, a queue."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_clock import FakeClock
from lane_lab import Server, serving
from queue_lab import Lab
from waits_lab import lanes_on

from polite_crawler.scheduling.lanes import HostLanes
from polite_crawler.store.hosts import HostStateStore, MemoryHosts
from polite_crawler.store.hosts_sqlite import SqliteHosts


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    made: HostStateStore = MemoryHosts() if request.param == "memory" else SqliteHosts(tmp_path / "hosts.sqlite")
    yield made
    made.close()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture
def lab() -> Lab:
    return Lab()


@pytest.fixture
def lanes(store: HostStateStore, clock: FakeClock) -> HostLanes:
    return lanes_on(store, clock)
