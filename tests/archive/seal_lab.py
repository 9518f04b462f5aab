"""Seals for tests: the key of a store, and lines that come later."""

from typing import Any

from polite_crawler.archive.note import SigningKey
from polite_crawler.archive.sealing import signing_key
from polite_crawler.query.store import Store
from polite_crawler.store.log import CaptureLog
from polite_crawler.store.record import Capture, Time

ORIGIN = "log.example"
# the key of the example of the signed-note text, by another implementation
NOTE_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"


def key_of(store: Store, **options: Any) -> SigningKey:
    return signing_key(store.folder, origin=ORIGIN, **options)


def append(store: Store, capture: Capture, *, month: str = "2026-11-30T00:00:00Z") -> Capture:
    from polite_crawler.store.record import epoch

    sealed = capture.sealed()
    log = CaptureLog(store.folder.log, clock=lambda: epoch(month))
    log.append(sealed.line())
    log.sync()
    log.close()
    return sealed


def a_line(number: int) -> Capture:
    return Capture(
        kind="fetch", url=f"http://ex.test/{number}", time=Time("2026-11-30T00:00:00.000000Z"), outcome="gone"
    )
