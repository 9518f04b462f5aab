"""Requests as octets: they come back as they were, without a secret; what has no form is refused."""

from pathlib import Path

import pytest
from frontier_lab import OTHER, PARAMS, SPIDER
from scrapy import FormRequest, Request

from polite_crawler.scheduling.request_codec import HasSecret, NotStorable, decode, encode

STORABLE = [
    Request("http://a.example/"),
    Request("http://a.example/x?b=1", callback=SPIDER.got, errback=SPIDER.failed, priority=-3, dont_filter=True),
    Request("http://a.example/", method="HEAD", headers={"Accept": ["text/html", "*/*"], "X-Odd": "ü"}, flags=["a"]),
    Request("http://a.example/", meta={"depth": 2, "t": (1, b"\xff"), "s": {1}, "f": frozenset("a"), "n": None}),
    Request("http://a.example/", meta={"d": {1: "int key", (2, 3): [True, 1.5]}, "dict": {"tuple": []}}),
    Request("http://a.example/", cb_kwargs={"name": "\ud800", "more": ["http://b.example/?q=1"]}, encoding="latin-1"),
    FormRequest("http://a.example/"),
]


@pytest.mark.parametrize("request_", STORABLE, ids=lambda request: str(request.meta or request.cb_kwargs or request))
def test_a_request_comes_back_as_it_was(request_: Request):
    copy = decode(encode(request_, SPIDER, PARAMS), SPIDER)
    assert type(copy) is type(request_)
    assert copy.to_dict(spider=SPIDER) == request_.to_dict(spider=SPIDER)
    assert {type(value) for value in copy.meta.values()} == {type(value) for value in request_.meta.values()}


def test_a_plain_request_takes_few_bytes():
    assert len(encode(Request("http://a.example/some/page"), SPIDER, PARAMS)) < 60


def test_what_belongs_to_one_way_through_the_engine_is_left_out():
    request = Request("http://a.example/", meta={"polite": object(), "download_slot": "a", "download_latency": 1.0})
    assert decode(encode(request, SPIDER, PARAMS), SPIDER).meta == {}


SECRETS = [
    Request("http://user:word@a.example/"),
    Request("http://a.example/?token=t0psecret"),
    Request("http://a.example/?next=http%3A%2F%2Fb.example%2F%3Ftoken%3Dt0psecret"),
    Request("http://a.example/", headers={"Authorization": "Basic dDBwc2VjcmV0"}),
    Request("http://a.example/", headers={"Cookie": "a=t0psecret"}),
    Request("http://a.example/", headers={"X-Api-Key": "t0psecret"}),
    Request("http://a.example/", headers={"X-From": "http://b.example/?token=t0psecret"}),
    Request("http://a.example/", cookies={"a": "t0psecret"}),
    Request("http://a.example/", method="POST", body=b"password=t0psecret"),
    Request("http://a.example/", meta={"redirect_urls": ["http://b.example/?token=t0psecret"]}),
    Request("http://a.example/", cb_kwargs={"deep": {"er": ("http://b.example/?token=t0psecret",)}}),
]


@pytest.mark.parametrize("request_", SECRETS, ids=str)
def test_a_secret_is_no_bytes(request_: Request):
    with pytest.raises(HasSecret):
        encode(request_, SPIDER, PARAMS)


def test_a_referer_loses_its_secret_as_it_does_when_it_is_sent():
    for referer, kept in (
        ("http://b.example/?token=t0psecret", [b"http://b.example/"]),
        ("http://b.example/page#part", [b"http://b.example/page"]),
        ("no url", []),
    ):
        copy = decode(encode(Request("http://a.example/", headers={"Referer": referer}), SPIDER, PARAMS), SPIDER)
        assert copy.headers.getlist("Referer") == kept


NOT_STORABLE = [
    Request("http://a.example/", callback=lambda response: None),
    Request("http://a.example/", callback=OTHER.got),
    Request("http://a.example/", callback=SPIDER._Pages__private),  # type: ignore[attr-defined]
    Request("http://a.example/", meta={"object": object()}),
    Request("http://a.example/", cb_kwargs={"path": Path("x")}),
]


@pytest.mark.parametrize("request_", NOT_STORABLE, ids=["lambda", "other spider", "private", "meta", "cb_kwargs"])
def test_what_has_no_form_is_refused_and_never_changed(request_: Request):
    with pytest.raises(NotStorable) as raised:
        encode(request_, SPIDER, PARAMS)
    assert not isinstance(raised.value, HasSecret)


DAMAGED = [
    b"",
    b"[]",
    b"{}",
    b"{\xff",
    b'{"url":"no scheme"}',
    b'{"url":5}',
    b'{"url":"http://a/","callback":"gone"}',
    b'{"url":"http://a/","callback":"name"}',
    b'{"url":"http://a/","class":"os.system"}',
    b'{"url":"http://a/","class":"nowhere.at.all"}',
    b'{"url":"http://a/","meta":{"dict":[1]}}',
    b'{"url":"http://a/","meta":{"os":[1]}}',
    b'{"url":"http://a/","meta":{"a":1,"b":2}}',
    b'{"url":"http://a/","headers":{"A":"x","B":[1]}}',
]


@pytest.mark.parametrize("data", DAMAGED)
def test_damaged_bytes_are_one_error(data: bytes):
    with pytest.raises(NotStorable):
        decode(data, SPIDER)
