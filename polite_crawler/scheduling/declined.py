"""A fetch that was decided against: nothing more is sent for this request."""

from typing import Literal

from scrapy.exceptions import IgnoreRequest

Reason = Literal[
    "robots", "stop", "egress", "deadline", "signer", "url", "stored", "max-pages", "closing", "known",
]  # fmt: skip

NO_CAPTURE: frozenset[str] = frozenset({"max-pages", "closing"})
"""The crawl ended before anything was decided about the URL: it counts as still queued, and the log says nothing."""

SILENT: frozenset[str] = NO_CAPTURE | {"known"}
"""The log says nothing of these: a URL that turned out to be another name of a page is no decision about a page."""


class Declined(IgnoreRequest):
    """No request goes out. `reason` is a short word for counts, the message is the note of the capture."""

    def __init__(self, reason: Reason, note: str) -> None:
        super().__init__(note)
        self.reason: Reason = reason
        self.note = note
