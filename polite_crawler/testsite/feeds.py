"""Feeds: RSS 2.0, RSS 1.0, Atom, JSON Feed, and what people write in their place."""

import json
from collections.abc import Callable

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.exchange import Ask, respond
from polite_crawler.testsite.prose import NOTES

FEEDS = Family("Feeds")
_RSS = "application/rss+xml"
_ATOM = "application/atom+xml"
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def _items(ask: Ask) -> list[tuple[str, str]]:
    return [(f"{ask.origin}/notes/{n}", note.title) for n, note in enumerate(NOTES[:6], start=1)]


def rss(ask: Ask, items: str | None = None) -> str:
    """An RSS 2.0 feed of the notes, or of these `<item>` elements."""
    if items is None:
        items = "".join(
            f"<item><title>{title}</title><link>{url}</link><guid>{url}</guid>"
            f"<pubDate>Mon, {n + 1:02} Oct 2026 08:00:00 GMT</pubDate></item>"
            for n, (url, title) in enumerate(_items(ask))
        )
    return (
        f'{_DECLARATION}<rss version="2.0"><channel><title>Notes</title><link>{ask.origin}/</link>'
        f"<description>All notes</description>{items}</channel></rss>"
    )


def _atom(ask: Ask) -> str:
    entries = "".join(
        f'<entry><title>{title}</title><id>{url}</id><link rel="alternate" href="{url}"/>'
        f'<link rel="enclosure" href="{url}.mp3"/><updated>2026-10-0{n + 1}T08:00:00Z</updated></entry>'
        for n, (url, title) in enumerate(_items(ask))
    )
    start = '<feed xmlns="http://www.w3.org/2005/Atom"><title>Notes</title>'
    start += f'<link rel="self" href="{ask.origin}/feeds/atom"/>'
    return f"{_DECLARATION}{start}{entries}</feed>"


def _rdf(ask: Ask) -> str:
    items = "".join(
        f'<item rdf:about="{url}"><title>{title}</title><link>{url}</link><dc:date>2026-10-01</dc:date></item>'
        for url, title in _items(ask)
    )
    return (
        f'{_DECLARATION}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
        f'xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">{items}</rdf:RDF>'
    )


def _json_feed(ask: Ask) -> str:
    items = [
        {"id": url, "url": url, "title": title, "date_published": "2026-10-01T08:00:00Z"} for url, title in _items(ask)
    ]
    return json.dumps({"version": "https://jsonfeed.org/version/1.1", "title": "Notes", "items": items})


def _atom_base(ask: Ask) -> str:
    return (
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:base="{ask.origin}/notes/">'
        '<entry><title>One</title><id>tag:1</id><link href="1"/></entry></feed>'
    )


BODIES: dict[str, tuple[str, Callable[[Ask], str | bytes], str]] = {
    "rss": ("RSS 2.0 of six notes", rss, _RSS),
    "atom": ("Atom of six notes, with enclosures and a link to itself", _atom, _ATOM),
    "rdf": ("RSS 1.0", _rdf, "application/rdf+xml"),
    "json": ("JSON Feed 1.1", _json_feed, "application/feed+json"),
    "guid": (
        "items without link: guids that are permalinks, and one that says it is none",
        lambda ask: rss(
            ask,
            f"<item><guid>{ask.origin}/notes/1</guid></item>"
            f'<item><guid isPermaLink="false">{ask.origin}/notes/2</guid></item>',
        ),
        _RSS,
    ),
    "relative": ("relative links", lambda ask: rss(ask, "<item><link>/notes/1</link></item>"), _RSS),
    "xml-base": ("relative links and xml:base", _atom_base, _ATOM),
    "cdata": (
        "CDATA and white space around the links",
        lambda ask: rss(ask, f"<item><link>\n<![CDATA[ {ask.origin}/notes/1 ]]>\n</link></item>"),
        _RSS,
    ),
    "html-entities": (
        "HTML entities that XML does not know",
        lambda ask: rss(ask, f"<item><title>a&nbsp;b&eacute;</title><link>{ask.origin}/notes/1</link></item>"),
        _RSS,
    ),
    "ampersand": (
        "bare ampersands",
        lambda ask: rss(ask, f"<item><link>{ask.origin}/notes/1?a=1&b=2</link></item>"),
        _RSS,
    ),
    "cut": ("ends in the middle of an item", lambda ask: rss(ask)[:600], _RSS),
    "html-type": ("labelled text/html", rss, "text/html"),
    "space-first": ("a blank line before the declaration", lambda ask: "\n" + rss(ask), _RSS),
    "offsite": (
        "links to another host",
        lambda ask: rss(ask, f"<item><link>{ask.other()}/notes/1</link></item>"),
        _RSS,
    ),
    "empty": ("no items", lambda ask: rss(ask, ""), _RSS),
    "page": ("a page in place of a feed", lambda ask: "<!doctype html><title>No feed</title>", "text/html"),
    "entities": (
        "a document type with an entity that reads a file",
        lambda ask: (
            rss(ask)
            .replace(_DECLARATION, _DECLARATION + '<!DOCTYPE rss [<!ENTITY f SYSTEM "file:///etc/passwd">]>')
            .replace("Notes", "&f;")
        ),
        _RSS,
    ),
}


def _add(name: str) -> None:
    does, body, type = BODIES[name]
    FEEDS.add(f"/feeds/{name}", does, lambda ask: respond(ask, body(ask), type=type))


for _name in BODIES:
    _add(_name)
