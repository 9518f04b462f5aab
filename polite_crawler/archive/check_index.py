"""The check of the index and the pages of a package: each line against the records that stand in its archives."""

import hashlib
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, BinaryIO

from polite_crawler.archive.cdx import timestamp
from polite_crawler.archive.check_warc import Seen
from polite_crawler.archive.description import json_object
from polite_crawler.archive.digests import parse_digest
from polite_crawler.archive.faults import Faults
from polite_crawler.archive.package import UNREADABLE, Package, is_bomb
from polite_crawler.archive.surt import surt
from polite_crawler.archive.temporary import TemporaryTables
from polite_crawler.archive.wacz import ARCHIVE, INDEX_OF_PACKED, PAGES, PAGES_FORMAT
from polite_crawler.rules.urls import is_http

LINE_LIMIT = 1 << 24
"""Octets of one line of an index or a page list."""

_INDEX = re.compile(r"indexes/[^/]+\.(?:cdx|cdxj)(?:\.gz)?")
_LINE = re.compile(rb"(\S+) (\d{14,17}) (\{.*\})\s*", re.S)
_FULL_LINE = re.compile(rb"[^\n]+\n")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_WWW = re.compile(r",www\d*$", re.I)
_CACHE_KIB = 4096
_INDEXED = ("response", "revisit", "resource")
_TABLES = """
CREATE TABLE id(id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE record(file TEXT, offset INTEGER, length INTEGER, type TEXT, url TEXT, date TEXT, digest TEXT,
    status TEXT, named INTEGER DEFAULT 0, PRIMARY KEY(file, offset)) WITHOUT ROWID;
CREATE TABLE url(url TEXT PRIMARY KEY) WITHOUT ROWID;
"""


class Records(TemporaryTables):
    """The records of the archives of a package."""

    def __init__(self) -> None:
        super().__init__(_TABLES, cache_kib=_CACHE_KIB)

    def add(self, record_id: str) -> bool:
        """Note a record id; False for one that came before."""
        return self._db.execute("INSERT OR IGNORE INTO id VALUES(?)", (record_id,)).rowcount > 0

    def add_record(self, file: str, seen: Seen) -> None:
        """Note a record of a file."""
        self._db.execute(
            "INSERT OR REPLACE INTO record VALUES(?,?,?,?,?,?,?,?,0)",
            (file, seen.offset, seen.length, seen.type, seen.url, seen.date, seen.digest, seen.status),
        )

    def find(self, file: str, offset: int) -> Seen | None:
        """The record that begins at an offset; it counts as named by the index."""
        row = self._db.execute(
            "UPDATE record SET named=1 WHERE file=? AND offset=?"
            " RETURNING offset, length, type, url, date, digest, status",
            (file, offset),
        ).fetchone()
        return Seen(*row) if row else None

    def unnamed(self) -> Iterator[tuple[str, int, str]]:
        """File, offset and URL of each record that an index should name and none does."""
        yield from self._db.execute(
            "SELECT file, offset, url FROM record WHERE named=0 AND type IN (?,?,?) AND url LIKE 'http%'"
            " ORDER BY file, offset",
            _INDEXED,
        )

    def add_url(self, url: str) -> None:
        """Note a URL of the index."""
        self._db.execute("INSERT OR IGNORE INTO url VALUES(?)", (url,))

    def has_url(self, url: str) -> bool:
        """Whether the index has a URL."""
        return self._db.execute("SELECT 1 FROM url WHERE url=?", (url,)).fetchone() is not None


