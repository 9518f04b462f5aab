"""Common Crawl: the list of its indexes, a line of an index, and the one WARC record that the line names."""

import base64
import hashlib
import io
import json
import re
from dataclasses import dataclass
from urllib.parse import quote

from polite_crawler.archive.mementos import ArchivedCopy, ArchiveRequest, Headers, NoCopy, time_of_stamp
from polite_crawler.archive.payload import split_http
from polite_crawler.archive.reader import RecordReader
from polite_crawler.rules.urls import same_site

INDEX_HOST = "index.commoncrawl.org"
DATA_HOST = "data.commoncrawl.org"
INDEXES = 3
"""So many of the newest indexes are asked."""
LARGEST_RECORD = 1 << 26
"""Octets of a record that is asked for."""

_NAME = re.compile(r"[A-Za-z0-9._/-]+\.warc\.gz")
_LINE_END = re.compile(rb"\r?\n")
_PAUSE_S = 60.0


@dataclass(frozen=True, slots=True)
class IndexLine:
    """A line of an index: when and what was captured, and where its record stands."""

    timestamp: str
    url: str
    status: str
    digest: str
    filename: str
    offset: int
    length: int


def index_list() -> ArchiveRequest:
    """The list of the indexes, the newest first. It may be kept for a day."""
    return ArchiveRequest(f"https://{INDEX_HOST}/collinfo.json", (), "archive-index")


def read_index_list(status: int, headers: Headers, body: bytes) -> tuple[str, ...] | NoCopy:
    """The URLs of the newest indexes; none in an outage, when the list is empty."""
    if status != 200:
        return _failed(status)
    try:
        rows = json.loads(body)
    except (ValueError, RecursionError):
        return NoCopy("error", "the list of Common Crawl is no JSON")
    start = f"https://{INDEX_HOST}/"
    found = [row.get("cdx-api") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    urls = tuple(url for url in found if isinstance(url, str) and url.startswith(start))
    return urls[:INDEXES] or NoCopy("error", "Common Crawl names no index", wait_s=_PAUSE_S)


def index_lines(api: str, url: str) -> ArchiveRequest:
    """The lines of a URL with status 200 in one index."""
    return ArchiveRequest(f"{api}?url={quote(url, safe='')}&output=json&filter==status:200", (), "archive-index")


def read_index_lines(url: str, status: int, headers: Headers, body: bytes) -> IndexLine | NoCopy:
    """The newest line of the site of a URL. A 404 with a message, and a 200 with nothing, mean that there is none."""
    if status == 404 or (status == 200 and not body.strip()):
        return NoCopy("none", "Common Crawl has no copy in this index")
    if status != 200:
        return _failed(status)
    lines = [line for text in body.splitlines() if (line := _line(text)) is not None and same_site(line.url, url)]
    if not lines:
        return NoCopy("none", "Common Crawl has no copy in this index")
    return max(lines, key=lambda line: line.timestamp)


def record_request(line: IndexLine) -> ArchiveRequest:
    """The one gzip member of a record, by its octets."""
    octets = f"bytes={line.offset}-{line.offset + line.length - 1}"
    return ArchiveRequest(f"https://{DATA_HOST}/{line.filename}", (("Range", octets), ("Accept-Encoding", "identity")))


def read_record(line: IndexLine, url: str, status: int, headers: Headers, body: bytes) -> ArchivedCopy | NoCopy:
    """The copy in a record: the answer is exactly one member, of the URL and with the digest that the index names."""
    if status not in (200, 206):
        return _failed(status)
    if len(body) != line.length:
        return NoCopy("error", f"Common Crawl sent {len(body)} octets, not the {line.length} of the record")
    faults: list[str] = []
    records = []
    for record in RecordReader(io.BytesIO(body), lambda offset, what: faults.append(what)):
        block = record.block(LARGEST_RECORD)
        record.finish()
        records.append((record, block))
    if len(records) != 1 or faults or records[0][1] is None or records[0][0].type != "response":
        return NoCopy("error", "Common Crawl sent no whole record" + (f": {faults[0]}" if faults else ""))
    record, block = records[0]
    target = (record.get("WARC-Target-URI") or "").strip("<>")
    http = split_http(block or b"")
    if target != line.url or not same_site(target, url):
        return NoCopy("error", "Common Crawl sent a record of another page")
    if base64.b32encode(hashlib.sha1(http.entity, usedforsecurity=False).digest()).decode() != line.digest:
        return NoCopy("error", "the record of Common Crawl is damaged: its digest is another one")
    return ArchivedCopy(
        source="commoncrawl", timestamp=time_of_stamp(line.timestamp) or line.timestamp, url=f"https://{DATA_HOST}/{line.filename}",
        original=target, status=int(line.status), head=_LINE_END.sub(b"\r\n", http.head), body=http.entity,
        record=f"{line.filename}@{line.offset}", collection=line.filename.partition("/segments/")[0],
    )  # fmt: skip


def _line(text: bytes) -> IndexLine | None:
    try:
        row = json.loads(text)
        line = IndexLine(
            str(row["timestamp"]), str(row["url"]), str(row["status"]), str(row["digest"]).removeprefix("sha1:"),
            str(row["filename"]), int(row["offset"]), int(row["length"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, RecursionError):
        return None
    fits = line.offset >= 0 and 0 < line.length <= LARGEST_RECORD
    known = line.status == "200" and time_of_stamp(line.timestamp) is not None
    return line if fits and known and _is_name(line.filename) else None


def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and ".." not in name.split("/") and not name.startswith("/")


def _failed(status: int) -> NoCopy:
    if status in (401, 403):
        return NoCopy("blocked", f"Common Crawl refuses us ({status})", stops=True)
    if status in (429, 500, 502, 503, 504):
        return NoCopy("busy", f"Common Crawl is busy ({status})", wait_s=_PAUSE_S)
    return NoCopy("error", f"Common Crawl answered {status}")
