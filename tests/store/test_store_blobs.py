"""Bodies on disk: durable, plain gzip, spliceable, and damage that is found."""

import gzip
import os
import random
import subprocess
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_lab import digest

from polite_crawler.store.blobs import BlobError, Blobs, pack

BODIES = [b"", b"x", b"plain text " * 500, bytes(random.Random(1).randbytes(70_000)), gzip.compress(b"y" * 9)]


@pytest.mark.parametrize("coded", [False, True])
@pytest.mark.parametrize("body", BODIES)
def test_a_body_comes_back(tmp_path: Path, body: bytes, coded: bool) -> None:
    blobs = Blobs(tmp_path)
    name = blobs.put(body, coded=coded)
    assert name == digest(body)
    assert blobs.path(name) == tmp_path / name[:2] / name[2:4] / f"{name}.gz"
    assert blobs.get(name, verify=True) == body
    assert blobs.has(name)
    assert list(blobs.names()) == [name]
    assert subprocess.run(["gzip", "-dc", blobs.path(name)], capture_output=True, check=True).stdout == body


@pytest.mark.parametrize("coded", [False, True])
@pytest.mark.parametrize("body", BODIES)
def test_the_raw_data_splices_behind_other_deflate_data(tmp_path: Path, body: bytes, coded: bool) -> None:
    blobs = Blobs(tmp_path)
    raw = blobs.raw(blobs.put(body, coded=coded))
    head = zlib.compressobj(6, zlib.DEFLATED, -15)
    spliced = head.compress(b"HEAD") + head.flush(zlib.Z_SYNC_FLUSH) + raw.deflate + b"\x03\x00"
    assert zlib.decompress(spliced, -15) == b"HEAD" + body
    assert (raw.crc32, raw.size) == (zlib.crc32(body), len(body))


@settings(max_examples=50)
@given(st.binary(max_size=3000), st.booleans())
def test_each_member_is_plain_gzip(body: bytes, coded: bool) -> None:
    assert gzip.decompress(pack(body, coded=coded)) == body


def test_a_body_that_is_coded_is_not_compressed_again() -> None:
    assert len(pack(b"a" * 9000, coded=True)) > 9000 > len(pack(b"a" * 9000, coded=False))


@pytest.mark.parametrize("durable", [True, False])
def test_a_body_is_durable_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durable: bool
) -> None:
    """The order of what is synced: the new folders, the file, its name, the folder of the name."""
    events: list[str] = []

    def told(name: str) -> None:
        real = getattr(os, name)

        def call(*args: Any) -> Any:
            what = os.readlink(f"/proc/self/fd/{args[0]}") if isinstance(args[0], int) else str(args[0])
            events.append(f"{name} {Path(what).name}" if not what.endswith(".tmp") else f"{name} temporary file")
            return real(*args)

        monkeypatch.setattr(os, name, call)

    told("fsync")
    told("rename")
    blobs = Blobs(tmp_path)
    name = blobs.put(b"body", durable=durable)
    first, second = name[:2], name[2:4]
    synced = [f"fsync {first}", f"fsync {tmp_path.name}", "fsync temporary file", "rename temporary file"]
    assert events == ([*synced, f"fsync {second}"] if durable else ["rename temporary file"])
    events.clear()
    blobs.put(b"body", durable=durable)
    assert events == ([f"fsync {second}"] if durable else [])
    assert blobs.path(name).stat().st_mode & 0o777 == 0o600


def test_a_disk_that_takes_little_at_a_time_gets_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:7]))
    name = Blobs(tmp_path).put(b"some text of a page")
    assert Blobs(tmp_path).get(name, verify=True) == b"some text of a page"


