"""The product of a page, from its schema.org records: JSON-LD and microdata."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from polite_crawler.readers.jsonld import bare_names, by_id, follow, types_of
from polite_crawler.readers.page import Page
from polite_crawler.recipes.amounts import read_amount
from polite_crawler.recipes.gtins import GTINS, gtin_of
from polite_crawler.recipes.offers import OFFER_PROPERTIES, Offers, Price, as_list, name_of, read_offers
from polite_crawler.recipes.own_product import (
    VARIANT_PARAMS,
    absolute,
    group_of,
    is_of_group,
    is_size,
    names_another,
    offering,
    pick,
    same_product,
)

__all__ = ["Price", "Product", "Variant", "product_of", "read_amount", "records_of"]

NO_CURRENCY = "a price has no currency that its page names: it is not money"
BAD_GTIN = "the GTIN has a wrong check digit"

_TYPES = frozenset(
    {"product", "productgroup", "individualproduct", "productmodel", "someproducts", "productcollection", "book"}
    | {"vehicle", "car", "motorcycle", "drug", "dietarysupplement", "softwareapplication", "mobileapplication"}
)
"""Product and its subtypes that shops use, in lower case: some write them so."""

_OTHERS = frozenset(
    {"isRelatedTo", "isSimilarTo", "isAccessoryOrSparePartFor", "isConsumableFor", "itemListElement", "hasVariant"}
    | {"model", "isVariantOf", "review", "offers", "itemOffered", "mentions"}
)
_OFFERS = frozenset({"Offer", "AggregateOffer"})
_LINKED = ("seller", "priceSpecification", "offers")
_FACTS = ("brand", "manufacturer", "sku", "productID", "image", *GTINS)
_KNOWN = {name.lower(): name for name in ("name", *_FACTS, *OFFER_PROPERTIES)}
"""Properties that some shops write in another case, as `Availability`."""
_NESTING = 12


@dataclass(frozen=True, slots=True)
class Variant:
    """The variant that the URL of the page names."""

    sku: str | None
    gtin: str | None
    name: str | None
    price: Price | None
    availability: str | None


@dataclass(frozen=True, slots=True)
class Product:
    """What a page says of its product. `price` is the lowest one, `price_to` the highest when the offers give a range,
    both in the first currency of the offers. `availability` is a name of schema.org: InStock when one offer is.

    A page that names two prices has none, and the note says both. `found` is false for a page with no product of its
    own: the other facts are None then.
    """

    name: str | None = None
    brand: str | None = None
    sku: str | None = None
    gtin: str | None = None
    price: Price | None = None
    price_to: Price | None = None
    availability: str | None = None
    availabilities: tuple[str, ...] = ()
    variant: Variant | None = None
    seller: str | None = None
    image: str | None = None
    found: bool = False
    note: str | None = None


@dataclass(frozen=True, slots=True)
class _Page:
    """What the records of a page say together: its nodes by their @id, its products, its URL, and with that the
    canonical one."""

    nodes: Mapping[str, Any]
    products: tuple[dict[str, Any], ...]
    url: str
    urls: tuple[str, ...]

    def followed(self, value: object) -> list[Any]:
        """A value as a list, with the nodes that it names."""
        return [follow(one, self.nodes) for one in as_list(value)]

    def offers_of(self, record: Mapping[str, Any], variants: Sequence[Mapping[str, Any]]) -> Offers:
        """The offers of a product and of its variants."""
        parts = (record, *variants)
        return read_offers([self._linked(one, part) for part in parts for one in self.followed(part.get("offers"))])

    def named_by(self, record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """The variants that a product names."""
        named = self.followed(record.get("hasVariant")) + self.followed(record.get("model"))
        return [one for one in named if isinstance(one, Mapping)]

    def variants_of(self, record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        """The variants that a product names, those that name it, and the sizes that a shop lists as products."""
        others = [one for one in (*self.products, *self.nodes.values()) if one is not record]
        others = [one for one in others if is_of_group(one, record) or is_size(one, record, self.urls)]
        return list({id(one): one for one in self.named_by(record) + others}.values())

    def _linked(self, offer: Any, product: Mapping[str, Any]) -> Any:
        """An offer with the nodes that it names, and with the currency of its product if that alone has one."""
        if not isinstance(offer, Mapping):
            return offer
        linked = {key: self.followed(offer[key]) for key in _LINKED if offer.get(key)}
        return {"priceCurrency": product.get("priceCurrency"), **offer, **linked}


def records_of(page: Page) -> list[Any]:
    """The records of a page that can hold its product: JSON-LD, microdata, then the price metas of OpenGraph, and one
    with the canonical URL, which can be what the product names."""
    canonical = [{"@type": "WebPage", "@canonical": page.canonical}] if page.canonical else []
    return [*page.jsonld, *as_list(page.meta.get("microdata")), *_open_graph(page), *canonical]


def product_of(records: Sequence[Any], url: str) -> Product:
    """The product of the page at `url`, from its records. Pure: an earlier version reads the same way.

    It is the product whose url or @id is the page, else the largest one with offers or variants, else the largest
    one. A record that says less than another source of the same page is completed by it.
    """
    records = bare_names(list(records), _KNOWN)
    nodes = by_id(records)
    candidates = list(_products(records, nodes))
    # OpenGraph metas say little: they complete a record, and stand for one only where there is no other
    said = [one for one in candidates if not one.get("@og")]
    canonical = [one.get("@canonical") for one in records if isinstance(one, dict)]
    urls = (url, *(one for one in canonical if isinstance(one, str) and absolute(url, one) is not None))
    picked = group_of(pick(said, urls), said, urls) or pick(candidates, urls)
    if picked is None:
        return Product()
    page = _Page(nodes, tuple(said), url, urls)
    offers = page.offers_of(picked, page.variants_of(picked))
    if (doubt := _doubt(offers, candidates, url)) is not None:
        product = _read(picked, offers, page)
        return replace(product, price=None, price_to=None, note="; ".join(filter(None, (doubt, product.note))))
    others = [one for one in candidates if one is not picked and (one.get("@og") or same_product(one, picked))]
    sold = [one for one in said if offering(one)]
    if not offering(picked) and len(sold) == 1 and not names_another(sold[0]):
        others.append(sold[0])  # the record of a review service names the page, the one of the shop has the offers
    return _read(_completed(picked, others), _offers_with(offers, others, page), page)


def _completed(picked: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A record with the facts that another syntax of the same page says of its product."""
    facts = {key: value for one in reversed(others) for key, value in one.items() if key in _FACTS and value}
    return {**facts, **{key: value for key, value in picked.items() if value or key not in facts}}


