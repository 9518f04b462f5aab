"""What is in progress, and how it is ended from outside: an exchange, a render."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from scrapy import Request

from polite_crawler.scheduling.lanes import Lane


class Ended(Exception):
    """The work was ended from outside; the message says why. `lost` is true when another process has the lane."""

    def __init__(self, note: str, *, lost: bool = False) -> None:
        super().__init__(note)
        self.lost = lost


class InProgress:
    """The tasks that work on requests."""

    def __init__(self) -> None:
        self._tasks: dict[Request, asyncio.Task[object]] = {}
        self._notes: dict[Request, str] = {}

    def end(self, note: str, wanted: Callable[[Request], bool] = lambda request: True) -> int:
        """End the work on the wanted requests: each raises Ended with the note. Gives how many there were."""
        ended = [request for request in self._tasks if wanted(request)]
        for request in ended:
            self._end(request, note)
        return len(ended)

    @contextmanager
    def of(self, request: Request, lane: Lane | None = None) -> Iterator[None]:
        """The work of the current task on a request; it raises Ended also when its `lane` is lost."""
        task = asyncio.current_task()
        assert task is not None

        def lost() -> None:
            assert lane is not None
            self._end(request, f"the lane of {lane.host} was lost to another process")

        if lane is not None:
            lane.on_lost = lost
        self._tasks[request] = task
        try:
            yield
        except asyncio.CancelledError:
            note = self._notes.get(request)
            if note is not None and not task.uncancel():
                raise Ended(note, lost=lane is not None and lane.lost) from None
            raise
        finally:
            if lane is not None:
                lane.on_lost = None
            del self._tasks[request]
            self._notes.pop(request, None)

    def _end(self, request: Request, note: str) -> None:
        # one cancellation each: a second one would be taken for somebody else's
        if request not in self._notes:
            self._notes[request] = note
            self._tasks[request].cancel()
