"""The small parts of an archive: members, digests, keys, heads, payloads."""

import base64
import gzip
import hashlib
import random
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.archive.digests import parse_digest, sha256_label
from polite_crawler.archive.heads import replayable
from polite_crawler.archive.members import crc32_combine, member, spliced
from polite_crawler.archive.payload import judge_payload, split_http, unchunked
from polite_crawler.archive.surt import surt
from polite_crawler.store.blobs import Blobs

SHA1 = hashlib.sha1(b"payload").digest()
SHA256 = hashlib.sha256(b"payload").digest()


@given(st.binary(max_size=3000), st.binary(max_size=3000))
def test_crcs_of_parts_give_the_crc_of_the_whole(a: bytes, b: bytes) -> None:
    assert crc32_combine(zlib.crc32(a), zlib.crc32(b), len(b)) == zlib.crc32(a + b)


@pytest.mark.parametrize("size", [0, 1, (1 << 17) - 1, 1 << 17, (1 << 17) + 1, 3_000_000])
def test_crcs_combine_for_every_size(size: int) -> None:
    a, b = b"head", random.Random(size).randbytes(size)
    assert crc32_combine(zlib.crc32(a), zlib.crc32(b), size) == zlib.crc32(a + b)


@pytest.mark.parametrize("coded", [False, True])
@pytest.mark.parametrize("body", [b"", b"x", b"word " * 50_000, random.Random(1).randbytes(200_000)])
def test_a_spliced_member_is_the_member_of_the_whole(tmp_path: Path, body: bytes, coded: bool) -> None:
    blobs = Blobs(tmp_path)
    name = blobs.put(body, coded=coded)
    octets = b"".join(spliced(b"HEAD\r\n\r\n", blobs.raw(name), b"\r\n\r\n"))
    unpacker = zlib.decompressobj(31)
    assert unpacker.decompress(octets) == b"HEAD\r\n\r\n" + body + b"\r\n\r\n"
    assert unpacker.eof
    assert not unpacker.unused_data


@given(st.lists(st.binary(max_size=5000), max_size=4))
def test_a_member_holds_its_parts_and_is_always_the_same(parts: list[bytes]) -> None:
    assert gzip.decompress(member(*parts)) == b"".join(parts)
    assert member(*parts) == member(*parts)


@pytest.mark.parametrize(
    ("text", "algorithm", "value", "strict"),
    [
        (sha256_label(b"payload"), "sha256", SHA256, True),
        ("sha256:" + SHA256.hex().upper(), "sha256", SHA256, True),
        ("sha256:" + base64.b32encode(SHA256).decode(), "sha256", SHA256, True),
        ("sha256:" + base64.b32encode(SHA256).decode().rstrip("="), "sha256", SHA256, False),
        ("sha-256:" + SHA256.hex(), "sha256", SHA256, False),
        ("sha1:" + base64.b32encode(SHA1).decode(), "sha1", SHA1, True),
        ("sha1:" + base64.b32encode(SHA1).decode().lower(), "sha1", SHA1, True),
        ("SHA1:" + SHA1.hex(), "sha1", SHA1, True),
        ("sha1:" + base64.b64encode(SHA1).decode(), "sha1", SHA1, False),
        ("sha1:" + base64.urlsafe_b64encode(SHA1).decode(), "sha1", SHA1, False),
        ("sha256:" + SHA1.hex(), "sha256", None, False),
        ("sha1:!!!", "sha1", None, False),
        ("blake3:" + SHA256.hex(), None, None, False),
        ("no label", None, None, False),
        ("", None, None, False),
    ],
)
def test_digests_are_read_in_every_spelling(
    text: str, algorithm: str | None, value: bytes | None, strict: bool
) -> None:
    digest = parse_digest(text)
    assert (digest.algorithm, digest.value, digest.fault is None) == (algorithm, value, strict)


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://example.com", "com,example)/"),
        ("https://www2.Example.com:443/A/B/?b=2&a=1#x", "com,example)/a/b?a=1&b=2"),
        ("http://user:pass@sub.example.com:8080/", "com,example,sub:8080)/"),
        ("http://127.0.0.1:8080/x", "1,0,0,127:8080)/x"),
        ("http://[::1]:81/x", "::1:81)/x"),
        ("http://example.com/%C3%A9t%C3%A9?x=%E2%9C%93", "com,example)/%c3%a9t%c3%a9?x=%e2%9c%93"),
        ("http://example.com/a//b/./../c/", "com,example)/a/c"),
        ("http://example.com/?", "com,example)/"),
        ("http://example.com/x?", "com,example)/x"),
        ("http://example.com/a%2520b", "com,example)/a%20b"),
        ("http://example.com/x?jsessionid=0123456789abcdef0123456789abcdef&b=1", "com,example)/x?b=1"),
        ("http://example.com/a b", "com,example)/a%20b"),
        ("urn:text:http://example.com/", "urn:text:http://example.com/"),
        ("no url at all", "no%20url%20at%20all"),
    ],
)
def test_keys_sort_by_site(url: str, key: str) -> None:
    assert surt(url) == key


