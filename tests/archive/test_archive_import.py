"""Imports: our own exports come back whole, archives of others are taken as they are, and nothing grows."""

import base64
import gzip
import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from evidence_lab import EvidenceLab, edge_captures, html, other_captures, pdf
from hypothesis import given, settings
from hypothesis import strategies as st
from wacz_lab import build, parts_of

from polite_crawler.archive.bulk_writer import BodyWriter
from polite_crawler.archive.check import check
from polite_crawler.archive.export import export
from polite_crawler.archive.foreign import moment
from polite_crawler.archive.importing import Imported, import_archive
from polite_crawler.archive.reader import RecordReader
from polite_crawler.errors import PoliteError, StoreError
from polite_crawler.query.store import Store
from polite_crawler.store.blobs import Blobs
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.log import CaptureLog
from polite_crawler.store.record import Capture, utc_micros


def empty_store(path: Path) -> Store:
    StoreFolder(path).create()
    return Store(path)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with empty_store(tmp_path / "imported") as made:
        yield made


def captures_of(store: Store) -> list[Capture]:
    return [capture for _, capture in store.index.log.scan()]


def take(store: Store, tmp_path: Path, octets: bytes, name: str = "x.warc") -> Imported:
    (tmp_path / name).write_bytes(octets)
    return import_archive(store.index, tmp_path / name)


def record(kind: str, block: bytes = b"", url: str | None = "http://ex.test/", number: int = 0, **fields: str) -> bytes:
    """A record with the usual fields; others by name with _ for -, empty to leave one out."""
    given_ = {
        "WARC-Type": kind,
        "WARC-Record-ID": f"<urn:test:{kind}:{number}>",
        "WARC-Date": "2019-05-06T07:08:09Z",
        **({"WARC-Target-URI": url} if url else {}),
        **({"Content-Type": f"application/http; msgtype={kind}"} if kind in ("request", "response") else {}),
        **{name.replace("_", "-"): value for name, value in fields.items()},
    }
    given_.setdefault("Content-Length", str(len(block)))
    head = "".join(f"{name}: {value}\r\n" for name, value in given_.items() if value)
    return b"WARC/1.0\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n"


