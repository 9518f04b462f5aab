"""From a capture to documents: what a reader may see of a body, and which captures give a document."""

import gzip
import zlib
from dataclasses import replace
from typing import Any

import brotli
import pytest
from store_lab import digest

from polite_crawler.readers.page import Link, Page
from polite_crawler.store.blobs import BlobError
from polite_crawler.store.decoding import UndecodableBody
from polite_crawler.store.document import Document, structural
from polite_crawler.store.projection import (
    archived_from,
    content_type,
    documents_of,
    gives_documents,
    header,
    headers,
    read_body,
    read_page,
)
from polite_crawler.store.record import KINDS, OUTCOMES, Body, Capture, Decoded, Redaction, ResponseHead, Time, utc

C = "http://c.example/"
TEXT = b"<title>T</title><p>the token is s3cret and again s3cret</p>"


def capture(received: bytes = TEXT, coding: str | None = None, data: bytes | None = TEXT, **fields: Any) -> Capture:
    facts: dict[str, Any] = {
        "kind": "fetch",
        "outcome": "ok",
        "body": Body(
            digest(received),
            len(received),
            coding,
            decoded=Decoded(digest(data), len(data)) if data is not None else None,
        ),
        "response": ResponseHead("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"),
    }
    return Capture(url="http://Example.com:80/a#x", time=Time(utc(0)), **(facts | fields)).sealed()


DEFLATE = zlib.compressobj(wbits=-15)
CODED = [
    (None, TEXT), ("", TEXT), ("identity", TEXT), ("gzip", gzip.compress(TEXT)), ("x-gzip", gzip.compress(TEXT)),
    ("deflate", zlib.compress(TEXT)), ("deflate", DEFLATE.compress(TEXT) + DEFLATE.flush()),
    ("br", brotli.compress(TEXT)), ("gzip, br", brotli.compress(gzip.compress(TEXT))),
]  # fmt: skip


@pytest.mark.parametrize(("coding", "received"), CODED)
def test_the_content_coding_is_removed(coding: str | None, received: bytes) -> None:
    assert read_body(capture(received, coding), received) == TEXT


def test_a_cut_body_gives_what_was_kept() -> None:
    kept = TEXT[:20]
    assert read_body(capture(gzip.compress(TEXT), "gzip", kept), gzip.compress(TEXT)) == kept
    cut = gzip.compress(TEXT * 50)[:-20]
    data = zlib.decompressobj(31).decompress(cut)
    assert read_body(capture(cut, "gzip", data), cut) == data
    bomb = gzip.compress(b"\0" * 10_000_000)
    assert read_body(capture(bomb, "gzip", b"\0" * 5), bomb) == b"\0" * 5


def test_a_body_that_is_not_that_of_the_record_is_damage() -> None:
    with pytest.raises(BlobError, match="decoded SHA-256"):
        read_body(capture(gzip.compress(TEXT), "gzip"), gzip.compress(TEXT[::-1]))
    for coding, received in (("gzip", b"no gzip"), ("br", b"\xff\xff"), ("zstd", b"no"), ("sdch", TEXT)):
        with pytest.raises(UndecodableBody):
            read_body(capture(received, coding), received)


