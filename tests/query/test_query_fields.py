"""The check of field values: a table written from the rules of the format, and the rules as properties."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.errors import BadOption
from polite_crawler.query.claims import KINDS, Claim, claim_of, is_kind, parse_field
from polite_crawler.query.evidence import NORMALIZATIONS, STATUSES, Evidence, FieldSpan
from polite_crawler.query.fields import MAX_CANDIDATES, check_field, check_fields
from polite_crawler.query.jsonld_paths import values_at

VERIFIED, AMBIGUOUS, NOT_FOUND = "verified", "ambiguous", "not-found"

# kind, value, text, and either a status or the names of the normalizations
TABLE: list[tuple[str, Any, str, str]] = [
    # text: verified
    ("text", "Focaccia", "Our Focaccia is warm", VERIFIED),
    ("text", "Ann", "Anna", VERIFIED),
    ("text", "10.1000/xyz123", "doi:10.1000/xyz123.", VERIFIED),
    ("text", "Mo-Fr 07:00-15:00", "Hours: Mo-Fr 07:00-15:00", VERIFIED),
    ("text", "日本", "日本語", VERIFIED),
    ("text", "a\nb", "a\nb", VERIFIED),
    # text: normalized
    ("text", "Forno Esempio", "Forno\n  Esempio", "white-space"),
    ("text", "Forno Esempio", "Forno\u00a0Esempio", "white-space"),
    ("text", "Joe's", "Joe’s", "typography"),
    ("text", "1914-1918", "1914–1918", "typography"),
    ("text", "cooperation", "co\u00adoperation", "typography"),
    ("text", "Café", "Cafe\u0301", "typography"),
    ("text", "office", "oﬃce", "typography"),
    ("text", "focaccia", "FOCACCIA", "case"),
    ("text", "STRASSE", "Straße", "case"),
    ("text", "Joe's  place", "Joe’s place", "white-space+typography"),
    ("text", "joe's  place", "Joe’s place", "white-space+typography+case"),
    ("text", "the  place", "THE place", "white-space+case"),
    ("text", "JOE'S", "Joe’s", "typography+case"),
    # text: not found
    ("text", "IT", "with it", "case"),
    ("text", "IT", "with", NOT_FOUND),
    ("text", "Cafe", "Café", NOT_FOUND),
    ("text", "102 km", "10² km", NOT_FOUND),
    ("text", "now here", "nowhere", NOT_FOUND),
    ("text", "one … three", "one two three", NOT_FOUND),
    ("text", "**bold**", "bold", NOT_FOUND),
    ("text", "Pane", "Focaccia", NOT_FOUND),
    # number: verified
    ("number", "12", "It has 12 rooms", VERIFIED),
    ("number", 12, "It has 12 rooms", VERIFIED),
    ("number", 4.5, "rated 4.5 of 5", VERIFIED),
    ("number", "1,234", "about 1,234 people", VERIFIED),
    ("number", "1.234", "about 1.234 people", VERIFIED),
    ("number", 1.234, "1.234 seconds", VERIFIED),
    ("number", "-5", "it is -5 outside", VERIFIED),
    ("number", "12", "12.", VERIFIED),
    ("number", "12", "12kg", VERIFIED),
    ("number", "12", "10-12", VERIFIED),
    ("number", "12", "1,234 and 12", VERIFIED),
    ("number", 1234, "1,234 and 1234", VERIFIED),
    ("number", "about 5", "it takes about 5 minutes", VERIFIED),
    # number: normalized
    ("number", "1234.5", "1,234.5", "thousands-separator"),
    ("number", "1234.5", "1.234,5", "thousands-separator+decimal-comma"),
    ("number", "1234.5", "1,234.50", "thousands-separator+number-form"),
    ("number", "1234.5", "1'234.5", "thousands-separator"),
    ("number", "1234567", "1,234,567", "thousands-separator"),
    ("number", "1234567", "1.234.567", "thousands-separator"),
    ("number", "123456", "1,23,456", "thousands-separator"),
    ("number", "1234", "1 234", "thousands-separator"),
    ("number", "1234", "1\u00a0234", "thousands-separator"),
    ("number", "1234", "1\u202f234", "thousands-separator"),
    ("number", "1234", "1’234", "thousands-separator"),
    ("number", "12.50", "12,50", "decimal-comma"),
    ("number", "12.5", "12,50", "decimal-comma+number-form"),
    ("number", "12,50", "12.50", "decimal-comma"),
    ("number", "1234.567", "1234,567", "decimal-comma"),
    ("number", "0.123", "0,123", "decimal-comma"),
    ("number", 12, "12.00", "number-form"),
    ("number", 4.5, "4.50", "number-form"),
    ("number", "7", "007", "number-form"),
    ("number", "0.5", ".5", "number-form"),
    ("number", "5", "+5", VERIFIED),
    ("number", "-5", "−5", "number-form"),
    ("number", "4.5", "٤٫٥", "decimal-comma+number-form"),
    ("number", "1000", "1e3", "number-form"),
    ("number", "1,234.5", "1234.5", "thousands-separator"),
    ("number", 1234, "1,234 or 1,234.0", "thousands-separator+number-form"),
    # number: ambiguous
    ("number", 1234, "1,234", AMBIGUOUS),
    ("number", 1234, "1.234", AMBIGUOUS),
    ("number", 1.234, "1,234", AMBIGUOUS),
    ("number", "1,234", "1234", AMBIGUOUS),
    ("number", "1.234", "1234", AMBIGUOUS),
    ("number", "1,234", "no number at all", AMBIGUOUS),
    ("number", "12345", "12,345", AMBIGUOUS),
    # number: not found
    ("number", "4", "14", NOT_FOUND),
    ("number", "12", "12.50", NOT_FOUND),
    ("number", "12", "112", NOT_FOUND),
    ("number", "5", "-5", NOT_FOUND),
    ("number", "4", "A4", NOT_FOUND),
    ("number", "3", "2026-03-04", NOT_FOUND),
    ("number", "30.0", "10:30", NOT_FOUND),
    ("number", "102", "10²", NOT_FOUND),
    ("number", "12", "version 1.12.3", NOT_FOUND),
    ("number", "1200000", "1.2 million", NOT_FOUND),
    ("number", "twelve", "12", NOT_FOUND),
    # money: verified
    ("money", "4.50 EUR", "Bread 4.50 EUR", VERIFIED),
    ("money", "€4.50", "Bread €4.50", VERIFIED),
    ("money", "$12", "only $12!", VERIFIED),
    ("money", "12 kr", "only 12 kr.", VERIFIED),
    ("money", "4.50", "Bread 4.50", VERIFIED),
    # money: normalized
    ("money", "4.50 EUR", "€4.50", "currency-symbol"),
    ("money", "4.50 EUR", "4.50 €", "currency-symbol"),
    ("money", "4.50 EUR", "4,50 €", "decimal-comma+currency-symbol"),
    ("money", "4.5 EUR", "€4.50", "number-form+currency-symbol"),
    ("money", "USD 12", "US$12", "currency-symbol"),
    ("money", "12 USD", "$12 USD", VERIFIED),
    ("money", "12 GBP", "£12", "currency-symbol"),
    ("money", "10 BRL", "R$ 10", "currency-symbol"),
    ("money", "100 CZK", "100 Kč", "currency-symbol"),
    ("money", "€4.50", "EUR 4.50", "currency-code"),
    ("money", "4.50 EUR", "EUR 4.50", "currency-code"),
    ("money", "4.50 EUR", "4.50EUR", "white-space"),
    ("money", "4.50 EUR", "4.50\u00a0EUR", "white-space"),
    ("money", "4.50 EUR", "4,50 EUR", "decimal-comma"),
    ("money", "1299 EUR", "1.299,00 EUR", "thousands-separator+decimal-comma+number-form"),
    ("money", "1299 GBP", "£1,299.00", "thousands-separator+number-form+currency-symbol"),
    ("money", "15 TRY", "15 try or 15 ₺", "currency-symbol"),
    ("money", "-5 EUR", "-€5", "currency-symbol"),
    # money: ambiguous
    ("money", "USD 12", "$12", AMBIGUOUS),
    ("money", "12 SEK", "12 kr", AMBIGUOUS),
    ("money", "500 JPY", "¥500", AMBIGUOUS),
    ("money", "1234 EUR", "1,234 EUR", AMBIGUOUS),
    ("money", "1.299 KWD", "KWD 1,299", AMBIGUOUS),
    ("money", "$12", "USD 12", AMBIGUOUS),
    ("money", "€1,234", "€1234", AMBIGUOUS),
    ("money", "$12", "$12.50", AMBIGUOUS),
    # money: not found
    ("money", "15 TRY", "15 try", NOT_FOUND),
    ("money", "12 EUR", "12  EUR", NOT_FOUND),
    ("money", "12 EUR", "12\nEUR", NOT_FOUND),
    ("money", "12 EUR", "12 USD", NOT_FOUND),
    ("money", "12 EUR", "EUROS 12", NOT_FOUND),
    ("money", "12 USD", "US$12.50", NOT_FOUND),
    ("money", "12 USD", "C$12", NOT_FOUND),
    ("money", "4.50", "4.5 EUR", NOT_FOUND),
    ("money", "5 EUR", "€-5", NOT_FOUND),
    ("money", "free", "0 EUR", NOT_FOUND),
    # date: verified
    ("date", "2026-03-04", "on 2026-03-04.", VERIFIED),
    ("date", "2026-03-04", "2026-03-04T10:00:00Z", VERIFIED),
    ("date", "03/04/2026", "valid until 03/04/2026", VERIFIED),
    ("date", "March 4", "every March 4", VERIFIED),
    ("date", "4 March 2026", "on 4 March 2026", VERIFIED),
    # date: normalized
    ("date", "2026-03-04", "4 March 2026", "month-name"),
    ("date", "2026-03-04", "March 4, 2026", "month-name"),
    ("date", "2026-03-04", "March 4th, 2026", "month-name"),
    ("date", "2026-03-04", "4. März 2026", "month-name"),
    ("date", "2026-03-04", "4 de marzo de 2026", "month-name"),
    ("date", "2026-03-04", "4 марта 2026", "month-name"),
    ("date", "2026-03-04", "2026年3月4日", "month-name"),
    ("date", "2026-10-17", "17/10/2026", "date-order"),
    ("date", "2026-10-17", "10/17/2026", "date-order"),
    ("date", "2026-03-04", "04.03.2026", "date-order"),
    ("date", "2026-03-03", "03/03/2026", "date-order"),
    ("date", "2026-03-04", "2026/03/04", "date-order"),
    ("date", "2026-10-17", "17/10/26", "date-order+two-digit-year"),
    ("date", "2026-03-04", "4-Mar-26", "month-name+two-digit-year"),
    ("date", "1999-12-31", "31.12.99", "date-order+two-digit-year"),
    ("date", "March 4, 2026", "2026-03-04", "month-name"),
    ("date", "4 March 2026", "March 4, 2026", "date-order"),
    ("date", "4 March 2026", "4 Mar 2026", "month-name"),
    ("date", "4 March 2026", "4 MARCH 2026", "case"),
    ("date", "2026-03-04", "03/04/2026 is 4 March 2026", "month-name"),
    # date: ambiguous
    ("date", "2026-03-04", "03/04/2026", AMBIGUOUS),
    ("date", "2026-04-03", "03/04/2026", AMBIGUOUS),
    ("date", "2026-03-04", "03-04-26", AMBIGUOUS),
    ("date", "2026-11-04", "4 listopada 2026", AMBIGUOUS),
    ("date", "03/04/2026", "2026-03-04", AMBIGUOUS),
    ("date", "03/04/2026", "no date", AMBIGUOUS),
    # date: not found
    ("date", "2026-03-04", "March 4", NOT_FOUND),
    ("date", "2026-03-04", "March 2026", NOT_FOUND),
    ("date", "2026-03-04", "5 March 2026", NOT_FOUND),
    ("date", "2026-03-04", "1.2026.03.04", NOT_FOUND),
    ("date", "2026-03-04", "may 4 2026", NOT_FOUND),
    ("date", "2026-02-30", "30 February 2026", NOT_FOUND),
    ("date", "2026-03-04T10:00", "4 March 2026", NOT_FOUND),
    # url
    ("url", "https://example.com/a", "see https://example.com/a.", VERIFIED),
    ("url", "example.com", "see example.com", VERIFIED),
    ("url", "example.com", "see https://example.com/", VERIFIED),
    ("url", "https://example.com", "https://example.com/ is it", VERIFIED),
    ("url", "https://example.com/a", "HTTPS://EXAMPLE.com:443/a", "url-form"),
    ("url", "https://example.com/", "https://example.com", "url-form"),
    ("url", "https://example.com/a", "https://example.com/x/../a#part", "url-form"),
    ("url", "https://example.com/a", "https://example.com/a?utm_source=x", "url-form"),
    ("url", "https://example.com/%7Eme", "https://example.com/~me", "url-form"),
    ("url", "https://bücher.example/", "https://xn--bcher-kva.example/", "url-form"),
    ("url", "https://www.example.com/", "www.example.com", AMBIGUOUS),
    ("url", "example.com/x", "https://example.com/x/../x#y", AMBIGUOUS),
    ("url", "https://example.com/a", "https://example.com/ab", NOT_FOUND),
    ("url", "https://example.com/a", "http://example.com/a", NOT_FOUND),
    ("url", "https://example.com/a?x=1&y=2", "https://example.com/a?y=2&x=1", NOT_FOUND),
    ("url", "https://example.com/a", "https://www.example.com/a", NOT_FOUND),
    ("url", "not a url", "https://example.com/", NOT_FOUND),
    # email
    ("email", "info@example.com", "Mail info@example.com.", VERIFIED),
    ("email", "mailto:info@example.com", "Mail info@example.com.", VERIFIED),
    ("email", "Info@Example.com", "info@example.com", "email-case"),
    ("email", "info@example.co", "info@example.com", NOT_FOUND),
    ("email", "fo@example.com", "info@example.com", NOT_FOUND),
    ("email", "info", "info@example.com", NOT_FOUND),
    # phone
    ("phone", "+1 617 555 1234", "+1 617 555 1234", VERIFIED),
    ("phone", "112", "call 112", VERIFIED),
    ("phone", "+1 617 555 1234", "+1 (617) 555-1234", "phone-digits"),
    ("phone", "+16175551234", "+1-617-555-1234", "phone-digits"),
    ("phone", "+1 617 555 1234", "617 555 1234", "phone-country"),
    ("phone", "+1 617 555 1234", "(617) 555-1234", "phone-digits+phone-country"),
    ("phone", "+44 20 7946 0958", "020 7946 0958", "phone-digits+phone-country"),
    ("phone", "+44 20 7946 0958", "0044 20 7946 0958", "phone-digits"),
    ("phone", "020 7946 0958", "+44 (0)20 7946 0958", "phone-digits+phone-country"),
    ("phone", "555-1234", "617-555-1234", "phone-country"),
    ("phone", "555-1234", "617-555-1234, +1 617 555 1234", "phone-country"),
    ("phone", "555-1234", "617-555-1234 or 212-555-1234", AMBIGUOUS),
    ("phone", "555-1234", "(617) 555 1234 and (212) 555 1234", AMBIGUOUS),
    ("phone", "617 555 1234", "+1 617-555-1234, +44 617-555-1234", AMBIGUOUS),
    ("phone", "+1 617 555 1234", "555-1234", AMBIGUOUS),
    ("phone", "+1 617 555 1234", "+1 617 555 1235", NOT_FOUND),
    ("phone", "+1 617 555 1234", "+44 617 555 1234", NOT_FOUND),
    ("phone", "555-1234", "sku A5551234", NOT_FOUND),
    ("phone", "112", "1123", NOT_FOUND),
]


def check(kind: str, value: Any, text: str, **more: Any) -> Any:
    return check_fields(text, {}, {"field": claim_of({"value": value, "kind": kind})}, **more)["field"]


@pytest.mark.parametrize(("kind", "value", "text", "expected"), TABLE)
def test_statuses(kind: str, value: Any, text: str, expected: str) -> None:
    result = check(kind, value, text)
    if expected in STATUSES:
        assert (result.status, result.normalization) == (expected, None)
    else:
        assert (result.status, result.normalization) == ("normalized", expected)
    if result.status in ("verified", "normalized"):
        assert result.span is not None
        assert text[result.span.start : result.span.end] == result.raw
        assert result.candidates == ()
    elif result.status == "ambiguous":
        assert (result.span, result.raw) == (None, None)
        assert result.candidates
        for candidate in result.candidates:
            assert candidate.span is None or text[candidate.span.start : candidate.span.end] == candidate.raw
    else:
        assert result.candidates == ()


def test_the_table_is_long_and_knows_each_kind() -> None:
    assert len(TABLE) >= 150
    assert {row[0] for row in TABLE} == {kind for kind in KINDS if not kind.endswith(":")}
    names = {name for row in TABLE if row[3] not in STATUSES for name in row[3].split("+")}
    assert names == set(NORMALIZATIONS)


@pytest.mark.parametrize("row", TABLE)
def test_the_full_text_answers_where_the_reader_cut(row: tuple[str, Any, str, str]) -> None:
    kind, value, text, _ = row
    alone = check(kind, value, text)
    kept = "The beginning.\n"
    result = check(kind, value, kept, full_text=kept + text)
    assert (result.status, result.normalization) == (alone.status, alone.normalization)
    if alone.span:
        assert result.span == FieldSpan(alone.span.start + len(kept), alone.span.end + len(kept), "full_text")


def test_a_place_in_the_stored_text_is_named_so() -> None:
    assert check("number", "12", "has 12 rooms", full_text="has 12 rooms and 13 beds").span == FieldSpan(4, 6, "text")
    other = check("number", "13", "has 12 rooms", full_text="rewritten: 13 beds")
    assert other.span == FieldSpan(11, 13, "full_text")
    assert check("number", "12", "has 12 rooms", full_text="rewritten").span == FieldSpan(4, 6, "text")


def test_candidates_name_the_meanings_and_are_bounded() -> None:
    result = check("number", 1234, "1,234 " * 3)
    assert [one.meanings for one in result.candidates] == [("1234", "1.234")] * 3
    assert len(check("number", 1234, "x 1,234 y " * 100).candidates) == MAX_CANDIDATES
    lone = check("date", "03/04/2026", "none")
    assert [(one.raw, one.meanings) for one in lone.candidates] == [("03/04/2026", ("2026-04-03", "2026-03-04"))]


LINKS = {"links": [{"url": "https://e.com/a", "text": "a"}, {"url": "https://e.com/b?x=1"}, "https://e.com/c", {}, 5]}


@pytest.mark.parametrize(
    ("value", "status", "path", "normalization"),
    [
        ("https://e.com/a", "verified", "links[0]", None),
        ("https://E.com/b?x=1#top", "normalized", "links[1]", "url-form"),
        ("https://e.com/c", "verified", "links[2]", None),
        ("https://e.com/d", "not-found", None, None),
        ("e.com/a", "ambiguous", None, None),
    ],
)
def test_links(value: str, status: str, path: str | None, normalization: str | None) -> None:
    result = check_fields("no url here", LINKS, {"u": Claim(value, "url")})["u"]
    assert (result.status, result.path, result.normalization, result.span) == (status, path, normalization, None)
    if status == "ambiguous":
        assert [one.path for one in result.candidates] == ["links[0]"]


PAGE = {
    "jsonld": [
        {
            "@type": "Product",
            "name": "Focaccia",
            "description": "Warm  “bread”",
            "offers": [
                {"@type": "Offer", "price": "4,50", "priceCurrency": "EUR", "url": "https://e.com/buy?a=1#x"},
                {"@type": "Offer", "price": 4.75, "validFrom": "2026-03-04T10:00", "available": True},
            ],
            "weight": {"@value": "1,234"},
            "brand": {"@id": "#forno"},
            "sku": ["A1", ["B2"]],
            "nothing": None,
            "note.txt": "dotted",
        },
        {
            "@type": ["http://schema.org/Brand", "schema:Thing"],
            "@id": "#forno",
            "name": "Forno",
            "founded": "03/04/1999",
        },
    ]
}


@pytest.mark.parametrize(
    ("path", "value", "status", "where", "normalization", "raw"),
    [
        ("Product.name", "Focaccia", "verified", "jsonld[0].name", None, "Focaccia"),
        ("Product.name", "focaccia", "normalized", "jsonld[0].name", "case", "Focaccia"),
        ("Product.name", "Focacci", "not-found", None, None, None),
        ("Product.description", 'Warm "bread"', "normalized", "jsonld[0].description", "white-space+typography",
         "Warm  “bread”"),
        ("Product.offers.price", "4.50", "normalized", "jsonld[0].offers[0].price", "decimal-comma", "4,50"),
        ("Product.offers.price", "4.75", "verified", "jsonld[0].offers[1].price", None, 4.75),
        ("Product.offers.price", "4.7500", "normalized", "jsonld[0].offers[1].price", "number-form", 4.75),
        ("Product.offers.price", "4.750", "ambiguous", None, None, None),
        ("Product.offers.price", 4.75, "verified", "jsonld[0].offers[1].price", None, 4.75),
        ("Offer.price", "4,50", "verified", "jsonld[0].offers[0].price", None, "4,50"),
        ("Offer.price", "9", "not-found", None, None, None),
        ("Offer.validFrom", "2026-03-04", "verified", "jsonld[0].offers[1].validFrom", None, "2026-03-04T10:00"),
        ("Offer.validFrom", "March 4, 2026", "normalized", "jsonld[0].offers[1].validFrom", "month-name",
         "2026-03-04T10:00"),
        ("Offer.validFrom", "03/04/2026", "ambiguous", None, None, None),
        ("Offer.url", "https://E.com/buy?a=1", "normalized", "jsonld[0].offers[0].url", "url-form",
         "https://e.com/buy?a=1#x"),
        ("Offer.url", "e.com/buy?a=1", "ambiguous", None, None, None),
        ("Offer.available", "true", "verified", "jsonld[0].offers[1].available", None, True),
        ("Product.weight", "1234", "ambiguous", None, None, None),
        ("Product.weight", "1,234", "verified", "jsonld[0].weight.@value", None, "1,234"),
        ("Product.brand.name", "Forno", "verified", "jsonld[1].name", None, "Forno"),
        ("Product.brand.@id", "#forno", "verified", "jsonld[0].brand.@id", None, "#forno"),
        ("Product.sku", "B2", "verified", "jsonld[0].sku[1][0]", None, "B2"),
        ("Brand.name", "Forno", "verified", "jsonld[1].name", None, "Forno"),
        ("Thing.name", "Forno", "verified", "jsonld[1].name", None, "Forno"),
        ("Brand.founded", "1999-04-03", "ambiguous", None, None, None),
        ("*.name", "Forno", "verified", "jsonld[1].name", None, "Forno"),
        ("*.price", "4,50", "not-found", None, None, None),
        ("Product.nothing", "null", "not-found", None, None, None),
        ("Product.brand", "Forno", "not-found", None, None, None),
        ("product.name", "Focaccia", "not-found", None, None, None),
        ("Person.name", "Focaccia", "not-found", None, None, None),
    ],
)  # fmt: skip
def test_jsonld(path: str, value: Any, status: str, where: str | None, normalization: str | None, raw: Any) -> None:
    result = check_fields("", PAGE, {"x": claim_of({"value": value, "kind": "json-ld:" + path})})["x"]
    assert (result.status, result.path, result.normalization, result.raw) == (status, where, normalization, raw)
    assert result.span is None
    assert bool(result.candidates) == (status == "ambiguous")


def test_jsonld_of_a_page_without_any() -> None:
    claim = {"x": Claim("a", "json-ld:Product.name")}
    assert check_fields("a", {}, claim)["x"].status == "not-found"
    assert check_fields("a", {"jsonld": "broken"}, claim)["x"].status == "not-found"


def test_references_to_each_other_end() -> None:
    records = [{"@type": "A", "@id": "#a", "b": {"@id": "#b"}}, {"@id": "#b", "a": {"@id": "#a"}, "name": "x"}]
    assert list(values_at(records, "A.b.a.b.name")) == [("jsonld[1].name", "x")]


def test_deep_records_are_read() -> None:
    record: dict[str, Any] = {"@type": "Deep", "name": "x"}
    for _ in range(60):
        record = {"in": [record]}
    assert [value for _, value in values_at([record], "Deep.name")] == ["x"]


@pytest.mark.parametrize(
    ("option", "name", "claim"),
    [
        ("price=4.50 EUR:money", "price", Claim("4.50 EUR", "money")),
        ("name=Focaccia", "name", Claim("Focaccia")),
        ("a=b=c", "a", Claim("b=c")),
        ("hours=Mo 10:30", "hours", Claim("Mo 10:30")),
        ("site=https://e.com/", "site", Claim("https://e.com/")),
        ("site=https://e.com/:url", "site", Claim("https://e.com/", "url")),
        ("x=a:text:url", "x", Claim("a:text", "url")),
        ("offer=4.50:json-ld:Product.offers.price", "offer", Claim("4.50", "json-ld:Product.offers.price")),
        ("x=1:json-ld:a:text", "x", Claim("1", "json-ld:a:text")),
        ("x=a:colour", "x", Claim("a:colour")),
    ],
)
def test_options(option: str, name: str, claim: Claim) -> None:
    assert parse_field(option) == (name, claim)


@pytest.mark.parametrize("option", ["", "name", "=value", " =v", "name=", "name=  ", "name=:money", "n=" + "x" * 3000])
def test_bad_options(option: str) -> None:
    with pytest.raises(BadOption):
        parse_field(option)


@pytest.mark.parametrize(
    "value",
    [True, None, [], {"value": "a", "kind": "colour"}, {"kind": "text"}, {"value": "a", "sort": 1}, float("inf"),
     {"value": "a", "kind": "json-ld:"}, {"value": "a", "kind": "json-ld:a..b"}, Claim("a", "colour")],
)  # fmt: skip
def test_bad_values(value: Any) -> None:
    with pytest.raises(BadOption):
        claim_of(value)


def test_kinds_by_default() -> None:
    assert claim_of("4.50") == Claim("4.50", "text")
    assert claim_of(4.5) == Claim("4.5", "number", 4.5)
    assert claim_of({"value": 4, "kind": "text"}) == Claim("4", "text", 4)
    assert is_kind("json-ld:*.name")
    assert not is_kind("json-ld:")


VALUES = st.text(st.sampled_from("0123456789,. €$-/EURMarch:@+e4"), min_size=1, max_size=14).filter(str.strip)
PLAIN_KINDS = [kind for kind in KINDS if not kind.endswith(":")]


@given(VALUES, st.sampled_from(PLAIN_KINDS), VALUES)
def test_no_value_raises_and_spans_hold(value: str, kind: str, text: str) -> None:
    whole = f"Begin {text} end"
    result = check(kind, value, whole)
    assert result.status in STATUSES
    if result.span:
        assert whole[result.span.start : result.span.end] == result.raw
    if result.normalization:
        names = result.normalization.split("+")
        assert names == sorted(names, key=NORMALIZATIONS.index)


@given(st.integers(0, 10**7), st.integers(0, 99), st.sampled_from(["EUR", "USD", "GBP"]))
def test_an_amount_with_cents_has_one_meaning(whole: int, cents: int, code: str) -> None:
    value = f"{whole}.{cents:02} {code}"
    for text in (f"{whole:,}.{cents:02} {code}", f"{whole:,}".replace(",", ".") + f",{cents:02} {code}"):
        assert check("money", value, f"It costs {text} now").status in ("verified", "normalized")
        assert check("money", f"{whole + 1}.{cents:02} {code}", f"It costs {text} now").status == "not-found"


def test_the_time_is_linear_counted_in_steps() -> None:
    units = ["1,234 ", "$5 € ", "4 March 2026 ", "a@b.c ", "+1 617 555 1234 ", "https://e.com/a ", "12-12-12 ", "((("]
    random.Random(1).shuffle(units)
    claims = [claim_of({"value": "98765.5", "kind": kind}) for kind in PLAIN_KINDS]

    def steps(size: int) -> int:
        evidence = Evidence.of("".join(units) * size, {})
        for claim in claims:
            check_field(evidence, claim)
        return evidence.steps.count

    assert steps(400) <= 4.1 * steps(100)
