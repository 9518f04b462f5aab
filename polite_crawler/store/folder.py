"""The folder of a store: what lies where, and which version of the layout it has."""

import os
from dataclasses import dataclass
from pathlib import Path

from polite_crawler.errors import StoreError
from polite_crawler.paths import given_path

STORE_VERSION = 1
"""The version of the layout. It stands in the file `VERSION` at the top of the folder."""

_MARK = "VERSION"
_ROOM = 1 << 20


@dataclass(frozen=True, slots=True, init=False)
class StoreFolder:
    """The paths of one store. Making the value touches no disk: `create` and `check` do."""

    path: Path

    def __init__(self, path: str | os.PathLike[str]) -> None:
        object.__setattr__(self, "path", given_path(path).absolute())

    @property
    def log(self) -> Path:
        """The folder of the month files of the capture log."""
        return self.path / "captures" / "fetch"

    @property
    def blobs(self) -> Path:
        """The folder of the entity bodies as received."""
        return self.path / "blobs"

    @property
    def index(self) -> Path:
        """The folder of `CURRENT` and the generations of the index."""
        return self.path / "index"

    @property
    def hosts(self) -> Path:
        """The SQLite file of pace, leases, stops and validators."""
        return self.path / "hosts.sqlite"

    @property
    def frontier(self) -> Path:
        """The folder of the queues of resumable crawls."""
        return self.path / "frontier"

    @property
    def checkpoints(self) -> Path:
        """The folder of the signed checkpoints of the log."""
        return self.path / "checkpoints"

    @property
    def mcp_token(self) -> Path:
        """The file with the token of the HTTP form of the MCP server."""
        return self.path / "mcp-token"

    def exists(self) -> bool:
        """Whether a store stands here: its mark, or a log without one."""
        return (self.path / _MARK).is_file() or self.log.is_dir()

    def create(self) -> "StoreFolder":
        """Make the folder and its mark when they are not there, and check that it can be written.

        A folder that this call makes is for its owner alone: a store is private evidence. Raises StoreError for a
        folder that cannot be made or written, and for a store of another version.
        """
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._check_version()
            self.log.mkdir(parents=True, exist_ok=True)
            self.blobs.mkdir(exist_ok=True)
            self.index.mkdir(exist_ok=True)
            if not (self.path / _MARK).exists():
                self._write_mark()
        except FileExistsError as error:
            raise StoreError(f"cannot write the store {self.path}: {error.filename} is no folder") from None
        except OSError as error:
            raise StoreError(f"cannot write the store {self.path}: {error.strerror or error}") from None
        if not self.writable():
            raise StoreError(f"cannot write the store {self.path}: Permission denied")
        return self

    def check(self) -> "StoreFolder":
        """Raise StoreError when no store stands here, or one of another version."""
        if not self.exists():
            raise StoreError(f"no store at {self.path}; fetch or crawl something first, or name its folder")
        self._check_version()
        return self

    def writable(self) -> bool:
        """Whether this process may write the folder."""
        return os.access(self.path, os.W_OK | os.X_OK) and os.access(self.log, os.W_OK | os.X_OK)

    def has_room(self) -> bool:
        """Whether the disk takes what the reader of an index writes. On a full one it can still be read."""
        disk = os.statvfs(self.path)
        return not disk.f_blocks or disk.f_bavail * disk.f_frsize >= _ROOM

    def _check_version(self) -> None:
        try:
            text = (self.path / _MARK).read_text("ascii", "replace").strip()
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"cannot read the store {self.path}: {error.strerror or error}") from None
        if text != str(STORE_VERSION):
            raise StoreError(
                f"the store {self.path} has version {text[:20] or 'unknown'},"
                f" this program reads version {STORE_VERSION}"
            )

    def _write_mark(self) -> None:
        temporary = self.path / f".{_MARK}.{os.getpid()}"
        with temporary.open("w", encoding="ascii") as file:
            file.write(f"{STORE_VERSION}\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(self.path / _MARK)
        sync_folder(self.path)


def sync_folder(path: Path) -> None:
    """fsync a folder, so that the names in it survive a loss of power."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
