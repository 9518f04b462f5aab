"""A lane that is held, what happens to it, and the ways in which a wait for it ends without one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from polite_crawler.rules import outcomes
from polite_crawler.rules.pacing import HostState
from polite_crawler.scheduling.declined import Declined
from polite_crawler.store.record import utc


class HostStopped(Declined):
    """The host is stopped: it is not asked until `until` (epoch seconds)."""

    def __init__(self, host: str, until: float, reason: str) -> None:
        super().__init__("stop", outcomes.stop_note(utc(until), reason))
        self.host = host
        self.until = until


class DeadlineReached(Declined):
    """The host is ready later than the request can wait."""

    def __init__(self, host: str) -> None:
        super().__init__("deadline", outcomes.DEADLINE_NOTE)
        self.host = host


class Closing(Declined):
    """The crawl is ending, so nothing new is sent."""

    def __init__(self) -> None:
        super().__init__("closing", "the crawl is closing")


class LaneBusy(Exception):
    """The lane is not free now, and the caller does not wait for it: the request goes back to the queue."""

    def __init__(self, host: str) -> None:
        super().__init__(f"the lane of {host} is not free")
        self.host = host


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop of a host: until when (epoch seconds), and why."""

    until: float
    reason: str


@dataclass(slots=True, eq=False)
class Lane:
    """A held lane. `learned` turns true when its state has changed while it is held. `lost` turns true when another
    process has it: this process was asleep for longer than the lease. `on_lost` is called then, so that an exchange in
    progress can end."""

    host: str
    kind: str
    state: HostState
    until: float
    learned: bool = False
    lost: bool = False
    on_lost: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class LaneEvent:
    """What happened to a host: a request waits for its lane (until `until`, as far as is known), the lane was given
    back (ready at `until`), a stop began (with its reason), another crawler of this loop has changed the host."""

    kind: Literal["wait", "free", "stop", "peer"]
    host: str
    until: float
    reason: str = ""
