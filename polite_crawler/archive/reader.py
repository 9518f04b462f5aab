"""Records of WARC and ARC files, one at a time, with everything that is wrong with them named.

One reader serves two masters. A check takes each remark as a fault. An import goes on where it can: behind a wrong
length or a damaged member it looks for the next record.
"""

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from polite_crawler.archive.arc import ARC, arc_fields, is_arc_line
from polite_crawler.archive.archive_record import ArchiveRecord
from polite_crawler.archive.sources import Plain, Source, source_of

HEADER_LIMIT = 1 << 20
"""Octets of the named fields of one record: more is no record."""
UNIT_LIMIT = 1 << 30
"""Octets of one block that are read only to pass over them. Behind more the reader gives the record up."""
REREAD_LIMIT = 1 << 30
"""Octets that are read again behind wrong lengths. After more the reader goes on from where it is."""

_CHUNK = 1 << 16
_VERSION = re.compile(rb"WARC/(\d+\.\d+)[ \t]*(\r?\n)")
_NEXT_RECORD = re.compile(rb"(?<=\n)WARC/\d+\.\d+\r?\n")
_PLAIN_HEADER = re.compile(rb"WARC/(\d+\.\d+)\r\n((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n]*\r\n)+)\r\n")
_HEADER = 1 << 12
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_LENGTH = re.compile(r"\d{1,18}")

Remark = Callable[[int, str], None]


