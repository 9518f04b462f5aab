"""Every archive of the shared samples: what the strict check says of it, and what an import takes."""

from pathlib import Path

import pytest
from shared_files import SHARED

from polite_crawler.archive.check import check
from polite_crawler.archive.importing import import_archive
from polite_crawler.errors import PoliteError
from polite_crawler.query.store import Store
from polite_crawler.store.folder import StoreFolder

SAMPLES = SHARED / "samples" / "warc"
pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="../shared/samples/warc is not there")

# the reason for which each sample that a reader of archives takes is not strictly right
NOT_RIGHT = {
    "chatnoir-eu_chatnoir-resiliparse__tests_data_clipped.warc.gz": "ends inside a gzip member",
    "chatnoir-eu_chatnoir-resiliparse__tests_data_clueweb-quirk.warc.gz": "the version WARC/0.18",
    "harvard-lil_wacz-signing__tests_test_files_invalid_signed_example_1.wacz": "is not trusted here",
    "local_wget-1.21.3.warc.gz": "is of the chunk framing",
    "q-m_scrapy-webarchive__tests_data_warc_1_1_goodreads.wacz": "an empty file",
    "q-m_scrapy-webarchive__tests_data_warc_1_1_quotes.wacz": "compressed in the ZIP",
    "webrecorder_cdxj-indexer__test_data_missing-http.warc.gz": "is not that of the block",
    "webrecorder_cdxj-indexer__test_data_post-test.warc.gz": "holds a cookie",
    "webrecorder_py-wacz__tests_fixtures_example-warcinfo-metadata.warc": "the label is sha-256",
    "webrecorder_py-wacz__tests_fixtures_invalid_example_1.wacz": "no WARC file",
    "webrecorder_py-wacz__tests_fixtures_invalid_signed_example_1.wacz": "is not trusted here",
    "webrecorder_pywb__sample_archive_waczs_invalid_example_1.wacz": "no WARC file",
    "webrecorder_pywb__sample_archive_waczs_valid_example_1.wacz": "a lower-case name is needed",
    "webrecorder_pywb__sample_archive_warcs_example-extra.warc": "does not end in CRLF CRLF",
    "webrecorder_pywb__sample_archive_warcs_example-url-agnostic-orig.warc.gz": "does not end in CRLF CRLF",
    "webrecorder_pywb__sample_archive_warcs_example-url-agnostic-revisit.warc.gz": "does not end in CRLF CRLF",
    "webrecorder_pywb__sample_archive_warcs_example-wget-1-14.warc.gz": "a second record with the id",
    "webrecorder_pywb__sample_archive_warcs_example.arc.gz": "an ARC file",
    "webrecorder_pywb__sample_archive_warcs_example.warc": "the Content-Length is wrong",
    "webrecorder_pywb__sample_archive_warcs_iana.warc.gz": "the body has no chunk framing",
    "webrecorder_pywb__sample_archive_warcs_post-test.warc.gz": "holds a cookie",
    "webrecorder_warcio__test_data_bad.arc": "no record",
    "webrecorder_warcio__test_data_example-bad-non-chunked.warc.gz": "more than one record",
    "webrecorder_warcio__test_data_example-bad.warc.gz.bad": "more than one record",
    "webrecorder_warcio__test_data_example-digest.warc": "base64",
    "webrecorder_warcio__test_data_example-iana.org-chunked.warc": "is of the chunk framing",
    "webrecorder_warcio__test_data_example-space-in-target-uri.warc.gz": "no absolute URI",
    "webrecorder_warcio__test_data_example-trunc.warc": "the Content-Length is wrong",
    "webrecorder_warcio__test_data_example-wget-bad-target-uri.warc.gz": "no absolute URI",
    "webrecorder_warcio__test_data_example-wrong-chunks.warc.gz": "the end comes inside the block",
    "webrecorder_warcio__test_data_example.arc": "an ARC file",
    "webrecorder_warcio__test_data_example.arc.gz": "an ARC file",
}
# the domain signature is right, but only where the root of its certificate is trusted
TRUSTED_HERE = "valid_signed_example_1.wacz"
BROKEN = {
    "bad_content_length_short.warc": "the Content-Length is wrong",
    "bad_digest.warc": "the WARC-Payload-Digest is not that of the payload",
    "bitflip.warc.gz": "a damaged gzip member",
    "garbage_tail.warc.gz": "512 octets that are no gzip member",
    "lf_only.warc": "LF and not in CRLF",
    "no_length.warc": "no Content-Length",
    "sha-256_label.warc": "the label is sha-256",
    "single_member.warc.gz": "more than one record in a gzip member",
    "trunc_last_member.warc.gz": "the file ends inside a gzip member",
    "trunc_mid_member.warc.gz": "the file ends inside a gzip member",
    "unpadded_b32.warc": "base32 without its padding",
}
# records that an import takes from samples whose makers are known, and the documents that they give
TAKEN = {
    "chatnoir-eu_chatnoir-resiliparse__tests_data_clueweb-quirk.warc.gz": (29, 29),
    "chatnoir-eu_chatnoir-resiliparse__tests_data_warcfile.warc.gz": (16, 16),
    "iipc_jwarc__test-resources_org_netpreserve_jwarc_cc.warc.gz": (1, 1),
    "local_wget-1.21.3.warc.gz": (7, 4),
    "webrecorder_pywb__sample_archive_warcs_dupes.warc.gz": (12, 1),
    "webrecorder_pywb__sample_archive_warcs_iana.warc.gz": (171, 35),
    "webrecorder_warcio__test_data_example.arc.gz": (1, 1),
    "webrecorder_warcio__test_data_example.warc.gz": (2, 1),
}


