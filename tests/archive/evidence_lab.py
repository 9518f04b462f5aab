"""A store of captures made by the product's own parts from exchanges of every kind: what an export has to bear."""

import gzip
import hashlib
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import brotli
from backports import zstd

from polite_crawler.query.store import Store
from polite_crawler.rules.outcomes import of_status
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.log import CaptureLog
from polite_crawler.store.record import Capture, RequestHead, ResponseHead, Tls, Validators, epoch
from polite_crawler.store.writer import BlobBytes, WriterThread
from polite_crawler.transport import evidence
from polite_crawler.transport.wire import Wire

T0 = epoch("2026-11-30T08:00:00.123456Z")
TLS = Tls(version="TLSv1.3", cipher="TLS_AES_128_GCM_SHA256", alpn="http/1.1", cert_sha256="ab" * 32)


def html(title: str, repeat: int = 60) -> bytes:
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><title>{title}</title></head><body><h1>MARK-{title}</h1>'
        f'<a href="/plain">x</a><img src="/img.png"><p>{"lorem ipsum dolor " * repeat}</p></body></html>'
    ).encode()


def head(*fields: str, status: str = "HTTP/1.1 200 OK", end: str = "\r\n") -> bytes:
    return "".join(f"{line}{end}" for line in (status, *fields, "")).encode("latin-1")


def png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = zlib.compress((b"\0" + b"\xff\0\0" * 8) * 8)
    size = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def pdf(text: str) -> bytes:
    """The smallest PDF that shows one line."""
    stream = f"BT /F1 24 Tf 72 700 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, at = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        at.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in at)
    trailer = b"trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(out)
    return out + b"xref\n0 6\n0000000000 65535 f \n" + table + trailer


@dataclass
class EvidenceLab:
    """Writes captures into one store. Each comes a second after the one before."""

    path: Path

    def __post_init__(self) -> None:
        self.folder = StoreFolder(self.path).create()
        self.writer = WriterThread(self.folder, min_free=0, log=CaptureLog(self.folder.log, clock=lambda: T0))
        self.now = T0
        self.captures: list[Capture] = []

    def close(self) -> None:
        assert self.writer.close()

    def store(self) -> Store:
        """Everything written, and the store over it."""
        self.close()
        return Store(self.path)

    def exchange(
        self,
        url: str,
        response_head: bytes,
        payload: bytes = b"",
        *,
        decoded: bytes | None = None,
        coding: str | None = None,
        request_fields: tuple[str, ...] = (),
        tls: Tls | None = None,
        wire: dict[str, Any] | None = None,
        facts: dict[str, Any] | None = None,
        outcome: Any = None,
        write: bool = True,
        **fields: Any,
    ) -> Capture:
        """The capture of one exchange, written."""
        self.now += 1
        target = "/" + url.split("/", 3)[3]
        status = int(response_head.split(b" ", 2)[1][:3])
        sent = head(f"Host: {url.split('/')[2]}", "User-Agent: PoliteCrawler/0.1", "Accept-Encoding: gzip",
                    *request_fields, status=f"GET {target} HTTP/1.1")  # fmt: skip
        exchange = Wire(
            **{
                "request_head": sent, "response_head": response_head, "http": "1.1", "status": status, "reason": "OK",
                "headers": (), "payload": payload, "decoded": payload if decoded is None else decoded,
                "coding": coding, "declared": None, "truncated": None, "undecodable": None, "ip": "127.0.0.1",
                "port": 8080, "reused": False, "tls": tls, "started": self.now, "headed": self.now + 0.01,
                "ended": self.now + 0.25, "wire_octets": 100,
            }
            | (wire or {})
        )  # fmt: skip
        known = evidence.Facts(url=url, software="polite-crawler/0.1", **(facts or {}))
        capture = evidence.of_wire(known, exchange, outcome=outcome or of_status(status))
        capture = replace(evidence.with_body(capture, exchange, url=url), **fields)
        bodies = [BlobBytes(payload, coded=coding is not None)] if capture.body else []
        return self._write(capture, bodies) if write else capture

    def write(self, capture: Capture, body: bytes | None = None) -> Capture:
        """A capture made by the test itself."""
        return self._write(capture, [BlobBytes(body)] if body is not None else [])

    def skip(self, url: str) -> Capture:
        self.now += 1
        known = evidence.Facts(url=url)
        return self._write(evidence.of_skip(known, reason="robots", note="robots.txt disallows it", now=self.now), [])

    def not_modified(self, url: str, of: Capture, **fields: Any) -> Capture:
        return self.exchange(
            url, head('ETag: "1"', "Content-Type: text/html", status="HTTP/1.1 304 Not Modified"),
            request_fields=('If-None-Match: "1"',),
            facts={"validators": Validators({"if-none-match": '"1"'}, of.id)}, **fields,
        )  # fmt: skip

    def _write(self, capture: Capture, bodies: list[BlobBytes]) -> Capture:
        sealed = capture.sealed()
        self.writer.submit(sealed, blobs=bodies).result(10)
        self.captures.append(sealed)
        return sealed


HTML = "Content-Type: text/html; charset=utf-8"
SITE = "http://ex.test"


Add = Callable[..., None]
"""Writes one capture by its name, with a response head and a payload."""


