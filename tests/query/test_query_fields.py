"""The check of field values: a table written from the rules of the format, and the rules as properties."""

import random
from typing import Any

import pytest
from fields_table import LINKS, PAGE, TABLE
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.errors import BadOption
from polite_crawler.query.claims import KINDS, Claim, claim_of, is_kind, parse_field
from polite_crawler.query.evidence import NORMALIZATIONS, STATUSES, Evidence, FieldSpan
from polite_crawler.query.fields import MAX_CANDIDATES, check_field, check_fields
from polite_crawler.query.jsonld_paths import values_at


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
