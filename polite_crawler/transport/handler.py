"""Scrapy's download handler for http and https: the lane, the exchange, the evidence, the response."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from ipaddress import ip_address
from typing import Self

from scrapy import Request
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import DownloadFailedError, NotSupported
from scrapy.http import Response
from scrapy.responsetypes import responsetypes

from polite_crawler.rules import pacing, urls
from polite_crawler.scheduling.lanes import HostLanes, Lane, LaneBusy, lanes_of
from polite_crawler.scheduling.options import options_of
from polite_crawler.scheduling.per_crawler import PerCrawler
from polite_crawler.scheduling.requests import deadline_of, host_of
from polite_crawler.signing.inputs import asks_for_signature
from polite_crawler.transport.exchange import Client, Sign, Timeouts
from polite_crawler.transport.failures import failure_of
from polite_crawler.transport.heads import Pairs
from polite_crawler.transport.in_progress import Ended, InProgress
from polite_crawler.transport.limits import body_limit
from polite_crawler.transport.meta import ARCHIVE_KINDS, KIND, LANE, MAX_BYTES, SEARCH, SIGN
from polite_crawler.transport.plain import plain_of
from polite_crawler.transport.render_handler import RenderHandler
from polite_crawler.transport.trace import Trace, trace_of
from polite_crawler.transport.watch import SignalWatch
from polite_crawler.transport.wire import ExchangeError, Wire

__all__ = ["KIND", "MAX_BYTES", "SIGN", "PoliteDownloadHandler", "UndecodableBody", "handler_of"]

_TYPED = {b"content-type": b"Content-Type", b"content-disposition": b"Content-Disposition"}
_HOPS = frozenset({301, 302, 303, 307, 308})
_WHO = frozenset({b"User-Agent", b"From"})
_ASKING = frozenset({401, 403, 429})
_NOTHING_SENT = frozenset({"egress", "cancelled"})
_HANDLERS: "PerCrawler[dict[type[PoliteDownloadHandler], PoliteDownloadHandler]]" = PerCrawler(lambda crawler: {})


class UndecodableBody(ExchangeError, DownloadFailedError):
    """The response came, and its body is not what its coding says. The exchange stands in the trace."""


class PoliteDownloadHandler(BaseDownloadHandler):
    """Sends every request of a crawler: pages, robots.txt, hops and renders. One instance for both schemes.

    It takes the lane of the host, gives it back with the raw answer, and leaves the Wire in the trace of the request.
    A sub-request of a render comes with the lane that the render holds.
    """

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._lanes: HostLanes = lanes_of(crawler)
        self._client = self.make_client(crawler)
        self._progress = InProgress()
        self._renders = RenderHandler(crawler, self._lanes, self._progress)
        self._identity = options_of(crawler).identity.fields

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The handler of a crawler, the same one for each scheme."""
        made = _HANDLERS.of(crawler)
        if cls not in made:
            made[cls] = cls(crawler)
        handler = made[cls]
        assert isinstance(handler, cls)
        return handler

    def make_client(self, crawler: Crawler) -> Client:
        """The client by the settings of a crawler. Tests give one with another resolver or another CA."""
        options = options_of(crawler)
        return Client(
            timeouts=Timeouts(**options.timeouts),
            max_bytes=options.max_bytes,
            egress=options.egress,
            clock=self._lanes.clock.now,
        )

    async def download_request(self, request: Request) -> Response:
        """The response of one exchange. A request that the queue has handed out does not wait here for its lane:
        LaneBusy sends it back.

        Raises ExchangeError when there is no response (`egress` with the note of the policy), UndecodableBody,
        RenderRefused, StopDownload, and what the lane raises: HostStopped, DeadlineReached, Closing.
        """
        if request.meta.get("proxy"):
            raise NotSupported("a proxy hides the address that is reached, so none is used: remove meta['proxy']")
        trace = trace_of(request)
        if (plain := plain_of(request)) is not None:
            return await self._renders.download(request, plain)
        host, kind = host_of(request), str(request.meta.get(KIND, "fetch"))
        held: Lane | None = request.meta.get(LANE)
        lane = held or await self._lanes.acquire(host, deadline=deadline_of(request), kind=kind, wait=not trace.queued)
        answer: pacing.Answer | None = None
        watch = SignalWatch.of(self.crawler, request)
        began = self._lanes.clock.now()
        try:
            wire = await self._exchange(request, lane, watch, held=held is not None)
            trace.wire = wire
            answer = _answer(wire, kind)
            answer = _paced(request, trace, wire, answer)
        except ExchangeError as error:
            answer = _no_answer(error, kind, seconds=self._lanes.clock.now() - began)
            raise failure_of(error) from error
        except asyncio.CancelledError:
            answer = pacing.Answer(kind=kind, seconds=self._lanes.clock.now() - began)
            raise
        finally:
            if held is None:
                self._lanes.release(lane, answer)
            elif answer is not None:
                self._lanes.learn(lane, answer)
        request.meta["download_latency"] = wire.headed - wire.started
        response = _response(request, wire, self._client.certificate(wire))
        return response if watch is None else watch.ended(response)

    def abort(self, note: str, wanted: Callable[[Request], bool] = lambda request: True) -> int:
        """End exchanges and renders in progress, by default all: an exchange fails at once with the kind `cancelled`
        and the note, a render is refused. Gives how many there were."""
        return self._progress.end(note, wanted)

    async def close(self) -> None:
        """Close all connections, and the browser."""
        await self._renders.close()
        await self._client.close()

    async def _exchange(self, request: Request, lane: Lane, watch: SignalWatch | None, *, held: bool) -> Wire:
        signer: Sign | None = request.meta.get(SIGN)
        sent = False
        started = self._lanes.clock.now()

        def at_sending(method: str, url: str, headers: Pairs) -> list[tuple[bytes, bytes]]:
            # DNS and TLS can outlast the lease: who lost the lane sends nothing
            if not self._lanes.holds(lane):
                raise LaneBusy(lane.host)
            more = list(signer(method, url, headers)) if signer is not None else []
            nonlocal sent
            sent = True
            return more

        try:
            # who holds the lane for several requests hears itself of its loss
            with self._progress.of(request, None if held else lane):
                return await self._client.exchange(
                    request.method,
                    request.url,
                    _headers(request, self._identity),
                    request.body,
                    max_bytes=body_limit(request, self.crawler),
                    seconds=_seconds(request),
                    sign=at_sending,
                    watch=watch,
                )
        except Ended as end:
            now = self._lanes.clock.now()
            raise ExchangeError("cancelled", str(end), sent=sent, started=started, ended=now) from None


