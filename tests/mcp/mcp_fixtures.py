"""A server for the official conformance runner, with its tools and no token: `python mcp_fixtures.py DIR PORT`."""

import sys
from collections.abc import Mapping
from typing import Any

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR

from polite_crawler.mcp.host import ServerOptions
from polite_crawler.mcp.http import Address, serve_http


def add(server: MCPServer[Any]) -> Mapping[str, str]:
    """Add the tools that the scenarios of tasks call; gives which of them are tasks."""

    @server.tool()
    async def greet(name: str) -> str:
        """Answer at once."""
        return f"Hello, {name}!"

    @server.tool()
    async def slow_compute(seconds: float = 1, label: str = "x") -> str:
        """Take some time."""
        await anyio.sleep(seconds)
        return f"done {label}"

    @server.tool()
    async def failing_job() -> str:
        """Fail as a tool."""
        raise ToolError("this job failed")

    @server.tool()
    async def protocol_error_job() -> str:
        """Fail as a request."""
        raise MCPError(code=INTERNAL_ERROR, message="boom")

    @server.tool()
    async def confirm_delete(filename: str = "") -> str:
        """Ask nothing: input within a task is not part of this server."""
        return f"not deleted: {filename}"

    return {"slow_compute": "optional", "confirm_delete": "optional", "failing_job": "required",
            "protocol_error_job": "optional"}  # fmt: skip


async def main(dir: str, port: int) -> None:
    """Serve until a signal comes."""
    address = Address("127.0.0.1", port)
    settings = {"allow_private": True, "min_free": 0}

    def ready(url: str) -> None:
        print(url, flush=True)

    await serve_http(dir, ServerOptions(), settings, address=address, token=None, ready=ready, more=add)


if __name__ == "__main__":
    anyio.run(main, sys.argv[1], int(sys.argv[2]))
