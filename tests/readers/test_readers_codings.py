"""Content codings: what servers send under their names, bombs, ends that come early, and octets that follow."""

import gzip
import random
import struct
import zlib
from collections.abc import Callable

import brotli
import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polite_crawler.readers.codings import Decoder, Undecodable, _zstd, codings_of
from polite_crawler.readers.codings import decode as decode_whole

zstd = _zstd()

TEXT = b"".join(b"line %d of a page that packs well\n" % n for n in range(4000))
NOISE = random.Random(7).randbytes(200_000)


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def with_header(data: bytes) -> bytes:
    """A gzip member with every optional part of its header (RFC 1952): extra, name, comment, header CRC."""
    fields = struct.pack("<H", 6) + b"AB\x02\x00zz" + b"name.html\x00" + b"a comment\x00"
    header = b"\x1f\x8b\x08" + bytes([2 | 4 | 8 | 16]) + b"\0\0\0\0\0\xff" + fields
    header += struct.pack("<H", zlib.crc32(header) & 0xFFFF)
    return header + raw_deflate(data) + struct.pack("<II", zlib.crc32(data), len(data))


PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress, "x-gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress,
    "zstd": zstd.compress,
}  # fmt: skip
VARIANTS: list[tuple[str, Callable[[bytes], bytes]]] = [
    *PACK.items(),
    ("deflate", raw_deflate),
    ("gzip", with_header),
    ("gzip", lambda data: gzip.compress(data[:1000]) + gzip.compress(data[1000:])),
    ("gzip", lambda data: gzip.compress(b"") + gzip.compress(data) + gzip.compress(b"")),
    ("gzip", lambda data: b"".join(gzip.compress(data[at : at + 64]) for at in range(0, len(data), 64))),
    ("zstd", lambda data: zstd.compress(data[:1000]) + zstd.compress(data[1000:])),
    ("zstd", lambda data: b"\x50\x2a\x4d\x18\x03\0\0\0abc" + zstd.compress(data)),
]


def decode(codings: str, data: bytes, limit: int = 10**9, step: int = 0) -> tuple[Decoder, bool]:
    decoder = Decoder(codings_of([codings.encode()]), limit)
    for at in range(0, len(data), step or len(data) or 1):
        decoder.feed(data[at : at + (step or len(data))])
    return decoder, decoder.end()


@pytest.mark.parametrize("step", [0, 1, 7, 4096])
@pytest.mark.parametrize("at", range(len(VARIANTS)))
def test_each_coding_gives_the_body_back(at: int, step: int) -> None:
    name, pack = VARIANTS[at]
    for body in (TEXT[:5000], NOISE[:5000], b"x", b""):
        decoder, whole = decode(name, pack(body), step=step)
        assert (decoder.body(), whole, decoder.full, decoder.notes) == (body, True, False, [])


@pytest.mark.parametrize(
    "codings", ["gzip, br", "br,gzip", "deflate, gzip, zstd", "gzip, gzip", "identity, gzip, identity"]
)
def test_chains_are_undone_from_the_last(codings: str) -> None:
    data = TEXT
    for name in codings_of([codings.encode()]):
        data = PACK[name](data)
    decoder, whole = decode(codings, data, step=1000)
    assert (decoder.body(), whole) == (TEXT, True)


@pytest.mark.parametrize("name", PACK)
def test_a_whole_body_at_once(name: str) -> None:
    packed = PACK[name](TEXT)
    assert decode_whole(packed, [name], len(TEXT)) == TEXT
    assert decode_whole(packed, [name], 100_000) == TEXT[:100_000]
    assert TEXT.startswith(decode_whole(packed[:-5], [name], len(TEXT)))
    with pytest.raises(Undecodable, match=name.removeprefix("x-")):
        decode_whole(b"<html> that is no such coding at all", [name], 100)


