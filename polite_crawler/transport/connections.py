"""TCP and TLS connections that carry one exchange at a time, and the pool of those that wait for their next one."""

import asyncio
import os
import ssl
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, cast

from polite_crawler.store.record import Tls
from polite_crawler.transport.heads import HeadFault
from polite_crawler.transport.resolver import Address
from polite_crawler.transport.response import ResponseReader
from polite_crawler.transport.tls import tls_facts
from polite_crawler.transport.wire import ExchangeError, Failure

BUFFER = 65_536
"""Octets that are read at once."""

Key = tuple[str, str, int]
"""Scheme, host and port."""


class Connection(asyncio.BufferedProtocol):
    """One connection. `buffer` may be shared by all connections of a loop: asyncio fills it and hands it over in one
    go, so no octet stays in it.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, buffer: memoryview, key: Key) -> None:
        self.key = key
        self.ip = ""
        self.port = key[2]
        self.tls: Tls | None = None
        self.certificate: bytes | None = None
        self.uses = 0
        self.idle_until = 0.0
        """Until when it may wait for its next exchange (loop time); 0 when it has not waited yet."""
        self.closed = loop.create_future()
        """Done when the socket is closed."""
        self._loop = loop
        self._buffer = buffer
        self._transport: asyncio.Transport | None = None
        self._reader: ResponseReader | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._deadline = 0.0
        self._head_seconds = 0.0
        self._body_seconds = 0.0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def open(self) -> bool:
        """Whether the next exchange may begin here, as far as is known."""
        return self._transport is not None and not self._transport.is_closing()

    def send(self, octets: bytes, reader: ResponseReader, *, head: float, body: float) -> "asyncio.Future[None]":
        """Send a request and let `reader` read its response. `head` and `body` are seconds: from now to the end of the
        head, and from there to the end of the body; a body that takes longer is cut.

        The future fails with ExchangeError when no response came.
        """
        assert self._transport is not None
        self.uses += 1
        self._reader = reader
        self._head_seconds, self._body_seconds = head, body
        waiter = self._waiter = self._loop.create_future()
        self._set_deadline(self._loop.time() + head)
        self._transport.write(octets)
        return waiter

    def abort(self) -> None:
        """Close the socket at once."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._transport is not None:
            self._transport.abort()

    def fail(self, kind: Failure, message: str) -> None:
        """End the exchange in progress with an error, and the connection with it."""
        waiter, self._waiter = self._waiter, None
        reader, self._reader = self._reader, None
        self.abort()
        if waiter is not None and not waiter.done():
            received = reader.received if reader is not None else b""
            waiter.set_exception(ExchangeError(kind, message, sent=True, received=received, ip=self.ip, port=self.port))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """asyncio: the connection (with TLS: the handshake) is done."""
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        if peer:
            self.ip, self.port = peer[0].partition("%")[0], peer[1]
        secure = transport.get_extra_info("ssl_object")
        if secure is not None:
            self.tls, self.certificate = tls_facts(secure)

    def get_buffer(self, sizehint: int) -> memoryview:
        """asyncio: where the next octets go."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """asyncio: octets came."""
        reader = self._reader
        if reader is None:
            self.abort()  # nothing was asked: what comes now belongs to no exchange
            return
        headless = reader.head is None
        try:
            over = reader.feed(self._buffer[:nbytes])
        except HeadFault as fault:
            self.fail("protocol", str(fault))
            return
        if over:
            self._finish()
        elif headless and reader.head is not None:
            self._set_deadline(self._loop.time() + self._body_seconds)

    def eof_received(self) -> bool:
        """asyncio: the server has closed its side."""
        self._ended(None)
        return False

    def connection_lost(self, error: Exception | None) -> None:
        """asyncio: the socket is closed."""
        self._ended(error)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self.closed.done():
            self.closed.set_result(None)

    def _ended(self, error: Exception | None) -> None:
        reader = self._reader
        if reader is None:
            return
        if not reader.received:
            if self.idle_until:
                self.fail("idle", f"idle connection closed by {self.ip}")
            else:
                self.fail("reset", f"{self.ip} closed the connection before it answered{_why(error)}")
            return
        try:
            if error is None:
                reader.eof()
            elif reader.head is None:
                raise HeadFault(f"the connection broke inside the response head{_why(error)}")
            else:
                reader.cut("disconnect")
        except HeadFault as fault:
            self.fail("protocol" if error is None else "reset", str(fault))
            return
        self._finish()

    def _finish(self) -> None:
        waiter, self._waiter = self._waiter, None
        reader, self._reader = self._reader, None
        if reader is None or not reader.reusable:
            self.abort()
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    def _set_deadline(self, when: float) -> None:
        # one timer for many exchanges: it looks at the deadline when it fires, and most never see it fire
        self._deadline = when
        if self._timer is None:
            self._timer = self._loop.call_at(when, self._late)
        elif when < self._timer.when():
            self._timer.cancel()
            self._timer = self._loop.call_at(when, self._late)

    def _late(self) -> None:
        self._timer = None
        reader = self._reader
        if reader is None:
            return
        if self._loop.time() < self._deadline:
            self._timer = self._loop.call_at(self._deadline, self._late)
        elif reader.head is None:
            self.fail("timeout", f"{self.ip} sent no response head within {self._head_seconds:g} s")
        else:
            reader.cut("time")
            self._finish()


class Pool:
    """Connections that wait for their next exchange, one for a key. Each waits for at most `seconds`."""

    def __init__(self, seconds: float, most: int = 256) -> None:
        self._seconds = seconds
        self._most = most
        self._idle: OrderedDict[Key, Connection] = OrderedDict()
        self._sweeper: asyncio.TimerHandle | None = None

    def take(self, key: Key) -> Connection | None:
        """The connection that waits for this key, or None."""
        connection = self._idle.pop(key, None)
        if connection is None or not connection.open:
            return None
        if connection.idle_until < asyncio.get_running_loop().time():
            connection.abort()
            return None
        return connection

    def put(self, connection: Connection, seconds: float | None = None) -> None:
        """Let a connection wait, for the time that the server named when that is shorter."""
        loop = asyncio.get_running_loop()
        span = self._seconds if seconds is None else min(seconds, self._seconds)
        if span <= 0 or not connection.open:
            connection.abort()
            return
        connection.idle_until = loop.time() + span
        if (other := self._idle.pop(connection.key, None)) is not None:
            other.abort()
        self._idle[connection.key] = connection
        if len(self._idle) > self._most:
            self._idle.popitem(last=False)[1].abort()
        if self._sweeper is None:
            self._sweeper = loop.call_later(self._seconds, self._sweep)

    def close(self) -> None:
        """Close all that wait."""
        if self._sweeper is not None:
            self._sweeper.cancel()
            self._sweeper = None
        while self._idle:
            self._idle.popitem()[1].abort()

    def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for key in [key for key, connection in self._idle.items() if connection.idle_until <= now]:
            self._idle.pop(key).abort()
        self._sweeper = None
        if self._idle:
            soonest = min(connection.idle_until for connection in self._idle.values())
            self._sweeper = loop.call_at(soonest, self._sweep)


async def connect(
    key: Key,
    addresses: tuple[Address, ...],
    buffer: memoryview,
    *,
    context: Callable[[], ssl.SSLContext],
    server_name: str,
    seconds: float,
) -> Connection:
    """Connect to the first address that answers, with TLS for https. `seconds` is the time for all of them; what is
    left is shared evenly among the addresses not yet tried.

    Raises ExchangeError: `refused`, `timeout`, `reset` or `tls`.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    failed: ExchangeError | None = None
    for at, address in enumerate(addresses):
        share = (end - loop.time()) / (len(addresses) - at)
        secure: dict[str, Any] = {}
        if key[0] == "https":
            secure = {"ssl": context(), "server_hostname": server_name, "ssl_handshake_timeout": max(share, 0.001)}
        connection = Connection(loop, buffer, key)
        try:
            async with asyncio.timeout(share):
                await loop.create_connection(
                    lambda connection=connection: connection,  # type: ignore[misc]
                    address.host,
                    address.sockaddr[1],
                    family=address.family,
                    **secure,
                )
        except (OSError, TimeoutError, ssl.SSLError) as error:
            failed = _connect_error(error, address.ip, key, seconds)
            if failed.kind == "tls":
                break
        else:
            return connection
    assert failed is not None
    raise failed


def _connect_error(error: Exception, ip: str, key: Key, seconds: float) -> ExchangeError:
    where = f"{ip} port {key[2]}"
    kind: Failure
    if isinstance(error, ssl.SSLCertVerificationError):
        kind, text = "tls", f"the certificate of {key[1]} is not valid: {error.verify_message or error.reason}"
    elif isinstance(error, ssl.SSLError):
        kind, text = "tls", f"no TLS with {where}: {(error.reason or str(error)).replace('_', ' ').lower()}"
    elif isinstance(error, (TimeoutError, ConnectionAbortedError)):
        kind, text = "timeout", f"{where} did not connect within {seconds:g} s"
    elif isinstance(error, ConnectionResetError):
        kind, text = "reset", f"{where} closed the connection before it stood"
    else:
        kind, text = "refused", f"{where} does not connect{_why(error)}"
    return ExchangeError(kind, text, ip=ip, port=key[2])


def _why(error: Exception | None) -> str:
    if error is None:
        return ""
    number = error.errno if isinstance(error, OSError) else None
    return f": {os.strerror(number).lower() if number else str(error) or type(error).__name__}"
