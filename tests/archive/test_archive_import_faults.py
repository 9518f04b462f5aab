"""Imports of what is damaged, hostile or no archive: a bound for each, and one clear line."""

import gzip
import hashlib
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from import_lab import a_new_store, captures_of, page, record, take

from polite_crawler.archive.bulk_writer import BodyWriter
from polite_crawler.archive.importing import import_archive
from polite_crawler.archive.reader import RecordReader
from polite_crawler.errors import PoliteError, StoreError
from polite_crawler.query.store import Store
from polite_crawler.store.blobs import Blobs
from polite_crawler.store.log import CaptureLog

store = pytest.fixture(a_new_store)


@pytest.mark.parametrize(
    "change",
    [
        lambda octets: octets,
        lambda octets: gzip.compress(octets),
        lambda octets: octets.replace(b"http://ex.test/", b"<http://ex.test/>"),
        lambda octets: octets.replace(b"WARC/1.0", b"WARC/0.18"),
        lambda octets: octets.replace(b"WARC-Type", b"warc-type"),
        lambda octets: b"\r\n\r\n" + octets,
        lambda octets: octets[:-4],
        lambda octets: octets + b"\0" * 100,
        lambda octets: octets.replace(b"WARC-Date: 2019", b"WARC-Date:\r\n 2019"),
        lambda octets: octets.replace(b"WARC-Type", b"X: caf\xe9\r\nWARC-Type"),
        lambda octets: octets.replace(b"Content-Length: ", b"Content-Length:  "),
        lambda octets: b"WARC/1.0\r\nbroken" + octets,
        lambda octets: record("response", page("x"), number=9, Content_Length="1") + octets,
        lambda octets: record("response", page("x"), number=9, Content_Length="9999") + octets,
        lambda octets: record("response", page("x"), number=9, Content_Length="nine") + octets,
        lambda octets: gzip.compress(record("warcinfo", url=None)) + gzip.compress(octets) + b"\0" * 512,
        lambda octets: gzip.compress(b"x" * 5000)[:-9] + gzip.compress(octets),
    ],
)  # fmt: skip
def test_what_real_files_do_wrong_is_borne(tmp_path: Path, store: Store, change: Any) -> None:
    digest = "sha256:" + hashlib.sha256(page("good")).hexdigest()
    take(store, tmp_path, change(record("response", page("good"), WARC_Block_Digest=digest)))
    assert store.read("archive:http://ex.test/").title == "good"


