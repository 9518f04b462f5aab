"""Generations of the index: each in a folder of its own, with `CURRENT` naming the one that answers.

A rebuild never replaces the files of a WAL database that others have open: that breaks it. It writes beside, and the
swap is one rename of `CURRENT`.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from polite_crawler.store.folder import sync_folder

_CURRENT = "CURRENT"
_LOCK = "lock"


class Generations:
    """The generations under one folder. A generation is named by a number of six digits."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._pointer = folder / _CURRENT
        self._prefix = f"{folder}{os.sep}"
        self._seen: tuple[tuple[int, int], str] | None = None

    def current(self) -> str | None:
        """The name of the generation that answers, or None when there is none.

        Asked before each question and each page, so the file is read only when it is another one.
        """
        try:
            facts = os.stat(self._pointer)
            mark = (facts.st_ino, facts.st_mtime_ns)
            if self._seen is None or self._seen[0] != mark:
                name = self._pointer.read_text("ascii", "replace").strip()
                self._seen = mark, name
        except OSError:
            return None
        name = self._seen[1]
        return name if name.isdigit() and os.path.isdir(f"{self._prefix}{name}") else None

    def path(self, name: str) -> Path:
        """The folder of a generation."""
        return self.folder / name

    def database(self, name: str) -> Path:
        """The SQLite file of a generation."""
        return self.folder / name / "index.sqlite"

    def make(self) -> str:
        """Make the empty folder of the next generation. Only under `lock`."""
        numbers = [int(path.name) for path in self.folder.glob("[0-9]*") if path.name.isdigit()]
        name = f"{max(numbers, default=0) + 1:06d}"
        self.path(name).mkdir()
        sync_folder(self.folder)
        return name

    def point_to(self, name: str) -> None:
        """Make a generation the one that answers; durable when this returns."""
        sync_folder(self.path(name))
        temporary = self.folder / f".{_CURRENT}.{os.getpid()}"
        with temporary.open("w", encoding="ascii") as file:
            file.write(name + "\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(self.folder / _CURRENT)
        sync_folder(self.folder)

    def drop_others(self, kept: str) -> None:
        """Remove each generation but one: those of the past, and what a killed rebuild left. Only under `lock`."""
        for path in self.folder.glob("[0-9]*"):
            if path.name != kept:
                shutil.rmtree(path, ignore_errors=True)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the right to build a generation: one process at a time, the next one waits."""
        # the index can be made again, so somebody may have taken all of it away
        self.folder.mkdir(exist_ok=True)
        fd = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)
