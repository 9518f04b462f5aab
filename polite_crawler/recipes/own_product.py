"""Which product record of a page is the page's own, and which records are variants of it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urljoin, urlsplit

from polite_crawler.readers.jsonld import types_of
from polite_crawler.recipes.offers import as_list, name_of

VARIANT_PARAMS = ("variant", "sku", "gtin")
"""The parameters of a URL that name a variant."""


def pick(products: Sequence[dict[str, Any]], urls: Sequence[str]) -> dict[str, Any] | None:
    """The product of the page at `urls`, the asked and the canonical one: that whose url or @id is the page, else that
    whose offer is sold there, else one with offers that names no other page, else one with offers. Of several, the
    largest."""
    own = [one for one in products if is_page(one, urls)] or [one for one in products if _sells_here(one, urls)]
    sold = [one for one in products if offering(one)]
    chosen = own or [one for one in sold if not names_another(one)] or sold or list(products)
    return max(chosen, key=lambda one: (offering(one), _size(one)), default=None)


def offering(record: Mapping[str, Any]) -> bool:
    """Whether a product has offers, or variants that can have them."""
    return bool(record.get("offers") or record.get("hasVariant"))


def names_another(record: Mapping[str, Any]) -> bool:
    """Whether a record that is not of this page names the page of its own, as related products do."""
    named = (absolute("https://page.invalid/", name) for name in as_list(record.get("url")) if isinstance(name, str))
    return any(parts is not None and parts.path.strip("/") for parts in named)


def _size(record: Mapping[str, Any]) -> int:
    return len(json.dumps(record, default=str, ensure_ascii=False))


def is_page(record: Mapping[str, Any], urls: Sequence[str]) -> bool:
    """Whether the url or the @id of a record, or of one of its variants, is the page."""
    parts = [record, *(one for one in as_list(record.get("hasVariant")) if isinstance(one, Mapping))]
    named = [one.get(key) for one in parts for key in ("url", "@id")]
    return any(_same_page(name, url) for value in named for name in as_list(value) for url in urls)


def _sells_here(record: Mapping[str, Any], urls: Sequence[str]) -> bool:
    offered = [one for one in as_list(record.get("offers")) if isinstance(one, Mapping)]
    return any(_same_page(name, url) for one in offered for name in as_list(one.get("url")) for url in urls)


def _same_page(name: object, url: str) -> bool:
    if not isinstance(name, str) or not name.strip() or name.strip().startswith("#"):
        return False
    ours, theirs = urlsplit(url), absolute(url, name)
    if theirs is None or _host(ours.hostname) != _host(theirs.hostname):
        return False
    if unquote(ours.path).rstrip("/") != unquote(theirs.path).rstrip("/"):
        return False
    if not ours.path.strip("/") and theirs.fragment:
        return False
    asked, named = dict(parse_qsl(ours.query)), dict(parse_qsl(theirs.query))
    return all(asked[key] == value for key, value in named.items() if key in asked and key not in VARIANT_PARAMS)


def absolute(base: str, name: str) -> SplitResult | None:
    """The parts of a URL that a record names; None for one that is none."""
    try:
        return urlsplit(urljoin(base, name.strip()))
    except ValueError:
        return None


def _host(name: str | None) -> str:
    return (name or "").removeprefix("www.")


def same_product(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two records are of one product: one sku, or one name."""
    for key in ("sku", "productID", "name"):
        mine, theirs = name_of(one.get(key)), name_of(other.get(key))
        if mine and theirs:
            return mine.casefold() == theirs.casefold()
    return False


def is_of_group(variant: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    """Whether a product says that it is a variant of a group, by its id or its @id."""
    if "ProductGroup" not in types_of(record):
        return False
    ids = {name_of(record.get("productGroupID")), name_of(record.get("@id"))} - {None}
    outer = [one for one in as_list(variant.get("isVariantOf")) if isinstance(one, Mapping)]
    said = [variant.get("inProductGroupWithID"), *(one.get(key) for one in outer for key in ("@id", "productGroupID"))]
    return any(name_of(value) in ids for value in said)


def is_size(one: Mapping[str, Any], record: Mapping[str, Any], urls: Sequence[str]) -> bool:
    """Whether two products of a page are one in two sizes: one name, one page, another sku."""
    mine, theirs = (name_of(item.get("sku")) for item in (record, one))
    if not mine or not theirs or mine == theirs or name_of(one.get("name")) != name_of(record.get("name")):
        return False
    return all(is_page(item, urls) or _sells_here(item, urls) for item in (record, one))


def group_of(
    picked: dict[str, Any] | None, products: Sequence[dict[str, Any]], urls: Sequence[str]
) -> dict[str, Any] | None:
    """The group of a variant when the page has it, but not of a variant whose own page it is."""
    group = next((one for one in products if picked is not None and is_of_group(picked, one)), None)
    if picked is None or group is None:
        return picked
    own = [one for one in products if is_of_group(one, group) and is_page(one, urls)]
    return picked if len(own) == 1 and not is_page(group, urls) else group
