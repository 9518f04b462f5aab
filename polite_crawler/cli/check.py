"""`pc-check`: whether a WARC or WACZ file is strictly right."""

import argparse

from polite_crawler.archive.check import check
from polite_crawler.cli.exits import Exit
from polite_crawler.cli.output import Output, one_line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """FILE."""
    parser.add_argument("file", metavar="FILE", help="a .warc, .warc.gz or .wacz file")


def run(args: argparse.Namespace, output: Output) -> int:
    """Print one line a fault; 1 when there is one."""
    found = check(args.file)
    if output.json:
        output.fact(found)
    elif found.ok:
        output.line(f"{one_line(found.file)}: nothing is wrong")
    else:
        for fault in found.faults:
            output.line(one_line(str(fault)))
    return Exit.DONE if found.ok else Exit.FAILED
