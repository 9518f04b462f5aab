"""What the site was asked: one entry a request, from its arrival to the last octet of the answer."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from polite_crawler.testsite.heads import Headers, header_fields, header_of


@dataclass(frozen=True, slots=True)
class Seen:
    """A request that the site saw. Times are epoch seconds.

    `start` is when its head was complete, `end` when the last octet of the answer was handed to the socket (or the
    connection ended); None while it is in progress. `parallel` counts the requests of this host that were in progress
    at `start`, itself included. `connection` numbers the connection, `nth` the request on it from 1. `status` is what
    the site answered, None without a status line. `sent` counts the octets of the answer. `cut` is true when the
    client closed the connection before the answer was complete.
    """

    id: int
    start: float
    end: float | None
    host: str
    method: str
    target: str
    headers: Headers
    parallel: int
    connection: int
    nth: int
    status: int | None
    sent: int
    cut: bool

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]

    def header(self, name: str) -> str | None:
        """The first value of a header of the request, or None. The name in any case."""
        return header_of(self.headers, name)

    def to_json(self) -> dict[str, Any]:
        """The object of GET /__log, with the path beside the target."""
        return {
            "id": self.id, "start": self.start, "end": self.end, "host": self.host, "method": self.method,
            "target": self.target, "path": self.path, "headers": self.headers, "parallel": self.parallel,
            "connection": self.connection, "nth": self.nth, "status": self.status, "sent": self.sent, "cut": self.cut,
        }  # fmt: skip

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The entry of an object of GET /__log."""
        known = {field.name: value[field.name] for field in fields(cls)}
        return cls(**{**known, "headers": tuple((key, text) for key, text in value["headers"])})


class Entry:
    """A request in progress. It keeps the raw head, so that a busy site parses none that nobody asks for."""

    __slots__ = (
        "connection", "cut", "end", "head", "host", "id", "method", "nth", "parallel", "sent", "start", "status",
        "target", "written",
    )  # fmt: skip

    def __init__(self, id: int, host: str, method: str, target: str, head: bytes, connection: int, nth: int) -> None:
        self.id = id
        self.start = time.time()
        self.end: float | None = None
        self.written: float | None = None
        self.host = host
        self.method = method
        self.target = target
        self.head = head
        self.parallel = 1
        self.connection = connection
        self.nth = nth
        self.status: int | None = None
        self.sent = 0
        self.cut = False

    def seen(self) -> Seen:
        """The entry as a fact."""
        return Seen(
            self.id, self.start, self.end, self.host, self.method, self.target, header_fields(self.head),
            self.parallel, self.connection, self.nth, self.status, self.sent, self.cut,
        )  # fmt: skip


class Journal:
    """The entries since the last reset, in order of arrival."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.on = True
        self._next = 1
        self._busy: dict[str, int] = {}

    def begin(self, host: str, method: str, target: str, head: bytes, connection: int, nth: int) -> Entry:
        """Note a request whose head is complete."""
        entry = Entry(self._next, host, method, target, head, connection, nth)
        self._next += 1
        entry.parallel = self._busy[host] = self._busy.get(host, 0) + 1
        if self.on:
            self.entries.append(entry)
        return entry

    def end(self, entry: Entry, *, cut: bool = False) -> None:
        """Note that the answer ended."""
        if entry.end is None:
            entry.end = entry.written or time.time()
            entry.cut = cut
            self._busy[entry.host] -= 1

    def clear(self) -> None:
        """Forget every entry; requests in progress still count as parallel ones."""
        self.entries = []
        self._next = 1

    def seen(self, *, host: str | None = None, path: str | None = None) -> list[Seen]:
        """The entries of a host and of paths that begin with `path`; of all without them."""
        return [
            entry.seen()
            for entry in self.entries
            if (host is None or entry.host == host) and (path is None or entry.target.startswith(path))
        ]
