"""The writer thread: what is confirmed is on disk, and each failure is a clear error."""

import asyncio
import errno
import os
import random
import select
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from polite_crawler import open_store
from polite_crawler.errors import StoreError
from polite_crawler.store.blobs import Blobs
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.log import CaptureLog
from polite_crawler.store.record import Capture, Time, utc
from polite_crawler.store.writer import BlobBytes, WriterThread


def capture(number: int, note: str | None = None) -> Capture:
    return Capture(
        kind="fetch", url=f"http://a.example/{number}", time=Time(utc(number)), outcome="ok", note=note
    ).sealed()


@pytest.fixture
def folder(tmp_path: Path) -> StoreFolder:
    return StoreFolder(tmp_path / "store").create()


def test_a_future_is_resolved_when_body_and_line_are_durable(
    folder: StoreFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    for name in ("fsync", "fdatasync", "write", "rename"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *a, _real=real, _name=name: (events.append(_name), _real(*a))[1])
    writer = WriterThread(folder)
    events.clear()
    written = writer.submit(capture(1), blobs=[BlobBytes(b"body")]).result(30)
    order = [events.index("fsync"), events.index("rename"), len(events) - 1 - events[::-1].index("write")]
    assert order == sorted(order)
    assert events[-1] == "fdatasync"
    assert writer.blobs.get(written.blobs[0]) == b"body"
    assert written.position is not None
    assert writer.log.read(written.position) == capture(1)
    assert writer.close()


def test_the_writer_says_what_is_packed_already_and_closes_its_log(folder: StoreFolder) -> None:
    writer = WriterThread(folder)
    body = b"a" * 9000
    (name,) = writer.submit(capture(1), blobs=[BlobBytes(body, coded=True)]).result(30).blobs
    assert writer.blobs.path(name).stat().st_size > len(body)
    assert writer.close()
    assert [one for one in psutil.Process().open_files() if one.path.startswith(str(folder.path))] == []


def syncs_behind_a_gate(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, list[int]]:
    """Let each sync of the disk wait until the gate is open; gives the gate and what was synced."""
    gate, syncs = threading.Event(), []
    real = os.fdatasync

    def slow(fd: int) -> None:
        syncs.append(fd)
        gate.wait(30)
        real(fd)

    monkeypatch.setattr(os, "fdatasync", slow)
    return gate, syncs


def test_one_sync_confirms_all_that_wait(folder: StoreFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, syncs = syncs_behind_a_gate(monkeypatch)
    writer = WriterThread(folder)
    futures = [writer.submit(capture(n)) for n in range(40)]
    gate.set()
    positions = [future.result(30).position for future in futures]
    assert len(set(positions)) == 40
    assert len(syncs) <= 3
    assert writer.close()


def test_who_comes_later_does_not_wait_for_a_crowd(folder: StoreFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, syncs = syncs_behind_a_gate(monkeypatch)
    monkeypatch.setattr("polite_crawler.store.writer._BATCH", 5)
    writer = WriterThread(folder)
    futures = [writer.submit(capture(n)) for n in range(40)]
    gate.set()
    assert len({future.result(30).position for future in futures}) == 40
    assert len(syncs) >= 8
    assert writer.close()


def test_it_serves_an_asyncio_program_and_close_ends_what_waits(folder: StoreFolder) -> None:
    async def main() -> list[Any]:
        writer = WriterThread(folder)
        results = await asyncio.gather(*(asyncio.wrap_future(writer.submit(capture(n))) for n in range(10)))
        late = [writer.submit(capture(100 + n)) for n in range(50)]
        assert writer.close()
        assert all(future.done() for future in late)
        return [*results, *(future.result() for future in late)]

    assert len({result.position for result in asyncio.run(main())}) == 60


def test_after_close_a_job_fails_at_once(folder: StoreFolder) -> None:
    writer = WriterThread(folder)
    assert writer.close()
    assert writer.close()
    with pytest.raises(StoreError, match="closed"):
        writer.submit(capture(1)).result(30)


def test_a_cancelled_job_is_not_written(folder: StoreFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, entered = threading.Event(), threading.Event()
    real = os.fdatasync

    def slow(fd: int) -> None:
        entered.set()
        gate.wait(30)
        real(fd)

    monkeypatch.setattr(os, "fdatasync", slow)
    writer = WriterThread(folder)
    first = writer.submit(capture(1))
    assert entered.wait(30)
    second, third = writer.submit(capture(2)), writer.submit(capture(3))
    assert second.cancel()
    gate.set()
    first.result(30)
    third.result(30)
    assert writer.close()
    assert [found.url[-1] for _, found in CaptureLog(folder.log).scan()] == ["1", "3"]


def test_a_capture_without_an_id_is_a_mistake_of_the_caller(folder: StoreFolder) -> None:
    writer = WriterThread(folder)
    with pytest.raises(ValueError, match="sealed"):
        writer.submit(Capture(kind="fetch", url="u", time=Time(utc(0)), outcome="ok"))
    writer.close()


def test_the_disk_guard_stops_before_the_disk_is_full(folder: StoreFolder) -> None:
    free = [300]
    disk = lambda path: SimpleNamespace(f_bavail=free[0], f_frsize=2**20)  # noqa: E731
    writer = WriterThread(folder, statvfs=disk)
    writer.submit(capture(1), blobs=[BlobBytes(b"x")]).result(30)
    free[0] = 199
    with pytest.raises(StoreError, match=r"disk full: 199 MiB free .* least is 200 MiB \(POLITE_MIN_FREE\)"):
        writer.submit(capture(2), blobs=[BlobBytes(b"y")]).result(30)
    free[0] = 200
    writer.submit(capture(3)).result(30)
    assert writer.close()
    assert [found.url[-1] for _, found in CaptureLog(folder.log).scan()] == ["1", "3"]


FAULTS = [
    ("write", errno.ENOSPC, "disk full"), ("write", errno.EDQUOT, "disk full"), ("write", errno.EIO, "cannot write"),
    ("fdatasync", errno.EIO, "cannot write"), ("fsync", errno.EIO, "cannot write"), ("rename", errno.EACCES, "cannot"),
    ("open", errno.EMFILE, "cannot write"), ("statvfs", errno.EIO, "cannot write"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "number", "message"), FAULTS)
def test_a_fault_fails_its_capture_and_not_the_thread(
    folder: StoreFolder, monkeypatch: pytest.MonkeyPatch, name: str, number: int, message: str
) -> None:
    broken = threading.Event()
    real = getattr(os, name)

    def fault(*args: Any, **options: Any) -> Any:
        if broken.is_set() and threading.current_thread().name == "polite-writer":
            raise OSError(number, os.strerror(number))
        return real(*args, **options)

    monkeypatch.setattr(os, name, fault)
    writer = WriterThread(folder, statvfs=lambda path: os.statvfs(path))
    writer.submit(capture(1), blobs=[BlobBytes(b"one")]).result(30)
    broken.set()
    with pytest.raises(StoreError, match=message):
        writer.submit(capture(2), blobs=[BlobBytes(b"two")]).result(30)
    broken.clear()
    third = writer.submit(capture(3), blobs=[BlobBytes(b"three")]).result(30)
    assert writer.close()
    blobs = Blobs(folder.blobs)
    assert blobs.get(third.blobs[0]) == b"three"
    found = [one.url[-1] for _, one in CaptureLog(folder.log).scan()]
    assert set(found) - {"2"} == {"1", "3"}
    assert not list(folder.blobs.glob("*/*/.*.tmp"))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one MiB."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"this user cannot mount a small file system: {mounted.stderr.decode().strip()}")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk_loses_nothing_that_was_confirmed(small_disk: Path) -> None:
    folder = StoreFolder(small_disk / "store").create()
    writer = WriterThread(folder, min_free=0)
    rng = random.Random(5)
    confirmed, failed = [], 0
    for n in range(400):
        size = rng.choice((10, 900, 5000, 30_000))
        one = capture(n, note="n" * rng.choice((0, 3000)) or None)
        future = writer.submit(one, blobs=[BlobBytes(rng.randbytes(size), True)])
        if error := future.exception(30):
            failed += 1
            assert isinstance(error, StoreError)
            assert "disk full" in str(error)
        else:
            confirmed.append((one.id, future.result()))
    assert writer.close()
    assert failed > 50
    assert len(confirmed) > 10
    log, blobs = CaptureLog(folder.log), Blobs(folder.blobs)
    found = {one.id: position for position, one in log.scan()}
    for name, written in confirmed:
        assert found[name] == written.position
        blobs.get(written.blobs[0], verify=True)
    assert all(blobs.get(name, verify=True) is not None for name in blobs.names())


def _round(tmp_path: Path, seed: int) -> None:
    """Three writers on one store, each killed at a random moment."""
    path = tmp_path / f"store{seed}"
    victim = Path(__file__).with_name("writer_victim.py")
    writers = [
        subprocess.Popen([sys.executable, victim, path, str(seed * 10 + n)], stdout=subprocess.PIPE) for n in range(3)
    ]
    rng = random.Random(seed)
    outputs: dict[int, bytes] = {}
    # a writer is killed after it has said a random number of octets: at any place of its work
    wanted = {w.stdout.fileno(): rng.randrange(200, 6000) for w in writers if w.stdout}
    alive = {w.stdout.fileno(): w for w in writers if w.stdout}
    while alive:
        for fd in select.select(list(alive), [], [])[0]:
            outputs[fd] = outputs.get(fd, b"") + os.read(fd, 500)
            if len(outputs[fd]) >= wanted[fd]:
                alive.pop(fd).kill()
    for writer in writers:
        rest = writer.communicate()[0]
        outputs[-writer.pid] = rest
    confirmed = [
        line.split()
        for fd in wanted
        for line in (outputs[fd] + outputs[-writers[list(wanted).index(fd)].pid]).decode().split("\n")[:-1]
        if line.startswith("fetch.")
    ]
    log, blobs = CaptureLog(StoreFolder(path).log), Blobs(StoreFolder(path).blobs)
    found = {capture.id for _, capture in log.scan()}
    assert confirmed
    for name, blob in confirmed:
        assert name in found
        blobs.get(blob, verify=True)
    with open_store(path) as store:
        assert store.find("writer page", limit=5)
        assert all(store.capture(name).id == name for name, _ in confirmed[:20])


def test_kill_9_of_three_writers_loses_no_confirmed_line(tmp_path: Path) -> None:
    for seed in range(2):
        _round(tmp_path, seed)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_kill_9_of_three_writers_in_fifty_rounds(tmp_path: Path) -> None:
    for seed in range(100, 150):
        _round(tmp_path, seed)
