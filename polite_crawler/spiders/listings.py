"""The files that list the pages of a site (sitemaps, their indexes, feeds): where they are, and what one says."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from scrapy.http import Response

from polite_crawler.middlewares.robots_files import InForce
from polite_crawler.readers.feed import read_feed
from polite_crawler.readers.inflate import GZIP
from polite_crawler.readers.listing import Entry
from polite_crawler.readers.sitemap import read_sitemap
from polite_crawler.rules.urls import absolute, origin
from polite_crawler.spiders.results import Via
from polite_crawler.store.record import epoch
from polite_crawler.transport.handler import KIND, MAX_BYTES

MOST_FILES = 100
"""How many files one discovery, or one crawl, reads."""

MOST_ORIGINS = 10
"""Of how many origins the robots.txt is read for a discovery."""

SITEMAP_BYTES = 50 * 1024 * 1024
"""How much of a sitemap is read, in bytes after decoding (the limit of the protocol)."""

BREATH = 500
"""After how many entries of a file the event loop has its turn."""

_SMALL = 256 * 1024
_REST_OF_DATE = "2000-01-01"
_FEEDS = frozenset({"rss", "rdf", "atom", "json"})


@dataclass(frozen=True, slots=True)
class Listed:
    """What a file lists. `via` says what it is, whatever it was taken for; `entries` and `children` (the files of an
    index) stand with the newest lastmod first. `is_listing` is false for another file."""

    via: Via
    is_listing: bool
    entries: tuple[Entry, ...] = ()
    children: tuple[Entry, ...] = ()
    notes: tuple[str, ...] = ()


def read_listing(kind: Via, body: bytes, *, url: str, content_type: str | None) -> Listed:
    """Read a file as the kind of file that it was taken for. Pure, and slow for a large file."""
    if kind == "feed":
        feed = read_feed(body, url=url, content_type=content_type)
        return Listed("feed", feed.kind is not None, newest_first(feed.entries), notes=feed.notes)
    found = read_sitemap(body, url=url, content_type=content_type)
    return Listed(
        "feed" if found.kind in _FEEDS else "sitemap",
        found.kind is not None,
        newest_first(found.entries),
        newest_first(found.children),
        found.notes,
    )


async def read_response(response: Response, kind: Via) -> Listed:
    """Read the file of a response, a large one off the event loop. A response without success lists nothing."""
    if not 200 <= response.status < 300:
        return Listed(kind, False)
    given = response.headers.get("Content-Type")
    content_type = given.decode("latin-1") if given else None

    def read() -> Listed:
        return read_listing(kind, response.body, url=response.url, content_type=content_type)

    # a gzip file of some kB can hold megabytes
    if len(response.body) <= _SMALL and not response.body.startswith(GZIP):
        return read()
    return await asyncio.get_running_loop().run_in_executor(None, read)


def newest_first(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The entries by their lastmod; those without one last, in their sequence."""
    return tuple(sorted(entries, key=lambda entry: changed(entry.lastmod), reverse=True))


def changed(lastmod: str | None) -> int:
    """The epoch second of a lastmod (a date is its first second); 0 for none."""
    if lastmod is None:
        return 0
    try:
        return max(0, int(epoch(lastmod + _REST_OF_DATE[len(lastmod) :])))
    except ValueError:
        return 0


def listing_meta(kind: Via) -> dict[str, Any]:
    """The meta of a request for a file."""
    return {KIND: kind, "polite_recipe": kind, **({MAX_BYTES: SITEMAP_BYTES} if kind == "sitemap" else {})}


def sitemaps_of(robots: InForce, url: str) -> tuple[str, ...]:
    """The sitemaps of the origin of a URL: those that its robots.txt names, else /sitemap.xml; none for an origin
    that nothing may be fetched from."""
    if robots.standing.state in ("unreachable", "challenge"):
        return ()
    named = robots.standing.file.sitemaps if robots.standing.file is not None else ()
    base = origin(url)
    found = tuple(dict.fromkeys(target for value in named if (target := absolute(base, value)) is not None))
    return found or (f"{base}/sitemap.xml",)