def _codings(add: Add) -> None:
    """A body as it is, and in each coding."""
    body = html("plain")
    add("plain", head(HTML, f"Content-Length: {len(body)}"), body)
    packed = gzip.compress(html("gzip"), mtime=0)
    add("gzip", head(HTML, "Content-Encoding: gzip", f"Content-Length: {len(packed)}"), packed,
        decoded=html("gzip"), coding="gzip")  # fmt: skip
    packed = brotli.compress(html("br"))
    add("br", head(HTML, "Content-Encoding: br", f"Content-Length: {len(packed)}"), packed,
        decoded=html("br"), coding="br")  # fmt: skip
    packed = zstd.compress(html("zstd"))
    add("zstd", head(HTML, "Content-Encoding: zstd", f"Content-Length: {len(packed)}"), packed,
        decoded=html("zstd"), coding="zstd")  # fmt: skip


def _framings(add: Add) -> None:
    """Each way in which the end of a body is told."""
    add("chunked", head(HTML, "Transfer-Encoding: chunked"), html("chunked"))
    packed = gzip.compress(html("both"), mtime=0)
    add("chunkedgzip", head(HTML, "Content-Encoding: gzip", "transfer-encoding:chunked"), packed,
        decoded=html("both"), coding="gzip")  # fmt: skip
    body = html("tls")
    add("tls", head(HTML, f"content-length: {len(body)}"), body, tls=TLS)
    add("nolength", head(HTML), html("nolength"), wire={"http": "1.0"})


def _cuts(add: Add) -> None:
    """Bodies of which a part is missing."""
    packed = gzip.compress(html("cut", 2000), mtime=0)
    half = packed[: len(packed) // 2]
    add("cutgzip", head(HTML, "Content-Encoding: gzip", f"Content-Length: {len(packed)}"), half,
        decoded=zlib.decompressobj(31).decompress(half), coding="gzip",
        wire={"truncated": "disconnect", "declared": len(packed)})  # fmt: skip
    body = html("long") + b"x" * 5000
    add("cutlength", head(HTML, "Content-Length: 999999"), body, wire={"truncated": "length", "declared": 999999})


def _odd_ones(add: Add) -> None:
    """Heads, URLs and bodies that are not those of an ordinary page."""
    add("redirect", head("Location: /plain", "Content-Length: 0", status="HTTP/1.1 301 Moved Permanently"))
    body = html("missing")
    add("missing", head(HTML, f"Content-Length: {len(body)}", status="HTTP/1.1 404 Not Found"), body)
    body = html("octets")
    add("octets", head(HTML, "X-Latin: caf\xe9", "Set-Cookie: a=s3cr3t-1; Path=/", "Set-Cookie: b=s3cr3t-2",
                       "X-Odd:   spaced  ", "x-CaSe: Yes", "X-Folded: one", "\ttwo", f"Content-Length: {len(body)}"),
        body, request_fields=("Cookie: a=s3cr3t-0",))  # fmt: skip
    add("image", head("Content-Type: image/png", f"Content-Length: {len(png())}"), png(), path="img.png")
    body = html("query")
    add("query", head(HTML, f"Content-Length: {len(body)}"), body, path="q?b=2&a=1&token=s3cr3t-token-9")
    body = html("uni")
    add("international", head(HTML, f"Content-Length: {len(body)}"), body,
        url="http://xn--bcher-kva.test/%C3%A9t%C3%A9?x=%E2%9C%93")  # fmt: skip
    add("lf", head(HTML, status="HTTP/1.0 200 OK", end="\n"), html("lf"), wire={"http": "1.0"})
    body = pdf("The quick brown fox")
    add("pdf", head("Content-Type: application/pdf", f"Content-Length: {len(body)}"), body, path="paper.pdf")


def edge_captures(lab: EvidenceLab, site: str = SITE) -> dict[str, Capture]:
    """One capture of each kind that archives and replay tools trip over, by name."""
    done: dict[str, Capture] = {}

    def add(name: str, response_head: bytes, payload: bytes = b"", *, path: str | None = None, **more: Any) -> None:
        done[name] = lab.exchange(more.pop("url", f"{site}/{path or name}"), response_head, payload, **more)

    for kind in (_codings, _framings, _cuts, _odd_ones):
        kind(add)
    done["notmodified"] = lab.not_modified(f"{site}/plain", done["plain"])
    return done


def other_captures(lab: EvidenceLab, edges: dict[str, Capture], site: str = SITE) -> dict[str, Capture]:
    """What else a log holds: robots.txt, a skip, errors, a held-back page, a render, an override."""
    robots = b"User-agent: *\nDisallow: /private\n"
    done = {
        "robots": lab.exchange(f"{site}/robots.txt", head("Content-Type: text/plain"), robots,
                               facts={"kind": "robots"}),
        "skip": lab.skip(f"{site}/private"),
        "busy": lab.exchange(f"{site}/busy", head("Retry-After: 5", status="HTTP/1.1 503 Busy"), b"later"),
        "held": lab.exchange(f"{site}/held", head(HTML), html("held"), signals={"hold": "noai", "robots_tag": ["noai"]},
                             scope="private", labels={"lineage": "secret-lineage"}),
        "again": lab.exchange(f"{site}/plain", head(HTML), html("plain again")),
    }  # fmt: skip
    tree = html("rendered by scripts")
    render = replace(
        lab.exchange(f"{site}/gzip", head(HTML), tree, write=False),
        kind="render", request=None, response=ResponseHead(head(HTML).decode(), "browser"),
        source={"of": edges["gzip"].id},
    )  # fmt: skip
    done["render"] = lab.write(render, tree)
    done["override"] = lab.write(replace(lab.skip(f"{site}/held"), kind="override", id="", reason="user-provided"))
    return done


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


__all__ = [
    "HTML",
    "SITE",
    "T0",
    "EvidenceLab",
    "RequestHead",
    "edge_captures",
    "head",
    "html",
    "other_captures",
    "pdf",
    "png",
    "sha256",
]
