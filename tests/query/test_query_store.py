"""open_store: no engine, no request, and the stored copies that the engine asks for."""

import random
import subprocess
import sys
from pathlib import Path

import pytest
from store_lab import DAY, HOUR, T0, StoreLab

import polite_crawler
from polite_crawler import open_store
from polite_crawler.errors import StoreError
from polite_crawler.store.blobs import BlobError
from polite_crawler.store.document import Document
from polite_crawler.store.index import Index
from polite_crawler.store.record import Capture, Time, utc

A = "http://example.com/a"


@pytest.mark.parametrize("module", ["polite_crawler", "polite_crawler.query", "polite_crawler.query.store"])
def test_a_question_imports_no_engine_and_no_parser(module: str) -> None:
    code = (
        f"import sys, {module}, polite_crawler\npolite_crawler.open_store\n"
        "print(sorted({'scrapy', 'twisted', 'lxml', 'numpy', 'regex', 'extruct'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"[]\n"


def test_find_read_and_versions_import_no_engine(store_dir: Path) -> None:
    lab = StoreLab(store_dir)
    lab.page(A, "tea and rice")
    open_store(store_dir).close()
    code = (
        "import sys; from polite_crawler import open_store\n"
        "with open_store(sys.argv[1]) as s: s.find('tea \"and rice\"'), s.read(sys.argv[2]), s.versions(sys.argv[2])\n"
        "print(sorted({'scrapy', 'twisted', 'lxml', 'regex', 'extruct', 'sqlite_utils'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code, store_dir, A], capture_output=True, check=True)
    assert run.stdout == b"[]\n"
    lab.close()


def test_the_latest_copy_has_head_body_and_time(store_dir: Path) -> None:
    lab = StoreLab(store_dir)
    page = lab.page(A, "tea for s3cret", coded=True, covered=(30, 6), content_type="text/html")
    with open_store(store_dir) as store:
        copy = store.latest(f"{A}#part")
        assert copy is not None
        assert (copy.capture, copy.checked_at, copy.confirmed_by) == (page, page.fetched_at, None)
        assert copy.headers == (("Content-Type", "text/html"),)
        assert copy.body() == b"<!doctype html><p>tea for s3cr******"
        confirmed = lab.not_modified(A, page, at=DAY)
        store.index.catch_up()
        copy = store.latest(A)
        assert copy is not None
        assert (copy.capture, copy.confirmed_by, copy.checked_at) == (page, confirmed, confirmed.fetched_at)
        assert page.body is not None
        lab.blobs.path(page.body.sha256).unlink()
        with pytest.raises(BlobError):
            copy.body()
        assert store.latest("http://example.com/none") is None
    lab.close()


def test_reindex_counts(store_dir: Path) -> None:
    lab = StoreLab(store_dir)
    for n in range(3):
        lab.page(A, f"tea {n}", at=n * HOUR)
    lab.redirect("http://example.com/old")
    with open_store(store_dir) as store:
        done = store.reindex()
        assert (done.documents, done.captures, done.skipped_lines, done.skipped_bodies, done.failed, done.kept) == (
            1, 4, 0, 0, 0, 0,
        )  # fmt: skip
    lab.close()


def test_an_index_that_does_not_answer_names_the_cure(store_dir: Path) -> None:
    lab = StoreLab(store_dir)
    lab.page(A, "tea")
    with open_store(store_dir) as store:
        store.index.connection().execute("DROP TABLE ver")
        for ask in (lambda: store.find("tea"), lambda: store.read(A), lambda: store.versions(A)):
            with pytest.raises(StoreError, match="pc reindex"):
                ask()
        assert store.reindex().documents == 1
        assert store.read(A).text == "tea"
    lab.close()


def test_the_store_has_a_doctor(store_dir: Path) -> None:
    lab = StoreLab(store_dir)
    page = lab.page(A, "tea")
    assert page.body is not None
    with open_store(store_dir) as store:
        assert store.doctor().ok
        lab.blobs.path(page.body.sha256).write_bytes(b"")
        assert store.doctor().faults == (f"the stored body {page.body.sha256[:16]} is damaged (it is cut)",)
        assert store.doctor(bodies=False).ok
    lab.close()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_four_processes_answer_from_one_large_store_at_once(store_dir: Path) -> None:
    lab = StoreLab(store_dir)
    rng = random.Random(1)
    words = [f"w{n}" for n in range(4000)]
    with Index(lab.folder) as index:
        for n in range(13_000):
            text = " ".join(rng.choices(words, k=1300))
            url = f"{A}/{n}"
            capture = Capture(kind="fetch", url=url, time=Time(utc(T0 + n)), outcome="ok").sealed()
            index.add(capture, [Document(f"url:{url}", "page", None, text, url)])
            if n % 500 == 0:
                index.maintain()
    size = sum(path.stat().st_size for path in store_dir.rglob("*") if path.is_file())
    assert size > 200_000_000
    code = (
        "import sys; from polite_crawler import open_store\n"
        "with open_store(sys.argv[1]) as s:\n"
        "    for n in range(40): print([h.doc for h in s.find(f'w{n} w{n * 7} w{n * 31}')])"
    )
    opened = [
        subprocess.Popen([sys.executable, "-c", code, store_dir], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    answers = [process.communicate() for process in opened]
    assert len(set(answers)) == 1
    assert answers[0][0].count(b"url:") == 400
    assert answers[0][1] == b""
    lab.close()


def test_names_come_late() -> None:
    assert polite_crawler.open_store is open_store
    with pytest.raises(AttributeError, match="nothing"):
        polite_crawler.nothing  # noqa: B018