def page(text: str = "hello", head: str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n") -> bytes:
    return f"{head}\r\n<title>{text}</title><p>{text}</p>".encode("latin-1")


def test_a_round_trip_gives_the_same_urls_times_bodies_and_quotes(tmp_path: Path, store: Store) -> None:
    lab = EvidenceLab(tmp_path / "store")
    other_captures(lab, edge_captures(lab))
    with lab.store() as first:
        export(first.index, tmp_path / "x.wacz")
        done = import_archive(store.index, tmp_path / "x.wacz")
        assert (done.faults, done.skips) == ((), {})

        def facts(of: Store) -> set[Any]:
            return {
                (one.url, one.fetched_at, one.body and one.body.sha256, one.body and one.body.decoded, one.status,
                 one.outcome, one.response.head, one.request and one.request.head, one.net, one.http)
                for one in captures_of(of) if one.response is not None
            }  # fmt: skip

        assert facts(store) == facts(first)
        docs = [row[0] for row in first.index.connection().execute("SELECT key FROM doc WHERE cur IS NOT NULL")]
        assert done.documents == len(docs)
        for doc in docs:
            copy = doc.replace("url:", "archive:", 1)
            seen = [(one.text_sha256, one.fetched_at, one.title, one.held_back) for one in first.versions(doc)]
            assert [(one.text_sha256, one.fetched_at, one.title, one.held_back) for one in store.versions(copy)] == seen
        for doc, quote in (
            ("plain", "MARK-plain again"),
            ("paper.pdf", "quick brown fox"),
            ("gzip", "rendered by scripts"),
            ("zstd", "lorem ipsum"),
        ):
            before = first.verify(f"url:http://ex.test/{doc}", quote)
            after = store.verify(f"archive:http://ex.test/{doc}", quote)
            assert before.found
            assert (after.start, after.end, after.blob) == (before.start, before.end, before.blob)
        export(store.index, tmp_path / "again.wacz")
    assert check(tmp_path / "again.wacz").ok


def test_copies_are_marked_and_never_fresh(tmp_path: Path, store: Store) -> None:
    take(store, tmp_path, record("response", page()), "old.warc")
    read = store.read("archive:http://ex.test/")
    assert (read.kind, read.title, read.fetched_at) == ("archived", "hello", "2019-05-06T07:08:09.000000Z")
    assert read.archived is not None
    assert read.archived["source"] == "old.warc"
    assert read.archived["timestamp"] == "2019-05-06T07:08:09.000000Z"
    assert read.archived["original"] == "http://ex.test/"
    assert read.archived["container_sha256"] == hashlib.sha256((tmp_path / "old.warc").read_bytes()).hexdigest()
    assert store.latest("http://ex.test/") is None
    assert read.note == "an archived copy from old.warc of 2019-05-06T07:08:09.000000Z"


def test_a_second_import_adds_nothing(tmp_path: Path, store: Store) -> None:
    octets = record("response", page())
    assert take(store, tmp_path, octets).captures == 1
    again = take(store, tmp_path, octets)
    assert (again.captures, again.skips) == (0, {"known": 1})
    assert len(captures_of(store)) == 1


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
    assert done.skips == {"no-page": 2, "continuation": 1}
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


def test_a_package_that_is_not_what_it_says_is_taken_and_marked(tmp_path: Path, store: Store) -> None:
    lab = EvidenceLab(tmp_path / "store")
    edge_captures(lab)
    with lab.store() as first:
        export(first.index, tmp_path / "x.wacz")
    parts = parts_of(tmp_path / "x.wacz") | {"../../evil.warc.gz": b"x", "archive/../evil.warc.gz": b"x"}
    path = build(tmp_path / "y.wacz", parts, described=lambda of: of.update(profile="other"))
    done = import_archive(store.index, path)
    assert done.captures
    assert {(capture.source or {})["package"] for capture in captures_of(store)} == {"faulty"}
    assert [fault for fault in done.faults if "profile" in fault.what]
    assert list(tmp_path.rglob("evil*")) == []


def test_a_package_whose_archives_are_deflated_is_read(tmp_path: Path, store: Store) -> None:
    packed = gzip.compress(record("response", page()))
    path = build(tmp_path / "x.wacz", {"archive/data.warc.gz": packed, "datapackage.json": b"{}"}, deflate=True)
    assert import_archive(store.index, path).captures == 1


def test_a_forged_line_of_ours_says_no_more_than_its_record(tmp_path: Path, store: Store) -> None:
    lab = EvidenceLab(tmp_path / "store")
    capture = lab.exchange("http://ex.test/plain", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", html("real"))
    with lab.store() as first:
        export(first.index, tmp_path / "x.warc.gz")
    text = gzip.decompress((tmp_path / "x.warc.gz").read_bytes())
    forged = text.replace(b'"outcome":"ok"', b'"outcome":"no"')
    take(store, tmp_path, forged, "forged.warc")
    (taken,) = captures_of(store)
    assert (taken.outcome, taken.net) == ("ok", None if capture.net is None else taken.net)
    assert taken.source is not None
    assert "of" not in taken.source


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2019-05-06T07:08:09Z", "2019-05-06T07:08:09.000000Z"),
        ("2019-05-06T07:08:09.123456789Z", "2019-05-06T07:08:09.123456Z"),
        ("2019-05-06T07:08:09+02:00", "2019-05-06T05:08:09.000000Z"),
        ("20190506070809", "2019-05-06T07:08:09.000000Z"),
        ("2008-10-294T05:21:46-0700", "2008-10-20T12:21:46.000000Z"),
        ("2019-13-06T07:08:09Z", None),
        ("0000-00-000T00:00:00Z", None),
        ("soon", None),
        (None, None),
    ],
)
def test_dates_of_records(text: str | None, found: str | None) -> None:
    value = moment(text)
    assert (None if value is None else utc_micros(value)) == found


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


def test_the_source_of_a_capture_is_plain_json(tmp_path: Path, store: Store) -> None:
    take(store, tmp_path, record("response", page()))
    (capture,) = captures_of(store)
    assert json.loads(capture.line()) == capture.to_json()
    assert capture.source is not None
    octets = (tmp_path / "x.warc").read_bytes()
    start, length = capture.source["offset"], capture.source["length"]
    assert octets[start : start + length] == octets


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


@pytest.mark.parametrize("secret", ["Cookie: id=Zx81-canary-value", "Authorization: Bearer Zx81-canary-value"])
def test_a_line_that_holds_a_secret_is_not_believed(tmp_path: Path, store: Store, secret: str) -> None:
    lab = EvidenceLab(tmp_path / "store")
    capture = lab.exchange("http://ex.test/a", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", html("a"))
    with lab.store() as first:
        export(first.index, tmp_path / "x.warc.gz")
    assert capture.request is not None
    head = capture.request.head.replace("\r\n\r\n", f"\r\n{secret}\r\n\r\n")
    forged = replace(capture, id="", request=replace(capture.request, head=head)).sealed()
    text = gzip.decompress((tmp_path / "x.warc.gz").read_bytes())
    take(store, tmp_path, text.replace(capture.line()[:-1], forged.line()[:-1]).replace(
        f"Content-Length: {_metadata_size(text)}".encode(),
        f"Content-Length: {_metadata_size(text) + len(forged.line()) - len(capture.line())}".encode(),
    ), "forged.warc")  # fmt: skip
    octets = b"".join(path.read_bytes() for path in store.folder.path.rglob("*") if path.is_file())
    assert b"canary" not in octets
    (taken,) = captures_of(store)
    assert (taken.url, taken.outcome, taken.request) == ("http://ex.test/a", "ok", capture.request)
    assert "of" not in (taken.source or {})


def _metadata_size(text: bytes) -> int:
    head = text[: text.index(b"json-metadata")].rpartition(b"Content-Length: ")[2]
    return int(head.partition(b"\r\n")[0])


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
