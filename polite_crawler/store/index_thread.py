"""Indexing while a crawl runs: a thread of its own behind a bounded queue."""

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from polite_crawler.errors import PoliteError, StoreError
from polite_crawler.store.document import Document
from polite_crawler.store.index import Index
from polite_crawler.store.log import Position
from polite_crawler.store.record import Capture
from polite_crawler.store.segments import TAIL

_WAITING = 256
_CLOSING_TAIL = 64
"""Texts. At the end of a crawl a shorter tail gets a segment too, so that the next process reads files."""


@dataclass(slots=True)
class _Job:
    capture: Capture
    documents: Sequence[Document]
    position: Position | None
    future: "Future[bool]"


class IndexThread:
    """Adds captures to an index in a thread, one transaction each. The log has them already, so nothing is lost when
    this fails: an error is noted, and the catch-up adds what is missing.

    `submit` never waits. When the queue is full the future fails with StoreError, and the thread catches up from the
    log as soon as the queue is empty.
    """

    def __init__(
        self, open_index: Callable[[], Index], *, on_error: Callable[[str], None] | None = None, waiting: int = _WAITING
    ) -> None:
        self._open = open_index
        self._on_error = on_error or (lambda note: None)
        self._jobs: queue.Queue[_Job | None] = queue.Queue(waiting)
        self._gate = threading.Lock()
        self._closing = threading.Event()
        self._behind = False
        self._added = 0
        self._thread = threading.Thread(target=self._run, name="polite-index", daemon=True)
        self._thread.start()

    def submit(
        self, capture: Capture, documents: Sequence[Document], position: Position | None = None
    ) -> "Future[bool]":
        """Add a capture. The future gives False when the index has it already, and fails with StoreError."""
        future: Future[bool] = Future()
        with self._gate:
            if self._closing.is_set():
                future.set_exception(StoreError("the index is closed"))
                return future
            try:
                self._jobs.put_nowait(_Job(capture, documents, position, future))
            except queue.Full:
                self._behind = True
                future.set_exception(StoreError("the index is behind; it catches up from the log"))
        return future

    def close(self, timeout: float = 60.0) -> bool:
        """Add what waits and stop; at most `timeout` seconds. False when it did not end in that time."""
        with self._gate:
            self._closing.set()
        try:
            self._jobs.put(None, timeout=timeout)
        except queue.Full:
            return False
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        index: Index | None = None
        while True:
            job = self._jobs.get()
            try:
                if index is None:
                    index = self._open()
                if job is None:
                    index.catch_up()
                    index.maintain(tail=_CLOSING_TAIL)
                    index.close()
                else:
                    self._add(index, job)
                    self._added += 1
                    if self._added % TAIL == 0:
                        index.maintain()
                    if self._behind and self._jobs.empty():
                        self._behind = False
                        index.catch_up()
            except Exception as error:  # the thread outlives each failure; the catch-up repairs it
                self._behind = True
                self._note(error)
                if job is not None and not job.future.done():
                    job.future.set_exception(_as_store_error(error))
            if job is None:
                return

    def _add(self, index: Index, job: _Job) -> None:
        if job.future.set_running_or_notify_cancel():
            job.future.set_result(index.add(job.capture, job.documents, job.position))

    def _note(self, error: Exception) -> None:
        self._on_error(str(error) if isinstance(error, PoliteError) else f"{type(error).__name__}: {error}")


def _as_store_error(error: Exception) -> StoreError:
    return error if isinstance(error, StoreError) else StoreError(f"cannot write the index: {error}")
