"""The strict check of a WARC file: what the common checkers let pass."""

import ipaddress
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from polite_crawler.archive.digests import parse_digest
from polite_crawler.archive.payload import HttpBlock, judge, judge_payload, split_http
from polite_crawler.archive.reader import ARC, ArchiveRecord, RecordReader
from polite_crawler.archive.record_dates import moment
from polite_crawler.rules.redaction import REDACTED

BLOCK_LIMIT = 1 << 28
"""Octets of a block that is checked in memory; a larger one is a fault, because its digests were not recalculated."""

_REQUIRED = ("WARC-Record-ID", "WARC-Type", "WARC-Date")
_SEGMENT, _ORIGIN = "WARC-Segment-Number", "WARC-Segment-Origin-ID"
_REPEATED = frozenset({"warc-concurrent-to", "warc-protocol"})
_TARGETED = frozenset({"response", "resource", "request", "revisit", "conversion", "continuation"})
_ID = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]+>")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]+")
_DATE = {
    "1.0": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"),
    "1.1": re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?Z)?)?)?"),
}
_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)? (\d{3})(?: |\r?\n)")
_NO_BODY = frozenset({b"204", b"304"})


@dataclass(frozen=True, slots=True)
class Seen:
    """What the check of the index needs of a record: where it stands, and what an index line should say of it.
    `status` is that of an HTTP response."""

    offset: int
    length: int
    type: str
    url: str
    date: str
    digest: str | None
    status: str | None = None


OnFault = Callable[[int, str], None]
OnRecord = Callable[[Seen], None]


class Ids(Protocol):
    """Remembers record ids."""

    def add(self, record_id: str, /) -> bool:
        """False for one that came before."""
        ...


class WarcCheck:
    """Checks the records of one file. `on_fault` hears an offset and what is wrong, `on_record` each whole record."""

    def __init__(self, on_fault: OnFault, on_record: OnRecord | None = None, ids: Ids | None = None) -> None:
        self._on_fault = on_fault
        self._on_record = on_record
        self._ids = ids

    def run(self, file: BinaryIO) -> int:
        """Check a file and return the number of its records."""
        reader = RecordReader(file, self._on_fault)
        for record in reader:
            self._record(record)
        if not reader.records:
            self._on_fault(0, "no record")
        return reader.records

    def _record(self, record: ArchiveRecord) -> None:
        block = record.block(BLOCK_LIMIT)
        record.finish()
        if record.version == ARC:
            if record.where == 0:
                self._on_fault(0, "an ARC file: it has no digests and no record ids, so nothing in it can be checked")
            return
        for what in _field_faults(record):
            self._on_fault(record.where, what)
        record_id = record.get("WARC-Record-ID")
        if self._ids is not None and record_id and not self._ids.add(record_id):
            self._on_fault(record.where, f"a second record with the id {record_id}")
        if record.lost is not None:
            return
        if block is None:
            self._on_fault(record.where, f"a block of more than {BLOCK_LIMIT} octets: its digests were not checked")
        else:
            for what in _block_faults(record, block):
                self._on_fault(record.where, what)
        if self._on_record is not None and record.offset is not None and record.length is not None:
            self._on_record(
                Seen(
                    record.offset, record.length, record.type, record.get("WARC-Target-URI") or "",
                    record.get("WARC-Date") or "", record.get("WARC-Payload-Digest"), _status(record, block),
                )
            )  # fmt: skip


