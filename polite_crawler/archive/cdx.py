"""The index of an archive: CDXJ lines (SURT key, 14-digit time, JSON) that say where each record stands.

The name of the file is `index.cdx`: one common replay tool does not look at `.cdxj`. Above 50 KB the lines are packed
in gzip members of 1,024 lines with an index of their own (`index.cdx.gz` and `index.idx`).
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from polite_crawler.archive.members import member
from polite_crawler.archive.records import uri_of
from polite_crawler.archive.surt import surt

PACKED_FROM = 50_000
"""From this many octets on an index is packed."""

REVISIT_TYPE = "warc/revisit"

_BLOCK = 1024


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands: the file, its first octet and its length there, and the SHA-256 of those octets."""

    file: str
    offset: int
    length: int
    sha256: str


def timestamp(date: str) -> str:
    """The 14 digits of an RFC 3339 UTC time."""
    return "".join(filter(str.isdigit, date))[:14]


def index_line(url: str, date: str, *, mime: str, status: int | None, digest: str, place: Place) -> bytes:
    """The line of a record. Without a status (a revisit) a replay tool takes the one of the original."""
    uri = uri_of(url)
    facts: dict[str, str] = {"url": uri, "mime": mime}
    if status is not None:
        facts["status"] = str(status)
    facts |= {
        "digest": digest,
        "length": str(place.length),
        "offset": str(place.offset),
        "filename": place.file,
        "recordDigest": f"sha256:{place.sha256}",
    }
    return f"{surt(uri)} {timestamp(date)} {json.dumps(facts)}\n".encode()


def mime_of(content_type: str | None) -> str:
    """The media type of a Content-Type as an index names it; `unk` for none."""
    essence = (content_type or "").partition(";")[0].strip().lower()
    return essence if essence and essence.isprintable() and " " not in essence else "unk"


@dataclass(slots=True)
class PackedIndex:
    """Sorted lines in gzip members. `lines` is what goes into the index of the members, complete after `members`."""

    file: str
    lines: list[bytes]

    @classmethod
    def empty(cls, file: str) -> "PackedIndex":
        """An index with no members yet; `file` is the name that its lines give."""
        header = json.dumps({"format": "cdxj-gzip-1.0", "filename": file})
        return cls(file, [f"!meta 0 {header}\n".encode()])

    def members(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """The gzip members of sorted lines."""
        offset = 0
        source = iter(lines)
        while block := list(islice(source, _BLOCK)):
            packed = member(*block)
            key = b" ".join(block[0].split(b" ", 2)[:2])
            facts = {
                "offset": offset,
                "length": len(packed),
                "digest": f"sha256:{hashlib.sha256(packed).hexdigest()}",
                "filename": self.file,
            }
            self.lines.append(key + f" {json.dumps(facts)}\n".encode())
            offset += len(packed)
            yield packed
