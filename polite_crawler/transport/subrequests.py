"""The sub-requests of one render: each goes through the engine as any other request does."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from polite_crawler.errors import StoreError
from polite_crawler.rules.rendering import Limits
from polite_crawler.scheduling.lanes import HostLanes, Lane
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.requests import DEADLINE, host_of
from polite_crawler.scheduling.scheduler import scheduler_of
from polite_crawler.transport.in_progress import InProgress
from polite_crawler.transport.meta import KIND, LANE, MAX_BYTES
from polite_crawler.transport.trace import trace_of

_HANDED_ON = ("polite_max_age", "polite_scope", "polite_labels", "polite_job")
_BUSY = frozenset({429, 503})
_OVER = "the render is over"
_END_SECONDS = 1.0

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Asked:
    """A sub-request as the browser asks for it."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a server or of the store: its fields as they came, its body decoded."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


class Subrequests:
    """Asks for what the scripts of one page ask for, while the render holds the lane of the page's host.

    Those to that host go under its lease, a few at a time and with no rest; any other host rests and is waited for as
    always, for at most `lane_seconds`. The engine's middlewares decide on each of them and log each of them. What was
    asked in this render already is not asked again. `error` is a failure of the store; `notes` say what was left out.
    """

    def __init__(self, crawler: Crawler, page: Request, lane: Lane, lanes: HostLanes, limits: Limits) -> None:
        self._crawler = crawler
        self._page = page
        self._lane = lane
        self._lanes = lanes
        self._limits = limits
        self._max_bytes = options_of(crawler).max_bytes
        self._own = asyncio.Semaphore(limits.own)
        self._known: dict[Asked, asyncio.Task[Reply | None]] = {}
        self._tasks: set[asyncio.Task[Reply | None]] = set()
        self._sent: set[Request] = set()
        self._hops: dict[str, str] = {}
        self._asked = 0
        self._octets = 0
        self._busy = False
        self._closed = False
        self.error: StoreError | None = None
        self.notes: dict[str, None] = {}

    async def ask(self, asked: Asked, chain: str = "") -> Reply | None:
        """The answer; None for a sub-request that is declined, fails or is over a limit. `chain` is the same for the
        hops of one redirect."""
        task = self._known.get(asked)
        if task is None:
            if self._closed or not self._may_ask():
                return None
            task = self._known[asked] = asyncio.ensure_future(self._answer(asked, chain))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def close(self, progress: InProgress) -> None:
        """End what is in progress: nothing of it is sent after this."""
        self._closed = True
        tasks = list(self._tasks)
        if tasks:
            # an exchange that is cut has a capture; what waits for another host is given up
            progress.end(_OVER, self._sent.__contains__)
            await asyncio.wait(tasks, timeout=_END_SECONDS)
        progress.end(_OVER, self._sent.__contains__)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _may_ask(self) -> bool:
        self._asked += 1
        if self._asked > self._limits.requests:
            self.notes[f"more than {self._limits.requests} sub-requests: the others were left out"] = None
            return False
        if self._octets >= self._limits.octets:
            self.notes[f"the sub-requests have more than {self._limits.octets} octets: the others were left out"] = None
            return False
        return True

    async def _answer(self, asked: Asked, chain: str) -> Reply | None:
        if host_of(Request(asked.url)) != self._lane.host:
            return await self._send(asked, chain, None)
        async with self._own:
            if self._busy:
                self.notes["the host asked for a rest: its other sub-requests were left out"] = None
            if self._busy or self._closed:
                return None
            return await self._send(asked, chain, self._lane)

    async def _send(self, asked: Asked, chain: str, lane: Lane | None) -> Reply | None:
        request = self._request(asked, chain, lane)
        self._sent.add(request)
        try:
            response = await self._crawler.engine.download_async(request)
        except StoreError as error:
            self.error = error
            return None
        except Exception as error:
            # the capture of the sub-request says what became of it
            logger.debug("%s: %s", request, error)
            return None
        finally:
            self._sent.discard(request)
            capture = trace_of(request).capture
            if chain and capture is not None and capture.id:
                self._hops[chain] = capture.id
        return self._reply(response, lane)

    def _request(self, asked: Asked, chain: str, lane: Lane | None) -> Request:
        limits, page = self._limits, self._page
        meta: dict[str, Any] = {
            KIND: "subresource",
            MAX_BYTES: min(self._max_bytes, max(1, limits.octets - self._octets)),
            DEADLINE: self._lanes.clock.now() + limits.lane_seconds,
            "dont_redirect": True,
            "allow_offsite": True,
            "polite_max_retries": 0,
            "polite_redirect_of": self._hops.get(chain),
            **{key: page.meta[key] for key in _HANDED_ON if key in page.meta},
        }
        if lane is not None:
            meta[LANE] = lane
        headers: Sequence[tuple[str, str]] = asked.headers
        return scheduler_of(self._crawler).again(
            Request(asked.url, callback=NO_CALLBACK, method=asked.method, headers=headers, dont_filter=True, meta=meta)
        )

    def _reply(self, response: Response, lane: Lane | None) -> Reply | None:
        self._octets += len(response.body)
        if lane is not None and response.status in _BUSY:
            self._busy = True
        if "truncated" in response.flags or "dataloss" in response.flags:
            # half a script would do something else than the whole one
            return None
        headers = tuple(
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, values in response.headers.items()
            for value in values
        )
        return Reply(response.status, headers, response.body)
