"""The decoders of the Encoding Standard where Python's codecs differ."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers.decoders import decode_as, encode_query

NAMES = [
    "utf-8", "utf-16le", "utf-16be", "ibm866", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6",
    "iso-8859-7", "iso-8859-8", "iso-8859-8-i", "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15",
    "iso-8859-16", "koi8-r", "koi8-u", "macintosh", "windows-874", "windows-1250", "windows-1251", "windows-1252",
    "windows-1253", "windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258", "x-mac-cyrillic",
    "gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr", "replacement", "x-user-defined",
]  # fmt: skip


@pytest.mark.parametrize(
    ("encoding", "body", "text"),
    [
        ("windows-1252", b"\x80\x81\x8d\x9d", "€\x81\x8d\x9d"),
        ("windows-1251", b"\x98\xcf", "\x98П"),
        ("windows-1253", b"\xaa\xd2\xe1", "\ufffd\ufffdα"),
        ("windows-1255", b"\xca\xd9", "\u05ba\ufffd"),
        ("windows-1257", b"\xa1\x81", "\ufffd\x81"),
        ("windows-874", b"\xdb\x81\xa1", "\ufffd\x81ก"),
        ("koi8-u", b"\xae\xbe\xa4", "ўЎє"),
        ("macintosh", b"\xdb", "€"),
        ("x-user-defined", b"a\x80\xff", "a\uf780\uf7ff"),
        ("replacement", b"<script>", "\ufffd"),
        ("replacement", b"", ""),
        ("utf-16le", b"\x00\xd8a\x00\x01", "\ufffda\ufffd"),
        ("utf-8", b"\xf0\x9f\x98a\xed\xa0\x80", "\ufffda\ufffd\ufffd\ufffd"),
        ("gbk", b"\x80\xa3\xa0\xfe\x59\xa6\xd9", "€\u3000\u9fb4\ufe10"),
        ("gbk", b"\x81<\x81\xff\xff", "\ufffd<\ufffd\ufffd"),
        ("gb18030", b"\x94\x39\xda\x33", "💩"),
        ("gb18030", b"\x84\x31a\x84\x31\x84a\x84\x31\xa5\x30", "\ufffd1a\ufffd1刟\ufffd"),
        ("gb18030", b"a\x84\x31", "a\ufffd"),
        ("gb18030", b"a\x84\x31\x84", "a\ufffd"),
        ("gb18030", b"a\x84", "a\ufffd"),
        ("gb18030", b"\xe3\x32\x9a\x36", "\ufffd"),
        ("gb18030", b"\x81\x35\xf4\x37\xa8\xbca\xb0\x81\x35\xf4\x37", "\ue7c7ḿa皝5\ufffd"),
        ("big5", b"\xa1\x45\xa3\xe1\x87\x7a\xfe\xdd", "‧€㡵砉"),
        ("big5", b"\xa2\x41\xa2\x42\xa1\xfe\xa2\x40", "∕﹨／＼"),
        ("big5", b"\x88\x62\xff<\x81<\x81\xff", "\xca\u0304\ufffd<\ufffd<\ufffd"),
        ("euc-jp", b"\xad\xa1\xa1\xc1\xa1\xdd\x8f\xa2\xb7", "①～－～"),
        ("euc-jp", b"\x8e\xb1\x8e<\x8f\xb0\xa1\x8f\xa1<\x90a", "ｱ\ufffd<丂\ufffd<\ufffda"),
        ("euc-jp", b"\x8f\xa1\xff\xa1", "\ufffd\ufffd"),
        ("euc-jp", b"a\x8f\xa1", "a\ufffd"),
        ("euc-jp", b"\xa9\xa1\xfe\xfe", "\ufffd\ufffd"),
        ("shift_jis", b"\x80\xa0\xb1\x82\xa0\xfd", "\x80\ufffdｱあ\ufffd"),
        ("shift_jis", b"\x81<\x81\xff\xf0\x40", "\ufffd<\ufffd\ue000"),
        ("euc-kr", b"\xb0\xa1\x81\x41\xc9\xa1\xc9<", "가갂\ufffd\ufffd<"),
        ("iso-2022-jp", b"a\x1b$B$\"0!\x1b(Jb\\~\x1b(I1\x1b(Bc", "aあ亜b¥‾ｱc"),
        ("iso-2022-jp", b"\x1b$@0!\x1b(B\x1b(Ja\xff\x0e", "亜\ufffda\ufffd\ufffd"),
        ("iso-2022-jp", b"\x1b$B0\x1b(Ba\x1b", "\ufffda\ufffd"),
        ("iso-2022-jp", b"\x1b(Ia\x7f", "\ufffd\ufffd"),
        # An octet that is no lead byte is an error of its own, one that is no trail byte goes with its lead byte.
        ("iso-2022-jp", b"\x1b$B \x00\n0!\x800\n0!", "\ufffd\ufffd\ufffd亜\ufffd\ufffd亜"),
        ("iso-2022-jp", b"\x1b$B0\x1b(Ja", "\ufffda"),
        ("iso-2022-jp", b"\x1b$B\x1b0!0", "\ufffd亜\ufffd"),
        ("iso-2022-jp", b"\x1b$B)!-!", "\ufffd①"),
    ],
)  # fmt: skip
def test_sequences(encoding: str, body: bytes, text: str) -> None:
    assert decode_as(body, encoding) == text


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(LookupError):
        decode_as(b"a", "nosuch")
    with pytest.raises(LookupError):
        decode_as(b"a", "utf-7")


@pytest.mark.parametrize("encoding", NAMES)
def test_ascii_is_ascii(encoding: str) -> None:
    text = "A plain text, <b>~1~</b>\n"
    if encoding in ("utf-16le", "utf-16be", "replacement"):
        return
    assert decode_as(text.encode(), encoding) == text


@given(st.sampled_from(NAMES), st.binary(max_size=300))
def test_every_octet_sequence_gives_a_storable_text(encoding: str, body: bytes) -> None:
    decode_as(body, encoding).encode()


@given(
    st.sampled_from(["gbk", "gb18030", "big5", "euc-jp", "shift_jis", "euc-kr"]),
    st.lists(
        st.sampled_from([b"<", b">", b"a", b"\x81", b"\xa1", b"\xfe", b"\xff", b"\x8e", b"\x8f", b"0"]), max_size=40
    ),
)
def test_an_invalid_lead_never_swallows_markup(encoding: str, parts: list[bytes]) -> None:
    text = decode_as(b"".join(parts), encoding)
    assert text.count("<") == parts.count(b"<")


@pytest.mark.parametrize(
    ("text", "encoding", "octets"),
    [
        ("é", "utf-8", b"\xc3\xa9"),
        ("é", "windows-1252", b"\xe9"),
        ("中", "gbk", b"\xd6\xd0"),
        ("中", "windows-1251", b"&#20013;"),
        ("é", "utf-16le", b"\xc3\xa9"),
        ("あ", "shift_jis", b"\x82\xa0"),
        ("ж", "x-mac-cyrillic", b"\xe6"),
    ],
)
def test_a_query_is_sent_in_the_encoding_of_the_page(text: str, encoding: str, octets: bytes) -> None:
    assert encode_query(text, encoding) == octets
