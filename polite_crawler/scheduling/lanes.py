"""The lane of a host: one request in flight, and a rest from the end of its response to the next one.

Everything that is sent passes a lane: pages, robots.txt, hops, renders. The queue only asks when a lane will be free;
the download handler takes it. The lease of a lane stands in the host state, so the processes on one store share it.
"""

import logging
import os
import random
import secrets
from asyncio import Future, get_running_loop
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from scrapy import signals
from scrapy.crawler import Crawler

from polite_crawler.errors import StoreError
from polite_crawler.rules import pacing
from polite_crawler.rules.pacing import Answer, HostState, Policy
from polite_crawler.scheduling.clock import Clock, SystemClock, Timer
from polite_crawler.scheduling.lane import Closing, DeadlineReached, HostStopped, Lane, LaneBusy, LaneEvent, Stop
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.per_crawler import PerCrawler
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.hosts import LEASE, RENEW, HostRow, HostStateStore
from polite_crawler.store.hosts_sqlite import open_hosts

__all__ = [
    "POLL", "Closing", "DeadlineReached", "HostLanes", "HostStopped", "Lane", "LaneBusy", "LaneEvent", "Stop",
    "lanes_of", "use_lanes",
]  # fmt: skip

POLL = 0.25
"""How often a lane that another process holds is looked at, in seconds."""

_ROWS = 10_000
_logger = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _Waiter:
    future: Future[Lane]
    deadline: float | None
    since: float
    kind: str


@dataclass(slots=True, eq=False)
class _Line:
    """The requests of one host that wait for its lane, in the order in which they came."""

    held: Lane | None = None
    moved: float = 0.0
    waiters: deque[_Waiter] = field(default_factory=deque)
    timer: Timer | None = None


