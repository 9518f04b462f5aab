"""Writing much at once: bodies packed in a thread of their own and made durable by one sync, then the lines that name
them, many in one write."""

import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor

from polite_crawler.errors import StoreError
from polite_crawler.store.blobs import Blobs
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.log import CaptureLog
from polite_crawler.store.writer import MIN_FREE

_IN_FLIGHT = 1 << 26
_GUARD_EVERY = 64
_LINES = 1 << 20


class BodyWriter:
    """Writes bodies. At most so many octets wait as one import may hold in memory."""

    def __init__(self, folder: StoreFolder, *, min_free: int = MIN_FREE) -> None:
        self._folder = folder
        self._blobs = Blobs(folder.blobs)
        self._min_free = min_free
        self._pool = ThreadPoolExecutor(1, "polite-bodies")
        self._waiting: deque[tuple[int, Future[str]]] = deque()
        self._octets = 0
        self._count = 0

    def put(self, data: bytes, *, coded: bool) -> None:
        """Keep a body. Raises StoreError for this one or for one before it."""
        if self._count % _GUARD_EVERY == 0:
            self._guard()
        self._count += 1
        self._waiting.append(
            (len(data), self._pool.submit(self._blobs.put, data, coded=coded, fast=True, durable=False))
        )
        self._octets += len(data)
        while self._octets > _IN_FLIGHT or (self._waiting and self._waiting[0][1].done()):
            self._settle_one()

    def get(self, sha256: str) -> bytes:
        """A body that was put, or one of the store. Raises BlobError."""
        self._settle()
        return self._blobs.get(sha256)

    def sync(self) -> None:
        """Make durable what was put: one sync of the disk costs less than one for each body. Raises StoreError."""
        self._settle()
        if self._count:
            os.sync()

    def close(self) -> None:
        """End the thread."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _settle(self) -> None:
        while self._waiting:
            self._settle_one()

    def _settle_one(self) -> None:
        size, future = self._waiting.popleft()
        self._octets -= size
        try:
            future.result()
        except OSError as error:
            raise StoreError(f"cannot write the store {self._folder.path}: {error.strerror or error}") from None

    def _guard(self) -> None:
        disk = os.statvfs(self._folder.path)
        free = disk.f_bavail * disk.f_frsize
        if free < self._min_free:
            raise StoreError(f"disk full: {free // 2**20} MiB free for {self._folder.path}")


class LineWriter:
    """Appends lines to the log, about a megabyte at a time."""

    def __init__(self, folder: StoreFolder) -> None:
        self._folder = folder
        self._log = CaptureLog(folder.log)
        self._held: list[bytes] = []
        self._octets = 0

    def put(self, line: bytes) -> None:
        """Append a line. Raises StoreError for this one or for one before it."""
        self._held.append(line)
        self._octets += len(line)
        if self._octets >= _LINES:
            self._append()

    def close(self) -> None:
        """Make every line durable. Raises StoreError."""
        try:
            self._append()
            self._log.sync()
        except OSError as error:
            raise self._failed(error) from None
        finally:
            self._log.close()

    def _append(self) -> None:
        held, self._held, self._octets = self._held, [], 0
        if not held:
            return
        try:
            self._log.append(b"".join(held))
        except OSError as error:
            raise self._failed(error) from None

    def _failed(self, error: OSError) -> StoreError:
        return StoreError(f"cannot write the store {self._folder.path}: {error.strerror or error}")
