"""The program around the commands: its name, its errors, its exit codes."""

import argparse
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches

from polite_crawler.cli.commands import COMMANDS, command_of, parser_of, program_parser
from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import defaults
from polite_crawler.cli.output import Output, one_line
from polite_crawler.errors import BadOption, PoliteError


def main(argv: Sequence[str] | None = None, *, program: str | None = None) -> int:
    """Run the command that the program's name or the first argument names, and give its exit code.

    `program` is the name of the program, by default that of the process: `pc-find`, or `pc` with the command as an
    argument. A wrong command line ends the process with code 2, as argparse does.
    """
    _open_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    called = program if program is not None else ("pc" if argv is not None else sys.argv[0])
    try:
        name, prog, args = _command_line(called, arguments)
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    output = Output(sys.stdout, sys.stderr, json=args.json)
    try:
        _configure_logs(args)
        code = command_of(name).run(args, output)
        output.flush()
        return code
    except BrokenPipeError:
        return _reader_went_away()
    except KeyboardInterrupt:
        _tell(prog, "stopped")
        return Exit.INTERRUPTED
    except BadOption as error:
        _tell(prog, str(error))
        return Exit.USAGE
    except PoliteError as error:
        _tell(prog, str(error))
        return Exit.FAILED
    except OSError as error:
        _tell(prog, _of_system(error))
        return Exit.FAILED
    except Exception as error:
        if args.verbose:
            raise
        _tell(prog, f"{type(error).__name__}: {error} (a fault of the program; --verbose shows where)")
        return Exit.FAILED


def _configure_logs(args: argparse.Namespace) -> None:
    """Log more, or as JSON, when the command line says so. Most commands log nothing and never import it."""
    if args.verbose or args.log_json:
        from polite_crawler.cli import logs

        logs.configure(verbose=args.verbose, as_json=args.log_json)


def _open_streams() -> None:
    """Put nothing in the place of a standard stream that was closed (`pc-find x >&-`): else the next file of the
    store gets its number, and what is printed goes into that file."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            if nothing != number:
                os.dup2(nothing, number)
                os.close(nothing)
            setattr(sys, name, io.TextIOWrapper(io.FileIO(number, mode, closefd=False), encoding="utf-8"))


def _command_line(called: str, arguments: list[str]) -> tuple[str, str, argparse.Namespace]:
    """The name of the command, the name of the program for messages, and the parsed arguments."""
    program = os.path.basename(called).removesuffix(".exe")
    given = defaults()
    if program.startswith("pc-"):
        name, prog = program.removeprefix("pc-"), program
    else:
        program_parser().parse_args(arguments, given)
        name, prog, arguments = given.command, f"pc {given.command}", given.rest
    if name not in COMMANDS:
        near = get_close_matches(name, COMMANDS, n=1)
        help_ = f"did you mean {near[0]}?" if near else f"there are: {', '.join(COMMANDS)}"
        _tell("pc", f"no command {name!r}; {help_}")
        raise SystemExit(Exit.USAGE)
    return name, prog, parser_of(name, prog).parse_args(arguments, given)


def _tell(prog: str, message: str) -> None:
    with suppress(OSError):
        sys.stderr.write(f"{prog}: {one_line(message)}\n")
        sys.stderr.flush()


def _of_system(error: OSError) -> str:
    what = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {what}" if error.filename else what


def _reader_went_away() -> int:
    """The reader of our output closed it (`pc-find x | head`): be silent, also while the interpreter ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return Exit.FAILED
