"""The shop pages of the shared samples: the price of their product, and how often it is right."""

import json
from decimal import Decimal

from reading_samples import PAGES, needs_pages, unpack

from polite_crawler.readers.html import read_page
from polite_crawler.recipes.product import product_of, records_of

SHOPS = PAGES / "product"
pytestmark = needs_pages


def test_prices_of_shop_pages() -> None:
    right = wrong = missed = 0
    truths = json.loads((SHOPS / "ground-truth.json").read_text("utf-8"))
    for name, truth in truths.items():
        body = unpack(SHOPS / f"{name}.html.gz")
        page = read_page(body, url=truth["url"], content_type="text/html; charset=utf-8")
        price = product_of(records_of(page), truth["url"]).price
        annotated = {Decimal(text) for text in truth.get("price", [])}
        if price is None:
            missed += bool(annotated)
        elif price.value in annotated:
            right += 1
        else:
            wrong += 1
            missed += bool(annotated)

    assert len(truths) > 90
    assert right / (right + wrong) >= 0.92
    assert 2 * right / (2 * right + wrong + missed) >= 0.75
