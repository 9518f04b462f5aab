"""What an index is made of: the log, the blobs, and who reads documents from the captures of a recipe."""

from collections.abc import Mapping
from dataclasses import dataclass

from polite_crawler.store.blobs import BlobError, Blobs
from polite_crawler.store.caught_up import CaughtUp
from polite_crawler.store.document import Document
from polite_crawler.store.extracting import AskedExtractor
from polite_crawler.store.log import CaptureLog
from polite_crawler.store.projection import Extractor, documents_of, gives_documents, read_body, read_page
from polite_crawler.store.record import Capture


@dataclass(frozen=True, slots=True)
class Material:
    """The log, the blobs and the extractors by recipe."""

    log: CaptureLog
    blobs: Blobs
    extractors: Mapping[str, Extractor]

    def documents(self, capture: Capture, done: CaughtUp) -> tuple[Document, ...]:
        """The documents of a capture. A fault is counted in `done`; one of an extractor costs its documents alone, and
        the page stays one, as while crawling."""
        if not gives_documents(capture):
            return ()
        assert capture.body is not None
        try:
            body = read_body(capture, self.blobs.get(capture.body.sha256))
        except (BlobError, ValueError):
            done.skipped_bodies += 1
            return ()
        asked = {name: AskedExtractor(one) for name, one in self.extractors.items() if name == capture.recipe}
        try:
            documents = documents_of(capture, read_page(capture, body), body=body, extractors=asked)
        except Exception as error:  # a reader that throws gives no document, and the work goes on
            done.fail(capture.id, f"{type(error).__name__}: {error}")
            return ()
        for one in asked.values():
            if one.error is not None:
                done.fail(capture.id, one.error)
        return documents
