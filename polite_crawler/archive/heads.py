"""The response head of a record: the head of the log, changed only where a replay tool would fail on it.

A field that no longer describes the stored body keeps its value under another name, with the prefix `X-Crawler-`, as
in the archives of Common Crawl. The head as it was received stands in the metadata record.
"""

import re
from collections.abc import Iterator

PREFIX = b"X-Crawler-"
"""Stands before the name of a field that described the answer on the wire and not the body of the record."""

_EXACT = {"gzip": b"gzip", "x-gzip": b"gzip", "br": b"br"}
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
_STATUS = re.compile(rb"[^\s/]+(?:/[\d.]+)?[ \t]+(\d{3})(?:[ \t]+([^\r\n]*))?")
_FRAMING = re.compile(
    rb"\n[ \t]*(transfer-encoding|content-length|content-encoding)[ \t]*:[ \t]*([^\r\n]*?)[ \t]*(?=[\r\n])", re.I
)
_PLAIN_STATUS = re.compile(rb"HTTP/1\.[01] \d{3} [^\r\n]*\r\n")
_LINE_END = re.compile(rb"\r?\n")


def replayable(head: bytes, size: int, *, decoded: bool = False, coding: str | None = None) -> bytes:
    """The head of a record whose body has `size` octets.

    Transfer-Encoding gets the prefix, because the body stands without its chunks; Content-Encoding too when `decoded`
    says that the body stands without it. `coding` is that of the body: where the head says it in another spelling
    (GZIP, x-gzip) or as a transfer coding, the plain name stands behind the last field, as some replay tools undo no
    other. A Content-Length of another number gets the prefix, and the right number stands there too. A status line of
    another version or form becomes one of HTTP/1.1, as replay tools read no other; lines that end in LF alone get
    their CR, without which one of them takes the body for a field.
    """
    exact = None if decoded else _EXACT.get((coding or "").lower())
    if not decoded and _is_plain(head, size, exact):
        return head
    lines = [_LINE_END.sub(b"\r\n", line) for line in _fields(head)]
    if not lines:
        return b"HTTP/1.1 200 OK\r\n\r\n"
    names = [_name(line) for line in lines]
    chunked = b"transfer-encoding" in names
    lengths = [_value(line) for line, name in zip(lines, names, strict=True) if name == b"content-length"]
    wrong = any(value != str(size).encode() for value in lengths)
    codings = [_value(line) for line, name in zip(lines, names, strict=True) if name == b"content-encoding"]
    respelled = exact is not None and codings != [exact]
    renamed = {b"transfer-encoding"} | ({b"content-encoding"} if decoded or respelled else set())
    if wrong:
        renamed.add(b"content-length")
    out = [_status_line(lines[0])]
    out += [PREFIX + line if name in renamed else line for line, name in zip(lines[1:], names[1:], strict=True)]
    out = [line if line.endswith(b"\n") else line + b"\r\n" for line in out]
    if respelled and exact is not None:
        out.append(b"Content-Encoding: %s\r\n" % exact)
    if wrong or ((chunked or decoded) and not lengths):
        out.append(b"Content-Length: %d\r\n" % size)
    return b"".join(out) + b"\r\n"


def _is_plain(head: bytes, size: int, exact: bytes | None) -> bool:
    """Whether a head can stay as it is, by a look that is right for nearly all."""
    if not _PLAIN_STATUS.match(head) or not head.endswith(b"\r\n\r\n") or head.count(b"\r\n\r\n") > 1:
        return False
    if head.count(b"\n") != head.count(b"\r\n"):
        return False
    right = [(b"content-length", str(size).encode()), (b"content-encoding", exact)]
    found = [(name.lower(), value) for name, value in _FRAMING.findall(head)]
    if exact is None:
        found = [one for one in found if one[0] != b"content-encoding"]
    return all(one in right for one in found) and (exact is None or found.count(right[1]) == 1)


def _fields(head: bytes) -> Iterator[bytes]:
    """The lines up to the blank one, each with its end; a folded line belongs to the one before. Blank lines in front
    of the status line are none of the head (RFC 9112 section 2.2)."""
    held = b""
    for line in _LINE.findall(head.lstrip(b"\r\n")):
        if line in (b"\r\n", b"\n"):
            break
        if held and line[:1] in (b" ", b"\t"):
            held += line
            continue
        if held:
            yield held
        held = line
    if held:
        yield held


def _name(line: bytes) -> bytes:
    return line.partition(b":")[0].strip().lower()


def _value(line: bytes) -> bytes:
    return line.partition(b":")[2].strip()


def _status_line(line: bytes) -> bytes:
    if _PLAIN_STATUS.fullmatch(line):
        return line
    found = _STATUS.match(line)
    return b"HTTP/1.1 %s %s\r\n" % (found[1], found[2] or b"") if found else line
