"""One request as the site sees it, and the answer as a script of what goes over the wire."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from http import HTTPStatus
from urllib.parse import parse_qs, unquote

from polite_crawler.testsite.heads import Headers, header_fields, header_of
from polite_crawler.testsite.state import State


class Ending(Enum):
    """How a connection goes on when an answer does not end in the ordinary way."""

    CLOSE = "closed after what was written"
    RESET = "reset (RST), what was not sent yet is lost"
    STALL = "left open, and nothing more is ever sent"
    DROP_NEXT = "kept open, and closed without an answer when the next request comes"


@dataclass(frozen=True, slots=True)
class Hold:
    """Wait until the test lets the answer go on: `Site.release(name)` or GET /__release?name=NAME."""

    name: str


Step = bytes | float | Hold | Ending
"""Octets to write, seconds to wait, a hold, or an ending (the last step)."""

Reply = bytes | Iterator[Step]
"""A whole answer, or its steps. After the last step the connection is kept, unless the request or a step says no."""

HTML = "text/html; charset=utf-8"


@dataclass(slots=True)
class Ask:
    """A request. `host` is the loopback address that took the connection, `nth` counts the requests on it from 1."""

    method: str
    target: str
    host: str
    port: int
    head: bytes
    nth: int
    state: State
    path: str = ""
    query: str = ""
    rest: str = ""
    """The part of the path after the prefix of the route, still percent-encoded."""
    refusal: str | None = None
    """Why a site that lets in signed requests alone refuses this one."""
    _params: dict[str, list[str]] | None = field(default=None, repr=False)

    @property
    def headers(self) -> Headers:
        """The header fields in the order that they came, as Latin-1 text."""
        return header_fields(self.head)

    def header(self, name: str) -> str | None:
        """The first value of a header, or None. The name in any case."""
        return header_of(self.headers, name)

    def cookie(self, name: str) -> str | None:
        """The value of a cookie that the request brought."""
        for pair in (self.header("cookie") or "").split(";"):
            key, _, value = pair.strip().partition("=")
            if key == name:
                return value
        return None

    def param(self, name: str, default: str = "") -> str:
        """The first value of a query parameter."""
        if not self.query:
            return default
        if self._params is None:
            self._params = parse_qs(self.query, keep_blank_values=True)
        return self._params.get(name, [default])[0]

    def number(self, name: str, default: float) -> float:
        """A query parameter as a number; the default when it is not there or no number."""
        try:
            return float(self.param(name) or default)
        except ValueError:
            return default

    def count(self, name: str, default: int) -> int:
        """A query parameter as a whole number, never below zero."""
        return max(0, int(self.number(name, default)))

    @property
    def rest_number(self) -> int:
        """The rest of the path as a whole number; 0 when it is none."""
        head = self.rest.split("/", 1)[0]
        return int(head) if head.isdecimal() and len(head) < 16 else 0

    @property
    def rest_text(self) -> str:
        """The rest of the path with its percent-encoding removed."""
        return unquote(self.rest)

    @property
    def origin(self) -> str:
        """Scheme and authority as the client named them, so links stay on the name that it used."""
        return f"{self.state.scheme}://{self.header('host') or f'{self.host}:{self.port}'}"

    def other(self, steps: int = 1) -> str:
        """The origin of another host of the site: the next one that it listens on, or `steps` further."""
        hosts = self.state.hosts
        return f"{self.state.scheme}://{hosts[(hosts.index(self.host) + steps) % len(hosts)]}:{self.port}"

    def visits(self, key: str | None = None) -> int:
        """Count this request, and say how many came before it to the same host with the same key (the path)."""
        return self.state.count_visit(self.host, self.path if key is None else key)


Handler = Callable[[Ask], Reply]


def reason_of(status: int) -> str:
    """The reason phrase of a status."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Odd"


def respond(
    ask: Ask,
    body: bytes | str = b"",
    *,
    status: int = 200,
    type: str | None = HTML,
    headers: Headers = (),
) -> bytes:
    """A well-formed answer with its Content-Length, without the body for HEAD, 204 and 304."""
    octets = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status} {reason_of(status)}"]
    if type is not None:
        lines.append(f"Content-Type: {type}")
    bodiless = status in (204, 304) or status < 200
    if not bodiless:
        lines.append(f"Content-Length: {len(octets)}")
    lines += [f"{name}: {value}" for name, value in headers]
    head = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
    return head if bodiless or ask.method == "HEAD" else head + octets


def head(*lines: str | bytes, status: str = "200 OK", version: str = "HTTP/1.1", eol: bytes = b"\r\n") -> bytes:
    """A head with exactly these lines, well-formed or not."""
    octets = (line.encode("latin-1") if isinstance(line, str) else line for line in (f"{version} {status}", *lines))
    return eol.join((*octets, b"", b""))


def later(seconds: float, answer: bytes) -> Reply:
    """The answer after some seconds; at once without any."""
    return iter((float(seconds), answer)) if seconds > 0 else answer
