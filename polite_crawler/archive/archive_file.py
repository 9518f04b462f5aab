"""An archive that is being written: WARC files or a package, capture by capture, named at the end."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from polite_crawler.archive.capture_writer import CaptureWriter, Sources
from polite_crawler.archive.scratch import Scratch
from polite_crawler.archive.signature import PackageKey
from polite_crawler.archive.targets import Target, WaczFile, WarcFolder
from polite_crawler.archive.warc import PART_SIZE, WarcWriter
from polite_crawler.errors import BadOption
from polite_crawler.store.blobs import Blobs
from polite_crawler.store.record import Capture
from polite_crawler.version import __version__

Format = Literal["warc", "wacz"]

_SUFFIXES: dict[str, Format] = {".warc.gz": "warc", ".wacz": "wacz"}


@dataclass(frozen=True, slots=True)
class Exported:
    """What an archive holds: `records` of all kinds, of them `responses` and `revisits`; `pages` is the number of
    documents with a 200, `bytes` the size of all files. `skipped` counts selected captures that had to stay and
    damaged lines, `skips` says why; `files` names what was written."""

    out: str
    format: Format
    records: int
    responses: int
    revisits: int
    pages: int
    bytes: int
    skipped: int
    skips: dict[str, int] = field(default_factory=dict)
    files: tuple[str, ...] = ()


def format_of(path: Path) -> Format:
    """The format of a file by its name. Raises BadOption."""
    for suffix, form in _SUFFIXES.items():
        if path.name.endswith(suffix) and path.name != suffix:
            return form
    raise BadOption(f"bad name {path.name!r}: an export ends in .warc.gz or .wacz")


class ArchiveFile:
    """Takes captures. `finish` gives the files their names; `discard` leaves nothing that has none.

    Its methods raise PoliteError when the name is taken, and OSError when the disk does not take it.
    """

    def __init__(
        self,
        path: Path,
        blobs: Blobs,
        sources: Sources,
        *,
        overwrite: bool = False,
        key: PackageKey | None = None,
        secret_bodies: bool = False,
        part_size: int = PART_SIZE,
        description: str = "",
    ) -> None:
        self.path = path
        self._form = format_of(path)
        software = f"polite-crawler/{__version__}"
        self._target: Target = (
            WarcFolder(path, overwrite=overwrite)
            if self._form == "warc"
            else WaczFile(path, overwrite=overwrite, key=key, software=software)
        )
        self._scratch = Scratch()
        self._writer = WarcWriter(self._target, software=software, description=description, part_size=part_size)
        self.captures = CaptureWriter(
            self._writer, self._scratch, blobs, sources, indexed=self._form == "wacz", secret_bodies=secret_bodies
        )

    def add(self, capture: Capture, line: bytes | None = None) -> bool:
        """Write what a capture holds; False when it gives no record. See CaptureWriter."""
        return self.captures.add(capture, line)

    def finish(self, *, damaged: int = 0) -> Exported:
        """End the archive. `damaged` counts lines of the log that could not be read."""
        self._writer.end()
        self._target.finish(self._scratch, self.captures)
        size = self._target.commit()
        skips = dict(self.captures.skips) | ({"damaged-line": damaged} if damaged else {})
        return Exported(
            str(self.path), self._form, self._writer.records, self.captures.responses, self.captures.revisits,
            self._scratch.count_pages(), size, sum(skips.values()), skips,
            tuple(str(one) for one in self._target.paths),
        )  # fmt: skip

    def discard(self) -> None:
        """Take away what was not finished."""
        self._target.discard()
        self._scratch.close()