class IndexCheck:
    """Checks the index files of a package."""

    def __init__(self, package: Package, records: Records, faults: Faults) -> None:
        self._package = package
        self._records = records
        self._faults = faults
        self._last = b""

    def run(self) -> None:
        """Check each index file, and that the index names each record."""
        names = sorted(name for name in self._package.entries if _INDEX.fullmatch(name))
        if not names:
            self._faults.add("indexes/", "no index (index.cdx or index.cdx.gz)")
            return
        for name in names:
            if self._package.refusal(name):
                continue
            self._last = b""
            if name.endswith(".cdxj"):
                self._faults.add(name, "the name ends in .cdxj, which common replay tools pass over; use .cdx")
            try:
                for number, line in _lines(self._package, name):
                    self._line(f"{name}:{number}", line)
            except (*UNREADABLE, OSError) as error:
                self._faults.add(name, f"damaged ({error})")
        for file, offset, url in self._records.unnamed():
            self._faults.add(f"{ARCHIVE}{file}:{offset}", f"no line of the index names this record of {url[:80]}")
        packed = next((name for name in names if name.endswith(".gz")), None)
        # what is wrong with the packed index as a whole was said when its lines were read
        if packed and not self._package.refusal(packed):
            with suppress(*UNREADABLE):
                self._blocks(packed)

    def _line(self, where: str, line: bytes) -> None:
        found = _LINE.fullmatch(line)
        facts = json_object(found[3]) if found else None
        if found is None or facts is None:
            if line.strip():
                self._faults.add(where, "no line with a key, a time and a JSON object")
            return
        if line < self._last:
            self._faults.add(where, "the lines are not sorted by their octets")
        self._last = line
        for name in facts:
            if "cookie" in name.lower():
                self._faults.add(where, f"a cookie in the field {name}")
        url = str(facts.get("url"))
        self._records.add_url(url)
        if not _is_key_of(found[1].decode("utf-8", "replace"), url):
            self._faults.add(where, f"the key is not that of {url[:80]}")
        self._place(where, found[2].decode(), facts)

    def _place(self, where: str, time: str, facts: dict[str, Any]) -> None:
        file = str(facts.get("filename", "")).removeprefix(ARCHIVE)
        place = _numbers(facts)
        if place is None:
            self._faults.add(where, "offset or length is no number")
            return
        offset, length = place
        record = self._records.find(file, offset)
        if record is None:
            self._faults.add(where, f"no record begins at octet {offset} of {file or 'no file'}")
            return
        if record.length != length:
            self._faults.add(where, f"the record at {file}:{offset} has {record.length} octets, not {length}")
        if record.url != facts.get("url"):
            self._faults.add(where, f"the record at {file}:{offset} is of {record.url[:80]}")
        if timestamp(record.date) != time[:14]:
            self._faults.add(where, f"the record at {file}:{offset} is of {record.date}")
        if "digest" in facts and record.digest and not _same_digest(str(facts["digest"]), record.digest):
            self._faults.add(where, f"the record at {file}:{offset} has the digest {record.digest}")
        stated = str(facts.get("status", ""))
        if record.status and stated.isdigit() and stated != record.status:
            self._faults.add(where, f"the record at {file}:{offset} has the status {record.status}, not {stated}")
        self._record_digest(where, file, record, facts.get("recordDigest"))

    def _record_digest(self, where: str, file: str, record: Seen, stated: object) -> None:
        if stated is None:
            return
        with self._package.seekable(ARCHIVE + file) as archive:
            archive.seek(record.offset)
            octets = archive.read(record.length)
        if stated != f"sha256:{hashlib.sha256(octets).hexdigest()}":
            self._faults.add(where, f"the recordDigest is not that of the record at {file}:{record.offset}")

    def _blocks(self, name: str) -> None:
        """The index of a packed index: its lines name all gzip members, one behind the other."""
        octets = self._package.small(INDEX_OF_PACKED)
        if octets is None:
            self._faults.add(INDEX_OF_PACKED, f"missing, too large or damaged; {name} needs it")
            return
        end, last = 0, b""
        with self._package.seekable(name) as packed:
            for number, line in enumerate(octets.splitlines(), 1):
                where = f"{INDEX_OF_PACKED}:{number}"
                facts = json_object(line[line.find(b"{") :]) if line.strip() else {}
                if facts is None:
                    self._faults.add(where, "no JSON object")
                if not facts:
                    continue
                if "filename" in facts and facts["filename"] != name.rpartition("/")[2]:
                    self._faults.add(where, f"the file is {facts['filename']!r}, not {name}")
                if line.startswith(b"!meta"):
                    continue
                place = _numbers(facts)
                fault = _block_fault(packed, line, facts, place)
                if fault or place is None:
                    self._faults.add(where, fault or "offset or length is no number")
                elif place[0] != end:
                    self._faults.add(where, f"it begins at octet {place[0]} of {name}, the one before ends at {end}")
                key = line[: line.find(b"{")]
                if key < last:
                    self._faults.add(where, "the lines are not sorted by their octets")
                end, last = sum(place or (end,)), key
        if end != self._package.entries[name].file_size:
            self._faults.add(INDEX_OF_PACKED, f"no line names what {name} holds behind octet {end}")


def _numbers(facts: Mapping[str, Any]) -> tuple[int, int] | None:
    """Offset and length of an index line, as numbers or as texts."""
    try:
        return int(facts["offset"]), int(facts["length"])
    except (KeyError, TypeError, ValueError):
        return None