def _offers_with(offers: Offers, others: Sequence[dict[str, Any]], page: "_Page") -> Offers:
    """The offers with the prices, or the availability, that only another syntax of the same page says."""
    read = {id(one): page.offers_of(one, page.named_by(one)) for one in others}
    if not offers.money:
        best = pick([one for one in others if read[id(one)].money], page.urls)
        offers = read[id(best)] if best is not None else offers
    if not offers.availabilities:
        names = next((one.availabilities for one in read.values() if one.availabilities), ())
        offers = replace(offers, availabilities=names)
    return offers


def _doubt(offers: Offers, candidates: Sequence[Mapping[str, Any]], url: str) -> str | None:
    """Why the price of a page is not sure: its OpenGraph metas state one that none of its offers has, as those of an
    auction do. They know no variants, so a page of one is not held against them."""
    stated = next((read_offers(as_list(one.get("offers"))).lowest for one in candidates if one.get("@og")), None)
    low, high = offers.lowest, offers.highest or offers.lowest
    if stated is None or low is None or high is None or stated.currency != low.currency or _asked_variant(url):
        return None
    if low.value <= stated.value <= high.value:
        return None
    return f"the page names two prices: {low.raw} in its product data, {stated.raw} in its OpenGraph metas"


def _asked_variant(url: str) -> dict[str, str]:
    """The parameters of a URL that name a variant."""
    return {key: value for key, value in parse_qsl(urlsplit(url).query) if key.lower() in VARIANT_PARAMS and value}


