"""One connection of the site: reads request heads, runs the scripts of the answers, keeps the journal true."""

import asyncio
import itertools
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import cast

from polite_crawler.testsite.control import control
from polite_crawler.testsite.exchange import Ask, Ending, Hold, Reply, Step, respond
from polite_crawler.testsite.journal import Entry
from polite_crawler.testsite.routes import find_route
from polite_crawler.testsite.signatures import refused
from polite_crawler.testsite.state import State

MAX_HEAD = 256 * 1024
_BLANK = b"\r\n\r\n"
_NO_LINGER = struct.pack("ii", 1, 0)
_ids = itertools.count(1)


class Connection(asyncio.Protocol):
    """HTTP/1.1 with keep-alive and pipelining, in as few steps a request as asyncio allows."""

    def __init__(self, state: State, open_connections: "set[Connection]") -> None:
        self._state = state
        self._open = open_connections
        self._id = next(_ids)
        self._nth = 0
        self._buffer = b""
        self._skip = 0
        self._reading = False
        self._entry: Entry | None = None
        self._script: Iterator[Step] | None = None
        self._last = False
        self._drop_next = False
        self._paused = False
        self._timer: asyncio.Handle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._host = transport.get_extra_info("sockname")[0]
        self._open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._open.discard(self)
        self._cancel_timer()
        self._script = None
        self._end_entry(cut=True)

    def pause_writing(self) -> None:
        self._paused = True

    def resume_writing(self) -> None:
        self._paused = False
        if self._script is not None and self._timer is None:
            self._advance()

    def abort(self) -> None:
        """End the connection now."""
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._buffer = self._buffer + data if self._buffer else data
        if self._entry is None:
            self._read()

    def _read(self) -> None:
        """Answer the requests that are complete, one after the other. An answer that ends at once comes back here."""
        if self._reading:
            return
        self._reading = True
        while self._take_next():
            pass
        self._reading = False

    def _take_next(self) -> bool:
        """Take the next request out of the buffer; False when there is none, or one is in progress."""
        if self._entry is None and not self._transport.is_closing():
            if self._skip:
                taken = min(self._skip, len(self._buffer))
                self._buffer, self._skip = self._buffer[taken:], self._skip - taken
            end = self._buffer.find(_BLANK)
            if self._skip or end < 0:
                if len(self._buffer) > MAX_HEAD:
                    self._transport.close()
                return False
            head, self._buffer = self._buffer[: end + 4], self._buffer[end + 4 :]
            self._take(head)
            return True
        return False

    def _take(self, head: bytes) -> None:
        words = head[: head.find(b"\r\n")].split(b" ")
        if len(words) != 3 or not words[1]:
            self._transport.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            self._transport.close()
            return
        self._nth += 1
        method, target = words[0].decode("latin-1"), words[1].decode("latin-1")
        if target.startswith(("http://", "https://")):
            target = "/" + target.split("/", 3)[3] if target.count("/") > 2 else "/"
        path, _, query = target.partition("?")
        ask = Ask(method, target, self._host, self._state.port, head, self._nth, self._state, path, query)
        self._last = words[2] == b"HTTP/1.0" or b"\r\nconnection: close" in head.lower()
        if method not in ("GET", "HEAD"):
            length = ask.header("content-length") or ""
            self._skip = int(length) if length.isdecimal() else 0
        if path.startswith("/__"):
            self._transport.write(control(ask))
            self._finish()
            return
        self._entry = self._state.journal.begin(self._host, method, target, head, self._id, self._nth)
        self._state.changed()
        if self._state.gate is not None:
            ask.refusal = self._state.gate.refusal(ask.method, f"{ask.origin}{ask.target}", ask.headers)
        self._answer(ask)

    def _answer(self, ask: Ask) -> None:
        if self._drop_next:
            self._transport.close()
            return
        latency = self._state.options(self._host).latency
        if latency > 0:
            self._timer = asyncio.get_running_loop().call_later(latency, self._run, ask)
        else:
            self._run(ask)

    def _run(self, ask: Ask) -> None:
        self._timer = None
        reply = _reply(ask)
        if isinstance(reply, bytes):
            self._write(reply)
            self._finish()
        else:
            self._script = reply
            self._advance()

    def _advance(self) -> None:
        """Take the steps of the script until one of them waits. One write a turn of the loop: others go on."""
        self._timer = None
        if self._script is None or self._paused:
            return
        step = next(self._script, None)
        if step is None:
            self._finish()
        elif isinstance(step, bytes):
            self._write(step)
            self._timer = asyncio.get_running_loop().call_soon(self._advance)
        elif isinstance(step, float):
            self._timer = asyncio.get_running_loop().call_later(step, self._advance)
        elif isinstance(step, Hold):
            self._state.hold(step.name, self._advance)
        else:
            self._end_by(step)

    def _end_by(self, ending: Ending) -> None:
        self._script = None
        if ending is Ending.STALL:
            return
        if ending is Ending.DROP_NEXT:
            self._drop_next = True
            self._finish()
            return
        self._end_entry()
        if ending is Ending.RESET:
            with suppress(OSError):
                self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
            self._transport.abort()
        else:
            self._transport.close()

    def _write(self, octets: bytes) -> None:
        entry = self._entry
        if entry is not None:
            entry.sent += len(octets)
            if entry.status is None and octets[:5] == b"HTTP/" and octets[9:12].isdigit():
                entry.status = int(octets[9:12])
            # the client may have the octets before this process runs again, so the clock is read first
            entry.written = time.time()
        self._transport.write(octets)

    def _finish(self) -> None:
        self._script = None
        self._end_entry()
        if self._last:
            self._transport.close()
        elif self._buffer:
            self._read()

    def _end_entry(self, *, cut: bool = False) -> None:
        entry, self._entry = self._entry, None
        if entry is not None:
            self._state.journal.end(entry, cut=cut)
            self._state.changed()

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _reply(ask: Ask) -> Reply:
    if ask.refusal is not None and not ask.path.startswith("/signature"):
        return refused(ask, ask.refusal)
    route = find_route(ask)
    if route is None:
        return respond(ask, f"<title>Not found</title><h1>No page {ask.path!a}</h1>", status=404)
    return route.answer(ask)
