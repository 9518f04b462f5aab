"""The offers of a schema.org product: their prices, their availability, and who sells."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from html import unescape
from typing import Any

from polite_crawler.readers.jsonld import types_of
from polite_crawler.recipes.amounts import read_amount, read_currency

AVAILABILITY = (
    "BackOrder", "Discontinued", "InStock", "InStoreOnly", "LimitedAvailability", "MadeToOrder", "OnlineOnly",
    "OutOfStock", "PreOrder", "PreSale", "Reserved", "SoldOut",
)  # fmt: skip
"""The names of https://schema.org/ItemAvailability."""

OFFER_PROPERTIES = ("offers", "hasVariant", "price", "priceCurrency", "lowPrice", "highPrice", "availability")
"""What a product and its offers say of prices."""

_NAMES = {name.lower(): name for name in AVAILABILITY} | {
    "instocks": "InStock", "outofstocks": "OutOfStock", "oos": "OutOfStock",
}  # fmt: skip
_NOT_THE_PRICE = frozenset(
    {"listprice", "strikethroughprice", "srp", "msrp", "regularprice", "minimumadvertisedprice", "invoiceprice"}
)
_CHARGES = frozenset({"DeliveryChargeSpecification", "PaymentChargeSpecification"})
_PARTS = ("billingDuration", "billingIncrement", "priceComponentType")
_NESTING = 6


@dataclass(frozen=True, slots=True)
class Price:
    """Money as a page states it: `amount` is decimal text, `currency` an ISO 4217 code, `raw` the value of the
    page."""

    amount: str
    currency: str
    raw: str

    @property
    def value(self) -> Decimal:
        """The amount as a number."""
        return Decimal(self.amount)


@dataclass(frozen=True, slots=True)
class Offers:
    """What the offers of a product say together. `money` are the prices in the sequence of the page; `lost` tells
    that there was an amount with no currency."""

    money: tuple[Price, ...]
    lost: bool
    availabilities: tuple[str, ...]
    seller: str | None
    offers: tuple[Mapping[str, Any], ...]

    @property
    def priced(self) -> tuple[Price, ...]:
        """The prices in the first currency."""
        return tuple(price for price in self.money if price.currency == self.money[0].currency)

    @property
    def lowest(self) -> Price | None:
        """The price."""
        return min(self.priced, key=lambda price: price.value) if self.money else None

    @property
    def highest(self) -> Price | None:
        """The end of the range of prices, or None for one price."""
        found = self.lowest
        most = max(self.priced, key=lambda price: price.value) if self.money else None
        return most if found is not None and most is not None and most.value > found.value else None

    @property
    def availability(self) -> str | None:
        """InStock when one offer is, else what the first one says."""
        if "InStock" in self.availabilities:
            return "InStock"
        return self.availabilities[0] if self.availabilities else None


def read_offers(values: object) -> Offers:
    """Read offers: one or several, AggregateOffers and offers in offers."""
    offers = tuple(_each(values, 0))
    money: list[Price] = []
    lost = False
    for offer in offers:
        found, unnamed = _prices(offer)
        money.extend(found)
        lost = lost or unnamed
    names = [name for offer in offers for one in as_list(offer.get("availability")) if (name := availability(one))]
    sellers = [name for offer in offers for one in as_list(offer.get("seller")) if (name := name_of(one))]
    return Offers(tuple(money), lost, tuple(dict.fromkeys(names)), sellers[0] if sellers else None, offers)


def as_list(value: object) -> list[Any]:
    """A value as a list: itself, one item, or none."""
    return list(value) if isinstance(value, list | tuple) else [] if value is None else [value]


def name_of(value: object) -> str | None:
    """The text of a value: itself, its name or its value; the first of several. Some shops escape it as in HTML."""
    for one in as_list(value):
        if isinstance(one, Mapping):
            one = next((one[key] for key in ("name", "@value", "value") if one.get(key)), None)
            one = one[0] if isinstance(one, list) and one else one
        if isinstance(one, str | int | float) and not isinstance(one, bool) and str(one).strip():
            return " ".join(unescape(str(one)).split())
    return None


