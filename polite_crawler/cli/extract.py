"""`pc-extract`: check proposed values of fields against a stored page."""

import argparse
from collections.abc import Iterator
from typing import Any

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import option_type, store_dir
from polite_crawler.cli.output import Output, one_line
from polite_crawler.cli.read import add_version, held_help
from polite_crawler.errors import BadOption
from polite_crawler.query.claims import parse_field
from polite_crawler.query.extract import ExtractResult, FieldResult
from polite_crawler.query.store import open_store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """DOC, the fields and the version."""
    parser.add_argument("doc", metavar="DOC", help="a document id (url:...) or a URL")
    parser.add_argument(
        "--field",
        dest="fields",
        action="append",
        required=True,
        type=option_type(parse_field),
        metavar="NAME=VALUE[:KIND]",
        help="a field and its value; KIND is text, number, money, date, url, email, phone or json-ld:PATH (repeat it)",
    )
    add_version(parser)


def run(args: argparse.Namespace, output: Output) -> int:
    """Print the status of each field; 1 unless each is verified or normalized."""
    fields: dict[str, Any] = dict(args.fields)
    if len(fields) < len(args.fields):
        raise BadOption("a field is named twice")
    with open_store(store_dir(args)) as store:
        result = store.extract(
            args.doc, fields, capture=args.capture, at=args.at, user_provided=args.user_provided
        )  # fmt: skip
    if output.json:
        output.fact(result)
    else:
        _show(output, result)
    return Exit.DONE if result.holds else Exit.FAILED


def _show(output: Output, result: ExtractResult) -> None:
    rows = (
        (name, one.status, one.normalization, _where(one), "; ".join(_raws(one))) for name, one in result.fields.items()
    )
    output.table(("field", "status", "by", "where", "stands there"), rows)
    if result.summary["held-back"]:
        output.note("the page asked not to be AI input" + held_help(held=True))
    if result.capture:
        output.line(output.dim(one_line(f"{result.doc}  {result.capture}  {result.fetched_at}")))


def _where(field: FieldResult) -> str | None:
    if field.span is None:
        return field.path
    whole = " of the full text" if field.span.in_ == "full_text" else ""
    return f"{field.span.start} to {field.span.end}{whole}"


def _raws(field: FieldResult) -> Iterator[str]:
    """What stands there, or what may be meant."""
    if field.raw is not None:
        yield str(field.raw)
    for candidate in field.candidates:
        yield f"{candidate.raw} ({' or '.join(candidate.meanings[:4])})"
