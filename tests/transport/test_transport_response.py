"""Reading a response from octets: every framing, every odd end, and the same facts for every split of the octets."""

import gzip
import zlib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polite_crawler.transport.heads import HeadFault
from polite_crawler.transport.response import ResponseReader
from polite_crawler.transport.wire import Wire

LINE = b"HTTP/1.1 200 OK\r\n"
CHUNKED = LINE + b"Transfer-Encoding: chunked\r\n\r\n"
PAGE = b"<p>hello</p>"
ZIPPED = gzip.compress(PAGE * 100, mtime=0)


def read(octets: bytes, *, method: str = "GET", limit: int = 1000, sizes: tuple[int, ...] = ()) -> ResponseReader:
    """A reader that got the octets, in pieces of these sizes, and then the close of the connection."""
    reader = ResponseReader(method, limit, clock=lambda: 5.0)
    at = 0
    for size in [*sizes, len(octets)]:
        piece = octets[at : at + size]
        at += size
        if piece and reader.feed(memoryview(piece)):
            return reader
    reader.eof()
    return reader


def facts(reader: ResponseReader) -> Wire:
    return reader.wire(request_head=b"", ip="192.0.2.1", port=80, reused=False, tls=None, started=1.0)


def wire(octets: bytes, **options: int | str) -> Wire:
    return facts(read(octets, **options))  # type: ignore[arg-type]


def chunks(*parts: bytes, size: str = "{:x}", end: bytes = b"0\r\n\r\n") -> bytes:
    return b"".join(size.format(len(part)).encode() + b"\r\n" + part + b"\r\n" for part in parts) + end