class RecordReader:
    """Iterates over the records of a seekable file. `remark` hears an offset and what is not as the standard says,
    `fault` (by default `remark`) what made a record or a part of the file unreadable."""

    def __init__(self, file: BinaryIO, remark: Remark | None = None, *, fault: Remark | None = None) -> None:
        self._source: Source = source_of(file)
        self._remark = remark or (lambda offset, what: None)
        self._fault = fault or self._remark
        self._held = b""
        self._unit = 0
        self._used = 0
        self._in_unit = False
        self._current: ArchiveRecord | None = None
        self._search = False
        self._told = False
        self._hollow = False
        self._reread = 0
        self.records = 0

    def __iter__(self) -> Iterator[ArchiveRecord]:
        while (record := self._next()) is not None:
            self._current = record
            self.records += 1
            yield record
            record.finish()

    def read_block(self, record: ArchiveRecord, size: int) -> bytes:
        """The next octets of the block of a record."""
        if record.finished:
            return b""
        if record.size is not None:
            size = min(size, record.size - record.read)
        if size and not self._held:
            octets = self._source.read(size)
            if not octets and record.size is not None and self._join(record.where, "block"):
                return self.read_block(record, size)
            self._used += len(octets)
        else:
            octets = self._take(min(size, len(self._held)))
        record.read += len(octets)
        if size and not octets and record.size is not None:
            record.lost = record.lost or self._source.fault or "the end comes inside the block"
            record.cut = self._source.ended
        return octets

    def finish(self, record: ArchiveRecord) -> None:
        """Go behind a record."""
        if record.finished:
            return
        while record.read < UNIT_LIMIT and not self._source.bomb and self.read_block(record, _CHUNK):
            pass
        if record.lost is None and record.size is not None and record.read < record.size:
            record.lost = f"a block of {record.size} octets, too long to be read"
        record.finished = True
        if record.lost is None:
            self._end_of_record(record)
        if self._source.fault is not None:
            record.lost = record.lost or self._source.fault
            self._told = True
        if record.lost is not None:
            self._fault(record.where, record.lost)
            self._leave(record)
        record.length = self._end() - record.offset if record.offset is not None else None

    def _next(self) -> ArchiveRecord | None:
        while True:
            if self._source.bomb:
                self._fault(self._unit, "far more octets come out than an archive holds; the rest is not read")
                return None
            if not self._in_unit and not self._begin():
                return None
            if self._search and not self._find_record():
                self._leave()
                continue
            if not self._skip_blank_lines():
                if self._hollow and not self._source.whole and self._source.fault is None:
                    self._remark(self._unit, "a gzip member that holds no record")
                self._leave()
                continue
            self._hollow = False
            record = self._header()
            if record is not None:
                return record
            if self._source.whole:
                self._leave()
            else:
                self._search = bool(self._peek())
                if not self._search:
                    self._leave()

    def _begin(self) -> bool:
        unit = self._source.begin()
        if unit is None:
            return False
        self._unit, self._used, self._held = unit, 0, b""
        self._in_unit, self._search, self._told, self._hollow = True, False, False, True
        return True

    def _leave(self, record: ArchiveRecord | None = None) -> None:
        """Give up what is left of the unit. A plain file has more records behind, those of a wrong length from the
        beginning of its block on."""
        if self._source.fault is not None and not self._told:
            self._fault(self._unit, self._source.fault)
            self._told = True
        if not isinstance(self._source, Plain):
            self._held, self._in_unit = b"", False
            return
        if record is not None and record.read and self._reread < REREAD_LIMIT:
            self._reread += record.read
            self._source.rewind(record.start)
            self._held, self._used = b"", record.start
        self._in_unit = self._find_record()
        if record is not None and self._in_unit:
            record.cut = False  # its length was wrong: another record stands in what seemed to be its block

    def _header(self) -> ArchiveRecord | None:
        start = self._used
        if (record := self._plain_header(start)) is not None:
            return record
        line = self._line()
        version = _VERSION.fullmatch(line)
        if version is None:
            if is_arc_line(line):
                return self._arc_record(start, line)
            self._fault(self._place(start), f"no record begins here, but {line[:40]!r}")
            return None
        if version[2] == b"\n":
            self._remark(self._place(start), "lines that end in LF and not in CRLF")
        fields = self._fields(start)
        if fields is None:
            return None
        record = ArchiveRecord(self._offset(start), version[1].decode(), fields, None, self, where=self._place(start))
        record.size = self._block_size(record)
        record.start = self._used
        return record

    def _plain_header(self, start: int) -> ArchiveRecord | None:
        """A header as nearly all are: whole in what is held, CRLF behind each line, no folded line, a length."""
        held = self._peek(_HEADER)
        found = _PLAIN_HEADER.match(held)
        if found is None:
            return None
        try:
            lines = found[2].decode().split("\r\n")[:-1]
        except UnicodeDecodeError:
            return None
        fields = [(name, value.strip()) for name, _, value in (line.partition(":") for line in lines)]
        record = ArchiveRecord(self._offset(start), found[1].decode(), fields, None, self, where=self._place(start))
        length = record.get("Content-Length") or ""
        if not _LENGTH.fullmatch(length):
            return None
        self._take(found.end())
        record.size = int(length)
        record.start = self._used
        return record

    def _fields(self, start: int) -> list[tuple[str, str]] | None:
        fields: list[tuple[str, str]] = []
        while True:
            line = self._line()
            if not line.endswith(b"\n") or self._used - start > HEADER_LIMIT:
                self._fault(self._place(start), "the fields of the record do not end")
                return None
            text = _text(line.rstrip(b"\r\n"))
            if not text:
                return fields
            if text[0] in " \t" and fields:
                name, value = fields[-1]
                fields[-1] = (name, f"{value} {text.strip()}".strip())
                continue
            name, colon, value = text.partition(":")
            if not colon or not _TOKEN.fullmatch(name.strip()):
                self._remark(self._place(start), f"a line that is no field: {text[:40]!r}")
                continue
            fields.append((name.strip(), value.strip()))

    def _block_size(self, record: ArchiveRecord) -> int | None:
        stated = record.get("Content-Length")
        if stated is not None and _LENGTH.fullmatch(stated):
            return int(stated)
        self._remark(record.where, f"no Content-Length, but {stated!r}" if stated else "no Content-Length")
        if self._source.whole:
            record.lost = "the length of the block is not known"
            return 0
        return None  # to the end of the member

    def _arc_record(self, start: int, line: bytes) -> ArchiveRecord:
        fields, size = arc_fields(_text(line))
        where = self._place(start)
        return ArchiveRecord(self._offset(start), ARC, fields, size, self, where=where, start=self._used)

    def _end_of_record(self, record: ArchiveRecord) -> None:
        """Two line ends behind a block; the reader bears any number of them."""
        if self._peek(5) == b"\r\n\r\n":
            self._take(4)
            return
        end = self._used
        seen = b""
        while (octets := self._peek(4 - len(seen))) and octets[:1] in (b"\r", b"\n"):
            seen += self._take(1)
            if len(seen) == 4 or seen.endswith(b"\n\n"):
                break
        after = self._peek(5)
        if record.version == ARC:
            pass
        elif seen != b"\r\n\r\n" and record.size is not None:
            self._remark(record.where, f"the block does not end in CRLF CRLF, but in {(seen + after)[:8]!r}")
        if after and record.size is not None and after[:1] not in (b"\r", b"\n") and not self._begins_record():
            record.lost = (
                f"what follows octet {self._place(end)} is no record, but {after!r}: the Content-Length is wrong, or"
                " these octets do not belong there"
            )
        if after and not self._source.whole and record.lost is None:
            self._remark(record.where, "more than one record in a gzip member")

    def _begins_record(self) -> bool:
        line = self._next_line(_HEADER)
        return _VERSION.fullmatch(line) is not None or is_arc_line(line)

    def _skip_blank_lines(self) -> bool:
        """Whether something follows the line ends where a record should begin."""
        start = self._used
        while (octets := self._peek(1)) in (b"\r", b"\n"):
            self._take(len(self._held) - len(self._held.lstrip(b"\r\n")))
        if self._used > start and (self._current is None or self._current.version != ARC):
            self._remark(self._place(start), f"{self._used - start} octets of line ends where a record should begin")
        return bool(octets)

    def _join(self, where: int, part: str) -> bool:
        """Whether a unit that ended inside a part of a record goes on in the next one."""
        unit = self._source.join()
        if unit is None:
            return False
        self._unit = unit
        self._remark(where, f"the end comes inside the {part}; the record goes on in the next gzip member")
        return True

    def _find_record(self) -> bool:
        """Go to the next line that begins a record."""
        while held := self._peek(_CHUNK):
            found = _NEXT_RECORD.search(held)
            if found is not None:
                self._take(found.start())
                self._search = False
                return True
            if len(held) < _CHUNK:
                self._take(len(held))
                return False
            self._take(len(held) - 16)
        return False

    def _line(self) -> bytes:
        return self._take(len(self._next_line(HEADER_LIMIT)))

    def _next_line(self, most: int) -> bytes:
        """The line that comes next, with its end if it has one within the limit. It stays to be taken."""
        limit = _HEADER
        while True:
            held = self._peek(limit)
            end = held.find(b"\n")
            if end < 0 and len(held) < limit and self._join(self._unit, "fields"):
                continue
            if end >= 0 or len(held) < limit or limit >= most:
                return held[: end + 1] if end >= 0 else held
            limit *= 4

    def _peek(self, size: int = 1) -> bytes:
        while len(self._held) < size:
            octets = self._source.read(max(size - len(self._held), 1 << 14))
            if not octets:
                break
            self._held += octets
        return self._held[:size]

    def _take(self, size: int) -> bytes:
        octets = self._peek(size)
        self._held = self._held[len(octets) :]
        self._used += len(octets)
        return octets

    def _offset(self, start: int) -> int | None:
        if self._source.whole:
            return start
        return self._unit if start == 0 else None

    def _place(self, start: int) -> int:
        return start if self._source.whole else self._unit

    def _end(self) -> int:
        return self._used if self._source.whole else self._source.end


def _text(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")


__all__ = ["ARC", "ArchiveRecord", "RecordReader"]
