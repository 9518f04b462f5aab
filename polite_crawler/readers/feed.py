"""Feeds: RSS 0.9 to 2.0, RSS 1.0 (RDF), Atom 0.3 and 1.0 (RFC 4287), JSON Feed."""

import json
from dataclasses import dataclass
from typing import Any

from polite_crawler.readers.charset import decode
from polite_crawler.readers.dates import read_date
from polite_crawler.readers.listing import MAX_BYTES, MAX_ENTRIES, MAX_VALUE, Entry, read_listing
from polite_crawler.rules.urls import absolute

__all__ = ["Entry", "Feed", "read_feed"]


@dataclass(frozen=True, slots=True)
class Feed:
    """The pages that a feed names, in its sequence. `kind` is rss, rdf, atom or json, and None for another file."""

    kind: str | None
    entries: tuple[Entry, ...] = ()
    notes: tuple[str, ...] = ()


def read_feed(
    body: bytes,
    *,
    url: str,
    content_type: str | None = None,
    max_entries: int = MAX_ENTRIES,
    max_bytes: int = MAX_BYTES,
) -> Feed:
    """Read a feed. Never an error: what a limit or an error of the markup cut stands in `notes`."""
    if body[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return _read_json(body, url, content_type, max_entries)
    found = read_listing(body, url=url, content_type=content_type, max_entries=max_entries, max_bytes=max_bytes)
    if found.kind in ("rss", "rdf", "atom"):
        return Feed(found.kind, found.entries, found.notes)
    return Feed(None, (), found.notes if found.kind is None else (f"not a feed: {found.kind}",))


def _read_json(body: bytes, url: str, content_type: str | None, max_entries: int) -> Feed:
    """https://www.jsonfeed.org/version/1.1/"""
    try:
        feed = json.loads(decode(body, content_type or "application/json").text)
    except (ValueError, RecursionError):
        return Feed(None, (), ("the JSON is not valid",))
    items = feed.get("items") if isinstance(feed, dict) else None
    if not isinstance(items, list) or "jsonfeed.org" not in str(feed.get("version", "")):
        return Feed(None, (), ("not a sitemap or a feed",))
    entries = [entry for item in items[:max_entries] if (entry := _json_entry(item, url)) is not None]
    notes = (f"cut: more than {max_entries} entries",) if len(items) > max_entries else ()
    return Feed("json", tuple(entries), notes)


def _json_entry(item: Any, url: str) -> Entry | None:
    if not isinstance(item, dict):
        return None
    target = item.get("url")
    if not isinstance(target, str) or len(target) > MAX_VALUE or (target := absolute(url, target)) is None:
        return None
    date = item.get("date_modified") or item.get("date_published")
    return Entry(target, read_date(date) if isinstance(date, str) else None)
