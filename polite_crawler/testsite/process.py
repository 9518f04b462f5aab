"""The site in a process of its own: what `pc-testsite` runs, and `SiteProcess` for benches and soak tests."""

import asyncio
import http.client
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self, Unpack
from urllib.parse import urlencode

from polite_crawler.testsite.journal import Seen
from polite_crawler.testsite.site import Running
from polite_crawler.testsite.state import Given

_PARENT_POLL = 1.0


def serve(hosts: int, port: int, announce: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM, or until the process that started us has ended.

    `announce` gets one JSON line {"base": ..., "hosts": [...]} as soon as every host listens. A site that was started
    by nohup or in a session of its own (setsid) outlives its parent. Raises OSError when the port is taken.
    """
    parent = os.getppid()
    _raise_file_limit()
    asyncio.run(_serve(hosts, port, announce, parent))


async def _serve(hosts: int, port: int, announce: Callable[[str], None], parent: int) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    running = await Running.start(hosts, port)
    state = running.state
    announce(json.dumps({"base": f"http://{state.hosts[0]}:{state.port}", "hosts": list(state.hosts)}))
    if not _detached():
        _stop_with_parent(parent, stop, loop)
    await stop.wait()
    await running.stop()


def _detached() -> bool:
    return signal.getsignal(signal.SIGHUP) is signal.SIG_IGN or os.getsid(0) == os.getpid()


def _stop_with_parent(parent: int, stop: asyncio.Event, loop: asyncio.AbstractEventLoop) -> None:
    if os.getppid() != parent:
        stop.set()
    else:
        loop.call_later(_PARENT_POLL, _stop_with_parent, parent, stop, loop)


def _raise_file_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class SiteProcess:
    """The site in a child process, with the same questions as `Site`: `with SiteProcess(hosts=200) as site`."""

    def __init__(self, hosts: int = 9, port: int = 0) -> None:
        self._command = [
            sys.executable, "-m", "polite_crawler.testsite", "--hosts", str(hosts), "--port", str(port),
        ]  # fmt: skip

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._end()
            raise OSError("the test site did not start")
        said = json.loads(line)
        self.base: str = said["base"]
        self.hosts: tuple[str, ...] = tuple(said["hosts"])
        self.port = int(self.base.rpartition(":")[2])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._end()

    def _end(self) -> None:
        self._process.communicate()

    @property
    def pid(self) -> int:
        """The process id of the site."""
        return self._process.pid

    def url(self, path: str = "/", host: int = 1) -> str:
        """The URL of a path on a host; hosts are numbered from 1."""
        return f"http://{self.hosts[host - 1]}:{self.port}{path}"

    def log(self, *, host: int | None = None, path: str | None = None) -> list[Seen]:
        """The requests since the last reset, as `Site.log`."""
        return [Seen.from_json(entry) for entry in self._ask("/__log", self._host(host) | {"path": path})]

    def reset(self, **given: Unpack[Given]) -> None:
        """As `Site.reset`."""
        self._ask("/__reset", {**given})

    def set(self, host: int, **given: Unpack[Given]) -> None:
        """As `Site.set`."""
        self._ask("/__set", {**self._host(host), **given})

    def journal(self, on: bool) -> None:
        """Switch the log on or off: a bench of millions of requests needs none."""
        self._ask("/__set", {"log": int(on)})

    def release(self, name: str) -> None:
        """As `Site.release`."""
        self._ask("/__release", {"name": name})

    def _host(self, host: int | None) -> dict[str, object]:
        return {} if host is None else {"host": self.hosts[host - 1]}

    def _ask(self, path: str, options: dict[str, object]) -> Any:
        given = {name: value for name, value in options.items() if value is not None}
        connection = http.client.HTTPConnection(self.hosts[0], self.port, timeout=60)
        try:
            connection.request("GET", f"{path}?{urlencode(given)}")
            answer = connection.getresponse()
            body = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status != 200:
            raise ValueError(body["error"])
        return body
