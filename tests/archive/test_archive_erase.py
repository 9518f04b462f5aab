"""Removals: the body and the words go, the log and its proofs stay."""

import gzip
from pathlib import Path

import pytest
from evidence_lab import HTML, EvidenceLab, head, html
from seal_lab import key_of

from polite_crawler.archive.erase import erase
from polite_crawler.archive.export import export
from polite_crawler.archive.sealing import seal
from polite_crawler.errors import NotStored, StoreError
from polite_crawler.query.store import Store
from polite_crawler.store.log import CaptureLog


def test_a_removal_takes_the_body_and_the_words_and_keeps_the_log(store: Store, tmp_path: Path) -> None:
    key = key_of(store)
    sealed = seal(store.folder, key)
    versions = [store.capture(one.capture) for one in store.versions("http://ex.test/plain")]
    bodies = {one.body.sha256 for one in versions if one.body}
    done = erase(store.index, "http://ex.test/plain", reason="order 17")
    assert set(done.bodies) == bodies
    assert len(done.captures) == 2
    assert not [sha256 for sha256 in done.bodies if store.index.blobs.has(sha256)]
    with pytest.raises(NotStored):
        store.read("http://ex.test/plain")
    assert store.find("MARK-plain") == ()
    octets = b"".join(path.read_bytes() for path in store.folder.index.rglob("*") if path.is_file())
    assert b"MARK-plain again" not in octets
    lines = [one for _, one in store.index.log.scan() if one.kind == "erase"]
    assert {(one.source or {})["of"] for one in lines} == set(done.captures)
    assert {one.note for one in lines} == {"order 17"}
    assert seal(store.folder, key).size == sealed.size + 3
    exported = export(store.index, tmp_path / "x.warc.gz")
    assert exported.skips == {"body-missing": 2}
    assert b"MARK-plain again" not in gzip.decompress((tmp_path / "x.warc.gz").read_bytes())
    assert b"order 17" not in gzip.decompress((tmp_path / "x.warc.gz").read_bytes())


def test_a_shared_body_goes_for_all_who_share_it(tmp_path: Path) -> None:
    lab = EvidenceLab(tmp_path / "store")
    one = lab.exchange("http://ex.test/1", head(HTML), html("shared"))
    two = lab.exchange("http://ex.test/2", head(HTML), html("shared"))
    assert one.body is not None
    with lab.store() as store:
        done = erase(store.index, one.id, reason="x")
        assert set(done.captures) == {one.id, two.id}
        again = erase(store.index, one.body.sha256, reason="x")
        assert set(again.captures) == {one.id, two.id}
        assert len([one for _, one in store.index.log.scan() if one.kind == "erase"]) == 2
        for name in ("http://ex.test/none", "fetch.none", "0" * 64):
            with pytest.raises(NotStored):
                erase(store.index, name, reason="x")


def test_a_full_disk_stops_a_removal_before_a_body_goes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(CaptureLog, "append", full)
    with pytest.raises(StoreError, match=r"cannot erase in the store .* No space left"):
        erase(store.index, "http://ex.test/plain", reason="x")
    assert store.read("http://ex.test/plain").text
    assert store.doctor().ok
