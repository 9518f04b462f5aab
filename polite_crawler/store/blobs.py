"""Entity bodies as received, one plain `.gz` file each, named by the SHA-256 of the received bytes.

The gzip member is spliceable: the deflate data is byte aligned and ends with an empty final block, so that a WARC
export can copy it behind the heads of a record without a new compression (RFC 1951 section 3.2, RFC 1952).
"""

import hashlib
import os
import re
import secrets
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from isal import isal_zlib

from polite_crawler.errors import StoreError
from polite_crawler.store.folder import sync_folder

_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_FINAL_BLOCK = b"\x03\x00"
_TRAILER = struct.Struct("<II")
# of zlib's levels, this one of ISA-L lies between 1 and 6 in size and takes an eighth of the time of 6
_LEVEL = 2
_SMALLEST = len(_HEADER) + len(_FINAL_BLOCK) + _TRAILER.size
# its stubs call this class an instance of one
GZIP_ERROR = cast("type[Exception]", isal_zlib.error)
"""What ISA-L raises for octets that it cannot inflate."""
_SHA256 = re.compile(r"[0-9a-f]{64}")


class BlobError(StoreError):
    """A body that is not there or is damaged. `sha256` names it, `why` is "missing" or what is wrong with it."""

    def __init__(self, sha256: str, why: str) -> None:
        super().__init__(f"the stored body {sha256[:16]} is {why}")
        self.sha256 = sha256
        self.why = why


@dataclass(frozen=True, slots=True)
class RawBlob:
    """The parts of a stored gzip member for splicing: byte-aligned deflate data without a final block, the CRC-32
    of the body and its size in bytes."""

    deflate: bytes
    crc32: int
    size: int


def pack(data: bytes, *, coded: bool) -> bytes:
    """The spliceable gzip member of a body. `coded` bodies (gzip, images ...) are stored and not compressed again."""
    packer = zlib.compressobj(0, zlib.DEFLATED, -15) if coded else isal_zlib.compressobj(_LEVEL, zlib.DEFLATED, -15)
    # Z_FINISH would write another final block at level 0: the sync flush keeps the end the same for each level
    deflate = packer.compress(data) + packer.flush(zlib.Z_SYNC_FLUSH)
    return _HEADER + deflate + _FINAL_BLOCK + _TRAILER.pack(isal_zlib.crc32(data), len(data) & 0xFFFFFFFF)


class Blobs:
    """The bodies under one folder, at `ab/cd/<sha256>.gz`. Threads and processes can share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, sha256: str) -> Path:
        """Where the body of this name lies. A name that is no SHA-256 raises BlobError."""
        if not _SHA256.fullmatch(sha256):
            raise BlobError(sha256, "missing")
        return self._folder / sha256[:2] / sha256[2:4] / f"{sha256}.gz"

    def put(self, data: bytes, *, coded: bool = False, durable: bool = True) -> str:
        """Keep a body and return its SHA-256 in hex; the body is durable when this returns, unless `durable` is
        false: then the caller syncs the disk before a line names the body.

        An existing file is kept after a look at its length (ISIZE); one that is damaged there is written again.
        Raises OSError when the disk does not take it; nothing that was stored before is harmed.
        """
        sha256 = hashlib.sha256(data).hexdigest()
        path = self.path(sha256)
        if not self._is_whole(path, len(data)):
            self._make_folder(path.parent, durable)
            self._write(path, pack(data, coded=coded), durable)
        if durable:
            sync_folder(path.parent)
        return sha256

    def has(self, sha256: str) -> bool:
        """Whether a file of this name is there."""
        # asked before each answer from the store: no path object for it
        return _SHA256.fullmatch(sha256) is not None and os.path.isfile(
            f"{self._folder}/{sha256[:2]}/{sha256[2:4]}/{sha256}.gz"
        )

    def get(self, sha256: str, *, verify: bool = False) -> bytes:
        """The body as received. Raises BlobError when it is missing or damaged.

        The CRC-32 of the member is always checked; `verify` recalculates the SHA-256 too.
        """
        member = self._member(sha256)
        size = _TRAILER.unpack(member[-8:])[1]
        unpacker = isal_zlib.decompressobj(31)
        try:
            data = unpacker.decompress(member, size + 1)
            if len(data) == size and not unpacker.eof:
                data += unpacker.decompress(unpacker.unconsumed_tail, 1)
        except GZIP_ERROR as error:
            raise BlobError(sha256, f"damaged ({error})") from None
        if len(data) != size or not unpacker.eof or unpacker.unused_data:
            raise BlobError(sha256, "damaged (its length is wrong)")
        if verify and hashlib.sha256(data).hexdigest() != sha256:
            raise BlobError(sha256, "damaged (its SHA-256 is wrong)")
        return data

    def raw(self, sha256: str) -> RawBlob:
        """The stored deflate data for splicing, not inflated and so not checked. Raises BlobError."""
        member = self._member(sha256)
        if not member.startswith(_HEADER) or member[-10:-8] != _FINAL_BLOCK:
            raise BlobError(sha256, "damaged (it is no spliceable gzip member)")
        crc32, size = _TRAILER.unpack(member[-8:])
        return RawBlob(member[len(_HEADER) : -10], crc32, size)

    def names(self) -> Iterator[str]:
        """The SHA-256 of each stored body, sorted."""
        for path in sorted(self._folder.glob("??/??/*.gz")):
            if _SHA256.fullmatch(path.stem):
                yield path.stem

    def _member(self, sha256: str) -> bytes:
        if not _SHA256.fullmatch(sha256):
            raise BlobError(sha256, "missing")
        try:
            # an export reads each body: no path object for it
            with open(f"{self._folder}/{sha256[:2]}/{sha256[2:4]}/{sha256}.gz", "rb", buffering=0) as file:
                member = file.readall()
        except FileNotFoundError:
            raise BlobError(sha256, "missing") from None
        except OSError as error:
            raise BlobError(sha256, f"damaged ({error.strerror})") from None
        if len(member) < _SMALLEST:
            raise BlobError(sha256, "damaged (it is cut)")
        return member

    @staticmethod
    def _is_whole(path: Path, size: int) -> bool:
        try:
            with path.open("rb") as file:
                if os.fstat(file.fileno()).st_size < _SMALLEST or file.read(len(_HEADER)) != _HEADER:
                    return False
                file.seek(-4, os.SEEK_END)
                return file.read(4) == struct.pack("<I", size & 0xFFFFFFFF)
        except OSError:
            return False

    def _make_folder(self, folder: Path, durable: bool) -> None:
        try:
            # the next body of a large store seldom has its folder, and that above it always
            os.mkdir(folder)
        except FileExistsError:
            return
        except FileNotFoundError:
            folder.mkdir(parents=True, exist_ok=True)
        if durable:
            sync_folder(folder.parent)
            sync_folder(self._folder)

    def _write(self, path: Path, member: bytes, durable: bool) -> None:
        # a process that was killed leaves its file, and in a container the next one has the same number
        temporary = f"{path.parent}/.{path.stem}.{secrets.token_hex(8)}.tmp"
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            try:
                view = memoryview(member)
                while view:
                    view = view[os.write(fd, view) :]
                if durable:
                    os.fsync(fd)
            finally:
                os.close(fd)
            os.rename(temporary, path)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise
