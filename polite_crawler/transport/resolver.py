"""Names to addresses, once for each connection, in threads of their own.

A name server that never answers costs its own thread: it blocks no other name, no file work and no end of the process.
"""

import asyncio
import socket
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from polite_crawler.rules.addresses import literal
from polite_crawler.transport.wire import ExchangeError

SockAddr = tuple[str, int] | tuple[str, int, int, int]
Resolve = Callable[[str, int], Sequence[SockAddr]]
"""A blocking look-up: host and port to socket addresses, in the order to try them; OSError when there is none."""

Refusal = Callable[[str, str], str | None]
"""The egress policy: address and host to the note of a refusal, or None."""


@dataclass(frozen=True, slots=True)
class Address:
    """A socket address that the egress policy has let through."""

    ip: str
    sockaddr: SockAddr

    @property
    def host(self) -> str:
        """The address as a text to connect to: with its zone, when it has one."""
        return f"{self.ip}%{self.sockaddr[3]}" if len(self.sockaddr) == 4 and self.sockaddr[3] else self.ip

    @property
    def family(self) -> socket.AddressFamily:
        """AF_INET6 for four-part socket addresses, else AF_INET."""
        return socket.AF_INET6 if len(self.sockaddr) == 4 else socket.AF_INET


def system_resolve(host: str, port: int) -> list[SockAddr]:
    """What getaddrinfo says, in its order (RFC 6724), each address once."""
    infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    known = (socket.AF_INET, socket.AF_INET6)
    return list(dict.fromkeys(cast(SockAddr, sockaddr) for family, _, _, _, sockaddr in infos if family in known))


class Resolver:
    """Resolves a host and checks every answer.

    `resolve` does the look-up. `seconds` is the time-out of one look-up, `threads` how many run at once. A look-up that
    timed out gives its place to another one, up to `most_threads` that hang at the same time.
    """

    def __init__(
        self,
        resolve: Resolve = system_resolve,
        *,
        seconds: float = 10.0,
        threads: int = 8,
        most_threads: int = 64,
    ) -> None:
        self._resolve = resolve
        self._seconds = seconds
        self._pool = _Pool(threads, most_threads)

    async def addresses(self, host: str, port: int, refusal: Refusal) -> tuple[Address, ...]:
        """The addresses of a host. One refused address refuses them all: a name with a public and a private answer is
        how a page makes a crawler talk to the private one.

        Raises ExchangeError: `dns` when the host does not resolve in time, `egress` with the note of the policy.
        """
        ip = literal(host)
        if ip is not None and "%" not in host:
            found: Sequence[SockAddr] = [(ip, port, 0, 0) if ":" in ip else (ip, port)]
        else:
            found = await self._look_up(host, port)
        checked = []
        for sockaddr in found:
            address = sockaddr[0].partition("%")[0]
            if (note := refusal(address, host)) is not None:
                raise ExchangeError("egress", note, ip=address, port=port)
            checked.append(Address(address, sockaddr))
        return tuple(checked)

    def close(self) -> None:
        """End the threads that have nothing to do. One that hangs in a look-up ends when that comes back."""
        self._pool.close()

    async def _look_up(self, host: str, port: int) -> Sequence[SockAddr]:
        job = _Job(lambda: self._resolve(host, port), asyncio.get_running_loop())
        self._pool.submit(job)
        try:
            async with asyncio.timeout(self._seconds):
                found = await job.future
        except TimeoutError:
            raise ExchangeError("dns", f"{host} did not resolve within {self._seconds:g} s") from None
        except (OSError, UnicodeError) as error:
            raise ExchangeError("dns", f"{host} does not resolve: {_reason(error)}") from error
        finally:
            if job.future.cancelled():
                self._pool.leave(job)
        if not found:
            raise ExchangeError("dns", f"{host} does not resolve: no address")
        return found


class _Job:
    __slots__ = ("call", "future", "loop", "state")

    def __init__(self, call: Callable[[], Sequence[SockAddr]], loop: asyncio.AbstractEventLoop) -> None:
        self.call = call
        self.loop = loop
        self.future: asyncio.Future[Sequence[SockAddr]] = loop.create_future()
        self.state = "waiting"

    def run(self) -> None:
        result: Sequence[SockAddr] = ()
        error: Exception | None = None
        try:
            result = self.call()
        except Exception as caught:  # the look-up is the caller's code: whatever it raises belongs to the one who waits
            error = caught
        try:
            self.loop.call_soon_threadsafe(self._done, result, error)
        except RuntimeError:
            pass  # the loop is closed: nobody waits

    def _done(self, result: Sequence[SockAddr], error: Exception | None) -> None:
        if self.future.done():
            return
        if error is None:
            self.future.set_result(result)
        else:
            self.future.set_exception(error)


class _Pool:
    """Daemon threads: concurrent.futures would wait for a hung getaddrinfo when the process ends."""

    def __init__(self, threads: int, most: int) -> None:
        self._threads = threads
        self._most = most
        self._waiting: deque[_Job] = deque()
        self._ready = threading.Condition()
        self._alive = 0
        self._idle = 0
        self._hung = 0
        self._closed = False

    def close(self) -> None:
        with self._ready:
            self._closed = True
            self._ready.notify_all()

    def submit(self, job: _Job) -> None:
        with self._ready:
            self._waiting.append(job)
            self._ready.notify()
            self._grow()

    def leave(self, job: _Job) -> None:
        """The caller waits no longer. A look-up that still runs counts as hung until it comes back."""
        with self._ready:
            if job.state == "waiting":
                self._waiting.remove(job)
            elif job.state == "running":
                job.state = "hung"
                self._hung += 1
                self._grow()

    def _grow(self) -> None:
        wanted = len(self._waiting) - self._idle
        if wanted > 0 and self._alive - self._hung < self._threads and self._alive < self._most:
            self._alive += 1
            threading.Thread(target=self._work, name="polite-dns", daemon=True).start()

    def _work(self) -> None:
        while (job := self._take()) is not None:
            job.run()
            with self._ready:
                if job.state == "hung":
                    self._hung -= 1
                job.state = "done"

    def _take(self) -> _Job | None:
        """The next job; None for a thread that is one too many, or that has had nothing to do for a while."""
        with self._ready:
            self._idle += 1
            timely = self._ready.wait_for(lambda: bool(self._waiting) or self._closed, timeout=_IDLE_SECONDS)
            self._idle -= 1
            if not timely or not self._waiting or self._alive - self._hung > self._threads:
                self._alive -= 1
                self._ready.notify()  # what woke this thread is for another one
                return None
            job = self._waiting.popleft()
            job.state = "running"
            return job


_IDLE_SECONDS = 30.0


def _reason(error: OSError | UnicodeError) -> str:
    if isinstance(error, UnicodeError):
        return "it is no valid host name"
    return error.strerror or str(error) or type(error).__name__
