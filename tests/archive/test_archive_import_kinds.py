"""Kinds of files that other tools write: packed in other pieces, cut in segments, with other heads and dates."""

import base64
import gzip
import hashlib
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from backports import zstd
from import_lab import a_new_store, captures_of, page, record, take

from polite_crawler.archive.arc import arc_fields, is_arc_line
from polite_crawler.query.store import Store

store = pytest.fixture(a_new_store)

ONE = record("response", page("one"), "http://ex.test/1", 1)
TWO = record("response", page("two"), "http://ex.test/2", 2)


def blocks(size: int) -> Callable[[bytes], bytes]:
    """Packs in members of one size, wherever a record ends: as tools do that pack in parallel."""

    def packed(octets: bytes) -> bytes:
        return b"".join(gzip.compress(octets[at : at + size], mtime=0) for at in range(0, len(octets), size))

    return packed


def skippable(octets: bytes, kind: int = 0) -> bytes:
    return struct.pack("<II", 0x184D2A50 + kind, len(octets)) + octets


@pytest.mark.parametrize(
    "packed",
    [
        blocks(len(ONE + TWO)),
        blocks(len(ONE)),
        blocks(len(ONE) - 4),
        blocks(len(ONE) - 2),
        blocks(300),
        blocks(100),
        blocks(17),
        lambda octets: blocks(200)(octets) + gzip.compress(b""),
        lambda octets: gzip.compress(ONE[:200]) + gzip.compress(b"") * 2 + gzip.compress((ONE + TWO)[200:]),
        lambda octets: gzip.compress(b"") + gzip.compress(ONE) + gzip.compress(b"\r\n") + gzip.compress(TWO),
        lambda octets: zstd.compress(ONE) + zstd.compress(TWO),
        lambda octets: zstd.compress(octets[:300]) + zstd.compress(octets[300:]),
        lambda octets: skippable(b"a name", 14) + zstd.compress(ONE) + skippable(b"", 2) + zstd.compress(TWO),
        lambda octets: zstd.compress(octets[:300]) + skippable(bytes(1 << 17)) + zstd.compress(octets[300:]),
    ],
)
def test_pieces_of_any_size_hold_the_same_records(
    tmp_path: Path, store: Store, packed: Callable[[bytes], bytes]
) -> None:
    done = take(store, tmp_path, packed(ONE + TWO))
    assert [capture.url for capture in captures_of(store)] == ["http://ex.test/1", "http://ex.test/2"]
    assert store.read("archive:http://ex.test/1").title == "one"
    assert store.read("archive:http://ex.test/2").title == "two"
    assert done.faults == ()


def test_a_record_that_is_lost_does_not_take_the_next_one_with_it(tmp_path: Path, store: Store) -> None:
    """Its length is wrong; what stands in the next member begins a record and is no continuation."""
    lost = record("response", page("lost"), "http://ex.test/0", Content_Length="900")
    take(store, tmp_path, gzip.compress(lost) + gzip.compress(ONE))
    assert store.read("archive:http://ex.test/1").title == "one"
    assert all(capture.url != "http://ex.test/0" for capture in captures_of(store))


WHOLE = page("in segments") + b"<p>" + b"the rest of it " * 40
FIRST = "<urn:test:response:0>"


def segment(number: int, block: bytes, **fields: str) -> bytes:
    return record(
        "continuation", block, number=number, WARC_Segment_Number=str(number), WARC_Segment_Origin_ID=FIRST, **fields
    )


def first_segment(block: bytes) -> bytes:
    digest = hashlib.sha256(WHOLE.partition(b"\r\n\r\n")[2]).hexdigest()
    return record("response", block, WARC_Segment_Number="1", WARC_Payload_Digest=f"sha256:{digest}")


TOTAL = {"WARC_Segment_Total_Length": str(len(WHOLE))}


@pytest.mark.parametrize(
    ("octets", "truncated", "left_out"),
    [
        (first_segment(WHOLE[:200]) + segment(2, WHOLE[200:], **TOTAL), None, 0),
        (first_segment(WHOLE[:200]) + segment(2, WHOLE[200:300]) + segment(3, WHOLE[300:], **TOTAL), None, 0),
        (first_segment(WHOLE[:200]), "length", 0),
        (first_segment(WHOLE[:200]) + segment(2, WHOLE[200:300]), "length", 0),
        (first_segment(WHOLE[:200]) + segment(3, WHOLE[300:], **TOTAL), "length", 1),
        (first_segment(WHOLE[:200]) + segment(2, WHOLE[200:300], **TOTAL), "length", 0),
        (first_segment(WHOLE[:200]) + TWO + segment(2, WHOLE[200:], **TOTAL), "length", 1),
        (segment(2, WHOLE[200:], **TOTAL) + first_segment(WHOLE[:200]), "length", 1),
        (first_segment(WHOLE[:200]) + segment(2, WHOLE[200:], **TOTAL) + segment(3, b"more"), None, 1),
    ],
)
def test_segments_are_joined_and_a_part_says_that_it_is_one(
    tmp_path: Path, store: Store, octets: bytes, truncated: str | None, left_out: int
) -> None:
    done = take(store, tmp_path, octets)
    capture = next(one for one in captures_of(store) if one.url == "http://ex.test/")
    assert capture.body is not None
    assert capture.body.truncated == truncated
    assert (capture.source or {})["digest_check"] == ("mismatch" if truncated else "ok")
    assert done.skips.get("continuation", 0) == left_out


