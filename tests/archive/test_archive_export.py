"""Exports: what goes into an archive, what stays, and whether the tools of others take it."""

import gzip
import io
import json
import os
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from evidence_lab import HTML, EvidenceLab, edge_captures, head, html, other_captures, sha256

from polite_crawler.archive.check import check
from polite_crawler.archive.export import IndexSources, export
from polite_crawler.archive.heads import PREFIX
from polite_crawler.archive.live import LiveArchive
from polite_crawler.archive.reader import ArchiveRecord, RecordReader
from polite_crawler.archive.signature import fault_of
from polite_crawler.errors import BadOption, NotStored, PoliteError
from polite_crawler.query.store import Store
from polite_crawler.store.record import Capture, capture_id

SECRETS = (b"s3cr3t-0", b"s3cr3t-1", b"s3cr3t-2", b"s3cr3t-token-9", b"secret-lineage")


class Edges:
    """A store with every kind of capture, and its exports."""

    def __init__(self, folder: Path) -> None:
        lab = EvidenceLab(folder / "store")
        self.edges = edge_captures(lab)
        self.others = other_captures(lab, self.edges)
        self.captures = lab.captures
        self.store = lab.store()
        self.warc = folder / "edges.warc.gz"
        self.wacz = folder / "edges.wacz"
        self.done = export(self.store.index, self.warc)
        self.packed = export(self.store.index, self.wacz)


@pytest.fixture(scope="module")
def edges(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edges]:
    made = Edges(tmp_path_factory.mktemp("edges"))
    yield made
    made.store.close()


def read_records(path: Path) -> list[tuple[ArchiveRecord, bytes]]:
    remarks: list[tuple[int, str]] = []
    with path.open("rb") as file:
        found = []
        for record in RecordReader(file, lambda offset, what: remarks.append((offset, what))):
            block = record.block(1 << 28)
            assert block is not None
            found.append((record, block))
    assert remarks == []
    return found


def records_of(path: Path, capture: Capture) -> dict[str, tuple[ArchiveRecord, bytes]]:
    """The records of a capture by type; conversions by the prefix of their target."""
    found = {}
    for record, block in read_records(path):
        if record.get("WARC-Polite-Crawler-Capture") == capture.id:
            target = record.get("WARC-Target-URI") or ""
            found[target.split("http")[0] if record.type == "conversion" else record.type] = (record, block)
    return found


def test_each_capture_with_an_answer_is_there_and_no_other(edges: Edges) -> None:
    seen = {record.get("WARC-Polite-Crawler-Capture") for record, _ in read_records(edges.warc)} - {None}
    assert seen == {one.id for one in edges.captures if one.response is not None}
    answers = [record for record, _ in read_records(edges.warc) if record.type in ("response", "revisit")]
    assert edges.done.responses + edges.done.revisits == len(answers) == len(seen) - 1  # the render is a conversion
    assert edges.done.records == len(read_records(edges.warc))
    assert edges.done.skipped == 0


def test_two_exports_are_the_same_octets(edges: Edges, tmp_path: Path) -> None:
    for first in (edges.warc, edges.wacz):
        second = tmp_path / f"other-name{''.join(first.suffixes)}"
        export(edges.store.index, second)
        assert second.read_bytes() == first.read_bytes()


def test_a_package_holds_the_octets_of_the_plain_export(edges: Edges) -> None:
    with zipfile.ZipFile(edges.wacz) as package:
        assert package.read("archive/data.warc.gz") == edges.warc.read_bytes()
        assert package.getinfo("archive/data.warc.gz").compress_type == zipfile.ZIP_STORED


def test_gzip_and_the_strict_check_pass(edges: Edges) -> None:
    gzip.decompress(edges.warc.read_bytes())
    assert check(edges.warc).faults == ()
    assert check(edges.wacz).faults == ()


