"""`pc-mcp`: the tools of the crawler for an assistant, over standard input and output or over HTTP."""

import argparse
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import store_dir, whole
from polite_crawler.cli.output import Output
from polite_crawler.errors import BadOption
from polite_crawler.rules.options import truth
from polite_crawler.store.folder import StoreFolder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The transport, and what the operator permits."""
    parser.add_argument("--http", action="store_true", help="serve over HTTP (default: standard input and output)")
    parser.add_argument("--host", metavar="H", help="address to listen on, with --http (127.0.0.1)")
    parser.add_argument("--port", type=whole(0, 65535), metavar="N", help="port to listen on, with --http (9307)")
    parser.add_argument("--token-file", type=Path, metavar="F", help="take the token from a file, with --http")
    parser.add_argument("--allow-remote", action="store_true", help="listen on an address that others can reach")
    parser.add_argument(
        "--allow-user-provided",
        action="store_true",
        help="release held-back pages for a client that cannot ask the user (POLITE_CRAWLER_ALLOW_USER_PROVIDED)",
    )
    parser.add_argument("--no-browser", action="store_true", help="never render a page in a browser")
    parser.add_argument("--read-only", action="store_true", help="offer no tool that sends requests")
    parser.add_argument("--tools", metavar="A,B", help="offer these tools alone")
    parser.add_argument(
        "--structured", choices=("never", "envelope"), default="never", help="put answers in structuredContent too"
    )


def run(args: argparse.Namespace, output: Output) -> int:
    """Serve until the client goes or a signal comes."""
    if not args.http and (args.host or args.port is not None or args.token_file or args.allow_remote):
        raise BadOption("--host, --port, --token-file and --allow-remote belong to --http")
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        _serve(args, output)
    except KeyboardInterrupt:
        # a signal while it starts is an end like any other; the server hears them itself later
        pass
    finally:
        signal.signal(signal.SIGTERM, before)
    return Exit.DONE


def _serve(args: argparse.Namespace, output: Output) -> None:
    import anyio

    from polite_crawler.mcp.host import TOOLS, ServerOptions

    options = ServerOptions(
        tools=TOOLS if args.tools is None else tuple(name.strip() for name in args.tools.split(",") if name.strip()),
        read_only=args.read_only,
        allow_user_provided=args.allow_user_provided or _permitted(os.environ),
        structured=args.structured == "envelope",
        no_browser=args.no_browser,
    )
    _ = options.offered
    _log_on_stderr(args)
    try:
        if args.http:
            _serve_http(args, output, options)
        else:
            from polite_crawler.mcp.stdio import serve_stdio

            anyio.run(serve_stdio, store_dir(args), options, _settings(args))
    except BaseExceptionGroup as group:
        raise _first(group) from group


def _first(error: BaseException) -> BaseException:
    """The first error of a group of tasks that ended together."""
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def _serve_http(args: argparse.Namespace, output: Output, options: Any) -> None:
    from functools import partial

    import anyio

    from polite_crawler.mcp.http import Address, serve_http
    from polite_crawler.mcp.token import new_token, read_token

    address = Address(args.host or "127.0.0.1", 9307 if args.port is None else args.port, args.allow_remote)
    address.check()
    folder = StoreFolder(store_dir(args))
    token, warning = read_token(args.token_file) if args.token_file else (new_token(folder), None)
    if warning:
        output.note(warning)
    where = args.token_file or folder.mcp_token

    def ready(url: str) -> None:
        output.note(f"serving {url}; the token is in {where}")

    anyio.run(
        partial(serve_http, str(folder.path), options, _settings(args), address=address, token=token, ready=ready)
    )


def _settings(args: argparse.Namespace) -> Mapping[str, Any]:
    """The settings of the crawler that the common options mean."""
    settings: dict[str, Any] = {"on_behalf_of": list(args.on_behalf_of)}
    if args.contact is not None:
        settings["contact"] = args.contact
    if args.allow_private:
        settings["allow_private"] = True
    return settings


def _permitted(environment: Mapping[str, str]) -> bool:
    """What the environment says. Raises BadOption for what is neither true nor false."""
    name = "POLITE_CRAWLER_ALLOW_USER_PROVIDED"
    return truth(environment.get(name, ""), name)


def _log_on_stderr(args: argparse.Namespace) -> None:
    from polite_crawler.cli import logs

    logs.configure(verbose=args.verbose, as_json=args.log_json)
