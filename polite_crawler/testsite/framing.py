"""How an answer is framed: odd heads, odd lengths, odd ends. Each is sent octet by octet as it stands here."""

from collections.abc import Sequence

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.encoders import gzipped
from polite_crawler.testsite.exchange import Ask, Ending, Reply, Step, head
from polite_crawler.testsite.streams import chunked

FRAMING = Family("Odd heads and framing")
BODY = b"<!doctype html><title>Framed</title><p>The body of a framed answer.</p>"
TYPE = "Content-Type: text/html; charset=utf-8"
LENGTH = f"Content-Length: {len(BODY)}"
_GOOD = head(TYPE, LENGTH) + BODY
_ONE_HUNDREDS: tuple[Step, ...] = (head(status="100 Continue") * 64, 0.001) * 2000


def _add(name: str, does: str, *script: Step) -> None:
    FRAMING.add(f"/framing/{name}", does, lambda ask: iter(script))


def _head(name: str, does: str, *lines: str | bytes, status: str = "200 OK", version: str = "HTTP/1.1") -> None:
    """An answer with these header lines and a Content-Length."""
    _add(name, does, head(TYPE, *lines, LENGTH, status=status, version=version) + BODY)


def _lengths(name: str, does: str, *lines: str) -> None:
    """An answer with these lengths, closed after its body."""
    _add(name, does, head(TYPE, *lines) + BODY, Ending.CLOSE)


def _pieces(body: bytes, size: int = 16) -> list[bytes]:
    return [body[start : start + size] for start in range(0, len(body), size)]


_add("plain", "a well-formed answer", _GOOD)
_add("chunked", "chunks of 16 octets", chunked(_pieces(BODY)))
_add("chunked-extension", "chunks with extensions", chunked(_pieces(BODY), extension=b";name=value"))
_add("chunked-trailer", "chunks with a trailer", chunked(_pieces(BODY), trailer=b"X-Checksum: 1\r\n"))
_add("chunked-spaces", "white space after the chunk sizes", chunked(_pieces(BODY), extension=b"  "))
_add("chunked-gzip", "chunks of a gzip body",
     chunked(_pieces(gzipped(BODY)), headers=(("Content-Encoding", "gzip"),)))  # fmt: skip
_add("chunked-empty", "a chunked answer without a chunk", chunked([]))
_add(
    "chunked-length",
    "Transfer-Encoding and a wrong Content-Length",
    chunked(_pieces(BODY), headers=(("Content-Length", "3"),)),
)
_add("chunked-cut", "closed in the middle of a chunk", chunked(_pieces(BODY))[:-40], Ending.CLOSE)
_add("chunked-no-end", "closed before the last chunk", chunked(_pieces(BODY))[:-5], Ending.CLOSE)
_add("chunked-bad-size", "a chunk size that is no number",
     head(TYPE, "Transfer-Encoding: chunked") + b"5\r\n<p>ok\r\nzz\r\nbad\r\n0\r\n\r\n", Ending.CLOSE)  # fmt: skip
_add("chunked-twice", "Transfer-Encoding: gzip, chunked", head(TYPE, "Transfer-Encoding: gzip, chunked")
     + chunked(_pieces(gzipped(BODY))).partition(b"\r\n\r\n")[2])  # fmt: skip
_add("close", "no length: the end of the connection is the end of the body", head(TYPE) + BODY, Ending.CLOSE)
_add("http-1.0", "HTTP/1.0, no length, closed", head(TYPE, version="HTTP/1.0") + BODY, Ending.CLOSE)
_add("http-1.0-keep", "HTTP/1.0 with keep-alive and a length",
     head(TYPE, LENGTH, "Connection: keep-alive", version="HTTP/1.0") + BODY)  # fmt: skip
