"""One HTTP exchange as evidence: what went over the wire, and when."""

from dataclasses import dataclass
from typing import Literal

from polite_crawler.store.record import Tls, Truncated


@dataclass(frozen=True, slots=True)
class Made:
    """What a browser made of a page: `of` names the capture of the plain page, `moves_to` is where a script of the
    page wanted to go, `picture` is a PNG image."""

    of: str
    moves_to: str | None = None
    picture: bytes | None = None


@dataclass(frozen=True, slots=True)
class Wire:
    """A finished exchange.

    `request_head` and `response_head` are the exact bytes up to and with the blank line. `payload` is the entity
    body as received (transfer coding removed, content coding kept); `decoded` is it with the content coding removed,
    cut at the limit, or None when it does not decode (`undecodable` then says why). Times are epoch seconds.
    `interim` are the exact heads of the class 1xx that came before; `notes` name what was borne of the server.

    `made` stands in what no server sent: a page as a browser made it. Its head is that of the plain page as far as it
    is true of the payload, and it has no request head and no address.
    """

    request_head: bytes
    response_head: bytes
    http: str
    status: int
    reason: str
    headers: tuple[tuple[bytes, bytes], ...]
    payload: bytes
    decoded: bytes | None
    coding: str | None
    declared: int | None
    truncated: Truncated | None
    undecodable: str | None
    ip: str
    port: int
    reused: bool
    tls: Tls | None
    started: float
    headed: float
    ended: float
    wire_octets: int
    notes: tuple[str, ...] = ()
    interim: tuple[bytes, ...] = ()
    made: Made | None = None

    def header(self, name: str) -> str | None:
        """The values of a header, joined by ", ", or None. The name in any case."""
        wanted = name.lower().encode()
        values = [value.decode("latin-1") for key, value in self.headers if key.lower() == wanted]
        return ", ".join(values) if values else None


Failure = Literal["dns", "egress", "refused", "reset", "tls", "timeout", "protocol", "idle", "cancelled"]


class ExchangeError(Exception):
    """An exchange that gave no response. `kind` says how it failed, the message says where and why.

    `sent` is true when a byte of the request may have reached the server; `request_head` and `received` (the first
    octets that came, at most 256) are the evidence that is left. The kind `idle` is a reused connection that closed
    before the first byte: no failure of the host.
    """

    def __init__(
        self,
        kind: Failure,
        message: str,
        *,
        sent: bool = False,
        request_head: bytes | None = None,
        received: bytes = b"",
        ip: str | None = None,
        port: int | None = None,
        started: float = 0.0,
        ended: float = 0.0,
    ) -> None:
        super().__init__(message)
        self.kind: Failure = kind
        self.sent = sent
        self.request_head = request_head
        self.received = received
        self.ip = ip
        self.port = port
        self.started = started
        self.ended = ended
