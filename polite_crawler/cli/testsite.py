"""`pc-testsite`: serve the loopback site until it is stopped."""

import argparse

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import whole
from polite_crawler.cli.output import Output
from polite_crawler.testsite.process import serve
from polite_crawler.testsite.site import MAX_HOSTS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--port and --hosts."""
    parser.epilog = "It serves until SIGINT or SIGTERM, or until its parent ends; nohup or setsid keep it alive."
    parser.add_argument(
        "--port", type=whole(0, 65_535), default=0, metavar="N", help="port of every host (0: one that is free)"
    )
    parser.add_argument(
        "--hosts",
        type=whole(1, MAX_HOSTS),
        default=9,
        metavar="N",
        help=f"hosts 127.0.0.1 to 127.0.0.N, at most {MAX_HOSTS} (9)",
    )


def run(args: argparse.Namespace, output: Output) -> int:
    """Print one JSON line with base and hosts, then serve until SIGINT or SIGTERM."""

    def announce(line: str) -> None:
        output.line(line)
        output.flush()

    serve(args.hosts, args.port, announce)
    return Exit.DONE
