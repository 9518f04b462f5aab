"""A WACZ 1.1.1 package: a ZIP with the WARC files, their index, the list of pages and the hashes of all."""

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, Protocol

from polite_crawler.archive.cdx import PACKED_FROM, PackedIndex
from polite_crawler.archive.records import uri_of
from polite_crawler.archive.scratch import PageLine, Scratch
from polite_crawler.archive.signature import PackageKey

WACZ_VERSION = "1.1.1"
PROFILE = "data-package"
ARCHIVE = "archive/"
INDEX = "indexes/index.cdx"
PACKED_INDEX = "indexes/index.cdx.gz"
INDEX_OF_PACKED = "indexes/index.idx"
PAGES = "pages/pages.jsonl"
PAGES_FORMAT = "json-pages-1.0"
DATAPACKAGE = "datapackage.json"
DIGEST = "datapackage-digest.json"

# a fixed time, so that two exports of the same captures are the same octets
_DATE = (1980, 1, 1, 0, 0, 0)


class Writes(Protocol):
    """What takes octets."""

    def write(self, octets: bytes, /) -> object: ...


class _Hashing:
    """Hands octets on, and counts and hashes them."""

    def __init__(self, target: Writes) -> None:
        self._target = target
        self.hash = hashlib.sha256()
        self.size = 0

    def write(self, octets: bytes) -> None:
        self._target.write(octets)
        self.hash.update(octets)
        self.size += len(octets)


class Package:
    """Writes the members of a package one behind the other, and its description at the end."""

    def __init__(self, file: BinaryIO) -> None:
        self._zip = zipfile.ZipFile(file, "w")
        self._resources: list[dict[str, str | int]] = []

    @contextmanager
    def member(self, path: str, *, stored: bool = False) -> Iterator[Writes]:
        """A member of the package. `stored` keeps it as it is, so that a replay tool can read a part of it."""
        with self._zip.open(_entry(path, stored), "w") as target:
            hashing = _Hashing(target)
            yield hashing
        self._resources.append(
            {
                "name": path.rpartition("/")[2].lower(),
                "path": path,
                "hash": f"sha256:{hashing.hash.hexdigest()}",
                "bytes": hashing.size,
            }
        )

    def write_index(self, scratch: Scratch) -> None:
        """The index: plain while it is small, in packed blocks with an index of their own when it is not."""
        if scratch.size_of_lines() < PACKED_FROM:
            with self.member(INDEX) as target:
                _write_all(target, scratch.lines())
            return
        packed = PackedIndex.empty(PACKED_INDEX.rpartition("/")[2])
        with self.member(PACKED_INDEX, stored=True) as target:
            _write_all(target, packed.members(scratch.lines()))
        with self.member(INDEX_OF_PACKED) as target:
            _write_all(target, packed.lines)

    def write_pages(self, pages: Iterable[PageLine]) -> None:
        """The list of pages."""
        with self.member(PAGES) as target:
            target.write(_json_line({"format": PAGES_FORMAT, "id": "pages", "title": "All Pages"}))
            for page in pages:
                url = uri_of(page.url)
                target.write(_json_line({"id": page.capture, "url": url, "ts": page.date, "title": page.title or url}))

    def finish(self, *, created: str, software: str, title: str, sign: PackageKey | None) -> None:
        """The description with the hash of each member, and the hash of the description, signed by a key or not."""
        description = {
            "profile": PROFILE,
            "wacz_version": WACZ_VERSION,
            "title": title,
            "created": created,
            "software": software,
            "resources": self._resources,
        }
        octets = json.dumps(description, indent=2, ensure_ascii=False).encode()
        digest = f"sha256:{hashlib.sha256(octets).hexdigest()}"
        facts: dict[str, object] = {"path": DATAPACKAGE, "hash": digest}
        if sign is not None:
            name, _, version = software.partition("/")
            facts["signedData"] = {
                "hash": digest,
                "created": created,
                "software": name,
                "version": version,
                **sign.sign(digest),
            }
        self._zip.writestr(_entry(DATAPACKAGE, stored=False), octets)
        self._zip.writestr(_entry(DIGEST, stored=False), json.dumps(facts, indent=2).encode())
        self._zip.close()

    def close(self) -> None:
        """End the ZIP; after `finish` it has ended."""
        self._zip.close()


def _entry(path: str, stored: bool) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(path, _DATE)
    entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    entry.create_system = 3
    entry.external_attr = 0o100644 << 16
    return entry


def _json_line(value: dict[str, str]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _write_all(target: Writes, pieces: Iterable[bytes]) -> None:
    for piece in pieces:
        target.write(piece)
