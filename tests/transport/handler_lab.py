"""The download handler for tests: a crawler around it, its lanes, and one request to its end."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from scrapy import Request
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.http import Response
from scrapy.spiders import Spider
from transport_site import Script, Site, answers, run, site

from polite_crawler.rules.options import DEFAULTS
from polite_crawler.rules.pacing import Answer, HostState, Policy
from polite_crawler.scheduling.lanes import HostLanes, Lane, use_lanes
from polite_crawler.store.hosts import MemoryHosts
from polite_crawler.transport.handler import PoliteDownloadHandler
from polite_crawler.transport.trace import Trace, trace_of

_NO_REST = Policy(page_interval=0.0, slow_factor=0.0)


class Lanes(HostLanes):
    """Lanes that tell what the handler gave back."""

    def __init__(self) -> None:
        super().__init__(MemoryHosts(), lambda host: _NO_REST)
        self.given: list[tuple[str, Answer | None]] = []

    def release(self, lane: Lane, answer: Answer | None) -> HostState:
        self.given.append((lane.host, answer))
        return super().release(lane, answer)


def crawler_with(**settings: Any) -> Crawler:
    runner = AsyncCrawlerRunner(
        {**DEFAULTS, "POLITE_ALLOW_PRIVATE": True, "TWISTED_REACTOR_ENABLED": False, **settings}
    )
    crawler = runner.create_crawler(Spider)
    crawler._apply_settings()
    return crawler


def handled(
    script: Script,
    test: Callable[[PoliteDownloadHandler, Site, Lanes], Coroutine[Any, Any, None]],
    *,
    handler: type[PoliteDownloadHandler] = PoliteDownloadHandler,
    tls: Any = None,
    **settings: Any,
) -> None:
    """Run a test with a server and a handler."""

    async def main() -> None:
        async with site(script, tls=tls) as here:
            crawler = crawler_with(**settings)
            lanes = Lanes()
            use_lanes(crawler, lanes)
            one = handler.from_crawler(crawler)
            try:
                await test(one, here, lanes)
            finally:
                await one.close()
                lanes.shut()

    run(main())


def answered(octets: bytes, request: Request | None = None, **meta: Any) -> tuple[Response, Trace, Answer | None]:
    """The response to one request, its trace, and what the lane was given back with."""
    result: list[tuple[Response, Trace, Answer | None]] = []

    async def test(handler: PoliteDownloadHandler, here: Site, lanes: Lanes) -> None:
        one = (request or Request("http://x/")).replace(url=here.url, meta=meta)
        response = await handler.download_request(one)
        assert response.url == here.url
        assert response.request is one
        result.append((response, trace_of(one), lanes.given[0][1]))

    handled(answers(octets), test)
    return result[0]


def fails(
    script: Script, *, meta: dict[str, Any] | None = None, **settings: Any
) -> tuple[BaseException, Trace, list[tuple[str, Answer | None]]]:
    result: list[tuple[BaseException, Trace, list[tuple[str, Answer | None]]]] = []

    async def test(handler: PoliteDownloadHandler, here: Site, lanes: Lanes) -> None:
        request = Request(here.url, meta=meta or {})
        with pytest.raises(Exception) as caught:  # noqa: PT011
            await handler.download_request(request)
        assert lanes.held == 0
        result.append((caught.value, trace_of(request), lanes.given))

    handled(script, test, **settings)
    return result[0]
