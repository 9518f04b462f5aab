"""A store made by hand for tests: captures written to the log and the blobs by the product's own parts."""

import gzip
import hashlib
from pathlib import Path
from typing import Any

from polite_crawler.store.blobs import Blobs
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.log import CaptureLog
from polite_crawler.store.record import (
    Body,
    Capture,
    Decoded,
    Redaction,
    ResponseHead,
    Time,
    Validators,
    epoch,
    utc,
)

T0 = epoch("2026-03-01T12:00:00Z")
HOUR = 3600.0
DAY = 24 * HOUR


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class StoreLab:
    """Writes captures into one store folder. `at` is in seconds after T0."""

    def __init__(self, path: Path) -> None:
        self.folder = StoreFolder(path).create()
        self.log = CaptureLog(self.folder.log, clock=lambda: T0)
        self.blobs = Blobs(self.folder.blobs)

    def close(self) -> None:
        self.log.close()

    def write(self, capture: Capture) -> Capture:
        sealed = capture.sealed()
        self.log.append(sealed.line())
        return sealed

    def page(
        self,
        url: str,
        text: str,
        *,
        at: float = 0.0,
        title: str | None = None,
        content_type: str = "text/html; charset=utf-8",
        coded: bool = False,
        hold: str | None = None,
        covered: tuple[int, ...] = (),
        **fields: Any,
    ) -> Capture:
        """A fetched HTML page with this text as its one paragraph."""
        head = f"<title>{title}</title>" if title is not None else ""
        body = f"<!doctype html>{head}<p>{text}</p>" if "html" in content_type else text
        return self.body(
            url, body.encode(), at=at, content_type=content_type, coded=coded, hold=hold, covered=covered, **fields
        )

    def body(
        self,
        url: str,
        data: bytes,
        *,
        at: float = 0.0,
        content_type: str = "text/html; charset=utf-8",
        coded: bool = False,
        hold: str | None = None,
        covered: tuple[int, ...] = (),
        **fields: Any,
    ) -> Capture:
        received = gzip.compress(data, mtime=0) if coded else data
        self.blobs.put(received, coded=coded)
        facts: dict[str, Any] = {
            "kind": "fetch",
            "outcome": "ok",
            "status": 200,
            "body": Body(
                sha256=digest(received),
                size=len(received),
                coding="gzip" if coded else None,
                decoded=Decoded(digest(data), len(data)),
            ),
            "response": ResponseHead(f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n\r\n"),
            "signals": {"hold": hold} if hold else None,
            "secret_in_body": bool(covered),
            "redacted": (Redaction("body", len(covered) // 2, covered),) if covered else (),
        }
        return self.write(Capture(url=url, time=Time(utc(T0 + at), 10, 20), **(facts | fields)))

    def redirect(self, url: str, *, at: float = 0.0, redirect_of: str | None = None) -> Capture:
        return self.write(
            Capture(
                kind="fetch", url=url, time=Time(utc(T0 + at)), outcome="redirect", status=301, redirect_of=redirect_of
            )
        )

    def not_modified(self, url: str, of: Capture, *, at: float) -> Capture:
        return self.write(
            Capture(
                kind="fetch", url=url, time=Time(utc(T0 + at)), outcome="not_modified", status=304,
                validators=Validators({"if-none-match": '"x"'}, of.id),
            )
        )  # fmt: skip
