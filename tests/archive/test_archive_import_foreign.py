"""Imports of the archives of others: what they hold is taken as it is, and no more of it is believed."""

import base64
import gzip
import hashlib
from pathlib import Path

import pytest
from evidence_lab import pdf
from import_lab import a_new_store, captures_of, page, record, take

from polite_crawler.archive.record_dates import moment
from polite_crawler.query.store import Store
from polite_crawler.store.record import utc_micros

store = pytest.fixture(a_new_store)


@pytest.mark.parametrize(
    ("digest", "verdict"),
    [
        ("sha1:" + base64.b32encode(hashlib.sha1(b"hello").digest()).decode(), "ok"),
        ("sha-256:" + hashlib.sha256(b"hello").hexdigest(), "ok"),
        ("sha1:" + base64.b32encode(hashlib.sha1(b"5\r\nhello\r\n0\r\n\r\n").digest()).decode(), "ok-raw-chunked"),
        ("sha1:" + "A" * 32, "mismatch"),
        ("blake3:00", "unsupported"),
        ("", "absent"),
    ],
)
def test_verdicts_on_digests_are_kept_and_drop_nothing(tmp_path: Path, store: Store, digest: str, verdict: str) -> None:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    done = take(store, tmp_path, record("response", block, WARC_Payload_Digest=digest))
    (capture,) = captures_of(store)
    assert capture.source is not None
    assert capture.source["digest_check"] == verdict
    assert store.read("archive:http://ex.test/").text == "hello"
    assert bool(done.faults) == (verdict == "mismatch")


def test_requests_are_matched_before_and_behind_their_answers(tmp_path: Path, store: Store) -> None:
    ask = b"GET /%d HTTP/1.1\r\nHost: ex.test\r\nCookie: id=secret-cookie-81\r\n\r\n"
    answer = "<urn:test:response:{}>"
    take(store, tmp_path, b"".join((
        record("request", ask % 1, "http://ex.test/1", 1, WARC_Concurrent_To=answer.format(1)),
        record("response", page("secret-cookie-81 one"), "http://ex.test/1", 1),
        record("response", page("secret-cookie-81 two"), "http://ex.test/2", 2),
        record("request", ask % 2, "http://ex.test/2", 2, WARC_Concurrent_To=answer.format(2)),
        record("request", ask % 3, "http://ex.test/3", 3),
        record("response", page("secret-cookie-81 three"), "http://ex.test/3", 3,
               WARC_Concurrent_To="<urn:test:request:3>"),
        record("response", page("secret-cookie-81 four"), "http://ex.test/4", 4,
               WARC_Concurrent_To="<urn:test:request:4>"),
        record("request", ask % 4, "http://ex.test/4", 4),
    )))  # fmt: skip
    for capture in captures_of(store):
        assert capture.request is not None, capture.url
        assert "Cookie: REDACTED" in capture.request.head
        assert capture.secret_in_body
        assert "secret-cookie" not in store.read("archive:" + capture.url).text
    log = b"".join(path.read_bytes() for path in store.folder.log.rglob("*.ndjson"))
    assert b"secret-cookie" not in log


def test_secrets_of_foreign_heads_and_urls_are_redacted(tmp_path: Path, store: Store) -> None:
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: sid=Zx81-canary-value\r\n"
    block = page("x", head)
    take(store, tmp_path, record("response", block, "http://ex.test/a?token=Zx81-canary-token&b=1"))
    octets = b"".join(path.read_bytes() for path in store.folder.path.rglob("*") if path.is_file())
    assert b"canary" not in octets
    (capture,) = captures_of(store)
    assert capture.url == "http://ex.test/a?token=REDACTED&b=1"