def _is_key_of(key: str, url: str) -> bool:
    """Whether a key is of the host of a URL. The canonical form of what stands behind it, and of an address that is
    written as one number, is not the same in all tools."""
    if not url.isascii() or not key.isascii() or not is_http(url):
        return True
    site = _site(surt(url))
    return site.isdigit() or _site(key) == site


def _site(key: str) -> str:
    host = key.partition(")")[0].partition(":")[0]
    return _WWW.sub("", host).lower()


def _block_fault(packed: BinaryIO, line: bytes, facts: Mapping[str, Any], place: tuple[int, int] | None) -> str | None:
    if place is None:
        return "offset or length is no number"
    offset, length = place
    if offset < 0 or not 0 <= length <= LINE_LIMIT:
        return "offset or length is out of bounds"
    packed.seek(offset)
    octets = packed.read(length)
    unpacker = zlib.decompressobj(31)
    try:
        text = unpacker.decompress(octets, LINE_LIMIT)
    except zlib.error:
        return f"no gzip member at octet {offset}"
    if not unpacker.eof or unpacker.unused_data:
        return f"the octets {offset} to {offset + length} are not one gzip member"
    stated = facts.get("digest")
    if stated is not None and stated != f"sha256:{hashlib.sha256(octets).hexdigest()}":
        return f"the digest is not that of the gzip member at octet {offset}"
    key = line[: line.find(b"{")].strip()
    return None if text.startswith(key) else f"the gzip member at octet {offset} does not begin with {key.decode()!r}"


def check_pages(package: Package, records: Records, faults: Faults) -> None:
    """The page list: its first line, and that the index has each page."""
    if PAGES not in package.entries:
        faults.add(PAGES, "missing")
        return
    if package.refusal(PAGES):
        return
    try:
        for number, line in _lines(package, PAGES):
            if fault := _page_fault(number, line, records):
                faults.add(f"{PAGES}:{number}", fault)
    except UNREADABLE as error:
        faults.add(PAGES, f"damaged ({error})")


def _page_fault(number: int, line: bytes, records: Records) -> str | None:
    if not line.strip():
        return None
    page = json_object(line)
    if page is None:
        return "no JSON object"
    if number == 1:
        named = page.get("format") == PAGES_FORMAT
        return None if named else f"the first line does not name the format {PAGES_FORMAT}"
    url, time = page.get("url"), page.get("ts")
    if not isinstance(url, str) or not isinstance(time, str) or not _TIME.fullmatch(time):
        return "a page needs a url and a ts in RFC 3339"
    return None if records.has_url(url) else f"the index does not have the page {url[:80]}"


def _lines(package: Package, name: str) -> Iterator[tuple[int, bytes]]:
    """The lines of a member that are not empty, with their numbers; it is unpacked when its name ends in .gz. A line
    that is too long raises EOFError."""
    held, number = b"", 1
    for octets in _gunzipped(package.chunks(name)) if name.endswith(".gz") else package.chunks(name):
        held += octets
        end, at = held.rfind(b"\n") + 1, 0
        # empty lines are counted and not looped over: a packed file can hold very many of them
        for found in _FULL_LINE.finditer(held, 0, end):
            number += held.count(b"\n", at, found.start())
            at = found.end()
            yield number, found[0]
            number += 1
        number += held.count(b"\n", at, end)
        held = held[end:]
        if len(held) > LINE_LIMIT:
            raise EOFError("a line without an end")
    if held:
        yield number, held


def _gunzipped(chunks: Iterator[bytes]) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(31)
    packed = unpacked = 0
    for octets in chunks:
        packed += len(octets)
        while octets:
            text = unpacker.decompress(octets, 1 << 20)
            unpacked += len(text)
            if is_bomb(packed, unpacked):
                raise EOFError(f"{packed} octets unpack to {unpacked} and more")
            yield text
            octets = unpacker.unconsumed_tail
            if unpacker.eof:
                octets = unpacker.unused_data
                unpacker = zlib.decompressobj(31)


def _same_digest(a: str, b: str) -> bool:
    """Whether two spellings are one digest. An index may leave the label out, and then means SHA-1."""
    first, second = (parse_digest(text if ":" in text else f"sha1:{text}") for text in (a, b))
    return a == b or (first.value is not None and (first.algorithm, first.value) == (second.algorithm, second.value))


__all__ = ["IndexCheck", "Records", "check_pages"]
