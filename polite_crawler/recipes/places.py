"""Where a venue is: distances, and the records and the text that are of one location."""

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from polite_crawler.readers.hours.words import fold
from polite_crawler.recipes.offers import as_list, name_of
from polite_crawler.recipes.streets import has_eastern, same_street

NEAR = 150.0
"""Metres up to which two points are one location."""

_EARTH = 6_371_000.0
_STREETS = (
    r"street|st|road|rd|avenue|ave|lane|ln|drive|dr|square|sq|place|pl|way|court|ct|boulevard|blvd|terrace|quay|row|"
    r"strasse|straße|str|weg|platz|rue|via|viale|corso|piazza|calle|plaza|laan|straat"
)
_BEFORE_NUMBER = (
    r"via|viale|corso|largo|piazza|piazzale|rue|calle|c/|avenida|avda?\.?|av\.|paseo|plaza|carrer|rua|ul\.|ulica|улица|ул\."
    r"|вулиця|вул\.|проспект|пр-т"
)
_ADDRESS = re.compile(
    rf"\b\d{{1,5}}[a-z]?\s+(?:[\w.'’-]+\s+){{0,4}}(?:{_STREETS})\b"
    rf"|\b(?:{_BEFORE_NUMBER})\s+[^\d,]{{2,40}}(?:,\s*|\s+)(?:д\.\s*)?\d{{1,5}}[a-zа-я]?\b"
    rf"|\b[\w-]*(?:strasse|straße|str\.|straat|weg|platz|gasse)\s+\d{{1,5}}[a-z]?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Location:
    """The one of a site's places that is asked for: its street address, or its point in degrees, or both."""

    address: str | None = None
    lat: float | None = None
    lon: float | None = None


def location_of(value: "Location | Mapping[str, Any] | None") -> Location | None:
    """A location from a mapping with the same names; None for one that says nothing."""
    if isinstance(value, Mapping):
        value = Location(value.get("address"), value.get("lat"), value.get("lon"))
    if value is None or (not value.address and (value.lat is None or value.lon is None)):
        return None
    return value


def metres(lat: float, lon: float, other_lat: float, other_lon: float) -> float:
    """The distance of two points, on a sphere."""
    a, b, c, d = map(math.radians, (lat, lon, other_lat, other_lon))
    chord = math.sin((c - a) / 2) ** 2 + math.cos(a) * math.cos(c) * math.sin((d - b) / 2) ** 2
    return 2 * _EARTH * math.asin(math.sqrt(min(1.0, chord)))


def matches(record: Mapping[str, Any], location: Location) -> bool | None:
    """Whether a record is of a location; None when it does not say where it is."""
    said = False
    for address in as_list(record.get("address")):
        text = _address(address)
        if text and location.address:
            said = True
            if same_street(location.address, text):
                return True
    for geo in as_list(record.get("geo")):
        point = _point(geo)
        if point is not None and location.lat is not None and location.lon is not None:
            said = True
            if metres(location.lat, location.lon, *point) <= NEAR:
                return True
    return False if said else None


def address_lines(text: str) -> list[tuple[int, str]]:
    """The lines of a text that hold a street address, with their positions."""
    found = []
    start = 0
    for line in text.split("\n"):
        if len(line) < 200 and _ADDRESS.search(line):
            found.append((start, line))
        start += len(line) + 1
    return found


def names(name: str, text: str) -> bool:
    """Whether a text names a venue: it has each word of the name, in any sequence. A name that is written with no
    spaces between its words stands in the text as it is."""
    known = _words(text)
    missing = set(_words(name)) - {"the", "and", "of"} - set(known)
    joined = "".join(known) if any(has_eastern(word) for word in missing) else ""
    return all(has_eastern(word) and word in joined for word in missing)


def _words(text: str) -> list[str]:
    """The words of a text, folded: `Joe's` is `joes`."""
    return re.findall(r"\w+", re.sub(r"(?<=\w)['’](?=\w)", "", fold(unicodedata.normalize("NFKC", text))))


def _address(value: object) -> str | None:
    if isinstance(value, Mapping):
        return name_of(value.get("streetAddress")) or name_of(value)
    return name_of(value)


def _point(geo: object) -> tuple[float, float] | None:
    if not isinstance(geo, Mapping):
        return None
    try:
        lat, lon = float(str(geo.get("latitude"))), float(str(geo.get("longitude")))
    except ValueError:
        return None
    return (lat, lon) if abs(lat) <= 90 and abs(lon) <= 180 else None
