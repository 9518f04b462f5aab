"""The command line: `pc NAME ...` and `pc-NAME ...` are one program, with one module a command."""

from polite_crawler.cli.commands import COMMANDS, parser_of
from polite_crawler.cli.exits import Exit
from polite_crawler.cli.frame import main

__all__ = ["COMMANDS", "Exit", "main", "parser_of"]
