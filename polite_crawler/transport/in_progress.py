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
        tasks = [(request, task) for request, task in self._tasks.items() if wanted(request)]
        for request, task in tasks:
            self._notes[request] = note
            task.cancel()
        return len(tasks)

    @contextmanager
    def of(self, request: Request, lane: Lane | None = None) -> Iterator[None]:
        """The work of the current task on a request; it raises Ended also when its `lane` is lost."""
        task = asyncio.current_task()
        assert task is not None

        def lost() -> None:
            task.cancel()

        if lane is not None:
            lane.on_lost = lost
        self._tasks[request] = task
        try:
            yield
        except asyncio.CancelledError:
            gone = lane is not None and lane.lost
            note = f"the lane of {lane.host} was lost to another process" if lane and gone else self._notes.get(request)
            if note is not None and not task.uncancel():
                raise Ended(note, lost=gone) from None
            raise
        finally:
            if lane is not None:
                lane.on_lost = None
            del self._tasks[request]
            self._notes.pop(request, None)
