"""Request heads as they are sent, and response heads as the web writes them.

A response head is read by a table of what browsers bear (RFC 9112 with its exceptions): whatever was borne is named in
the notes, so that the record of the exchange says what the server really did.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

MAX_HEAD = 256 * 1024
"""The longest response head that is read, in bytes."""

Framing = Literal["none", "length", "chunked", "close"]
Pairs = tuple[tuple[bytes, bytes], ...]

_BLANK_LINE = re.compile(rb"\n\r?\n")
_STATUS_LINE = re.compile(rb"HTTP/(\d{1,2})(?:\.(\d{1,2}))?[ \t]+(\d{3})(?!\d)[ \t]*(.*)", re.IGNORECASE | re.DOTALL)
_CLEAN_STATUS_LINE = re.compile(rb"HTTP/1\.[01] [1-9]\d\d(?: .*)?", re.DOTALL).fullmatch
_CLEAN_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00\r\n]*)").fullmatch
_TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+").fullmatch
_LENGTH = re.compile(rb"\d{1,18}").fullmatch
_BROKEN_VALUE = re.compile(rb"[\x00\r\n]").search
_BROKEN_TARGET = re.compile(rb"[\x00-\x20\x7f-\xff]").search
_NO_BODY = frozenset({204, 304})
_EDGE = b" \t"
_SHOWN = 60
_MOST_NOTES = 8


class HeadFault(ValueError):
    """The bytes are no HTTP response head, or no head can be made of these parts."""


@dataclass(frozen=True, slots=True)
class Head:
    """A response head. `raw` are its exact bytes, up to and with the blank line; `headers` are the fields in their
    order, names as written, values without white space at the edges and with folded lines joined by a space.

    `framing` says how the body ends: there is none, after `length` octets, by chunks, or with the connection.
    `transfer_codings` are those under the chunks, in the order they were applied.
    """

    raw: bytes
    http: str
    status: int
    reason: str
    headers: Pairs
    framing: Framing
    length: int | None
    transfer_codings: tuple[str, ...]
    keep_alive: bool
    notes: tuple[str, ...]
    by_name: Mapping[bytes, Sequence[bytes]]
    """The values of each field, by its lower-case name."""

    def values(self, name: bytes) -> Sequence[bytes]:
        """The values of a field, by its lower-case name."""
        return self.by_name.get(name, ())


def end_of_head(data: bytes | bytearray, start: int = 0) -> int:
    """The position after the blank line that ends a head, or -1 while it has not come. Line ends are CRLF or LF."""
    found = _BLANK_LINE.search(data, start)
    return found.end() if found else -1


def may_be_http(data: bytes | bytearray) -> bool:
    """False as soon as the first bytes cannot begin an HTTP response."""
    start = bytes(data[:64]).lstrip(b"\r\n")[:5].upper()
    return b"HTTP/".startswith(start)


def not_http(data: bytes | bytearray) -> HeadFault:
    """The fault of an answer that is no HTTP, with its first bytes."""
    return HeadFault(f"the answer does not begin with HTTP/: {_shown(bytes(data[:_SHOWN]))}")


def parse_head(raw: bytes, *, method: str = "GET") -> Head:
    """Read a response head. Raises HeadFault when its first line is no HTTP status line."""
    notes: list[str] = []
    text = raw.lstrip(b"\r\n")
    if len(text) != len(raw):
        notes.append("line ends before the status line")
    lines = text.split(b"\n")
    if text.count(b"\r\n") != len(lines) - 1:
        notes.append("lines end with LF")
    status_line, *rest = [line[:-1] if line.endswith(b"\r") else line for line in lines]
    http, status, reason = _status_line(status_line, notes)
    headers = _fields(rest, notes)
    by_name: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        by_name.setdefault(name.lower(), []).append(value)
    framing, length, codings = _framing(by_name, method, status, notes)
    return Head(
        raw=raw,
        http=http,
        status=status,
        reason=reason,
        headers=headers,
        framing=framing,
        length=length,
        transfer_codings=codings,
        keep_alive=_keep_alive(by_name, http, framing, notes),
        notes=_few(notes),
        by_name=by_name,
    )


def request_head(method: str, target: str, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The bytes of a request head: request line, the fields in the order given, blank line.

    Raises HeadFault for a part that could end a line or begin another request.
    """
    verb, path = method.encode("latin-1", "replace"), target.encode("utf-8", "replace")
    if not _TOKEN(verb):
        raise HeadFault(f"{method!r} is no HTTP method")
    if not path or _BROKEN_TARGET(path):
        raise HeadFault(f"{_shown(path)} is no request target")
    lines = [b"%b %b HTTP/1.1" % (verb, path)]
    for name, value in headers:
        if not _TOKEN(name):
            raise HeadFault(f"{_shown(name)} is no header name")
        if _BROKEN_VALUE(value):
            raise HeadFault(f"the value of {name.decode('latin-1')} holds a line end or a NUL")
        lines.append(b"%b: %b" % (name, value))
    lines.append(b"\r\n")
    return b"\r\n".join(lines)


