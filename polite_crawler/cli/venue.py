"""`pc-venue`: the opening hours of a venue, from its own site."""

import argparse
import json
from typing import TYPE_CHECKING, Any

from polite_crawler.cli.exits import Exit
from polite_crawler.cli.options import engine_settings, whole
from polite_crawler.cli.output import Output, one_line, plain
from polite_crawler.cli.product import add_page_options, page_arguments
from polite_crawler.errors import BadOption
from polite_crawler.readers.hours import compare_hours
from polite_crawler.rules import urls

if TYPE_CHECKING:
    from polite_crawler.recipes.venue import Reading
    from polite_crawler.recipes.venue_spider import VenueResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """URL, which venue it is, and what to compare with."""
    parser.add_argument("url", metavar="URL", help="the home page of the venue")
    parser.add_argument("--name", metavar="N", help="the name of the venue: records of another name are left out")
    parser.add_argument("--require-name", action="store_true", help="a page that does not name it gives no reading")
    parser.add_argument("--address", metavar="A", help="the location of several: its street and number")
    parser.add_argument("--lat", type=float, metavar="F", help="the location of several: degrees of latitude")
    parser.add_argument("--lon", type=float, metavar="F", help="and of longitude")
    parser.add_argument("--osm", metavar="V", help="an OpenStreetMap opening_hours value, as one more reading")
    parser.add_argument(
        "--pages", type=whole(0, 8), default=3, metavar="0-8", help="pages beside the home page at most (3)"
    )
    parser.add_argument("--compare", metavar="FILE", help="compare with the week in this JSON file")
    add_page_options(parser)


def run(args: argparse.Namespace, output: Output) -> int:
    """Print the readings; 1 when there is none."""
    url = urls.without_space(args.url)
    kept = _kept(args.compare) if args.compare else None
    from polite_crawler.cli.engine import interrupted, run_spider
    from polite_crawler.recipes.venue_spider import VenueResult, VenueSpider

    ended = run_spider(
        VenueSpider,
        {**engine_settings(args), "POLITE_OUTPUT": "none"},
        url=url,
        name=args.name,
        require_name=args.require_name,
        address=args.address,
        lat=args.lat,
        lon=args.lon,
        osm=args.osm,
        pages=args.pages,
        **page_arguments(args),
    )
    if ended.interrupted:
        return interrupted(output)
    result = ended.summary
    assert isinstance(result, VenueResult)
    change = None
    if kept is not None:
        change = compare_hours(kept, result.from_site.week if result.from_site else {})
    if output.json:
        output.fact({**plain(result), **({"change": plain(change)} if change is not None else {})})
    else:
        _show(output, result)
        if change is not None:
            output.line(f"compared: {change.status} {' '.join(change.days)}".rstrip())
    return Exit.DONE if result.readings else Exit.FAILED


_WEEK = '{"mon": [["09:00", "17:00"]]}'


def _kept(path: str) -> dict[str, Any]:
    """The week of a file: `{"mon": [["09:00", "17:00"]], ...}`, or an object with a `week`."""
    with open(path, encoding="utf-8") as file:
        try:
            value = json.load(file)
        except ValueError as error:
            raise BadOption(f"{path} is not JSON: {error}") from None
    week = value.get("week", value) if isinstance(value, dict) else None
    if not isinstance(week, dict):
        raise BadOption(f"{path} holds no week such as {_WEEK}")
    try:
        compare_hours(week, {})
    except (ValueError, TypeError, AttributeError) as error:
        raise BadOption(f"{path} holds no week such as {_WEEK}: {error}") from None
    return week


def _show(output: Output, result: "VenueResult") -> None:
    if result.best is not None:
        output.line(output.bold(one_line(result.best.hours)))
    output.table(("from", "label", "hours", "notes", "capture"), [_row(one) for one in result.readings])
    facts = {
        "disagree": " ".join(result.disagree),
        "phone": result.phone,
        "menus": " ".join(result.menus),
        "moved": result.moved,
    }
    for name, value in facts.items():
        if value:
            output.line(f"{name}: {one_line(value)}")
    for note in result.notes:
        output.note(one_line(note))


def _row(one: "Reading") -> tuple[object, ...]:
    notes = [name for name in ("inferred", "partial") if getattr(one, name)] + ([one.season] if one.season else [])
    return one.from_, one.label, one.hours, ", ".join(notes), one.capture
