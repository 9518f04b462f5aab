"""A server that sends exactly the octets that a test gives it, and what the tests share: a client, a CA."""

import asyncio
import datetime
import ipaddress
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from polite_crawler.rules.addresses import Egress, EgressAllow
from polite_crawler.transport.exchange import Client, Timeouts
from polite_crawler.transport.wire import ExchangeError, Wire

Script = Callable[["Peer"], Awaitable[None]]

FAST = Timeouts(dns=5, connect=5, head=5, body=5)
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


class Authority:
    """A certificate authority of its own; its certificates live for a day."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test CA")])
        self.certificate = self._sign(self._name, self._key.public_key(), [], authority=True)

    def context(self) -> ssl.SSLContext:
        """A client context that trusts this authority, and no other."""
        context = ssl.create_default_context(cadata=self.pem(self.certificate).decode())
        context.set_alpn_protocols(["http/1.1"])
        return context

    def server(self, *names: str, days: int = 1) -> ssl.SSLContext:
        """A server context with a certificate for these names and addresses."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._sign(x509.Name([]), key.public_key(), list(names), days=days)
        file = self._folder / f"{'-'.join(names).replace('*', '_').replace(':', '_')}{days}.pem"
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        file.write_bytes(private + self.pem(certificate))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        context.set_alpn_protocols(["h2", "http/1.1"])
        return context

    @staticmethod
    def pem(certificate: x509.Certificate) -> bytes:
        return certificate.public_bytes(serialization.Encoding.PEM)

    def _sign(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePublicKey,
        names: list[str],
        *,
        authority: bool = False,
        days: int = 1,
    ) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=3))
            .not_valid_after(now + datetime.timedelta(days=days))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName([_name(one) for one in names]), critical=True)
        return builder.sign(self._key, hashes.SHA256())


def _name(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)
