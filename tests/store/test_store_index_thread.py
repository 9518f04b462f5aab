"""Indexing in a thread: never a wait for the crawl, errors noted, and what is missing comes by the catch-up."""

import sqlite3
import threading
from typing import Any

import pytest
from store_lab import StoreLab

from polite_crawler.errors import StoreError
from polite_crawler.store.document import Document
from polite_crawler.store.index import Index
from polite_crawler.store.index_thread import IndexThread
from polite_crawler.store.record import Capture


def page(lab: StoreLab, number: int) -> tuple[Capture, list[Document]]:
    url = f"http://example.com/{number}"
    return lab.page(url, f"page {number}", at=float(number)), [
        Document(f"url:{url}", "page", None, f"page {number}", url)
    ]


def count(lab: StoreLab) -> int:
    with Index(lab.folder, catch_up=False) as index:
        return int(index.connection().execute("SELECT count(*) FROM doc WHERE cur IS NOT NULL").fetchone()[0])


def test_what_is_submitted_is_indexed(lab: StoreLab) -> None:
    thread = IndexThread(lambda: Index(lab.folder))
    # the index opens with the first capture, and catches up with it from the log
    assert not thread.submit(*page(lab, 0)).result(30)
    first = page(lab, 1)
    assert thread.submit(*first).result(30)
    assert not thread.submit(*first).result(30)
    late = [thread.submit(*page(lab, n)) for n in range(2, 30)]
    assert thread.close()
    assert all(future.result() for future in late)
    assert count(lab) == 30
    with pytest.raises(StoreError, match="closed"):
        thread.submit(*first).result(30)


def test_the_end_of_a_crawl_leaves_no_offset_behind_and_few_texts_without_a_segment(lab: StoreLab) -> None:
    thread = IndexThread(lambda: Index(lab.folder))
    for n in range(300):
        thread.submit(*page(lab, n)).result(30)
    assert thread.close()
    with Index(lab.folder, catch_up=False) as index:
        ask = index.connection().execute
        assert dict(ask("SELECT file, offset FROM log").fetchall()) == lab.log.sizes()
        assert ask("SELECT count(*) FROM ent WHERE part = 0").fetchone()[0] < 64
        assert ask("SELECT sum(docs) FROM seg").fetchone()[0] > 200


def test_a_full_queue_fails_its_future_and_the_log_brings_it_later(lab: StoreLab) -> None:
    gate = threading.Event()

    def opened() -> Index:
        gate.wait(30)
        return Index(lab.folder)

    thread = IndexThread(opened, waiting=3)
    futures = [thread.submit(*page(lab, n)) for n in range(10)]
    gate.set()
    failed = [future for future in futures if future.exception(30)]
    assert len(failed) >= 6
    assert all("behind" in str(future.exception()) for future in failed)
    assert thread.close()
    assert count(lab) == 10


@pytest.mark.parametrize("broken", ["add", "open"])
def test_an_error_is_noted_and_repaired(lab: StoreLab, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    notes: list[str] = []
    fails = [True]

    def fault(*args: Any, **options: Any) -> Any:
        if fails.pop() if fails else False:
            raise sqlite3.OperationalError("disk I/O error") if broken == "add" else StoreError("no index")
        return real(*args, **options)

    real = Index.add if broken == "add" else Index
    if broken == "add":
        monkeypatch.setattr(Index, "add", fault)
    thread = IndexThread(lambda: (fault if broken == "open" else Index)(lab.folder), on_error=notes.append)
    with pytest.raises(StoreError):
        thread.submit(*page(lab, 1)).result(30)
    assert thread.submit(*page(lab, 2)).exception(30) is None
    assert thread.close()
    assert len(notes) == 1
    assert count(lab) == 2
