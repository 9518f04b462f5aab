"""The hosts whose requests wait, in the order in which their lanes become free (SCHEDULER_PRIORITY_QUEUE).

A request of a host that rests stays here, so it holds nothing that another host could use.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler

from polite_crawler.errors import BadOption, StoreError
from polite_crawler.scheduling.clock import Timer
from polite_crawler.scheduling.closing import close_with_error
from polite_crawler.scheduling.frontier import Frontier
from polite_crawler.scheduling.host_queue import HostQueue
from polite_crawler.scheduling.lanes import HostLanes, LaneEvent, lanes_of
from polite_crawler.scheduling.per_crawler import PerCrawler
from polite_crawler.scheduling.render_slots import slots_of
from polite_crawler.scheduling.requests import deadline_of, host_of
from polite_crawler.scheduling.scrapy_private import wake_engine
from polite_crawler.scheduling.stored_queue import StoredHostQueue
from polite_crawler.transport.plain import plain_of
from polite_crawler.transport.trace import META, Trace

_SLACK = 64
_MOST_RENDERS = 4
"""How many renders of a host wait before its other requests do: each holds a page."""
_QUEUES: "PerCrawler[ReadyQueue | None]" = PerCrawler(lambda crawler: None)


def ready_queue_of(crawler: Crawler) -> "ReadyQueue | None":
    """The queue of a crawler, while its scheduler is open."""
    return _QUEUES.of(crawler)


class ReadyQueue:
    """Requests by host, and the hosts by ready time.

    `pop` gives a request of a host whose lane is free, or None while no host is ready; then one timer wakes the
    engine. A host is out at most once. Requests that nothing will be sent for (their host is stopped, or ready later
    than they can wait) pop at once: middlewares make skips of them. Renders go first, and only while one of the
    places for renders is free; without one the other requests of their host go on.
    """

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        downstream_queue_cls: Any,
        key: str,
        startprios: Any = None,
        *,
        start_queue_cls: Any = None,
    ) -> Self:
        """The queue of a crawler. Scrapy's own queue classes are not used: the order is always first in, first out.
        A `key` is the folder of a disk queue, which this is not."""
        if key:
            raise BadOption("a crawl with JOBDIR needs SCHEDULER = polite_crawler.scheduling.scheduler.PoliteScheduler")
        return cls(crawler, lanes_of(crawler))

    def __init__(self, crawler: Crawler, lanes: HostLanes) -> None:
        self._crawler = crawler
        self._lanes = lanes
        self._clock = lanes.clock
        self._hosts: dict[str, HostQueue | StoredHostQueue] = {}
        self._frontier: Frontier | None = None
        self._renders: dict[str, HostQueue] = {}
        self._rendering: set[Request] = set()
        self._slots = slots_of(crawler)
        self._heap: list[tuple[float, int, str]] = []
        self._keys: dict[str, int] = {}
        self._ticks = count()
        self._stopped: dict[str, None] = {}
        self._late: deque[Request] = deque()
        self._alarms: list[tuple[float, int, str]] = []
        self._out: dict[str, Request] = {}
        self._out_of_turn: set[Request] = set()
        self._length = 0
        self._timer: Timer | None = None
        self._timer_at = 0.0
        lanes.listeners.append(self._heard)
        self._slots.listeners.append(self._place_renders)
        _QUEUES.use(crawler, self)

    @property
    def in_progress(self) -> int:
        """How many hosts are out, and how many requests that popped out of turn."""
        return len(self._out) + len(self._out_of_turn)

    def __len__(self) -> int:
        return self._length

    def has_out(self, request: Request) -> bool:
        """Whether the queue has handed this request out, and it has not ended."""
        return request in self._out_of_turn or self._out.get(host_of(request)) is request

    def use(self, frontier: Frontier) -> None:
        """Keep what waits in the file of a resumable crawl, and go on with what waits there."""
        self._frontier = frontier
        for host, waiting in frontier.waiting.items():
            self._hosts[host] = StoredHostQueue(frontier, host)
            self._length += waiting
            self._place(host)

    def push(self, request: Request, *, front: bool = False) -> None:
        """Let a request wait for its host; in front of the others when it comes back unsent."""
        host, deadline = host_of(request), deadline_of(request)
        self._queue_for(request, host, front).push(request, deadline=deadline, front=front)
        self._length += 1
        if deadline is not None:
            heappush(self._alarms, (deadline, next(self._ticks), host))
            self._take_overdue(host)
        if host not in self._out and host not in self._keys and host not in self._stopped:
            self._place(host)

    def pop(self) -> Request | None:
        """The next request that can be sent or declined now, or None."""
        now = self._clock.now()
        self._sound_alarms(now)
        # a look at a ready host may show that it is stopped
        request = self._pop_out_of_turn() or self._pop_ready(now) or self._pop_out_of_turn()
        if request is None:
            self._wait()
            return None
        if self._frontier is not None:
            self._frontier.unpark(request)
        request.meta[META] = Trace(queued=True)
        return request

    def back(self, request: Request) -> None:
        """A request that was handed out has ended, or goes back to the queue."""
        self._out_of_turn.discard(request)
        host = host_of(request)
        if request in self._rendering:
            self._rendering.remove(request)
            self._slots.give_back()
        if self._out.get(host) is request:
            del self._out[host]
            with self._store_errors():
                self._place(host)

    def hurry(self, request: Request) -> bool:
        """Let a request that waits pop at once, because nothing will be sent for it. False when it does not wait in
        memory here."""
        host = host_of(request)
        for queue in (self._renders.get(host), self._hosts.get(host)):
            if isinstance(queue, HostQueue) and queue.remove(request):
                self._late.append(request)
                self._drop_empty(host)
                self._wait()
                return True
        return False

    def keep(self, request: Request) -> None:
        """A request that ended because the crawl ends: the next run of a resumable crawl asks it again."""
        if self._frontier is not None:
            with self._store_errors():
                self._frontier.keep(request)

    def close(self) -> None:
        """Forget what waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._heard in self._lanes.listeners:
            self._lanes.listeners.remove(self._heard)
        if self._place_renders in self._slots.listeners:
            self._slots.listeners.remove(self._place_renders)
        while self._rendering:
            self._rendering.pop()
            self._slots.give_back()
        self._hosts.clear()
        self._renders.clear()
        self._length = 0
        _QUEUES.use(self._crawler, None)

    def _queue_for(self, request: Request, host: str, front: bool) -> "HostQueue | StoredHostQueue":
        """Where a request waits."""
        plain = plain_of(request)
        if plain is not None:
            if self._frontier is not None:
                self._frontier.park(request if front else plain.request, request)
            return self._renders.setdefault(host, HostQueue())
        queue = self._hosts.get(host)
        if queue is None:
            queue = HostQueue() if self._frontier is None else StoredHostQueue(self._frontier, host)
            self._hosts[host] = queue
        return queue

    def _pop_out_of_turn(self) -> Request | None:
        """A request that nothing will be sent for."""
        request = self._late.popleft() if self._late else None
        self._length -= request is not None
        while request is None and self._stopped:
            host = next(iter(self._stopped))
            request = self._pop_of(host, out_of_turn=True) if self._refused(host) else None
            if request is None:
                del self._stopped[host]
                self._place(host)
        if request is not None:
            self._out_of_turn.add(request)
        return request

    def _pop_ready(self, now: float) -> Request | None:
        while self._heap and self._heap[0][0] <= now:
            _, tick, host = heappop(self._heap)
            if self._keys.get(host) != tick:
                continue
            del self._keys[host]
            # another process may have changed the host since it was placed
            if self._refused(host):
                self._stopped[host] = None
                return None
            if self._lanes.ready_at(host) > now:
                self._place(host)
            elif (request := self._pop_of(host)) is not None:
                self._out[host] = request
                if plain_of(request) is not None:
                    self._slots.take()
                    self._rendering.add(request)
                return request
        return None

    def _pop_of(self, host: str, *, out_of_turn: bool = False) -> Request | None:
        """The next request of a host; out of turn a render needs no place, since it will not begin."""
        queue: HostQueue | StoredHostQueue | None = None
        if out_of_turn or self._slots.free:
            queue = self._renders.get(host)
        if queue is None and self._has_turn(host):
            queue = self._hosts.get(host)
        if queue is None:
            return None
        # more than the one that comes out can go: a damaged row of a file
        before = len(queue)
        request = queue.pop()
        self._length -= before - len(queue)
        self._drop_empty(host)
        return request

    def _has_turn(self, host: str) -> bool:
        """Whether a host has something that could be sent now, were its lane free."""
        renders = self._renders.get(host)
        if renders and self._slots.free:
            return True
        return host in self._hosts and not (renders and len(renders) >= _MOST_RENDERS)

    def _drop_empty(self, host: str) -> None:
        """Forget the queues of a host that are empty."""
        for queues in (self._renders, self._hosts):
            if host in queues and not queues[host]:
                del queues[host]
        if host not in self._hosts and host not in self._renders:
            self._keys.pop(host, None)

    def _refused(self, host: str) -> bool:
        return self._lanes.stop_of(host) is not None or self._lanes.too_late(host)

    def _place(self, host: str) -> None:
        """Put a host where it belongs, after anything about it has changed."""
        self._keys.pop(host, None)
        self._take_overdue(host)
        if (host not in self._hosts and host not in self._renders) or host in self._stopped:
            return
        if self._refused(host):
            self._stopped[host] = None
        elif host not in self._out and self._has_turn(host):
            tick, ready = next(self._ticks), self._lanes.ready_at(host)
            self._keys[host] = tick
            heappush(self._heap, (ready, tick, host))
            if ready > self._clock.now():
                self._lanes.tell(LaneEvent("wait", host, ready))
            if len(self._heap) > 2 * len(self._keys) + _SLACK:
                self._heap = [entry for entry in self._heap if self._keys.get(entry[2]) == entry[1]]
                heapify(self._heap)

    def _take_overdue(self, host: str) -> None:
        for queue in (self._renders.get(host), self._hosts.get(host)):
            if queue is not None:
                self._late.extend(queue.overdue(self._lanes.rested_at(host)))
        self._drop_empty(host)

    def _sound_alarms(self, now: float) -> None:
        while self._alarms and self._alarms[0][0] < now:
            self._take_overdue(heappop(self._alarms)[2])

    def _heard(self, event: LaneEvent) -> None:
        if event.kind == "wait":
            return
        for host in [event.host] if event.host else [*self._hosts, *self._renders]:
            if host not in self._hosts and host not in self._renders:
                continue
            if event.kind == "free" and host in self._out and event.until <= self._lanes.limit():
                continue
            with self._store_errors():
                self._place(host)
            self._wait()

    def _place_renders(self) -> None:
        """A place for a render is free."""
        for host in list(self._renders):
            with self._store_errors():
                self._place(host)
        self._wait()

    @contextmanager
    def _store_errors(self) -> Iterator[None]:
        """End the crawl when its store fails: a host that has no place in the queue would wait for ever."""
        try:
            yield
        except StoreError as error:
            close_with_error(self._crawler, str(error))

    def _wait(self) -> None:
        """Wake the engine when the next host is ready or the next deadline passes; at once for what pops now."""
        now = self._clock.now()
        while self._heap and self._keys.get(self._heap[0][2]) != self._heap[0][1]:
            heappop(self._heap)
        times = [self._heap[0][0]] if self._heap else []
        times += [self._alarms[0][0]] if self._alarms else []
        if self._late or self._stopped:
            times = [now]
        if not times or (self._timer is not None and self._timer_at <= min(times)):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = min(times)
        # a timer may come a little early by the other clock, so the smallest step is a millisecond
        self._timer = self._clock.call_later(max(self._timer_at - now, 0.001), self._wake)

    def _wake(self) -> None:
        self._timer = None
        wake_engine(self._crawler)
