"""The requests of one host of a resumable crawl: in the file, and in memory what may not be in a file."""

from scrapy import Request

from polite_crawler.scheduling.frontier import Frontier
from polite_crawler.scheduling.host_queue import HostQueue


class StoredHostQueue:
    """A HostQueue over the frontier."""

    __slots__ = ("_frontier", "_host", "_memory")

    def __init__(self, frontier: Frontier, host: str) -> None:
        self._frontier = frontier
        self._host = host
        self._memory: HostQueue | None = None

    def push(self, request: Request, *, deadline: float | None = None, front: bool = False) -> None:
        """Add a request. One that was taken and comes back has kept its place in the file."""
        # a request that cannot wait long is not worth a place in a file that outlives it
        if (front and self._frontier.give_back(request)) or (
            deadline is None and self._frontier.put(self._host, request)
        ):
            return
        if self._memory is None:
            self._memory = HostQueue()
        self._memory.push(request, deadline=deadline, front=front)

    def pop(self) -> Request | None:
        """The next request, or None; of one rank, those in memory come first."""
        memory = self._memory
        if memory is not None and (top := memory.rank) is not None:
            stored = self._frontier.rank(self._host)
            if stored is None or top <= stored:
                return memory.pop()
        return self._frontier.take(self._host)

    def overdue(self, ready: float) -> list[Request]:
        """Take out the requests whose deadline is before `ready`."""
        return self._memory.overdue(ready) if self._memory is not None else []

    def __len__(self) -> int:
        return self._frontier.waiting[self._host] + (len(self._memory) if self._memory is not None else 0)
