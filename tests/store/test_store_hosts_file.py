"""The state of the hosts in a file: what only a file, and several processes on it, can get wrong."""

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hosts_lab import NOW, hosts_file

from polite_crawler.errors import StoreError
from polite_crawler.store.hosts import RobotsState
from polite_crawler.store.hosts_sqlite import SqliteHosts, _use_wal, open_hosts

path = pytest.fixture(hosts_file)


def test_the_file_keeps_its_state(path: Path):
    first = SqliteHosts(path)
    first.stop("a", until=NOW, reason="status 402")
    first.close()
    second = SqliteHosts(path)
    assert second.peek("a").state.stop_reason == "status 402"
    second.close()


def test_the_file_uses_wal_and_waits_for_others(path: Path):
    store = SqliteHosts(path)
    db = store._db()
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert db.execute("PRAGMA synchronous").fetchone() == (1,)
    assert db.execute("PRAGMA busy_timeout").fetchone() == (10_000,)
    store.close()


BAD_FILES: list[tuple[str, Callable[[Path], Any], str]] = [
    ("no database", lambda path: path.write_bytes(b"this is no database, however long it is" * 40), "move it away"),
    ("a later version", lambda path: _user_version(path, 99), "has version 99, this program reads version 1"),
    ("tables of another program", lambda path: _table(path), "has version 0, this program reads version 1"),
    ("a folder", lambda path: path.mkdir(), "cannot be opened"),
]


def _user_version(path: Path, version: int) -> None:
    SqliteHosts(path).close()
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {version}")
    db.close()


def _table(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE theirs(x)")
    db.commit()
    db.close()


@pytest.mark.parametrize(("make", "message"), [row[1:] for row in BAD_FILES], ids=[row[0] for row in BAD_FILES])
def test_a_file_that_is_not_ours_is_one_clear_line(path: Path, make: Callable[[Path], Any], message: str):
    make(path)
    with pytest.raises(StoreError) as raised:
        SqliteHosts(path)
    assert message in str(raised.value)
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_folder_that_is_not_there(tmp_path: Path):
    with pytest.raises(StoreError, match="cannot be opened"):
        SqliteHosts(tmp_path / "nowhere" / "hosts.sqlite")


def test_a_disk_that_fails_is_a_store_error(path: Path):
    store = SqliteHosts(path)
    store._db().execute("PRAGMA query_only = 1")
    for call in (
        lambda: store.claim("a", owner="me", now=NOW),
        lambda: store.stop("a", until=NOW, reason="x"),
        lambda: store.rest("a", until=NOW),
        lambda: store.reset(None, ready=NOW),
        lambda: store.renew(["a"], owner="me", until=NOW),
        lambda: store.put_robots("http://a", "a", RobotsState()),
        lambda: store.change_memo("a", lambda memo: {}),
    ):
        with pytest.raises(StoreError, match="readonly database"):
            call()
    store.close()


def test_a_damaged_memo_is_none(path: Path):
    store = SqliteHosts(path)
    store._db().execute("INSERT INTO memo VALUES('a', '[1]')")
    assert store.memo("a") is None
    store.close()


def test_each_thread_has_a_connection_of_its_own(path: Path):
    store = SqliteHosts(path)
    mine, theirs = store._db(), []
    thread = threading.Thread(target=lambda: theirs.append(store._db()))
    thread.start()
    thread.join()
    assert theirs[0] is not mine
    assert store._db() is mine
    store.close()


def test_a_fork_opens_a_connection_of_its_own(path: Path):
    code = """
import os, sys
from pathlib import Path
from polite_crawler.store.hosts_sqlite import SqliteHosts
store = SqliteHosts(Path(sys.argv[1]))
mine = store._db()
child = os.fork()
if child == 0:
    store.stop("child", until=9e9, reason="from the child")
    store.close()
    os._exit(0 if store._db() is not mine else 1)
assert os.waitpid(child, 0)[1] == 0
assert store._db() is mine
print(store.peek("child").state.stop_reason)
"""
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout == "from the child\n"


def test_many_processes_open_and_claim_at_the_same_time(path: Path):
    """A lane is granted to one process at a time: each claim and each release is written down and compared."""
    code = """
import os, sys, time
from pathlib import Path
from polite_crawler.store.hosts_sqlite import SqliteHosts
store, owner, out = SqliteHosts(Path(sys.argv[1])), str(os.getpid()), []
while len(out) < 40:
    now = time.time()
    if store.claim("a", owner=owner, now=now).granted:
        begin = time.monotonic_ns()
        out.append((begin, time.monotonic_ns()))
        store.release("a", owner=owner, state=None)
print(out)
"""
    command = [sys.executable, "-c", code, str(path)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    spans: list[tuple[int, int]] = []
    for process in processes:
        printed, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        spans += eval(printed)
    spans.sort()
    assert len(spans) == 160
    assert all(earlier[1] <= later[0] for earlier, later in pairwise(spans))


def test_a_file_that_may_not_be_written(path: Path):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    SqliteHosts(path).close()
    path.chmod(0o400)
    with pytest.raises(StoreError, match="readonly database"):
        SqliteHosts(path)


def test_reading_only_writes_nothing(path: Path):
    with pytest.raises(StoreError, match="cannot be opened"):
        open_hosts(path, read_only=True)
    first = open_hosts(path)
    first.stop("a", until=NOW, reason="status 402")
    reader = open_hosts(path, read_only=True)
    assert [row.host for row in reader.rows()] == ["a"]
    with pytest.raises(StoreError, match="readonly database"):
        reader.reset("a", ready=NOW)
    reader.close()
    first.close()


def test_the_change_to_wal_waits_for_another_process(path: Path, monkeypatch: pytest.MonkeyPatch):
    """SQLite gives up at once while another connection makes the same change."""
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("PRAGMA journal_mode = DELETE")
    other.execute("BEGIN EXCLUSIVE")
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        other.execute("ROLLBACK")

    db = sqlite3.connect(path, timeout=0, isolation_level=None)
    monkeypatch.setattr("polite_crawler.store.hosts_sqlite.time.sleep", wait)
    _use_wal(db)
    assert len(waited) == 1
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    db.close()
    other.close()


def test_the_change_to_wal_does_not_wait_for_ever(path: Path, monkeypatch: pytest.MonkeyPatch):
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    monkeypatch.setattr("polite_crawler.store.hosts_sqlite.BUSY_TIMEOUT", -1.0)
    db = sqlite3.connect(path, timeout=0, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        _use_wal(db)
    db.close()
    other.close()