class HostLanes:
    """The lanes of one crawler.

    `deadline` is the end of the crawl (epoch seconds) when it has a budget; without one, a line waits up to `max_wait`
    seconds for each turn. `listeners` are called with each LaneEvent. `peers` are the lanes of other crawlers in this
    loop on the same hosts: they look again at once when a host has changed here.
    """

    def __init__(
        self,
        store: HostStateStore,
        policy_of: Callable[[str], Policy],
        *,
        clock: Clock | None = None,
        max_wait: float = 600.0,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.store = store
        self.clock = clock or SystemClock()
        self.max_wait = max_wait
        self.deadline: float | None = None
        self.listeners: list[Callable[[LaneEvent], None]] = []
        self.peers: list[HostLanes] = []
        self._policy_of = policy_of
        self._jitter = jitter
        self._owner = f"{os.getpid()}:{secrets.token_hex(8)}"
        self._lines: dict[str, _Line] = {}
        self._rows: dict[str, tuple[float, HostRow]] = {}
        self._renewal: Timer | None = None
        self._closing = False

    @property
    def closing(self) -> bool:
        """True once `close` was called."""
        return self._closing

    @property
    def held(self) -> int:
        """How many lanes are held now."""
        return sum(line.held is not None for line in self._lines.values())

    @property
    def waiting(self) -> int:
        """How many requests wait for a lane now."""
        return sum(len(line.waiters) for line in self._lines.values())

    def limit(self, deadline: float | None = None) -> float:
        """The latest time at which a request may get its lane: its own deadline or that of the crawl, the earlier
        one; without both, `max_wait` from now."""
        end = self._end(deadline)
        return self.clock.now() + self.max_wait if end is None else end

    def _end(self, deadline: float | None) -> float | None:
        return min((time for time in (deadline, self.deadline) if time is not None), default=None)

    def ready_at(self, host: str) -> float:
        """The earliest time at which the lane can be free (epoch seconds; in the past for a free lane). It says
        nothing of a stop. While the lane is held, this is the time to look again."""
        now, row, line = self.clock.now(), self._row(host), self._lines.get(host)
        taken = row.leased(now) or (line is not None and (line.held is not None or bool(line.waiters)))
        return max(row.state.ready, now + POLL) if taken else row.state.ready

    def rested_at(self, host: str) -> float:
        """The end of the rest that the host owes, now at the earliest; who holds the lane makes no difference."""
        return max(self.clock.now(), self._row(host).state.ready)

    def stop_of(self, host: str) -> Stop | None:
        """The stop in force, or None."""
        state = self._row(host).state
        return Stop(state.stop_until, state.stop_reason) if state.stopped(self.clock.now()) else None

    def too_late(self, host: str, deadline: float | None = None) -> bool:
        """True when the host is ready later than a request can wait, or its time has passed."""
        return self.rested_at(host) > self.limit(deadline)

    async def acquire(
        self, host: str, *, deadline: float | None = None, kind: str = "fetch", wait: bool = True
    ) -> Lane:
        """Take the lane of a host, in the order of the calls. `kind` is the kind of the capture.

        Raises HostStopped, DeadlineReached or Closing, also while it waits; with `wait=False`, LaneBusy for a lane
        that is not free now. Who gets a lane gives it back by `release`.
        """
        if self._closing:
            raise Closing
        line = self._lines.setdefault(host, _Line())
        waiter = _Waiter(get_running_loop().create_future(), self._end(deadline), self.clock.now(), kind)
        line.waiters.append(waiter)
        self._pump(host, line)
        if not waiter.future.done():
            if not wait:
                self._leave(host, line, waiter)
                raise LaneBusy(host)
            self.tell(LaneEvent("wait", host, self.ready_at(host)))
        try:
            return await waiter.future
        except BaseException:
            self._leave(host, line, waiter)
            raise

    def holds(self, lane: Lane) -> bool:
        """True while the lane is still this process's, to be asked right before the first byte is sent. An old lease
        is renewed here when nobody has taken it."""
        if not lane.lost and self.clock.now() >= lane.until:
            self._renew_held([lane])
        return not lane.lost

    def learn(self, lane: Lane, answer: Answer) -> None:
        """One of several answers under a lane that stays held. A stop counts from now on, the rest from the release."""
        before, now = lane.state, self.clock.now()
        policy = self._policy_of(lane.host)
        lane.state = pacing.next_state(before, answer, policy, now=now, jitter=self._jitter())
        lane.learned = True
        if lane.state.stop_until > before.stop_until:
            self.stop(lane.host, lane.state.stop_until - now, lane.state.stop_reason)

    def release(self, lane: Lane, answer: Answer | None) -> HostState:
        """Give the lane back with the raw answer of the host; None when nothing more was sent. Gives the new state.
        A lane that was given back already is left alone."""
        line = self._lines.get(lane.host)
        if line is None or line.held is not lane:
            return lane.state
        now, state = self.clock.now(), lane.state
        if answer is not None:
            policy = self._policy_of(lane.host)
            state = pacing.next_state(lane.state, answer, policy, now=now, jitter=self._jitter())
        line.held, line.moved = None, now
        try:
            asked = answer is not None or lane.learned
            self.store.release(lane.host, owner=self._owner, state=state if asked else None)
        finally:
            self._rows.pop(lane.host, None)
            self._pump(lane.host, line)
        if state.stop_until > lane.state.stop_until:
            self.tell(LaneEvent("stop", lane.host, state.stop_until, state.stop_reason))
        self.tell(LaneEvent("free", lane.host, state.ready))
        return state

    def stop(self, host: str, seconds: float, reason: str) -> None:
        """Stop a host for some seconds from now: for a challenge that only the body shows. Its waits end at once."""
        until = self.clock.now() + seconds
        self.store.stop(host, until=until, reason=reason)
        self._changed(host)
        self.tell(LaneEvent("stop", host, until, reason))

    def rest(self, host: str, seconds: float) -> None:
        """Let a host rest for some seconds from now, at least."""
        until = self.clock.now() + seconds
        self.store.rest(host, until=until)
        self._changed(host)

    def challenged(self, host: str) -> None:
        """Stop a host by its own policy for a challenge."""
        self.stop(host, self._policy_of(host).stop_challenge, "challenge")

    def reset(self, host: str | None = None) -> int:
        """Forget the stops, failures and backoff of a host or of all; they rest for the page interval once more at
        the most. Gives how many hosts were known."""
        ready = self.clock.now() + self._policy_of(host or "").page_interval
        known = self.store.reset(host, ready=ready)
        for name in [host] if host is not None else list(self._lines):
            self._changed(name)
        self._rows.clear()
        self.tell(LaneEvent("free", host or "", ready))
        return known

    def tell(self, event: LaneEvent) -> None:
        """Let the listeners hear of an event, and the peers of what changes a host."""
        # peers first: who has just had the host goes to the end of the line
        for peer in self.peers if event.kind != "wait" else ():
            peer.heard(event)
        self._listen(event)

    def close(self) -> None:
        """End every wait for a lane and begin no other one. Held lanes stay held (and renewed) until they are given
        back."""
        self._closing = True
        for host, line in list(self._lines.items()):
            _drop(line, lambda waiter: Closing())
            self._pump(host, line)

    def shut(self) -> None:
        """Close, and let go of what is still held: the crawl has ended."""
        self.close()
        for line in list(self._lines.values()):
            if line.held is not None:
                self.release(line.held, None)
        if self._renewal is not None:
            self._renewal.cancel()
            self._renewal = None

    def _pump(self, host: str, line: _Line) -> None:
        """Hand the lane to the first in line when it is free, end the waits that cannot be met, and come back."""
        if line.timer is not None:
            line.timer.cancel()
            line.timer = None
        now = self.clock.now()
        again = self._serve(host, line, now) if line.waiters else now
        if line.waiters:
            times = [self._limit(line, waiter) for waiter in line.waiters] + ([again] if line.held is None else [])
            # a timer may come a little early by the other clock, so the smallest step is a millisecond
            line.timer = self.clock.call_later(max(min(times) - now, 0.001), lambda: self._pump(host, line))
        elif line.held is None and self._lines.get(host) is line:
            del self._lines[host]

    def _serve(self, host: str, line: _Line, now: float) -> float:
        """One turn over the line; gives the time to try again at when the lane is not held here."""
        _drop(line, lambda waiter: DeadlineReached(host) if self._limit(line, waiter) < now else None)
        if not line.waiters:
            return now
        try:
            row = self._take(host, line, now)
        except StoreError as error:
            failure = error
            _drop(line, lambda waiter: failure)
            return now
        state = row.state
        if state.stopped(now):
            _drop(line, lambda waiter: HostStopped(host, state.stop_until, state.stop_reason))
        if line.held is not None:
            return now
        _drop(line, lambda waiter: DeadlineReached(host) if self._limit(line, waiter) < state.ready else None)
        return max(state.ready, now + POLL) if row.leased(now) else state.ready

    def _limit(self, line: _Line, waiter: _Waiter) -> float:
        return max(waiter.since, line.moved) + self.max_wait if waiter.deadline is None else waiter.deadline

    def _take(self, host: str, line: _Line, now: float) -> HostRow:
        """Claim the lane for the first in line, when this process does not hold it already."""
        if line.held is not None:
            return self.store.peek(host)
        claim = self.store.claim(host, owner=self._owner, now=now)
        self._rows[host] = (now, claim.row)
        if claim.granted:
            waiter = line.waiters.popleft()
            line.held, line.moved = Lane(host, waiter.kind, claim.row.state, claim.row.until), now
            waiter.future.set_result(line.held)
            if self._renewal is None:
                self._renewal = self.clock.call_later(RENEW, self._renew)
        return claim.row

    def _leave(self, host: str, line: _Line, waiter: _Waiter) -> None:
        """A waiter that went away; a lane that it had got already goes back unused."""
        future = waiter.future
        if future.done() and not future.cancelled() and future.exception() is None:
            self.release(future.result(), None)
        future.cancel()
        self._pump(host, line)

    def _renew(self) -> None:
        lanes = [line.held for line in self._lines.values() if line.held is not None]
        self._renewal = self.clock.call_later(RENEW, self._renew) if lanes else None
        self._renew_held([lane for lane in lanes if not lane.lost])

    def _renew_held(self, lanes: list[Lane]) -> None:
        now = self.clock.now()
        try:
            lost = self.store.renew([lane.host for lane in lanes], owner=self._owner, until=now + LEASE)
        except StoreError as error:
            # others see the lease run out, so that is when it counts as lost here too
            _logger.warning("the leases of %d hosts were not renewed: %s", len(lanes), error)
            lost = frozenset(lane.host for lane in lanes if lane.until <= now)
        else:
            for lane in lanes:
                lane.until = now + LEASE
        for lane in lanes:
            if lane.host in lost:
                lane.lost = True
                if lane.on_lost is not None:
                    lane.on_lost()

    def _row(self, host: str) -> HostRow:
        """What is known of a host, at most POLL seconds old; a claim looks again in any case."""
        if not self.store.shared:
            return self.store.peek(host)
        now = self.clock.now()
        seen = self._rows.get(host)
        if seen is not None and 0 <= now - seen[0] < POLL:
            return seen[1]
        if len(self._rows) >= _ROWS:
            self._rows.clear()
        row = self.store.peek(host)
        self._rows[host] = (now, row)
        return row

    def _changed(self, host: str) -> None:
        self._rows.pop(host, None)
        line = self._lines.get(host)
        if line is not None:
            self._pump(host, line)

    def heard(self, event: LaneEvent) -> None:
        """A peer has changed a host, or all of them: look at it again."""
        for host in [event.host] if event.host else list(self._lines):
            self._changed(host)
        if not event.host:
            self._rows.clear()
        self._listen(LaneEvent("peer", event.host, 0.0))

    def _listen(self, event: LaneEvent) -> None:
        for listener in self.listeners:
            listener(event)


def _drop(line: _Line, error_of: Callable[[_Waiter], Exception | None]) -> None:
    """End the waits that `error_of` has an error for, and forget those that ended by themselves."""
    kept = deque[_Waiter]()
    for waiter in line.waiters:
        if waiter.future.done():
            continue
        if (error := error_of(waiter)) is None:
            kept.append(waiter)
        else:
            waiter.future.set_exception(error)
    line.waiters = kept


def _own_lanes(crawler: Crawler) -> HostLanes:
    options = options_of(crawler)
    hosts = open_hosts(StoreFolder(options.store).create().hosts)
    lanes = HostLanes(hosts, options.policy_of, max_wait=options.max_wait)
    crawler.signals.connect(lanes.shut, signals.spider_closed)
    # the store closes after the last component that reads it
    crawler.signals.connect(lanes.store.close, signals.engine_stopped)
    return lanes


_LANES = PerCrawler(_own_lanes)


def lanes_of(crawler: Crawler) -> HostLanes:
    """The lanes of a crawler, made by its options when they are asked for the first time. Raises BadOption, and
    StoreError for a store that cannot be used."""
    return _LANES.of(crawler)


def use_lanes(crawler: Crawler, lanes: HostLanes) -> HostLanes:
    """Give a crawler the lanes that it shall use, before it starts. Who made their host state closes it."""
    _LANES.use(crawler, lanes)
    crawler.signals.connect(lanes.shut, signals.spider_closed)
    return lanes
