"""`pc-export`: write stored captures as a WARC file or a WACZ package."""

import argparse
from pathlib import Path

from polite_crawler.archive.export import Exported, export, format_of
from polite_crawler.archive.selection import Selection
from polite_crawler.archive.signature import load_key
from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import moment, store_dir
from polite_crawler.cli.output import Output, one_line
from polite_crawler.cli.progress import Progress
from polite_crawler.query.store import open_store

_REASONS = {
    "secret-in-body": "captures with a known secret in the body (--secret-bodies takes them)",
    "body-missing": "captures whose body is missing",
    "body-damaged": "captures whose body is damaged",
    "damaged-line": "damaged lines of the log",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The file and the filters."""
    parser.add_argument("--out", required=True, metavar="FILE", help="what to write: NAME.warc.gz or NAME.wacz")
    parser.add_argument("--since", type=moment, metavar="TIME", help="captures of this time or later")
    parser.add_argument("--until", type=moment, metavar="TIME", help="captures before this time")
    parser.add_argument("--host", metavar="HOST", help="captures of a host and its subdomains")
    parser.add_argument("--prefix", metavar="URL", help="captures whose URL begins so")
    parser.add_argument("--id", action="append", default=[], metavar="ID", help="this capture; may be repeated")
    parser.add_argument("--overwrite", action="store_true", help="replace a file that is there")
    parser.add_argument("--wacz-key", metavar="FILE", help="sign the package with this ECDSA P-384 key (PEM)")
    parser.add_argument(
        "--secret-bodies", action="store_true", help="take bodies in which a secret of their request stands"
    )


def run(args: argparse.Namespace, output: Output) -> int:
    """Write the file. A command line that cannot do is found before the store is opened."""
    filters = {"since": args.since, "until": args.until, "host": args.host, "prefix": args.prefix, "ids": args.id}
    Selection.of(**filters)
    form = format_of(Path(args.out))
    if args.wacz_key and form == "wacz":
        load_key(args.wacz_key)
    with open_store(store_dir(args)) as store, Progress(enabled=not args.no_progress) as progress:
        done = export(
            store.index,
            args.out,
            **filters,
            overwrite=args.overwrite,
            wacz_key=args.wacz_key,
            secret_bodies=args.secret_bodies,
            on_capture=lambda count: progress.show(f"{count} captures"),
        )
    if output.json:
        output.fact(done)
    else:
        _show(output, done)
    return Exit.DONE


def _show(output: Output, done: Exported) -> None:
    for file in done.files:
        output.line(output.bold(one_line(file)))
    output.line(
        f"  {done.responses} responses, {done.revisits} revisits, {done.pages} pages;"
        f" {done.records} records, {done.bytes:,} octets"
    )
    for reason, count in done.skips.items():
        output.line(f"  left out: {count} {_REASONS[reason]}")
