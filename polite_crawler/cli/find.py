"""`pc-find`: search the stored pages."""

import argparse

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import moment, store_dir, whole
from polite_crawler.cli.output import Output, one_line
from polite_crawler.errors import BadOption
from polite_crawler.query.find import LIMIT, Found
from polite_crawler.query.store import open_store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """QUERY and what narrows it."""
    parser.add_argument("query", nargs="+", metavar="QUERY", help='words; "a phrase"; begin* of a word')
    parser.add_argument("--limit", type=whole(1, LIMIT), default=10, metavar="N", help="results at most (10)")
    parser.add_argument("--offset", type=whole(0), default=0, metavar="N", help="results to leave out (0)")
    parser.add_argument(
        "--rank", choices=("exact", "fast"), default="exact", help="fast leaves out common words (exact)"
    )
    parser.add_argument("--kind", metavar="K", help="documents of this kind alone: page, pdf, text ...")
    parser.add_argument("--at", type=moment, metavar="TIME", help="search what was current then (a date, or RFC 3339)")


def run(args: argparse.Namespace, output: Output) -> int:
    """Print the results, the best first; 1 when there is none."""
    query = " ".join(args.query)
    if not query.strip():
        raise BadOption("the question is empty")
    with open_store(store_dir(args)) as store:
        found = store.find(query, limit=args.limit, offset=args.offset, rank=args.rank, kind=args.kind, at=args.at)
    for number, hit in enumerate(found, start=args.offset + 1):
        if output.json:
            output.fact(hit)
        else:
            _show(output, number, hit)
    if not found and not output.json:
        output.note("nothing found")
    return Exit.DONE if found else Exit.FAILED


def _show(output: Output, number: int, hit: Found) -> None:
    archived = "  (archived copy)" if hit.archived else ""
    output.line(f"{number}. {output.bold(one_line(hit.title or hit.url))}{archived}")
    output.line(f"   {one_line(hit.snippet)}")
    output.line("   " + output.dim(one_line(f"{hit.doc}  {hit.capture}  {hit.fetched_at}")))