def _status_line(line: bytes, notes: list[str]) -> tuple[str, int, str]:
    found = _STATUS_LINE.match(line.lstrip(_EDGE))
    if found is None:
        if not may_be_http(line.lstrip(_EDGE)[:5]):
            raise not_http(line)
        raise HeadFault(f"the status line cannot be read: {_shown(line)}")
    if not _CLEAN_STATUS_LINE(line):
        notes.append(f"status line {_shown(line)}")
    major, minor, status, reason = found.groups()
    if int(status) < 100:
        raise HeadFault(f"the status line cannot be read: {_shown(line)}")
    http = major.decode() if minor is None else f"{int(major)}.{int(minor)}"
    return http, int(status), reason.strip().decode("latin-1")


def _fields(lines: list[bytes], notes: list[str]) -> Pairs:
    pairs: list[tuple[bytes, bytes]] = []
    for line in lines:
        if not line:
            continue
        if (clean := _CLEAN_FIELD(line)) is not None:
            name, value = clean.groups()
            pairs.append((name, value.rstrip(_EDGE)))
        else:
            _odd_field(line, pairs, notes)
    return tuple(pairs)


def _odd_field(line: bytes, pairs: list[tuple[bytes, bytes]], notes: list[str]) -> None:
    name, colon, value = line.partition(b":")
    if line[:1] in (b" ", b"\t"):
        if not pairs:
            notes.append(f"a folded line with nothing before it: {_shown(line)}")
            return
        before = pairs[-1]
        pairs[-1] = (before[0], b" ".join(part for part in (before[1], line.strip(_EDGE)) if part))
        notes.append(f"a folded line in {before[0].decode('latin-1')}")
    elif not colon or not name.strip(_EDGE):
        notes.append(f"a line that is no field: {_shown(line)}")
    else:
        stripped = name.strip(_EDGE)
        pairs.append((stripped, value.strip(_EDGE)))
        if stripped != name:
            notes.append(f"white space before the colon of {_shown(stripped)}")
        if not _TOKEN(stripped):
            notes.append(f"an odd field name {_shown(stripped)}")
        if _BROKEN_VALUE(value):
            notes.append(f"a NUL or CR in the value of {_shown(stripped)}")


def _framing(
    fields: Mapping[bytes, list[bytes]], method: str, status: int, notes: list[str]
) -> tuple[Framing, int | None, tuple[str, ...]]:
    """RFC 9112 section 6.3, and what browsers do where it is broken."""
    length = _length(fields.get(b"content-length", []), notes)
    codings = [one for one in _tokens(fields.get(b"transfer-encoding", [])) if one != "identity"]
    # a HEAD answer and a 304 name the length that a GET would have
    if method == "HEAD" or status < 200 or status in _NO_BODY:
        return "none", length, ()
    if codings:
        if length is not None:
            notes.append("Content-Length beside Transfer-Encoding")
        if codings[-1] != "chunked":
            return "close", None, tuple(codings)
        under = tuple(one for one in codings if one != "chunked")
        if len(codings) - len(under) > 1:
            notes.append("chunked is named more than once")
        return "chunked", None, under
    return ("close", None, ()) if length is None else ("length", length, ())


def _length(values: list[bytes], notes: list[str]) -> int | None:
    if not values:
        return None
    each = [part.strip(_EDGE) for value in values for part in value.split(b",")]
    if not all(_LENGTH(part) for part in each) or len({int(part) for part in each}) > 1:
        notes.append(f"Content-Length {_shown(b', '.join(each))} was not used")
        return None
    if len(each) > 1:
        notes.append("Content-Length is named more than once")
    return int(each[0])


def _keep_alive(fields: Mapping[bytes, list[bytes]], http: str, framing: Framing, notes: list[str]) -> bool:
    """Whether another exchange may follow. Where the framing is in doubt, none does."""
    if framing == "close" or http not in ("1.0", "1.1") or any("Content-Length" in note for note in notes):
        return False
    options = _tokens(fields.get(b"connection", []))
    return "close" not in options and (http == "1.1" or "keep-alive" in options)


def _tokens(values: list[bytes]) -> list[str]:
    """The elements of a list field: lower case, without parameters."""
    parts = (part.partition(b";")[0].strip(_EDGE) for value in values for part in value.split(b","))
    return [part.decode("latin-1").lower() for part in parts if part]


def _few(notes: list[str]) -> tuple[str, ...]:
    if len(notes) <= _MOST_NOTES:
        return tuple(notes)
    return (*notes[:_MOST_NOTES], f"{len(notes) - _MOST_NOTES} more of this kind")


def _shown(data: bytes) -> str:
    """The first bytes as a text of one line."""
    return repr(data[:_SHOWN].decode("latin-1"))
