"""A server that sends exactly the octets that a test gives it, and what the tests share: a client, a CA."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tls_lab import Authority

from polite_crawler.rules.addresses import Egress, EgressAllow
from polite_crawler.transport.connections import Connection
from polite_crawler.transport.exchange import Client, Timeouts
from polite_crawler.transport.wire import ExchangeError, Wire

__all__ = [
    "FAST", "OPEN", "SOON", "Authority", "Peer", "Script", "Site", "answers", "client", "failure", "first", "get", "ok",
    "only", "run", "site",
]  # fmt: skip

Script = Callable[["Peer"], Awaitable[None]]

FAST = Timeouts(dns=5, connect=5, head=5, body=5)
SOON = Timeouts(dns=5, connect=5, head=0.05, body=0.05)
OPEN = Egress(allow_private=True)


@dataclass
class Peer:
    """One connection as the server sees it. `number` counts the connections from 0."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    number: int
    site: "Site"

    async def request(self) -> bytes:
        """The next request, head and body; b"" when the client has gone."""
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
            length = next(
                (int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
            )
            request = head + await self.reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            return b""
        self.site.requests.append(request)
        return request

    async def send(self, octets: bytes) -> None:
        """Send octets; a client that has gone away is no error."""
        try:
            self.writer.write(octets)
            await self.writer.drain()
        except ConnectionError:
            pass

    async def gone(self) -> None:
        """Wait until the client has closed its side."""
        try:
            while await self.reader.read(65_536):
                pass
        except ConnectionError:
            pass

    def reset(self) -> None:
        """Close with RST."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(1, 13, b"\x01\0\0\0\0\0\0\0")  # SOL_SOCKET, SO_LINGER: on, 0 s
        self.writer.transport.abort()


@dataclass
class Site:
    """A running server: what was asked, and how many connections came."""

    port: int = 0
    scheme: str = "http"
    host: str = "127.0.0.1"
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0
    peers: list[asyncio.Task[None]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}/"


@asynccontextmanager
async def site(script: Script, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> AsyncIterator[Site]:
    """Serve each connection by `script`, then close it."""
    here = Site(host=host, scheme="https" if tls else "http")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        here.peers.append(task)
        peer = Peer(reader, writer, here.connections, here)
        here.connections += 1
        try:
            await script(peer)
        except asyncio.CancelledError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, host, 0, ssl=tls)
    here.port = server.sockets[0].getsockname()[1]
    try:
        yield here
    finally:
        server.close()
        for task in here.peers:
            task.cancel()
        if here.peers:
            await asyncio.wait(here.peers)
        await server.wait_closed()


def answers(*octets: bytes, hold: bool = False) -> Script:
    """A script that gives the n-th request the n-th answer, then closes; with `hold`, only after the client has."""

    async def script(peer: Peer) -> None:
        for one in octets:
            if not await peer.request():
                return
            await peer.send(one)
        if hold:
            await peer.gone()

    return script


def ok(body: bytes = b"hello", *fields: bytes) -> bytes:
    """A plain 200 that keeps the connection open."""
    lines = [b"HTTP/1.1 200 OK", b"Content-Type: text/html", b"Content-Length: %d" % len(body), *fields]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


@asynccontextmanager
async def client(**options: Any) -> AsyncIterator[Client]:
    """A client that may reach loopback."""
    one = Client(**{"egress": OPEN, "timeouts": FAST, **options})
    try:
        yield one
    finally:
        await one.close()


def run(main: Coroutine[Any, Any, Any]) -> Any:
    """Run a test on a loop of its own; whatever the loop's exception handler hears of is an error."""
    heard: list[dict[str, Any]] = []

    async def watched() -> Any:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: heard.append(context))
        return await main

    result = asyncio.run(watched())
    assert not heard, heard
    return result


def get(script: Script, *, method: str = "GET", **options: Any) -> Wire:
    """One exchange with a server of its own."""

    async def main() -> Wire:
        async with site(script) as here, client(**options) as one:
            return await one.exchange(method, here.url, [])

    result = run(main())
    assert isinstance(result, Wire)
    return result


def failure(script: Script, **options: Any) -> ExchangeError:
    """The error of one exchange with a server of its own."""
    try:
        wire = get(script, **options)
    except ExchangeError as error:
        return error
    raise AssertionError(f"a response came: {wire}")


def only(*entries: str) -> Egress:
    """A policy that opens what is named."""
    return Egress(allow=EgressAllow.parse(entries))


async def first(one: Client) -> Connection:
    """The first live connection of a client."""
    while not one._live:
        await asyncio.sleep(0)
    return next(iter(one._live))
