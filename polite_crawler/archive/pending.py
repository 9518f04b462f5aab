"""The answer of an archive that was read last: what stands behind it in the file belongs to it more often than not."""

from collections.abc import Callable

from polite_crawler.archive.foreign import Origin
from polite_crawler.archive.reader import ArchiveRecord
from polite_crawler.store.record import Truncated

_NUMBER = "WARC-Segment-Number"


class Pending:
    """A record that may get more: the segments that go on with its block, its request, and the line of ours."""

    def __init__(self, record: ArchiveRecord, block: bytes, origin: Origin, fault: Callable[[int, str], None]) -> None:
        self.record = record
        self.origin = origin
        self.fault = fault
        self.request: bytes | None = None
        self.line: str | None = None
        self.coded: str | None = None
        self.segments = 1
        self._parts = [block]
        self._size = len(block)
        self._whole = record.get(_NUMBER) is None

    @property
    def id(self) -> str | None:
        """The record id."""
        return self.record.get("WARC-Record-ID")

    @property
    def block(self) -> bytes:
        """The block, all segments that came one behind the other."""
        return b"".join(self._parts)

    @property
    def cut(self) -> Truncated | None:
        """Why the block is only a beginning: the file ended, or segments of the record are elsewhere."""
        if self.record.cut:
            return "disconnect"
        return None if self._whole else "length"

    def goes_on(self, record: ArchiveRecord, block: bytes, limit: int) -> bool:
        """Take the next segment (ISO 28500 section 10); False for the one of another record or a place further on,
        and past a limit in octets."""
        next_one = record.get("WARC-Segment-Origin-ID") == self.id and record.get(_NUMBER) == str(self.segments + 1)
        if self._whole or not next_one or self._size + len(block) > limit:
            return False
        self.segments += 1
        self._parts.append(block)
        self._size += len(block)
        self._whole = record.get("WARC-Segment-Total-Length") == str(self._size)
        return True


__all__ = ["Pending"]
