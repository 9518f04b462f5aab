"""The records of an export: what of a capture stands where, and what never leaves the store."""

import gzip
import json
import zipfile
from dataclasses import replace
from pathlib import Path

from evidence_lab import HTML, EvidenceLab, head, html, sha256
from export_lab import Edges, index_lines, records_of

from polite_crawler.archive.check import check
from polite_crawler.archive.export import export
from polite_crawler.archive.heads import PREFIX
from polite_crawler.store.record import capture_id

SECRETS = (b"s3cr3t-0", b"s3cr3t-1", b"s3cr3t-2", b"s3cr3t-token-9", b"secret-lineage")


def test_the_head_of_the_log_is_the_head_of_the_record(edges: Edges) -> None:
    for name, capture in edges.edges.items():
        if name == "notmodified":
            continue
        record, block = records_of(edges.warc, capture)["response"]
        assert capture.response is not None
        shown = block.partition(b"\r\n\r\n")[0]
        logged = capture.response.head.encode("latin-1")
        assert set(shown.splitlines()) - set(logged.splitlines()) == {
            line for line in shown.splitlines() if line.startswith((PREFIX, b"Content-Length"))
        } - set(logged.splitlines())
        kind = record.get("WARC-Polite-Crawler-Headers")
        assert kind == (None if capture.response.head_kind == "exact" else capture.response.head_kind)


def test_the_body_of_a_record_is_the_body_as_received(edges: Edges) -> None:
    for name, capture in edges.edges.items():
        if capture.body is None or name == "zstd":
            continue
        record, block = records_of(edges.warc, capture)["response"]
        assert sha256(block[-capture.body.size :]) == capture.body.sha256
        assert record.get("WARC-Payload-Digest") == f"sha256:{capture.body.sha256}"


def test_a_coding_that_replay_does_not_know_goes_out_twice(edges: Edges) -> None:
    """Decoded where a replay tool looks, and as received beside it: the evidence stays whole."""
    capture = edges.edges["zstd"]
    assert capture.body is not None
    assert capture.body.decoded is not None
    found = records_of(edges.warc, capture)
    block = found["response"][1]
    assert b"X-Crawler-Content-Encoding: zstd" in block
    assert sha256(block[-capture.body.decoded.size :]) == capture.body.decoded.sha256
    assert sha256(found["urn:coded:"][1]) == capture.body.sha256


def test_a_304_is_an_empty_revisit_of_its_original(edges: Edges) -> None:
    capture, original = edges.edges["notmodified"], edges.edges["plain"]
    found = records_of(edges.warc, capture)
    record, block = found["revisit"]
    assert block == b""
    assert record.get("Content-Type") is None
    assert record.get("WARC-Profile") == "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
    assert record.get("WARC-Refers-To") == records_of(edges.warc, original)["response"][0].get("WARC-Record-ID")
    assert record.get("WARC-Refers-To-Date") == original.time.start
    assert original.body is not None
    assert record.get("WARC-Payload-Digest") == f"sha256:{original.body.sha256}"
    assert b"304 Not Modified" in found["metadata"][1]
    (line,) = [line for line in index_lines(edges.wacz) if line[2]["mime"] == "warc/revisit"]
    assert "status" not in line[2]


def test_a_revisit_without_its_original_in_the_archive_does_not_name_its_record(edges: Edges, tmp_path: Path) -> None:
    out = tmp_path / "one.wacz"
    done = export(edges.store.index, out, ids=[edges.edges["notmodified"].id])
    assert (done.responses, done.revisits) == (0, 1)
    assert check(out).ok
    with zipfile.ZipFile(out) as package:
        text = gzip.decompress(package.read("archive/data.warc.gz"))
    assert b"WARC-Refers-To-Target-URI: http://ex.test/plain" in text
    assert b"WARC-Refers-To: " not in text.partition(b"WARC-Type: metadata")[0]


def test_wire_facts_are_named(edges: Edges) -> None:
    record = records_of(edges.warc, edges.edges["tls"])["response"][0]
    assert record.get("WARC-IP-Address") == "127.0.0.1"
    assert [value for name, value in record.fields if name == "WARC-Protocol"] == ["http/1.1", "tls/1.3"]
    assert record.get("WARC-Cipher-Suite") == "TLS_AES_128_GCM_SHA256"
    assert records_of(edges.warc, edges.edges["cutlength"])["response"][0].get("WARC-Truncated") == "length"
    assert records_of(edges.warc, edges.edges["cutgzip"])["response"][0].get("WARC-Truncated") == "disconnect"


def test_the_metadata_record_gives_the_capture_id_again(edges: Edges) -> None:
    for capture in edges.captures:
        if capture.response is None:
            continue
        record, block = records_of(edges.warc, capture)["metadata"]
        assert record.get("Content-Type") == "application/warc-fields"
        (text,) = [line for line in block.split(b"\r\n") if line.startswith(b"json-metadata: ")]
        line = json.loads(text.partition(b": ")[2])
        assert capture_id(line) == line["id"] == capture.id
        assert "scope" not in line
        assert "labels" not in line


def test_texts_of_pdf_and_renders_stand_under_names_of_their_own(edges: Edges) -> None:
    pdf = records_of(edges.warc, edges.edges["pdf"])
    assert b"The quick brown fox" in pdf["urn:text:"][1]
    assert pdf["urn:text:"][0].get("WARC-Refers-To") == pdf["response"][0].get("WARC-Record-ID")
    render = records_of(edges.warc, edges.others["render"])
    assert set(render) == {"urn:render:", "metadata"}
    assert b"MARK-rendered by scripts" in render["urn:render:"][1]
    loaded = records_of(edges.warc, edges.edges["gzip"])["response"][0]
    assert render["urn:render:"][0].get("WARC-Refers-To") == loaded.get("WARC-Record-ID")
    assert render["urn:render:"][0].get("WARC-Polite-Crawler-Headers") == "browser"


def test_no_secret_and_no_label_leaves_the_store(edges: Edges) -> None:
    octets = gzip.decompress(edges.warc.read_bytes())
    with zipfile.ZipFile(edges.wacz) as package:
        octets += b"".join(package.read(name) for name in package.namelist() if not name.startswith("archive/"))
    assert [secret for secret in SECRETS if secret in octets] == []
    assert b"user-provided" not in octets
    assert b"Set-Cookie: a=REDACTED; Path=/" in octets


def test_a_304_without_a_known_original_is_a_response(tmp_path: Path) -> None:
    lab = EvidenceLab(tmp_path / "store")
    ghost = replace(lab.exchange("http://ex.test/", head(HTML), html("x"), write=False)).sealed()
    lab.not_modified("http://ex.test/", ghost)
    with lab.store() as store:
        done = export(store.index, tmp_path / "x.wacz")
    assert (done.responses, done.revisits) == (1, 0)
    assert check(tmp_path / "x.wacz").ok
