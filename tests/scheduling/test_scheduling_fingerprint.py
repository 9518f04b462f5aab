"""When two requests are one."""

import pytest
from scrapy import Request

from polite_crawler.scheduling.fingerprint import Fingerprinter

SAME = [
    ("http://a.example", "http://a.example/"),
    ("http://a.example/x", "HTTP://A.Example:80/x"),
    ("http://a.example/x", "http://a.example./x"),
    ("http://a.example/x", "http://a.example/./y/../x"),
    ("http://a.example/x", "http://a.example/x#part"),
    ("http://a.example/x", "http://a.example/x?utm_source=mail"),
    ("http://a.example/~x", "http://a.example/%7Ex"),
    ("http://bücher.example/", "http://xn--bcher-kva.example/"),
]
DIFFERENT = [
    (Request("http://a.example/"), Request("https://a.example/")),
    (Request("http://a.example/?a=1&b=2"), Request("http://a.example/?b=2&a=1")),
    (Request("http://a.example/x"), Request("http://a.example/X")),
    (Request("http://a.example/"), Request("http://a.example/", method="HEAD")),
    (Request("http://a.example/", method="POST"), Request("http://a.example/", method="POST", body=b"x")),
    (Request("ftp://a.example/"), Request("ftp://b.example/")),
    (Request("http://a.example/\n"), Request("http://a.example/", body=b"\n")),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_spellings_of_one_url(one: str, other: str):
    fingerprint = Fingerprinter().fingerprint
    assert fingerprint(Request(one)) == fingerprint(Request(other))
    assert len(fingerprint(Request(one))) == 16


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_makes_a_difference(one: Request, other: Request):
    fingerprint = Fingerprinter().fingerprint
    assert fingerprint(one) != fingerprint(other)
