"""The product of a page from its records, and the amounts of shops."""

import json
from typing import Any

import pytest

from polite_crawler.readers.html import read_page
from polite_crawler.recipes.gtins import is_gtin
from polite_crawler.recipes.product import BAD_GTIN, NO_CURRENCY, product_of, read_amount, records_of

URL = "https://shop.example/p/olio"


@pytest.mark.parametrize(
    ("text", "currency", "amount"),
    [
        ("9.90", "EUR", "9.90"),
        ("9,90 €", "EUR", "9.90"),
        ("1.299", "EUR", "1299"),
        ("1.299", "KWD", "1.299"),
        ("1,299.50", None, "1299.50"),
        ("1.299,50", None, "1299.50"),
        ("1.299.000", "CLP", "1299000"),
        ("1,2345", None, "1.2345"),
        ("12 345,60 kr", "SEK", "12345.60"),
        ("1'299.00", "CHF", "1299.00"),
        ("0.999", "EUR", "0.999"),
        ("EUR 5", None, "5"),
        (5, "EUR", "5"),
        (1.299, "EUR", "1.299"),
        ("007.50", None, "7.50"),
        ("10 - 20", None, None),
        ("10–20 €", None, None),
        ("-5.00", None, None),
        ("-€5.00", None, None),
        ("0", None, None),
        (0, None, None),
        ("0,00", None, None),
        ("free", None, None),
        ("", None, None),
        (None, None, None),
        (True, None, None),
        (-3, None, None),
        ("1.29.30", None, None),
        ("1,299.50.10", None, None),
        ("12 34", None, None),
        ("$.99", "USD", "0.99"),
        ("Rs.500", "INR", "500"),
        ("₹1,23,456", "INR", "123456"),
        ("1,23,456.50", "INR", "123456.50"),
        ("12,34.56", None, None),
        ("١٢٫٥", "EGP", "12.5"),
        (float("nan"), "EUR", None),
        (float("inf"), "EUR", None),
        (1e20, "EUR", "100000000000000000000"),
    ],
)
def test_amounts(text: object, currency: str | None, amount: str | None) -> None:
    assert read_amount(text, currency) == amount


def _product(**facts: Any) -> dict[str, Any]:
    return {"@type": "Product", "name": "Olio", **facts}


def _offer(price: object, currency: str | None = "EUR", **facts: Any) -> dict[str, Any]:
    return {"@type": "Offer", "price": price, "priceCurrency": currency, **facts}


LIST_PRICE = {"@type": "UnitPriceSpecification", "price": "12", "priceCurrency": "EUR"}
OFFERS: dict[str, tuple[Any, str | None, str | None]] = {
    "one": (_offer("9.90"), "9.90 EUR", None),
    "several": ([_offer("12"), _offer("9.90"), _offer("18")], "9.90 EUR", "18 EUR"),
    "first currency": ([_offer("12"), _offer("5", "GBP"), _offer("10")], "10 EUR", "12 EUR"),
    "aggregate": (
        {"@type": "AggregateOffer", "lowPrice": "5", "highPrice": 8, "priceCurrency": "EUR"},
        "5 EUR",
        "8 EUR",
    ),
    "aggregate of offers": ({"@type": "AggregateOffer", "offers": [_offer("5"), _offer("7")]}, "5 EUR", "7 EUR"),
    "an offer with a low price": (
        {"@type": "Offer", "lowPrice": "5", "highPrice": "8", "priceCurrency": "EUR"},
        "5 EUR",
        "8 EUR",
    ),
    "specification": ({"@type": "Offer", "priceSpecification": [LIST_PRICE]}, "12 EUR", None),
    "list price": (
        {
            "@type": "Offer",
            "priceSpecification": [
                {**LIST_PRICE, "price": "20", "priceType": "https://schema.org/ListPrice"},
                {**LIST_PRICE, "price": "25", "priceType": "StrikethroughPrice"},
                LIST_PRICE,
            ],
        },
        "12 EUR",
        None,
    ),
    "symbol": (_offer("€ 9,90", None), "9.90 EUR", None),
    "dollars": (_offer("$9.90", None), None, None),
    "no currency": (_offer("9.90", None), None, None),
    "zero": (_offer("0.00"), None, None),
    "a price as an object": (_offer({"@value": "9.90"}), "9.90 EUR", None),
    "a currency in small letters": (_offer("9.90", "eur"), "9.90 EUR", None),
}