def _field_faults(record: ArchiveRecord) -> list[str]:
    found: list[str] = []
    if record.version not in _DATE:
        found.append(f"the version WARC/{record.version}; this check knows 1.0 and 1.1")
    found += [f"no {name}" for name in _REQUIRED if not record.get(name)]
    counts = Counter(name.lower() for name, _ in record.fields)
    found += [f"{n} fields {name}" for name, n in counts.items() if n > 1 and name not in _REPEATED]
    if (record_id := record.get("WARC-Record-ID")) and not _ID.fullmatch(record_id):
        found.append(f"the WARC-Record-ID {record_id!r} is no URI in angle brackets")
    date = record.get("WARC-Date")
    if date and record.version in _DATE and not (_DATE[record.version].fullmatch(date) and moment(date) is not None):
        found.append(f"the WARC-Date {date!r} is no UTC time of WARC {record.version}")
    target = record.get("WARC-Target-URI")
    if target is None and record.type in _TARGETED:
        found.append("no WARC-Target-URI")
    elif target is not None and not _URI.fullmatch(target):
        found.append(f"the WARC-Target-URI {target[:80]!r} is no absolute URI")
    if (address := record.get("WARC-IP-Address")) and not _is_address(address):
        found.append(f"the WARC-IP-Address {address[:60]!r} is no address")
    if record.type == "revisit":
        found += [
            f"a revisit with no {name}" for name in ("WARC-Profile", "WARC-Payload-Digest") if not record.get(name)
        ]
    if record.type == "continuation":
        found += [f"a continuation with no {name}" for name in (_SEGMENT, _ORIGIN) if not record.get(name)]
    for name in ("WARC-Block-Digest", "WARC-Payload-Digest"):
        if (stated := record.get(name)) and (fault := parse_digest(stated).fault):
            found.append(f"{name}: {fault}")
    return found


def _status(record: ArchiveRecord, block: bytes | None) -> str | None:
    """The status of a response; None behind an interim head, where tools index the one or the other."""
    found = _STATUS_LINE.match(block or b"") if record.type == "response" and record.is_http() else None
    return found[1].decode() if found and not found[1].startswith(b"1") else None


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _block_faults(record: ArchiveRecord, block: bytes) -> list[str]:
    found: list[str] = []
    if judge(record.get("WARC-Block-Digest"), block) == "mismatch":
        found.append("the WARC-Block-Digest is not that of the block")
    stated = record.get("WARC-Payload-Digest")
    if not record.is_http():
        if record.type != "revisit" and judge(stated, block) == "mismatch":
            found.append("the WARC-Payload-Digest is not that of the block")
        return found
    http = split_http(block, stated)
    if record.type == "request":
        return found + _request_faults(http)
    if record.type == "revisit" or record.get(_SEGMENT) is not None:
        return found  # the rest of the payload is in another record
    verdict = judge_payload(stated, http)
    if verdict == "mismatch":
        found.append("the WARC-Payload-Digest is not that of the payload")
    elif verdict == "ok-raw-chunked":
        found.append("the WARC-Payload-Digest is of the chunk framing, not of the payload")
    if record.type == "response":
        found += _response_faults(http, cut=record.get("WARC-Truncated") is not None)
    return found


def _request_faults(http: HttpBlock) -> list[str]:
    cookies = [value for name, value in head_fields(http.head) if name == "cookie"]
    return ["the request holds a cookie"] if any(not _is_redacted(value) for value in cookies) else []


def _is_redacted(cookie: str) -> bool:
    pairs = (pair.partition("=") for pair in cookie.split(";"))
    return all((value or name).strip() in (REDACTED, "") for name, _, value in pairs)


def _response_faults(http: HttpBlock, *, cut: bool) -> list[str]:
    status = _STATUS_LINE.match(http.head)
    if status is None:
        return [f"no HTTP status line, but {http.head[:40]!r}"]
    if not http.head.endswith((b"\n\n", b"\n\r\n")):
        return [] if cut else ["the HTTP head does not end in a blank line"]
    fields = head_fields(http.head)
    if any(name == "transfer-encoding" and "chunked" in value.lower() for name, value in fields):
        if http.framed:
            return [] if http.ended or cut else ["the chunk framing has no end"]
        return ["the head says chunked, the body has no chunk framing"] if http.body else []
    lengths = {value for name, value in fields if name == "content-length"}
    if not lengths or cut or status[1] in _NO_BODY or not http.body:
        return []
    size = len(http.body)
    return [] if lengths == {str(size)} else [f"the head says {', '.join(sorted(lengths))} octets, the body has {size}"]


def head_fields(head: bytes) -> list[tuple[str, str]]:
    """The fields of an HTTP head, names in lower case, folded lines joined."""
    fields: list[tuple[str, str]] = []
    for line in head.decode("latin-1").replace("\r\n", "\n").split("\n")[1:]:
        if line[:1] in (" ", "\t") and fields:
            fields[-1] = (fields[-1][0], f"{fields[-1][1]} {line.strip()}")
        elif ":" in line:
            name, value = line.split(":", 1)
            fields.append((name.strip().lower(), value.strip()))
    return fields
