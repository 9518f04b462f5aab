"""The index as a projection: catch-up, rebuild, damage, versions and the copies of URLs."""

import gc
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from index_lab import IndexLab
from store_lab import DAY, HOUR, T0, StoreLab

from polite_crawler.errors import NotStored, StoreError
from polite_crawler.readers.page import Page
from polite_crawler.store import schema, segments
from polite_crawler.store.document import FIRST_LINKS, Document
from polite_crawler.store.entry import unpacked
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.index import Index
from polite_crawler.store.record import Capture, Redaction, ResponseHead, Time, Validators, micros, utc

A, B, OLD = "http://example.com/a", "http://example.com/b", "http://example.com/old"


@pytest.fixture
def lab(store_dir: Path) -> Iterator[StoreLab]:
    made = StoreLab(store_dir)
    yield made
    made.close()


def docs(index: Index) -> list[str]:
    return [row[0] for row in index.connection().execute("SELECT key FROM doc WHERE cur IS NOT NULL ORDER BY key")]


def state(index: Index) -> dict[str, list[tuple[object, ...]]]:
    """All that an index says, without its own numbers."""
    ask = index.connection().execute
    return {
        "versions": ask(
            "SELECT d.key, v.capture, v.fetched, v.title, t.body, v.held, v.id = d.cur, e.live, e.len FROM ver v"
            " JOIN doc d ON d.id = v.doc JOIN txt t ON t.id = v.txt LEFT JOIN ent e ON e.id = v.ent ORDER BY 1, 2"
        ).fetchall(),
        "spans": ask(
            "SELECT d.key, s.since, v.capture FROM span s JOIN doc d ON d.id = s.doc JOIN ver v ON v.id = s.ver"
            " ORDER BY 1, 2"
        ).fetchall(),
        "captures": ask("SELECT id, kind, url, fetched, outcome, parent, of, secret FROM cap ORDER BY 1").fetchall(),
        "docs": ask("SELECT key, held, checked FROM doc ORDER BY 1").fetchall(),
    }


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
        assert docs(index) == ["menu:soup", f"url:{A}"]
        done = index.reindex()
        assert (done.documents, done.failed, done.kept) == (2, 1, 0)


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
        for column in ("links", "more"):
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


def test_a_304_moves_checked_and_makes_no_version(lab: StoreLab) -> None:
    page = lab.page(A, "one page")
    lab.not_modified(A, page, at=HOUR)
    with Index(lab.folder) as index:
        doc = index.catalog.doc(A)
        assert doc.checked == micros(utc(T0 + HOUR))
        (version,) = index.catalog.versions(doc)
        assert version.fetched == page.fetched
        copy = index.catalog.copy_of(A)
        assert copy is not None
        assert (copy.capture.id, copy.checked) == (page.id, micros(utc(T0 + HOUR)))
        assert copy.confirmed_by is not None
        assert copy.confirmed_by.status == 304


def test_a_render_stays_current_while_the_plain_body_stays(lab: StoreLab) -> None:
    plain = lab.page(A, "please turn on JavaScript")
    lab.page(A, "what the script shows", at=1, kind="render", source={"of": plain.id})
    lab.page(A, "please turn on JavaScript", at=HOUR)
    with Index(lab.folder) as index:
        doc = index.catalog.doc(A)
        assert index.catalog.text(index.catalog.current(doc)) == "what the script shows"
        lab.page(A, "a new page", at=2 * HOUR)
        index.catch_up()
        doc = index.catalog.doc(A)
        assert index.catalog.text(index.catalog.current(doc)) == "a new page"
        assert [v.capture_kind for v in index.catalog.versions(doc)] == ["fetch", "fetch", "render", "fetch"]
        at = index.catalog.version_at(doc, micros(utc(T0 + HOUR + 1)))
        assert at is not None
        assert at.capture_kind == "render"
        assert index.catalog.version_at(doc, micros(utc(T0 - 1))) is None


def test_a_render_without_its_page_stands_on_the_plain_page_before_it(lab: StoreLab) -> None:
    lab.page(A, "plain")
    lab.page(A, "rendered", at=1, kind="render")
    lab.page(A, "plain", at=2)
    with Index(lab.folder) as index:
        assert index.catalog.current(index.catalog.doc(A)).capture_kind == "render"


def test_requested_urls_and_bare_urls_name_the_document(lab: StoreLab) -> None:
    first = lab.redirect(OLD)
    second = lab.redirect("http://example.com/hop", at=1, redirect_of=first.id)
    page = lab.page(A, "the page", at=2, redirect_of=second.id)
    with Index(lab.folder) as index:
        for name in (A, f"url:{A}", OLD, f"url:{OLD}", "HTTP://EXAMPLE.com:80/old#x", "http://example.com/hop"):
            assert index.catalog.doc(name).doc == f"url:{A}"
        copy = index.catalog.copy_of(OLD)
        assert copy is not None
        assert copy.capture == page
        for name in ("", "x", "http://example.com/other", "url:", "menu:1", "\0", "http://[bad"):
            with pytest.raises(NotStored):
                index.catalog.doc(name)
        with pytest.raises(NotStored, match=r"near names: url:http://example\.com/a"):
            index.catalog.doc("https://example.com/x/a")


