"""The server over Streamable HTTP: one address, one token, /mcp and /status."""

import contextlib
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Any, Final

import anyio
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp

from polite_crawler.errors import BadOption, PoliteError
from polite_crawler.mcp.guard import Guard, host_names
from polite_crawler.mcp.host import Host, ServerOptions, open_host
from polite_crawler.mcp.server import build_server
from polite_crawler.mcp.signals import on_signal
from polite_crawler.version import __version__

MAX_BODY: Final = 1 << 20
"""Octets of the largest request."""

MAX_SESSIONS: Final = 64
IDLE: Final = 1800.0
"""Seconds after which a session without requests ends."""

GRACE: Final = 3
"""Seconds that answers in progress have at the end."""

More = Callable[[MCPServer[Any]], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Address:
    """Where the server listens. `remote` allows an address that others can reach."""

    host: str = "127.0.0.1"
    port: int = 9307
    remote: bool = False

    def check(self) -> None:
        """Raises BadOption for an address that is not loopback, without `remote`."""
        if not self.remote and not self.loopback:
            raise BadOption(f"{self.host} is no loopback address: others could reach the server; use --allow-remote")

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


class _Uvicorn(uvicorn.Server):
    """Signals are ours: uvicorn would raise them again and end the process by them."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve_http(
    dir: str,
    options: ServerOptions,
    settings: Mapping[str, Any] | None = None,
    *,
    address: Address,
    token: str | None,
    ready: Callable[[str], None] = lambda url: None,
    more: More | None = None,
) -> None:
    """Serve until a signal comes; then the store is closed. `ready` gets the URL when the server listens; `token`
    None asks for none, for tests. Raises BadOption, StoreError, and PoliteError for an address that is taken."""
    address.check()
    listener = _listen(address)
    with contextlib.closing(listener):
        async with open_host(dir, options, settings) as host:
            port = int(listener.getsockname()[1])
            server = _Uvicorn(_config(application(host, address, port, token, more)))
            async with anyio.create_task_group() as group:

                def stop() -> None:
                    # calls in progress end first: they would hold the connections
                    server.force_exit = server.should_exit
                    server.should_exit = True
                    group.start_soon(host.tasks.stop)

                group.start_soon(on_signal, stop)
                shown = f"[{address.host}]" if ":" in address.host else address.host
                ready(f"http://{shown}:{port}/mcp")
                await server.serve(sockets=[listener])
                group.cancel_scope.cancel()


def application(host: Host, address: Address, port: int, token: str | None, more: More | None = None) -> ASGIApp:
    """The ASGI application of a host that listens on a port."""
    server = build_server(host, more=more)
    started = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

    async def status(request: Request) -> JSONResponse:
        sessions = len(server.session_manager._server_instances)
        return JSONResponse({"version": __version__, "pid": os.getpid(), "started": started, "sessions": sessions,
                             "tasks": host.tasks.facts(), "hosts": host.activity.hosts})  # fmt: skip

    route: Callable[[Any], Any] = server.custom_route("/status", methods=["GET"])
    route(status)
    names = host_names(port, address.host)
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=not address.remote,
        allowed_hosts=sorted(names),
        allowed_origins=sorted(f"http://{name}" for name in names),
    )
    app = server.streamable_http_app(
        host=address.host,
        transport_security=security,
        max_request_body_size=MAX_BODY,
        session_idle_timeout=IDLE,
        max_sessions=MAX_SESSIONS,
    )
    return Guard(app, token=token, hosts=None if address.remote else names)


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app, log_level="warning", log_config=None, access_log=False, timeout_graceful_shutdown=GRACE,
        server_header=False, lifespan="on", ws="none",
    )  # fmt: skip


def _listen(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listener = socket.socket(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address.host, address.port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise PoliteError(f"{address.host} port {address.port}: {error.strerror or error}") from None
    return listener
