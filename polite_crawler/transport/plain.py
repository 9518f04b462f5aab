"""The fetched page that a render starts from: a browser gets it in the place of a second request."""

from dataclasses import dataclass

from scrapy import Request
from scrapy.http import Response

from polite_crawler.store.record import Capture
from polite_crawler.transport.trace import Trace

RENDERS = "polite_renders"
"""The meta key of a request that a browser answers: the Plain that it starts from."""


@dataclass(frozen=True, slots=True, eq=False)
class Plain:
    """A fetched page: its request with its trace, the response, and the capture that holds its body (after a 304 that
    is an older one than the capture of the trace)."""

    request: Request
    trace: Trace
    response: Response
    capture: Capture


def plain_of(request: Request) -> Plain | None:
    """What a render starts from; None for a request that a browser has nothing to do with."""
    plain = request.meta.get(RENDERS)
    return plain if isinstance(plain, Plain) else None