@pytest.mark.parametrize(
    ("at", "left"),
    [
        ((30, 6), b"<title>T</title><p>the token i******et and again s3cret</p>"),
        ((32, 6, 49, 6), b"<title>T</title><p>the token is ****** and again ******</p>"),
        ((54, 900), b"<title>T</title><p>the token is s3cret and again s3cre" + b"*" * 5),
        ((900, 5), TEXT),
        ((0, 0), TEXT),
    ],
)
@pytest.mark.parametrize("coding", [None, "gzip"])
def test_known_secrets_are_covered_octet_by_octet(at: tuple[int, ...], left: bytes, coding: str | None) -> None:
    received = gzip.compress(TEXT) if coding else TEXT
    found = read_body(capture(received, coding, redacted=(Redaction("body", len(at) // 2, at),)), received)
    assert found == left
    assert len(found) == len(TEXT)


def test_a_secret_reaches_no_document() -> None:
    one = capture(redacted=(Redaction("body", 2, (32, 6, 49, 6)),))
    documents = documents_of(one, read_page(one, read_body(one, TEXT)))
    assert "s3cret" not in repr(documents)
    assert "****** and again ******" in documents[0].text


def test_which_captures_give_documents() -> None:
    given = {
        (kind, outcome)
        for kind in KINDS
        for outcome in OUTCOMES
        if documents_of(capture(kind=kind, outcome=outcome, source={"original": C}), Page(text="x"))
    }
    assert given == {(kind, "ok") for kind in ("fetch", "render", "archive-copy", "import")}
    assert not gives_documents(capture(body=None))
    # one that was cut before anything came, whatever its coding
    for received, coding in ((b"", None), (gzip.compress(TEXT)[:12], "gzip")):
        assert not gives_documents(capture(received, coding, b""))
    # the exchange with an archive that brought a copy
    assert not gives_documents(capture(kind="archive-copy"))


def test_the_document_of_a_page() -> None:
    page = Page(
        kind="page", title="T", text="some text", main=((0, 4),), canonical="http://example.com/c", language="de",
        encoding="utf-8", links=(Link("http://b.example/", "b", ("nofollow",)), Link(C)),
        jsonld=({"@type": "Thing"},), meta={"description": "d"}, notes=("cut",),
    )  # fmt: skip
    (document,) = documents_of(capture(signals={"hold": None, "tdm": 1}), page)
    assert document == Document(
        doc="url:http://example.com/a", kind="page", title="T", text="some text", url="http://Example.com:80/a#x",
        main=((0, 4),),
        meta={
            "description": "d", "content_type": "text/html", "encoding": "utf-8", "language": "de", "size": len(TEXT),
            "signals": {"hold": None, "tdm": 1}, "canonical": "http://example.com/c", "jsonld": [{"@type": "Thing"}],
            "links": [{"url": "http://b.example/", "text": "b", "rel": ["nofollow"]}, {"url": C, "text": ""}],
            "notes": ["cut"],
        },
    )  # fmt: skip
    assert structural(document.meta, 9) == {
        "content_type": "text/html", "encoding": "utf-8", "language": "de", "size": len(TEXT), "chars": 9,
        "signals": {"hold": None, "tdm": 1},
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["archive-copy", "import"])
def test_a_copy_of_an_archive_is_a_document_of_its_own(kind: Any) -> None:
    source = {"source": "wayback", "timestamp": "2024-01-15T09:30:00Z", "original": "http://EXAMPLE.com/old"}
    one = capture(kind=kind, source=source)
    (document,) = documents_of(one, Page(text="x"))
    assert (document.doc, document.kind, document.url) == (
        "archive:http://example.com/old", "archived", "http://EXAMPLE.com/old",
    )  # fmt: skip
    assert archived_from(one) == {**source, "url": None, "record": None}
    assert archived_from(capture()) is None


def test_a_recipe_adds_documents_and_takes_the_place_of_the_page() -> None:
    def extract(body: bytes, one: Capture, page: Page) -> list[Document]:
        assert body == TEXT
        return [
            Document("menu:1", "menu-item", "one", "1", one.url),
            Document("url:http://example.com/a", "venue", "rich", page.text, one.url),
        ]

    one = capture(recipe="menu")
    found = documents_of(one, Page(text="x"), body=TEXT, extractors={"menu": extract})
    assert {document.doc: document.kind for document in found} == {
        "url:http://example.com/a": "venue",
        "menu:1": "menu-item",
    }
    copy = replace(one, kind="archive-copy", source={"original": C})
    assert [document.kind for document in documents_of(copy, Page(), body=TEXT, extractors={"menu": extract})] == [
        "archived"
    ]
    assert len(documents_of(one, Page(text="x"), body=TEXT, extractors={"other": extract})) == 1


def test_what_a_post_was_answered_is_read_by_its_recipe_alone() -> None:
    def extract(body: bytes, one: Capture, page: Page) -> list[Document]:
        return [Document("menu:1", "menu-item", "one", "1", one.url)]

    one = capture(recipe="menu", method="POST")
    found = documents_of(one, Page(text="x"), body=TEXT, extractors={"menu": extract})
    assert [document.doc for document in found] == ["menu:1"]
    assert documents_of(one, Page(text="x")) == ()


def test_the_fields_of_a_head() -> None:
    head = (
        "HTTP/1.1 200 OK\r\nA: 1\r\n folded\r\nSet-Cookie: a=REDACTED\r\nSet-Cookie: b=REDACTED\nno colon\r\n"
        "Empty:\r\n\r\n"
    )
    one = capture(response=ResponseHead(head))
    assert headers(one) == [
        ("A", "1 folded"),
        ("Set-Cookie", "a=REDACTED"),
        ("Set-Cookie", "b=REDACTED"),
        ("Empty", ""),
    ]
    assert header(one, "set-cookie") == "b=REDACTED"
    assert content_type(one) is None
    assert headers(capture(response=None)) == []
