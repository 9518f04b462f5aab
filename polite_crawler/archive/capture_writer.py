"""From captures to records in a file: which records a capture gives, and what of it goes into index and page list."""

from collections import Counter
from typing import Protocol

from polite_crawler.archive import records
from polite_crawler.archive.bodies import RecordBody, load, payload_of
from polite_crawler.archive.cdx import REVISIT_TYPE, Place, index_line, mime_of
from polite_crawler.archive.digests import sha256_label
from polite_crawler.archive.records import Original, Record, record_id
from polite_crawler.archive.scratch import PageLine, Scratch
from polite_crawler.archive.warc import WarcWriter
from polite_crawler.rules.urls import normal_or_none
from polite_crawler.store.blobs import BlobError, Blobs
from polite_crawler.store.projection import content_type, gives_page, is_copy
from polite_crawler.store.record import Capture, utc_micros

_PDF_WITHIN = 1024


class Sources(Protocol):
    """What the records of a capture need beside its line and its body."""

    def capture(self, capture: str) -> Capture | None:
        """The capture of an id, or None when it is not there or damaged."""
        ...

    def title(self, capture: Capture) -> str | None:
        """The title of the page of a capture, if it has one."""
        ...

    def text(self, capture: Capture) -> str | None:
        """The text that a reader made of the body of a capture, if it is known."""
        ...


class CaptureWriter:
    """Writes the records of captures and counts them. `skips` counts the captures that had to stay, by reason;
    `indexed` is false for a file that gets no index and no page list."""

    def __init__(
        self,
        writer: WarcWriter,
        scratch: Scratch,
        blobs: Blobs,
        sources: Sources,
        *,
        indexed: bool = True,
        secret_bodies: bool = False,
    ) -> None:
        self._writer = writer
        self._scratch = scratch
        self._blobs = blobs
        self._sources = sources
        self._indexed = indexed
        self._secret_bodies = secret_bodies
        self.captures = 0
        self.responses = 0
        self.revisits = 0
        self._latest = 0
        self.skips: Counter[str] = Counter()

    @property
    def latest(self) -> str:
        """When the last exchange of all captures ended, RFC 3339 UTC."""
        return utc_micros(self._latest)

    def add(self, capture: Capture, line: bytes | None = None) -> bool:
        """Write what a capture holds; `line` is it as the log has it.

        False when it holds no answer of a server, was written before, or must stay: its body holds a known secret or
        is damaged.
        """
        if not _has_answer(capture):
            return False
        if capture.secret_in_body and not self._secret_bodies:
            self.skips["secret-in-body"] += 1
            return False
        if not self._scratch.add_capture(capture.id):
            return False
        try:
            body = load(self._blobs, capture.body) if capture.body else None
        except BlobError as error:
            self._scratch.drop_capture(capture.id)
            self.skips["body-missing" if error.why == "missing" else "body-damaged"] += 1
            return False
        self._writer.begin(capture)
        if capture.kind == "render" or is_copy(capture):
            self._made(capture, records.public_line(capture, line), body)
        else:
            self._answer(capture, records.public_line(capture, line), body)
        self.captures += 1
        self._latest = max(self._latest, capture.fetched)
        return True

    def _answer(self, capture: Capture, line: bytes, body: RecordBody | None) -> None:
        info = self._writer.info
        original = self._original(capture)
        if original is None:
            record = records.response(capture, body, info)
            about = record_id(capture.id, "response")
            self.responses += 1
        else:
            record = records.revisit(capture, original, info)
            about = record_id(capture.id, "revisit")
            self.revisits += 1
        if self._indexed:
            sha256 = original.sha256 if original else body.sha256 if body else None
            self._index(capture, sha256, original, self._writer.place(record))
        else:
            self._writer.write(record)
        if capture.request is not None:
            self._writer.write(records.request(capture, about, info))
        self._writer.write(records.metadata(capture, line, about, info))
        if original is None and body is not None and body.decoded:
            self._writer.write(records.coded(capture, body, info))
        if original is not None or not gives_page(capture):
            return
        assert body is not None
        if b"%PDF-" in body.data[:_PDF_WITHIN] and (text := self._sources.text(capture)):
            self._writer.write(records.text_of_pdf(capture, text, info))
        if capture.status == 200:
            self._page(capture)

    def _made(self, capture: Capture, line: bytes, body: RecordBody | None) -> None:
        if body is None:
            return
        info = self._writer.info
        of = (capture.source or {}).get("of")
        loaded = record_id(of, "response") if isinstance(of, str) and self._scratch.has_capture(of) else None
        self._writer.write(records.made(capture, body, loaded, info))
        self._writer.write(records.metadata(capture, line, record_id(capture.id, records.urn_of(capture)), info))

    def _original(self, capture: Capture) -> Original | None:
        """What a 304 confirmed, when the log knows it."""
        of = capture.validators.of if capture.validators else None
        if capture.outcome != "not_modified" or not of:
            return None
        found = self._sources.capture(of)
        if found is None or found.body is None:
            return None
        return Original(
            found.id, found.url, records.date_of(found), payload_of(found.body)[0], self._scratch.has_capture(found.id)
        )

    def _index(self, capture: Capture, sha256: str | None, original: Original | None, place: Place) -> None:
        self._scratch.add_line(
            index_line(
                capture.url,
                records.date_of(capture),
                mime=REVISIT_TYPE if original else mime_of(content_type(capture)),
                status=None if original else capture.status or 200,
                digest=sha256_label(sha256 or b""),
                place=place,
            )
        )

    def _page(self, capture: Capture) -> None:
        title = self._sources.title(capture) if self._indexed else None
        line = PageLine(capture.id, capture.url, records.date_of(capture), title)
        self._scratch.add_page(normal_or_none(capture.url) or capture.url, capture.fetched, line)


def _has_answer(capture: Capture) -> bool:
    return capture.response is not None or (capture.kind == "render" and capture.body is not None)


__all__ = ["CaptureWriter", "Record", "Sources"]
