"""The product of pages of many shapes."""

from typing import Any

import pytest
from product_pages import PAGES, URL, ld, offer, product

from polite_crawler.readers.html import read_page
from polite_crawler.recipes.product import Product, product_of, records_of


def read(body: str, url: str = URL) -> Product:
    page = read_page(f"<html><body>{body}</body></html>".encode(), url=url, content_type="text/html; charset=utf-8")
    return product_of(records_of(page), url)


@pytest.mark.parametrize("name", PAGES)
def test_pages(name: str) -> None:
    body, expected = PAGES[name]
    found = read(body)

    def shown(key: str) -> Any:
        value = getattr(found, key)
        return f"{value.amount} {value.currency}" if value is not None and key in ("price", "price_to") else value

    assert {key: shown(key) for key in expected} == expected


def test_the_variant_of_the_url_among_those_that_name_their_group() -> None:
    body = PAGES["variants that name the id of their group"][0]
    found = read(body, URL + "?sku=B")

    assert found.variant is not None
    assert found.variant.price is not None
    assert (found.variant.sku, found.variant.price.amount) == ("B", "18")


def test_a_part_of_the_home_page_by_its_id_is_not_the_page() -> None:
    parts = ld(
        product(**{"@id": "#a"}, url="/#a", offers=offer("18")), product(offers=offer("9"), description="long " * 9)
    )
    found = read(parts, "https://shop.example/")

    assert found.price is not None
    assert found.price.amount == "9"
