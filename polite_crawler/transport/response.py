"""One response, read from the octets of a connection. No I/O: octets in, facts out."""

import time
from collections.abc import Callable
from typing import Protocol

from polite_crawler.readers.codings import Decoder, codings_of
from polite_crawler.store.record import Tls, Truncated
from polite_crawler.transport.chunks import ChunkFault, ChunkReader
from polite_crawler.transport.heads import MAX_HEAD, Head, HeadFault, end_of_head, may_be_http, not_http, parse_head
from polite_crawler.transport.wire import Wire

_EVIDENCE = 256
_SWITCHING = 101
_MOST_NOTES = 8


class Watch(Protocol):
    """Who looks on while a response comes. Each method is true when the body shall end there."""

    def headed(self, head: Head) -> bool:
        """The head came."""

    def received(self, octets: bytes) -> bool:
        """Octets of the entity body came."""


class ResponseReader:
    """Reads one response: heads of the class 1xx, the head, and the body by its framing.

    The body is kept up to `max_bytes` octets after decoding; what is longer is cut there, and `over` is true at once.
    `octets` counts all that was read for this response. `clock` gives epoch seconds.
    """

    def __init__(
        self, method: str, max_bytes: int, *, clock: Callable[[], float] = time.time, watch: Watch | None = None
    ) -> None:
        self._watch = watch
        self.head: Head | None = None
        self.received = b""
        """The first octets that came, at most 256."""
        self.octets = 0
        self.over = False
        """True when nothing more is read: the response has ended or was cut."""
        self._method = method
        self._max_bytes = max_bytes
        self._clock = clock
        self._interim: list[bytes] = []
        self._interim_size = 0
        self._pending = bytearray()
        self._headed = 0.0
        self._ended = 0.0
        self._parts: list[bytes] = []
        self._room = max_bytes
        self._left = 0
        self._decoder: Decoder | None = None
        self._codings: tuple[str, ...] = ()
        self._chunks: ChunkReader | None = None
        self._complete = False
        self._surplus = False
        self._truncated: Truncated | None = None
        self._notes: list[str] = []

    @property
    def reusable(self) -> bool:
        """Whether the connection may carry another exchange: the response ended where its head said, and no octet
        came after it."""
        return self._complete and not self._surplus and self.head is not None and self.head.keep_alive

    def feed(self, data: memoryview) -> bool:
        """Take the next octets; gives `over`. Raises HeadFault for an answer that has no HTTP head."""
        self.octets += len(data)
        if len(self.received) < _EVIDENCE:
            self.received += bytes(data[: _EVIDENCE - len(self.received)])
        if self.head is None:
            self._feed_head(data)
        else:
            self._feed_body(data)
        return self.over

    def eof(self) -> None:
        """The connection was closed in order. Ends a body that runs to the close, cuts any other one.

        Raises HeadFault when the head has not come.
        """
        if self.head is None:
            raise HeadFault("the connection was closed inside the response head")
        if self.head.framing == "close":
            self._finish()
        else:
            self.cut("disconnect")

    def cut(self, why: Truncated) -> None:
        """End the response here: what came is kept."""
        if not self.over:
            self._truncated = why
            self._end()

    def wire(self, *, request_head: bytes, ip: str, port: int, reused: bool, tls: Tls | None, started: float) -> Wire:
        """The facts of the finished exchange."""
        head = self.head
        assert head is not None
        payload = b"".join(self._parts)
        decoded: bytes | None = payload
        undecodable = None
        notes = [*head.notes, *self._notes]
        truncated = self._truncated
        if self._decoder is not None:
            whole = self._decoder.end()
            decoded, undecodable = self._decoder.body(), self._decoder.undecodable
            notes += self._decoder.notes
            if not whole and truncated is None:
                truncated = "disconnect"
                notes.append(f"the {', '.join(self._codings)} body ends early")
        return Wire(
            request_head=request_head,
            response_head=head.raw,
            http=head.http,
            status=head.status,
            reason=head.reason,
            headers=head.headers,
            payload=payload,
            decoded=decoded,
            coding=", ".join(self._codings) or None,
            declared=None if head.framing == "none" else head.length,
            truncated=truncated,
            undecodable=undecodable,
            ip=ip,
            port=port,
            reused=reused,
            tls=tls,
            started=started,
            headed=self._headed,
            ended=self._ended,
            wire_octets=self.octets,
            notes=tuple(notes),
            interim=tuple(self._interim),
        )

    def _feed_head(self, data: memoryview) -> None:
        """Read heads until the one that is no 1xx, then give the rest to the body."""
        pending = self._pending
        start = max(0, len(pending) - 2)
        pending += data
        while True:
            if not may_be_http(pending):
                raise not_http(pending)
            end = end_of_head(pending, _first_line(pending, start))
            if (len(pending) if end < 0 else end) + self._interim_size > MAX_HEAD:
                raise HeadFault(f"the response head is longer than {MAX_HEAD // 1024} KiB")
            if end < 0:
                return
            head = parse_head(bytes(pending[:end]), method=self._method)
            if head.status >= 200 or head.status == _SWITCHING:
                break
            self._interim.append(head.raw)
            self._interim_size += end
            note = f"{head.status} {head.reason}".rstrip() + " came first"
            if note not in self._notes[-_MOST_NOTES:]:
                self._notes.append(note)
            del pending[:end]
            start = 0
        body = bytes(pending[end:])
        self._pending = bytearray()
        self._begin(head, memoryview(body))

    def _begin(self, head: Head, body: memoryview) -> None:
        self.head = head
        self._headed = self._clock()
        unwanted = self._watch is not None and self._watch.headed(head)
        if head.framing == "none":
            self._surplus = bool(body) or head.status == _SWITCHING
            self._finish()
            return
        # a compressed transfer coding under the chunks is one coding more: the payload is kept with it
        self._codings = codings_of(head.values(b"content-encoding")) + head.transfer_codings
        if self._codings:
            self._decoder = Decoder(self._codings, self._max_bytes)
            # a coding may make a body longer, by less than this (RFC 1951: 5 octets for each stored block)
            self._room = self._max_bytes + self._max_bytes // 256 + 1024
        if head.framing == "chunked":
            self._chunks = ChunkReader()
        elif head.framing == "length":
            self._left = head.length or 0
            if not self._left:
                self._surplus = bool(body)
                self._finish()
                return
        if unwanted:
            self._stop()
        elif body:
            self._feed_body(body)

    def _feed_body(self, data: memoryview) -> None:
        if self._chunks is not None:
            self._feed_chunks(self._chunks, bytes(data))
        elif self.head is not None and self.head.framing == "length":
            self._surplus = len(data) > self._left
            octets = bytes(data[: self._left])
            self._left -= len(octets)
            self._keep(octets)
            if not self._left:
                self._finish()
        else:
            self._keep(bytes(data))

    def _feed_chunks(self, chunks: ChunkReader, octets: bytes) -> None:
        try:
            for part in chunks.feed(octets):
                self._keep(part)
                if self.over:
                    return
        except ChunkFault as fault:
            self._notes.append(f"the chunks of the body are broken: {fault}")
            self.cut("disconnect")
        if chunks.ended:
            self._surplus = chunks.surplus
            self._finish()

    def _keep(self, octets: bytes) -> None:
        """The next octets of the entity body, up to the limit."""
        fits = octets[: self._room]
        self._room -= len(fits)
        self._parts.append(fits)
        if self._decoder is not None:
            self._decoder.feed(fits)
        if len(fits) < len(octets) or (self._decoder is not None and self._decoder.full):
            self.cut("length")
        elif self._watch is not None and self._watch.received(fits) and not self._is_whole():
            self._stop()

    def _is_whole(self) -> bool:
        """Whether all octets of a body whose head says its length have come."""
        return self.head is not None and self.head.framing == "length" and not self._left

    def _stop(self) -> None:
        self._notes.append("the crawl wanted no more of the body")
        self.cut("length")

    def _finish(self) -> None:
        if not self.over:
            self._complete = True
            self._end()

    def _end(self) -> None:
        self.over = True
        self._ended = self._clock()


def _first_line(pending: bytearray, start: int) -> int:
    """Where to look for the blank line: not among line ends that come before the status line."""
    at = 0
    while at < len(pending) and pending[at] in b"\r\n":
        at += 1
    return max(at, start)
