"""The robots.txt files that a crawl has read: asked for once, kept by origin, shared through the store."""

import asyncio
import logging
from dataclasses import dataclass
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from polite_crawler.errors import PoliteError
from polite_crawler.pipelines.parts import parts_of
from polite_crawler.rules.robots import MAX_OCTETS, Answer, Ask, CachedFile, Standing, next_step
from polite_crawler.rules.urls import host_key, origin
from polite_crawler.scheduling.declined import Declined
from polite_crawler.scheduling.lanes import Closing, DeadlineReached, Lane, lanes_of
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.per_crawler import PerCrawler
from polite_crawler.scheduling.requests import DEADLINE
from polite_crawler.store import projection
from polite_crawler.store.hosts import RobotsState
from polite_crawler.store.record import Capture
from polite_crawler.transport.handler import UndecodableBody
from polite_crawler.transport.meta import KIND, LANE, MAX_BYTES
from polite_crawler.transport.trace import META, Trace, trace_of
from polite_crawler.transport.wire import ExchangeError

_PRIORITY = 1000
_MOST = 10_000
_VALIDATORS = (("etag", "If-None-Match"), ("last-modified", "If-Modified-Since"))

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class InForce:
    """What counts for an origin until `until` (epoch seconds). `body` is the file, for its usage signals; `capture`
    names the fetch that gave it; `next_try` is when a file that could not be reached is asked for again."""

    standing: Standing
    until: float
    body: bytes | None = None
    capture: str | None = None
    stale: bool = False
    next_try: float = 0.0


@dataclass(slots=True)
class _Asking:
    """One round of requests for a file, and what they gave."""

    url: str
    deadline: float | None
    lane: Lane | None
    cached: CachedFile | None
    copy: Capture | None
    state: RobotsState
    answers: list[Answer]
    last: Trace | None = None