def _read(record: Mapping[str, Any], offers: Offers, page: _Page) -> Product:
    gtin, bad = gtin_of(record, *offers.offers)
    notes = [BAD_GTIN] * (bad and gtin is None) + [NO_CURRENCY] * (offers.lost and not offers.money)
    sku = name_of(record.get("sku")) or name_of(record.get("productID"))
    return Product(
        name=name_of(record.get("name")),
        brand=name_of(page.followed(record.get("brand"))) or name_of(record.get("manufacturer")),
        sku=sku or next((name for offer in offers.offers if (name := name_of(offer.get("sku")))), None),
        gtin=gtin,
        price=offers.lowest,
        price_to=offers.highest,
        availability=offers.availability,
        availabilities=offers.availabilities,
        variant=_variant(record, offers, page),
        seller=offers.seller,
        image=_image(record, page),
        found=True,
        note="; ".join(notes) or None,
    )


def _products(records: Sequence[Any], nodes: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The product records of a page, but not those of other products that its product names."""
    stack: list[tuple[Any, int]] = [(one, 0) for one in reversed(as_list(records))]
    seen: set[int] = set()
    while stack:
        item, depth = stack.pop()
        if isinstance(item, list):
            stack.extend((one, depth) for one in reversed(item))
        elif isinstance(item, dict) and depth < _NESTING and id(item) not in seen:
            seen.add(id(item))
            if _is_product(item):
                yield item
            if not depth and _OFFERS & set(types_of(item)):
                offer = {key: value for key, value in item.items() if key != "itemOffered"}
                yield from (
                    {"offers": offer, **one}
                    for one in as_list(follow(item.get("itemOffered"), nodes))
                    if isinstance(one, Mapping) and _is_product(one)
                )
            inner = [follow(value, nodes) for key, value in item.items() if key not in _OTHERS]
            stack.extend((value, depth + 1) for value in reversed(inner) if isinstance(value, dict | list))


def _is_product(record: Mapping[str, Any]) -> bool:
    return bool(_TYPES & {name.lower() for name in types_of(record)})


def _variant(record: Mapping[str, Any], offers: Offers, page: _Page) -> Variant | None:
    """The variant that a parameter of the URL names; an offer with a sku or a URL of its own is one too."""
    asked = _asked_variant(page.url)
    if not asked:
        return None
    for one in (*page.variants_of(record), *offers.offers):
        if not _named_by(one, asked, page.url):
            continue
        own = read_offers([one]) if one in offers.offers else page.offers_of(one, ())
        return Variant(
            sku=name_of(one.get("sku")),
            gtin=gtin_of(one)[0],
            name=name_of(one.get("name")),
            price=own.lowest,
            availability=own.availability,
        )
    return None


def _named_by(one: Mapping[str, Any], asked: Mapping[str, str], url: str) -> bool:
    facts = {name_of(one.get(key)) for key in ("sku", "productID", "mpn", *GTINS)}
    if facts & set(asked.values()):
        return True
    offered = [offer for offer in as_list(one.get("offers")) if isinstance(offer, Mapping)]
    for name in (part.get(key) for part in (one, *offered) for key in ("url", "@id")):
        if isinstance(name, str) and (parts := absolute(url, name)) is not None:
            query = dict(parse_qsl(parts.query))
            if any(query.get(key) == value for key, value in asked.items()):
                return True
    return False


def _image(record: Mapping[str, Any], page: _Page) -> str | None:
    for one in page.followed(record.get("image")):
        if isinstance(one, Mapping):
            one = next((one[key] for key in ("contentUrl", "url", "@id") if one.get(key)), None)
            one = one[0] if isinstance(one, list) and one else one
        if isinstance(one, str) and one.strip() and (parts := absolute(page.url, one)) is not None:
            return parts.geturl()
    return None


def _open_graph(page: Page) -> list[dict[str, Any]]:
    """The price that the metas of OpenGraph state, as a record."""
    og: Mapping[str, str] = page.meta.get("og") or {}

    def first(*names: str) -> str | None:
        keys = (f"{prefix}{name}" for name in names for prefix in ("product:", "og:"))
        return next((og[key] for key in keys if og.get(key)), None)

    price = first("sale_price:amount", "price:amount", "sale_price", "price")  # some leave `:amount` out
    if price is None:
        return []
    code = first("sale_price:currency", "price:currency")
    offer = {"@type": "Offer", "price": price, "priceCurrency": code, "availability": first("availability")}
    facts = {"name": og.get("og:title"), "brand": first("brand"), "image": og.get("og:image")}
    return [{"@type": "Product", "@og": True, "offers": offer, **facts, "sku": og.get("product:retailer_item_id")}]
