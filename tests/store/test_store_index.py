"""The index as a projection: catch-up, rebuild and damage."""

import json
import os
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from index_lab import IndexLab
from index_state import A, B, docs, state
from store_lab import DAY, T0, StoreLab

from polite_crawler import open_store
from polite_crawler.errors import StoreError
from polite_crawler.readers.page import Page
from polite_crawler.store import schema, segments
from polite_crawler.store.document import FIRST_LINKS, Document
from polite_crawler.store.entry import unpacked
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.index import Index
from polite_crawler.store.record import Capture, Time, utc


def test_an_open_index_knows_all_that_the_log_holds(lab: StoreLab) -> None:
    lab.page(A, "one page", title="One")
    lab.page(B, "another page", coded=True, at=1)
    with Index(lab.folder) as index:
        assert docs(index) == [f"url:{A}", f"url:{B}"]
        lab.page(A, "one page changed", at=2)
        assert index.catch_up().captures == 1
        assert index.catch_up().captures == 0
        doc = index.catalog.doc(A)
        assert [index.catalog.text(v) for v in index.catalog.versions(doc)] == ["one page changed", "one page"]


def test_a_live_add_and_the_catch_up_agree(lab: StoreLab, tmp_path: Path) -> None:
    with Index(lab.folder) as index:
        for n in range(6):
            capture = lab.page(A, f"text {n % 4}", at=float(n), title="T", hold="noai" if n == 2 else None)
            document = Document(f"url:{A}", "page", "T", f"text {n % 4}", A, {"size": 1})
            assert index.add(capture, [document])
            assert not index.add(capture, [document])
        live = state(index)
        assert index.catch_up().captures == 0
        assert state(index) == live
        assert index.catalog.capture(capture.id) == capture
    shutil.rmtree(lab.folder.index)
    with Index(StoreFolder(lab.folder.path).create()) as rebuilt:
        assert state(rebuilt) == live
        assert rebuilt.reindex().captures == 6
        assert state(rebuilt) == live


