"""`pc-versions`: list the stored versions of a page."""

import argparse

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import store_dir
from polite_crawler.cli.output import Output
from polite_crawler.query.store import open_store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """DOC."""
    parser.add_argument("doc", metavar="DOC", help="a document id (url:...) or a URL")


def run(args: argparse.Namespace, output: Output) -> int:
    """Print the versions, the newest first."""
    with open_store(store_dir(args)) as store:
        found = store.versions(args.doc)
    if output.json:
        for version in found:
            output.fact(version)
        return Exit.DONE
    rows = (
        (
            "*" if one.current else "",
            one.fetched_at,
            one.capture,
            one.capture_kind,
            one.chars,
            "(held back)" if one.held_back else one.title,
        )
        for one in found
    )
    output.table(("", "fetched at", "capture", "kind", "characters", "title"), rows)
    return Exit.DONE