def _hop(lab: StoreLab, location: str, *, at: float = 1.0, redacted: tuple[Redaction, ...] = ()) -> Capture:
    """A redirect of OLD after which the log holds no line of its own."""
    head = f"HTTP/1.1 302 Found\r\nLocation: {location}\r\n\r\n"
    return lab.write(
        Capture(
            kind="fetch", url=OLD, time=Time(utc(T0 + at)), outcome="redirect", status=302,
            response=ResponseHead(head, "exact"), redacted=redacted,
        )
    )  # fmt: skip


@pytest.mark.parametrize("location", [A, "/a", "a#part", "//EXAMPLE.com:80/a?utm_source=x"])
def test_a_hop_to_a_page_that_the_store_answered_names_its_document(lab: StoreLab, location: str) -> None:
    lab.page(A, "the page")
    _hop(lab, location)
    with Index(lab.folder) as index:
        assert index.catalog.doc(OLD).doc == f"url:{A}"
        # how old the page is says nothing of the hop
        assert index.catalog.copy_of(OLD) is None


@pytest.mark.parametrize(
    ("location", "redacted"),
    [("mailto:a@b.example", ()), ("", ()), ("/never", ()), (OLD, ()),
     (A, (Redaction("response.location.query.key", 1),))],
)  # fmt: skip
def test_a_hop_that_leads_to_no_page_names_none(lab: StoreLab, location: str, redacted: tuple[Redaction, ...]) -> None:
    lab.page(A, "the page")
    _hop(lab, location, redacted=redacted)
    with Index(lab.folder) as index, pytest.raises(NotStored):
        index.catalog.doc(OLD)


def test_a_hop_to_a_page_that_a_304_confirmed_leads_to_its_body(lab: StoreLab) -> None:
    page = lab.page(A, "the page")
    hop = _hop(lab, "/a", at=HOUR)
    lab.write(
        Capture(
            kind="fetch", url=A, time=Time(utc(T0 + HOUR + 1)), outcome="not_modified", status=304,
            redirect_of=hop.id, validators=Validators({"If-None-Match": '"x"'}, page.id),
        )
    )  # fmt: skip
    with Index(lab.folder) as index:
        assert index.catalog.doc(OLD).doc == f"url:{A}"
        copy = index.catalog.copy_of(OLD)
        assert copy is not None
        assert (copy.capture, copy.checked) == (page, micros(utc(T0 + HOUR + 1)))


def test_a_url_with_a_redacted_part_has_no_copy(lab: StoreLab) -> None:
    secret = "http://example.com/?token=REDACTED"
    lab.page(secret, "the page of somebody", redacted=(Redaction("url.query.token", 1),))
    hop = lab.redirect(OLD)
    lab.page(
        "http://example.com/x?key=REDACTED", "x", at=1, redirect_of=hop.id, redacted=(Redaction("url.query.key", 1),)
    )
    with Index(lab.folder) as index:
        assert index.catalog.copy_of(secret) is None
        assert index.catalog.copy_of(OLD) is None
        assert index.catalog.doc(secret).doc == f"url:{secret}"


def test_the_latest_answer_of_a_url_is_its_copy(lab: StoreLab) -> None:
    lab.page(A, "first")
    latest = lab.page(A, "second", at=1)
    lab.page(A, "robots", at=2, kind="robots")
    lab.page(A, "gone", at=3, outcome="gone", status=404)
    lab.page(A, "a copy", at=4, kind="archive-copy", source={"original": A})
    with Index(lab.folder) as index:
        copy = index.catalog.copy_of(A)
        assert copy is not None
        assert copy.capture == latest
        assert index.catalog.copy_of("http://example.com/never") is None
        assert index.catalog.copy_of("no url") is None
        assert index.catalog.counts() == {"documents": 2, "held_back": 0, "versions": 3, "captures": 5}


def test_a_secret_of_the_referrer_costs_no_copy(lab: StoreLab) -> None:
    page = lab.page(A, "x", referrer="http://example.com/?key=REDACTED", redacted=(Redaction("url.query.key", 1),))
    with Index(lab.folder) as index:
        copy = index.catalog.copy_of(A)
        assert copy is not None
        assert copy.capture == page


@pytest.mark.parametrize(("recipe", "stays"), [("venue", True), ("page", False), (None, False)])
def test_a_richer_recipe_stays_current_on_the_same_body(lab: StoreLab, recipe: str | None, stays: bool) -> None:
    first = lab.page(A, "one page", recipe=recipe)
    second = lab.page(A, "one page", recipe="page", at=HOUR)
    with Index(lab.folder) as index:
        assert index.catalog.current(index.catalog.doc(A)).capture == (first if stays else second).id


def test_a_hop_loop_in_the_log_ends(lab: StoreLab) -> None:
    first = lab.redirect(OLD)
    for n in range(30):
        first = lab.redirect(OLD, at=1.0 + n, redirect_of=first.id)
    with Index(lab.folder) as index:
        assert index.catalog.copy_of(OLD) is None


