"""Records as no honest page has them: a reader gives what it can, and raises nothing."""

from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.readers.hours import from_schema_org
from polite_crawler.recipes.product import product_of
from polite_crawler.recipes.venue import phone_of, readings_of

URL = "https://shop.example/p/1?variant=a"
PLACE = {"address": "12 Mill Lane", "lat": 1.0, "lon": 2.0}
KEYS = [
    "@type", "@id", "@graph", "url", "name", "image", "contentUrl", "sku", "gtin13", "brand", "mainEntity", "offers",
    "price", "priceCurrency", "lowPrice", "priceSpecification", "priceType", "availability", "seller", "hasVariant",
    "model", "productGroupID", "inProductGroupWithID", "openingHours", "openingHoursSpecification", "dayOfWeek",
    "opens", "closes", "validFrom", "validThrough", "department", "address", "streetAddress", "geo", "latitude",
    "longitude", "telephone",
]  # fmt: skip
LEAVES = [
    None, True, 0, -1, 3.5, float("nan"), float("inf"), "", "a", "9.90", "EUR", "€ 5", "InStock", "Product",
    "ProductGroup", "Offer", "AggregateOffer", "Restaurant", URL, "//[bad", "http://[::1", "http://h:99999999/", "#x",
    "Monday", "Mo-Fr 09:00-17:00", "09:00", "2026-01-01", "12 Mill Lane", "4006381333931", "\ud800",
]  # fmt: skip
TYPES = st.sampled_from(["Product", "ProductGroup", "Offer", "Restaurant", ["Restaurant", None]])


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    objects = st.dictionaries(st.sampled_from(KEYS), inner, max_size=6)
    typed = st.builds(lambda kind, facts: {**facts, "@type": kind}, TYPES, objects)
    return st.one_of(st.lists(inner, max_size=3), objects, typed)


RECORDS = st.lists(st.recursive(st.sampled_from(LEAVES), _nested, max_leaves=20), max_size=3)


@dataclass
class Stored:
    """A stored version."""

    meta: dict[str, Any]
    doc: str = "url:https://a.example/"
    url: str = "https://a.example/"
    text: str = "12 Mill Lane\nOpen Mon 9am-5pm"
    capture: str = "fetch.a"


@given(RECORDS)
def test_no_record_breaks_a_reader(records: list[Any]) -> None:
    stored = Stored({"jsonld": records, "microdata": records})

    assert product_of(records, URL).found in (True, False)
    assert from_schema_org(records).inferred in (True, False)
    assert any(one.from_ == "text" for one in readings_of(stored, location=PLACE, name="a"))
    assert phone_of(stored, location=PLACE) is None or phone_of(stored)


def test_urls_that_are_none_name_no_page_and_no_image() -> None:
    offer = {"@type": "Offer", "url": "http://[::1", "price": "2", "priceCurrency": "EUR"}
    product = product_of([{"@type": "Product", "url": "//[bad", "image": "http://[::1", "offers": offer}], URL)

    assert (product.found, product.image, product.variant) == (True, None, None)