def test_warcio_checks_every_digest(edges: Edges, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("warcio", reason="warcio comes with the extra dev")
    from warcio.archiveiterator import ArchiveIterator
    from warcio.bufferedreaders import BufferedReader

    # warcio fails on brotli when Google's module is installed: it calls a method that this module does not have
    monkeypatch.delitem(BufferedReader.DECOMPRESSORS, "br", raising=False)
    checked = 0
    with edges.warc.open("rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            stream = record.raw_stream
            while stream.read(8192):
                pass
            checked += record.digest_checker.passed is True
    assert checked > 60


def test_fastwarc_checks_every_digest(edges: Edges) -> None:
    pytest.importorskip("fastwarc", reason="fastwarc comes with the extra dev")
    from fastwarc.warc import ArchiveIterator

    checked = 0
    with edges.warc.open("rb") as file:
        for record in ArchiveIterator(io.BytesIO(file.read()), parse_http=False):
            if record.headers.get("WARC-Block-Digest"):
                assert record.verify_block_digest()
                checked += 1
    assert checked > 60


def test_the_head_of_the_log_is_the_head_of_the_record(edges: Edges) -> None:
    for name, capture in edges.edges.items():
        if name == "notmodified":
            continue
        record, block = records_of(edges.warc, capture)["response"]
        assert capture.response is not None
        shown = block.partition(b"\n\n" if name == "lf" else b"\r\n\r\n")[0]
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


def index_lines(path: Path) -> list[tuple[str, str, dict[str, Any]]]:
    with zipfile.ZipFile(path) as package:
        lines = package.read("indexes/index.cdx").decode().splitlines()
    return [(key, time, json.loads(facts)) for key, time, facts in (line.split(" ", 2) for line in lines)]


def test_the_index_names_each_answer_and_gives_its_octets(edges: Edges) -> None:
    lines = index_lines(edges.wacz)
    assert len(lines) == edges.packed.responses + edges.packed.revisits
    assert [line[:2] for line in lines] == sorted(line[:2] for line in lines)
    octets = edges.warc.read_bytes()
    for _, time, facts in lines:
        start, length = int(facts["offset"]), int(facts["length"])
        assert facts["recordDigest"] == f"sha256:{sha256(octets[start : start + length])}"
        text = gzip.decompress(octets[start : start + length])
        assert f"WARC-Target-URI: {facts['url']}\r\n".encode() in text
        assert time == "".join(filter(str.isdigit, text.partition(b"WARC-Date: ")[2][:19].decode()))


def test_a_page_for_each_document_with_a_200_names_its_latest_capture(edges: Edges) -> None:
    with zipfile.ZipFile(edges.wacz) as package:
        first, *pages = [json.loads(line) for line in package.read("pages/pages.jsonl").splitlines()]
    assert first == {"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}
    by_url = {page["url"]: page for page in pages}
    assert len(by_url) == len(pages) == edges.packed.pages
    assert by_url["http://ex.test/plain"]["ts"] == edges.others["again"].time.start
    assert by_url["http://ex.test/plain"]["title"] == "plain again"
    assert "http://ex.test/held" in by_url
    assert not {"http://ex.test/robots.txt", "http://ex.test/missing", "http://ex.test/redirect"} & set(by_url)


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"host": "bücher.test"}, {"international"}),
        ({"host": "test"}, "all"),
        ({"host": "x.test"}, set()),
        ({"prefix": "http://ex.test/g"}, {"gzip"}),
        ({"prefix": "http://ex.test/", "host": "ex.test", "until": "2026-11-30T08:00:02Z"}, {"plain"}),
        ({"since": "2026-11-30T08:00:01.373456Z", "until": "2026-11-30T08:00:02.373457Z"}, {"plain", "gzip"}),
        ({"since": "2026-11-30T08:00:01.373457Z", "until": "2026-11-30T08:00:02.373456Z"}, set()),
    ],
)
def test_filters_select(edges: Edges, tmp_path: Path, filters: dict[str, Any], names: Any) -> None:
    out = tmp_path / "some.warc.gz"
    if not names:
        with pytest.raises(NotStored, match="nothing to export"):
            export(edges.store.index, out, **filters)
        assert list(tmp_path.iterdir()) == []
        return
    export(edges.store.index, out, **filters)
    seen = {record.get("WARC-Polite-Crawler-Capture") for record, _ in read_records(out)} - {None}
    if names == "all":
        assert len(seen) == len(edges.edges) + len(edges.others) - 2
    else:
        wanted = {edges.edges[name].id for name in names}
        assert {one for one in seen if one in {capture.id for capture in edges.edges.values()}} == wanted


