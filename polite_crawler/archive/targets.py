"""Where an export goes: WARC files side by side in a folder, or one WACZ package."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from polite_crawler.archive.capture_writer import CaptureWriter
from polite_crawler.archive.files import NewFile
from polite_crawler.archive.scratch import Scratch
from polite_crawler.archive.signature import PackageKey
from polite_crawler.archive.wacz import ARCHIVE, Package, Writes
from polite_crawler.archive.warc import Parts


class Target(Parts, Protocol):
    """The files of an export. They get their names by `commit`; `discard` leaves nothing that has none."""

    paths: list[Path]

    def finish(self, scratch: Scratch, captures: CaptureWriter) -> None:
        """Write what stands beside the records."""
        ...

    def commit(self) -> int:
        """Name the files, and return the octets of all."""
        ...

    def discard(self) -> None:
        """Take away what was not committed."""
        ...


class WarcFolder:
    """WARC files: `NAME.warc.gz`, then `NAME-00001.warc.gz` and so on."""

    def __init__(self, path: Path, *, overwrite: bool) -> None:
        self._path = path
        self._overwrite = overwrite
        self._files: list[NewFile] = []
        self.paths: list[Path] = []

    def begin(self, number: int) -> tuple[str, Writes]:
        """Begin the file of a number."""
        path = self._path
        if number:
            path = path.with_name(f"{path.name.removesuffix('.warc.gz')}-{number:05}.warc.gz")
        new = NewFile(path, overwrite=self._overwrite)
        self._files.append(new)
        self.paths.append(path)
        return path.name, new.file

    def end(self) -> None:
        """End the file that was begun last."""
        self._files[-1].file.flush()

    def finish(self, scratch: Scratch, captures: CaptureWriter) -> None:
        """A WARC has nothing beside its records."""

    def commit(self) -> int:
        """Name the files."""
        return sum([new.commit() for new in self._files])

    def discard(self) -> None:
        """Take away the files without a name."""
        for new in self._files:
            new.discard()


class WaczFile:
    """One package. `key` signs it."""

    def __init__(self, path: Path, *, overwrite: bool, key: PackageKey | None, software: str) -> None:
        self._new = NewFile(path, overwrite=overwrite)
        self._package = Package(self._new.file)
        self._key = key
        self._software = software
        self._member: AbstractContextManager[Writes] | None = None
        self.paths: list[Path] = [path]

    def begin(self, number: int) -> tuple[str, Writes]:
        """Begin the WARC file of a number."""
        name = f"data-{number:05}.warc.gz" if number else "data.warc.gz"
        self._member = self._package.member(ARCHIVE + name, stored=True)
        return name, self._member.__enter__()

    def end(self) -> None:
        """End the WARC file."""
        if self._member is not None:
            member, self._member = self._member, None
            member.__exit__(None, None, None)

    def finish(self, scratch: Scratch, captures: CaptureWriter) -> None:
        """Write index, pages and description."""
        self._package.write_index(scratch)
        self._package.write_pages(scratch.pages())
        title = f"{captures.captures} captures with {scratch.count_pages()} pages"
        self._package.finish(created=captures.latest, software=self._software, title=title, sign=self._key)

    def commit(self) -> int:
        """Name the package."""
        return self._new.commit()

    def discard(self) -> None:
        """Take away the package when it has no name."""
        try:
            self.end()
            self._package.close()
        except OSError:
            pass  # a full disk: what was written goes anyway
        self._new.discard()
