"""What the engine reads from a request: the host that it is counted by, how long it can wait, and what became of the
request before it."""

from scrapy import Request

from polite_crawler.errors import BadOption
from polite_crawler.rules.urls import host_key
from polite_crawler.transport.meta import KIND
from polite_crawler.transport.plain import RENDERS
from polite_crawler.transport.trace import META

DEADLINE = "polite_deadline"
"""The meta key of a request's own deadline, in epoch seconds."""

_OF_ANOTHER = (
    META, RENDERS, "redirect_urls", "redirect_times", "redirect_reasons", "polite_redirect_of", "polite_retries",
    "polite_idle", "polite_whole", "polite_signature_asked",
)  # fmt: skip


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


def begin(request: Request) -> None:
    """Let a request be one of its own: a spider that passes `response.meta` on makes no hop, no retry and no render of
    its new request."""
    if request.meta.get(RENDERS) is not None:
        request.meta.pop(KIND, None)
    for key in _OF_ANOTHER:
        request.meta.pop(key, None)