@pytest.mark.parametrize(
    ("head", "status", "http"),
    [
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", 200, "1.1"),
        ("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 404 Not Found\r\n", 404, "1.1"),
        ("http/1.1 200 ok\r\nContent-Type: text/html\r\n", 200, "1.1"),
        ("HTTP/2 200\r\ncontent-type: text/html\r\n", 200, "2"),
        ("HTTP/3 200 \r\ncontent-type: text/html\r\n", 200, "3"),
        ("HTTPX/0.9 203 XOK\nA: b\n", 203, "0.9"),
    ],
)
def test_heads_of_other_forms(tmp_path: Path, store: Store, head: str, status: int, http: str) -> None:
    take(store, tmp_path, record("response", page("text", head)))
    (capture,) = captures_of(store)
    assert (capture.status, capture.http) == (status, http)
    assert capture.body is not None
    assert capture.body.size == len(b"<title>text</title><p>text</p>")


def test_a_transfer_coding_under_the_chunks_is_undone(tmp_path: Path, store: Store) -> None:
    packed = gzip.compress(b"<title>packed on its way</title>")
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
    take(store, tmp_path, record("response", head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(packed), packed)))
    (capture,) = captures_of(store)
    assert capture.body is not None
    assert (capture.body.size, capture.body.coding) == (len(packed), "gzip")
    assert store.read("archive:http://ex.test/").title == "packed on its way"


@pytest.mark.parametrize(
    ("codings", "packed"),
    [
        ("Transfer-Encoding: gzip, chunked", False),
        ("Transfer-Encoding: 8bit", False),
        ("Content-Encoding: gzip\r\nTransfer-Encoding: gzip, chunked", True),
        ("Content-Encoding: gzip\r\nTransfer-Encoding: binary", True),
        ("Content-Encoding: gzip\r\nTransfer-Encoding: Chunked;q=1", True),
    ],
)
def test_a_transfer_coding_that_is_none_or_undone_costs_no_text(
    tmp_path: Path, store: Store, codings: str, packed: bool
) -> None:
    text = b"<title>text</title>"
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{codings}\r\n\r\n".encode()
    take(store, tmp_path, record("response", head + (gzip.compress(text) if packed else text)))
    (capture,) = captures_of(store)
    assert capture.body is not None
    assert (capture.body.coding, capture.note) == ("gzip" if packed else None, None)
    assert store.read("archive:http://ex.test/").title == "text"


def test_a_digest_of_a_block_that_does_not_fit_is_told(tmp_path: Path, store: Store) -> None:
    wrong = "sha1:" + base64.b32encode(bytes(20)).decode()
    done = take(store, tmp_path, record("response", page(), WARC_Block_Digest=wrong))
    (capture,) = captures_of(store)
    assert (capture.source or {})["block_check"] == "mismatch"
    assert [one.what for one in done.faults] == ["the WARC-Block-Digest is not that of the block; taken, and marked"]


@pytest.mark.parametrize(
    ("line", "url", "kind", "size"),
    [
        ("http://ex.test/ 192.0.2.1 20080430204826 text/html 17", "http://ex.test/", "application/http", 17),
        ("http://ex.test/a b c 192.0.2.1 20080430204826 text/html 17", "http://ex.test/a b c", "application/http", 17),
        ("http://ex.test/ 192.0.2.1 20080430204826 text/html 200 sum - 12 x.arc 17", "http://ex.test/",
         "application/http", 17),
        ("http://ex.test/ - 200804302048 17", "http://ex.test/", "application/http", 17),
        ("dns:ex.test 192.0.2.1 20080430204826 text/dns 17", "dns:ex.test", "text/dns", 17),
        ("filedesc://a.arc 0.0.0.0 20080430204826 text/plain 200 - - 0 a.arc 17", "filedesc://a.arc", "text/plain", 17),
    ],
)  # fmt: skip
def test_lines_of_arc_files(line: str, url: str, kind: str, size: int) -> None:
    assert is_arc_line(line.encode() + b"\n")
    fields, found = arc_fields(line + "\n")
    named = dict(fields)
    assert (named["WARC-Target-URI"], named["Content-Type"].partition(";")[0], found) == (url, kind, size)


