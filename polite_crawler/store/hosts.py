"""What is known of each host: pace, lease, stop, the state of its robots.txt and its validator memo (`hosts.sqlite`).

The processes on one store share the file, so a host has one request in flight and one rest among all of them. Times
are epoch seconds, because the processes have no other clock in common.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from polite_crawler.rules import pacing
from polite_crawler.rules.pacing import HostState

LEASE = 20.0
"""How long a lane is held without a renewal, in seconds: the time that a killed process blocks a host."""

RENEW = 5.0
"""How often a held lane is renewed, in seconds."""


@dataclass(frozen=True, slots=True)
class HostRow:
    """A host and who holds its lane (None: nobody). A lease that is older than `until` counts for nothing."""

    host: str
    state: HostState = pacing.FRESH
    owner: str | None = None
    until: float = 0.0

    def leased(self, now: float) -> bool:
        """True while somebody holds the lane."""
        return self.owner is not None and self.until > now


@dataclass(frozen=True, slots=True)
class Claim:
    """What a claim gave: the lane (`granted`), or the row that stands in its way."""

    granted: bool
    row: HostRow


@dataclass(frozen=True, slots=True)
class RobotsState:
    """What the store knows of the robots.txt of an origin.

    `capture`, `status` and `fetched_at` name the answer that is in force; `expires` is when it is asked for again.
    While the file is unreachable, `failures` counts the attempts, `next_try` is the earliest next one and `note` says
    why. `crawl_delay` is the largest over all agents, in seconds.
    """

    capture: str | None = None
    status: int | None = None
    fetched_at: float = 0.0
    expires: float = 0.0
    next_try: float = 0.0
    failures: int = 0
    crawl_delay: float = 0.0
    note: str = ""


Memo = Mapping[str, Any]
"""The validator memo of a host: a flat JSON object (rules.validators gives it its meaning)."""


class HostStateStore(Protocol):
    """The shared state of the hosts. Every method ends at once or raises StoreError."""

    shared: bool
    """True when other processes can change the state."""

    def claim(self, host: str, *, owner: str, now: float, lease: float = LEASE) -> Claim:
        """Take the lane of a host that is ready, not stopped and not held."""

    def renew(self, hosts: Iterable[str], *, owner: str, until: float) -> frozenset[str]:
        """Hold the lanes until `until`; gives the hosts whose lane is held by another owner now."""

    def release(self, host: str, *, owner: str, state: HostState | None) -> bool:
        """Give the lane back with its new state (None: nothing was asked). False when the lease had been lost; the
        state counts all the same, and never shortens a rest or a stop."""

    def peek(self, host: str) -> HostRow:
        """The row of a host."""

    def stop(self, host: str, *, until: float, reason: str) -> None:
        """Stop a host; a stop that ends later stays."""

    def rest(self, host: str, *, until: float) -> None:
        """Let a host rest until `until` at least."""

    def reset(self, host: str | None, *, ready: float) -> int:
        """Forget stops, failures and backoff of a host or of all hosts, and that its robots.txt was unreachable; their
        rest ends at `ready` at the latest. A lease that ends later than one from `ready` could is that of a
        clock that was ahead, and goes too. Gives how many hosts were known."""

    def rows(self) -> Iterator[HostRow]:
        """All hosts by name."""

    def robots(self, origin: str) -> RobotsState | None:
        """The state of the robots.txt of an origin (scheme, host and port)."""

    def put_robots(self, origin: str, host: str, state: RobotsState) -> None:
        """Keep it. The Crawl-delay of the host is the largest of its origins."""

    def memo(self, host: str) -> Memo | None:
        """The validator memo of a host."""

    def change_memo(self, host: str, change: Callable[[Memo | None], Memo | None]) -> Memo | None:
        """Replace the memo by `change(memo)` as one step among all processes. None removes it."""

    def close(self) -> None:
        """Close the store. Held lanes run out by themselves."""


class MemoryHosts:
    """The state of the hosts for one process."""

    shared = False

    def __init__(self) -> None:
        self._rows: dict[str, HostRow] = {}
        self._robots: dict[str, RobotsState] = {}
        self._origins: dict[str, set[str]] = {}
        self._memos: dict[str, Memo] = {}

    def claim(self, host: str, *, owner: str, now: float, lease: float = LEASE) -> Claim:
        row = self.peek(host)
        if row.leased(now) or row.state.ready > now or row.state.stopped(now):
            return Claim(False, row)
        row = self._rows[host] = replace(row, owner=owner, until=now + lease)
        return Claim(True, row)

    def renew(self, hosts: Iterable[str], *, owner: str, until: float) -> frozenset[str]:
        lost = set()
        for host in hosts:
            row = self.peek(host)
            if row.owner == owner:
                self._rows[host] = replace(row, until=until)
            else:
                lost.add(host)
        return frozenset(lost)

    def release(self, host: str, *, owner: str, state: HostState | None) -> bool:
        row = self.peek(host)
        held = row.owner == owner
        if state is not None:
            row = replace(row, state=merged(row.state, state))
        self._rows[host] = replace(row, owner=None, until=0.0) if held else row
        return held

    def peek(self, host: str) -> HostRow:
        return self._rows.get(host) or HostRow(host)

    def stop(self, host: str, *, until: float, reason: str) -> None:
        self._change(host, lambda state: pacing.stopped(state, until=until, reason=reason))

    def rest(self, host: str, *, until: float) -> None:
        self._change(host, lambda state: replace(state, ready=max(state.ready, until)))

    def reset(self, host: str | None, *, ready: float) -> int:
        hosts = [name for name in self._rows if host in (None, name)]
        for name in hosts:
            row = self._rows[name]
            if row.until > ready + LEASE:
                row = replace(row, owner=None, until=0.0)
            self._rows[name] = replace(row, state=forgiven(row.state, ready=ready))
            for origin in self._origins.get(name, ()):
                state = self._robots[origin]
                self._robots[origin] = replace(state, next_try=0.0, failures=0)
        return len(hosts)

    def rows(self) -> Iterator[HostRow]:
        return iter(sorted(self._rows.values(), key=lambda row: row.host))

    def robots(self, origin: str) -> RobotsState | None:
        return self._robots.get(origin)

    def put_robots(self, origin: str, host: str, state: RobotsState) -> None:
        self._robots[origin] = state
        origins = self._origins.setdefault(host, set())
        origins.add(origin)
        delay = max(self._robots[one].crawl_delay for one in origins)
        self._change(host, lambda state: replace(state, crawl_delay=delay))

    def memo(self, host: str) -> Memo | None:
        return self._memos.get(host)

    def change_memo(self, host: str, change: Callable[[Memo | None], Memo | None]) -> Memo | None:
        memo = change(self._memos.get(host))
        if memo is None:
            self._memos.pop(host, None)
        else:
            self._memos[host] = memo
        return memo

    def close(self) -> None:
        self._rows.clear()

    def _change(self, host: str, change: Callable[[HostState], HostState]) -> None:
        row = self.peek(host)
        self._rows[host] = replace(row, state=change(row.state))


def merged(known: HostState, new: HostState) -> HostState:
    """The state after a release: what was added to the known state meanwhile (a stop, a longer rest, another
    Crawl-delay) stays."""
    stop = max((known.stop_until, known.stop_reason), (new.stop_until, new.stop_reason), key=lambda stop: stop[0])
    return replace(
        new,
        ready=max(known.ready, new.ready),
        stop_until=stop[0],
        stop_reason=stop[1],
        crawl_delay=known.crawl_delay,
        asked=known.asked + 1,
    )


def forgiven(state: HostState, *, ready: float) -> HostState:
    """The state without its stop, its failures and its backoff, and with a rest that ends at `ready` at the latest."""
    return replace(state, ready=min(state.ready, ready), stop_until=0.0, stop_reason="", failures=0, backoff=0)
