"""POLITE_WARC: the archive that a crawl writes as it goes."""

import io
import logging
import zipfile
from pathlib import Path

import pytest
from engine_lab import crawl
from sites import Site
from warcio.archiveiterator import ArchiveIterator

from polite_crawler import open_crawler, open_store
from polite_crawler.archive.check import check
from polite_crawler.archive.live import LiveArchive
from polite_crawler.errors import BadOption, PoliteError
from polite_crawler.spiders.site import SiteSpider


def _records(path: Path) -> dict[str, tuple[str, bytes]]:
    """The kind and the block of each record, by its id."""
    octets = path.read_bytes()
    if path.suffix == ".wacz":
        octets = zipfile.ZipFile(path).read("archive/data.warc.gz")
    found = ArchiveIterator(io.BytesIO(octets), no_record_parse=True)
    return {
        record.rec_headers.get_header("WARC-Record-ID"): (record.rec_type, record.raw_stream.read())
        for record in found
        if record.rec_type != "warcinfo"
    }


@pytest.mark.parametrize("name", ["live.warc.gz", "live.wacz"])
def test_a_crawl_writes_what_an_export_writes(site: Site, store_dir: Path, tmp_path: Path, name: str) -> None:
    settings = {"POLITE_WARC": str(tmp_path / name)}
    run = crawl(SiteSpider, store_dir, url=site.url("/"), max_pages=8, settings=settings)
    assert run.summary.fetched == 8
    with open_store(store_dir) as store:
        (store.export_wacz if name.endswith("wacz") else store.export_warc)(tmp_path / f"later-{name}")
    assert check(tmp_path / name).faults == ()
    assert _records(tmp_path / name) == _records(tmp_path / f"later-{name}")


def test_a_304_refers_to_the_earlier_capture(site: Site, store_dir: Path, tmp_path: Path) -> None:
    url = site.url("/cache/etag")
    crawl(SiteSpider, store_dir, url=url, max_pages=1, max_age=0)
    settings = {"POLITE_WARC": str(tmp_path / "again.warc.gz")}
    crawl(SiteSpider, store_dir, url=url, max_pages=1, max_age=0, settings=settings)
    with open_store(store_dir) as store:
        store.export_warc(tmp_path / "later.warc.gz")
    again, later = _records(tmp_path / "again.warc.gz"), _records(tmp_path / "later.warc.gz")
    assert check(tmp_path / "again.warc.gz").faults == ()
    assert "revisit" in {kind for kind, _ in again.values()}
    assert {name: later[name] for name in again} == again


def test_the_library_writes_one_archive_until_it_closes(site: Site, store_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "all.warc.gz"
    with open_crawler(store_dir, allow_private=True, page_interval=0, warc=str(out)) as crawler:
        crawler.fetch(site.url("/visit"))
        with crawler.crawl(site.url("/about"), max_pages=2) as run:
            assert len(list(run)) == 2
        assert not out.exists()
    assert check(out).ok


@pytest.mark.parametrize(
    ("name", "error"), [("x.zip", BadOption), ("there.warc.gz", PoliteError), ("no/folder.wacz", PoliteError)]
)
def test_a_name_that_cannot_be_used_sends_nothing(
    site: Site, store_dir: Path, tmp_path: Path, name: str, error: type[PoliteError]
) -> None:
    (tmp_path / "there.warc.gz").write_bytes(b"mine")
    with pytest.raises(error, match=name.rpartition("/")[2].partition(".")[0]):
        crawl(SiteSpider, store_dir, url=site.url("/about"), settings={"POLITE_WARC": str(tmp_path / name)})
    assert site.log() == []
    assert (tmp_path / "there.warc.gz").read_bytes() == b"mine"


def test_a_full_disk_ends_the_archive_and_not_the_crawl(
    site: Site, store_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object, **__: object) -> bool:
        raise PoliteError("cannot write x: No space left on device")

    monkeypatch.setattr(LiveArchive, "add", full)
    with caplog.at_level(logging.ERROR):
        settings = {"POLITE_WARC": str(tmp_path / "x.wacz")}
        run = crawl(SiteSpider, store_dir, url=site.url("/about"), max_pages=2, settings=settings)
    assert run.summary.fetched == 2
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == ["POLITE_WARC"]
    assert list(tmp_path.glob("*x.wacz*")) == []
