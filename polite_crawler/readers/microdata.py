"""Microdata as records in the shape of JSON-LD, for the types that the JSON-LD of the page lacks.

Source: https://html.spec.whatwg.org/multipage/microdata.html, read by extruct.
"""

import re
from collections.abc import Iterable
from typing import Any

from lxml.html import HtmlElement

from polite_crawler.readers.scrub import clean_value

MAX_PROPERTIES = 3000
"""Properties of a page up to which its microdata is read."""
_MAX_NESTING = 40

_WANTED = re.compile(
    r"schema\.org/(?:Product|ProductGroup|ProductModel|IndividualProduct|Offer|AggregateOffer|LocalBusiness|Restaurant"
    r"|CafeOrCoffeeShop|Bakery|BarOrPub|Brewery|Winery|FastFoodRestaurant|FoodEstablishment|IceCreamShop|NightClub"
    r"|Store|\w+Store|\w+Shop|Hotel|Museum|Library|Place|TouristAttraction|\w+Business|Organization|Event|\w+Event"
    r"|Recipe|JobPosting|Book|Movie|Article|NewsArticle|BlogPosting)/?$"
)


def read_microdata(root: HtmlElement, url: str, known: Iterable[str]) -> tuple[list[Any], tuple[str, ...]]:
    """The top items of the wanted types that are not in `known` (bare type names), and notes."""
    have = set(known)
    missing = False
    properties = 0
    for element in root.iter():
        if not isinstance(element.tag, str) or not element.attrib:
            continue
        if element.get("itemprop") is not None:
            properties += 1
        elif element.get("itemscope") is not None:
            missing = missing or bool(_wanted(element.get("itemtype", "")) - have)
    if not missing:
        return [], ()
    if properties > MAX_PROPERTIES:
        return [], (f"no microdata: more than {MAX_PROPERTIES} properties",)
    return _extract(root, url, have)


def _extract(root: HtmlElement, url: str, have: set[str]) -> tuple[list[Any], tuple[str, ...]]:
    # extruct costs eight times the import of lxml, so it is loaded for a page that needs it.
    from extruct.w3cmicrodata import MicrodataExtractor

    try:
        extractor: Any = MicrodataExtractor
        items = extractor(strict=False).extract_items(root, base_url=url)
        records = [record for item in items if (record := _record(item, _MAX_NESTING)) is not None]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        return [], (f"no microdata: {type(error).__name__}",)
    kept = [record for record in records if _wanted_names(record) - have]
    return [clean_value(record) for record in kept], ()


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