@pytest.mark.parametrize("name", OFFERS)
def test_prices(name: str) -> None:
    offers, price, price_to = OFFERS[name]
    product = product_of([_product(offers=offers)], URL)

    def shown(money: Any) -> str | None:
        return None if money is None else f"{money.amount} {money.currency}"

    assert (shown(product.price), shown(product.price_to)) == (price, price_to)


def test_an_amount_without_a_currency_is_not_money_and_says_so() -> None:
    assert product_of([_product(offers=_offer("9.90", None))], URL).note == NO_CURRENCY


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (["http://schema.org/InStock"], "InStock"),
        (["In Stock"], "InStock"),
        (["in_stock"], "InStock"),
        ([{"@id": "https://schema.org/PreOrder"}], "PreOrder"),
        (["OutOfStock", "https://schema.org/InStock"], "InStock"),
        (["SoldOut", "OutOfStock"], "SoldOut"),
        (["maybe"], None),
    ],
)
def test_availability(values: list[Any], name: str | None) -> None:
    product = product_of([_product(offers=[_offer("1", availability=value) for value in values])], URL)

    assert product.availability == name


def test_the_product_whose_url_is_the_page() -> None:
    related = _product(name="Large", url="https://shop.example/p/other", offers=[_offer("1")] * 9)
    own = _product(name="Own", **{"@id": "https://www.shop.example/p/olio/?utm_source=x"})

    assert product_of([related, own], URL).name == "Own"


def test_a_fragment_is_no_page() -> None:
    related = _product(name="Related", **{"@id": "#product"})
    own = _product(name="Own", offers=_offer("1"))

    assert product_of([related, own], URL).name == "Own"


def test_related_products_and_lists_are_not_the_product() -> None:
    page = {"@type": "ItemPage", "mainEntity": _product(name="Own", isRelatedTo=[_product(offers=[_offer("1")] * 9)])}

    assert product_of([page], URL).name == "Own"
    listed = {"@type": "ItemList", "itemListElement": [{"@type": "ListItem", "item": _product(offers=_offer("1"))}]}
    assert not product_of([listed], URL).found


def test_the_query_tells_two_products_apart() -> None:
    one, two = (_product(name=name, url=f"/product.php?id={name}", offers=_offer("1")) for name in ("1", "22"))

    assert product_of([one, two], "https://shop.example/product.php?id=1&ref=x").name == "1"


GROUP = {
    "@type": "ProductGroup",
    "name": "Olio Esempio",
    "productGroupID": "OE",
    "url": URL,
    "hasVariant": [
        {
            "@type": "Product",
            "sku": "OE-500",
            "offers": _offer("9.90", url=f"{URL}?variant=222", availability="InStock"),
        },
        {"@type": "Product", "sku": "OE-1000", "offers": _offer("18.00", url=f"{URL}?variant=333")},
    ],
}


@pytest.mark.parametrize(
    ("query", "sku"), [("variant=333", "OE-1000"), ("sku=OE-500", "OE-500"), ("variant=9", None), ("", None)]
)
def test_the_variant_that_the_url_names(query: str, sku: str | None) -> None:
    product = product_of([GROUP], f"{URL}?{query}")

    assert product.price is not None
    assert product.price_to is not None
    assert (product.name, product.price.amount, product.price_to.amount) == ("Olio Esempio", "9.90", "18.00")
    assert (product.variant.sku if product.variant else None) == sku
    if query == "variant=333":
        assert product.variant is not None
        assert product.variant.price is not None
        assert product.variant.price.raw == "18.00"


def test_variants_that_name_their_group() -> None:
    group = {"@type": "ProductGroup", "@id": "#g", "name": "Group", "productGroupID": "G", "url": URL}
    variants = [
        {"@type": "Product", "@id": f"#{n}", "inProductGroupWithID": "G", "offers": _offer(str(n))} for n in (3, 4)
    ]

    product = product_of([group, *variants], URL)

    assert product.name == "Group"
    assert product.price is not None
    assert product.price.amount == "3"


