"""`pc-discover`: list the pages of a site from its sitemaps and feeds."""

import argparse

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import add_signature, age, engine_settings, whole
from polite_crawler.cli.output import Output
from polite_crawler.rules import urls


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """URL, the limit and what else to read."""
    parser.add_argument("url", metavar="URL", help="a page of the site")
    parser.add_argument("--max-urls", type=whole(1), default=1000, metavar="N", help="URLs at most (1000)")
    parser.add_argument(
        "--feed", action="append", default=[], metavar="URL", help="read this feed as well; may be repeated"
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="H",
        help="keep the URLs of one more host, or of *.example.org; may be repeated",
    )
    parser.add_argument("--max-age", type=age, metavar="D", help="use a stored copy that is younger (24h)")
    add_signature(parser)


def run(args: argparse.Namespace, output: Output) -> int:
    """Print each URL, the newest first, then the summary; 0 when a file was read."""
    url, *feeds = (urls.without_space(text) for text in (args.url, *args.feed))
    from polite_crawler.cli.engine import READ, run_spider
    from polite_crawler.spiders.discover import DiscoverSpider
    from polite_crawler.spiders.results import DiscoverySummary

    ended = run_spider(
        DiscoverSpider,
        engine_settings(args),
        url=url,
        max_urls=args.max_urls,
        feed=" ".join(feeds),
        allow_host=" ".join(args.allow_host),
        max_age=args.max_age,
    )
    if ended.interrupted:
        return Exit.INTERRUPTED
    summary = ended.summary
    sources = summary.sources if isinstance(summary, DiscoverySummary) else ()
    return Exit.DONE if any(source.kind != "robots" and source.outcome in READ for source in sources) else Exit.FAILED
