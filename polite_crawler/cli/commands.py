"""The table of the commands. A command's module is imported when the command runs, and not before."""

import argparse
from collections.abc import Sequence
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, NoReturn, Protocol, cast

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import add_common, sentence

if TYPE_CHECKING:
    from polite_crawler.cli.output import Output

COMMANDS: dict[str, str] = {
    "check": "say what is wrong with a WARC or WACZ file",
    "crawl": "follow the links of a site and store each page",
    "diff": "tell what changed between two stored versions of a page",
    "discover": "list the pages of a site from its sitemaps and feeds",
    "export": "write stored captures as a WARC or WACZ file",
    "extract": "check proposed values of fields against a stored page",
    "fetch": "fetch and store one or more pages",
    "find": "search the stored pages",
    "import": "read a WARC, ARC or WACZ file into the store",
    "key-directory": "print the key directory that lets sites verify signed requests",
    "mcp": "serve the tools to an assistant (Model Context Protocol)",
    "product": "read the product of a shop page: price, availability, codes",
    "read": "print the stored text of a page",
    "recipe": "run a recipe, list recipes, save a fixture of one",
    "reindex": "build the index of the store again from its log",
    "store": "look into the store: stats, hosts, reset, doctor, cat, seal, erase",
    "testsite": "serve a site with every trap on loopback",
    "venue": "read the opening hours of a venue from its own site",
    "verify": "check that a stored page holds a quote, and say where",
    "versions": "list the stored versions of a page",
}


class Command(Protocol):
    """What a module of a command has."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the arguments of the command; the common options are there already."""

    def run(self, args: argparse.Namespace, output: "Output") -> int:
        """Do the work and give the exit code. Raises PoliteError; a BadOption is a wrong command line."""


class Parser(argparse.ArgumentParser):
    """An argument parser that tells what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(Exit.USAGE, f"{self.prog}: {message} (try {self.prog} --help)\n")


def command_of(name: str) -> Command:
    """The module of a command."""
    module = name.replace("-", "_") + ("_" if iskeyword(name) else "")
    return cast("Command", import_module(f"polite_crawler.cli.{module}"))


def parser_of(name: str, prog: str | None = None) -> argparse.ArgumentParser:
    """The whole parser of a command, with the common options."""
    parser = Parser(prog=prog or f"pc {name}", description=sentence(COMMANDS[name]), allow_abbrev=False)
    add_common(parser)
    command_of(name).add_arguments(parser)
    return parser


def program_parser(names: Sequence[str] = tuple(COMMANDS)) -> argparse.ArgumentParser:
    """The parser of `pc` itself: common options, the name of a command, and its arguments untouched."""
    width = max(map(len, names))
    listing = "\n".join(f"  {name:<{width}}  {COMMANDS[name]}" for name in names)
    parser = Parser(
        prog="pc",
        usage="pc [options] COMMAND ...",
        description="Fetch a source one time, keep the evidence, read it many times.",
        epilog=f"commands:\n{listing}\n\n`pc COMMAND --help` tells the options of a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_common(parser)
    parser.add_argument("command", metavar="COMMAND", help=argparse.SUPPRESS)
    # argparse names each argument that is missing, and this one may be empty
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS).required = False
    return parser
