"""Heads: what browsers bear and strict parsers refuse, and what a request head can never hold."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polite_crawler.transport.heads import (
    Head,
    HeadFault,
    end_of_head,
    may_be_http,
    parse_head,
    request_head,
)


def head(text: str, method: str = "GET") -> Head:
    return parse_head(text.encode("latin-1"), method=method)


STATUS_LINES = [
    # line, version, status, reason, borne
    ("HTTP/1.1 200 OK", "1.1", 200, "OK", False),
    ("HTTP/1.0 404 Not Found", "1.0", 404, "Not Found", False),
    ("HTTP/1.1 200 ", "1.1", 200, "", False),
    ("HTTP/1.1 200", "1.1", 200, "", False),
    ("HTTP/1.1 999 Odd", "1.1", 999, "Odd", False),
    ("HTTP/1.1 200 tr\xe8s bien", "1.1", 200, "tr\xe8s bien", False),
    ("http/1.1 200 ok", "1.1", 200, "ok", True),
    ("HTTP/2 200", "2", 200, "", True),
    ("HTTP/2.0 200 OK", "2.0", 200, "OK", True),
    ("HTTP/1.1  200   OK", "1.1", 200, "OK", True),
    ("HTTP/1.1\t200\tOK", "1.1", 200, "OK", True),
    ("HTTP/1.1 200OK", "1.1", 200, "OK", True),
    (" HTTP/1.1 200 OK", "1.1", 200, "OK", True),
]


@pytest.mark.parametrize(("line", "http", "status", "reason", "borne"), STATUS_LINES)
def test_status_lines(line: str, http: str, status: int, reason: str, borne: bool) -> None:
    read = head(f"{line}\r\nA: b\r\n\r\n")
    assert (read.http, read.status, read.reason) == (http, status, reason)
    assert read.headers == ((b"A", b"b"),)
    assert any("status line" in note for note in read.notes) == borne


@pytest.mark.parametrize(
    "line",
    ["ICY 200 OK", "SSH-2.0-OpenSSH_9.6", "<html>", "", "200 OK", "HTTP", "HTTP/1.1", "HTTP/1.1 abc", "HTTP/1.1 20",
     "HTTP/1.1 2000 OK", "HTTP/x.y 200 OK", "HTTP/1.1 099 Odd", "HTTPS/1.1 200 OK", "\x00HTTP/1.1 200 OK"],
)  # fmt: skip
def test_no_status_line_is_a_fault_that_shows_it(line: str) -> None:
    with pytest.raises(HeadFault) as caught:
        head(f"{line}\r\nA: b\r\n\r\n")
    assert repr(line)[1:-1] in str(caught.value) or not line


FIELDS = [
    # lines, the fields that are read, a word of the note
    ("A: b", [("A", "b")], None),
    ("A:b", [("A", "b")], None),
    ("A:", [("A", "")], None),
    ("X-oDD-Case:   two  spaces \t", [("X-oDD-Case", "two  spaces")], None),
    ("A: caf\xe9", [("A", "caf\xe9")], None),
    ("A: 1\r\nB: 2\r\na: 3", [("A", "1"), ("B", "2"), ("a", "3")], None),
    ("A: 1\r\n  folded", [("A", "1 folded")], "folded"),
    ("A:\r\n\tfolded\r\n twice", [("A", "folded twice")], "folded"),
    (" folded\r\nA: 1", [("A", "1")], "nothing before it"),
    ("A : 1", [("A", "1")], "before the colon"),
    ("no colon here\r\nA: 1", [("A", "1")], "no field"),
    (": no name\r\nA: 1", [("A", "1")], "no field"),
    ("\xc3\xa9: 1", [("\xc3\xa9", "1")], "odd field name"),
    ("A b: 1", [("A b", "1")], "odd field name"),
    ("A: 1\x002", [("A", "1\x002")], "NUL"),
    ("A: 1\r2", [("A", "1\r2")], "CR"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "fields", "note"), FIELDS)
def test_fields(lines: str, fields: list[tuple[str, str]], note: str | None) -> None:
    read = head(f"HTTP/1.1 200 OK\r\n{lines}\r\n\r\n")
    assert [(name.decode("latin-1"), value.decode("latin-1")) for name, value in read.headers] == fields
    assert (note in " ".join(read.notes)) if note else not read.notes


@pytest.mark.parametrize(
    ("raw", "note"),
    [
        (b"HTTP/1.1 200 OK\nA: b\n\n", "LF"),
        (b"HTTP/1.1 200 OK\r\nA: b\n\r\n", "LF"),
        (b"HTTP/1.1 200 OK\nA: b\r\n\n", "LF"),
        (b"\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n", "before the status line"),
    ],
)
def test_line_ends_are_borne_and_kept(raw: bytes, note: str) -> None:
    read = parse_head(raw)
    assert read.headers == ((b"A", b"b"),)
    assert read.raw == raw
    assert note in " ".join(read.notes)


def test_thousands_of_odd_lines_make_few_notes() -> None:
    read = head("HTTP/1.1 200 OK\r\n" + "odd\r\n" * 5000 + "\r\n")
    assert len(read.notes) < 12
    assert "more of this kind" in read.notes[-1]


FRAMING = [
    # status, fields, method -> framing, length, keep_alive
    (200, "Content-Length: 5", "GET", "length", 5, True),
    (200, "Content-Length: 0", "GET", "length", 0, True),
    (200, "", "GET", "close", None, False),
    (200, "Transfer-Encoding: chunked", "GET", "chunked", None, True),
    (200, "Transfer-Encoding: Chunked ; x=y", "GET", "chunked", None, True),
    (200, "Transfer-Encoding: gzip, chunked", "GET", "chunked", None, True),
    (200, "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", "GET", "chunked", None, True),
    (200, "Transfer-Encoding: gzip", "GET", "close", None, False),
    (200, "Transfer-Encoding: identity\r\nContent-Length: 5", "GET", "length", 5, True),
    (200, "Transfer-Encoding: chunked\r\nContent-Length: 5", "GET", "chunked", None, False),
    (200, "Content-Length: 5\r\nContent-Length: 5", "GET", "length", 5, False),
    (200, "Content-Length: 5, 5", "GET", "length", 5, False),
    (200, "Content-Length: 5\r\nContent-Length: 6", "GET", "close", None, False),
    (200, "Content-Length: -5", "GET", "close", None, False),
    (200, "Content-Length: +5", "GET", "close", None, False),
    (200, "Content-Length: 5 bytes", "GET", "close", None, False),
    (200, "Content-Length:", "GET", "close", None, False),
    (200, "Content-Length: " + "9" * 30, "GET", "close", None, False),
    (200, "Content-Length: 5\r\nConnection: close", "GET", "length", 5, False),
    (200, "Content-Length: 5\r\nConnection: x, Close", "GET", "length", 5, False),
    (200, "Content-Length: 5", "HEAD", "none", 5, True),
    (200, "Transfer-Encoding: chunked", "HEAD", "none", None, True),
    (204, "Content-Length: 5", "GET", "none", 5, True),
    (304, "Content-Length: 5", "GET", "none", 5, True),
    (101, "Upgrade: websocket", "GET", "none", None, True),
    (404, "Content-Length: 5", "GET", "length", 5, True),
]  # fmt: skip


@pytest.mark.parametrize(("status", "fields", "method", "framing", "length", "keep"), FRAMING)
def test_framing(status: int, fields: str, method: str, framing: str, length: int | None, keep: bool) -> None:
    read = head(f"HTTP/1.1 {status} X\r\n{fields}\r\n\r\n", method)
    assert (read.framing, read.length, read.keep_alive) == (framing, length, keep)


@pytest.mark.parametrize(
    ("version", "fields", "keep"),
    [("1.0", "", False), ("1.0", "Connection: Keep-Alive\r\n", True), ("2", "", False), ("1.1", "", True)],
)
def test_only_what_says_so_is_kept_alive(version: str, fields: str, keep: bool) -> None:
    assert head(f"HTTP/{version} 200 OK\r\nContent-Length: 1\r\n{fields}\r\n").keep_alive == keep


def test_the_blank_line_is_found_wherever_the_octets_are_split() -> None:
    for raw in (b"A\r\n\r\n", b"A\n\n", b"A\r\n\n", b"A\n\r\n"):
        assert end_of_head(raw + b"body\n\n") == len(raw)
        for cut in range(len(raw)):
            assert end_of_head(raw[:cut]) == -1
            assert end_of_head(raw + b"body", max(0, cut - 2)) == len(raw)
    assert end_of_head(b"\r\n" * 3, 6) == -1


@pytest.mark.parametrize("start", [b"", b"H", b"HTTP/", b"http/1.1 200", b"\r\nHT", b"\n\n\n"])
def test_may_begin_a_response(start: bytes) -> None:
    assert may_be_http(start)


@pytest.mark.parametrize("start", [b"S", b"HTTX", b"\r\nICY", b"\x16\x03\x01", b"<", b"HTTPS"])
def test_cannot_begin_a_response(start: bytes) -> None:
    assert not may_be_http(start)


@given(st.binary(max_size=400))
@settings(max_examples=200)
def test_any_octets_after_a_status_line_are_read_or_a_fault(tail: bytes) -> None:
    raw = b"HTTP/1.1 200 OK\r\n" + tail + b"\r\n\r\n"
    read = parse_head(raw[: end_of_head(raw)])
    assert read.status == 200
    assert raw.startswith(read.raw)
    assert all(b"\n" not in name + value for name, value in read.headers)


@given(st.binary(max_size=200))
@settings(max_examples=200)
def test_any_octets_are_a_head_or_a_fault(raw: bytes) -> None:
    try:
        status = parse_head(raw).status
    except HeadFault:
        return
    assert 100 <= status <= 999


def test_request_head_is_exact() -> None:
    octets = request_head("GET", "/a?b=%20", [(b"Host", b"example.com"), (b"X-oDD", b"caf\xe9"), (b"X", b"")])
    assert octets == b"GET /a?b=%20 HTTP/1.1\r\nHost: example.com\r\nX-oDD: caf\xe9\r\nX: \r\n\r\n"


@pytest.mark.parametrize(
    ("method", "target", "fields"),
    [
        ("GET", "/", [(b"X", b"a\r\nY: b")]), ("GET", "/", [(b"X", b"a\nb")]), ("GET", "/", [(b"X", b"a\rb")]),
        ("GET", "/", [(b"X", b"a\x00b")]), ("GET", "/", [(b"X\r\nY", b"a")]), ("GET", "/", [(b"X Y", b"a")]),
        ("GET", "/", [(b"", b"a")]), ("GET", "/", [(b"X:", b"a")]), ("GET", "/a b", []), ("GET", "/a\r\nX: y", []),
        ("GET", "/\x7f", []), ("GET", "/\u00e9", []), ("GET", "", []), ("GET / HTTP/1.1\r\n", "/", []), ("", "/", []),
        ("G\u00c9T", "/", []),
    ],
)  # fmt: skip
def test_a_request_head_never_holds_what_could_end_a_line(
    method: str, target: str, fields: list[tuple[bytes, bytes]]
) -> None:
    with pytest.raises(HeadFault):
        request_head(method, target, fields)


FIELD_LISTS = st.lists(st.tuples(st.binary(max_size=8), st.binary(max_size=12)), max_size=4)


@given(FIELD_LISTS, st.text(max_size=8), st.text(max_size=8))
@settings(max_examples=200)
def test_what_is_sent_reads_back_as_one_request(fields: list[tuple[bytes, bytes]], method: str, target: str) -> None:
    try:
        octets = request_head(method, target, fields)
    except HeadFault:
        return
    assert end_of_head(octets) == len(octets)
    assert octets.count(b"\r\n") == len(fields) + 2
    assert octets.count(b"\n") == octets.count(b"\r") == octets.count(b"\r\n")
