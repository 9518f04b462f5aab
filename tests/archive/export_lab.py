"""Exports for tests: a store with every kind of capture and its archives, and how they are read."""

import json
import zipfile
from pathlib import Path
from typing import Any

from evidence_lab import EvidenceLab, edge_captures, other_captures

from polite_crawler.archive.export import export
from polite_crawler.archive.reader import ArchiveRecord, RecordReader
from polite_crawler.store.record import Capture


class Edges:
    """A store with every kind of capture, and its exports."""

    def __init__(self, folder: Path) -> None:
        lab = EvidenceLab(folder / "store")
        self.edges = edge_captures(lab)
        self.others = other_captures(lab, self.edges)
        self.captures = lab.captures
        self.store = lab.store()
        self.warc = folder / "edges.warc.gz"
        self.wacz = folder / "edges.wacz"
        self.done = export(self.store.index, self.warc)
        self.packed = export(self.store.index, self.wacz)


def read_records(path: Path) -> list[tuple[ArchiveRecord, bytes]]:
    remarks: list[tuple[int, str]] = []
    with path.open("rb") as file:
        found = []
        for record in RecordReader(file, lambda offset, what: remarks.append((offset, what))):
            block = record.block(1 << 28)
            assert block is not None
            found.append((record, block))
    assert remarks == []
    return found


def records_of(path: Path, capture: Capture) -> dict[str, tuple[ArchiveRecord, bytes]]:
    """The records of a capture by type; conversions by the prefix of their target."""
    found = {}
    for record, block in read_records(path):
        if record.get("WARC-Polite-Crawler-Capture") == capture.id:
            target = record.get("WARC-Target-URI") or ""
            found[target.split("http")[0] if record.type == "conversion" else record.type] = (record, block)
    return found


def index_lines(path: Path) -> list[tuple[str, str, dict[str, Any]]]:
    """The lines of the index of a package: key, time and facts."""
    with zipfile.ZipFile(path) as package:
        lines = package.read("indexes/index.cdx").decode().splitlines()
    return [(key, time, json.loads(facts)) for key, time, facts in (line.split(" ", 2) for line in lines)]
