"""ITEM_PROCESSOR: captures go through the capture pipelines, every other item through the user's pipelines."""

from typing import Any

from scrapy.pipelines import ItemPipelineManager

from polite_crawler.pipelines.draft import Draft


class ItemProcessor(ItemPipelineManager):
    """Routes by type, so that a pipeline of the user never sees a capture and can never drop one.

    A pipeline of ours has `process_capture(draft) -> Draft` in the place of `process_item`. Its exceptions reach
    whoever awaits `process_item_async(draft)`.
    """

    def _add_middleware(self, mw: Any) -> None:
        super()._add_middleware(mw)
        if hasattr(mw, "process_capture"):
            self.methods["process_capture"].append(mw.process_capture)

    async def process_item_async(self, item: Any) -> Any:
        """The item after its pipelines."""
        if not isinstance(item, Draft):
            return await super().process_item_async(item)
        for process in self.methods["process_capture"]:
            assert process is not None
            item = await process(item)
        return item
