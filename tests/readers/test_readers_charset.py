"""The order in which the encoding of a body is found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers.charset import (
    LATE_PRESCAN,
    decode,
    detect,
    encoding_of_label,
    parse_content_type,
    prescan,
)

PAD = b"<!-- " + b"x" * 1100 + b" -->"
RUSSIAN = "Привет, мир".encode("windows-1251")


@pytest.mark.parametrize(
    ("body", "content_type", "encoding", "source"),
    [
        (b"\xef\xbb\xbf<p>a", "text/html; charset=koi8-r", "utf-8", "bom"),
        (b"\xfe\xff\x00<", None, "utf-16be", "bom"),
        (b"\xff\xfe<\x00", "text/html; charset=utf-8", "utf-16le", "bom"),
        (b"<meta charset=koi8-r>", "text/html; charset=windows-1251", "windows-1251", "http"),
        (b"<meta charset=koi8-r>", "text/html; charset=nosuch", "koi8-r", "meta"),
        (b"<meta charset=koi8-r>", "text/html", "koi8-r", "meta"),
        (b"<META CHARSET='KOI8-R'>", None, "koi8-r", "meta"),
        (b"<meta http-equiv=content-type content='text/html; charset=koi8-r'>", None, "koi8-r", "meta"),
        (b"<meta content='text/html; charset=koi8-r'>" + RUSSIAN, None, "windows-1252", "default"),
        (b"<meta charset=utf-16>", None, "utf-8", "meta"),
        (b"<meta charset=x-user-defined>", None, "windows-1252", "meta"),
        (b"<!-- <meta charset=koi8-r> -->" + RUSSIAN, None, "windows-1252", "default"),
        (b"<meta charset=koi8-r>", "text/plain", "windows-1252", "default"),
        (b"<meta charset=koi8-r>", "application/json", "utf-8", "content"),
        (b"<?xml version='1.0' encoding='koi8-r'?><a/>", "text/xml", "koi8-r", "xml"),
        (b"<?xml version='1.0' encoding='koi8-r'?><p>", "text/html", "koi8-r", "xml"),
        (b"<?xml version='1.0' encoding='nosuch'?><p>" + RUSSIAN, "text/html", "windows-1252", "default"),
        (b"<a/>", "application/rss+xml", "utf-8", "content"),
        ("<?xml version='1.0'?>".encode("utf-16-le"), None, "utf-16le", "xml"),
        ("<?xml version='1.0'?>".encode("utf-16-be"), None, "utf-16be", "xml"),
        ("<p>é".encode(), "text/html", "utf-8", "content"),
        ("<p>é".encode()[:-1], "text/html", "utf-8", "content"),
        (b"<p>\xe9t\xe9", "text/html", "windows-1252", "default"),
        (b"<p>plain", "text/html", "windows-1252", "default"),
        (PAD + b"<meta charset=windows-1251>" + RUSSIAN, "text/html", "windows-1251", "late-meta"),
        (PAD + b"<meta charset=windows-1251>" + "Привет".encode(), "text/html", "utf-8", "content"),
        (b"x" * LATE_PRESCAN + b"<meta charset=windows-1251>" + RUSSIAN, "text/html", "windows-1252", "default"),
        (b"", None, "windows-1252", "default"),
    ],
)
def test_the_first_source_that_names_an_encoding_counts(
    body: bytes, content_type: str | None, encoding: str, source: str
) -> None:
    assert detect(body, content_type) == (encoding, source)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ("", None)),
        ("", ("", None)),
        ("Text/HTML", ("text/html", None)),
        ("text/html;charset=utf-8", ("text/html", "utf-8")),
        ('text/html; a=b; Charset = "UTF-8"', ("text/html", "UTF-8")),
        ("text/html; charset='latin1'", ("text/html", "latin1")),
        ('text/html; charset="koi8-r', ("text/html", "koi8-r")),
        ("text/html; xcharset=a", ("text/html", None)),
        ("text/html; charset=", ("text/html", None)),
        ("; charset=utf-8", ("", "utf-8")),
    ],
)
def test_content_type(value: str | None, expected: tuple[str, str | None]) -> None:
    assert parse_content_type(value) == expected


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"<a title='<meta charset=koi8-r>'><meta charset=big5>", "big5"),
        (b"</a title='<meta charset=koi8-r>'><meta charset=big5>", "big5"),
        (b"<!doctype html><meta charset=big5>", "big5"),
        (b"<?php <meta charset=koi8-r> ?>", None),
        (b"< meta charset=koi8-r>", None),
        (b"<metadata charset=koi8-r>", None),
        (b"<meta/charset=koi8-r>", "koi8-r"),
        (b"<meta charset = koi8-r >", "koi8-r"),
        (b"<meta charset=koi8-r charset=big5>", "koi8-r"),
        (b"<meta charset=nosuch><meta charset=big5>", "big5"),
        (b"<meta charset=>", None),
        (b"<meta charset='koi8-r", None),
        (b"<meta charset=koi8-r", None),
        (b"<meta name=a content=\"charset='koi8-r'\" http-equiv='Content-Type'>", "koi8-r"),
        (b"<meta http-equiv=content-type content='charset x; charset=koi8-r'>", "koi8-r"),
        (b"<meta http-equiv=content-type content='text/html'>", None),
        (b"<!-- open", None),
        (b"<! open", None),
        (b"<", None),
        (b"<a", None),
        (b"<3 <meta charset=big5>", "big5"),
        (b"", None),
    ],
)
def test_prescan(head: bytes, expected: str | None) -> None:
    assert prescan(head) == expected


def test_labels() -> None:
    assert encoding_of_label("Latin1 ") == "windows-1252"
    assert encoding_of_label(b"sjis") == "shift_jis"
    assert encoding_of_label("utf8") == "utf-8"
    assert encoding_of_label("nosuch") is None
    assert encoding_of_label(None) is None


def test_the_text_has_no_byte_order_mark() -> None:
    assert decode("\ufeffa".encode(), None).text == "a"
    assert decode(b"\xff\xfea\x00", None).text == "a"
    assert decode("\ufeffa".encode("utf-16-be"), None).text == "a"


def test_the_header_rules_over_the_octets() -> None:
    found = decode("é".encode(), "text/html; charset=iso-8859-1")
    assert (found.text, found.encoding, found.source) == ("Ã©", "windows-1252", "http")


@given(st.binary(max_size=400), st.sampled_from([None, "text/html", "text/plain", "text/html; charset=gbk"]))
def test_every_body_has_a_text(body: bytes, content_type: str | None) -> None:
    found = decode(body, content_type)
    assert found.text.encode().decode() == found.text


@given(st.text(alphabet=st.sampled_from("<>metacharset=\"'!-/ \tk8?x;"), max_size=200))
def test_prescan_never_fails(text: str) -> None:
    found = prescan(text.encode())
    assert found is None or encoding_of_label(found) == found
