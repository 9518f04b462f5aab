"""The running site: its listening sockets, and `Site`, which runs it in a thread for tests."""

import asyncio
import socket
import ssl
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from types import TracebackType
from typing import Self, TypeVar, Unpack

from polite_crawler.testsite.connection import Connection
from polite_crawler.testsite.gate import Gate
from polite_crawler.testsite.journal import Seen
from polite_crawler.testsite.robots import VARIANTS
from polite_crawler.testsite.state import Given, State

MAX_HOSTS = 250
_TRIES = 50
T = TypeVar("T")


def addresses(hosts: int) -> tuple[str, ...]:
    """The loopback addresses of a site: 127.0.0.1, 127.0.0.2 ... (at most 250)."""
    if not 1 <= hosts <= MAX_HOSTS:
        raise ValueError(f"a site has 1 to {MAX_HOSTS} hosts, not {hosts}")
    return tuple(f"127.0.0.{number}" for number in range(1, hosts + 1))


def listen(hosts: tuple[str, ...], port: int) -> list[socket.socket]:
    """A listening socket for each host, all on one port. Port 0 takes one that is free on every host."""
    for attempt in range(_TRIES):
        sockets: list[socket.socket] = []
        try:
            for host in hosts:
                sockets.append(_listener(host, port or (sockets[0].getsockname()[1] if sockets else 0)))
            return sockets
        except OSError:
            for one in sockets:
                one.close()
            if port or attempt == _TRIES - 1:
                raise
    raise AssertionError("not reached")


def _listener(host: str, port: int) -> socket.socket:
    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(512)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise OSError(error.errno, f"{error.strerror} ({host}:{port})") from None
    return listener


class Running:
    """The site on the running loop."""

    def __init__(self, state: State, servers: list[asyncio.Server], connections: set[Connection]) -> None:
        self.state = state
        self._servers = servers
        self._connections = connections

    @classmethod
    async def start(cls, hosts: int, port: int = 0, context: ssl.SSLContext | None = None) -> Self:
        """Listen. Raises OSError when the port is taken."""
        names = addresses(hosts)
        sockets = listen(names, port)
        scheme = "https" if context else "http"
        state = State(names, sockets[0].getsockname()[1], scheme, frozenset(VARIANTS))
        connections: set[Connection] = set()
        loop = asyncio.get_running_loop()
        servers = [
            await loop.create_server(lambda: Connection(state, connections), sock=one, ssl=context, backlog=512)
            for one in sockets
        ]
        return cls(state, servers, connections)

    async def stop(self) -> None:
        """End every connection and stop to listen."""
        for server in self._servers:
            server.close()
        for connection in list(self._connections):
            connection.abort()
        await asyncio.sleep(0)


class Site:
    """The site in a thread of this process: `with Site(hosts=5) as site: site.url("/p/1", host=2)`.

    Hosts are numbered from 1, as the last octet of their addresses.
    """

    def __init__(self, hosts: int = 9, port: int = 0, *, context: ssl.SSLContext | None = None) -> None:
        self._wanted = (hosts, port, context)
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._main, name="testsite", daemon=True)
        self._failure: BaseException | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            raise self._failure
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _main(self) -> None:
        try:
            with asyncio.Runner() as runner:
                runner.run(self._serve())
        except BaseException as error:
            self._failure = error
            self._ready.set()

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._running = await Running.start(*self._wanted)
        self._ready.set()
        try:
            await self._stop.wait()
        finally:
            await self._running.stop()

    @property
    def hosts(self) -> tuple[str, ...]:
        """The addresses that it listens on."""
        return self._running.state.hosts

    @property
    def port(self) -> int:
        """The port, the same on every host."""
        return self._running.state.port

    @property
    def base(self) -> str:
        """The origin of the first host, without a slash at the end."""
        return self.url("")

    def url(self, path: str = "/", host: int = 1) -> str:
        """The URL of a path on a host."""
        return f"{self._running.state.scheme}://{self.hosts[host - 1]}:{self.port}{path}"

    def log(self, *, host: int | None = None, path: str | None = None) -> list[Seen]:
        """The requests since the last reset, in order of arrival; of a host, of paths that begin with `path`."""
        address = None if host is None else self.hosts[host - 1]
        return self._call(lambda: self._running.state.journal.seen(host=address, path=path))

    def reset(self, **given: Unpack[Given]) -> None:
        """Forget log, counters, holds and options, then set these for all hosts."""

        def act() -> None:
            self._running.state.reset()
            self._running.state.set(**given)

        self._call(act)

    def set(self, host: int, **given: Unpack[Given]) -> None:
        """Set options of one host; nothing is forgotten."""
        address = self.hosts[host - 1]
        self._call(lambda: self._running.state.set(host=address, **given))

    def let_in(self, signature_keys: str | None) -> None:
        """Let in requests alone that a key of this JWK set signed, on each host, until the next reset; None ends it."""
        gate = Gate(signature_keys) if signature_keys is not None else None
        self._call(lambda: setattr(self._running.state, "gate", gate))

    def release(self, name: str) -> None:
        """Let the answers that wait at /hold/NAME go on."""
        self._call(lambda: self._running.state.release(name))

    def wait(self, done: Callable[[list[Seen]], bool], timeout: float = 30.0) -> list[Seen]:
        """Wait until the log is as `done` wants it, and give it. Raises TimeoutError. No polling, no sleep."""
        fits = threading.Event()
        self._call(lambda: self._running.state.watch(done, fits.set))
        if not fits.wait(timeout):
            raise TimeoutError(f"the site waited {timeout} s; it saw {[entry.target for entry in self.log()]}")
        return self.log()

    def _call(self, act: Callable[[], T]) -> T:
        """Run it in the loop of the site, after everything that the site was doing."""
        result: Future[T] = Future()

        def run() -> None:
            try:
                result.set_result(act())
            except BaseException as error:
                result.set_exception(error)

        self._loop.call_soon_threadsafe(run)
        return result.result(timeout=60)