def handler_of(crawler: Crawler) -> PoliteDownloadHandler:
    """The handler of a crawler."""
    return PoliteDownloadHandler.from_crawler(crawler)


def _headers(request: Request, identity: Mapping[bytes, bytes]) -> list[tuple[bytes, bytes]]:
    """The fields of a request in their order. Who asks is said here, whatever a middleware of the user has written
    after ours. Only gzip is asked for: every tool that reads an archive knows it. A caller may ask for `identity`, as
    the replay of an archive needs."""
    pairs = [
        (name, value)
        for name, values in request.headers.items()
        for value in ([identity[name]] if name in identity else () if name in _WHO else values)
    ]
    pairs += [(name, value) for name, value in identity.items() if name not in request.headers]
    asked = [value for name, value in pairs if name == b"Accept-Encoding"]
    if asked == [b"identity"]:
        return pairs
    return [*(pair for pair in pairs if pair[0] != b"Accept-Encoding"), (b"Accept-Encoding", b"gzip")]


def _seconds(request: Request) -> float | None:
    """The `download_timeout` of a request (by default DOWNLOAD_TIMEOUT); None for one without."""
    seconds = request.meta.get("download_timeout")
    return float(seconds) if isinstance(seconds, (int, float)) and seconds > 0 else None


def _answer(wire: Wire, kind: str) -> pacing.Answer:
    asked_for = wire.header("retry-after")
    return pacing.Answer(
        kind=kind,
        status=wire.status,
        seconds=wire.ended - wire.started,
        retry_after_s=None if asked_for is None else pacing.retry_after(asked_for, now=wire.ended),
        error=wire.undecodable is not None,
    )


def _paced(request: Request, trace: Trace, wire: Wire, answer: pacing.Answer) -> pacing.Answer:
    """The answer as the pace has to see it: some statuses of archives, and of hosts that ask for a signature, are no
    refusals."""
    if SEARCH in request.meta:
        # few crawls ask an archive
        from polite_crawler.transport.archive_search import pace_of

        answer = pace_of(request, wire, answer)
    if trace.may_sign and _asks_for_signature(wire):
        trace.signature_asked = True
        trace.notes.append("the server asks for a signature")
        answer = _not_refused(answer)
    return answer


def _asks_for_signature(wire: Wire) -> bool:
    """Whether an answer declines a request only until it is signed (RFC 9421 section 5)."""
    return wire.status in _ASKING and asks_for_signature(wire.header("accept-signature") or "")


def _not_refused(answer: pacing.Answer) -> pacing.Answer:
    """The answer without a status that would stop its host; a 429 keeps its wait."""
    return answer if answer.status == 429 else replace(answer, status=None)


def _no_answer(error: ExchangeError, kind: str, *, seconds: float) -> pacing.Answer | None:
    """What the pace learns from an exchange without a response; None when the host was not asked."""
    if error.kind in _NOTHING_SENT and not error.sent:
        return None
    # an archive that closes its door to us says by that what another host says by a status
    refused = kind in ARCHIVE_KINDS and error.kind == "refused"
    return pacing.Answer(kind=kind, seconds=seconds, error=error.kind not in ("idle", "cancelled"), refused=refused)


def _response(request: Request, wire: Wire, certificate: bytes | None) -> Response:
    if wire.decoded is None and not (wire.status in _HOPS and wire.header("location")):
        raise UndecodableBody(
            "protocol",
            f"the body does not decode: {wire.undecodable}",
            sent=True,
            request_head=wire.request_head,
            ip=wire.ip,
            port=wire.port,
            started=wire.started,
            ended=wire.ended,
        )
    body = wire.decoded or b""
    # without Content-Encoding: Scrapy takes a coded body for no text, and this one is decoded
    told = {_TYPED[name.lower()]: value for name, value in wire.headers if name.lower() in _TYPED}
    cls = responsetypes.from_args(headers=told, url=request.url, body=body)
    return cls(
        url=urls.without_fragment(request.url),
        status=wire.status,
        headers=wire.headers,
        body=body,
        flags=_flags(wire),
        request=request,
        certificate=certificate,
        ip_address=ip_address(wire.ip),
        protocol=f"HTTP/{wire.http}",
    )


def _flags(wire: Wire) -> list[str]:
    if wire.truncated is None:
        return []
    return ["dataloss"] if wire.truncated == "disconnect" else ["truncated"]