def test_a_disk_that_fails_keeps_no_part_of_a_body(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(fd: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        Blobs(tmp_path).put(b"body")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_file_that_a_killed_process_left_is_in_nobodys_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a container each process has the same number as the one before."""

    def killed(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "rename", killed)
    with pytest.raises(KeyboardInterrupt):
        Blobs(tmp_path).put(b"body")
    monkeypatch.undo()
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1
    assert Blobs(tmp_path).get(Blobs(tmp_path).put(b"body")) == b"body"


def test_a_second_put_writes_nothing_and_leaves_no_temporary_file(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    name = blobs.put(b"body")
    before = os.stat(blobs.path(name))
    assert blobs.put(b"body") == name
    assert os.stat(blobs.path(name)).st_ino == before.st_ino
    assert [path.name for path in blobs.path(name).parent.iterdir()] == [f"{name}.gz"]


@pytest.mark.parametrize(
    "rest",
    [
        b"", b"\x1f\x8b", b"x" * 40, pack(b"other body", coded=False),
        # each has two of the three: the first octets, the length, the size of a member
        pack(b"body " * 50, coded=False)[:10] + (250).to_bytes(4, "little"),
        b"x" * 40 + (250).to_bytes(4, "little"),
        pack(b"body " * 50, coded=False)[:-4] + (251).to_bytes(4, "little"),
    ],
)  # fmt: skip
def test_a_cut_file_is_written_again_when_the_body_comes_again(tmp_path: Path, rest: bytes) -> None:
    blobs = Blobs(tmp_path)
    name = blobs.put(b"body " * 50)
    blobs.path(name).write_bytes(rest)
    blobs.put(b"body " * 50)
    assert blobs.get(name) == b"body " * 50


def _damage(kind: str, member: bytes) -> bytes:
    middle = len(member) // 2
    return {
        "cut": member[:-9],
        "flip": member[:middle] + bytes([member[middle] ^ 0x20]) + member[middle + 1 :],
        "crc": member[:-8] + b"\0\0\0\0" + member[-4:],
        "longer": member[:-4] + (10**6).to_bytes(4, "little"),
        "shorter": member[:-4] + (3).to_bytes(4, "little"),
        "tail": member + b"more",
        "tail of a member": member + member[-8:],
        "header": b"XX" + member[2:],
        "empty": b"",
    }[kind]


@pytest.mark.parametrize(
    "kind", ["cut", "flip", "crc", "longer", "shorter", "tail", "tail of a member", "header", "empty"]
)
@pytest.mark.parametrize("coded", [False, True])
def test_damage_is_a_typed_error(tmp_path: Path, kind: str, coded: bool) -> None:
    blobs = Blobs(tmp_path)
    name = blobs.put(b"some text of a page " * 30, coded=coded)
    blobs.path(name).write_bytes(_damage(kind, blobs.path(name).read_bytes()))
    with pytest.raises(BlobError, match="damaged") as caught:
        blobs.get(name)
    assert caught.value.sha256 == name
    if kind in ("tail", "header", "empty"):
        with pytest.raises(BlobError, match="damaged"):
            blobs.raw(name)


def test_another_body_under_the_name_is_found_by_verify(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    name = blobs.put(b"right")
    blobs.path(name).write_bytes(pack(b"wrong", coded=False))
    assert blobs.get(name) == b"wrong"
    with pytest.raises(BlobError, match="SHA-256"):
        blobs.get(name, verify=True)


def test_a_member_that_lies_of_its_length_is_not_inflated_whole(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    name = blobs.put(b"small")
    bomb = pack(b"\0" * 50_000_000, coded=False)
    blobs.path(name).write_bytes(bomb[:-4] + (5).to_bytes(4, "little"))
    tracemalloc.start()
    with pytest.raises(BlobError):
        blobs.get(name)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 5_000_000


@pytest.mark.parametrize("name", ["", "x", "../../etc/passwd", "AB" * 32, "ab" * 31, "0" * 64])
def test_what_is_not_there_is_missing(tmp_path: Path, name: str) -> None:
    with pytest.raises(BlobError, match="missing") as caught:
        Blobs(tmp_path).get(name)
    assert caught.value.why == "missing"
    assert not Blobs(tmp_path).has(name)


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "AB" * 32])
def test_what_is_no_name_has_no_path(tmp_path: Path, name: str) -> None:
    with pytest.raises(BlobError, match="missing"):
        Blobs(tmp_path).path(name)