def archives(folder: Path) -> list[Path]:
    """The WARC, ARC and WACZ files of a folder."""
    if not folder.is_dir():
        return []
    return [path for path in sorted(folder.iterdir()) if {".warc", ".arc", ".wacz"} & set(path.suffixes)]


def named(paths: list[Path]) -> list[object]:
    return [pytest.param(path, id=path.name) for path in paths]


def test_the_archives_are_all_there() -> None:
    names = {path.name for path in archives(SAMPLES)}
    assert NOT_RIGHT.keys() | TAKEN.keys() <= names
    assert sum(name.endswith(TRUSTED_HERE) for name in names) > 0
    assert {path.name for path in archives(SAMPLES / "broken")} == BROKEN.keys()
    assert len(names) >= 58


@pytest.mark.parametrize("path", named(archives(SAMPLES)))
def test_the_check_passes_what_is_right_and_says_why_not(path: Path) -> None:
    found = check(path)
    if path.suffix == ".lz4":
        assert "LZ4" in str(found.faults[0])
    elif path.name in NOT_RIGHT:
        assert [fault for fault in found.faults if NOT_RIGHT[path.name] in str(fault)], found.faults[:5]
    elif path.name.endswith(TRUSTED_HERE):
        assert {fault.what.partition(" of ")[0] for fault in found.faults} <= {"the certificate"}
    else:
        assert found.ok, found.faults[:5]


@pytest.mark.parametrize("path", named(archives(SAMPLES / "broken")))
def test_the_check_rejects_what_is_broken(path: Path) -> None:
    found = check(path)
    assert not found.ok
    assert [fault for fault in found.faults if BROKEN[path.name] in str(fault)], found.faults[:5]


@pytest.mark.parametrize("path", named([*archives(SAMPLES), *archives(SAMPLES / "broken")]))
def test_each_file_imports_or_gives_one_clear_line(path: Path, tmp_path: Path) -> None:
    StoreFolder(tmp_path / "store").create()
    with Store(tmp_path / "store") as store:
        refused = ""
        try:
            done = import_archive(store.index, path)
        except PoliteError as error:
            refused = str(error)
        if refused:
            assert str(path) in refused
            assert "\n" not in refused
            return
        counts = store.index.reading(lambda catalog: catalog.counts())
        assert (counts["captures"], counts["documents"]) == (done.captures, done.documents)
        if path.name in TAKEN:
            assert (done.captures, done.documents) == TAKEN[path.name]
        again = import_archive(store.index, path)
        assert (again.captures, again.skips.get("known", 0)) == (0, done.captures)
