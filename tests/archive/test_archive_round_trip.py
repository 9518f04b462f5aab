"""Whatever a server sends: its export is right for the check and for another reader, and an import gives it back."""

import gzip
import hashlib
from pathlib import Path
from typing import Any

import brotli
from backports import zstd
from evidence_lab import EvidenceLab, head
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from import_lab import captures_of, empty_store
from warcio.archiveiterator import ArchiveIterator

from polite_crawler.archive.check import check
from polite_crawler.archive.export import export
from polite_crawler.archive.importing import import_archive
from polite_crawler.query.store import Store

NAMES = ["Content-Type", "content-length", "Content-Length", "Transfer-Encoding", "X-Odd", "Link", "Vary"]
VALUES = [
    "text/html", "text/html; charset=utf-8", "0", "7", "-1", "many", "chunked", "gzip, chunked", "",
    "caf\xe9", "  spaced  ", "<http://ex.test/x>; rel=next", "one\r\n\ttwo", "0" * 300,
]  # fmt: skip
STATUS_LINES = [
    "HTTP/1.1 200 OK", "HTTP/1.0 200 OK", "HTTP/1.1 200", "HTTP/2 200", "http/1.1 200 ok", "HTTP/1.1 404 Not Found",
    "HTTP/1.1 301 Moved", "HTTP/1.1 503 Busy", "HTTP/1.1 206 Partial", "\r\nHTTP/1.1 200 OK", "HTTP/1.1 299 \xdcber",
]  # fmt: skip
PATHS = ["/", "/a", "/a b", "/a%20b", "/%C3%A9", "/q?b=2&a=1", "/q?token=s3cr3t-token", "/A/../b", "//x//", "/a;b=c,d"]
BODIES = [b"", b"<p>The quick brown fox</p>", b"5\r\nhello\r\n0\r\n\r\n", b"\0\xff\r\n\r\nWARC/1.0\r\n", b"0\n1\n2\n",
          b"plain text that can be quoted", b"HTTP/1.1 200 OK\r\n\r\ninner", b"x" * 70_000, b"\r\n\r\n"]  # fmt: skip
PACK = {None: lambda octets: octets, "gzip": gzip.compress, "br": brotli.compress, "zstd": zstd.compress}

named = st.tuples(st.sampled_from(NAMES), st.sampled_from(VALUES)).map(": ".join)
fields = st.lists(named | st.just("Set-Cookie: a=s3cr3t-cookie; Path=/"), max_size=5)
exchanges = st.lists(
    st.tuples(
        st.sampled_from(PATHS), st.sampled_from(STATUS_LINES), fields, st.sampled_from(BODIES),
        st.sampled_from(list(PACK)), st.sampled_from(["\r\n", "\n"]), st.sampled_from([None, "length", "disconnect"]),
    ),
    min_size=1, max_size=6,
)  # fmt: skip


def written(folder: Path, sent: list[Any]) -> EvidenceLab:
    lab = EvidenceLab(folder)
    for path, status_line, more, body, coding, end, truncated in sent:
        payload = PACK[coding](body) if body else b""
        named = (f"Content-Encoding: {coding}",) if coding and body else ()
        status = int(status_line.split()[1])
        lab.exchange(
            f"http://ex.test{path}", head(*more, *named, status=status_line, end=end), payload, decoded=body,
            coding=coding if body else None, wire={"truncated": truncated, "status": status}, status=status,
        )  # fmt: skip
    return lab


def facts(of: Store) -> set[Any]:
    return {
        (one.url, one.time.start, one.fetched_at, one.status, one.body and one.body.sha256,
         one.body and one.body.decoded, one.body and one.body.truncated, one.response.head)
        for one in captures_of(of) if one.response is not None
    }  # fmt: skip


def payloads(path: Path) -> list[tuple[str, bytes]]:
    """URL and body as received of each response, by another reader."""
    with path.open("rb") as file:
        return [
            (record.rec_headers.get_header("WARC-Payload-Digest"), record.raw_stream.read())
            for record in ArchiveIterator(file)
            if record.rec_type == "response"
        ]


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sent=exchanges)
def test_a_round_trip_loses_nothing(tmp_path_factory: Any, sent: list[Any]) -> None:
    folder = tmp_path_factory.mktemp("trip")
    with written(folder / "store", sent).store() as first, empty_store(folder / "other") as second:
        for name in ("x.warc.gz", "x.wacz", "y.wacz"):
            export(first.index, folder / name)
            found = check(folder / name)
            assert found.ok, found.faults
        assert (folder / "x.wacz").read_bytes() == (folder / "y.wacz").read_bytes()
        for stated, body in payloads(folder / "x.warc.gz"):
            assert stated == f"sha256:{hashlib.sha256(body).hexdigest()}"
        assert b"s3cr3t" not in gzip.decompress((folder / "x.warc.gz").read_bytes())
        done = import_archive(second.index, folder / "x.wacz")
        assert (done.faults, done.skips) == ((), {})
        assert facts(second) == facts(first)
        docs = [row[0] for row in first.index.connection().execute("SELECT key FROM doc WHERE cur IS NOT NULL")]
        assert done.documents == len(docs)
        for doc in docs:
            copy = doc.replace("url:", "archive:", 1)
            before, after = first.read(doc), second.read(copy)
            assert (after.title, after.text, after.fetched_at) == (before.title, before.text, before.fetched_at)
            if quote := before.text.strip()[:40]:
                spans = [(one.start, one.end) for one in (first.verify(doc, quote), second.verify(copy, quote))]
                assert spans[0] == spans[1]
                assert second.verify(copy, quote).found
        export(second.index, folder / "again.wacz")
        assert check(folder / "again.wacz").ok
