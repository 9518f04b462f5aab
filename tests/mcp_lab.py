"""MCP servers for tests: a host on the test site, and the SDK's own client in both generations of the protocol."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from envelope_reader import Part, read
from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult

from polite_crawler.mcp.host import Host, ServerOptions, open_host
from polite_crawler.mcp.server import build_server
from polite_crawler.store.log import CaptureLog
from polite_crawler.store.record import Capture

QUICK: dict[str, Any] = {"allow_private": True, "page_interval": 0.01, "slow_factor": 0, "min_free": 0}
ERAS = ("legacy", "auto")
"""The modes of the client: a handshake of 2025-11-25, and 2026-07-28."""


@asynccontextmanager
async def hosted(
    store: Path, options: ServerOptions | None = None, settings: dict[str, Any] | None = None, **more: Any
) -> AsyncIterator[tuple[MCPServer[Any], Host]]:
    """A server and its host."""
    chosen = replace(options or ServerOptions(), **more)
    async with open_host(store, chosen, {**QUICK, **(settings or {})}) as host:
        yield build_server(host), host


def facts(result: CallToolResult) -> dict[str, Any]:
    """The JSON block."""
    return json.loads(result.content[0].text)


def parts(result: CallToolResult) -> list[Part]:
    """The blocks of the envelope; none when there is none."""
    texts = [block.text for block in result.content[1:] if block.type == "text"]
    return read(texts[0]) if texts else []


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The JSON block of a call that went well."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text
    return facts(result)


def overrides(store: Path) -> int:
    """How many releases the log of a store has."""
    log = CaptureLog(store / "captures" / "fetch")
    try:
        return sum(isinstance(one, Capture) and one.kind == "override" for _, one in log.scan())
    finally:
        log.close()
