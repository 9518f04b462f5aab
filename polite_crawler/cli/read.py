"""`pc-read`: print the stored text of a page."""

import argparse

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import add_user_provided, filled, moment, store_dir, whole
from polite_crawler.cli.output import Output, many_lines, one_line
from polite_crawler.query.read import ReadResult
from polite_crawler.query.store import open_store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """DOC, the range and the version."""
    parser.add_argument("doc", metavar="DOC", help="a document id (url:...) or a URL")
    parser.add_argument("--start", type=whole(0), default=0, metavar="N", help="first character (0)")
    parser.add_argument("--length", type=whole(0), metavar="N", help="characters (default: to the end)")
    parser.add_argument("--main", action="store_true", help="the main text alone")
    add_version(parser)


def add_version(parser: argparse.ArgumentParser) -> None:
    """The options that choose a version, and the one that lifts a hold."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--capture", type=filled, metavar="ID", help="the version of this capture")
    which.add_argument(
        "--at", type=moment, metavar="TIME", help="the version that was current then (a date, or RFC 3339)"
    )
    add_user_provided(parser)


def run(args: argparse.Namespace, output: Output) -> int:
    """Print the text; 1 when there is none to give."""
    with open_store(store_dir(args)) as store:
        result = store.read(
            args.doc, start=args.start, length=args.length, capture=args.capture, at=args.at, main=args.main,
            user_provided=args.user_provided,
        )  # fmt: skip
    if output.json:
        output.fact(result)
    else:
        _show(output, result)
    return Exit.FAILED if result.held_back or result.before_first else Exit.DONE


def _show(output: Output, result: ReadResult) -> None:
    if output.terminal and result.capture:
        where = one_line(f"{result.url}  {result.capture}  {result.fetched_at}")
        output.note(f"{output.bold(one_line(result.title or ''))}\n{output.dim(where)}\n")
    if result.text:
        text = many_lines(result.text) if output.terminal else result.text
        output.text(text if text.endswith("\n") else text + "\n")
    if result.next_start is not None:
        output.note(
            f"characters {result.start} to {result.end} of {result.total}; go on with --start {result.next_start}"
        )
    if not result.text and not result.total and not result.held_back:
        for note in result.meta.get("notes", ()):
            output.note(one_line(str(note)))
    if result.note:
        output.note(one_line(result.note) + held_help(held=result.held_back))


def held_help(*, held: bool) -> str:
    """What a person can do about a page that is held back."""
    return "; --user-provided gives it, for a URL that you gave yourself" if held else ""
