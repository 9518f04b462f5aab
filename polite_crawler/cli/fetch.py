"""`pc-fetch`: fetch and store one or more pages."""

import argparse

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import add_archive, add_render, add_signature, age, engine_settings
from polite_crawler.cli.output import Output
from polite_crawler.rules import urls


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
    add_archive(parser)
    add_signature(parser)


def run(args: argparse.Namespace, output: Output) -> int:
    """Print one result for each URL; 0 when each was read."""
    wanted = list(dict.fromkeys(urls.without_space(url) for url in args.url))
    from polite_crawler.cli.engine import READ, interrupted, run_spider
    from polite_crawler.spiders.page import PageSpider

    settings = engine_settings(args)
    ended = run_spider(PageSpider, settings, url=" ".join(wanted), max_age=args.max_age)
    if ended.interrupted:
        return interrupted(output)
    read = [page for page in ended.pages if page.outcome in READ or page.archived]
    return Exit.DONE if len(read) == len(wanted) else Exit.FAILED
