"""extract over a store."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_lab import DAY, StoreLab

from polite_crawler.errors import BadOption, NotStored
from polite_crawler.query.extract import MAX_FIELDS
from polite_crawler.query.store import Store, open_store
from polite_crawler.readers import plain
from polite_crawler.readers.office import file
from polite_crawler.readers.processes import close_workers
from polite_crawler.testsite.office import BODIES

URL = "https://site.example/focaccia"
DOC = "url:" + URL


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[StoreLab]:
    lab = StoreLab(tmp_path / "store")
    yield lab
    lab.close()


def opened(lab: StoreLab) -> Store:
    return open_store(lab.folder.path)


PAGE = b"""<!doctype html><title>Focaccia</title>
<script type="application/ld+json">{"@type": "Product", "name": "Focaccia", "offers": [{"price": "4.50"}]}</script>
<p>Focaccia costs 4,50 &euro; since March 4, 2026. Call (617) 555-1234 or
<a href="/shop?utm_source=x">the shop</a>.</p>"""


def test_the_fields_of_a_page(lab: StoreLab) -> None:
    capture = lab.body(URL, PAGE)
    with opened(lab) as store:
        result = store.extract(
            DOC,
            {
                "price": {"value": "4.50 EUR", "kind": "money"},
                "since": {"value": "2026-03-04", "kind": "date"},
                "phone": {"value": "+1 617 555 1234", "kind": "phone"},
                "offer": {"value": "4.50", "kind": "json-ld:Product.offers.price"},
                "shop": {"value": "https://site.example/shop", "kind": "url"},
                "name": "Focaccia",
                "rooms": 12,
            },
        )
        text = store.read(DOC).text
        quote = store.verify(DOC, str(result.fields["price"].raw), capture=result.fields["price"].capture)
    assert (result.doc, result.capture, result.fetched_at) == (DOC, capture.id, capture.fetched_at)
    found = {name: (one.status, one.normalization, one.path) for name, one in result.fields.items()}
    assert found == {
        "price": ("normalized", "decimal-comma+currency-symbol", None),
        "since": ("normalized", "month-name", None),
        "phone": ("normalized", "phone-digits+phone-country", None),
        "offer": ("verified", None, "jsonld[0].offers[0].price"),
        "shop": ("normalized", "url-form", "links[0]"),
        "name": ("verified", None, None),
        "rooms": ("not-found", None, None),
    }
    span = result.fields["price"].span
    assert span is not None
    assert (text[span.start : span.end], span.in_) == ("4,50 €", "text")
    assert quote.found
    assert {one.capture for one in result.fields.values()} == {capture.id, None}
    assert result.summary == {"verified": 2, "normalized": 4, "ambiguous": 0, "not-found": 1, "held-back": 0}
    assert not result.holds


def test_of_a_capture_and_of_a_time(lab: StoreLab) -> None:
    first = lab.page(URL, "price 4 EUR", at=0)
    lab.page(URL, "price 5 EUR", at=DAY)
    fields = {"price": {"value": "4 EUR", "kind": "money"}}
    with opened(lab) as store:
        assert store.extract(DOC, fields).fields["price"].status == "not-found"
        of_capture = store.extract(DOC, fields, capture=first.id)
        assert of_capture.holds
        assert of_capture == store.extract(DOC, fields, at="2026-03-01T18:00:00Z")
        early = store.extract(DOC, fields, at="2020-01-01")
    assert (early.capture, early.fetched_at, early.fields["price"].status) == (None, None, "not-found")


def test_a_held_back_page_is_no_oracle(lab: StoreLab) -> None:
    first = lab.page(URL, "price 4 EUR", at=0)
    held = lab.page(URL, "price 4 EUR", at=DAY, hold="noai")
    with opened(lab) as store:
        for options in ({}, {"capture": first.id}, {"at": "2026-03-01T18:00:00Z"}, {"at": "2020-01-01"}):
            there = store.extract(DOC, {"x": "4 EUR"}, **options)
            assert there == store.extract(DOC, {"x": "9 EUR"}, **options)
            assert (there.capture, there.fetched_at) == (None, None)
            assert there.summary["held-back"] == 1
            only = there.fields["x"]
            assert (only.status, only.span, only.path, only.raw, only.capture) == ("held-back", None, None, None, None)
        lifted = store.extract(DOC, {"x": "4 EUR"}, user_provided=True)
        assert (lifted.capture, lifted.fields["x"].status) == (held.id, "verified")


def test_the_whole_text_where_the_reader_cut(lab: StoreLab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain, "MAX_CHARS", 20)
    lab.page(URL, "The beginning. " * 5 + "It has 12 rooms.", content_type="text/plain")
    with opened(lab) as store:
        assert store.read(DOC).total == 20
        field = store.extract(DOC, {"rooms": 12}).fields["rooms"]
        begin = store.extract(DOC, {"begin": "beginning"}).fields["begin"]
    assert field.status == "verified"
    assert field.span is not None
    assert (field.span.in_, field.span.start) == ("full_text", 82)
    assert begin.span is not None
    assert begin.span.in_ == "text"


def test_the_whole_text_of_a_document_that_the_reader_cut(lab: StoreLab, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = file.read_office_page
    monkeypatch.setattr(file, "read_office_page", lambda body: whole(body, file.OfficeLimits(characters=20)))
    _, letter, content_type = BODIES["letter.docx"]
    lab.body(URL, letter(), content_type=content_type)
    with opened(lab) as store:
        assert store.read(DOC).total == 20
        field = store.extract(DOC, {"lit": 1871}).fields["lit"]
    close_workers()
    assert field.status == "verified"
    assert field.span is not None
    assert field.span.in_ == "full_text"


def test_bad_questions(lab: StoreLab) -> None:
    capture = lab.page(URL, "words")
    with opened(lab) as store:
        with pytest.raises(BadOption, match="no field"):
            store.extract(DOC, {})
        with pytest.raises(BadOption, match=f"more than {MAX_FIELDS}"):
            store.extract(DOC, {str(number): "x" for number in range(MAX_FIELDS + 1)})
        with pytest.raises(BadOption, match="bad kind"):
            store.extract(DOC, {"a": {"value": "x", "kind": "colour"}})
        with pytest.raises(BadOption, match="not the two"):
            store.extract(DOC, {"a": "x"}, capture=capture.id, at="2026-03-01")
        with pytest.raises(NotStored):
            store.extract("url:https://other.example/", {"a": "x"})


def test_a_cut_text_whose_body_is_gone_answers_by_what_is_kept(lab: StoreLab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain, "MAX_CHARS", 20)
    capture = lab.page(URL, "The beginning. " * 5 + "It has 12 rooms.", content_type="text/plain")
    assert capture.body is not None
    with opened(lab) as store:
        store.index.blobs.path(capture.body.sha256).unlink()
        result = store.extract(DOC, {"rooms": 12, "begin": "beginning"})
    assert [one.status for one in result.fields.values()] == ["not-found", "verified"]
