"""What a crawl gives, on its way from the engine's thread to whoever reads it."""

import threading
from collections import deque
from concurrent.futures import Future
from typing import Generic, TypeVar

_T = TypeVar("_T")


class Stream(Generic[_T]):
    """A queue between two threads, with an end. The writer never waits."""

    def __init__(self) -> None:
        # the garbage collector may leave a loop in any thread and at any time, also while this one is here
        self._gate = threading.RLock()
        self._items: deque[_T] = deque()
        self._waiter: Future[None] | None = None
        self._ended = False

    def put(self, item: _T) -> None:
        """Add an item; nothing happens after the end."""
        with self._gate:
            if not self._ended:
                self._items.append(item)
                self._wake()

    def end(self) -> None:
        """Nothing more comes."""
        with self._gate:
            self._ended = True
            self._wake()

    def clear(self) -> int:
        """End the stream, and forget what nobody has taken. Gives how much that was."""
        with self._gate:
            left = len(self._items)
            self._items.clear()
            self._ended = True
            self._wake()
            return left

    def take(self) -> "_T | Future[None] | None":
        """The next item; None at the end; else a future that is done when it is worth asking again. One reader."""
        with self._gate:
            if self._items:
                return self._items.popleft()
            if self._ended:
                return None
            self._waiter = Future()
            return self._waiter

    def _wake(self) -> None:
        waiter, self._waiter = self._waiter, None
        # a reader that was cancelled has cancelled its future
        if waiter is not None and waiter.set_running_or_notify_cancel():
            waiter.set_result(None)
