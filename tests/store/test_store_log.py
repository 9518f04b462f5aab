"""The capture log: appended under a lock, torn tails repaired, damage skipped and counted."""

import fcntl
import json
import os
import threading
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from polite_crawler.store.log import CaptureLog, DamagedLine, Position, TornWrite, parse_line
from polite_crawler.store.record import Capture, Time, capture_id, epoch, utc

MARCH = epoch("2026-03-31T23:59:59Z")


def capture(number: int, note: str | None = None) -> Capture:
    return Capture(
        kind="fetch", url=f"http://a.example/{number}", time=Time(utc(number)), outcome="ok", note=note
    ).sealed()


def urls(log: CaptureLog) -> list[str]:
    return [found.url.rpartition("/")[2] for _, found in log.scan()]


@pytest.fixture
def log(tmp_path: Path) -> CaptureLog:
    made = CaptureLog(tmp_path, clock=lambda: MARCH)
    yield made
    made.close()


def test_lines_come_back_by_position_and_by_scan(log: CaptureLog) -> None:
    captures = [capture(n) for n in range(5)]
    positions = [log.append(one.line()) for one in captures]
    log.sync()
    assert [log.read(position) for position in positions] == captures
    scan = log.scan()
    assert list(scan) == list(zip(positions, captures, strict=True))
    assert scan.offsets == log.sizes() == {"2026/03.ndjson": positions[-1].offset + positions[-1].length}
    assert scan.skipped == 0


def test_the_month_of_writing_names_the_file(tmp_path: Path) -> None:
    now = [MARCH]
    log = CaptureLog(tmp_path, clock=lambda: now[0])
    first = log.append(capture(1).line())
    now[0] += 1
    second = log.append(capture(2).line())
    log.sync()
    log.close()
    assert (first.file, second.file) == ("2026/03.ndjson", "2026/04.ndjson")
    assert urls(log) == ["1", "2"]
    assert log.files() == ["2026/03.ndjson", "2026/04.ndjson"]


@pytest.mark.parametrize("synced", [True, False], ids=["synced in time", "synced at the end"])
def test_the_file_of_a_month_is_closed_when_it_is_over(tmp_path: Path, synced: bool) -> None:
    now = [MARCH]
    log = CaptureLog(tmp_path, clock=lambda: now[0])
    for number in range(4):
        log.append(capture(number).line())
        if synced:
            log.sync()
        now[0] += 31 * 86_400
    log.sync()
    assert [Path(one.path).name for one in psutil.Process().open_files() if "ndjson" in one.path] == ["07.ndjson"]
    log.close()
    assert [one for one in psutil.Process().open_files() if "ndjson" in one.path] == []