@pytest.mark.parametrize(
    ("out", "options"),
    [
        ("x.zip", {}),
        (".wacz", {}),
        ("x.warc.gz", {"since": "yesterday"}),
        ("x.warc.gz", {"since": "2026-02-01", "until": "2026-01-01"}),
        ("x.warc.gz", {"host": "a b"}),
        ("x.warc.gz", {"wacz_key": "key.pem"}),
        ("x.wacz", {"wacz_key": "nothing.pem"}),
    ],
)
def test_bad_options_write_nothing(edges: Edges, tmp_path: Path, out: str, options: dict[str, Any]) -> None:
    with pytest.raises(BadOption):
        export(edges.store.index, tmp_path / out, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_replaced_only_when_told(edges: Edges, tmp_path: Path) -> None:
    out = tmp_path / "x.wacz"
    out.write_bytes(b"mine")
    with pytest.raises(PoliteError, match="is there already"):
        export(edges.store.index, out)
    assert out.read_bytes() == b"mine"
    export(edges.store.index, out, overwrite=True)
    assert out.read_bytes() == edges.wacz.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["x.wacz"]


def test_an_id_that_is_not_stored_is_an_error(edges: Edges, tmp_path: Path) -> None:
    for wrong in ("fetch.nothing", edges.others["override"].id):
        with pytest.raises(NotStored, match="no stored capture"):
            export(edges.store.index, tmp_path / "x.warc.gz", ids=[wrong])
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_one_clear_line(edges: Edges, tmp_path: Path) -> None:
    for name in ("x.warc.gz", "x.wacz"):
        with pytest.raises(PoliteError, match="No such file or directory"):
            export(edges.store.index, tmp_path / "nowhere" / name)


def test_files_rotate_and_each_is_whole(edges: Edges, tmp_path: Path) -> None:
    done = export(edges.store.index, tmp_path / "part.warc.gz", part_size=6000)
    names = [Path(name).name for name in done.files]
    assert names[:2] == ["part.warc.gz", "part-00001.warc.gz"]
    assert len(names) > 3
    assert done.bytes == sum((tmp_path / name).stat().st_size for name in names)
    for name in names:
        found = read_records(tmp_path / name)
        assert found[0][0].type == "warcinfo"
        info = found[0][0].get("WARC-Record-ID")
        assert {record.get("WARC-Warcinfo-ID") for record, _ in found[1:]} == {info}
        assert check(tmp_path / name).ok
    packed = tmp_path / "part.wacz"
    export(edges.store.index, packed, part_size=6000)
    assert check(packed).ok
    with zipfile.ZipFile(packed) as package:
        assert len([name for name in package.namelist() if name.startswith("archive/")]) == len(names)


def test_a_large_index_is_packed_in_blocks(tmp_path: Path) -> None:
    lab = EvidenceLab(tmp_path / "store")
    for number in range(160):
        lab.exchange(f"http://ex.test/page/{number:04}", head(HTML), html(str(number % 3), 1))
    with lab.store() as store:
        export(store.index, tmp_path / "many.wacz")
    assert check(tmp_path / "many.wacz").ok
    with zipfile.ZipFile(tmp_path / "many.wacz") as package:
        lines = gzip.decompress(package.read("indexes/index.cdx.gz")).splitlines()
        blocks = package.read("indexes/index.idx").splitlines()
    assert len(lines) == 160
    assert lines == sorted(lines)
    assert blocks[0].startswith(b"!meta 0 ")


def test_a_damaged_body_stays_and_is_counted(tmp_path: Path) -> None:
    lab = EvidenceLab(tmp_path / "store")
    edges = edge_captures(lab)
    store = lab.store()
    blobs = store.index.blobs
    for name, change in (("gzip", "flip"), ("br", "gone"), ("chunked", "cut")):
        body = edges[name].body
        assert body is not None
        path = blobs.path(body.sha256)
        octets = bytearray(path.read_bytes())
        octets[len(octets) // 2] ^= 0xFF
        if change == "gone":
            path.unlink()
        else:
            path.write_bytes(bytes(octets if change == "flip" else octets[:-20]))
    with store:
        done = export(store.index, tmp_path / "x.wacz")
    assert done.skips == {"body-damaged": 2, "body-missing": 1}
    assert done.skipped == 3
    assert check(tmp_path / "x.wacz").ok


def test_a_body_with_a_secret_leaves_only_when_told(tmp_path: Path) -> None:
    lab = EvidenceLab(tmp_path / "store")
    shown = b"<p>your token is canary-Zx81-value-of-secret</p>"
    capture = lab.exchange("http://ex.test/me?token=canary-Zx81-value-of-secret", head(HTML), shown)
    assert capture.secret_in_body
    lab.exchange("http://ex.test/", head(HTML), html("other"))
    with lab.store() as store:
        done = export(store.index, tmp_path / "x.warc.gz")
        assert done.skips == {"secret-in-body": 1}
        assert b"canary" not in gzip.decompress((tmp_path / "x.warc.gz").read_bytes())
        told = export(store.index, tmp_path / "y.warc.gz", secret_bodies=True)
        assert told.skips == {}
    assert b"canary" in gzip.decompress((tmp_path / "y.warc.gz").read_bytes())


def test_a_damaged_line_and_a_line_written_twice(tmp_path: Path) -> None:
    lab = EvidenceLab(tmp_path / "store")
    capture = lab.exchange("http://ex.test/", head(HTML), html("one"))
    lab.exchange("http://ex.test/two", head(HTML), html("two"))
    store = lab.store()
    (month,) = store.folder.log.rglob("*.ndjson")
    first, second = month.read_bytes().splitlines(keepends=True)
    month.write_bytes(first + second.replace(b"/two", b"/tow", 1) + first)
    with store:
        done = export(store.index, tmp_path / "x.wacz")
    assert (done.responses, done.skips) == (1, {"damaged-line": 1})
    assert check(tmp_path / "x.wacz").ok
    assert capture.id in (zipfile.ZipFile(tmp_path / "x.wacz").read("pages/pages.jsonl").decode())


def test_a_304_without_a_known_original_is_a_response(tmp_path: Path) -> None:
    lab = EvidenceLab(tmp_path / "store")
    ghost = replace(lab.exchange("http://ex.test/", head(HTML), html("x"), write=False)).sealed()
    lab.not_modified("http://ex.test/", ghost)
    with lab.store() as store:
        done = export(store.index, tmp_path / "x.wacz")
    assert (done.responses, done.revisits) == (1, 0)
    assert check(tmp_path / "x.wacz").ok


def test_a_signed_package_is_matched_and_a_changed_one_is_not(edges: Edges, tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP384R1())
    pem = tmp_path / "key.pem"
    pem.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    out = tmp_path / "signed.wacz"
    export(edges.store.index, out, wacz_key=pem)
    assert check(out).ok
    with zipfile.ZipFile(out) as package:
        stated = json.loads(package.read("datapackage-digest.json"))
    signed = stated["signedData"]
    assert fault_of(signed, stated["hash"]) is None
    assert fault_of(signed, "sha256:" + "0" * 64) == "the signature is of another hash"
    forged = {**signed, "hash": "sha256:" + "0" * 64}
    assert fault_of(forged, "sha256:" + "0" * 64) == "the signature does not fit the key and the hash"
    assert fault_of({**signed, "publicKey": "AAAA"}, stated["hash"]) == "the public key is no elliptic curve key"
    assert fault_of({**signed, "signature": signed["signature"][:-4]}, stated["hash"]) is not None
    assert fault_of({**signed, "signature": "%%%"}, stated["hash"]) == "the signature is no base64"


def test_keys_of_another_kind_are_refused(edges: Edges, tmp_path: Path) -> None:
    wrong = [ec.generate_private_key(ec.SECP256R1()), ed25519.Ed25519PrivateKey.generate()]
    for number, key in enumerate(wrong):
        pem = tmp_path / f"{number}.pem"
        pem.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        with pytest.raises(BadOption, match="no ECDSA P-384 key"):
            export(edges.store.index, tmp_path / "x.wacz", wacz_key=pem)


def test_a_failed_export_leaves_no_part(edges: Edges, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for name in ("x.warc.gz", "x.wacz"):
        with pytest.raises(PoliteError, match="No space left"):
            export(edges.store.index, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_the_store_exports_too(edges: Edges, tmp_path: Path) -> None:
    store: Store = edges.store
    assert store.export_wacz(tmp_path / "x.wacz").format == "wacz"
    assert store.export_warc(tmp_path / "x.warc.gz").format == "warc"
    with pytest.raises(BadOption, match="has to end in"):
        store.export_warc(tmp_path / "x.wacz")


@pytest.mark.parametrize("name", ["live.warc.gz", "live.wacz"])
def test_an_archive_grows_while_captures_are_made(edges: Edges, tmp_path: Path, name: str) -> None:
    """What a crawl writes as it goes is what an export writes afterwards."""
    sources = IndexSources(edges.store.index)
    live = LiveArchive(tmp_path / name, edges.store.index.blobs, sources.capture)
    for capture in edges.captures:
        live.add(capture, title=sources.title(capture), text=sources.text(capture))
    assert not (tmp_path / name).exists()
    done = live.close()
    assert done is not None
    assert (tmp_path / name).read_bytes() == (edges.warc if name.endswith("gz") else edges.wacz).read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_live_archive_of_nothing_leaves_no_file(edges: Edges, tmp_path: Path) -> None:
    live = LiveArchive(tmp_path / "x.wacz", edges.store.index.blobs, lambda capture: None)
    assert not live.add(edges.others["skip"])
    assert not live.add(edges.others["override"])
    assert live.close() is None
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BadOption):
        LiveArchive(tmp_path / "x.zip", edges.store.index.blobs, lambda capture: None)
