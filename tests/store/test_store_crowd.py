"""Several processes on one index: two writers, three readers and a rebuilder; and each of them killed at any time."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from polite_crawler import open_store
from polite_crawler.store.doctor import examine
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.index import Index
from polite_crawler.store.log import CaptureLog

CROWD = Path(__file__).with_name("index_crowd.py")
TESTS = str(Path(__file__).parents[1])


def start(role: str, folder: Path, number: int, count: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-W", "error", CROWD, role, folder, str(number), str(count)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": TESTS},
    )


def logged(folder: Path) -> set[str]:
    return {capture.id for _, capture in CaptureLog(StoreFolder(folder).log).scan()}


def indexed(folder: Path) -> set[str]:
    with Index(StoreFolder(folder), catch_up=False) as index:
        return {row[0] for row in index.connection().execute("SELECT capture FROM ver")}


def test_writers_readers_and_rebuilds_lose_nothing(store_dir: Path) -> None:
    StoreFolder(store_dir).create()
    Index(StoreFolder(store_dir)).close()
    crowd = [start("write", store_dir, n, 100) for n in range(2)]
    crowd += [start("read", store_dir, n, 40) for n in range(3)]
    crowd += [start("rebuild", store_dir, 0, 5)]
    results = [process.communicate() for process in crowd]
    assert [(process.returncode, err.decode()) for process, (_, err) in zip(crowd, results, strict=True)] == [
        (0, "")
    ] * 6
    said = {line for out, _ in results[:2] for line in out.decode().split() if line.startswith("fetch.")}
    assert len(said) == 200
    assert results[5][0].count(b"swapped") == 5
    assert said == logged(store_dir) == indexed(store_dir)
    with Index(StoreFolder(store_dir)) as index:
        assert examine(index).faults == ()


def killed_round(folder: Path, seed: int) -> None:
    """A writer and a rebuilder, each killed after it has said a random number of lines."""
    rng = random.Random(seed)
    roles = [("write", rng.randrange(1, 120)), ("write", rng.randrange(1, 120)), ("rebuild", rng.randrange(0, 4))]
    crowd = [start(role, folder, n, 100_000) for n, (role, _) in enumerate(roles)]
    said: set[str] = set()
    for process, (_, wanted) in zip(crowd, roles, strict=True):
        assert process.stdout
        for _ in range(wanted + 1):
            line = process.stdout.readline().decode().strip()
            said |= {line} if line.startswith("fetch.") else set()
        process.kill()
    for process in crowd:
        rest, err = process.communicate()
        assert not err
        said |= {line for line in rest.decode().split("\n")[:-1] if line.startswith("fetch.")}
    with open_store(folder) as store:
        assert store.find("alpha")
        assert said <= logged(folder) == indexed(folder)
        assert examine(store.index, bodies=False).faults in ((), ("1 lines of the log are torn or damaged",))


def test_kill_9_during_index_swap_and_reindex(store_dir: Path) -> None:
    for seed in range(2):
        killed_round(store_dir, seed)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_kill_9_during_index_swap_and_reindex_in_fifty_rounds(store_dir: Path) -> None:
    for seed in range(100, 150):
        killed_round(store_dir / str(seed // 10), seed)