def test_a_new_file_is_for_its_owner_alone_and_in_its_folder_for_good(
    log: CaptureLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders: list[Path] = []
    monkeypatch.setattr("polite_crawler.store.log.sync_folder", folders.append)
    log.append(capture(1).line())
    log.append(capture(2).line())
    assert folders == [tmp_path / "2026", tmp_path]
    assert (tmp_path / "2026/03.ndjson").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("call", ["write", "pread", "fstat"])
def test_a_line_is_written_and_the_end_is_looked_at_under_the_lock(
    log: CaptureLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    log.append(capture(1).line())
    refused: list[int] = []
    real = getattr(os, call)

    def looks(fd: int, *args: Any) -> Any:
        with (tmp_path / "2026/03.ndjson").open("rb") as file:
            try:
                fcntl.flock(file.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                refused.append(fd)
        return real(fd, *args)

    monkeypatch.setattr(os, call, looks)
    log.append(capture(2).line())
    assert len(refused) == 1


def test_a_scan_finds_the_end_when_no_line_is_half_written(
    log: CaptureLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.append(capture(1).line())
    shared: list[bool] = []
    fstat = os.fstat

    def looks(fd: int) -> os.stat_result:
        with (tmp_path / "2026/03.ndjson").open("rb") as file:
            try:
                fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                shared.append(True)
        return fstat(fd)

    monkeypatch.setattr(os, "fstat", looks)
    assert urls(log) == ["1"]
    assert shared == [True]


def test_a_scan_that_is_left_has_not_read_the_line_in_hand(log: CaptureLog) -> None:
    for number in range(3):
        log.append(capture(number).line())
    scan = log.scan()
    lines = iter(scan)
    first, _ = next(lines)
    assert scan.offsets == {}
    second, _ = next(lines)
    assert scan.offsets == {"2026/03.ndjson": first.length}
    assert next(position for position, _ in log.scan(scan.offsets)) == second


@pytest.mark.parametrize("tail", [b"{", b'{"v":1,"id":"fetch.', b"\xff\xfe"])
def test_a_torn_tail_costs_only_itself(log: CaptureLog, tmp_path: Path, tail: bytes) -> None:
    log.append(capture(1).line())
    path = tmp_path / "2026/03.ndjson"
    with path.open("ab") as file:
        file.write(tail)
    torn = log.scan()
    assert [found.url for _, found in torn] == ["http://a.example/1"]
    assert torn.skipped == 1
    assert torn.offsets["2026/03.ndjson"] == log.sizes()["2026/03.ndjson"] - len(tail)
    position = log.append(capture(2).line())
    assert log.read(position) == capture(2)
    assert log.holds(position)
    healed = log.scan(torn.offsets)
    assert [found.url for _, found in healed] == ["http://a.example/2"]
    assert healed.skipped == 1
    assert healed.offsets == log.sizes()


DAMAGED = [
    b"\n", b"null\n", b"[]\n", b"{}\n", b'{"v":2}\n', b"\x00\x00\x00\n", b'{"v":1,"id":"fetch.x"}\n',
    b"[" * 5000 + b"\n",
    capture(9).line().replace(b"example/9", b"example/8"),
    capture(9).line().replace(b'"kind":"fetch"', b'"kind":"fetch","newer":1'),
]  # fmt: skip


@pytest.mark.parametrize("damaged", DAMAGED)
def test_a_damaged_line_is_skipped_and_counted(log: CaptureLog, tmp_path: Path, damaged: bytes) -> None:
    log.append(capture(1).line())
    with (tmp_path / "2026/03.ndjson").open("ab") as file:
        file.write(damaged)
    log.append(capture(2).line())
    scan = log.scan()
    assert [found.url[-1] for _, found in scan] == ["1", "2"]
    assert scan.skipped == (damaged != b"\n")
    assert scan.offsets == log.sizes()


def test_a_line_without_an_end_does_not_fill_the_memory(log: CaptureLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polite_crawler.store.log.LINE_LIMIT", 1000)
    log.append(capture(1).line())
    log.append(b"x" * 5_000_500 + b"\n")
    log.append(capture(2).line())
    scan = log.scan()
    tracemalloc.start()
    assert [found.url[-1] for _, found in scan] == ["1", "2"]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1_000_000
    assert scan.skipped == 1
    assert scan.offsets == log.sizes()


def test_a_position_that_does_not_fit_is_an_error(log: CaptureLog) -> None:
    position = log.append(capture(1).line())
    for wrong in (
        Position(position.file, 1, position.length),
        Position(position.file, position.length, 50),
        Position("2025/01.ndjson", 0, 50),
    ):
        with pytest.raises(DamagedLine):
            log.read(wrong)


def test_a_line_is_held_until_an_octet_of_it_changes(log: CaptureLog, tmp_path: Path) -> None:
    written = [log.append(capture(n).line()) for n in (1, 2)]
    assert [position for position, _ in log.scan()] == written
    assert all(log.holds(position) for position in written)
    first, second = written
    assert not log.holds(replace(first, crc=None))
    path = tmp_path / first.file
    octets = bytearray(path.read_bytes())
    octets[second.offset + 10] ^= 1
    path.write_bytes(octets)
    assert [log.holds(position) for position in written] == [True, False]
    path.write_bytes(octets[:5])
    assert not log.holds(first)
    path.unlink()
    assert not log.holds(first)


def test_a_short_write_is_a_failed_capture(log: CaptureLog, monkeypatch: pytest.MonkeyPatch) -> None:
    log.append(capture(1).line())
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:20]))
    with pytest.raises(TornWrite):
        log.append(capture(2).line())
    monkeypatch.undo()
    log.append(capture(3).line())
    assert urls(log) == ["1", "3"]


def test_a_failed_sync_opens_the_file_anew(log: CaptureLog, monkeypatch: pytest.MonkeyPatch) -> None:
    log.append(capture(1).line())
    used: list[int] = []

    def fails(fd: int) -> None:
        used.append(fd)
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fdatasync", fails)
    with pytest.raises(OSError, match="Input"):
        log.sync()
    monkeypatch.undo()
    opened: list[str] = []
    real = os.open
    monkeypatch.setattr(os, "open", lambda path, *args: opened.append(str(path)) or real(path, *args))
    log.append(capture(2).line())
    log.sync()
    assert urls(log) == ["1", "2"]
    assert len(used) == 1
    assert [Path(path).name for path in opened] == ["03.ndjson"]


def test_threads_and_handles_do_not_mix_their_lines(tmp_path: Path) -> None:
    logs = [CaptureLog(tmp_path, clock=lambda: MARCH) for _ in range(3)]

    def work(log: CaptureLog, base: int) -> None:
        for n in range(60):
            log.append(capture(base + n, "x" * (n * 97)).line())

    threads = [threading.Thread(target=work, args=(logs[n % 3], n * 1000)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    scan = logs[0].scan()
    assert len({found.id for _, found in scan}) == 360
    assert scan.skipped == 0
    for log in logs:
        log.close()


def test_parse_line_wants_its_own_schema() -> None:
    value = json.loads(capture(1).line()) | {"v": 2}
    value["id"] = capture_id(value)
    with pytest.raises(ValueError, match="no capture of this schema"):
        parse_line(json.dumps(value).encode())


def test_parse_line_wants_the_true_id() -> None:
    line = capture(1).line()
    assert parse_line(line) == capture(1)
    value = json.loads(line)
    value["labels"] = {"later": "x"}
    assert parse_line(json.dumps(value).encode()).labels == {"later": "x"}
    value["url"] = "http://evil.example/"
    with pytest.raises(ValueError, match="id"):
        parse_line(json.dumps(value).encode())
