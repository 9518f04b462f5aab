"""One thread that makes captures durable: bodies first, then lines, with one fdatasync for all that wait."""

import errno
import os
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass

from polite_crawler.errors import StoreError
from polite_crawler.store.blobs import Blobs
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.log import CaptureLog, Position
from polite_crawler.store.record import Capture

MIN_FREE = 200 * 1024 * 1024
"""The default of POLITE_MIN_FREE: with less free space than this (bytes), a capture fails before the disk is full."""

_BATCH = 128
_FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True, slots=True)
class Written:
    """What became durable: the SHA-256 of each body, in the order of the job, and where the line stands."""

    blobs: tuple[str, ...] = ()
    position: Position | None = None


@dataclass(frozen=True, slots=True)
class BlobBytes:
    """A body to keep. `coded` is true when it is compressed already (a content coding, an image)."""

    data: bytes
    coded: bool = False


@dataclass(slots=True)
class _Job:
    blobs: Sequence[BlobBytes]
    line: bytes | None
    future: "Future[Written]"
    written: Written = Written()


class WriterThread:
    """The one writer of a process. `submit` is for any thread; an asyncio program awaits
    `asyncio.wrap_future(writer.submit(...))`.

    A future is resolved when its bodies are fsynced and its line is fdatasynced: whoever appended before a sync began
    is confirmed by it. A failure fails the futures that it concerns with a StoreError, never the thread.
    """

    def __init__(
        self,
        folder: StoreFolder,
        *,
        min_free: int = MIN_FREE,
        statvfs: Callable[[str], os.statvfs_result] = os.statvfs,
        log: CaptureLog | None = None,
        blobs: Blobs | None = None,
    ) -> None:
        self._folder = folder
        self._min_free = min_free
        self._statvfs = statvfs
        self.log = log or CaptureLog(folder.log)
        self.blobs = blobs or Blobs(folder.blobs)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._gate = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="polite-writer", daemon=True)
        self._thread.start()

    def submit(self, capture: Capture | None = None, *, blobs: Sequence[BlobBytes] = ()) -> "Future[Written]":
        """Make bodies and the line of a sealed capture durable, bodies first. The future fails with StoreError."""
        future: Future[Written] = Future()
        if capture is not None and not capture.id:
            raise ValueError("a capture is sealed before it is written")
        job = _Job(tuple(blobs), capture.line() if capture else None, future)
        with self._gate:
            if self._closed:
                future.set_exception(StoreError("the store is closed"))
            else:
                self._jobs.put(job)
        return future

    def close(self, timeout: float = 30.0) -> bool:
        """Write what waits and stop; at most `timeout` seconds. False when the disk did not end in that time."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._jobs.put(None)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        open_ = True
        while open_:
            batch: list[_Job] = []
            job = self._jobs.get()
            while True:
                if job is None:
                    open_ = False
                    break
                if job.future.set_running_or_notify_cancel():
                    batch.append(job)
                if len(batch) >= _BATCH:
                    break
                try:
                    job = self._jobs.get_nowait()
                except queue.Empty:
                    break
            self._write(batch)
        self.log.close()

    def _write(self, batch: list[_Job]) -> None:
        appended: list[_Job] = []
        for job in batch:
            try:
                self._guard()
                names = tuple(self.blobs.put(blob.data, coded=blob.coded) for blob in job.blobs)
                position = self.log.append(job.line) if job.line is not None else None
                job.written = Written(names, position)
                appended.append(job)
            except Exception as error:  # the thread outlives each failure of a job
                _fail(job, self._explain(error))
        try:
            self.log.sync()
        except OSError as error:
            for job in appended:
                _fail(job, self._explain(error))
            return
        for job in appended:
            try:
                job.future.set_result(job.written)
            except InvalidStateError:
                pass

    def _guard(self) -> None:
        if not self._min_free:
            return
        disk = self._statvfs(str(self._folder.path))
        free = disk.f_bavail * disk.f_frsize
        if free < self._min_free:
            raise StoreError(
                f"disk full: {free // 2**20} MiB free for {self._folder.path},"
                f" the least is {self._min_free // 2**20} MiB (POLITE_MIN_FREE)"
            )

    def _explain(self, error: Exception) -> StoreError:
        if isinstance(error, StoreError):
            return error
        if isinstance(error, OSError):
            full = "disk full: " if error.errno in _FULL else ""
            return StoreError(f"{full}cannot write the store {self._folder.path}: {error.strerror or error}")
        return StoreError(f"cannot write the store {self._folder.path}: {type(error).__name__}: {error}")


def _fail(job: _Job, error: StoreError) -> None:
    try:
        job.future.set_exception(error)
    except InvalidStateError:
        pass
