"""Order 100: the facts of the body. The bytes themselves go to the writer with the line, bodies first."""

from typing import Self

from scrapy.crawler import Crawler

from polite_crawler.pipelines.draft import Draft
from polite_crawler.scheduling.options import options_of
from polite_crawler.transport import evidence


class Blob:
    """Hashes the body as received and as decoded, and marks the secrets of the exchange in it."""

    def __init__(self, params: frozenset[str]) -> None:
        self._params = params

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The pipeline of a crawler."""
        return cls(options_of(crawler).secret_params)

    async def process_capture(self, draft: Draft) -> Draft:
        """Give the capture its body."""
        if draft.wire is not None:
            draft.capture = evidence.with_body(draft.capture, draft.wire, params=self._params, url=draft.url)
        return draft
