"""What became of one request on its way through the engine: `request.meta["polite"]`."""

from dataclasses import dataclass, field

from scrapy import Request

from polite_crawler.readers.page import Page
from polite_crawler.store.catalog import CopyFacts
from polite_crawler.store.document import Extracted
from polite_crawler.store.record import Capture, RobotsCheck, Signed, Validators
from polite_crawler.transport.wire import Wire

META = "polite"


@dataclass(slots=True)
class Trace:
    """The facts that middlewares, handler and pipelines leave for each other. One request, one trace: a hop, a
    request that goes back to the queue and a retry each begin a new one.
    """

    wire: Wire | None = None
    robots: tuple[RobotsCheck, ...] = ()
    robots_body: bytes | None = None
    validators: Validators | None = None
    signed: Signed | None = None
    """The signature that went out with the request, once it did."""
    may_sign: bool = False
    """True for a request that goes out without a signature because nobody has asked for one yet."""
    signature_asked: bool = False
    """True when such a request was answered by asking for one."""
    notes: list[str] = field(default_factory=list)
    capture: Capture | None = None
    page: Page | None = None
    extracted: Extracted | None = None
    """What the extractor of the recipe said of that page, where the pipelines have asked it."""
    from_store: bool = False
    stale: CopyFacts | None = None
    live: Capture | None = None
    """What the site itself answered, when `capture` and `page` are those of an archived copy."""
    searched: bool = False
    """True when the search of the archives has ended: nothing more is asked for this request."""
    queued: bool = False
    """True while the scheduler's queue has handed this request out: only then may it go back to the queue."""

    @property
    def cited(self) -> Capture | None:
        """The capture whose body answered: a 304 has none, so it is the one whose copy the 304 confirmed."""
        if self.capture is not None and self.capture.outcome == "not_modified" and self.stale is not None:
            return self.stale.capture
        return self.capture


def trace_of(request: Request) -> Trace:
    """The trace of a request; a new one when it has none yet."""
    trace = request.meta.get(META)
    if not isinstance(trace, Trace):
        trace = request.meta[META] = Trace()
    return trace
