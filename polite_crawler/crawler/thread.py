"""The thread in which an engine lives: a loop of its own, started and stopped from outside."""

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from typing import Any, TypeVar

from polite_crawler.crawler.engine import Engine
from polite_crawler.errors import PoliteError
from polite_crawler.spiders.queue_fed import CLOSED

_T = TypeVar("_T")
_NUMBERS = count(1)
_FORKED = "the crawler was opened before this process was forked; open one in this process"


class EngineThread:
    """Runs one engine. `opened` is done when it is open, or failed to open; `ended` when its thread has nothing more
    to do. The thread is a daemon: a program that ends without `stop` is not held up.
    """

    def __init__(self, make: Callable[[], Engine]) -> None:
        self.opened: Future[None] = Future()
        self.ended: Future[None] = Future()
        self._make = make
        self._engine: Engine | None = None
        self._stop = asyncio.Event()
        self._stopping = False
        self._gate = threading.Lock()
        self._pid = os.getpid()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name=f"polite-crawler-{next(_NUMBERS)}", daemon=True)

    def start(self) -> "Future[None]":
        """Start the thread; gives `opened`."""
        self._thread.start()
        return self.opened

    @property
    def engine(self) -> Engine:
        """The open engine, for what any thread may ask of it. Raises PoliteError for a crawler that is closed, and in
        a process that was forked from the one that opened it."""
        if os.getpid() != self._pid:
            raise PoliteError(_FORKED)
        if self._engine is None or self._stopping:
            raise PoliteError(CLOSED)
        return self._engine

    def call(self, ask: Callable[[Engine], Awaitable[_T]]) -> "Future[_T]":
        """Ask the engine something, in its loop. Cancelling the future cancels what it awaits. Raises what `engine`
        does."""
        with self._gate:
            engine, loop = self.engine, self._loop
            assert loop is not None
            return asyncio.run_coroutine_threadsafe(_asked(ask, engine), loop)

    def post(self, call: Callable[[], object]) -> None:
        """Call something in the loop, and wait for nothing; nothing happens once the loop has ended."""
        with suppress(RuntimeError):
            # the loop of a forked process is that of its parent
            if self._loop is not None and os.getpid() == self._pid:
                self._loop.call_soon_threadsafe(call)

    def stop(self) -> "Future[None]":
        """Close the engine and end the thread; gives `ended`. It is no fault to call this again."""
        if os.getpid() != self._pid:
            # the thread is that of the parent
            _settle(self.ended, None)
            return self.ended
        with self._gate:
            self._stopping = True
        self.post(self._stop.set)
        return self.ended

    def join(self, timeout: float) -> bool:
        """Wait for the thread, at most `timeout` seconds. False when it has not ended."""
        if self._thread.ident is not None and os.getpid() == self._pid:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            # the loop is ours alone: no policy of the program decides its kind
            with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
                self._loop = runner.get_loop()
                runner.run(self._live())
        except BaseException as error:
            _settle(self.opened, error)
            _settle(self.ended, error)
        else:
            _settle(self.ended, None)

    async def _live(self) -> None:
        engine: Engine | None = None
        try:
            engine = self._make()
            await engine.start()
        except Exception as error:
            if engine is not None:
                await engine.close()
            _settle(self.opened, error)
            return
        self._engine = engine
        _settle(self.opened, None)
        if not self._stopping:
            await self._stop.wait()
        await engine.close()
        self._engine = None


async def _asked(ask: Callable[[Engine], Awaitable[_T]], engine: Engine) -> _T:
    return await ask(engine)


def _settle(future: "Future[Any]", error: BaseException | None) -> None:
    # a waiter that was cancelled has cancelled the future
    if future.done() or not future.set_running_or_notify_cancel():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
