"""Microdata as records in the shape of JSON-LD, for the types that the JSON-LD of the page lacks.

Source: https://html.spec.whatwg.org/multipage/microdata.html, read by extruct.
"""

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, cast

from lxml import etree
from lxml.html import HtmlElement

from polite_crawler.readers.jsonld import types_of, walk
from polite_crawler.readers.scrub import clean_value

MAX_PROPERTIES = 3000
"""Properties of a page up to which its microdata is read."""
MAX_ITEMS = 1000
MAX_DEPTH = 8
"""Items, and items in items, up to which it is read: the reader visits the properties of an inner item again."""

_ITEM_TYPES = etree.XPath("//@itemtype")
_PROPERTIES = etree.XPath("count(//@itemprop)")
_ITEMS = etree.XPath("count(//@itemscope)")
_VALUED = etree.XPath("//*[@itemprop][not(@itemscope)]")
_HAS_HOURS = etree.XPath("boolean(//@itemprop[. = 'openingHours' or . = 'openingHoursSpecification'])")
_DEEP_ITEMS = etree.XPath(f"count(//*[@itemscope][count(ancestor::*[@itemscope]) > {MAX_DEPTH}])")
_VALUES = {"time": "datetime", "data": "value", "meter": "value", "input": "value", "a": "href", "link": "href"}
"""The attribute that holds the value of an element (HTML Standard, 5.2.4); `input` has none there."""
_WANTED = re.compile(
    r"schema\.org/(?:Product|ProductGroup|ProductModel|IndividualProduct|Vehicle|Car|Motorcycle|SoftwareApplication"
    r"|MobileApplication|Offer|AggregateOffer|LocalBusiness|Restaurant"
    r"|CafeOrCoffeeShop|Bakery|BarOrPub|Brewery|Winery|FastFoodRestaurant|FoodEstablishment|IceCreamShop|NightClub"
    r"|Store|\w+Store|\w+Shop|Hotel|Museum|Library|Place|TouristAttraction|\w+Business|Organization|Event|\w+Event"
    r"|Recipe|JobPosting|Book|Movie|Article|NewsArticle|BlogPosting)/?$",
    re.IGNORECASE,
)
_OFFERS = frozenset({"Offer", "AggregateOffer"})


def read_microdata(
    root: HtmlElement, url: str, records: Sequence[Mapping[str, Any]]
) -> tuple[list[Any], tuple[str, ...]]:
    """The top items of the wanted types that the JSON-LD `records` of the page lack, and notes. An item with offers, or
    with opening hours, is read also where no record has any: that of a review service is a Product, or a Restaurant,
    with its ratings alone."""
    found: Any = _ITEM_TYPES(root)
    if not found:
        return [], ()
    have = {name for record in records for name in types_of(record)}
    hours = bool(_HAS_HOURS(root)) and not any(_has_hours(record) for record in records)
    if not hours and not any(_wanted(itemtype) - have for itemtype in found):
        return [], ()
    if _count(_PROPERTIES, root) > MAX_PROPERTIES:
        return [], (f"no microdata: more than {MAX_PROPERTIES} properties",)
    if _count(_ITEMS, root) > MAX_ITEMS or _count(_DEEP_ITEMS, root):
        return [], (f"no microdata: more than {MAX_ITEMS} items, or items deeper than {MAX_DEPTH}",)
    items, notes = _extract(root, url)
    sold = any(_sells(record) for record in records)
    more = [(not sold and _sells(item)) or (hours and _has_hours(item)) for item in items]
    return [item for item, says_more in zip(items, more, strict=True) if says_more or set(types_of(item)) - have], notes


def _sells(record: Mapping[str, Any]) -> bool:
    """Whether a record, or one in it, has offers or is one."""
    return any(node.get("offers") or not _OFFERS.isdisjoint(types_of(node)) for node in walk(record))


def _has_hours(record: Mapping[str, Any]) -> bool:
    """Whether a record, or one in it, has opening hours."""
    return any(node.get("openingHours") or node.get("openingHoursSpecification") for node in walk(record))


def _count(path: etree.XPath, root: HtmlElement) -> float:
    return float(str(path(root)))


def _extract(root: HtmlElement, url: str) -> tuple[list[Any], tuple[str, ...]]:
    """The top items that have a type, and notes."""
    # extruct costs eight times the import of lxml, so it is loaded for a page that needs it.
    from extruct.w3cmicrodata import MicrodataExtractor

    try:
        make: Any = MicrodataExtractor
        items = make(strict=False).extract_items(_with_values(root), base_url=url)
        records = [record for item in items if (record := _record(item, MAX_DEPTH)) is not None]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        return [], (f"no microdata: {type(error).__name__}",)
    return [clean_value(record) for record in records if types_of(record)], ()


def _with_values(root: HtmlElement) -> HtmlElement:
    """The tree as extruct must see it: an element that lacks the attribute of its value has the one of `content`, as
    schema.org's examples write it, or its text: `<time itemprop="opens" content="09:00">9 am</time>`. It is a `data`
    element in a copy, of which extruct takes the value as it is."""
    if not any(_lacks_its_value(element) for element in _properties(root)):
        return root
    root = deepcopy(root)
    for element in _properties(root):
        if _lacks_its_value(element):
            said = element.get("content") or element.get(_VALUES[element.tag])
            element.set("value", said or " ".join(element.text_content().split()))
            element.tag = "data"
    return root


def _properties(root: HtmlElement) -> list[HtmlElement]:
    return cast(list[HtmlElement], _VALUED(root))


def _lacks_its_value(element: HtmlElement) -> bool:
    name = _VALUES.get(element.tag)
    return name is not None and (element.get(name) is None or element.tag == "input")


def _wanted(itemtype: str) -> set[str]:
    return {name.rstrip("/").rpartition("/")[2] for name in itemtype.split() if _WANTED.search(name)}


def _record(item: Any, depth: int) -> Any:
    """extruct's item (`type`, `properties`, `id`) in the shape of JSON-LD."""
    if depth <= 0 or not isinstance(item, dict) or "properties" not in item:
        return None
    record: dict[str, Any] = {}
    kinds = item.get("type")
    names = [
        str(kind).rstrip("/").rpartition("/")[2] for kind in (kinds if isinstance(kinds, list) else [kinds]) if kind
    ]
    if names:
        record["@type"] = names[0] if len(names) == 1 else names
    if item.get("id"):
        record["@id"] = item["id"]
    for name, value in item["properties"].items():
        values = [_value(one, depth) for one in (value if isinstance(value, list) else [value])]
        record[name] = values[0] if len(values) == 1 else values
    return record


def _value(value: Any, depth: int) -> Any:
    return _record(value, depth - 1) if isinstance(value, dict) else value
