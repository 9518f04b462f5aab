"""Threads, processes and rebuilds on one index."""

import gc
import os
import subprocess
import sys
import threading

import pytest
from index_state import A, B, docs
from store_lab import StoreLab

from polite_crawler.errors import StoreError
from polite_crawler.store import schema, segments
from polite_crawler.store.document import Document
from polite_crawler.store.index import Index
from polite_crawler.store.record import Capture


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
