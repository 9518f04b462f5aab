"""The strict check of one record: what the standard lets a writer choose passes, what it does not is named."""

import gzip
from io import BytesIO
from pathlib import Path

import pytest
from backports import zstd

from polite_crawler.archive.check import check
from polite_crawler.archive.check_warc import Seen, WarcCheck

RECORD = (
    b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n"
    b"WARC-Target-URI: http://ex.test/\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: text/plain\r\n"
    b"Content-Length: 5\r\n\r\nhello\r\n\r\n"
)


def test_the_record_of_the_next_tests_is_right(tmp_path: Path) -> None:
    (tmp_path / "x.warc").write_bytes(RECORD)
    assert check(tmp_path / "x.warc").ok


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b"WARC/1.1", b"WARC/0.18", "the version WARC/0.18"),
        (b"WARC-Type: resource\r\n", b"", "no WARC-Type"),
        (b"WARC-Date: 2026-01-01T00:00:00Z\r\n", b"", "no WARC-Date"),
        (b"WARC-Target-URI: http://ex.test/\r\n", b"", "no WARC-Target-URI"),
        (b"http://ex.test/", b"<http://ex.test/>", "no absolute URI"),
        (b"http://ex.test/", b"/relative", "no absolute URI"),
        (b"<urn:uuid:00000000-0000-4000-8000-000000000000>", b"17", "no URI in angle brackets"),
        (b"2026-01-01T00:00:00Z", b"2026-01-01 00:00:00", "no UTC time"),
        (b"2026-01-01T00:00:00Z", b"2026-01-01T00:00:00+01:00", "no UTC time"),
        (b"2026-01-01T00:00:00Z", b"2026-02-30T00:00:00Z", "no UTC time"),
        (b"2026-01-01T00:00:00Z", b"2026-13", "no UTC time"),
        (b"WARC-Type: resource", b"WARC-Type: continuation", "a continuation with no WARC-Segment-Number"),
        (b"WARC-Type: resource", b"WARC-Type: continuation", "a continuation with no WARC-Segment-Origin-ID"),
        (b"Content-Type: text/plain\r\n", b"Content-Type: a\r\nContent-Type: b\r\n", "2 fields content-type"),
        (b"Content-Type: text/plain\r\n", b"WARC-IP-Address: localhost\r\n", "no address"),
        (b"Content-Type: text/plain\r\n", b"no field\r\n", "a line that is no field"),
        (b"Content-Type: text/plain\r\n", b"WARC-Payload-Digest: sha1:AAAA\r\n", "no digest of 20 octets"),
        (b"Content-Type: text/plain\r\n", b"WARC-Block-Digest: md5:" + b"0" * 32 + b"\r\n", "not that of the block"),
        (b"Content-Length: 5", b"Content-Length: 4", "does not end in CRLF CRLF"),
        (b"Content-Length: 5", b"Content-Length: 6", "does not end in CRLF CRLF"),
        (b"Content-Length: 5", b"Content-Length: 50", "the end comes inside the block"),
        (b"Content-Length: 5", b"Content-Length: -5", "no Content-Length, but '-5'"),
        (b"Content-Length: 5\r\n", b"", "no Content-Length"),
        (b"hello\r\n\r\n", b"hello\r\n", "does not end in CRLF CRLF"),
        (b"hello\r\n\r\n", b"hello", "does not end in CRLF CRLF"),
        (b"\r\n", b"\n", "LF and not in CRLF"),
        (b"WARC-Type: resource", b"WARC-Type: revisit", "a revisit with no WARC-Profile"),
        (RECORD, RECORD + RECORD, "a second record with the id"),
        (RECORD, b"\r\n" + RECORD, "2 octets of line ends where a record should begin"),
        (RECORD, RECORD + b"\r\n" + RECORD.replace(b"0000-0", b"1111-0"), "2 octets of line ends where"),
        (RECORD, gzip.compress(RECORD + b"\r\n" * (1 << 20)), "2097152 octets of line ends where"),
        (RECORD, RECORD + b"junk" + RECORD, "is no record, but b'junkW'"),
        (RECORD, RECORD + RECORD.replace(b"WARC/", b"warc/"), "is no record, but b'warc/'"),
        (RECORD, gzip.compress(RECORD[:90]) + gzip.compress(RECORD[90:]), "the end comes inside the fields"),
        (RECORD, gzip.compress(RECORD[:-6]) + gzip.compress(RECORD[-6:]), "the end comes inside the block"),
        (RECORD, gzip.compress(b"") + gzip.compress(RECORD), "a gzip member that holds no record"),
        (RECORD, gzip.compress(RECORD) + gzip.compress(b""), "a gzip member that holds no record"),
        (RECORD, zstd.compress(RECORD) + b"\x50\x2a\x4d\x18\xff\0\0\0end", "the file ends inside a skippable frame"),
        (RECORD, b"\x50\x2a\x4d\x18\xff\0\0\0" + zstd.compress(RECORD), "the file ends inside a skippable frame"),
        (RECORD, zstd.compress(RECORD[:90]) + b"\x50\x2a\x4d\x18\xff\xff\0\0", "inside a skippable frame"),
        (RECORD, RECORD + b"\0" * 9, "no record"),
        (RECORD, b"", "an empty file"),
        (RECORD, b"hello", "no record"),
        (RECORD, b"filedesc://x 0.0.0.0 20260101000000 text/plain 5\nhello\n", "an ARC file"),
        (RECORD, b"\x04\x22\x4d\x18....", "LZ4"),
        (RECORD, b"PK\x03\x04" + b"x" * 40, "no ZIP file"),
    ],
)
def test_records_that_are_wrong_are_named(tmp_path: Path, old: bytes, new: bytes, said: str) -> None:
    assert old in RECORD
    (tmp_path / "x.warc").write_bytes(RECORD.replace(old, new))
    found = check(tmp_path / "x.warc")
    assert [fault for fault in found.faults if said in str(fault)], found.faults


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"2026-01-01T00:00:00Z", b"2026-01-01T00:00:00.123456789Z"),
        (b"2026-01-01T00:00:00Z", b"2026-01-01T00:00Z"),
        (b"2026-01-01T00:00:00Z", b"2026-01-01"),
        (b"2026-01-01T00:00:00Z", b"2026"),
        (b"WARC/1.1", b"WARC/1.0"),
        (b"WARC-Date: 2026-01-01T00:00:00Z", b"WARC-Date:\r\n 2026-01-01T00:00:00Z"),
        (b"WARC-Type: resource", b"WARC-Type: x-another"),
        (b"WARC-Type: resource", b"WARC-TYPE:resource"),
        (b"http://ex.test/", b"urn:pageinfo:http://ex.test/"),
        (b"Content-Type: text/plain\r\n", b""),
        (b"Content-Type: text/plain\r\n", b"WARC-IP-Address: 2001:db8::1\r\nX-A: gr\xc3\xb6\xc3\x9fe\r\n"),
        (b"Content-Type: text/plain\r\n", b"WARC-Protocol: h2\r\nWARC-Protocol: tls/1.3\r\n"),
        (b"Content-Type: text/plain\r\n", b"WARC-Concurrent-To: <urn:x:1>\r\nWARC-Concurrent-To: <urn:x:2>\r\n"),
    ],
)
def test_what_the_standard_lets_a_writer_choose_is_right(tmp_path: Path, old: bytes, new: bytes) -> None:
    assert old in RECORD
    (tmp_path / "x.warc").write_bytes(RECORD.replace(old, new))
    assert check(tmp_path / "x.warc").faults == ()