def test_lone_surrogates_and_nul_do_not_stop_the_index(store_dir: Path) -> None:
    lab = IndexLab(store_dir)
    lab.add("x:1", "before \ud800 after \0 end", at=0, title="\udfff title")
    doc = lab.index.catalog.doc("x:1")
    version = lab.index.catalog.current(doc)
    assert (lab.index.catalog.text(version), version.title) == ("before \ufffd after \0 end", "\ufffd title")
    lab.index.close()


def test_threads_and_forks_have_connections_of_their_own(lab: StoreLab) -> None:
    lab.page(A, "one page")
    with Index(lab.folder) as index:
        own = index.connection()
        assert index.connection() is own
        child = os.fork()
        if child == 0:
            ok = index.connection() is not own and docs(index) == [f"url:{A}"]
            index.close()
            os._exit(0 if ok else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert docs(index) == [f"url:{A}"]
        lab.page(B, "still writable", at=1)
        assert index.catch_up().captures == 1


def test_a_generation_that_was_replaced_is_left(lab: StoreLab) -> None:
    lab.page(A, "one page")
    with Index(lab.folder) as one, Index(lab.folder) as other:
        assert docs(other) == [f"url:{A}"]
        assert one.reindex().documents == 1
        lab.page(B, "after the swap", at=1)
        capture = Capture.from_json(list(lab.log.scan())[-1][1].to_json())
        assert other.add(capture, [Document(f"url:{B}", "page", None, "after the swap", B)])
        assert docs(one) == docs(other) == [f"url:{A}", f"url:{B}"]
        assert one.generation == other.generation


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
        assert [path.name for path in lab.folder.index.glob("0*")] == [generation]
    monkeypatch.undo()
    with Index(lab.folder) as index:
        monkeypatch.setattr(Path, "rename", lambda *_: (_ for _ in ()).throw(OSError(5, "Input/output error")))
        with pytest.raises(StoreError, match="Input/output error"):
            index.reindex()
        assert (index.generation, docs(index)) == (generation, [f"url:{A}"])


def test_a_busy_index_is_one_clear_line(lab: StoreLab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "BUSY_MS", 1)
    capture = lab.page(A, "one page")
    with Index(lab.folder) as one, Index(lab.folder) as other:
        late = lab.page(B, "late", at=1)
        with one.writing(), pytest.raises(StoreError, match="cannot write the index: database is locked"):
            other.add(late, [])
        with pytest.raises(ZeroDivisionError), one.writing() as connection:
            connection.execute(f"DELETE FROM cap WHERE {1 / 0}")
        assert one.catalog.capture(capture.id) == capture
        # no damage: it is only busy, so nothing is built anew
        generation = one.generation
        with one.writing(), pytest.raises(StoreError, match="locked"):
            Index(lab.folder)
        assert one.generation == generation


def test_an_index_that_is_superseded_and_still_answers_ends_the_write(lab: StoreLab) -> None:
    capture = lab.page(A, "one page")
    with Index(lab.folder) as index:
        index.connection().execute("INSERT INTO meta VALUES('superseded', '000009')")
        with pytest.raises(StoreError, match="pc reindex"):
            index.add(capture, [])
        assert index.reindex().documents == 1
        assert not index.add(capture, [])


def test_segments_of_a_generation_that_was_taken_away_are_left(lab: StoreLab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.page(A, "one page")
    with Index(lab.folder) as index, Index(lab.folder) as other:
        real = segments.maintain

        def swapped(*args: object, **options: object) -> bool:
            other.reindex()
            raise FileNotFoundError(2, "No such file or directory")

        monkeypatch.setattr(segments, "maintain", swapped)
        assert not index.maintain()
        monkeypatch.setattr(segments, "maintain", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "No space left")))
        with pytest.raises(StoreError, match="segments"):
            index.maintain()
        monkeypatch.setattr(segments, "maintain", real)
        lab.page(B, "another", at=1)
        index.catch_up()
        assert index.maintain(tail=1)


def test_a_thread_that_ends_leaves_no_connection(lab: StoreLab) -> None:
    lab.page(A, "one page")
    with Index(lab.folder) as index:
        seen: list[list[str]] = []
        files = []
        for _ in range(5):
            thread = threading.Thread(target=lambda: seen.append(docs(index)))
            thread.start()
            thread.join()
            gc.collect()
            files.append(len(os.listdir("/proc/self/fd")))
        assert seen == [[f"url:{A}"]] * 5
        assert files[-1] <= files[0]


def test_the_stamp_changes_with_the_folding() -> None:
    assert schema.stamp().count(".") >= 3


def test_four_processes_open_a_new_store_at_once(lab: StoreLab) -> None:
    for n in range(20):
        lab.page(f"{A}/{n}", f"page {n}", at=float(n))
    code = (
        "import sys; from polite_crawler import open_store\n"
        "with open_store(sys.argv[1]) as s: print(len(s.find('page', limit=50)))"
    )
    opened = [
        subprocess.Popen([sys.executable, "-c", code, lab.folder.path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    assert [process.communicate() for process in opened] == [(b"20\n", b"")] * 4
