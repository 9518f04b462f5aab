"""Exports: which captures go into an archive, its files, and whether the tools of others take it."""

import gzip
import io
import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from evidence_lab import HTML, EvidenceLab, edge_captures, head, html
from export_lab import Edges, read_records

from polite_crawler.archive.check import check
from polite_crawler.archive.export import IndexSources, export
from polite_crawler.archive.live import LiveArchive
from polite_crawler.errors import BadOption, NotStored, PoliteError
from polite_crawler.query.store import Store


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
