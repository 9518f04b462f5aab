"""A crawl or a discovery to loop over. Leaving the loop cancels it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from typing import Generic, Self

from polite_crawler.crawler.course import Course, Item, Summary


class _Told(Generic[Item, Summary]):
    """What a run tells of its course."""

    def __init__(self, course: Course[Item, Summary]) -> None:
        self._course = course

    @property
    def summary(self) -> Summary | None:
        """How it ended; None before. Its numbers add up to what the loop was given."""
        return self._course.summary

    @property
    def queued(self) -> int:
        """How many URLs wait or are in progress now."""
        return self._course.queued


class Run(_Told[Item, Summary]):
    """An async iterable of what comes; it begins with the loop.

    Leaving the loop (`break`, `return`, an exception, a cancelled task) cancels it, as it does for an async generator.
    Where it matters that it has ended before the program goes on, use it as an async context manager, or await
    `aclose`.
    """

    def __aiter__(self) -> AsyncIterator[Item]:
        return _Items(self._course)

    async def aclose(self) -> None:
        """Cancel it, if it has not ended, and wait until nothing of it is in progress."""
        self._course.cancel()
        await asyncio.shield(asyncio.wrap_future(self._course.closed))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class SyncRun(_Told[Item, Summary]):
    """An iterable of what comes; it begins with the loop, and leaving the loop cancels it."""

    def __iter__(self) -> Iterator[Item]:
        return _SyncItems(self._course)

    def close(self) -> None:
        """Cancel it, if it has not ended, and wait until nothing of it is in progress."""
        self._course.cancel()
        self._course.closed.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Items(Generic[Item, Summary]):
    """What a loop holds: when it lets go, nobody can read on."""

    def __init__(self, course: Course[Item, Summary]) -> None:
        self._course = course

    def __aiter__(self) -> AsyncIterator[Item]:
        return self

    async def __anext__(self) -> Item:
        while True:
            found = self._course.take()
            if found is None:
                raise StopAsyncIteration
            if not isinstance(found, Future):
                return found
            try:
                await asyncio.wrap_future(found)
            except asyncio.CancelledError:
                # the traceback would hold on to this for longer than the loop lives
                self._course.cancel()
                raise

    def __del__(self) -> None:
        self._course.cancel()


class _SyncItems(Generic[Item, Summary]):
    def __init__(self, course: Course[Item, Summary]) -> None:
        self._course = course

    def __iter__(self) -> Iterator[Item]:
        return self

    def __next__(self) -> Item:
        while True:
            found = self._course.take()
            if found is None:
                raise StopIteration
            if not isinstance(found, Future):
                return found
            try:
                found.result()
            except KeyboardInterrupt:
                self._course.cancel()
                raise

    def __del__(self) -> None:
        self._course.cancel()
