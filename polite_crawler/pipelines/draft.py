"""A capture on its way to the log: the item that the capture pipelines hand to each other."""

from dataclasses import dataclass, replace

from scrapy import Request

from polite_crawler.readers.page import Page
from polite_crawler.store.document import Document, Extracted
from polite_crawler.store.log import Position
from polite_crawler.store.record import Capture
from polite_crawler.transport.wire import Wire


@dataclass(slots=True, eq=False)
class Draft:
    """What is known so far of one fetch decision.

    `capture` is replaced as the pipelines learn more and has its id after CaptureLog. `url` is the URL as it was
    sent, with its secrets: it never reaches the disk. `robots` is the robots.txt that was in force, for its usage
    signals; `more_headers` are fields beside those of the capture whose signals count, those of an archive.
    """

    request: Request
    capture: Capture
    url: str
    wire: Wire | None = None
    robots: bytes | None = None
    more_headers: tuple[tuple[str, str], ...] = ()
    page: Page | None = None
    documents: tuple[Document, ...] = ()
    extracted: Extracted | None = None
    position: Position | None = None

    def note(self, text: str) -> None:
        """Add a note to the capture."""
        self.capture = replace(self.capture, note=f"{self.capture.note}; {text}" if self.capture.note else text)