def response(block: bytes, more: bytes = b"") -> bytes:
    fields = b"Content-Type: application/http\r\n" + more
    octets = RECORD.replace(b"Type: resource", b"Type: response").replace(b"Content-Type: text/plain\r\n", fields)
    octets = octets.replace(b"Content-Length: 5", b"Content-Length: %d" % len(block))
    return octets.replace(b"\r\n\r\nhello\r\n\r\n", b"\r\n\r\n" + block + b"\r\n\r\n")


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("block", "more", "said"),
    [
        (CHUNKED + b"5\r\nhello\r\n0\r\n\r\n", b"", None),
        (CHUNKED + b"5\r\nhello\r\n", b"", "the chunk framing has no end"),
        (CHUNKED + b"5\r\nhel", b"", "the chunk framing has no end"),
        (CHUNKED + b"5\r\nhel", b"WARC-Truncated: disconnect\r\n", None),
        (CHUNKED + b"hello", b"", "the body has no chunk framing"),
        (CHUNKED, b"", None),
        (b"HTTP/1.1 200 OK\r\nA: b\r\n", b"", "the HTTP head does not end in a blank line"),
        (b"HTTP/1.1 200 OK\r\n", b"", "the HTTP head does not end in a blank line"),
        (b"HTTP/1.1 200 OK\r\nA: b", b"WARC-Truncated: length\r\n", None),
        (b"HTTP/1.1 200 OK\r\n\r\n", b"", None),
        (b"hello", b"", "no HTTP status line"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", b"", "the head says 9 octets, the body has 5"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", b"WARC-Segment-Number: 1\r\n", None),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello",
         b"WARC-Segment-Number: 1\r\nWARC-Payload-Digest: md5:" + b"0" * 32 + b"\r\n", None),
    ],
)  # fmt: skip
def test_blocks_that_are_no_whole_answer_are_named(tmp_path: Path, block: bytes, more: bytes, said: str | None) -> None:
    (tmp_path / "x.warc").write_bytes(response(block, more))
    found = check(tmp_path / "x.warc").faults
    assert [fault.what for fault in found if said in fault.what] if said else not found, found


@pytest.mark.parametrize(
    ("start", "status"),
    [
        (b"HTTP/1.1 404 No\r\n\r\n", "404"),
        (b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", None),
        (b"\r\nHTTP/1.1 200 OK\r\n\r\n", None),
    ],
)
def test_an_index_has_the_status_of_the_first_head_where_there_is_one(start: bytes, status: str | None) -> None:
    seen: list[Seen] = []
    WarcCheck(lambda offset, what: None, seen.append).run(BytesIO(response(start + b"hello")))
    assert [one.status for one in seen] == [status]
