"""`pc-fetch`: fetch and store one or more pages."""

import argparse

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import add_render, add_signature, engine_settings
from polite_crawler.cli.output import Output
from polite_crawler.errors import BadOption, StoreError
from polite_crawler.rules import durations, urls


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """URL... and how old a copy may be."""
    parser.add_argument("url", nargs="+", metavar="URL", help="http or https URLs")
    parser.add_argument(
        "--max-age",
        type=age,
        metavar="D",
        help="use a stored copy that is younger: 90s, 10m, 24h, 7d, 0, auto, stored (24h)",
    )
    add_render(parser)
    add_signature(parser)


def run(args: argparse.Namespace, output: Output) -> int:
    """Print one result for each URL; 0 when each was read."""
    for url in args.url:
        urls.normalize(url)
    from polite_crawler.cli.engine import READ, run_spider
    from polite_crawler.spiders.page import PageSpider

    settings = engine_settings(args)
    ended = run_spider(PageSpider, settings, url=" ".join(args.url), max_age=args.max_age)
    if ended.interrupted:
        return Exit.INTERRUPTED
    if ended.error is not None:
        raise StoreError(ended.error)
    read = [page for page in ended.pages if page.outcome in READ]
    return Exit.DONE if len(read) == len(dict.fromkeys(args.url)) else Exit.FAILED


def age(text: str) -> str:
    """The type of --max-age."""
    try:
        durations.max_age(text, "--max-age")
    except BadOption as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text
