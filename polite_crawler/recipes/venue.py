"""The readings of opening hours of a page, and what several readings say together. Pure: no request."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from polite_crawler.readers.hours import DAYS, Hours, Interval, compare_hours, describe_week, from_compact
from polite_crawler.readers.hours.scan import Kind, tokens
from polite_crawler.readers.hours.schema_org import from_schema_org
from polite_crawler.readers.hours.text import schedules
from polite_crawler.readers.jsonld import bare_names, by_id, follow, types_of
from polite_crawler.recipes.offers import as_list, name_of
from polite_crawler.recipes.places import Location, address_lines, location_of, matches, names
from polite_crawler.recipes.streets import same_street
from polite_crawler.recipes.venue_tables import upright

__all__ = ["Location", "Reading", "Verdict", "judge", "osm_reading", "phone_of", "readings_of"]

Source = Literal["json-ld", "microdata", "text", "osm"]

RANK_SITE_DATA, RANK_HEADED, RANK_OSM, RANK_TEXT, RANK_OTHER = range(5)
"""What a reading counts: site data, a text under an hours heading, OpenStreetMap, another text, another schedule."""

_HEADING = re.compile(r"\b(?:open|opening|opens|hours|visit(?:ing)?)\b", re.IGNORECASE)
_LONG_LINE = 300
_SHORT_LINE = 70
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_STRONG = (Kind.DAYS, Kind.NTH, Kind.SEASON, Kind.HOLIDAY, Kind.ALWAYS)
_TIMES = (Kind.TIME, Kind.CLOSED, Kind.ALL_DAY, Kind.OPEN_END, Kind.ALWAYS)
_APART = ("openingHoursSpecification", "address", "geo", "contactPoint")
_NESTING = 8


class StoredDocument(Protocol):
    """What is read of a document: a version that `Store.read` gives is one."""

    @property
    def doc(self) -> str: ...

    @property
    def url(self) -> str | None: ...

    @property
    def text(self) -> str: ...

    @property
    def meta(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of the hours of a venue. `hours` is the week as words; `raw` is what stands in the source, and of a
    text a quote that `verify` finds. `path` is that of site data. `rank` orders readings, 0 first."""

    from_: Source
    label: str | None
    week: Mapping[str, Sequence[Interval]]
    hours: str
    rank: int
    inferred: bool
    partial: bool
    season: str | None
    raw: str
    url: str | None = None
    doc: str | None = None
    capture: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What readings say together. `best` is the first reading of the opening hours, `from_site` the best one of the
    site itself with no guessed am or pm, `disagree` names the days where two readings of the whole schedule differ."""

    best: Reading | None
    from_site: Reading | None
    readings: tuple[Reading, ...]
    disagree: tuple[str, ...]


def readings_of(
    document: StoredDocument,
    *,
    location: "Location | Mapping[str, Any] | None" = None,
    name: str | None = None,
) -> tuple[Reading, ...]:
    """The readings of one stored document: its site data, then its text. An earlier version reads the same way.

    With a location, the records and the parts of the text that say another address are left out. With a name, the
    records of another name are, unless none has it.
    """
    place = location_of(location)
    return (*_of_records(document, place, name), *_of_text(document, place))


def osm_reading(value: str) -> Reading | None:
    """The reading of an OpenStreetMap `opening_hours` value, or None for one that cannot be read."""
    hours = from_compact(value)
    return None if not hours.week else _reading("osm", hours, RANK_OSM, value)


def judge(readings: Sequence[Reading]) -> Verdict:
    """Put the readings in the order of their rank, and compare them."""
    ordered = tuple(sorted(readings, key=lambda one: (one.rank, one.season is not None)))
    whole = [one for one in ordered if one.rank != RANK_OTHER]
    days: set[str] = set()
    schedules_ = [one for one in whole if one.rank <= RANK_OSM and one.season is None]
    for at, one in enumerate(schedules_):
        for other in schedules_[at + 1 :]:
            days.update(compare_hours(one.week, other.week).days)
    return Verdict(
        best=whole[0] if whole else None,
        from_site=next((one for one in whole if one.from_ != "osm" and not one.inferred), None),
        readings=ordered,
        disagree=tuple(day for day in DAYS if day in days),
    )


def phone_of(document: StoredDocument, *, location: "Location | Mapping[str, Any] | None" = None) -> str | None:
    """The telephone number of the site data, of the place that is asked for: its own, else that of a contact point."""
    place = location_of(location)
    found = []
    for _, record, department in _records(document):
        own = name_of(record.get("telephone"))
        points = [one for one in as_list(record.get("contactPoint")) if isinstance(one, Mapping)]
        number = own or next((said for one in points if (said := name_of(one.get("telephone")))), None)
        if number and (place is None or matches(record, place) is not False):
            rank = (bool(own), department is None, bool(_hours_keys(record)))
            found.append((rank, number.strip("[] ").removeprefix("tel:").strip()))
    return max(found, key=lambda one: one[0])[1] if found else None


def _reading(
    from_: Source, hours: Hours, rank: int, raw: str, document: StoredDocument | None = None, path: str | None = None
) -> Reading:
    return Reading(
        from_=from_,
        label=hours.label,
        week=hours.week or {},
        hours=describe_week(hours.week or {}),
        rank=rank,
        inferred=hours.inferred,
        partial=hours.partial,
        season=hours.season,
        raw=raw,
        url=document.url if document else None,
        doc=document.doc if document else None,
        capture=getattr(document, "capture", None),
        path=path,
    )


def _records(document: StoredDocument) -> Iterator[tuple[Source, Mapping[str, Any], str | None]]:
    """The records of the site data, with the name of the department that one is of."""
    sources: tuple[tuple[Source, str], ...] = (("json-ld", "jsonld"), ("microdata", "microdata"))
    for source, key in sources:
        records = bare_names(as_list(document.meta.get(key)), {})
        nodes = by_id(records)
        stack: list[tuple[Any, int, str | None]] = [(one, 0, None) for one in reversed(records)]
        while stack:
            value, depth, department = stack.pop()
            if isinstance(value, list):
                stack.extend((one, depth, department) for one in reversed(value))
            elif isinstance(value, dict) and depth < _NESTING:
                yield source, _linked(value, nodes), department
                for name, inner in reversed(value.items()):
                    if name not in ("openingHoursSpecification", "hoursAvailable", "contactPoint", "review"):
                        inside = (name_of(inner) or name) if name == "department" else department
                        stack.append((inner, depth + 1, inside))


def _linked(record: Mapping[str, Any], nodes: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record with the nodes that stand apart from it and that it names by their @id."""
    followed = {key: [follow(one, nodes) for one in as_list(record[key])] for key in _APART if record.get(key)}
    return {**record, **{key: found for key, found in followed.items() if found != as_list(record[key])}}