def test_revisits_stand_for_their_originals(tmp_path: Path, store: Store) -> None:
    body = page("first")
    payload = body.partition(b"\r\n\r\n")[2]
    digest = "sha1:" + base64.b32encode(hashlib.sha1(payload).digest()).decode()
    same = "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"
    unchanged = "http://netpreserve.org/warc/1.0/revisit/server-not-modified"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    http = "application/http; msgtype=response"
    day = "2019-05-{:02}T00:00:00Z"
    done = take(store, tmp_path, b"".join((
        record("response", body, WARC_Payload_Digest=digest),
        record("revisit", head, number=1, WARC_Date=day.format(7), WARC_Profile=same, Content_Type=http,
               WARC_Refers_To="<urn:test:response:0>", WARC_Payload_Digest=digest),
        record("revisit", b"", number=2, WARC_Date=day.format(8), WARC_Profile=same, WARC_Payload_Digest=digest),
        record("revisit", b"", "http://other.test/", 3, WARC_Date=day.format(9), WARC_Profile=same,
               WARC_Payload_Digest=digest),
        record("revisit", b"", number=4, WARC_Date=day.format(10), WARC_Profile=unchanged,
               WARC_Refers_To_Target_URI="http://ex.test/", WARC_Refers_To_Date="2019-05-06T07:08:09Z"),
        record("revisit", head, "http://gone.test/", 5, WARC_Date=day.format(11), WARC_Profile=same,
               Content_Type=http, WARC_Payload_Digest="sha1:" + "A" * 32),
    )))  # fmt: skip
    assert (done.captures, done.documents) == (6, 2)
    assert len(store.versions("archive:http://ex.test/")) == 3
    assert store.read("archive:http://other.test/").title == "first"
    by_day = {capture.time.start[8:10]: capture for capture in captures_of(store)}
    confirmed = by_day["10"]
    assert (confirmed.outcome, confirmed.status, confirmed.body) == ("not_modified", 304, None)
    assert confirmed.validators is not None
    assert confirmed.validators.of == by_day["06"].id
    assert by_day["11"].body is None
    assert by_day["11"].note == "a revisit of a record that is not in this file"


def test_what_no_reader_quotes_is_kept_and_is_no_document(tmp_path: Path, store: Store) -> None:
    def answer(kind: str) -> bytes:
        return f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\nbody".encode()

    done = take(store, tmp_path, b"".join((
        record("response", answer("text/css"), "http://ex.test/style.css", 1),
        record("response", answer("image/png"), "http://ex.test/x.png", 2),
        record("response", answer("text/plain"), "http://ex.test/robots.txt", 3),
        record("request", b"POST /form HTTP/1.1\r\nHost: ex.test\r\n\r\na=b", "http://ex.test/form", 4,
               WARC_Concurrent_To="<urn:test:response:4>"),
        record("response", answer("text/html"), "http://ex.test/form", 4),
        record("response", b"HTTP/1.1 404 Gone\r\n\r\nno", "http://ex.test/gone", 5),
        record("response", answer("text/html"), "http://ex.test/page", 6),
    )))  # fmt: skip
    assert (done.captures, done.documents) == (6, 1)


def test_pages_that_ask_not_to_be_read_stay_held_back(tmp_path: Path, store: Store) -> None:
    block = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<meta name="robots" content="noai"><p>mine</p>'
    take(store, tmp_path, record("response", block))
    assert store.read("archive:http://ex.test/").held_back


def test_a_bot_check_is_no_document(tmp_path: Path, store: Store) -> None:
    block = b"HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\ncf-mitigated: challenge\r\n\r\n<p>Just a moment</p>"
    done = take(store, tmp_path, record("response", block))
    (capture,) = captures_of(store)
    assert (capture.outcome, done.documents) == ("challenge", 0)


@pytest.mark.parametrize(
    ("fields", "block", "text"),
    [
        ({"Content_Type": "text/html; charset=iso-8859-1"}, b"<p>caf\xe9</p>", "café"),
        ({"Content_Type": "application/pdf"}, pdf("fox"), "fox"),
        ({"Content_Type": ""}, b"<html><p>bare</p></html>", "bare"),
    ],
)
def test_resources_are_read_by_their_type(
    tmp_path: Path, store: Store, fields: dict[str, str], block: bytes, text: str
) -> None:
    take(store, tmp_path, record("resource", block, **fields))
    (capture,) = captures_of(store)
    assert capture.response is not None
    assert capture.response.head_kind == "rebuilt"
    assert capture.status is None
    assert text in store.read("archive:http://ex.test/").text


def test_content_codings_and_heads_that_lie_about_them(tmp_path: Path, store: Store) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
    take(store, tmp_path, b"".join((
        record("response", head + gzip.compress(b"<p>packed</p>"), "http://ex.test/1", 1),
        record("response", head + b"<p>plain</p>", "http://ex.test/2", 2),
    )))  # fmt: skip
    assert store.read("archive:http://ex.test/1").text.strip() == "packed"
    assert store.read("archive:http://ex.test/2").text.strip() == "plain"
    assert "another form" in str(captures_of(store)[1].note)


