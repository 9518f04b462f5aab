"""reindex and the commands of the store: counts, hosts, faults, bodies."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from frame_lab import Run

from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.hosts_sqlite import open_hosts


def test_reindex(run: Run, store: Path) -> None:
    ran = run("reindex", "--dir", store, "--json")
    assert ran.object == {
        "documents": 3, "captures": 4, "skipped_lines": 0, "skipped_bodies": 0, "failed": 0, "kept": 0,
    }  # fmt: skip
    assert run("reindex", "--dir", store).text == "3 documents from 4 captures\n"
    assert run("find", "bell", "--dir", store).code == 0


def test_reindex_tells_what_it_left_out(run: Run, store: Path) -> None:
    log = next((store / "captures").rglob("*.ndjson"))
    log.write_bytes(log.read_bytes() + b'{"torn": \n')
    next((store / "blobs").rglob("*.gz")).unlink()
    ran = run("reindex", "--dir", store)
    assert "left out: 1 damaged lines" in ran.text
    assert "left out: 1 missing" in ran.text


def test_store_stats(run: Run, store: Path) -> None:
    facts = run("store", "stats", "--dir", store, "--json").object
    assert (facts["documents"], facts["versions"], facts["held_back"], facts["blobs"]) == (3, 4, 1, 4)
    assert facts["log_bytes"] > 0
    assert "documents" in run("store", "stats", "--dir", store).text


def test_store_hosts_and_reset(run: Run, store: Path) -> None:
    assert run("store", "hosts", "--dir", store, "--json").object == {"hosts": []}
    hosts = open_hosts(StoreFolder(store).hosts)
    hosts.stop("a.example", until=4e9, reason="blocked (403)")
    hosts.rest("b.example", until=4e9)
    hosts.close()
    first, second = run("store", "hosts", "--dir", store, "--json").object["hosts"]
    assert (first["host"], first["reason"], first["stopped_until"][:4]) == ("a.example", "blocked (403)", "2096")
    assert (second["host"], second["reason"], second["ready_at"][:4]) == ("b.example", None, "2096")
    assert "blocked (403)" in run("store", "hosts", "--dir", store).text
    reset = run("store", "reset", "http://A.example/x", "--dir", store)
    assert (reset.code, reset.text) == (0, "1 host may be asked again\n")
    assert run("store", "hosts", "--dir", store, "--json").object["hosts"][0]["stopped_until"] is None
    unknown = run("store", "reset", "c.example", "--dir", store)
    assert (unknown.code, unknown.err) == (1, "c.example: never asked\n")
    assert run("store", "reset", "--all", "--dir", store, "--json").object == {"reset": 2, "unknown": []}


def test_store_doctor(run: Run, store: Path) -> None:
    well = run("store", "doctor", "--dir", store, "--json")
    assert (well.code, well.object) == (0, {"ok": True, "faults": [], "texts": 3, "bodies": 4, "lines": 4})
    assert run("store", "doctor", "--dir", store).text.startswith("nothing is wrong with 3 texts")
    body = next((store / "blobs").rglob("*.gz"))
    body.write_bytes(body.read_bytes()[:-9] + bytes(9))
    ill = run("store", "doctor", "--dir", store)
    assert ill.code == 1
    assert body.name[:16] in ill.text


def test_store_doctor_repairs_the_index(run: Run, store: Path) -> None:
    assert run("find", "bell", "--dir", store).code == 0
    (database,) = (store / "index").rglob("index.sqlite")
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE ent SET len = len + 1")
        connection.commit()
    assert run("store", "doctor", "--dir", store).code == 1
    repaired = run("store", "doctor", "--repair", "--dir", store, "--json")
    assert (repaired.code, repaired.object["ok"]) == (0, True)
    assert "words" in repaired.err
    assert run("store", "doctor", "--dir", store).code == 0


def test_store_cat(run: Run, store: Path) -> None:
    capture = run("versions", "http://x.example/b", "--dir", store, "--json").objects[0]["capture"]
    line = run("store", "cat", capture, "--dir", store)
    assert line.object["id"] == capture
    body = run("store", "cat", capture, "--body", "--dir", store).out
    assert body.startswith(b"<!doctype html><title>Bread")
    assert run("store", "cat", capture, "--raw", "--dir", store).out == body
    assert run("store", "cat", line.object["body"]["sha256"], "--dir", store).out == body
    assert run("store", "cat", capture, "--heads", "--dir", store).out.startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize("name", ["fetch.none", "0" * 64])
def test_store_cat_of_nothing_is_1(run: Run, store: Path, name: str) -> None:
    ran = run("store", "cat", name, "--dir", store)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, b"", 1)