WHOLE = [
    # octets, body, keeps the connection
    (LINE + b"Content-Length: 12\r\n\r\n" + PAGE, PAGE, True),
    (LINE + b"Content-Length: 0\r\n\r\n", b"", True),
    (LINE + b"Content-Length: 0\r\n\r\nHTTP/1.1 200 OK", b"", False),
    (LINE + b"\r\n" + PAGE, PAGE, False),
    (LINE + b"\r\n", b"", False),
    (LINE + b"Content-Length: 12\r\n\r\n" + PAGE + b"HTTP/1.1 200 OK", PAGE, False),
    (CHUNKED + chunks(PAGE), PAGE, True),
    (CHUNKED + chunks(PAGE, PAGE, b"x"), PAGE + PAGE + b"x", True),
    (CHUNKED + chunks(PAGE, end=b"0\r\nbad\r\n\r\n"), PAGE, True),
    (CHUNKED + chunks(PAGE, size='{:X}; name=value; q="a;b"'), PAGE, True),
    (CHUNKED + chunks(PAGE, size="{:x};"), PAGE, True),
    (CHUNKED + chunks(PAGE, size="{:x} ;a=b"), PAGE, True),
    (CHUNKED + chunks(PAGE, size="0000000000000000000000000000{:x}"), PAGE, True),
    (CHUNKED + chunks(PAGE, size=" {:x}"), PAGE, True),
    (CHUNKED + b"c\r\n" + PAGE + b"0\r\n\r\n", PAGE, True),
    (CHUNKED + chunks(PAGE, end=b"0\r\nno field\r\nA : b\r\n folded\r\n\r\n"), PAGE, True),
    (CHUNKED + chunks(PAGE, size="{:x}  "), PAGE, True),
    (CHUNKED + chunks(PAGE, end=b"0\r\nTrailer: x\r\nMore: y\r\n\r\n"), PAGE, True),
    (CHUNKED + chunks(PAGE, end=b"000\r\n\r\n"), PAGE, True),
    (CHUNKED + chunks(end=b"0\r\n\r\n"), b"", True),
    (CHUNKED + chunks(PAGE) + b"surplus", PAGE, False),
    (CHUNKED + chunks(PAGE).replace(b"\r\n", b"\n"), PAGE, True),
    (CHUNKED.replace(b"\r\n", b"\n") + chunks(PAGE), PAGE, True),
    (LINE + b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n" + chunks(PAGE), PAGE, False),
    (b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks(PAGE), PAGE, False),
    (b"HTTP/1.1 204 No Content\r\n\r\n", b"", True),
    (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 12\r\n\r\n", b"", True),
    (b"HTTP/1.1 204 No Content\r\n\r\n" + PAGE, b"", False),
    (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", b"", False),
    (LINE + b"Content-Length: 12, 12\r\n\r\n" + PAGE, PAGE, False),
    (LINE + b"Content-Length: 12\r\nContent-Length: 99\r\n\r\n" + PAGE, PAGE, False),
    (LINE + b"Content-Length: -1\r\n\r\n" + PAGE, PAGE, False),
    (b"HTTP/2 200\r\nContent-Length: 12\r\n\r\n" + PAGE, PAGE, False),
    (LINE + b"Content-Length: 12\r\nConnection: close\r\n\r\n" + PAGE, PAGE, False),
]


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize(("octets", "body", "keeps"), WHOLE)
def test_whole_responses(octets: bytes, body: bytes, keeps: bool, size: int) -> None:
    reader = read(octets, sizes=(size,) * len(octets) if size else ())
    one = facts(reader)
    assert (one.payload, one.decoded, one.truncated, one.undecodable) == (body, body, None, None)
    assert one.response_head == octets[: len(one.response_head)]
    assert one.response_head.endswith((b"\n\r\n", b"\n\n"))
    if not size:
        assert reader.reusable == keeps


def test_a_head_answer_has_no_body() -> None:
    reader = read(LINE + b"Content-Length: 12\r\nContent-Encoding: gzip\r\n\r\n", method="HEAD")
    assert reader.reusable
    one = facts(reader)
    assert (one.payload, one.decoded, one.declared, one.coding) == (b"", b"", None, None)


SHORT = [
    (LINE + b"Content-Length: 99\r\n\r\n" + PAGE, PAGE, 99, ""),
    (LINE + b"Content-Length: 99\r\n\r\n", b"", 99, ""),
    (CHUNKED + chunks(PAGE, end=b""), PAGE, None, ""),
    (CHUNKED + b"c\r\n<p>he", b"<p>he", None, ""),
    (CHUNKED + chunks(PAGE, end=b"0\r\n"), PAGE, None, ""),
    (CHUNKED + chunks(PAGE, end=b"zz\r\nmore"), PAGE, None, "chunks"),
    (CHUNKED + b"<html>not chunked at all", b"", None, "chunks"),
    (CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n", b"", None, "chunks"),
    (CHUNKED + chunks(PAGE)[:-5] + b"\r\n\r\n0\r\n\r\n", PAGE, None, "chunks"),
    (CHUNKED + b"c;" + b"x" * 70_000, b"", None, "64 KiB"),
    (CHUNKED + b"0\r\n" + b"Trailer: x\r\n" * 7000, b"", None, "64 KiB"),
    (CHUNKED + b"fffffffffffffffff\r\nhello\r\n0\r\n\r\n", b"", None, "chunks"),
]


@pytest.mark.parametrize("sizes", [(), (1,) * 400])
@pytest.mark.parametrize(("octets", "body", "declared", "note"), SHORT)
def test_what_came_of_a_short_body_is_kept(
    octets: bytes, body: bytes, declared: int | None, note: str, sizes: tuple[int, ...]
) -> None:
    reader = read(octets, sizes=sizes)
    one = facts(reader)
    assert (one.payload, one.decoded, one.truncated, one.declared) == (body, body, "disconnect", declared)
    assert not reader.reusable
    assert note in " ".join(one.notes)
    assert bool(one.notes) == bool(note)


LONG = b"x" * 1001
FRAMED = [
    LINE + b"Content-Length: %d\r\n\r\n",
    LINE + b"\r\n",
    CHUNKED,
]


@pytest.mark.parametrize("framing", FRAMED)
@pytest.mark.parametrize("size", [999, 1000, 1001, 5000])
def test_a_body_is_cut_at_the_limit_and_not_before(framing: bytes, size: int) -> None:
    body = b"x" * size
    head = framing % size if b"%d" in framing else framing
    reader = read(head + (chunks(body) if framing == CHUNKED else body))
    one = facts(reader)
    assert one.payload == one.decoded == body[:1000]
    assert one.truncated == ("length" if size > 1000 else None)
    assert not reader.reusable or size <= 1000


@pytest.mark.parametrize(("size", "cut"), [(1000, False), (1001, True)])
def test_the_limit_counts_decoded_octets(size: int, cut: bool) -> None:
    body = b"x" * size
    packed = gzip.compress(body, mtime=0)
    one = wire(LINE + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed) + packed)
    assert (one.decoded, one.payload, one.coding) == (body[:1000], packed, "gzip")
    assert one.truncated == ("length" if cut else None)


def test_a_coding_may_make_a_body_longer() -> None:
    packed = gzip.compress(PAGE * 83, compresslevel=0, mtime=0)
    assert len(packed) > 1000 > len(PAGE * 83)
    one = wire(LINE + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed) + packed)
    assert (one.decoded, one.payload, one.truncated) == (PAGE * 83, packed, None)


def test_reading_stops_with_the_first_octet_over_the_limit() -> None:
    packed = gzip.compress(bytes(10_000_000))
    reader = ResponseReader("GET", 1000)
    head = LINE + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    assert reader.feed(memoryview(head + packed[:500]))
    assert facts(reader).payload == packed[:500]


def test_a_coded_body_that_packs_to_more_than_the_limit_is_bounded() -> None:
    """Empty members: much payload, nothing to read."""
    empty = gzip.compress(b"", mtime=0) * 5000
    one = wire(LINE + b"Content-Encoding: gzip\r\n\r\n" + empty)
    assert one.truncated == "length"
    assert len(one.payload) < 3000


CODED = [
    # fields, payload, decoded, truncated, undecodable, note
    ("Content-Encoding: gzip", ZIPPED, PAGE * 100, None, None, ""),
    ("Content-Encoding: gzip", ZIPPED[:-9], PAGE * 100, "disconnect", None, "ends early"),
    ("Content-Encoding: gzip", ZIPPED + b"tail", PAGE * 100, None, None, "after the end"),
    ("Content-Encoding: gzip", b"", b"", None, None, ""),
    ("Content-Encoding: gzip", PAGE, None, None, "gzip: incorrect header check", ""),
    ("Content-Encoding: x-odd", PAGE, None, None, "the content coding 'x-odd' is not known", ""),
    ("Content-Encoding: deflate, gzip", gzip.compress(zlib.compress(PAGE)), PAGE, None, None, ""),
    ("Content-Encoding: deflate\r\nContent-Encoding: gzip", gzip.compress(zlib.compress(PAGE)), PAGE, None, None, ""),
    ("Content-Encoding: identity", PAGE, PAGE, None, None, ""),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "payload", "decoded", "truncated", "undecodable", "note"), CODED)
def test_coded_bodies(
    fields: str, payload: bytes, decoded: bytes | None, truncated: str | None, undecodable: str | None, note: str
) -> None:
    head = LINE + fields.encode() + b"\r\nContent-Length: %d\r\n\r\n" % len(payload)
    one = wire(head + payload, limit=10_000)
    assert (one.payload, one.decoded, one.truncated, one.undecodable) == (payload, decoded, truncated, undecodable)
    assert note in " ".join(one.notes)


def test_a_transfer_coding_under_the_chunks_counts_as_a_coding() -> None:
    octets = LINE + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + chunks(ZIPPED[:20], ZIPPED[20:])
    one = wire(octets, limit=10_000)
    assert (one.payload, one.decoded, one.coding) == (ZIPPED, PAGE * 100, "gzip")


def test_heads_of_the_class_1xx_are_kept_aside() -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
    again = b"HTTP/1.1 100 Continue\r\n\r\n"
    final = LINE + b"Content-Length: 12\r\n\r\n"
    for size in (1, 1000):
        one = wire(early + again + final + PAGE, sizes=(size,) * 400)
        assert one.interim == (early, again)
        assert (one.status, one.response_head, one.payload) == (200, final, PAGE)
        assert one.notes == ("103 Early Hints came first", "100 Continue came first")


def test_a_head_that_comes_again_and_again_is_noted_once() -> None:
    one = wire(b"HTTP/1.1 102 Processing\r\n\r\n" * 40 + LINE + b"Content-Length: 0\r\n\r\n")
    assert (len(one.interim), one.notes) == (40, ("102 Processing came first",))


FAULTS = [
    (b"SSH-2.0-OpenSSH_9.6\r\n", "does not begin with HTTP/: 'SSH-2.0-OpenSSH_9.6\\r\\n'"),
    (b"\x16\x03\x01", "does not begin with HTTP/"),
    (b"HTTP/1.1 abc\r\n\r\n", "the status line cannot be read: 'HTTP/1.1 abc'"),
    (b"HTTP/1.1 200 OK\r\nA: b\r\n", "closed inside the response head"),
    (b"H", "closed inside the response head"),
    (b"HTTP/1.1 103 Early\r\n\r\n", "closed inside the response head"),
    (LINE + b"A: " + b"x" * 262_144, "longer than 256 KiB"),
    (LINE + b"A: " + b"x" * 262_144 + b"\r\n\r\n", "longer than 256 KiB"),
    ((b"HTTP/1.1 100 Continue\r\nA: " + b"x" * 1000 + b"\r\n\r\n") * 270, "longer than 256 KiB"),
    (b"\r\n" * 140_000, "longer than 256 KiB"),
]


@pytest.mark.parametrize(("octets", "message"), FAULTS)
def test_what_is_no_response_is_a_fault(octets: bytes, message: str) -> None:
    with pytest.raises(HeadFault) as caught:
        read(octets, sizes=(65_536,) * 5)
    assert message in str(caught.value)


def test_a_head_of_just_256_kib_is_read() -> None:
    filler = 262_144 - len(LINE) - len(b"A: \r\nContent-Length: 0\r\n\r\n")
    octets = LINE + b"A: " + b"x" * filler + b"\r\nContent-Length: 0\r\n\r\n"
    assert len(wire(octets, sizes=(65_536,) * 5).response_head) == 262_144


def test_the_evidence_of_a_fault_is_its_first_octets() -> None:
    reader = ResponseReader("GET", 10)
    reader.feed(memoryview(b"HTTP/1.1 200 OK\r\n"))
    reader.feed(memoryview(b"A: " + b"x" * 500))
    assert reader.received == b"HTTP/1.1 200 OK\r\nA: " + b"x" * 236


def test_a_cut_for_time_keeps_what_came() -> None:
    reader = ResponseReader("GET", 1000)
    reader.feed(memoryview(LINE + b"Content-Length: 12\r\n\r\n<p>"))
    reader.cut("time")
    one = facts(reader)
    assert reader.over
    assert not reader.reusable
    assert (one.payload, one.truncated, one.declared) == (b"<p>", "time", 12)
    reader.cut("disconnect")
    assert facts(reader).truncated == "time"


def test_a_response_that_has_ended_is_not_cut() -> None:
    reader = read(LINE + b"Content-Length: 12\r\n\r\n" + PAGE)
    reader.cut("time")
    assert facts(reader).truncated is None


def test_a_chunk_may_have_any_size() -> None:
    reader = ResponseReader("GET", 1000)
    reader.feed(memoryview(CHUNKED + b"100000000\r\n" + PAGE))
    reader.eof()
    assert (facts(reader).payload, facts(reader).truncated) == (PAGE, "disconnect")


def test_the_limit_between_two_chunks_is_for_each_of_them() -> None:
    body = chunks(*[b"x"] * 20_000, size="{:08x}")
    reader = ResponseReader("GET", 100_000)
    reader.feed(memoryview(CHUNKED))
    for at in range(0, len(body), 5):
        reader.feed(memoryview(body[at : at + 5]))
    assert (facts(reader).payload, facts(reader).truncated) == (b"x" * 20_000, None)


def test_times_and_octets_are_told() -> None:
    ticks = iter([2.0, 3.0])
    reader = ResponseReader("GET", 1000, clock=lambda: next(ticks))
    octets = LINE + b"Content-Length: 12\r\n\r\n" + PAGE
    reader.feed(memoryview(octets))
    one = facts(reader)
    assert (one.started, one.headed, one.ended, one.wire_octets) == (1.0, 2.0, 3.0, len(octets))


ALL = [octets for octets, *_ in WHOLE] + [octets for octets, *_ in SHORT] + [
    LINE + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"y" * 3000, mtime=0),
    CHUNKED + chunks(b"z" * 600, b"z" * 600),
    b"HTTP/1.1 103 Early\r\n\r\n" + LINE + b"A : b\r\n fold\r\n\r\n" + PAGE,
]  # fmt: skip