def test_arc_files_are_read(tmp_path: Path, store: Store) -> None:
    block = page("arc")
    head = f"http://ex.test/ 192.0.2.1 20010203040506 text/html {len(block)}\n".encode()
    info = b"1 0 Archive\nURL IP-address Archive-date Content-type Archive-length\n"
    first = f"filedesc://x.arc 0.0.0.0 20010203040506 text/plain {len(info)}\n".encode() + info
    done = take(store, tmp_path, first + b"\n" + head + block + b"\n", "x.arc")
    assert (done.records, done.captures) == (2, 1)
    (capture,) = captures_of(store)
    assert capture.time.start == "2001-02-03T04:05:06.000000Z"
    assert capture.net is not None
    assert capture.net.ip == "192.0.2.1"


@pytest.mark.parametrize("dictionary", [False, True])
def test_zstandard_files_are_read(tmp_path: Path, store: Store, dictionary: bool) -> None:
    from backports import zstd

    octets = [record("response", page(f"page {number}"), f"http://ex.test/{number}", number) for number in range(40)]
    if dictionary:
        trained = zstd.train_dict(octets * 5, 2000)
        frame = trained.dict_content
        skippable = b"\x5d\x2a\x4d\x18" + len(frame).to_bytes(4, "little") + frame
        packed = skippable + b"".join(zstd.compress(one, zstd_dict=trained) for one in octets)
    else:
        packed = b"".join(map(zstd.compress, octets))
    done = take(store, tmp_path, packed, "x.warc.zst")
    assert (done.captures, done.faults) == (40, ())
    assert {capture.source["length"] for capture in captures_of(store) if capture.source} != {None}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2019-05-06T07:08:09Z", "2019-05-06T07:08:09.000000Z"),
        ("2019-05-06T07:08:09.123456789Z", "2019-05-06T07:08:09.123456Z"),
        ("2019-05-06T07:08:09+02:00", "2019-05-06T05:08:09.000000Z"),
        ("20190506070809", "2019-05-06T07:08:09.000000Z"),
        ("2008-10-294T05:21:46-0700", "2008-10-20T12:21:46.000000Z"),
        ("2019-05-06T07:08:09+0200", "2019-05-06T05:08:09.000000Z"),
        ("2019-05-06t07:08:09z", "2019-05-06T07:08:09.000000Z"),
        ("2019-05-06T07:08Z", "2019-05-06T07:08:00.000000Z"),
        ("2019-05-06", "2019-05-06T00:00:00.000000Z"),
        ("2019-05", "2019-05-01T00:00:00.000000Z"),
        ("2019", "2019-01-01T00:00:00.000000Z"),
        ("201905060708", "2019-05-06T07:08:00.000000Z"),
        ("20190506070809123", "2019-05-06T07:08:09.000000Z"),
        ("2019-13-06T07:08:09Z", None),
        ("2019-02-30", None),
        ("2019-0", None),
        ("2019-05-06T", None),
        ("2019 and later", None),
        ("0000-00-000T00:00:00Z", None),
        ("soon", None),
        (None, None),
    ],
)
def test_dates_of_records(text: str | None, found: str | None) -> None:
    value = moment(text)
    assert (None if value is None else utc_micros(value)) == found


def test_a_request_far_behind_its_answer_is_matched(tmp_path: Path, store: Store) -> None:
    ask = b"GET /1 HTTP/1.1\r\nHost: ex.test\r\nCookie: id=secret-cookie-81\r\n\r\n"
    take(store, tmp_path, b"".join((
        record("response", page("secret-cookie-81 one"), "http://ex.test/1", 1),
        record("response", page("two"), "http://ex.test/2", 2),
        record("request", ask, "http://ex.test/1", 1, WARC_Concurrent_To="<urn:test:response:1>"),
        record("request", b"POST /2 HTTP/1.1\r\nHost: ex.test\r\n\r\n", "http://ex.test/2", 2,
               WARC_Concurrent_To="<urn:test:response:2>"),
    )))  # fmt: skip
    one, two = captures_of(store)
    assert one.request is not None
    assert one.secret_in_body
    assert "secret-cookie" not in store.read("archive:http://ex.test/1").text
    assert two.method == "POST"
    assert [row[0] for row in store.index.connection().execute("SELECT key FROM doc WHERE cur IS NOT NULL")] == [
        "archive:http://ex.test/1"
    ]
