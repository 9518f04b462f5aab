"""The lanes of several crawlers in one loop, on one state of the hosts."""

from collections.abc import Callable

from polite_crawler.rules.pacing import Policy
from polite_crawler.scheduling.clock import Clock
from polite_crawler.scheduling.lanes import HostLanes
from polite_crawler.store.hosts import HostStateStore


class LaneGroup:
    """Gives each crawler lanes of its own, with a deadline and an end of their own. A host has one request in flight
    and one rest among all of them, and whoever has just had it lets the others go first."""

    def __init__(
        self, store: HostStateStore, policy_of: Callable[[str], Policy], *, clock: Clock, max_wait: float
    ) -> None:
        self.store = store
        self.clock = clock
        self._policy_of = policy_of
        self._max_wait = max_wait
        self._members: list[HostLanes] = []

    def join(self, policy_of: Callable[[str], Policy] | None = None) -> HostLanes:
        """The lanes of one more crawler, with limits of its own when it has some."""
        lanes = HostLanes(self.store, policy_of or self._policy_of, clock=self.clock, max_wait=self._max_wait)
        for member in self._members:
            member.peers.append(lanes)
            lanes.peers.append(member)
        self._members.append(lanes)
        return lanes

    def leave(self, lanes: HostLanes) -> None:
        """The crawler of these lanes has ended."""
        self._members.remove(lanes)
        for member in self._members:
            member.peers.remove(lanes)
        lanes.peers.clear()
