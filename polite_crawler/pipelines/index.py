"""Order 400: the documents go into the index, in a thread of its own. The log has them already, so an error here is
noted and left to the catch-up."""

import asyncio
from concurrent.futures import Future

from polite_crawler.errors import StoreError
from polite_crawler.pipelines.draft import Draft
from polite_crawler.pipelines.parts import PartsPipeline

AWAIT = "polite_await_index"
"""The meta key of a request whose fetch ends only when the index has it."""


class Index(PartsPipeline):
    """Hands each capture to the index thread. It waits only for who asked for it."""

    async def process_capture(self, draft: Draft) -> Draft:
        """Index the capture and its documents."""
        future = self._parts.index_thread.submit(draft.capture, draft.documents, draft.position)
        if draft.request.meta.get(AWAIT):
            try:
                await asyncio.wrap_future(future)
            except StoreError as error:
                draft.note(f"not in the index yet: {error}")
        else:
            future.add_done_callback(_retrieve)
        return draft


def _retrieve(future: "Future[bool]") -> None:
    # the index thread has noted the error already
    if not future.cancelled():
        future.exception()