@pytest.mark.parametrize(
    ("head", "size", "shown"),
    [
        (b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n", 3, b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", 3, b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\ncontent-length:9\r\n\r\n", 3,
         b"HTTP/1.1 200 OK\r\nX-Crawler-content-length:9\r\nContent-Length: 3\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 3,
         b"HTTP/1.1 200 OK\r\nX-Crawler-Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", 3,
         b"HTTP/1.1 200 OK\r\nX-Crawler-Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"),
        (b"HTTP/2 200\r\na: b\r\n\r\n", 3, b"HTTP/1.1 200 \r\na: b\r\n\r\n"),
        (b"ICY 200 OK\r\na: b\r\n\r\n", 3, b"HTTP/1.1 200 OK\r\na: b\r\n\r\n"),
        (b"http/1.1 200 OK\r\n\r\n", 3, b"HTTP/1.1 200 OK\r\n\r\n"),
        (b"HTTP/1.1 204\r\n\r\n", 0, b"HTTP/1.1 204 \r\n\r\n"),
        (b"", 3, b"HTTP/1.1 200 OK\r\n\r\n"),
        (b"\r\nHTTP/1.1 404 No\r\nA: b\r\n\r\n", 3, b"HTTP/1.1 404 No\r\nA: b\r\n\r\n"),
        (b"\n\r\nHTTP/1.0 200 OK\nContent-Length: 9\n\n", 3,
         b"HTTP/1.0 200 OK\r\nX-Crawler-Content-Length: 9\r\nContent-Length: 3\r\n\r\n"),
        (b"HTTP/1.0 200 OK\nA: b\n c\n\n", 3, b"HTTP/1.0 200 OK\r\nA: b\r\n c\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\n", 3, b"HTTP/1.1 200 OK\r\nA: b\r\nC: d\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nX: caf\xe9\r\n\r\n", 3, b"HTTP/1.1 200 OK\r\nX: caf\xe9\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\nA: b", 3, b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n"),
    ],
)  # fmt: skip
def test_a_head_changes_only_where_replay_would_fail(head: bytes, size: int, shown: bytes) -> None:
    assert replayable(head, size) == shown


@pytest.mark.parametrize(
    ("field", "coding", "shown"),
    [
        (b"Content-Encoding: gzip\r\n", "gzip", b"Content-Encoding: gzip\r\n"),
        (b"content-encoding:br\r\n", "br", b"content-encoding:br\r\n"),
        (b"Content-Encoding: GZIP\r\n", "gzip", b"X-Crawler-Content-Encoding: GZIP\r\nContent-Encoding: gzip\r\n"),
        (b"Content-Encoding: x-gzip\r\n", "x-gzip",
         b"X-Crawler-Content-Encoding: x-gzip\r\nContent-Encoding: gzip\r\n"),
        (b"Content-Encoding: Br\r\n", "br", b"X-Crawler-Content-Encoding: Br\r\nContent-Encoding: br\r\n"),
        (b"Content-Encoding: gzip\r\nContent-Encoding: identity\r\n", "gzip",
         b"X-Crawler-Content-Encoding: gzip\r\nX-Crawler-Content-Encoding: identity\r\nContent-Encoding: gzip\r\n"),
        (b"Transfer-Encoding: gzip, chunked\r\n", "gzip",
         b"X-Crawler-Transfer-Encoding: gzip, chunked\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n"),
        (b"Content-Encoding: gzip\r\n", None, b"Content-Encoding: gzip\r\n"),
        (b"A: b\r\n", None, b"A: b\r\n"),
    ],
)  # fmt: skip
def test_a_coding_stands_in_the_spelling_that_all_undo(field: bytes, coding: str | None, shown: bytes) -> None:
    start, end = b"HTTP/1.1 200 OK\r\n", b"\r\n"
    assert replayable(start + field + end, 9, coding=coding) == start + shown + end


def test_a_head_of_a_decoded_body_keeps_its_coding_under_another_name() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: 9\r\n\r\n"
    assert replayable(head, 40, decoded=True) == (
        b"HTTP/1.1 200 OK\r\nX-Crawler-Content-Encoding: zstd\r\nX-Crawler-Content-Length: 9\r\n"
        b"Content-Length: 40\r\n\r\n"
    )


@pytest.mark.parametrize(
    ("body", "entity", "ended"),
    [
        (b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", b"abcde", True),
        (b"3\nabc\n0\n\n", b"abc", True),
        (b"3\r\nabc\r\n0\r\nTrailer: x\r\n\r\n", b"abc", True),
        (b"3\r\nabc\r\n", b"abc", False),
        (b"A\r\nabc", b"abc", False),
        (b"", b"", False),
    ],
)
def test_chunk_framing_is_undone(body: bytes, entity: bytes, ended: bool) -> None:
    found = unchunked(body)
    assert found is not None
    assert (found.octets, found.ended) == (entity, ended)


@pytest.mark.parametrize("body", [b"<html>", b"3\r\nabcdef"])
def test_chunk_framing_is_undone_only_where_there_is_one(body: bytes) -> None:
    assert unchunked(body) is None


@pytest.mark.parametrize(
    ("body", "stated", "entity", "framed"),
    [
        (b"abc\n<p>three letters</p>", b"abc\n<p>three letters</p>", b"abc\n<p>three letters</p>", False),
        (b"0\n1\n2\n", b"0\n1\n2\n", b"0\n1\n2\n", False),
        (b"abc\r\nthe beginning of a chunk", b"the whole chunk", b"the beginning of a chunk", True),
        (b"3\r\nabc\r\n0\r\n\r\n", b"3\r\nabc\r\n0\r\n\r\n", b"abc", True),
        (b"3\r\nabc\r\n9\r\nde", b"3\r\nabc\r\n9\r\nde", b"abcde", True),
        (b"0\r\n\r\n", b"0\r\n\r\n", b"", True),
    ],
)
def test_a_digest_tells_a_text_that_begins_with_a_number_from_a_chunk_that_is_cut(
    body: bytes, stated: bytes, entity: bytes, framed: bool
) -> None:
    http = split_http(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body, sha256_label(stated))
    assert (http.entity, http.framed) == (entity, framed)


@pytest.mark.parametrize(
    ("interim", "head"),
    [
        (b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n"),
        (b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.0 100 \n\n", b"HTTP/1.1 404 No\r\n\r\n"),
        (b"\r\n\r\n", b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n"),
        (b"\nHTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n"),
        (b"", b"HTTP/1.1 101 Switching Protocols\r\n\r\n"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
)
def test_interim_heads_are_passed_over(interim: bytes, head: bytes) -> None:
    http = split_http(interim + head + b"body")
    assert (http.head, http.body) == (head, b"body")


def test_a_digest_of_the_framing_is_told_from_one_of_the_payload() -> None:
    framed = b"7\r\npayload\r\n0\r\n\r\n"
    http = split_http(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + framed)
    assert (http.entity, http.framed) == (b"payload", True)
    assert judge_payload(sha256_label(b"payload"), http) == "ok"
    assert judge_payload(sha256_label(framed), http) == "ok-raw-chunked"
    assert judge_payload(sha256_label(b"x"), http) == "mismatch"
    assert judge_payload(None, http) == "absent"
    assert judge_payload("blake3:00", http) == "unsupported"


def test_a_head_that_lies_about_chunks_leaves_the_body_alone() -> None:
    http = split_http(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n<html>")
    assert (http.entity, http.framed) == (b"<html>", False)
