"""A record of a WARC or ARC file, as a reader gives it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

_CHUNK = 1 << 16


class _Reader(Protocol):
    def read_block(self, record: "ArchiveRecord", size: int, /) -> bytes: ...

    def finish(self, record: "ArchiveRecord", /) -> None: ...


@dataclass(slots=True)
class ArchiveRecord:
    """A record of an archive file. `offset` is its first octet in the file, or None inside a gzip member that holds
    several; `length` is known after `finish`. `version` is 1.0, 1.1 ... or ARC. `lost` says why the block is not
    whole, once that is known; `cut` is true when what came of it is its beginning."""

    offset: int | None
    version: str
    fields: list[tuple[str, str]]
    size: int | None
    _reader: _Reader
    length: int | None = None
    lost: str | None = None
    cut: bool = False
    read: int = 0
    start: int = 0
    finished: bool = False
    where: int = 0
    _first: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self._first = {name.lower(): value for name, value in reversed(self.fields)}

    def get(self, name: str) -> str | None:
        """The first field of a name (in any case), or None."""
        return self._first.get(name.lower())

    @property
    def type(self) -> str:
        """The WARC-Type in lower case; empty when there is none."""
        return (self.get("WARC-Type") or "").lower()

    @property
    def content_type(self) -> str:
        """The essence of the Content-Type of the block."""
        return (self.get("Content-Type") or "").partition(";")[0].strip().lower()

    def is_http(self) -> bool:
        """Whether the block is an HTTP message."""
        return self.content_type == "application/http"

    def chunks(self) -> Iterator[bytes]:
        """The octets of the block, one time."""
        while octets := self._reader.read_block(self, _CHUNK):
            yield octets

    def block(self, limit: int) -> bytes | None:
        """The whole block, or None when it has more octets than the limit; it stays to be passed over then."""
        if self.size is not None and self.size > limit:
            return None
        parts: list[bytes] = []
        total = 0
        while octets := self._reader.read_block(self, _CHUNK if self.size is None else self.size):
            total += len(octets)
            if total > limit:
                return None
            parts.append(octets)
        return b"".join(parts)

    def finish(self) -> None:
        """Pass over what was not read, and over the end of the record."""
        self._reader.finish(self)


__all__ = ["ArchiveRecord"]
