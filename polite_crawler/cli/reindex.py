"""`pc-reindex`: build the index of the store again from its log and its bodies."""

import argparse

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import store_dir
from polite_crawler.cli.output import Output
from polite_crawler.query.store import open_store
from polite_crawler.recipes.known import known_extractors


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The recipes whose captures are read again."""
    parser.add_argument(
        "--recipe",
        action="append",
        default=[],
        metavar="FILE",
        help="read the captures of the recipes in this Python file again; may be repeated",
    )


def run(args: argparse.Namespace, output: Output) -> int:
    """Build it beside the old one and change to it at the end; a rebuild that fails keeps the old one."""
    with open_store(store_dir(args), extractors=known_extractors(args.recipe)) as store:
        done = store.reindex()
    if output.json:
        output.fact(done)
        return Exit.DONE
    output.line(f"{done.documents} documents from {done.captures} captures")
    left_out = (
        (done.skipped_lines, "damaged lines of the log"),
        (done.skipped_bodies, "missing or damaged bodies"),
        (done.failed, "captures that a reader failed on"),
    )
    for count, what in left_out:
        if count:
            output.line(f"left out: {count} {what}")
    if done.kept:
        output.line(f"kept: {done.kept} documents of recipes that are not here")
    return Exit.DONE
