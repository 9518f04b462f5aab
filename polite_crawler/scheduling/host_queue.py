"""The requests of one host that wait for their turn."""

from collections import deque
from heapq import heappop, heappush
from itertools import count

from scrapy import Request


class HostQueue:
    """First in, first out within a priority; a higher priority first."""

    __slots__ = ("_deadlines", "_gone", "_length", "_order", "_queues", "_tick", "_timed")

    def __init__(self) -> None:
        self._queues: dict[int, deque[Request]] = {}
        self._order: list[int] = []
        self._deadlines: list[tuple[float, int, Request]] = []
        self._timed: set[Request] = set()
        self._gone: set[Request] = set()
        self._tick = count()
        self._length = 0

    def push(self, request: Request, *, deadline: float | None = None, front: bool = False) -> None:
        """Add a request: behind those of its priority, or in front of them when it was handed out before."""
        if deadline is not None:
            self._timed.add(request)
            heappush(self._deadlines, (deadline, next(self._tick), request))
        rank = -request.priority
        queue = self._queues.get(rank)
        if queue is None:
            queue = self._queues[rank] = deque()
            heappush(self._order, rank)
        if front:
            queue.appendleft(request)
        else:
            queue.append(request)
        self._length += 1

    def pop(self) -> Request | None:
        """The next request, or None."""
        rank = self.rank
        if rank is None:
            return None
        request = self._take(rank)
        self._timed.discard(request)
        self._length -= 1
        return request

    @property
    def rank(self) -> int | None:
        """The rank of the next request (its priority with the sign changed); None when there is none."""
        while self._order:
            rank = self._order[0]
            if (request := self._queues[rank][0]) not in self._gone:
                return rank
            self._gone.remove(request)
            self._take(rank)
        return None

    def overdue(self, ready: float) -> list[Request]:
        """Take out the requests whose deadline is before `ready`, the time at which the host can be asked."""
        taken = []
        while self._deadlines and self._deadlines[0][0] < ready:
            request = heappop(self._deadlines)[2]
            if request in self._timed:
                self._timed.remove(request)
                self._gone.add(request)
                self._length -= 1
                taken.append(request)
        return taken

    def remove(self, request: Request) -> bool:
        """Take out one request. False when it does not wait here."""
        if request in self._gone or request not in self._queues.get(-request.priority, ()):
            return False
        self._timed.discard(request)
        self._gone.add(request)
        self._length -= 1
        return True

    def __len__(self) -> int:
        return self._length

    def _take(self, rank: int) -> Request:
        queue = self._queues[rank]
        request = queue.popleft()
        if not queue:
            del self._queues[rank]
            heappop(self._order)
        return request
