"""`pc-reindex`: build the index of the store again from its log and its bodies."""

import argparse

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import store_dir
from polite_crawler.cli.output import Output
from polite_crawler.query.store import open_store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments of its own."""


def run(args: argparse.Namespace, output: Output) -> int:
    """Build it beside the old one and change to it at the end; a rebuild that fails keeps the old one."""
    with open_store(store_dir(args)) as store:
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
