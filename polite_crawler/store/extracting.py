"""An extractor of an application as the store asks it: an error of it is told, and breaks nothing."""

from polite_crawler.readers.page import Page
from polite_crawler.store.document import Document, Extracted
from polite_crawler.store.projection import Extractor
from polite_crawler.store.record import Capture


class AskedExtractor:
    """An extractor that is asked for one capture; `said` is what it gave, or the error that it raised."""

    def __init__(self, extractor: Extractor) -> None:
        self._extractor = extractor
        self.said: Extracted | None = None

    def __call__(self, body: bytes, capture: Capture, page: Page) -> tuple[Document, ...]:
        """Its documents; none when it fails."""
        try:
            documents = tuple(self._extractor(body, capture, page))
            if other := [one for one in documents if not isinstance(one, Document)]:
                raise TypeError(f"{other[0]!r:.80} is no Document")
            self.said = Extracted(documents)
        except Exception as error:  # the code of an application
            self.said = Extracted(error=f"{type(error).__name__}: {error}")
        return self.said.documents

    @property
    def error(self) -> str | None:
        """What it raised, as words."""
        return self.said.error if self.said is not None else None