def _hours_keys(record: Mapping[str, Any]) -> list[str]:
    return [key for key in ("openingHoursSpecification", "openingHours") if record.get(key)]


def _of_records(document: StoredDocument, place: Location | None, name: str | None) -> list[Reading]:
    stated = [one for one in _records(document) if _hours_keys(one[1]) and _is_venue(one[1])]
    if place is not None:
        stated = [one for one in stated if matches(one[1], place) is not False]
    if name is not None:
        named = [one for one in stated if names(name, name_of(one[1].get("name")) or "")]
        stated = named or stated
    found: list[Reading] = []
    for source, record, department in stated:
        hours = from_schema_org(record)
        if not hours.week:
            continue
        key = _hours_keys(record)[0]
        kind = next(iter(types_of(record)), "Thing")
        raw = json.dumps(record[key], ensure_ascii=False) if not isinstance(record[key], str) else record[key]
        rank = RANK_SITE_DATA if department is None else RANK_OTHER
        reading = _reading(source, hours, rank, raw, document, f"json-ld:{kind}.{key}")
        found.append(_labelled(reading, department))
    return _distinct(found)


def _labelled(reading: Reading, department: str | None) -> Reading:
    return replace(reading, label=department) if department else reading


def _is_venue(record: Mapping[str, Any]) -> bool:
    return not {"ContactPoint", "Service"} & set(types_of(record))


def _of_text(document: StoredDocument, place: Location | None) -> list[Reading]:
    found = []
    keeps = _kept_parts(document.text, place)
    for start, raw, headed in _blocks(document.text):
        if not keeps(start):
            continue
        for hours in schedules(upright(raw)):
            if hours.week:
                rank = RANK_OTHER if hours.label else RANK_HEADED if headed else RANK_TEXT
                found.append(_reading("text", hours, rank, raw, document))
    return _distinct(found)


