"""The values of microdata, as pages write them and not only as the HTML Standard has them."""

import pytest

from polite_crawler.readers.html import read_page


@pytest.mark.parametrize(
    ("element", "value"),
    [
        ("<time itemprop=name datetime=1>2</time>", "1"),
        ("<time itemprop=name content=1>2</time>", "1"),
        ("<time itemprop=name> 2 <b>3</b></time>", "2 3"),
        ("<data itemprop=name value=1>2</data>", "1"),
        ("<data itemprop=name>2</data>", "2"),
        ("<link itemprop=name content=InStock>", "InStock"),
        ("<link itemprop=name href=/a content=b>", "https://shop.example/a"),
        ("<a itemprop=name>2</a>", "2"),
        ("<input itemprop=name value=1>", "1"),
        ("<input itemprop=name>", ""),
    ],
)
def test_the_value_of_an_element_of_microdata(element: str, value: str) -> None:
    body = f"<div itemscope itemtype='https://schema.org/Product'>{element}</div>"
    page = read_page(body.encode(), url="https://shop.example/", content_type="text/html")

    assert page.meta["microdata"] == [{"@type": "Product", "name": value}]


def test_a_value_by_its_text_beside_properties_that_stand_elsewhere() -> None:
    body = (
        "<div itemscope itemtype='https://schema.org/Product' itemref=far><time itemprop=name>2</time></div>"
        "<p id=far itemprop=sku>7</p>"
    )
    page = read_page(body.encode(), url="https://shop.example/", content_type="text/html")

    assert page.meta["microdata"] == [{"@type": "Product", "name": "2", "sku": "7"}]


OFFER = "<b itemprop=offers itemscope itemtype='https://schema.org/Offer'><b itemprop=price>9</b></b>"


@pytest.mark.parametrize(
    ("data", "inner", "is_read"),
    [
        ('{"@type": "Product", "aggregateRating": {"ratingValue": 5}}', OFFER, True),
        ('{"@type": "Product", "offers": {"price": 9}}', OFFER, False),
        (
            '{"@type": "WebPage", "mainEntity": {"@type": "Product", "offers": {"@type": "AggregateOffer"}}}',
            OFFER,
            True,
        ),
        ('[{"@type": "Product"}, {"@type": "Offer", "price": 9}]', OFFER, False),
        ('{"@type": "Product"}', "<b itemprop=name>A lamp</b>", False),
    ],
)
def test_the_offers_that_the_json_ld_of_the_type_lacks(data: str, inner: str, is_read: bool) -> None:
    body = (
        f'<script type="application/ld+json">{data}</script>'
        f"<div itemscope itemtype='https://schema.org/Product'>{inner}</div>"
    )
    page = read_page(body.encode(), url="https://shop.example/", content_type="text/html")

    assert ("microdata" in page.meta) is is_read


@pytest.mark.parametrize(
    ("data", "is_read"),
    [
        ('{"@type": "Bakery", "aggregateRating": {"ratingValue": 5}}', True),
        ('{"@type": "Bakery", "openingHours": "Mo 09:00-17:00"}', False),
        ('{"@type": "Bakery", "department": {"openingHoursSpecification": {"opens": "09:00"}}}', False),
    ],
)
def test_the_hours_that_the_json_ld_of_the_type_lacks(data: str, is_read: bool) -> None:
    body = (
        f'<script type="application/ld+json">{data}</script><div itemscope itemtype="https://schema.org/Bakery">'
        '<meta itemprop="openingHours" content="Mo-Fr 09:00-17:00"></div>'
    )
    page = read_page(body.encode(), url="https://forno.example/", content_type="text/html")

    assert ("microdata" in page.meta) is is_read