@pytest.mark.parametrize(
    "line",
    [
        b"hello world 20080430204826 text/html many\n",
        b"a sentence with 192.0.2.1 20080430204826 text/html 17\n",
        b"http://ex.test/ 192.0.2.1 2008 text/html 17\n",
        b"http://ex.test/ 192.0.2.1 20080430204826 text/html 17",
        b"http:" + b"a" * (1 << 16) + b" 192.0.2.1 20080430204826 text/html 17\n",
        b"http:" + b" 123456789012" * (1 << 16) + b"\n",
    ],
)
def test_lines_that_begin_no_record(line: bytes) -> None:
    assert not is_arc_line(line)


def test_an_arc_record_whose_url_holds_a_space_is_taken(tmp_path: Path, store: Store) -> None:
    block = page("spaced")
    line = f"http://ex.test/a b 192.0.2.1 200804302048 text/html {len(block)}\n".encode()
    take(store, tmp_path, b"filedesc://x.arc 0.0.0.0 20080430204825 text/plain 0\n\n" + line + block + b"\n", "x.arc")
    (capture,) = captures_of(store)
    assert capture.time.start == "2008-04-30T20:48:00.000000Z"
    assert capture.body is not None


@pytest.mark.parametrize("kind", ["wet", "wat"])
def test_a_file_of_texts_made_from_pages_gives_nothing_and_says_so(tmp_path: Path, store: Store, kind: str) -> None:
    text = {
        "wet": record("conversion", b"The text.", Content_Type="text/plain", WARC_Refers_To="<urn:test:response:1>"),
        "wat": record("metadata", b"{}", Content_Type="application/json", WARC_Refers_To="<urn:test:response:1>"),
    }
    done = take(store, tmp_path, gzip.compress(record("warcinfo", url=None)) + gzip.compress(text[kind]))
    assert (done.records, done.captures, done.faults) == (2, 0, ())
    assert done.skips == ({"conversion": 1} if kind == "wet" else {})


@pytest.mark.parametrize(
    "dictionary",
    [b"", b"short", b"\x28\xb5\x2f\xfd", zstd.compress(b""), b"\xff" * 40, b"\x37\xa4\x30\xec" + b"\xff" * 40],
)
def test_a_dictionary_that_is_none_is_passed_over(tmp_path: Path, store: Store, dictionary: bytes) -> None:
    take(store, tmp_path, skippable(dictionary, 13) + zstd.compress(ONE))
    assert store.read("archive:http://ex.test/1").title == "one"


@pytest.mark.parametrize("form", ["hex", "HEX", "base32", "lower", "unpadded", "label"])
def test_a_revisit_names_its_original_in_any_spelling_of_the_digest(tmp_path: Path, store: Store, form: str) -> None:
    digest = hashlib.sha1(page().partition(b"\r\n\r\n")[2]).digest()
    base32 = base64.b32encode(digest).decode()
    spelled = {
        "hex": f"sha1:{digest.hex()}", "HEX": f"SHA1:{digest.hex().upper()}", "base32": f"sha1:{base32}",
        "lower": f"sha1:{base32.lower()}", "unpadded": f"sha1:{base32.rstrip('=')}", "label": f"sha-1:{base32}",
    }  # fmt: skip
    profile = "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"
    take(store, tmp_path, record("response", page(), WARC_Payload_Digest=f"sha1:{base32}") + record(
        "revisit", WARC_Profile=profile, WARC_Payload_Digest=spelled[form], WARC_Date="2020-01-01T00:00:00Z"
    ))  # fmt: skip
    first, again = captures_of(store)
    assert first.body is not None
    assert again.body == first.body


@pytest.mark.parametrize(
    ("kind", "url", "taken"),
    [
        ("response", "http://ex.test/", True),
        ("response", "<https://ex.test/>", True),
        ("response", "dns:ex.test", False),
        ("resource", "http://ex.test/", True),
    ],
)
def test_a_record_with_no_type_is_what_it_can_only_be(
    tmp_path: Path, store: Store, kind: str, url: str, taken: bool
) -> None:
    take(store, tmp_path, record(kind, page(), url, Content_Type="") + TWO)
    found = [capture for capture in captures_of(store) if capture.url != "http://ex.test/2"]
    assert bool(found) == taken
    if kind == "response" and taken:
        assert store.read(f"archive:{url.strip('<>')}").title == "hello"
