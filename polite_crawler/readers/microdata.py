"""Microdata as records in the shape of JSON-LD, for the types that the JSON-LD of the page lacks.

Source: https://html.spec.whatwg.org/multipage/microdata.html, read by extruct.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from polite_crawler.readers.scrub import clean_value

MAX_PROPERTIES = 3000
"""Properties of a page up to which its microdata is read."""
MAX_ITEMS = 1000
MAX_DEPTH = 8
"""Items, and items in items, up to which it is read: the reader visits the properties of an inner item again."""

_ITEM_TYPES = etree.XPath("//@itemtype")
_PROPERTIES = etree.XPath("count(//@itemprop)")
_ITEMS = etree.XPath("count(//@itemscope)")
_DEEP_ITEMS = etree.XPath(f"count(//*[@itemscope][count(ancestor::*[@itemscope]) > {MAX_DEPTH}])")
_VALUES = {"time": "datetime", "data": "value", "meter": "value", "input": "value", "a": "href", "link": "href"}
"""The attribute that holds the value of an element (HTML Standard, 5.2.4); `input` has none there."""
_WANTED = re.compile(
    r"schema\.org/(?:Product|ProductGroup|ProductModel|IndividualProduct|Offer|AggregateOffer|LocalBusiness|Restaurant"
    r"|CafeOrCoffeeShop|Bakery|BarOrPub|Brewery|Winery|FastFoodRestaurant|FoodEstablishment|IceCreamShop|NightClub"
    r"|Store|\w+Store|\w+Shop|Hotel|Museum|Library|Place|TouristAttraction|\w+Business|Organization|Event|\w+Event"
    r"|Recipe|JobPosting|Book|Movie|Article|NewsArticle|BlogPosting)/?$"
)


def read_microdata(root: HtmlElement, url: str, known: Iterable[str]) -> tuple[list[Any], tuple[str, ...]]:
    """The top items of the wanted types that are not in `known` (bare type names), and notes."""
    have = set(known)
    found: Any = _ITEM_TYPES(root)
    if not any(_wanted(itemtype) - have for itemtype in found):
        return [], ()
    if _count(_PROPERTIES, root) > MAX_PROPERTIES:
        return [], (f"no microdata: more than {MAX_PROPERTIES} properties",)
    if _count(_ITEMS, root) > MAX_ITEMS or _count(_DEEP_ITEMS, root):
        return [], (f"no microdata: more than {MAX_ITEMS} items, or items deeper than {MAX_DEPTH}",)
    return _extract(root, url, have)


def _count(path: etree.XPath, root: HtmlElement) -> float:
    return float(str(path(root)))


def _extract(root: HtmlElement, url: str, have: set[str]) -> tuple[list[Any], tuple[str, ...]]:
    # extruct costs eight times the import of lxml, so it is loaded for a page that needs it.
    from extruct.w3cmicrodata import MicrodataExtractor

    try:
        make: Any = MicrodataExtractor
        extractor = make(strict=False)
        extractor._extract_property_value = _tolerant(extractor._extract_property_value)
        items = extractor.extract_items(root, base_url=url)
        records = [record for item in items if (record := _record(item, MAX_DEPTH)) is not None]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        return [], (f"no microdata: {type(error).__name__}",)
    kept = [record for record in records if _wanted_names(record) - have]
    return [clean_value(record) for record in kept], ()


def _tolerant(value_of: Callable[..., Any]) -> Callable[..., Any]:
    """extruct's reader of a value, but an element that lacks the attribute of its value has the one of `content`, as
    schema.org's examples write it, or its text: `<time itemprop="opens" content="09:00">9 am</time>`."""

    def read(node: Any, *args: Any, **options: Any) -> Any:
        name = _VALUES.get(node.tag)
        if name is None or node.get("itemscope") is not None or (node.get(name) is not None and node.tag != "input"):
            return value_of(node, *args, **options)
        return node.get("content") or node.get(name) or " ".join(node.text_content().split())

    return read


def _wanted(itemtype: str) -> set[str]:
    return {name.rstrip("/").rpartition("/")[2] for name in itemtype.split() if _WANTED.search(name)}


def _wanted_names(record: dict[str, Any]) -> set[str]:
    found = record.get("@type")
    return {f for f in (found if isinstance(found, list) else [found]) if isinstance(f, str)}


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
