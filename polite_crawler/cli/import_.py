"""`pc-import`: read a WARC, ARC or WACZ file into the store."""

import argparse

from polite_crawler.archive.files import open_archive
from polite_crawler.archive.importing import Imported, import_archive
from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import store_dir
from polite_crawler.cli.output import Output, one_line
from polite_crawler.cli.progress import Progress
from polite_crawler.paths import given_path
from polite_crawler.query.store import open_store
from polite_crawler.store.folder import StoreFolder

_REASONS = {
    "known": "were imported before",
    "damaged": "are damaged",
    "too-large": "are too large",
    "no-page": "are no answers to http or https",
    "continuation": "are continuations of a record",
    "conversion": "are texts that another tool made of a page",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE."""
    parser.add_argument("file", metavar="FILE", help="a WARC, ARC or WACZ file, packed by gzip or Zstandard or plain")


def run(args: argparse.Namespace, output: Output) -> int:
    """Import the file; 1 when it gave nothing."""
    path = given_path(args.file)
    with open_archive(path):
        pass  # a name that cannot be read makes no store
    StoreFolder(store_dir(args)).create()
    with open_store(store_dir(args)) as store, Progress(enabled=not args.no_progress) as progress:
        done = import_archive(store.index, path, on_record=lambda count: progress.show(f"{count} records"))
    if output.json:
        output.fact(done)
    else:
        _show(output, done)
    return Exit.DONE if done.captures or done.skips.get("known") else Exit.FAILED


def _show(output: Output, done: Imported) -> None:
    output.line(f"{done.captures} captures of {done.documents} documents from {done.records} records")
    for reason, count in done.skips.items():
        output.line(f"  {count} {_REASONS[reason]}")
    for fault in done.faults:
        output.note(one_line(str(fault)))
