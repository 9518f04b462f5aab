"""The capture log: NDJSON, one file for each UTC month of writing, appended under a lock and never rewritten."""

import errno
import fcntl
import json
import os
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from polite_crawler.errors import StoreError
from polite_crawler.store.folder import sync_folder
from polite_crawler.store.record import SCHEMA_VERSION, Capture, capture_id

LINE_LIMIT = 64 * 1024 * 1024
"""A run of bytes longer than this is no line: a reader skips it as damaged."""


@dataclass(frozen=True, slots=True)
class Position:
    """Where a line stands: the month file (`2026/11.ndjson`), its first byte and its length with the newline; and its
    CRC-32, when it is known."""

    file: str
    offset: int
    length: int
    crc: int | None = None


class TornWrite(OSError):
    """The disk took only a part of a line. The capture failed; the next writer repairs the tail."""


class DamagedLine(StoreError):
    """The bytes at a position are no line of this schema, or its id does not fit."""


class CaptureLog:
    """Appends and reads the lines of one log. Many processes can append at the same time (flock, no NFS)."""

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._clock = clock
        self._lock = threading.Lock()
        self._fd = -1
        self._file = ""
        self._unsynced: set[int] = set()

    def append(self, line: bytes) -> Position:
        """Write one line (with its newline) by one `write`, and say where it stands. `sync` makes it durable.

        When the last byte of the file is no newline, a newline goes first: else a line behind the torn one of a
        killed process would be lost with it. Raises TornWrite for a short write, OSError for none.
        """
        with self._lock:
            fd = self._open_month()
            self._unsynced.add(fd)
            with _locked(fd, fcntl.LOCK_EX):
                end = os.fstat(fd).st_size
                torn = bool(end) and os.pread(fd, 1, end - 1) != b"\n"
                written = os.write(fd, b"\n" + line if torn else line)
            if written != len(line) + torn:
                raise TornWrite(errno.ENOSPC, f"only {written} of {len(line) + torn} bytes of the line were written")
            return Position(self._file, end + torn, len(line), zlib.crc32(line))

    def sync(self) -> None:
        """fdatasync: each line that was appended before this call is durable when it returns.

        After a failure the file is opened anew: the kernel reports an error of the disk one time only, so a second
        fdatasync on the same file would confirm lines that were lost.
        """
        with self._lock:
            for fd in list(self._unsynced):
                try:
                    os.fdatasync(fd)
                except OSError:
                    self._close()
                    raise
                self._unsynced.discard(fd)
                if fd != self._fd:
                    os.close(fd)

    def close(self) -> None:
        """Close the month file."""
        with self._lock:
            self._close()

    def files(self) -> list[str]:
        """The month files, oldest first."""
        return [path.relative_to(self._folder).as_posix() for path in sorted(self._folder.glob("????/??.ndjson"))]

    def sizes(self) -> dict[str, int]:
        """The size of each month file, in bytes."""
        return {name: (self._folder / name).stat().st_size for name in self.files()}

    def scan(self, offsets: Mapping[str, int] | None = None) -> "LogScan":
        """Read the log from an offset for each file (by default from its beginning)."""
        return LogScan(self._folder, self.files(), dict(offsets or {}))

    def line(self, position: Position) -> bytes:
        """The octets at a position, unchecked. Raises DamagedLine."""
        try:
            fd = os.open(f"{self._folder}/{position.file}", os.O_RDONLY)
        except OSError as error:
            raise DamagedLine(f"cannot read {position.file} of the log: {error.strerror}") from None
        try:
            return os.pread(fd, position.length, position.offset)
        finally:
            os.close(fd)

    def holds(self, position: Position) -> bool:
        """Whether the line at a position is, octet for octet, the one that was found there."""
        try:
            return zlib.crc32(self.line(position)) == position.crc
        except DamagedLine:
            return False

    def read(self, position: Position) -> Capture:
        """The capture at a position, with its id checked again. Raises DamagedLine."""
        line = self.line(position)
        try:
            return parse_line(line)
        except ValueError as error:
            raise DamagedLine(f"the line at {position.file}:{position.offset} of the log is damaged: {error}") from None

    def _open_month(self) -> int:
        moment = time.gmtime(self._clock())
        name = f"{moment.tm_year:04d}/{moment.tm_mon:02d}.ndjson"
        if name != self._file:
            path = self._folder / name
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch(mode=0o600)
                sync_folder(path.parent)
                sync_folder(self._folder)
            fd = os.open(path, os.O_RDWR | os.O_APPEND)
            if self._fd >= 0 and self._fd not in self._unsynced:
                os.close(self._fd)
            self._fd, self._file = fd, name
        return self._fd

    def _close(self) -> None:
        for fd in self._unsynced | ({self._fd} if self._fd >= 0 else set()):
            os.close(fd)
        self._unsynced.clear()
        self._fd, self._file = -1, ""


class LogScan:
    """One pass over the log. While it runs, `offsets` says where each file was read to, and `skipped` counts the
    torn and damaged lines that were left out."""

    def __init__(self, folder: Path, files: list[str], offsets: dict[str, int]) -> None:
        self._folder = folder
        self._files = files
        self.offsets = offsets
        self.skipped = 0

    def __iter__(self) -> Iterator[tuple[Position, Capture]]:
        for name in self._files:
            yield from self._scan_file(name)

    def _scan_file(self, name: str) -> Iterator[tuple[Position, Capture]]:
        start = self.offsets.get(name, 0)
        with (self._folder / name).open("rb") as file:
            # under the lock no append is half done: a tail without a newline is torn and not in progress
            with _locked(file.fileno(), fcntl.LOCK_SH):
                end = os.fstat(file.fileno()).st_size
            file.seek(start)
            while start < end:
                line = file.readline(min(LINE_LIMIT, end - start))
                if not line.endswith(b"\n"):
                    self.skipped += 1
                    if start + len(line) >= end:
                        return  # it stays in front of the offset until a writer has ended it
                    start += len(line) + _skip_to_newline(file, end)
                    self.offsets[name] = start
                    continue
                position = Position(name, start, len(line), zlib.crc32(line))
                start += len(line)
                try:
                    capture = parse_line(line)
                except ValueError:
                    self.skipped += line != b"\n"
                    self.offsets[name] = start
                    continue
                yield position, capture
                self.offsets[name] = start


def parse_line(line: bytes) -> Capture:
    """The capture of a line. Raises ValueError for bytes that are no line of this schema, or whose id is wrong."""
    try:
        value = json.loads(line)
        if not isinstance(value, dict) or value.get("v") != SCHEMA_VERSION:
            raise ValueError("it is no capture of this schema")
        if value.get("id") != capture_id(value):
            raise ValueError("its id is wrong")
        return Capture.from_json(value)
    except (TypeError, AttributeError, RecursionError) as error:
        raise ValueError(str(error)) from None


def _skip_to_newline(file: BinaryIO, end: int) -> int:
    skipped = 0
    while file.tell() < end:
        part = file.readline(min(LINE_LIMIT, end - file.tell()))
        skipped += len(part)
        if part.endswith(b"\n"):
            break
    return skipped


@contextmanager
def _locked(fd: int, mode: int) -> Iterator[None]:
    fcntl.flock(fd, mode)
    try:
        yield
    finally:
        fcntl.flock(fd, fcntl.LOCK_UN)