def _distinct(readings: list[Reading]) -> list[Reading]:
    """Each schedule once, as the first reading that gave it: a page often repeats its hours."""
    kept: dict[tuple[object, ...], Reading] = {}
    for one in readings:
        kept.setdefault((one.from_, one.hours, one.label, one.season), one)
    return list(kept.values())


def _kept_parts(text: str, place: Location | None) -> Any:
    """Whether a position belongs to the location: the address line above it, or the first one of the page, is that of
    the location. Without an address of ours on the page, everything is kept."""
    lines = address_lines(text) if place is not None and place.address else []
    address = place.address if place is not None and place.address else ""
    ours = [same_street(address, line) for _, line in lines]
    if not any(ours) or all(ours):
        return lambda position: True

    def keeps(position: int) -> bool:
        above = [mine for (at, _), mine in zip(lines, ours, strict=True) if at <= position]
        return above[-1] if above else ours[0]

    return keeps


def _blocks(text: str) -> Iterator[tuple[int, str, bool]]:
    """The parts of a text that may state hours: runs of lines with days and times, and a heading above them. Gives the
    position, the part as it stands there, and whether it is under a heading of hours."""
    lines = list(_lines(text))
    at = 0
    while at < len(lines):
        if not _speaks(lines[at][1]):
            at += 1
            continue
        end = at + 1
        while end < len(lines) and (_speaks(lines[end][1]) or (_is_gap(lines, end) and _speaks(lines[end + 1][1]))):
            end += 1
        first = at
        while first > 0 and at - first < 2 and _is_heading(lines, first - 1):
            first -= 1
        start, last = lines[first][0], lines[end - 1]
        raw = text[start : last[0] + len(last[1])].strip()
        headed = any(_HEADING.search(line) for _, line in lines[first:end] if len(line) <= _SHORT_LINE)
        if headed or _has_both(raw):
            yield start, raw, headed or bool(_HEADING.search(raw[:_SHORT_LINE]))
        at = end


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, with their positions; a long line as its sentences."""
    start = 0
    for line in text.split("\n"):
        if len(line) > _LONG_LINE:
            begin = 0
            for gap in [*_SENTENCE.finditer(line), None]:
                stop = gap.start() if gap else len(line)
                yield start + begin, line[begin:stop]
                begin = gap.end() if gap else stop
        elif line.strip():
            yield start, line
        start += len(line) + 1


def _speaks(line: str) -> bool:
    """Whether a line says days or times, and little else. The number of a house is no time: `Hauptstr. 12a`."""
    if len(line) > _LONG_LINE:
        return False
    found = [token.kind for token in tokens(line)]
    if Kind.DAYS not in found and address_lines(line):
        return False
    said = sum(kind in _STRONG or kind in _TIMES for kind in found)
    words = sum(kind is Kind.WORD for kind in found)
    return said > 0 and (words <= 3 * said or len(line) <= _SHORT_LINE)


def _is_gap(lines: Sequence[tuple[int, str]], at: int) -> bool:
    """A short line between two that speak: the name of a season or of a schedule."""
    if at + 1 >= len(lines) or len(lines[at][1]) > _SHORT_LINE:
        return False
    return _label_or_season(lines, at)


def _is_heading(lines: Sequence[tuple[int, str]], at: int) -> bool:
    line = lines[at][1]
    return len(line) <= _SHORT_LINE and bool(_HEADING.search(line) or _label_or_season(lines, at))


def _label_or_season(lines: Sequence[tuple[int, str]], at: int) -> bool:
    """Whether a line names a part of the hours: a label, a season, or nothing but words like `Lunch`. `Winter` is a
    season when the line under it says days."""
    kinds = {token.kind for token in tokens(lines[at][1])}
    if kinds & {Kind.LABEL, Kind.SEASON} or kinds == {Kind.FILLER}:
        return True
    under = lines[at + 1][1][:_SHORT_LINE] if at + 1 < len(lines) else ""
    return next((token.kind for token in tokens(f"{lines[at][1]}\n{under}")), None) is Kind.SEASON


def _has_both(raw: str) -> bool:
    kinds = {token.kind for token in tokens(raw)}
    return bool(kinds & set(_STRONG)) and bool(kinds & set(_TIMES))
