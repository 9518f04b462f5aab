"""`pc-verify`: check that a stored page holds a quote, and say where."""

import argparse

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import store_dir
from polite_crawler.cli.output import Output, one_line
from polite_crawler.cli.read import add_version
from polite_crawler.query.quotes import check_quote
from polite_crawler.query.store import open_store
from polite_crawler.query.verify import VerifyResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """DOC, QUOTE and the version."""
    parser.add_argument("doc", metavar="DOC", help="a document id (url:...) or a URL")
    parser.add_argument("quote", metavar="QUOTE", help="the words that should stand there")
    add_version(parser)


def run(args: argparse.Namespace, output: Output) -> int:
    """Print where the quote stands; 1 when it does not."""
    check_quote(args.quote)
    with open_store(store_dir(args)) as store:
        result: VerifyResult = store.verify(
            args.doc, args.quote, capture=args.capture, at=args.at, user_provided=args.user_provided
        )
    if output.json:
        output.fact(result)
    else:
        _show(output, result)
    return Exit.DONE if result.found else Exit.FAILED


def _show(output: Output, result: VerifyResult) -> None:
    if result.found:
        times = "" if result.count == 1 else f", {result.count} times"
        stale = ", in an earlier capture alone" if result.stale else ""
        output.line(output.bold("found") + f" ({result.normalization}{times}{stale})")
        output.line(f"  {one_line(result.matched or '')}")
        output.line(f"  characters {result.start} to {result.end}")
    else:
        output.line(output.bold("held back" if result.held_back else "not found"))
        if result.closest is not None:
            span = result.closest.span
            output.line(f"  closest ({result.closest.ratio:.0%}), characters {span.start} to {span.end}:")
            output.line(f"  {one_line(result.closest.matched)}")
    if result.capture:
        output.line("  " + output.dim(one_line(f"{result.doc}  {result.capture}  {result.fetched_at}")))
    if result.note:
        output.line(f"  {one_line(result.note)}")
