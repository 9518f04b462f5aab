"""`pc-diff`: tell what changed between two stored versions of a page."""

import argparse
from pathlib import Path

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import option_type, store_dir
from polite_crawler.cli.output import Output, many_lines, one_line
from polite_crawler.query.diff import DiffResult
from polite_crawler.query.moments import moment_of
from polite_crawler.query.store import open_store


@option_type
def version(text: str) -> str:
    """A capture id, or a time that is one."""
    if text[:1].isdigit():
        moment_of(text)
    return text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """DOC, the two versions and the page."""
    parser.add_argument("doc", metavar="DOC", help="a document id (url:...) or a URL")
    parser.add_argument(
        "--from",
        dest="from_",
        type=version,
        metavar="V",
        help="a capture id or a time (default: the version before, of the same recipe and capture kind)",
    )
    parser.add_argument("--to", type=version, metavar="V", help="a capture id or a time (default: the newest version)")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page that shows the changes")


def run(args: argparse.Namespace, output: Output) -> int:
    """Print the changes; 1 when there is no version to compare with, or a side is held back."""
    with open_store(store_dir(args)) as store:
        result = store.diff(args.doc, from_=args.from_, to=args.to)
        title = None if result.same is None else store.versions(args.doc)[0].title
    if args.html is not None:
        _write_page(args.html, result, title)
        output.note(f"{one_line(str(args.html))}: written")
    if output.json:
        output.fact(result)
    else:
        _show(output, result)
    return Exit.FAILED if result.same is None else Exit.DONE


def _write_page(file: Path, result: DiffResult, title: str | None) -> None:
    from polite_crawler.query.diff_page import diff_page

    page = diff_page(result, title=title)
    file.write_bytes(page.encode("utf-8", "replace"))


def _show(output: Output, result: DiffResult) -> None:
    from polite_crawler.query.unified import unified

    if result.same:
        output.line("the two versions are the same")
    elif result.hunks or result.meta:
        output.text(unified(result, colour=output.colour))
    if result.note:
        output.line(many_lines(result.note))
