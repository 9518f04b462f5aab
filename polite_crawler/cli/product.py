"""`pc-product`: the product of a shop page, from its schema.org data."""

import argparse
from typing import TYPE_CHECKING

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import (
    add_archive,
    add_render,
    add_signature,
    add_user_provided,
    age,
    budget,
    engine_settings,
)
from polite_crawler.cli.output import Output, one_line
from polite_crawler.recipes.offers import Price
from polite_crawler.rules import urls

if TYPE_CHECKING:
    from polite_crawler.recipes.product_spider import ProductResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """URL, and how it is fetched."""
    parser.add_argument("url", metavar="URL", help="the page of the product")
    add_page_options(parser)


def add_page_options(parser: argparse.ArgumentParser) -> None:
    """The options that `venue` and `product` share."""
    parser.add_argument("--max-age", type=age, metavar="D", help="use a stored copy that is younger (24h)")
    parser.add_argument("--budget", type=budget, metavar="D", help="wait this long for the turn of a host: 90s, 10m")
    add_user_provided(parser)
    add_render(parser)
    add_archive(parser, despite_robots=True)
    add_signature(parser)


def page_arguments(args: argparse.Namespace) -> dict[str, object]:
    """The arguments of the spider that those options mean."""
    return {"max_age": args.max_age, "budget": args.budget, "user_provided": args.user_provided}


def run(args: argparse.Namespace, output: Output) -> int:
    """Print the product; 3 when the page has none, 4 at a wall."""
    url = urls.without_space(args.url)
    from polite_crawler.cli.engine import interrupted, run_spider
    from polite_crawler.recipes.product_spider import ProductResult, ProductSpider

    settings = {**engine_settings(args), "POLITE_OUTPUT": "none"}
    ended = run_spider(ProductSpider, settings, url=url, **page_arguments(args))
    if ended.interrupted:
        return interrupted(output)
    result = ended.summary
    assert isinstance(result, ProductResult)
    if output.json:
        output.fact(result)
    else:
        _show(output, result)
    if result.wall:
        return Exit.WALL
    if result.found:
        return Exit.DONE
    return Exit.NO_PRODUCT if result.doc is not None and not result.held_back else Exit.FAILED


def _show(output: Output, result: "ProductResult") -> None:
    if result.found:
        output.line(output.bold(one_line(result.name or "(no name)")))
        shown = {
            "brand": result.brand,
            "price": _price(result.price) + (f" to {_price(result.price_to)}" if result.price_to else ""),
            "availability": result.availability,
            "sku": result.sku,
            "gtin": result.gtin,
            "seller": result.seller,
            "variant": result.variant and (result.variant.sku or result.variant.name),
            "capture": result.capture,
        }
        for name, value in shown.items():
            if value:
                output.line(f"{name:13}{one_line(str(value))}")
    if result.note:
        output.note(one_line(result.note))


def _price(price: Price | None) -> str:
    return f"{price.amount} {price.currency}" if price else ""
