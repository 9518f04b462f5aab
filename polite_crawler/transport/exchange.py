"""One HTTP/1.1 exchange, from a URL to the evidence of its answer. asyncio alone: it runs on any asyncio loop, also on
the one under Twisted's asyncio reactor."""

import asyncio
import re
import ssl
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from polite_crawler.rules import urls
from polite_crawler.transport.connections import BUFFER, Connection, Key, Pool, connect
from polite_crawler.transport.heads import HeadFault, Pairs, request_head
from polite_crawler.transport.resolver import Resolver
from polite_crawler.transport.response import ResponseReader, Watch
from polite_crawler.transport.tls import default_context
from polite_crawler.transport.wire import ExchangeError, Wire

Sign = Callable[[str, str, Pairs], Iterable[tuple[bytes, bytes]]]
"""Gives more header fields (the signature) for a method, a URL and the fields that are about to be sent."""

# how a message is framed and routed is decided here, whatever a caller writes
_OURS = frozenset({
    b"host", b"content-length", b"transfer-encoding", b"connection", b"keep-alive", b"proxy-connection", b"te",
    b"trailer", b"upgrade", b"expect", b"http2-settings",
})  # fmt: skip
_WITH_LENGTH = frozenset({"POST", "PUT", "PATCH"})
_KEEP_ALIVE_TIMEOUT = re.compile(rb"timeout\s*=\s*\"?(\d{1,6})", re.IGNORECASE)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_MOST_CERTIFICATES = 1024
_CLOSE_SECONDS = 2.0


