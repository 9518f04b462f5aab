"""Sitemaps and sitemap indexes (https://www.sitemaps.org/protocol.html): XML, gzip and text."""

from dataclasses import dataclass

from polite_crawler.readers.listing import MAX_BYTES, MAX_ENTRIES, Entry, read_listing

__all__ = ["Entry", "Sitemap", "read_sitemap"]


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The URLs of a sitemap, or the sitemaps (`children`) of a sitemap index. `kind` is None for another file.

    A feed is a sitemap too: the protocol allows RSS and Atom.
    """

    kind: str | None
    entries: tuple[Entry, ...] = ()
    children: tuple[Entry, ...] = ()
    notes: tuple[str, ...] = ()


def read_sitemap(
    body: bytes,
    *,
    url: str,
    content_type: str | None = None,
    max_entries: int = MAX_ENTRIES,
    max_bytes: int = MAX_BYTES,
) -> Sitemap:
    """Read a sitemap. Never an error: what a limit or an error of the markup cut stands in `notes`."""
    found = read_listing(body, url=url, content_type=content_type, max_entries=max_entries, max_bytes=max_bytes)
    if found.kind == "index":
        return Sitemap(found.kind, children=found.entries, notes=found.notes)
    return Sitemap(found.kind, found.entries, notes=found.notes)