@given(st.sampled_from(ALL), st.lists(st.integers(1, 40), max_size=40), st.integers(0, 1300))
@settings(max_examples=200)
def test_every_split_of_the_octets_gives_the_same(octets: bytes, sizes: list[int], limit: int) -> None:
    def told(one: Wire) -> Wire:
        # how much was read past the end, or past the limit of a coded body, is chance
        past = one.coding is not None and one.truncated == "length"
        return replace(one, wire_octets=0, payload=b"" if past else one.payload)

    assert told(wire(octets, sizes=tuple(sizes), limit=limit)) == told(wire(octets, limit=limit))


@given(
    st.sampled_from(
        [b"", LINE, CHUNKED, LINE + b"Content-Encoding: gzip\r\n\r\n", LINE + b"Content-Length: 9\r\n\r\n"]
    ),
    st.binary(max_size=300),
    st.lists(st.integers(1, 50), max_size=20),
)
@settings(max_examples=200)
def test_any_octets_are_a_response_or_a_fault(start: bytes, tail: bytes, sizes: list[int]) -> None:
    try:
        one = wire(start + tail, sizes=tuple(sizes), limit=100)
    except HeadFault:
        return
    assert one.response_head == (start + tail)[: len(one.response_head)]
    assert one.decoded is None or len(one.decoded) <= 100
