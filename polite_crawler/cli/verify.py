"""`pc-verify`: check that a stored page holds a quote, and say where."""

import argparse
from pathlib import Path

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import store_dir
from polite_crawler.cli.output import Output, one_line
from polite_crawler.cli.proof import add_signing, check_bundle, signing_key_of
from polite_crawler.cli.read import add_version, held_help
from polite_crawler.errors import BadOption
from polite_crawler.query.quotes import check_quote
from polite_crawler.query.store import Store, open_store
from polite_crawler.query.verify import VerifyResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """DOC, QUOTE and the version, a bundle, or a report."""
    parser.add_argument("doc", metavar="DOC", nargs="?", help="a document id (url:...) or a URL")
    parser.add_argument("quote", metavar="QUOTE", nargs="?", help="the words that should stand there")
    add_version(parser)
    parser.add_argument(
        "--report", type=Path, metavar="FILE.md", help="check each quotation with a link in a Markdown file"
    )
    parser.add_argument("--bundle", metavar="FILE", help="write all that proves the quote to a file")
    parser.add_argument("--overwrite", action="store_true", help="replace a bundle that is there")
    parser.add_argument("--check-bundle", metavar="FILE", help="check such a file, with no store")
    parser.add_argument("--key", metavar="PUB", help="the key that you trust, for --check-bundle (text or a file)")
    add_signing(parser)


def run(args: argparse.Namespace, output: Output) -> int:
    """Print where the quote stands; 1 when it does not."""
    if args.check_bundle:
        return check_bundle(args, output)
    if args.report:
        return _report(args, output)
    if args.doc is None or args.quote is None:
        raise BadOption("give DOC and QUOTE, or a file by --report or --check-bundle")
    check_quote(args.quote)
    with open_store(store_dir(args)) as store:
        result: VerifyResult = store.verify(
            args.doc, args.quote, capture=args.capture, at=args.at, user_provided=args.user_provided
        )
        if args.bundle and result.found:
            _bundle(args, output, store, result)
    if output.json:
        output.fact(result)
    else:
        _show(output, result)
    return Exit.DONE if result.found else Exit.FAILED


def _report(args: argparse.Namespace, output: Output) -> int:
    """Check the quotations of a file; 1 when one of them is not there."""
    from polite_crawler.query.report import check_report, report_lines

    if args.doc is not None or args.capture or args.at or args.user_provided or args.bundle:
        raise BadOption("--report takes the documents from the file: give nothing else")
    try:
        markdown = args.report.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise BadOption(f"{one_line(str(args.report))} is no UTF-8 text") from None
    with open_store(store_dir(args)) as store:
        report = check_report(store, markdown)
    if output.json:
        output.fact(report)
    else:
        for line in report_lines(report, str(args.report)):
            output.line(one_line(line))
    return Exit.DONE if report.ok else Exit.FAILED


def _bundle(args: argparse.Namespace, output: Output, store: Store, result: VerifyResult) -> None:
    from polite_crawler.archive.bundle import write_bundle

    key = signing_key_of(args, store.folder)
    done = write_bundle(store.index, result, args.quote, args.bundle, key=key, overwrite=args.overwrite)
    output.note(f"{one_line(done.file)}: {done.bytes:,} octets, line of {done.size} in the log of {done.origin}")


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
        output.line(f"  {one_line(result.note)}{held_help(held=result.held_back)}")
