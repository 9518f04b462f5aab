"""Files that get their name at the end: a failed export leaves no part of a file, and replaces none unasked."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from polite_crawler.errors import PoliteError
from polite_crawler.store.folder import sync_folder

_BUFFER = 1 << 20


def open_archive(path: Path) -> BinaryIO:
    """An archive, for reading. It has to be a regular file: a pipe or a device may have no end, and no way back in it.
    Raises PoliteError, and OSError."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise PoliteError(f"cannot read {path}: it is no regular file")
    return path.open("rb")


class NewFile:
    """A file beside its name. `commit` makes it durable and names it, `discard` takes it away."""

    def __init__(self, path: Path, *, overwrite: bool) -> None:
        """Raises PoliteError when the name is taken (and `overwrite` is false) or the folder cannot be written."""
        self.path = path
        self._overwrite = overwrite
        if not overwrite and (path.exists() or path.is_symlink()):
            raise taken(path)
        self._temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            self.file: BinaryIO = self._temporary.open("w+b", buffering=_BUFFER)
        except OSError as error:
            raise PoliteError(f"cannot write {path}: {error.strerror or error}") from None

    def commit(self) -> int:
        """Name the file and return its size in octets. Raises PoliteError when the name was taken meanwhile."""
        self.file.flush()
        os.fsync(self.file.fileno())
        size = os.fstat(self.file.fileno()).st_size
        self.file.close()
        if self._overwrite:
            self._temporary.replace(self.path)
        else:
            self._link()
        sync_folder(self.path.parent)
        return size

    def discard(self) -> None:
        """Leave nothing behind."""
        self.file.close()
        self._temporary.unlink(missing_ok=True)

    def _link(self) -> None:
        try:
            os.link(self._temporary, self.path)  # unlike a rename it never replaces a file
        except FileExistsError:
            raise taken(self.path) from None
        except OSError:
            if self.path.exists():
                raise taken(self.path) from None
            self._temporary.rename(self.path)  # a file system without hard links
            return
        self._temporary.unlink()


def taken(path: Path) -> PoliteError:
    """The error for a file that is there already."""
    return PoliteError(f"{path} is there already; --overwrite replaces it")


@contextmanager
def new_file(path: Path, *, overwrite: bool = False) -> Iterator[BinaryIO]:
    """Write one file; it gets its name when the block ends well."""
    new = NewFile(path, overwrite=overwrite)
    try:
        yield new.file
        new.commit()
    finally:
        new.discard()