def availability(value: object) -> str | None:
    """The schema.org name that a value means: `http://schema.org/InStock`, `in stock`, `{"@id": ...}`."""
    if isinstance(value, Mapping):
        value = value.get("@id") or value.get("name") or value.get("@value")
    if not isinstance(value, str):
        return None
    word = re.split(r"[/#:]", value.strip().rstrip("/#"))[-1]
    return _NAMES.get(re.sub(r"\W|_", "", word).lower())


def _each(values: object, depth: int, currency: object = None) -> Iterator[Mapping[str, Any]]:
    """The offers, and those in them, which are in the currency of the outer one when they name none."""
    for value in as_list(values):
        if isinstance(value, list) and depth < _NESTING:
            yield from _each(value, depth + 1, currency)
        elif isinstance(value, Mapping):
            yield {**value, "priceCurrency": currency} if currency and not _code(value) else value
            if depth < _NESTING and value.get("offers"):
                yield from _each(value["offers"], depth + 1, _code(value) or currency)


def _prices(offer: Mapping[str, Any]) -> tuple[list[Price], bool]:
    """The prices of an offer: its own, else those of its specifications."""
    specified = [one for one in as_list(offer.get("priceSpecification")) if isinstance(one, Mapping)]
    codes = {str(code) for one in specified if (code := _code(one))}
    code = _code(offer) or (codes.pop() if len(codes) == 1 else None)
    own = [offer.get(key) for key in ("price", "lowPrice", "highPrice")]
    found, lost = _money([(value, code) for values in own for value in as_list(values)])
    if found or lost:
        return found, lost
    return _money([(value, _code(one) or code) for one in _chosen(specified) for value in _amounts(one)])


def _chosen(specifications: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The specifications that state the price of one piece for anybody; else those of a part, a rate or a quantity."""
    prices = [one for one in specifications if not _is_other_price(one)]
    return [one for one in prices if not _is_for_a_part(one)] or prices


def _amounts(specification: Mapping[str, Any]) -> list[Any]:
    ends = as_list(specification.get("minPrice")) + as_list(specification.get("maxPrice"))
    return as_list(specification.get("price")) or ends


def _code(record: Mapping[str, Any]) -> object:
    return record.get("priceCurrency")


def _money(values: list[tuple[object, object]]) -> tuple[list[Price], bool]:
    found: list[Price] = []
    lost = False
    for value, code in values:
        if isinstance(value, Mapping):
            code = _code(value) or value.get("currency") or code
            value = next((value[key] for key in ("price", "value", "@value") if value.get(key) is not None), None)
        declared = next(iter(as_list(code)), None)
        currency = read_currency(declared, value)
        amount = read_amount(value, currency)
        if amount is not None and currency is not None:
            found.append(Price(amount, currency, str(value).strip()))
        lost = lost or (amount is not None and currency is None)
    return found, lost


def _is_other_price(specification: Mapping[str, Any]) -> bool:
    """Whether it is no price of the product for anybody: a list price, one of members, a charge for the delivery."""
    kinds = as_list(specification.get("priceType"))
    names = [kind.get("@id") if isinstance(kind, Mapping) else kind for kind in kinds]
    if any(re.split(r"[/#:]", str(name))[-1].lower() in _NOT_THE_PRICE for name in names):
        return True
    return bool(specification.get("validForMemberTier")) or bool(_CHARGES & set(types_of(specification)))


def _is_for_a_part(specification: Mapping[str, Any]) -> bool:
    """Whether it is the price of a measure, of a rate, or of a quantity.

    A `referenceQuantity` with a `valueReference` is the whole content of the product, so the price is the one of the
    product (https://developers.google.com/search/docs/appearance/structured-data/merchant-listing, unit pricing).
    """
    measures = [one for one in as_list(specification.get("referenceQuantity")) if isinstance(one, Mapping)]
    if any(not one.get("valueReference") for one in measures):
        return True
    quantities = [one for one in as_list(specification.get("eligibleQuantity")) if isinstance(one, Mapping)]
    if any(str(one.get("minValue") or one.get("value") or 1) != "1" for one in quantities):
        return True
    return any(specification.get(key) for key in _PARTS)
