"""What the engine reads from a request: the host that it is counted by, and how long it can wait."""

from scrapy import Request

from polite_crawler.errors import BadOption
from polite_crawler.rules.urls import host_key

DEADLINE = "polite_deadline"
"""The meta key of a request's own deadline, in epoch seconds."""


def host_of(request: Request) -> str:
    """The host key of the URL alone, whatever the meta says; "" for a URL without one, which is declined later."""
    try:
        return host_key(request.url)
    except BadOption:
        return ""


def deadline_of(request: Request) -> float | None:
    """The request's own deadline, or None."""
    deadline = request.meta.get(DEADLINE)
    return float(deadline) if isinstance(deadline, (int, float)) else None
