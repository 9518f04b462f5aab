"""Order 350: each capture goes into the archive of POLITE_WARC, after its line is on the disk."""

import asyncio
from typing import Self

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from polite_crawler.pipelines.archive_thread import ArchiveThread
from polite_crawler.pipelines.draft import Draft
from polite_crawler.pipelines.parts import parts_of


class WarcPipeline:
    """Hands each capture to the thread of the archive, and waits for it. The parts of the store close the archive."""

    def __init__(self, archive: ArchiveThread) -> None:
        self._archive = archive

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The pipeline of a crawler. Raises NotConfigured when nobody asked for an archive."""
        archive = parts_of(crawler).archive
        if archive is None:
            raise NotConfigured
        return cls(archive)

    async def process_capture(self, draft: Draft) -> Draft:
        """Write the capture, with what the reader found in it."""
        document = draft.documents[0] if draft.documents else None
        title, text = (document.title, document.text) if document is not None else (None, None)
        await asyncio.wrap_future(self._archive.add(draft.capture, title=title, text=text))
        return draft