class EgressPolicy(Protocol):
    """Which addresses may be reached (`rules.addresses.Egress`)."""

    def refusal(self, address: str, host: str = "") -> str | None:
        """The note of a refused address, or None."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """The time-outs of one exchange, in seconds. `connect` covers TCP and TLS, over all addresses of the host. `head`
    runs from the request to the end of the response head; past `body` the first part of the body is kept.
    """

    dns: float = 10.0
    connect: float = 15.0
    head: float = 30.0
    body: float = 60.0

    def within(self, seconds: float) -> "Timeouts":
        """These, none but that of DNS longer than `seconds`."""
        return Timeouts(self.dns, *(min(seconds, one) for one in (self.connect, self.head, self.body)))


class Client:
    """Sends requests, each at most once, and keeps what went over the wire.

    A connection waits `keepalive_s` seconds for the next request to the same scheme, host and port. When a server
    closed it meanwhile, the exchange fails with the kind `idle`: to ask again is the caller's decision.
    `max_bytes` bounds each body after decoding. `ssl_context` replaces the one of the system (tests: another CA).
    """

    def __init__(
        self,
        *,
        timeouts: Timeouts = Timeouts(),
        max_bytes: int = 5 * 1024 * 1024,
        egress: EgressPolicy,
        resolver: Resolver | None = None,
        keepalive_s: float = 4.0,
        ssl_context: ssl.SSLContext | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._timeouts = timeouts
        self._max_bytes = max_bytes
        self._egress = egress
        self._resolver = resolver or Resolver(seconds=timeouts.dns)
        self._keepalive_s = keepalive_s
        self._context: Callable[[], ssl.SSLContext] = (lambda: ssl_context) if ssl_context else default_context
        self._clock = clock
        self._buffer = memoryview(bytearray(BUFFER))
        self._pool = Pool(keepalive_s)
        self._live: set[Connection] = set()
        self._certificates: dict[str, bytes] = {}
        self._closed = False

    async def exchange(
        self,
        method: str,
        url: str,
        headers: Sequence[tuple[bytes, bytes]],
        body: bytes = b"",
        *,
        max_bytes: int | None = None,
        seconds: float | None = None,
        sign: Sign | None = None,
        watch: Watch | None = None,
    ) -> Wire:
        """One request and its answer. The header fields go out as given and in their order, after Host; those that
        frame or route the message are ours.

        `seconds` cuts each of the time-outs but that of DNS, whose look-ups are shared. `sign` is asked when the
        connection stands, right before the request is sent; when it raises, nothing is sent and its error goes to the
        caller. `watch` looks on while the response comes. A cancelled exchange closes its socket at once. Raises
        ExchangeError when there is no response, BadOption for a bad URL.
        """
        started, place = self._clock(), _place(urls.origin(url))
        head, sent = b"", False
        try:
            fields = self._fields(method, place, headers, body)
            head = request_head(method, urls.request_target(url), fields)
            timeouts = self._timeouts if seconds is None else self._timeouts.within(seconds)
            connection = await self._connection(place, timeouts)
            reused = connection.uses > 0
            if sign is not None:
                head = self._signed(sign, connection, method, url, fields, head)
            reader = self._reader(method, max_bytes, watch)
            sent = True
            await self._answer(connection, head + body, reader, timeouts)
        except HeadFault as fault:
            raise ExchangeError("protocol", str(fault), started=started, ended=self._clock()) from fault
        except ExchangeError as error:
            error.started, error.ended = started, self._clock()
            error.request_head = head if sent else None
            raise
        return self._ended(connection, reader, head, reused, started)

    def _reader(self, method: str, max_bytes: int | None, watch: Watch | None) -> ResponseReader:
        limit = self._max_bytes if max_bytes is None else max_bytes
        return ResponseReader(method, limit, clock=self._clock, watch=watch)

    def certificate(self, wire: Wire) -> bytes | None:
        """The server's certificate (DER) of a recent exchange."""
        return self._certificates.get(wire.tls.cert_sha256 or "") if wire.tls else None

    async def close(self) -> None:
        """Close all connections. An exchange in progress fails with the kind `cancelled`."""
        self._closed = True
        self._pool.close()
        self._resolver.close()
        live = list(self._live)
        for connection in live:
            connection.fail("cancelled", "the crawler was closed")
        if live:
            await asyncio.wait([connection.closed for connection in live], timeout=_CLOSE_SECONDS)

    def _fields(
        self, method: str, place: "_Place", headers: Sequence[tuple[bytes, bytes]], body: bytes
    ) -> list[tuple[bytes, bytes]]:
        out = [(b"Host", place.authority)]
        out += [pair for pair in headers if pair[0].lower() not in _OURS]
        if body or method in _WITH_LENGTH:
            out.append((b"Content-Length", b"%d" % len(body)))
        if self._keepalive_s <= 0:
            out.append((b"Connection", b"close"))
        return out

    def _signed(
        self,
        sign: Sign,
        connection: Connection,
        method: str,
        url: str,
        fields: list[tuple[bytes, bytes]],
        head: bytes,
    ) -> bytes:
        try:
            more = list(sign(method, url, tuple(fields)))
            return request_head(method, urls.request_target(url), [*fields, *more]) if more else head
        except BaseException:
            self._pool.put(connection)
            raise

    def _ended(self, connection: Connection, reader: ResponseReader, head: bytes, reused: bool, started: float) -> Wire:
        """The evidence of an answer that came to its end. Its connection may serve the next request."""
        if reader.reusable:
            self._pool.put(connection, _announced(reader))
        return reader.wire(
            request_head=head,
            ip=connection.ip,
            port=connection.port,
            reused=reused,
            tls=connection.tls,
            started=started,
        )

    async def _connection(self, place: "_Place", timeouts: Timeouts) -> Connection:
        self._check_open()
        waiting = self._pool.take(place.key)
        if waiting is not None:
            return waiting
        addresses = await self._resolver.addresses(place.host, place.key[2], self._egress.refusal)
        connection = await connect(
            place.key,
            addresses,
            self._buffer,
            context=self._context,
            server_name=place.host,
            seconds=timeouts.connect,
        )
        self._live.add(connection)
        connection.closed.add_done_callback(lambda _: self._live.discard(connection))
        try:
            self._check_open()
        except ExchangeError:
            connection.abort()
            raise
        if connection.tls is not None and connection.tls.cert_sha256 and connection.certificate:
            self._remember(connection.tls.cert_sha256, connection.certificate)
        return connection

    def _check_open(self) -> None:
        if self._closed:
            raise ExchangeError("cancelled", "the crawler was closed")

    def _remember(self, digest: str, certificate: bytes) -> None:
        self._certificates[digest] = certificate
        if len(self._certificates) > _MOST_CERTIFICATES:
            del self._certificates[next(iter(self._certificates))]

    async def _answer(self, connection: Connection, octets: bytes, reader: ResponseReader, timeouts: Timeouts) -> None:
        waiter = connection.send(octets, reader, head=timeouts.head, body=timeouts.body)
        try:
            await waiter
        except asyncio.CancelledError:
            connection.abort()
            if waiter.done() and not waiter.cancelled():
                waiter.exception()  # it came too late: looked at, so that asyncio does not report it as lost
            raise


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a request goes: the key of its connection, the host to resolve, and the value of Host."""

    key: Key
    host: str
    authority: bytes


@lru_cache(maxsize=2048)
def _place(origin: str) -> _Place:
    scheme, _, authority = origin.partition("://")
    host, colon, port = authority.rpartition(":")
    if not colon or port.endswith("]"):
        host, port = authority, ""
    bare = host.strip("[]")
    return _Place((scheme, bare, int(port or _DEFAULT_PORTS[scheme])), bare, authority.encode("ascii"))


def _announced(reader: ResponseReader) -> float | None:
    """How long the server says that it keeps an idle connection, less a margin for the way of our next request."""
    if reader.head is None:
        return None
    for value in reader.head.values(b"keep-alive"):
        if (found := _KEEP_ALIVE_TIMEOUT.search(value)) is not None:
            return max(0.0, int(found[1]) - 0.5)
    return None
