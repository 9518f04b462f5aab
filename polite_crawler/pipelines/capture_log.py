"""Order 300: the capture gets its id and is on disk, body and line, before the fetch goes on."""

import asyncio

from polite_crawler.pipelines.draft import Draft
from polite_crawler.pipelines.parts import PartsPipeline
from polite_crawler.store import projection
from polite_crawler.store.writer import BlobBytes

_PACKED = ("image/", "video/", "audio/", "font/", "application/zip", "application/gzip", "application/pdf")


class CaptureLog(PartsPipeline):
    """Hands body and line to the writer thread and waits for both. A StoreError reaches whoever sent the draft."""

    async def process_capture(self, draft: Draft) -> Draft:
        """Seal the capture and make it durable."""
        draft.capture = draft.capture.sealed()
        blobs = []
        if draft.wire is not None and draft.capture.body is not None:
            packed = (projection.content_type(draft.capture) or "").lower().startswith(_PACKED)
            blobs.append(BlobBytes(draft.wire.payload, coded=draft.wire.coding is not None or packed))
        if draft.wire is not None and draft.wire.made is not None and draft.wire.made.picture is not None:
            blobs.append(BlobBytes(draft.wire.made.picture, coded=True))
        written = await asyncio.wrap_future(self._parts.writer.submit(draft.capture, blobs=blobs))
        draft.position = written.position
        return draft
