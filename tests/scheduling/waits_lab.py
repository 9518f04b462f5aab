"""Lanes on a clock that a test moves: a test in an event loop, and waits that have begun."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from fake_clock import FakeClock

from polite_crawler.rules.pacing import Answer, Policy
from polite_crawler.scheduling.lanes import (
    HostLanes,
    Lane,
)
from polite_crawler.store.hosts import HostStateStore

OK = Answer(status=200)
POLICY = Policy(page_interval=3.0)


def lanes_on(store: HostStateStore, clock: FakeClock, **options: Any) -> HostLanes:
    return HostLanes(store, lambda host: POLICY, clock=clock, jitter=lambda: 0.0, **options)


def on_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run the test in an event loop (its fixtures are its parameters)."""
    import functools

    @functools.wraps(test)
    def run(**fixtures: Any) -> None:
        asyncio.run(test(**fixtures))

    return run


async def settle() -> None:
    """Let every task go as far as it can."""
    for _ in range(5):
        await asyncio.sleep(0)


async def begin(waits: Awaitable[Lane]) -> "asyncio.Task[Lane]":
    task = asyncio.ensure_future(waits)
    await settle()
    return task  # type: ignore[return-value]