def test_references_are_followed() -> None:
    records = [
        _product(offers={"@id": "#o"}, brand={"@id": "#b"}),
        {"@id": "#o", **_offer("3")},
        {"@id": "#b", "name": "B"},
    ]

    product = product_of(records, URL)

    assert product.brand == "B"
    assert product.price is not None


@pytest.mark.parametrize(
    ("digits", "right"),
    [
        ("4006381333931", True),
        ("4006381333932", False),
        ("96385074", True),
        ("036000291452", True),
        ("00000000", False),
        ("0000000000000", False),
        ("123", False),
        ("40063813339a1", False),
    ],
)
def test_gtin(digits: str, right: bool) -> None:
    assert is_gtin(digits) is right
    product = product_of([_product(gtin13=digits)], URL)
    assert product.gtin == (digits if right else None)
    assert (product.note is None) is right


@pytest.mark.parametrize("records", [[], [None, 1, "x", []], [{"@type": "Organization"}], [{"@type": ["WebPage"]}]])
def test_no_product(records: list[Any]) -> None:
    product = product_of(records, URL)

    assert not product.found
    assert product.name is None


def test_a_record_that_names_itself_ends() -> None:
    loop: dict[str, Any] = _product(offers=_offer("2"))
    loop["mainEntityOfPage"] = {"@id": "#page"}
    assert product_of([{"@id": "#page", "@type": "WebPage", "mainEntity": loop}, loop], URL).found


MICRODATA = """<html><body><div itemscope itemtype="http://schema.org/Product"><h1 itemprop="name">Olio</h1>
<meta itemprop="sku" content="OE"><div itemprop="offers" itemscope itemtype="http://schema.org/Offer">
<meta itemprop="priceCurrency" content="EUR"><span itemprop="price" content="9.90">9,90 €</span>
<link itemprop="availability" href="http://schema.org/InStock"></div></div></body></html>"""
OPEN_GRAPH = """<html><head><meta property="og:title" content="Olio">
<meta property="product:price:amount" content="9.90">
<meta property="product:price:currency" content="EUR"></head><body>Olio</body></html>"""


@pytest.mark.parametrize("source", [MICRODATA, OPEN_GRAPH])
def test_pages_without_json_ld(source: str) -> None:
    product = product_of(records_of(read_page(source.encode(), url=URL)), URL)

    assert product.name == "Olio"
    assert product.price is not None
    assert (product.price.amount, product.price.currency) == ("9.90", "EUR")


def test_metas_complete_a_record_that_names_no_price() -> None:
    data = json.dumps(_product(sku="OE-500"))
    source = OPEN_GRAPH.replace("</head>", f'<script type="application/ld+json">{data}</script></head>')
    product = product_of(records_of(read_page(source.encode(), url=URL)), URL)

    assert product.sku == "OE-500"
    assert product.price is not None
    assert product.price.amount == "9.90"


@pytest.mark.parametrize(
    ("offers", "stated", "currency", "query", "price"),
    [
        (_offer("9.90"), "9.9", "EUR", "", "9.90"),
        (_offer("9.90"), "19.90", "EUR", "", None),
        (_offer("9.90"), "4.90", "EUR", "", None),
        ([_offer("9.90"), _offer("18")], "12", "EUR", "", "9.90"),
        ([_offer("9.90"), _offer("18")], "18.01", "EUR", "", None),
        # another currency says nothing of the price, and the metas know no variants
        (_offer("9.90"), "19.90", "USD", "", "9.90"),
        (_offer("9.90"), "19.90", "EUR", "?variant=2", "9.90"),
    ],
)
def test_a_page_that_names_two_prices_has_none(
    offers: object, stated: str, currency: str, query: str, price: str | None
) -> None:
    source = (
        f'<html><head><meta property="product:price:amount" content="{stated}">'
        f'<meta property="product:price:currency" content="{currency}">'
        f'<script type="application/ld+json">{json.dumps(_product(offers=offers, gtin="1"))}</script></head></html>'
    )
    product = product_of(records_of(read_page(source.encode(), url=URL)), URL + query)

    assert product.found
    assert (product.price.amount if product.price else None) == price
    assert (f"{stated} in its OpenGraph metas; {BAD_GTIN}" in (product.note or "")) is (price is None)
    assert product.price is not None or product.price_to is None