_add("lf-only", "line ends without CR", head(TYPE, LENGTH, eol=b"\n") + BODY)
_head("folded", "a header value over two lines", "X-Folded: one\r\n  two")
_head("no-reason", "no reason phrase", status="200")
_head("no-reason-space", "a space and no reason phrase", status="200 ")
_head("latin1-reason", "a reason phrase in Latin-1", status="200 Tr\xe8s bien")
_head("latin1-value", "a header value in Latin-1", "X-Name: caf\xe9")
_head("utf8-value", "a header value in UTF-8", "X-Name: café".encode())
_head("status-999", "status 999", status="999 Request Denied")
_head("status-299", "a 2xx that nobody defined", status="299 Fine")
_head("lower-version", "http/1.1 in lower case", version="http/1.1")
_head("http-2-line", "a status line of HTTP/2", version="HTTP/2", status="200")
_head("http-3-line", "a status line of HTTP/3.0", version="HTTP/3.0", status="200 OK")
_head("icy", "ICY 200 OK, as old radio servers say", version="ICY")
_head("space-colon", "white space before a colon", "X-Odd : value")
_head("no-colon", "a line without a colon", "this line has no colon")
_head("odd-name", "a header name with odd characters", "X Odd(Name): value")
_head("utf8-name", "a header name in UTF-8", "Größe: 3".encode())
_head("nul-value", "NUL in a header value", b"X-Nul: a\0b")
_head("tab-value", "tabs around a header value", "X-Tab:\tvalue\t")
_head("empty-name", "a header without a name", ": value")
_head("empty-line-name", "a header with an empty value", "X-Empty:")
_head("case", "one header name in three cases", "X-Case: 1", "x-case: 2", "X-CASE: 3")
_head("many-headers", "a thousand headers", *(f"X-Many-{number}: {number}" for number in range(1000)))
_head("large-head", "a head of 100 kB", "X-Large: " + "y" * 100_000)
_add("huge-head", "a head of 1 MB", head(TYPE, "X-Huge: " + "y" * 1_000_000, LENGTH) + BODY, Ending.CLOSE)
_add("endless-head", "a head that never ends", head(TYPE)[:-2] + b"X-More: " + b"z" * (4 << 20), Ending.STALL)
_lengths("equal-lengths", "two equal Content-Length headers", LENGTH, LENGTH)
_lengths("list-lengths", "one Content-Length with two equal values", f"{LENGTH}, {len(BODY)}")
_lengths("unequal-lengths", "two Content-Length headers that differ", LENGTH, "Content-Length: 5")
_lengths("negative-length", "a negative Content-Length", "Content-Length: -1")
_lengths("bad-length", "a Content-Length that is no number", "Content-Length: many")
_lengths("plus-length", "a Content-Length with a sign", f"Content-Length: +{len(BODY)}")
_lengths("huge-length", "a Content-Length of 10^30", "Content-Length: 1" + "0" * 30)
_lengths("short", "100 octets less than Content-Length says, then closed", f"Content-Length: {len(BODY) + 100}")
_add("short-reset", "half the body, then a reset", head(TYPE, LENGTH) + BODY[:30], 0.02, Ending.RESET)
_add("long", "octets after the body", _GOOD + b"<p>one more thing</p>")
_add("after-close", "octets after the body of an answer with Connection: close",
     head(TYPE, LENGTH, "Connection: close") + BODY + b"HTTP/1.1 200 OK\r\n\r\nagain", Ending.CLOSE)  # fmt: skip
_add("empty", "Content-Length: 0", head(TYPE, "Content-Length: 0"))
_add("early-hints", "103 before the answer", head("Link: </style.css>; rel=preload", status="103 Early Hints") + _GOOD)
_add("continue", "100 before the answer", head(status="100 Continue") + _GOOD)
_add("many-1xx", "forty 102 before the answer", head(status="102 Processing") * 40 + _GOOD)
_add("endless-1xx", "100 again and again, and never an answer", *_ONE_HUNDREDS)
_add(
    "switching",
    "101 that nobody asked for",
    head("Upgrade: websocket", "Connection: Upgrade", status="101 Switching Protocols"),
    Ending.CLOSE,
)
_add("no-content-body", "204 with a body", head(TYPE, LENGTH, status="204 No Content") + BODY, Ending.CLOSE)
_add("not-modified", "304 that nobody asked for", head('ETag: "odd"', status="304 Not Modified"))
_add("not-modified-body", "304 with a body", head(TYPE, LENGTH, status="304 Not Modified") + BODY, Ending.CLOSE)
_add("garbage", "octets that are no HTTP", bytes(range(256)) * 4, Ending.CLOSE)
_add("text", "a text that is no HTTP", b"<html><body>HTTP is for others</body></html>", Ending.CLOSE)
_add("ssh", "the greeting of another protocol", b"SSH-2.0-OpenSSH_9.2\r\n", Ending.CLOSE)
_add("blank-first", "empty lines before the status line", b"\r\n\r\n" + _GOOD)
_add("half-head", "closed in the middle of the head", _GOOD[:40], Ending.CLOSE)
_add("nothing", "closed without an octet", Ending.CLOSE)
_add("reset", "a reset without an octet", Ending.RESET)
_add("head-octets", "the head in two pieces, cut inside CRLF CRLF", _GOOD[: _GOOD.find(b"\r\n\r\n") + 3],
     0.01, _GOOD[_GOOD.find(b"\r\n\r\n") + 3 :])  # fmt: skip
_add("idle-close", "a kept connection that is closed right after the answer, without a word", _GOOD, Ending.CLOSE)
_add("idle-drop", "a kept connection that is closed when the next request comes", _GOOD, Ending.DROP_NEXT)


@FRAMING.route("/framing-mime/{kind}", "Content-Type that lies: none, empty, wrong, two, text, binary, case")
def mime(ask: Ask) -> Reply:
    types: dict[str, Sequence[str]] = {
        "none": (),
        "empty": ("Content-Type:",),
        "wrong": ("Content-Type: image/png",),
        "two": ("Content-Type: text/html", "Content-Type: text/plain"),
        "text": ("Content-Type: text/plain",),
        "binary": ("Content-Type: application/octet-stream",),
        "case": ("content-TYPE: TEXT/HTML; Charset=UTF-8",),
    }
    return head(*types.get(ask.rest, ()), LENGTH) + BODY