def test_a_member_that_is_cut_gives_what_came_and_says_so(tmp_path: Path, store: Store) -> None:
    octets = gzip.compress(record("response", page("good") + b"<p>" + bytes(range(97, 123)) * 4000))
    done = take(store, tmp_path, octets[: len(octets) // 2])
    (capture,) = captures_of(store)
    assert capture.body is not None
    assert capture.body.truncated == "disconnect"
    assert "the file ends inside a gzip member" in str(done.faults[0])


@pytest.mark.parametrize(
    ("octets", "said"),
    [
        (b"", "is empty"),
        (b"hello", "no WARC, ARC or WACZ file"),
        (b"\x04\x22\x4d\x18rest", "LZ4"),
        (b"PK\x03\x04rest", "no ZIP file"),
        (b"\x1f\x8b\x08\x00rest", "no WARC, ARC or WACZ file"),
    ],
)
def test_other_files_are_one_clear_line(tmp_path: Path, store: Store, octets: bytes, said: str) -> None:
    with pytest.raises(PoliteError, match=said) as raised:
        take(store, tmp_path, octets)
    assert "\n" not in str(raised.value)


def test_a_zip_without_archives_is_one_clear_line(tmp_path: Path, store: Store) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as package:
        package.writestr("x", b"y")
    with pytest.raises(PoliteError, match="a ZIP with no WARC file"):
        take(store, tmp_path, packed.getvalue())


def test_records_that_give_no_page_are_counted(tmp_path: Path, store: Store) -> None:
    done = take(store, tmp_path, b"".join((
        record("warcinfo", b"software: x\r\n", url=None),
        record("response", b"20190506 192.0.2.1", "dns:ex.test", Content_Type="text/dns"),
        record("response", page(), WARC_Date="soon"),
        record("metadata", b"fetchTimeMs: 1\r\n"),
        record("continuation", b"rest"),
        record("conversion", b"text", "urn:text:http://ex.test/"),
        record("unknown", b"?"),
        record("response", page(), "http://ex.test/ok", 7),
    )))  # fmt: skip
    assert (done.records, done.captures) == (8, 1)
    assert done.skips == {"no-page": 2, "continuation": 1, "conversion": 1}
    assert [str(fault) for fault in done.faults] == ["octet 343: the date 'soon' cannot be read"]


def test_blocks_past_the_limit_are_left_out_and_the_next_record_is_read(tmp_path: Path, store: Store) -> None:
    big = b"HTTP/1.1 200 OK\r\n\r\n" + bytes(3_000_000)
    octets = b"".join(gzip.compress(one) for one in (
        record("response", big, "http://ex.test/big", 1), record("response", page(), "http://ex.test/small", 2)
    ))  # fmt: skip
    (tmp_path / "x.warc.gz").write_bytes(octets)
    done = import_archive(store.index, tmp_path / "x.warc.gz", block_limit=1_000_000)
    assert (done.captures, done.skips) == (1, {"too-large": 1})
    assert "more than 1000000 octets" in str(done.faults[0])


def test_a_body_that_unpacks_without_end_is_read_to_a_bound(tmp_path: Path, store: Store) -> None:
    bomb = gzip.compress(b"<p>start</p>" + bytes(1 << 26))
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: gzip\r\n\r\n" + bomb
    take(store, tmp_path, record("response", block))
    (capture,) = captures_of(store)
    assert capture.body is not None
    assert capture.body.size == len(bomb)
    assert capture.body.decoded is not None
    assert capture.body.decoded.size == 1 << 24
    assert "the first are read" in str(capture.note)


PIECES = [
    b"WARC/1.1\r\n", b"WARC/1.0\n", b"WARC-Type: response\r\n", b"Content-Length: 5\r\n", b"\r\n", b"\n", b"hello",
    b"Content-Length: 99999999999\r\n", b"http://a 1.2.3.4 20010101000000 text/html 5\n", b"\0", b"\xff", b" x\r\n",
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30), st.booleans())
def test_the_reader_ends_on_any_octets(pieces: list[bytes], packed: bool) -> None:
    octets = b"".join(gzip.compress(piece) for piece in pieces) if packed else b"".join(pieces)
    remarks: list[tuple[int, str]] = []
    for found in RecordReader(io.BytesIO(octets), lambda offset, what: remarks.append((offset, what))):
        found.block(1000)
    assert all(0 <= offset <= len(octets) for offset, _ in remarks)


def test_a_file_that_unpacks_to_far_more_than_an_archive_holds_is_not_read_on(tmp_path: Path, store: Store) -> None:
    bomb = record("metadata", bytes(1 << 27), Content_Length=str(1 << 27))
    packed = gzip.compress(bomb, 1) * 4 + gzip.compress(record("response", page()))
    done = take(store, tmp_path, packed, "bomb.warc.gz")
    assert (done.records, done.captures) == (2, 0)
    assert "far more octets" in str(done.faults[-1])


def test_many_wrong_lengths_cost_no_more_than_the_file(tmp_path: Path, store: Store) -> None:
    octets = record("response", page(), Content_Length="99999999") * 400
    read = 0

    class Counted(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            nonlocal read
            found = super().read(size)
            read += len(found)
            return found

    assert len(list(RecordReader(Counted(octets)))) == 400
    assert read < 400 * len(octets)


def test_a_full_disk_is_one_clear_line(tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Blobs, "put", full)
    with pytest.raises(StoreError, match="No space left on device"):
        take(store, tmp_path, record("response", page()))
    monkeypatch.undo()
    monkeypatch.setattr(CaptureLog, "append", full)
    with pytest.raises(StoreError, match="No space left on device"):
        take(store, tmp_path, record("response", page()))
    monkeypatch.undo()
    guarded = BodyWriter(store.folder, min_free=1 << 62)
    with pytest.raises(StoreError, match="disk full"):
        guarded.put(b"x", coded=False)
    assert captures_of(store) == []
    assert take(store, tmp_path, record("response", page())).captures == 1
