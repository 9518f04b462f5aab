"""Imports of our own exports: they come back whole, and nothing grows."""

import gzip
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from evidence_lab import EvidenceLab, edge_captures, html, other_captures
from import_lab import a_new_store, captures_of, page, record, take
from wacz_lab import build, parts_of

from polite_crawler.archive.check import check
from polite_crawler.archive.export import export
from polite_crawler.archive.importing import import_archive
from polite_crawler.query.store import Store

store = pytest.fixture(a_new_store)


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


def test_the_source_of_a_capture_is_plain_json(tmp_path: Path, store: Store) -> None:
    take(store, tmp_path, record("response", page()))
    (capture,) = captures_of(store)
    assert json.loads(capture.line()) == capture.to_json()
    assert capture.source is not None
    octets = (tmp_path / "x.warc").read_bytes()
    start, length = capture.source["offset"], capture.source["length"]
    assert octets[start : start + length] == octets


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
