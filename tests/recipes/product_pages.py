"""Pages of shops, each of another shape, and what a reader of them must say.

The facts of a page are `price`, `price_to` and those of the product; a price is its amount and its currency.
"""

import json
from typing import Any

URL = "https://shop.example/products/olio"
RELATED = [
    {
        "@type": "Product",
        "name": f"Related {n}",
        "url": f"/products/related-{n}",
        "description": "long " * 99,
        "offers": {"@type": "Offer", "price": str(n), "priceCurrency": "EUR"},
    }
    for n in (1, 2, 3)
]


def ld(*records: object) -> str:
    """The JSON-LD of a page."""
    return "".join(f'<script type="application/ld+json">{json.dumps(one)}</script>' for one in records)


def product(**facts: Any) -> dict[str, Any]:
    """A product of JSON-LD."""
    return {"@type": "Product", "name": "Olio", **facts}


def offer(price: object = None, **facts: Any) -> dict[str, Any]:
    """An offer in euros; with no price, one that says it elsewhere."""
    said = {} if price is None else {"price": price, "priceCurrency": "EUR"}
    return {"@type": "Offer", **said, **facts}


def specification(price: object, **facts: Any) -> dict[str, Any]:
    """A price specification in euros."""
    return {"@type": "UnitPriceSpecification", "price": price, "priceCurrency": "EUR", **facts}


def specified(*specifications: dict[str, Any], **facts: Any) -> str:
    """A page whose price stands in specifications."""
    return ld(product(offers={"@type": "Offer", "priceSpecification": list(specifications), **facts}))


def micro(inner: str) -> str:
    """A product of microdata with an offer in euros."""
    return (
        '<div itemscope itemtype="http://schema.org/Product"><h1 itemprop="name">Olio</h1><div itemprop="offers" '
        f'itemscope itemtype="http://schema.org/Offer"><meta itemprop="priceCurrency" content="EUR">{inner}</div></div>'
    )


def metas(**facts: str) -> str:
    """Metas of OpenGraph: `price__amount` is `product:price:amount`."""
    names = {key: key.replace("__", ":") for key in facts}
    lines = (f'<meta property="product:{names[key]}" content="{value}">' for key, value in facts.items())
    return '<meta property="og:title" content="Olio">' + "".join(lines)


def variant(sku: str, price: str, **facts: Any) -> dict[str, Any]:
    """A variant of a product."""
    return {"@type": "Product", "sku": sku, "name": f"Olio {sku}", "offers": offer(price), **facts}


GROUP = {"@type": "ProductGroup", "@id": "#group", "name": "Olio", "productGroupID": "G"}
RANGE = {"price": "9 EUR", "price_to": "18 EUR"}
NINE = {"price": "9 EUR", "price_to": None}
NINE_META = '<meta itemprop="price" content="9">'
NONE = {"price": None, "price_to": None, "found": True}

