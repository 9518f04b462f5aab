"""`scrapy crawl venue -a url=... -a name=...`: the opening hours of a venue, from its own site."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from polite_crawler.errors import BadOption
from polite_crawler.recipes.asking import PAGE_ARGUMENTS, AskingSpider, Seen
from polite_crawler.recipes.offers import name_of
from polite_crawler.recipes.places import Location, names
from polite_crawler.recipes.venue import Reading, judge, osm_reading, phone_of, readings_of
from polite_crawler.recipes.venue_links import menu_links, moved_to, rank_hours_links
from polite_crawler.rules import redaction
from polite_crawler.spiders.arguments import flag, no_more, whole

MAX_PAGES = 8
"""Pages beside the home page that are asked for at most."""

HELD_BACK = "asked not to be AI input; it gives no reading"


@dataclass(frozen=True, slots=True)
class VenueResult:
    """What the pages of a venue say of its hours. Nothing here decides which reading is true.

    `pages` are the URLs that were read, `captures` the captures of those. `moved` is where the home page landed on
    another host. `held_back` tells that a page asked not to be AI input, so that it gave no reading.
    """

    best: Reading | None
    from_site: Reading | None
    readings: tuple[Reading, ...]
    disagree: tuple[str, ...]
    menus: tuple[str, ...]
    phone: str | None
    moved: str | None
    pages: tuple[str, ...]
    captures: tuple[str, ...]
    held_back: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Version:
    """A page as its reader takes it: one version of a document."""

    doc: str
    url: str
    text: str
    meta: dict[str, Any]
    capture: str


class VenueSpider(AskingSpider):
    """Reads the home page and the `pages` pages that most likely hold hours or a menu. Its item and `summary` is a
    VenueResult. `address`, or `lat` and `lon`, choose one location of several; `osm` is an OpenStreetMap
    `opening_hours` value, which is no request; with `require_name`, a page that does not name the venue gives no
    reading."""

    name = "venue"

    def __init__(
        self,
        url: str | None = None,
        name: str | None = None,
        require_name: str | bool = False,
        address: str | None = None,
        lat: str | float | None = None,
        lon: str | float | None = None,
        osm: str | None = None,
        pages: str | int = 3,
        **kwargs: Any,
    ) -> None:
        no_more({key: value for key, value in kwargs.items() if key not in PAGE_ARGUMENTS}, type(self))
        super().__init__(url, **kwargs)
        self.venue = name
        self.require_name = flag(require_name, "require_name")
        if self.require_name and not name:
            raise BadOption("require_name needs a name")
        self.location = _location(address, lat, lon)
        self.pages = whole(pages, "pages", least=0)
        if self.pages > MAX_PAGES:
            raise BadOption(f"pages: {pages!r} is more than {MAX_PAGES}")
        self.osm = osm
        self._readings: list[Reading] = []
        self._seen: list[Seen] = []
        self._menus: list[str] = []
        self._phone: str | None = None
        self._moved: str | None = None
        self._held = False
        self._notes: list[str] = []
        self._waiting: list[str] = []

    async def start(self) -> AsyncIterator[Request]:
        """The request of the home page; the others come one by one, in the order of their rank."""
        yield self.ask(self.url)

    async def parse(self, response: Response, **kwargs: Any) -> AsyncIterator[VenueResult | Request]:
        """Read a page, and ask for the next one."""
        request = response.request
        assert request is not None
        seen = self.seen(request, response)
        home = not self._seen
        self._seen.append(seen)
        await self._read(seen)
        if home:
            self._moved = moved_to(self.url, response.url)
            if seen.page is not None:
                self._waiting = list(rank_hours_links(seen.page.links, response.url, self.pages))
        yield self._next()

    def failed(self, failure: Failure) -> Iterator[VenueResult | Request]:
        """A page that did not come."""
        self._seen.append(self.seen(failure.request, failure))  # type: ignore[attr-defined]
        self._note(self._seen[-1])
        yield self._next()

    def _next(self) -> VenueResult | Request:
        if self._waiting:
            return self.ask(self._waiting.pop(0))
        return self._end()

    async def _read(self, seen: Seen) -> None:
        self._note(seen)
        if seen.page is None or seen.document is None or seen.capture is None:
            return
        if not await self.may_read(seen):
            self._held = True
            self._notes.append(f"{seen.result.final_url} {HELD_BACK}")
            return
        self._menus.extend(self.shown(url) for url in menu_links(seen.page.links))
        version = _Version(
            doc=seen.document.doc,
            url=redaction.redact_url(seen.document.url).url,
            text=seen.document.text,
            meta={"jsonld": seen.page.jsonld, "microdata": seen.page.meta.get("microdata")},
            capture=seen.capture.id,
        )
        if self.require_name and not self._names(version, seen.document.title):
            self._notes.append(f"{version.url} does not name {self.venue}; it gives no reading")
            return
        self._phone = self._phone or phone_of(version, location=self.location)
        self._readings.extend(readings_of(version, location=self.location, name=self.venue))

    def _names(self, version: _Version, title: str | None) -> bool:
        stated = [name_of(one.get("name")) for one in version.meta["jsonld"] if isinstance(one, dict)]
        return any(names(str(self.venue), text) for text in (title, version.text, *stated) if text)

    def _note(self, seen: Seen) -> None:
        if seen.page is None or seen.wall or seen.result.archived:
            why = f"bot check: {seen.page.blocked}" if seen.page and seen.page.blocked else seen.result.note
            self._notes.append(f"{seen.result.url}: {why or seen.result.outcome}")

    def _end(self) -> VenueResult:
        osm = osm_reading(self.osm) if self.osm else None
        if self.osm and osm is None:
            self._notes.append("the OpenStreetMap value could not be read")
        verdict = judge([*_distinct(self._readings), *([osm] if osm else [])])
        read = [seen for seen in self._seen if seen.page is not None]
        self.summary = result = VenueResult(
            best=verdict.best,
            from_site=verdict.from_site,
            readings=verdict.readings,
            disagree=verdict.disagree,
            menus=tuple(dict.fromkeys(self._menus)),
            phone=self._phone,
            moved=self._moved,
            pages=tuple(seen.result.final_url for seen in read),
            captures=tuple(seen.capture.id for seen in read if seen.capture is not None),
            held_back=self._held,
            notes=tuple(dict.fromkeys(self._notes)),
        )
        return result


def _distinct(readings: list[Reading]) -> list[Reading]:
    """The readings without those that another page of the site repeats word for word."""
    kept: dict[tuple[object, ...], Reading] = {}
    for one in readings:
        kept.setdefault((one.from_, one.hours, one.label, one.season, one.rank, one.raw), one)
    return list(kept.values())


def _location(address: str | None, lat: str | float | None, lon: str | float | None) -> Location | None:
    if (lat is None) != (lon is None):
        raise BadOption("lat and lon go together")
    try:
        point = (None, None) if lat is None or lon is None else (float(lat), float(lon))
    except ValueError:
        raise BadOption(f"lat {lat!r} and lon {lon!r} are no degrees") from None
    if point[0] is not None and point[1] is not None and not (abs(point[0]) <= 90 and abs(point[1]) <= 180):
        raise BadOption(f"lat {lat!r} and lon {lon!r} are no degrees")
    return Location(address, *point) if address or point[0] is not None else None
