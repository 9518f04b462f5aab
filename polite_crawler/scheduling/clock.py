"""The clock of the engine as a seam: epoch seconds, and calls at a later time."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """A call that waits for its time."""

    def cancel(self) -> None:
        """Forget the call; nothing happens when it was made already."""


class Clock(Protocol):
    """What time it is, and how to be called later. Tests turn the hands of their own clock."""

    def now(self) -> float:
        """Epoch seconds: the clock that processes on one store have in common."""

    def call_later(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Call back in `delay` seconds, from the event loop."""


class SystemClock:
    """The clock of the machine and the timers of the running asyncio loop, with the asyncio reactor or without."""

    def now(self) -> float:
        return time.time()

    def call_later(self, delay: float, callback: Callable[[], None]) -> Timer:
        return asyncio.get_running_loop().call_later(max(0.0, delay), callback)