PAGES: dict[str, tuple[str, dict[str, Any]]] = {
    # offers in offers
    "offers of an aggregate in its currency": (
        ld(
            product(offers={"@type": "AggregateOffer", "priceCurrency": "EUR", "offers": [{"price": 9}, {"price": 18}]})
        ),
        RANGE,
    ),
    "a list of offers in a list": (ld(product(offers=[[offer("9"), offer("18")]])), RANGE),
    "an aggregate in a list": (ld(product(offers=[offer(None, lowPrice=9, highPrice=18, priceCurrency="EUR")])), RANGE),
    "the end of a range is zero": (ld(product(offers=offer(lowPrice=9, highPrice=0, priceCurrency="EUR"))), NINE),
    "a range that is turned round": (ld(product(offers=offer(lowPrice=18, highPrice=9, priceCurrency="EUR"))), RANGE),
    "offers by reference": (ld({"@graph": [product(offers=[{"@id": "#o"}]), offer("9", **{"@id": "#o"})]}), NINE),
    "a seller by reference": (
        ld({"@graph": [product(offers=offer("9", seller={"@id": "#s"})), {"@id": "#s", "name": "Bottega"}]}),
        {**NINE, "seller": "Bottega"},
    ),
    "an offer of a product": (ld(offer("9", itemOffered=product(sku="A"))), {**NINE, "name": "Olio", "sku": "A"}),
    "what an organization makes is no page": (
        ld({"@type": "Organization", "makesOffer": [offer("9", itemOffered=product())]}),
        {"found": False, "price": None},
    ),
    # specifications
    "the currency of the specification alone": (specified(specification("9"), price="9"), NINE),
    "the currency of the offer alone": (specified({"price": "9"}, priceCurrency="EUR"), NINE),
    "a sale": (specified(specification("9"), specification("12", priceType="https://schema.org/ListPrice")), NINE),
    "a list price alone": (specified(specification("12", priceType="ListPrice")), NONE),
    "a price of members": (
        specified(specification("7", validForMemberTier={"name": "gold"}), specification("9")),
        NINE,
    ),
    "a price of members alone": (specified(specification("7", validForMemberTier={"name": "gold"})), NONE),
    "a price for a measure": (
        specified(specification("9"), specification("1.80", referenceQuantity={"value": "100", "unitCode": "GRM"})),
        NINE,
    ),
    "a price for a measure alone": (specified(specification("9", referenceQuantity={"value": 1})), NINE),
    "a price of the content": (
        specified(specification("9", referenceQuantity={"value": "4.5", "valueReference": {"value": "1"}})),
        NINE,
    ),
    "a price for ten": (specified(specification("9"), specification("8", eligibleQuantity={"minValue": 10})), NINE),
    "a price for one": (
        specified(specification("9", eligibleQuantity={"minValue": 1}), specification("18")),
        RANGE,
    ),
    "a rate": (specified(specification("9"), specification("1", billingDuration=9)), NINE),
    "a charge for the delivery": (
        specified({**specification("4.90"), "@type": "DeliveryChargeSpecification"}, specification("9")),
        NINE,
    ),
    "a charge for the delivery alone": (
        specified({**specification("4.90"), "@type": "DeliveryChargeSpecification"}),
        NONE,
    ),
    # amounts and currencies
    "a symbol against the declared currency": (
        ld(product(offers=offer("$9", priceCurrency="CAD"))),
        {"price": "9 CAD"},
    ),
    "two currencies": (ld(product(offers=offer("€9", priceCurrency="USD"))), NONE),
    "cents": (ld(product(offers=offer("99 ct"))), NONE),
    "a price and a half": (micro('<b itemprop="price">9€90</b>'), {"price": "9.90 EUR"}),
    "a text with its indent": (micro(f'<b itemprop="price">\n{" " * 300}9\n{" " * 300}€</b>'), NINE),
    "names with a prefix": (
        ld(
            {
                "@type": "schema:Product",
                "schema:name": "Olio",
                "schema:offers": {"https://schema.org/price": [{"@value": 9}], "schema:priceCurrency": "EUR"},
            }
        ),
        {**NINE, "name": "Olio"},
    ),
    "a name that is escaped": (
        ld(product(name="Olio &amp; Sale", brand="R&amp;G")),
        {"name": "Olio & Sale", "brand": "R&G"},
    ),
    "properties in another case": (
        ld(product(offers={"Price": "9", "pricecurrency": "EUR", "Availability": "https://schema.org/InStock"})),
        {**NINE, "availability": "InStock"},
    ),
    "the currency on the product alone": (ld(product(priceCurrency="EUR", offers={"price": "9"})), NINE),
    "an older code of a currency": (ld(product(offers={"price": "9", "priceCurrency": "RUR"})), {"price": "9 RUB"}),
    "words in the place of a gtin": (ld(product(gtin="n/a", offers=offer("9"))), {"gtin": None, "note": None}),
    "an ISBN of ten digits is no wrong gtin": (
        ld(product(isbn="0-306-40615-2", offers=offer("9"))),
        {"gtin": None, "note": None},
    ),
    # one of several products
    "the own one names no page": (ld(*RELATED, product(offers=offer("9"))), NINE),
    "the own one by its url in other octets": (
        ld({**RELATED[0], "url": None}, product(url=URL.replace("olio", "%6Flio"), offers=offer("9"))),
        NINE,
    ),
    "the own one by the canonical url": (
        '<link rel="canonical" href="/it/olio">' + ld(*RELATED, product(url="/it/olio", offers=offer("9"))),
        NINE,
    ),
    "the record of a review service names the page": (
        ld(product(url=URL, aggregateRating={"ratingValue": 5}), product(name="Olio - Shop", offers=offer("9"))),
        NINE,
    ),
    "a related one beside a record without offers": (ld(product(url=URL), RELATED[0]), NONE),
    "the own one by its url": (ld(*RELATED, product(url=URL, offers=offer("9"))), NINE),
    "the own one by the url of its offer": (ld({**RELATED[0], "url": None}, product(offers=offer("9", url=URL))), NINE),
    "the own one by its url before one that is sold here": (
        ld({**RELATED[0], "offers": offer("1", url=URL)}, product(url=URL, offers=offer("9"))),
        NINE,
    ),
    "related ones in it": (ld(product(offers=offer("9"), isSimilarTo=RELATED, isRelatedTo=RELATED)), NINE),
    "a list": (ld({"@type": "ItemList", "itemListElement": [{"item": one} for one in RELATED]}), {"found": False}),
    "one that an article mentions": (ld({"@type": "Article", "mentions": RELATED}), {"found": False}),
    "a type in small letters": (micro(NINE_META).replace("schema.org/Product", "schema.org/product"), NINE),
    "a car": (micro(NINE_META).replace("schema.org/Product", "schema.org/Car"), NINE),
    # variants
    "variants in a group": (ld({**GROUP, "hasVariant": [variant("A", "9"), variant("B", "18")]}), RANGE),
    "variants that name the id of their group": (
        ld(GROUP, *(variant(sku, n, inProductGroupWithID="G") for sku, n in (("A", "9"), ("B", "18")))),
        {**RANGE, "name": "Olio"},
    ),
    "variants of a group": (
        ld(GROUP, *(variant(sku, n, isVariantOf={"@id": "#group"}) for sku, n in (("A", "9"), ("B", "18")))),
        {**RANGE, "name": "Olio"},
    ),
    "the variant whose page it is": (
        ld(
            GROUP,
            variant("A", "9", isVariantOf={"@id": "#group"}, url=URL),
            variant("B", "18", isVariantOf={"@id": "#group"}, url=URL + "-large"),
        ),
        {**NINE, "name": "Olio A", "sku": "A"},
    ),
    "sizes as products": (
        ld(
            product(sku="A", offers=offer("9", url=URL, availability="OutOfStock"), description="long"),
            product(sku="B", offers=offer("18", url=URL, availability="InStock")),
        ),
        {**RANGE, "availability": "InStock"},
    ),
    "two products of one name and one sku": (
        ld(product(sku="A", url=URL, offers=offer("9"), color="red"), product(sku="A", url=URL, offers=offer("18"))),
        NINE,
    ),
    # several syntaxes of one product
    "the metas say the availability": (
        ld(product(offers=offer("9"))) + metas(price__amount="9", price__currency="EUR", availability="oos"),
        {**NINE, "availability": "OutOfStock"},
    ),
    "the data says the availability": (
        ld(product(offers=offer("9", availability="InStock")))
        + metas(price__amount="9", price__currency="EUR", availability="oos"),
        {**NINE, "availability": "InStock"},
    ),
    "the microdata has the offers": (ld(product(brand="Rossi")) + micro(NINE_META), {**NINE, "brand": "Rossi"}),
    "a second record says the brand": (
        ld(product(offers=offer("9"), sku="A"), product(sku="A", brand="Rossi")),
        {**NINE, "brand": "Rossi"},
    ),
    "a record of another product says nothing": (
        ld(product(offers=offer("9"), sku="A"), product(name="Sale", brand="Rossi", sku="B")),
        {**NINE, "brand": None},
    ),
    "metas alone": (
        metas(price__amount="9", price__currency="EUR", brand="Rossi", retailer_item_id="A", availability="instock"),
        {**NINE, "name": "Olio", "brand": "Rossi", "sku": "A", "availability": "InStock"},
    ),
    "a meta of the sale": (
        metas(price__amount="12", price__currency="EUR", sale_price__amount="9", sale_price__currency="EUR"),
        NINE,
    ),
    "a meta with its currency in it": (metas(price="9 €"), NINE),
    "a meta with no currency": (metas(price="9,00"), NONE),
}
