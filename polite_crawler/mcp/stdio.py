"""The server on standard input and output. It ends with the input, or at a signal, also in the middle of a call."""

import asyncio
import contextlib
import json
import os
import re
import selectors
import sys
from collections.abc import Mapping
from typing import Any, Final, cast

import anyio
from mcp.server.stdio import stdio_server

from polite_crawler.mcp.host import ServerOptions, open_host
from polite_crawler.mcp.server import build_server
from polite_crawler.mcp.signals import on_signal

_SURROGATE = re.compile("[\ud800-\udfff]")

LONGEST_LINE: Final = 1 << 24
"""Octets of the longest message of a client; a longer one ends the server."""


async def serve_stdio(dir: str, options: ServerOptions, settings: Mapping[str, Any] | None = None) -> None:
    """Serve until the input ends or a signal comes; then the store is closed. Raises BadOption and StoreError."""
    lines = await _input()
    async with stdio_server(stdin=cast("Any", lines)) as (received, sent):
        # the protocol has its own way to standard output by now
        with contextlib.redirect_stdout(sys.stderr):
            async with open_host(dir, options, settings) as host, anyio.create_task_group() as group:
                group.start_soon(on_signal, group.cancel_scope.cancel)
                # the SDK's own `run` installs no way to stop in the middle of a read
                server = build_server(host)._lowlevel_server
                await server.run(received, sent, server.create_initialization_options())
                group.cancel_scope.cancel()
        # the reader of the transport may be in the middle of a line
        sent.close()
        if lines is not None:
            lines.close()


def readable(line: str) -> str:
    """A message whose texts have U+FFFD for the half of a surrogate pair: a client that cuts a text inside an emoji
    sends one as `\\ud83d`, and the SDK would drop the message without an answer."""
    if "\\ud" not in line.lower():
        return line
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return line
    return _SURROGATE.sub("\ufffd", json.dumps(message, ensure_ascii=False))


class _Lines:
    """Standard input as lines, read by the loop: a thread in a blocking read could not be stopped."""

    def __init__(self, reader: asyncio.StreamReader, transport: asyncio.ReadTransport) -> None:
        self._reader = reader
        self._transport = transport

    def __aiter__(self) -> "_Lines":
        return self

    async def __anext__(self) -> str:
        line = await self._reader.readline()
        if not line:
            raise StopAsyncIteration
        return readable(line.decode("utf-8", "replace"))

    def close(self) -> None:
        """End the input."""
        self._transport.close()
        if not self._reader.at_eof():
            self._reader.feed_eof()


async def _input() -> _Lines | None:
    """Standard input; None where the loop cannot wait for it, as for a file or /dev/null: those always answer."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LONGEST_LINE)
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(0, selectors.EVENT_READ)
        pipe = os.fdopen(os.dup(0), "rb", 0)
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    except (OSError, ValueError, NotImplementedError):
        return None
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return _Lines(reader, transport)
