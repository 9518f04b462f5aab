"""`pc-crawl`: follow the links of a site and store each page."""

import argparse

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import add_render, add_signature, age, budget, engine_settings, whole
from polite_crawler.cli.output import Output
from polite_crawler.rules import urls


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """URL, the limits and the scope."""
    parser.add_argument("url", metavar="URL", help="where the crawl begins")
    parser.add_argument("--max-pages", type=whole(1), default=100, metavar="N", help="pages at most (100)")
    parser.add_argument("--max-depth", type=whole(0), default=3, metavar="N", help="links from the URL at most (3)")
    parser.add_argument("--budget", type=budget, default="10m", metavar="D", help="time at most: 90s, 10m, 1h (10m)")
    parser.add_argument(
        "--include", action="append", default=[], metavar="P", help="follow only links like /blog/*; may be repeated"
    )
    parser.add_argument("--exclude", action="append", default=[], metavar="P", help="never follow links like this")
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="H",
        help="one more host, or *.example.org; may be repeated",
    )
    parser.add_argument("--sitemaps", action="store_true", help="fetch the pages of the site's sitemaps too")
    parser.add_argument("--resume", action="store_true", help="go on where the same crawl was stopped or killed")
    parser.add_argument("--max-age", type=age, metavar="D", help="use a stored copy that is younger (24h)")
    add_render(parser)
    add_signature(parser)


def run(args: argparse.Namespace, output: Output) -> int:
    """Print each page when its fetch ends, then the summary; 0 when the URL was read."""
    url = urls.without_space(args.url)
    from polite_crawler.cli.engine import READ, run_spider
    from polite_crawler.spiders.results import CrawledPage
    from polite_crawler.spiders.site import SiteSpider

    ended = run_spider(
        SiteSpider,
        {**engine_settings(args), "POLITE_RESUME": args.resume},
        url=url,
        max_pages=args.max_pages,
        max_depth=args.max_depth,
        budget=args.budget,
        include=" ".join(args.include),
        exclude=" ".join(args.exclude),
        allow_host=" ".join(args.allow_host),
        sitemaps=args.sitemaps,
        max_age=args.max_age,
    )
    if ended.interrupted:
        return Exit.INTERRUPTED
    # an earlier run of a crawl that goes on has read its seed
    seeds = [page for page in ended.pages if isinstance(page, CrawledPage) and (page.source == "seed" or args.resume)]
    return Exit.DONE if any(page.outcome in READ for page in seeds) else Exit.FAILED
