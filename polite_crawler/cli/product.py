"""`pc-product`: the product of a shop page, from its schema.org data."""

import argparse

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.fetch import age
from polite_crawler.cli.options import add_render, add_signature, engine_settings
from polite_crawler.cli.output import Output, one_line
from polite_crawler.errors import BadOption, StoreError
from polite_crawler.recipes.offers import Price
from polite_crawler.rules import durations, urls


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """URL, and how it is fetched."""
    parser.add_argument("url", metavar="URL", help="the page of the product")
    add_page_options(parser)


def add_page_options(parser: argparse.ArgumentParser) -> None:
    """The options that `venue` and `product` share."""
    parser.add_argument("--max-age", type=age, metavar="D", help="use a stored copy that is younger (24h)")
    parser.add_argument("--budget", type=span, metavar="D", help="wait this long for the turn of a host: 90s, 10m")
    parser.add_argument(
        "--user-provided",
        action="store_true",
        help="read a page that asked not to be AI input: only for a URL that you gave yourself; it is logged",
    )
    add_render(parser)
    add_signature(parser)


def page_arguments(args: argparse.Namespace) -> dict[str, object]:
    """The arguments of the spider that those options mean."""
    return {"max_age": args.max_age, "budget": args.budget, "user_provided": args.user_provided}


def span(text: str) -> str:
    """The type of --budget."""
    try:
        durations.seconds(text, "--budget")
    except BadOption as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def run(args: argparse.Namespace, output: Output) -> int:
    """Print the product; 3 when the page has none, 4 at a wall."""
    urls.normalize(args.url)
    from polite_crawler.cli.engine import run_spider
    from polite_crawler.recipes.product_spider import ProductResult, ProductSpider

    settings = {**engine_settings(args), "POLITE_OUTPUT": "none"}
    ended = run_spider(ProductSpider, settings, url=args.url, **page_arguments(args))
    if ended.interrupted:
        return Exit.INTERRUPTED
    if ended.error is not None:
        raise StoreError(ended.error)
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


def _show(output: Output, result: object) -> None:
    from polite_crawler.recipes.product_spider import ProductResult

    assert isinstance(result, ProductResult)
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
