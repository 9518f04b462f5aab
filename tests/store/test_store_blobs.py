"""Bodies on disk: durable, plain gzip, spliceable, and damage that is found."""

import gzip
import os
import random
import subprocess
import zlib
from pathlib import Path

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


def test_a_second_put_writes_nothing_and_leaves_no_temporary_file(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    name = blobs.put(b"body")
    before = os.stat(blobs.path(name))
    assert blobs.put(b"body") == name
    assert os.stat(blobs.path(name)).st_ino == before.st_ino
    assert [path.name for path in blobs.path(name).parent.iterdir()] == [f"{name}.gz"]


@pytest.mark.parametrize("rest", [b"", b"\x1f\x8b", b"x" * 40])
def test_a_cut_file_is_written_again_when_the_body_comes_again(tmp_path: Path, rest: bytes) -> None:
    blobs = Blobs(tmp_path)
    name = blobs.put(b"body " * 50)
    blobs.path(name).write_bytes(rest)
    with pytest.raises(BlobError):
        blobs.get(name)
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
        "header": b"XX" + member[2:],
        "empty": b"",
    }[kind]


@pytest.mark.parametrize("kind", ["cut", "flip", "crc", "longer", "shorter", "tail", "header", "empty"])
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
    with pytest.raises(BlobError):
        blobs.get(name)


@pytest.mark.parametrize("name", ["", "x", "../../etc/passwd", "AB" * 32, "ab" * 31, "0" * 64])
def test_what_is_not_there_is_missing(tmp_path: Path, name: str) -> None:
    with pytest.raises(BlobError, match="missing") as caught:
        Blobs(tmp_path).get(name)
    assert caught.value.why == "missing"
