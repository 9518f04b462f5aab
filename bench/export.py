"""Export and import: the CPU of spliced bodies against warcio, memory over the size of the store, the way back.

Both write the same records: a response, a request and a metadata record a page. warcio compresses each body anew at
its one level; the export copies what the store holds deflated, after it checked the SHA-256. The way back is the whole
import, which packs each body again and writes bodies and lines to the disk (without the index, which follows by
itself), against a bare warcio loop that only reads the records with their digests. The stores are in memory where
there is such a folder; a row says what the disk of the machine makes of it.
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness import Bar, Options, Report, cpu, main, peer

from polite_crawler.archive.export import export
from polite_crawler.archive.importing import import_archive
from polite_crawler.archive.payload import judge, judge_payload, split_http
from polite_crawler.archive.reader import RecordReader
from polite_crawler.store.blobs import Blobs
from polite_crawler.store.document import Document
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.index import Index
from polite_crawler.store.log import CaptureLog
from polite_crawler.store.record import Body, Capture, Decoded, Net, RequestHead, ResponseHead, Time, utc

PAGES = 2000
LEAST, MOST = 8_000, 120_000
"""Octets of the real pages that are taken: the mean is that of pages on the web."""
T0 = 1_790_000_000.0
OUT = "export.warc.gz"
_MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
"""Where the stores of the bench are: in memory, so that the CPU is that of the work and not of a file system."""


def measure(options: Options) -> Report:
    """The bars of the bench."""
    peer("warcio")
    pages, real = _pages(options)
    count = 300 if options.quick else PAGES
    with tempfile.TemporaryDirectory(dir=_MEMORY) as name, tempfile.TemporaryDirectory() as disk:
        folder = Path(name)
        least, size = _times(folder, pages, count, options.rounds)
        on_disk = min(_import(Path(disk) / "imported", folder / OUT) for _ in range(options.rounds))
        few, many = (1_000, 5_000) if options.quick else (1_000, 20_000)
        memory = {number: _memory(folder, number) for number in (few, many)}
    return Report(
        (
            Bar(f"export of {count} pages <= 0.25x the CPU of warcio", least["export"] / least["write"], "<=", 0.25),
            Bar(f"memory of {many} captures <= 1.1x that of {few}", memory[many] / memory[few], "<=", 1.1),
            Bar(
                "import >= 0.5x the rate of a bare warcio loop with digests",
                least["read"] / least["import"], ">=", 0.5,
            ),
        ),
        data="real" if real else "synthetic",
        rows=(
            ("octets of a page, mean", sum(map(len, pages)) // len(pages)),
            ("octets of the export", size),
            ("export, ms a page", round(least["export"] / count * 1000, 3)),
            ("warcio writing, ms a page", round(least["write"] / count * 1000, 3)),
            ("warcio reading with digests, ms a page", round(least["read"] / count * 1000, 3)),
            ("import, with bodies and lines written, ms a page", round(least["import"] / count * 1000, 3)),
            ("the same into a folder of the disk, with what the kernel does for it", round(on_disk / count * 1000, 3)),
            ("of that, the reading with digests, ms a page", round(least["ours"] / count * 1000, 3)),
            ("the rate of that reading, over that of the warcio loop", round(least["read"] / least["ours"], 3)),
            (f"memory of an export of {many}, MiB", round(memory[many] / 1024, 1)),
        ),
    )  # fmt: skip


def _times(folder: Path, pages: list[bytes], count: int, rounds: int) -> tuple[dict[str, float], int]:
    """The least CPU seconds of each work on an export of so many pages, and the octets of that export."""
    store = _store(folder / "store", (pages[number % len(pages)] + b"<!--%d-->" % number for number in range(count)))
    out = folder / OUT
    times: dict[str, list[float]] = {"export": [], "write": [], "read": [], "ours": [], "import": []}
    with Index(store) as index:
        export(index, out)
        records = _records(out)
        for _ in range(rounds):
            times["export"].append(cpu(lambda: export(index, out, overwrite=True)))
            times["write"].append(cpu(lambda: _warcio_writes(folder / "peer.warc.gz", records)))
            times["read"].append(cpu(lambda: _warcio_reads(out)))
            times["ours"].append(cpu(lambda: _we_read(out)))
            times["import"].append(_import(folder / "imported", out))
    return {what: min(found) for what, found in times.items()}, out.stat().st_size


def _pages(options: Options) -> tuple[list[bytes], bool]:
    files = sorted((options.data or Path("none")).glob("pages/*/*.html.gz"))
    pages = [octets for file in files if LEAST <= len(octets := gzip.decompress(file.read_bytes())) <= MOST]
    if len(pages) >= 20:
        return pages, True
    picks = random.Random(options.seed)
    words = ["".join(picks.choices("abcdefghijklmnopqrstuvwxyz", k=picks.randint(2, 11))) for _ in range(4000)]
    made = []
    for _ in range(60):
        text = " ".join(picks.choices(words, k=picks.randint(2_000, 9_000)))
        made.append(f"<!doctype html><title>{text[:40]}</title><p class='text'>{text}</p>".encode())
    return made, False


def _store(path: Path, bodies: Iterator[bytes]) -> StoreFolder:
    """A store of pages as a crawl leaves it; the index holds their titles."""
    folder = StoreFolder(path).create()
    log, blobs = CaptureLog(folder.log, clock=lambda: T0), Blobs(folder.blobs)
    with Index(folder) as index:
        for number, body in enumerate(bodies):
            capture = _capture(number, body, blobs.put(body, durable=False))
            position = log.append(capture.line())
            index.add(
                capture, [Document(f"url:{capture.url}", "page", f"Page {number}", "text", capture.url)], position
            )
        log.sync()
        log.close()
        index.maintain()
    return folder


def _capture(number: int, body: bytes, sha256: str) -> Capture:
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\nServer: x\r\n\r\n"
    )
    asked = f"GET /page/{number} HTTP/1.1\r\nHost: site.example\r\nUser-Agent: PoliteCrawler/0.1\r\n\r\n"
    return Capture(
        kind="fetch",
        url=f"https://site.example/page/{number}",
        time=Time(utc(T0 + number), 20, 120),
        outcome="ok",
        status=200,
        http="1.1",
        net=Net("192.0.2.1", 443),
        request=RequestHead(asked),
        response=ResponseHead(head),
        body=Body(sha256, len(body), declared=len(body), decoded=Decoded(sha256, len(body))),
        block_sha256=hashlib.sha256(head.encode() + body).hexdigest(),
        software="polite-crawler/0.1",
    ).sealed()


Records = list[tuple[str, list[tuple[str, str]], bytes]]


def _records(path: Path) -> Records:
    with path.open("rb") as file:
        return [(one.type, list(one.fields), one.block(1 << 28) or b"") for one in RecordReader(file)]


def _warcio_writes(path: Path, records: Records) -> None:
    """The same records by warcio, with the digests that it makes by itself."""
    from warcio.statusandheaders import StatusAndHeadersParser
    from warcio.warcwriter import WARCWriter

    made = (
        "WARC-Type",
        "WARC-Block-Digest",
        "WARC-Payload-Digest",
        "Content-Type",
        "WARC-Target-URI",
        "Content-Length",
    )
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True, warc_version="1.1")
        for kind, fields, block in records:
            payload, http = io.BytesIO(block), None
            if kind in ("response", "request"):
                parser = StatusAndHeadersParser(
                    ["HTTP/1.0", "HTTP/1.1"] if kind == "response" else ["GET "], verify=False
                )
                http = parser.parse(payload)
            named = dict(fields)
            record = writer.create_warc_record(
                named.get("WARC-Target-URI", ""), kind, payload=payload, http_headers=http,
                warc_content_type=named["Content-Type"],
                warc_headers_dict={name: value for name, value in named.items() if name not in made},
            )  # fmt: skip
            writer.write_record(record)


def _warcio_reads(path: Path) -> None:
    from warcio.archiveiterator import ArchiveIterator

    with path.open("rb") as file:
        for record in ArchiveIterator(file, check_digests=True):
            stream = record.raw_stream
            while stream.read(65_536):
                pass


def _we_read(path: Path) -> None:
    with path.open("rb") as file:
        for record in RecordReader(file):
            block = record.block(1 << 28) or b""
            assert judge(record.get("WARC-Block-Digest"), block) == "ok"
            if record.is_http() and record.type == "response":
                assert judge_payload(record.get("WARC-Payload-Digest"), split_http(block)) == "ok"


def _import(path: Path, archive: Path) -> float:
    shutil.rmtree(path, ignore_errors=True)
    with Index(StoreFolder(path).create()) as index:
        return cpu(lambda: import_archive(index, archive, catch_up=False))


def _memory(folder: Path, count: int) -> int:
    """The most KiB that a process holds that exports a store of so many small captures."""
    path = folder / f"store-{count}"
    picks = random.Random(7)
    bodies = [picks.randbytes(2_000).hex().encode() for _ in range(200)]
    _store(path, (bodies[number % 200] for number in range(count)))
    command = [sys.executable, __file__, "--child", str(path), str(folder / f"{count}.wacz")]
    return int(json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["kib"])


def _child(store: str, out: str) -> None:
    with Index(StoreFolder(store)) as index:
        export(index, out)
    # ru_maxrss counts what the parent held before this program replaced it
    (peak,) = [line for line in Path("/proc/self/status").read_text("ascii").splitlines() if line.startswith("VmHWM:")]
    print(json.dumps({"kib": int(peak.split()[1])}))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        parser = argparse.ArgumentParser()
        parser.add_argument("--child", nargs=2, required=True)
        _child(*parser.parse_args().child)
    else:
        main("export", measure, versions=("warcio",))
