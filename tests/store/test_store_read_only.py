"""A file in WAL mode answers where nothing can be written beside it, and shows a writer's changes where it can."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from polite_crawler.errors import StoreError
from polite_crawler.store.hosts_sqlite import open_hosts
from polite_crawler.store.read_only import connect_read_only
from polite_crawler.store.schema import connect

COUNT = "SELECT count(*) FROM t"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "x.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE t(x)")
        writer.execute("INSERT INTO t VALUES(1)")
    return path


def _seal(path: Path) -> None:
    """Nothing can be written beside the file, for root neither: its place is taken."""
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).mkdir()


def test_a_file_that_nobody_can_write(path: Path) -> None:
    _seal(path)
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as plain, pytest.raises(sqlite3.Error):
        plain.execute(COUNT)
    with closing(connect_read_only(path, seconds=1)) as reader:
        assert reader.execute(COUNT).fetchone() == (1,)
    with closing(connect(path, writable=False)) as reader:
        assert reader.execute(COUNT).fetchone() == (1,)


def test_a_file_that_another_process_writes(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("INSERT INTO t VALUES(2)")
        with closing(connect(path, writable=False)) as reader:
            assert reader.execute(COUNT).fetchone() == (2,)
            writer.execute("INSERT INTO t VALUES(3)")
            assert reader.execute(COUNT).fetchone() == (3,)
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                reader.execute("INSERT INTO t VALUES(4)")


def test_what_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.Error):
        connect_read_only(tmp_path / "missing", seconds=1)
    assert not (tmp_path / "missing").exists()
    (tmp_path / "odd").write_bytes(b"no database at all" * 100)
    with pytest.raises(sqlite3.DatabaseError):
        connect_read_only(tmp_path / "odd", seconds=1)
    with pytest.raises(StoreError, match="cannot be opened"):
        open_hosts(tmp_path / "odd", read_only=True)


def test_the_hosts_of_a_store_that_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "hosts.sqlite"
    with closing(open_hosts(path)) as hosts:
        hosts.stop("a", until=2.0, reason="status 402")
    _seal(path)
    with closing(open_hosts(path, read_only=True)) as hosts:
        assert [(row.host, row.state.stop_reason) for row in hosts.rows()] == [("a", "status 402")]
