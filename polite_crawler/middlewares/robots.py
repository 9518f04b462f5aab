"""Order 100, in the place of the stock one: robots.txt as RFC 9309 has it, for each product token that we come with."""

from collections.abc import Iterable
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler

from polite_crawler.middlewares.robots_files import InForce, robots_files_of
from polite_crawler.rules import outcomes
from polite_crawler.rules.robots import Decision
from polite_crawler.scheduling.declined import Declined
from polite_crawler.scheduling.lanes import HostStopped, lanes_of
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.requests import deadline_of, host_of
from polite_crawler.store.record import RobotsCheck, utc
from polite_crawler.transport.failures import unreachable
from polite_crawler.transport.meta import KIND, LANE
from polite_crawler.transport.trace import trace_of

MODE = "polite_mode"
"""The meta key of a recipe's mode: `api` for a documented API, which robots.txt is not asked about."""


class Robots:
    """Declines what the file of the origin disallows for any of our tokens. Each token is matched alone, and each
    check stands in the capture."""

    def __init__(self, crawler: Crawler) -> None:
        self._lanes = lanes_of(crawler)
        self._tokens = options_of(crawler).identity.tokens
        self._files = robots_files_of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The middleware of a crawler."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Raise Declined for what must not be fetched now."""
        if request.meta.get(KIND) == "robots" or request.meta.get(MODE) == "api":
            return
        found = await self._files.of(request.url, deadline=deadline_of(request), lane=request.meta.get(LANE))
        standing = found.standing
        if standing.state == "challenge":
            stop = self._lanes.stop_of(host_of(request))
            if stop is not None:
                raise HostStopped(host_of(request), stop.until, stop.reason)
        if standing.state in ("unreachable", "challenge"):
            raise unreachable(standing.why, outcomes.unreachable_note(standing.why, utc(found.next_try)))
        trace = trace_of(request)
        trace.robots_body = found.body
        checks, refusal = checks_of(found, self._tokens, request.url)
        trace.robots += checks
        if refusal is not None:
            raise Declined("robots", refusal)


def checks_of(found: InForce, tokens: Iterable[str], url: str) -> tuple[tuple[RobotsCheck, ...], str | None]:
    """What a file says of a URL for each token, and the note of the first refusal, or None."""
    checks, refusal = [], None
    for token in tokens:
        decision = found.standing.access(token, url).decision
        checks.append(_check(token, decision, found))
        if decision is not None and not decision.allowed and refusal is None:
            others = [name for name in decision.group if name != decision.agent]
            refusal = outcomes.robots_note(token, decision.line, decision.rule, others)
    return tuple(checks), refusal


def _check(token: str, decision: Decision | None, found: InForce) -> RobotsCheck:
    if decision is None:
        return RobotsCheck(True, capture=found.capture, stale=found.stale, token=token)
    return RobotsCheck(
        decision.allowed, decision.agent, decision.rule, decision.line, found.capture, found.stale, token
    )