def test_fields_are_read_as_one_list() -> None:
    assert codings_of([b"GZIP ", b" , br,identity", b""]) == ("gzip", "br")


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize("limit", [0, 1, 65_535, 65_536, 65_537, len(TEXT) - 1])
def test_the_cut_is_exact(name: str, limit: int) -> None:
    decoder, whole = decode(name, PACK[name](TEXT), limit)
    assert (decoder.body(), decoder.full, whole) == (TEXT[:limit], True, True)


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize("size", [1, 65_536, 131_072, len(TEXT)])
@pytest.mark.parametrize("step", [0, 100])
def test_a_body_of_exactly_the_limit_is_whole(name: str, size: int, step: int) -> None:
    decoder, whole = decode(name, PACK[name](TEXT[:size]), size, step)
    assert (decoder.body(), decoder.full, whole) == (TEXT[:size], False, True)


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_an_early_end_is_seen_and_what_came_is_kept(name: str) -> None:
    packed = PACK[name](NOISE)
    for cut in (len(packed) // 2, len(packed) - 1):
        decoder, whole = decode(name, packed[:cut])
        body = decoder.body()
        assert not whole
        assert body is not None
        assert NOISE.startswith(body)
        assert cut == len(packed) - 1 or len(body) > len(NOISE) // 3


def test_an_early_end_in_the_second_member_is_seen() -> None:
    decoder, whole = decode("gzip", gzip.compress(b"one") + gzip.compress(NOISE)[:5000])
    assert not whole
    assert (decoder.body() or b"").startswith(b"one")


@pytest.mark.parametrize("step", [0, 1])
@pytest.mark.parametrize(
    ("name", "tail"),
    [
        ("gzip", b"\0" * 100),
        ("gzip", b"<!-- cached -->"),
        ("gzip", b"\x1fx"),
        ("deflate", b"xyz"),
        ("zstd", b"garbage!"),
    ],
)
def test_octets_after_the_end_are_borne_with_a_note(name: str, tail: bytes, step: int) -> None:
    decoder, whole = decode(name, PACK[name](TEXT[:3000]) + tail, step=step)
    assert (decoder.body(), whole) == (TEXT[:3000], True)
    assert decoder.notes == [f"octets after the end of the {name} body"]


BROKEN = [
    ("gzip", b"<html>plain</html>"), ("deflate", b"<html>plain</html>"), ("br", b"<html>plain</html> and more of it"),
    ("zstd", b"<html>plain</html>"), ("gzip", gzip.compress(TEXT)[:-8] + b"\0" * 8),
    ("gzip", gzip.compress(TEXT)[:-4] + b"\0" * 4),
    ("br", brotli.compress(TEXT) + b"more"), ("gzip", gzip.compress(TEXT) + b"\x1f\x8bgarbage after"),
    ("zstd", zstd.compress(TEXT)[:-10] + b"\xff" * 200), ("deflate", zlib.compress(TEXT)[:-4] + b"\0" * 4),
    ("gzip, br", gzip.compress(TEXT)), ("br, gzip", gzip.compress(b"<html>plain</html> and more of it")),
]  # fmt: skip


@pytest.mark.parametrize("step", [0, 1, 100])
@pytest.mark.parametrize(("codings", "data"), BROKEN)
def test_what_is_not_its_coding_does_not_decode(codings: str, data: bytes, step: int) -> None:
    decoder, _ = decode(codings, data, step=step)
    assert decoder.body() is None
    assert (decoder.undecodable or "").partition(":")[0] in codings


@pytest.mark.parametrize("codings", ["compress", "utf-8", "x-unknown", "gzip, aws-chunked", "gzip;q=1", "gzip," * 6])
def test_a_coding_that_is_not_known_does_not_decode(codings: str) -> None:
    decoder, _ = decode(codings, b"anything")
    assert decoder.body() is None
    assert "content coding" in (decoder.undecodable or "")


def test_a_zstd_window_above_8_mib_is_refused() -> None:
    packed = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 27}).compress(NOISE)
    decoder, _ = decode("zstd", packed + b"\0" * 10)
    assert decoder.body() is None
    assert "zstd" in (decoder.undecodable or "")


def bomb(name: str) -> bytes:
    """A gigabyte of zeros."""
    block = bytes(1 << 20)
    if name == "br":
        packer = brotli.Compressor(quality=5)
        parts = [packer.process(block) for _ in range(1024)] + [packer.finish()]
    else:
        stream = zlib.compressobj(9, zlib.DEFLATED, 31) if name == "gzip" else zstd.ZstdCompressor()
        parts = [stream.compress(block) for _ in range(1024)] + [stream.flush()]
    return b"".join(parts)


@pytest.mark.parametrize("name", ["gzip", "br", "zstd"])
def test_a_bomb_costs_no_more_than_what_is_kept(name: str) -> None:
    data, limit = bomb(name), 5 * 1024 * 1024
    before = psutil.Process().memory_info().rss
    decoder = Decoder((name,), limit)
    fed = 0
    while not decoder.full:
        decoder.feed(data[fed : fed + 65_536])
        fed += 65_536
    assert decoder.body() == bytes(limit)
    assert fed <= 65_536 or name != "gzip"
    assert psutil.Process().memory_info().rss - before < 50_000_000


def test_a_bomb_between_two_codings_is_cut() -> None:
    """Fifty megabytes of empty gzip members that pack to nothing, and give nothing."""
    inner = gzip.compress(b"", mtime=0) * 2_500_000
    decoder = Decoder(("gzip", "gzip"), 1_000_000)
    decoder.feed(gzip.compress(inner, 1))
    assert decoder.full
    assert decoder.body() == b""


@given(
    st.sampled_from(range(len(VARIANTS))),
    st.binary(max_size=3000).map(lambda data: data * 20),
    st.binary(max_size=6),
    st.lists(st.integers(1, 400), max_size=30),
    st.integers(0, 70_000),
)
@settings(max_examples=200, deadline=None)
def test_every_split_of_the_octets_gives_the_same(
    at: int, body: bytes, tail: bytes, splits: list[int], limit: int
) -> None:
    name, pack = VARIANTS[at]
    data = pack(body) + (tail if name != "br" else b"")
    once = decode(name, data, limit)
    decoder = Decoder((name,), limit)
    position = 0
    for size in [*splits, len(data)]:
        decoder.feed(data[position : position + size])
        position += size
    assert (decoder.end(), decoder.full, decoder.body()) == (once[1], once[0].full, once[0].body())


@given(st.sampled_from(["gzip", "deflate", "br", "zstd", "gzip, br", "zstd, deflate"]), st.binary(max_size=300))
@settings(max_examples=200)
def test_no_octets_raise(codings: str, data: bytes) -> None:
    decoder, _ = decode(codings, data, 1000)
    body = decoder.body()
    assert (body is None) == (decoder.undecodable is not None)
    assert body is None or len(body) <= 1000
