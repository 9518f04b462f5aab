"""A clock whose hands the test turns."""

from collections.abc import Callable
from itertools import count


class FakeTimer:
    def __init__(self) -> None:
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class FakeClock:
    """Epoch seconds that stand still until `advance`, which makes the calls that come due, in their order."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.time = now
        self._calls: list[tuple[float, int, FakeTimer, Callable[[], None]]] = []
        self._ticks = count()

    def now(self) -> float:
        return self.time

    def call_later(self, delay: float, callback: Callable[[], None]) -> FakeTimer:
        timer = FakeTimer()
        self._calls.append((self.time + delay, next(self._ticks), timer, callback))
        return timer

    def advance(self, seconds: float) -> None:
        end = self.time + seconds
        while due := [call for call in self._calls if call[0] <= end and not call[2].cancelled]:
            call = min(due, key=lambda one: one[:2])
            self._calls.remove(call)
            self.time = max(self.time, call[0])
            call[3]()
        self.time = end

    def sleep(self, seconds: float) -> None:
        """The process is asleep: time goes by and no call is made until it wakes."""
        self.time += seconds

    def waiting(self) -> list[float]:
        """In how many seconds each call comes."""
        return sorted(at - self.time for at, _, timer, _ in self._calls if not timer.cancelled)
