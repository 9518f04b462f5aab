"""Writing much at once: bodies made durable by one sync, then the lines that name them, many in one write."""

import os

from polite_crawler.errors import StoreError
from polite_crawler.store.blobs import Blobs
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.log import CaptureLog
from polite_crawler.store.writer import MIN_FREE

_GUARD_EVERY = 64
_LINES = 1 << 20


class BodyWriter:
    """Writes bodies."""

    def __init__(self, folder: StoreFolder, *, min_free: int = MIN_FREE) -> None:
        self._folder = folder
        self._blobs = Blobs(folder.blobs)
        self._min_free = min_free
        self._count = 0

    def put(self, data: bytes, *, coded: bool) -> None:
        """Keep a body. Raises StoreError."""
        if self._count % _GUARD_EVERY == 0:
            self._guard()
        self._count += 1
        try:
            self._blobs.put(data, coded=coded, durable=False)
        except OSError as error:
            raise StoreError(f"cannot write the store {self._folder.path}: {error.strerror or error}") from None

    def get(self, sha256: str) -> bytes:
        """A body that was put, or one of the store. Raises BlobError."""
        return self._blobs.get(sha256)

    def sync(self) -> None:
        """Make durable what was put: one sync of the disk costs less than one for each body."""
        if self._count:
            os.sync()

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