class RobotsFiles:
    """Reads robots.txt through the engine, so that each request for it has its lane and its capture."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._lanes = lanes_of(crawler)
        self._tokens = options_of(crawler).identity.tokens
        self._known: dict[str, InForce] = {}
        self._asking: dict[str, asyncio.Task[InForce]] = {}

    async def of(self, url: str, *, deadline: float | None = None, lane: Lane | None = None) -> InForce:
        """What counts for the origin of a URL. Requests that come while the file is asked for wait for that answer.
        Who holds the lane of the host already gives it, since the file would wait for it.

        Raises DeadlineReached and Closing when the file could not be asked for in time, and Declined when the request
        for it could not be signed.
        """
        key = origin(url)
        while True:
            known = self._known.get(key)
            if known is not None and self._lanes.clock.now() < known.until and not self._is_reset(key, known):
                return known
            task = self._asking.get(key)
            mine = task is None
            if task is None:
                task = self._asking[key] = asyncio.ensure_future(self._load(key, url, deadline, lane))
                task.add_done_callback(lambda done: self._done(key, done))
            try:
                return await self._until(deadline, task, url)
            except DeadlineReached:
                # who asked first may have had less time
                if mine or not task.done():
                    raise

    def known(self, url: str) -> InForce | None:
        """What is known of the file of a URL with no request: from memory, or the stored copy of the last 30 days.
        None when it is not known what the owner wants."""
        key = origin(url)
        found = self._known.get(key)
        if found is None:
            state = self._lanes.store.robots(key) or RobotsState()
            copy = self._capture(state.capture)
            cached = _cached(state, copy, self._body(copy))
            found = self._waiting(_Asking(url, None, None, cached, copy, state, []), self._lanes.clock.now())
        return found if found.standing.state in ("rules", "free") else None

    def _is_reset(self, key: str, known: InForce) -> bool:
        """Whether a file that could not be reached may be asked for after all: somebody has reset its host."""
        now = self._lanes.clock.now()
        state = self._lanes.store.robots(key) if known.next_try > now else None
        return state is not None and state.next_try <= now

    async def _until(self, deadline: float | None, task: "asyncio.Task[InForce]", url: str) -> InForce:
        """The file, before the deadline. Who stops waiting does not take the file away from the others."""
        left = None if deadline is None else max(0.0, deadline - self._lanes.clock.now())
        done, _ = await asyncio.wait([task], timeout=left)
        if not done:
            raise DeadlineReached(host_key(url))
        return task.result()

    def _done(self, key: str, task: "asyncio.Task[InForce]") -> None:
        self._asking.pop(key, None)
        if not task.cancelled() and task.exception() is None:
            self._known[key] = task.result()
            if len(self._known) > _MOST:
                # of a crawler that lives long; the store still knows the file
                del self._known[next(iter(self._known))]

    async def _load(self, key: str, url: str, deadline: float | None, lane: Lane | None) -> InForce:
        state = self._lanes.store.robots(key) or RobotsState()
        copy = self._capture(state.capture)
        asking = _Asking(url, deadline, lane, _cached(state, copy, self._body(copy)), copy, state, [])
        now = self._lanes.clock.now()
        if now < state.next_try and not (asking.cached and asking.cached.is_fresh(now)):
            return self._waiting(asking, now)
        while True:
            step = next_step(asking.answers, cached=asking.cached, now=now, url=url, failures=state.failures)
            now = self._lanes.clock.now()
            if isinstance(step, Standing):
                return self._settle(key, asking, step, now)
            asking.answers.append(await self._ask(asking, step))

    async def _ask(self, asking: _Asking, step: Ask) -> Answer:
        request = _request(asking, step)
        self._count("request_count")
        try:
            response = await self._crawler.engine.download_async(request)
            if trace_of(request).signature_asked:
                # the file is there for who signs, so the refusal does not mean that there is none
                request = request.copy()
                request.meta.pop(META)
                response = await self._crawler.engine.download_async(request)
            self._count("response_count")
            self._count(f"response_status_count/{response.status}")
            return _answer(response)
        except (Closing, DeadlineReached):
            raise
        except UndecodableBody as error:
            wire = trace_of(request).wire
            return Answer(wire.status if wire else None, _pairs(wire.headers) if wire else (), error=f"decode: {error}")
        except ExchangeError as error:
            return Answer(error=error.kind)
        except Declined as error:
            if error.reason == "signer":
                # nobody was asked: that says nothing of the file, and the page fails for the same reason
                raise
            return Answer(error=error.reason)
        except PoliteError:
            raise
        except Exception as error:
            logger.debug("%s", step.url, exc_info=error)
            return Answer(error=type(error).__name__)
        finally:
            asking.last = trace_of(request)

    def _count(self, name: str) -> None:
        # the names that Scrapy's own middleware counts under
        self._crawler.stats.inc_value(f"robotstxt/{name}")

    def _waiting(self, asking: _Asking, now: float) -> InForce:
        """What counts while an unreachable file is not asked for yet."""
        state, cached = asking.state, asking.cached
        wait = state.next_try - now
        if cached is None or not cached.is_good(now):
            standing = Standing("unreachable", "answer", why=state.note, retry_after_s=wait)
            return InForce(standing, state.next_try, next_try=state.next_try)
        fresh = next_step([], cached=cached, now=cached.fetched_at, url=asking.url)
        assert isinstance(fresh, Standing)
        return InForce(fresh, state.next_try, cached.body, state.capture, stale=True, next_try=state.next_try)

    def _settle(self, key: str, asking: _Asking, standing: Standing, now: float) -> InForce:
        """Keep what the answers mean, for this crawl and for the other processes."""
        old, capture = asking.state, asking.last.capture if asking.last else None
        wait = standing.retry_after_s or 0.0
        fresh = standing.fresh_s if standing.fresh_s is not None else wait
        if standing.source == "cached":
            return InForce(standing, now + fresh, asking.cached.body if asking.cached else None, old.capture)
        if standing.state == "challenge" or standing.state == "unreachable" or standing.source == "stale":
            state = RobotsState(
                old.capture, old.status, old.fetched_at, old.expires, now + wait, old.failures + 1, old.crawl_delay,
                standing.why,
            )  # fmt: skip
        else:
            confirmed = standing.source == "confirmed"
            delay = standing.file.interval(self._tokens) if standing.file is not None else None
            state = RobotsState(
                capture=old.capture if confirmed else (capture.id if capture else None),
                status=old.status if confirmed else asking.answers[-1].status,
                fetched_at=now,
                expires=now + fresh,
                crawl_delay=delay or 0.0,
            )
        self._lanes.store.put_robots(key, host_key(key), state)
        stale = standing.source == "stale"
        body = asking.answers[-1].body if standing.source == "answer" else asking.cached.body if asking.cached else None
        return InForce(
            standing,
            now + fresh,
            body if standing.state == "rules" else None,
            state.capture,
            stale=stale,
            next_try=state.next_try,
        )

    def _capture(self, capture: str | None) -> Capture | None:
        if capture is None:
            return None
        try:
            return parts_of(self._crawler).index.reading(lambda catalog: catalog.capture(capture))
        except (PoliteError, OSError) as error:
            logger.debug("the stored robots.txt %s does not answer: %s", capture, error)
            return None

    def _body(self, copy: Capture | None) -> bytes | None:
        if copy is None or copy.body is None:
            return b"" if copy is not None else None
        try:
            return projection.read_body(copy, parts_of(self._crawler).blobs.get(copy.body.sha256))
        except Exception as error:
            # a damaged copy is no copy: the file is asked for
            logger.warning("the stored robots.txt %s does not answer: %s", copy.url, error)
            return None


_FILES = PerCrawler(RobotsFiles)


def robots_files_of(crawler: Crawler) -> RobotsFiles:
    """The files of a crawler."""
    return _FILES.of(crawler)


def _request(asking: _Asking, step: Ask) -> Request:
    """The request of a step, with the validators of the stored file when it is asked for on condition."""
    meta: dict[str, Any] = {KIND: "robots", MAX_BYTES: MAX_OCTETS + 1, "dont_redirect": True, "allow_offsite": True}
    if asking.deadline is not None:
        meta[DEADLINE] = asking.deadline
    if asking.lane is not None:
        meta[LANE] = asking.lane
    request = Request(step.url, callback=NO_CALLBACK, priority=_PRIORITY, meta=meta)
    if step.conditional and asking.copy is not None:
        for field, condition in _VALIDATORS:
            if (value := projection.header(asking.copy, field)) is not None:
                request.headers[condition] = value
    return request


def _cached(state: RobotsState, copy: Capture | None, body: bytes | None) -> CachedFile | None:
    if copy is None or body is None or state.status is None:
        return None
    return CachedFile(body, state.status, state.fetched_at, cache_control=projection.header(copy, "cache-control"))


def _answer(response: Response) -> Answer:
    pairs = [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, values in response.headers.items()
        for value in values
    ]
    return Answer(response.status, pairs, response.body)


def _pairs(headers: tuple[tuple[bytes, bytes], ...]) -> list[tuple[str, str]]:
    return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