def test_captures_in_any_sequence_give_one_state(store_dir: Path, tmp_path: Path) -> None:
    first = StoreLab(tmp_path / "first")
    captures = [first.page(A, f"text {n % 3}", at=float(n // 2), hold="noai" if n == 3 else None) for n in range(8)]
    with Index(first.folder) as index:
        expected = state(index)
    for seed in range(4):
        shuffled = captures[:]
        random.Random(seed).shuffle(shuffled)
        folder = StoreFolder(tmp_path / f"s{seed}").create()
        shutil.copytree(first.folder.blobs, folder.blobs, dirs_exist_ok=True)
        other = StoreLab(folder.path)
        for capture in shuffled:
            other.log.append(capture.line())
        with Index(folder) as index:
            assert state(index) == expected
        other.close()
    first.close()


def test_damage_is_skipped_and_counted(lab: StoreLab) -> None:
    good = lab.page(A, "good page")
    bad = lab.page(B, "bad page", at=1)
    missing = lab.page("http://example.com/c", "missing", at=2)
    assert bad.body
    assert missing.body
    lab.blobs.path(bad.body.sha256).write_bytes(b"damage" * 9)
    lab.blobs.path(missing.body.sha256).unlink()
    with (lab.folder.log / "2026/03.ndjson").open("ab") as file:
        file.write(b'{"half a li\n')
    with Index(lab.folder) as index:
        assert docs(index) == [f"url:{A}"]
        done = index.reindex()
        assert (done.documents, done.captures, done.skipped_lines, done.skipped_bodies, done.failed) == (1, 3, 1, 2, 0)
        assert index.catalog.capture(bad.id) == bad
        assert index.catalog.doc(A).doc == f"url:{A}"
    assert good.id


def test_a_reader_that_throws_costs_its_document_alone(lab: StoreLab) -> None:
    def extract(body: bytes, capture: Capture, page: Page) -> list[Document]:
        if b"poison" in body:
            raise RuntimeError("poison")
        return [Document(f"menu:{page.text}", "menu", None, page.text, capture.url)]

    lab.page(A, "soup", recipe="menu")
    lab.page(B, "poison", recipe="menu")
    with Index(lab.folder, extractors={"menu": extract}) as index:
        # its page is one all the same, as while crawling
        assert docs(index) == ["menu:soup", f"url:{A}", f"url:{B}"]
        done = index.reindex()
        assert (done.documents, done.failed, done.kept) == (3, 1, 0)


def links(number: int) -> list[dict[str, Any]]:
    return [{"url": f"{A}/{n}", "text": "\ud800 é" if n % 2 else ""} for n in range(number)]


@pytest.mark.parametrize("number", [0, 1, FIRST_LINKS, FIRST_LINKS + 1, 500])
def test_metadata_come_back_as_they_were(store_dir: Path, number: int) -> None:
    meta = {"first": 1, "links": links(number), "links_in_all": "mine", "last": [2]}
    with IndexLab(store_dir).index as index:
        page = Capture(kind="fetch", url=A, time=Time(utc(T0)), outcome="ok").sealed()
        index.add(page, [Document(f"url:{A}", "page", None, "x", A, meta)])
        version = index.catalog.current(index.catalog.doc(A))
        found = index.catalog.meta(version)
        assert json.dumps(found, ensure_ascii=False) == json.dumps(meta, ensure_ascii=False).replace("\ud800", "?")
        contents = index.catalog.contents(version)
        assert (contents.text, contents.links) == ("x", number if number > FIRST_LINKS else None)
        assert len(unpacked(contents.meta, None)["links"]) == min(number, FIRST_LINKS)


def test_documents_of_a_recipe_that_nobody_can_read_stay(lab: StoreLab) -> None:
    meta = {"price": "1", "links": links(30)[::2] * 2}

    def extract(body: bytes, capture: Capture, page: Page) -> list[Document]:
        return [Document("menu:1", "menu", "Menu", page.text, capture.url, meta, ((0, 2),))]

    lab.page(A, "soup of the day", recipe="menu")
    lab.page(A, "soup of another day", recipe="menu", at=DAY)
    with Index(lab.folder, extractors={"menu": extract}) as index:
        before = state(index)
    with Index(lab.folder) as index:
        done = index.reindex()
        assert (done.documents, done.kept) == (2, 1)
        assert state(index) == before
        doc = index.catalog.doc("menu:1")
        current = index.catalog.current(doc)
        assert (index.catalog.meta(current), index.catalog.main(current)) == (meta, ((0, 2),))
        assert index.reindex().kept == 1


def test_documents_of_a_recipe_stay_when_the_index_is_of_an_earlier_version(lab: StoreLab) -> None:
    def extract(body: bytes, capture: Capture, page: Page) -> list[Document]:
        return [Document("menu:1", "menu", "Menu", page.text, capture.url, {"links": links(3)})]

    lab.page(A, "soup of the day", recipe="menu")
    with Index(lab.folder, extractors={"menu": extract}) as index:
        before = state(index)
        for column in ("links", "more", "said"):
            index.connection().execute(f"ALTER TABLE ver DROP COLUMN {column}")
        index.connection().execute("UPDATE meta SET v='4' WHERE k='stamp'")
    with Index(lab.folder) as index:
        assert index.generation == "000002"
        assert state(index) == before
        assert len(index.catalog.meta(index.catalog.current(index.catalog.doc("menu:1")))["links"]) == 3


BROKEN = [
    "deleted",
    "current deleted",
    "current garbage",
    "database deleted",
    "database garbage",
    "database empty",
    "stamp",
]


@pytest.mark.parametrize("fault", BROKEN)
def test_an_index_that_is_not_usable_is_built_at_open(lab: StoreLab, fault: str) -> None:
    lab.page(A, "one page")
    with Index(lab.folder) as index:
        expected = state(index)
        database = index.generations.database(index.generation)
    if fault == "deleted":
        shutil.rmtree(lab.folder.index)
        lab.folder.create()
    elif fault.startswith("current"):
        (lab.folder.index / "CURRENT").unlink()
        if fault == "current garbage":
            (lab.folder.index / "CURRENT").write_text("../../etc")
    elif fault == "stamp":
        with closing(sqlite3.connect(database)) as connection:
            connection.execute("UPDATE meta SET v = '0' WHERE k = 'stamp'")
            connection.commit()
    else:
        for name in ("index.sqlite-wal", "index.sqlite-shm"):
            database.with_name(name).unlink(missing_ok=True)
        database.unlink()
        if fault != "database deleted":
            database.write_bytes(b"garbage" * 5000 if fault == "database garbage" else b"")
    with Index(lab.folder) as index:
        assert state(index) == expected
        assert len(list(lab.folder.index.glob("0*"))) == 1


def test_a_store_that_cannot_be_written_answers_as_it_is(lab: StoreLab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.page(A, "one page")
    with Index(lab.folder) as index:
        pass
    lab.page(B, "not yet indexed")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with Index(lab.folder) as index:
        assert docs(index) == [f"url:{A}"]
        with pytest.raises(StoreError, match="cannot write"):
            index.reindex()
    shutil.rmtree(lab.folder.index)
    lab.folder.index.mkdir()
    with pytest.raises(StoreError, match="cannot be written"):
        Index(lab.folder)


def test_lone_surrogates_and_nul_do_not_stop_the_index(store_dir: Path) -> None:
    lab = IndexLab(store_dir)
    lab.add("x:1", "before \ud800 after \0 end", at=0, title="\udfff title")
    doc = lab.index.catalog.doc("x:1")
    version = lab.index.catalog.current(doc)
    assert (lab.index.catalog.text(version), version.title) == ("before \ufffd after \0 end", "\ufffd title")
    lab.index.close()


def test_a_full_disk_is_one_clear_line(lab: StoreLab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.page(A, "one page")
    with Index(lab.folder) as index:
        index.connection().execute(
            f"PRAGMA max_page_count={index.connection().execute('PRAGMA page_count').fetchone()[0]}"
        )
        capture = lab.page(B, "x " * 100_000, at=1)
        with pytest.raises(StoreError, match="cannot write the index: database or disk is full"):
            index.add(capture, [Document(f"url:{B}", "page", None, "".join(map(chr, range(33, 50_000))), B)])
        assert docs(index) == [f"url:{A}"]
    with Index(lab.folder) as index:
        assert docs(index) == [f"url:{A}", f"url:{B}"]


def test_a_store_on_a_full_disk_is_read_as_it_is(lab: StoreLab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.page(A, "one page", title="One")
    Index(lab.folder).close()
    lab.page(B, "another page", at=1)
    real = os.statvfs(lab.folder.path)
    full = SimpleNamespace(f_blocks=real.f_blocks, f_bavail=0, f_frsize=real.f_frsize)
    monkeypatch.setattr(os, "statvfs", lambda path: full)
    before = {path: path.stat().st_mtime_ns for path in lab.folder.path.rglob("*") if path.is_file()}
    with open_store(lab.folder.path) as store:
        assert [found.doc for found in store.find("page")] == [f"url:{A}"]
        assert store.read(A).text.strip() == "one page"
        with pytest.raises(StoreError, match="the disk is full"):
            store.reindex()
    assert {path: path.stat().st_mtime_ns for path in lab.folder.path.rglob("*.sqlite")}.items() <= before.items()
    monkeypatch.undo()
    with open_store(lab.folder.path) as store:
        assert len(store.find("page")) == 2


def test_damage_inside_the_database_is_cured_at_open(lab: StoreLab) -> None:
    for n in range(60):
        lab.page(f"{A}/{n}", f"page {n} " + " ".join(map(str, range(n * 50, n * 50 + 400))), at=float(n))
    with Index(lab.folder) as index:
        expected = state(index)
        database = index.generations.database(index.generation)
    lab.page(B, "one more", at=99)
    octets = bytearray(database.read_bytes())
    for page in range(2, len(octets) // 4096):
        octets[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    database.write_bytes(octets)
    with Index(lab.folder) as index:
        assert len(docs(index)) == 61
        healed = state(index)
        assert [row for row in healed["docs"] if row[0] != f"url:{B}"] == expected["docs"]
    assert not list(lab.folder.index.glob("000001"))


def test_a_rebuild_that_fails_keeps_the_old_index(lab: StoreLab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.page(A, "one page")
    with Index(lab.folder) as index:
        expected = state(index)
        generation = index.generation
        for fault in (OSError(28, "No space left on device"), sqlite3.OperationalError("disk full")):
            monkeypatch.setattr(segments, "build", lambda *_, fault=fault: (_ for _ in ()).throw(fault))
            with pytest.raises(StoreError, match=r"cannot build the index: (No space|disk full)"):
                index.reindex()
        assert (index.generation, state(index)) == (generation, expected)
        # one that cannot even be begun leaves no folder
        monkeypatch.setattr(schema, "_statements", lambda: ["CREATE"])
        with pytest.raises(StoreError, match="cannot build the index: incomplete input"):
            index.reindex()
        assert [path.name for path in lab.folder.index.glob("0*")] == [generation]
    monkeypatch.undo()
    with Index(lab.folder) as index:
        monkeypatch.setattr(Path, "rename", lambda *_: (_ for _ in ()).throw(OSError(5, "Input/output error")))
        with pytest.raises(StoreError, match="Input/output error"):
            index.reindex()
        assert (index.generation, docs(index)) == (generation, [f"url:{A}"])


def test_the_stamp_changes_with_the_folding() -> None:
    assert schema.stamp().count(".") >= 3
