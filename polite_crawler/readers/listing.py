"""A strict reader of the XML that lists URLs: sitemaps, sitemap indexes, RSS, RDF and Atom.

It expands no entity, fetches nothing, builds no tree, and stops at its limits and at the first error of the markup;
what came before is kept. Its time is linear in the length of the file.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Literal
from xml.parsers import expat

from polite_crawler.readers.charset import decode
from polite_crawler.readers.dates import read_date
from polite_crawler.readers.inflate import GZIP, inflate
from polite_crawler.rules.urls import absolute

MAX_BYTES = 50 * 1024 * 1024
MAX_DEPTH = 32
MAX_ENTRIES = 50_000
MAX_VALUE = 4096

Kind = Literal["sitemap", "index", "rss", "rdf", "atom", "text"]

# An entity that XML does not know. Its reference becomes this mark, and a value that holds the mark is not valid.
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)[^\s#&;<>\"']{1,64};")
_MARK = "\ue0e0"
_PLAIN_URL = re.compile(r"https?://[a-z0-9.-]+(?::\d+)?/[!$-;=?-\[\]_a-z~]*").fullmatch
_ROOTS: Mapping[str, Kind] = {
    "urlset": "sitemap", "sitemapindex": "index", "rss": "rss", "rdf": "rdf", "feed": "atom", "entry": "atom",
}  # fmt: skip
_ROOT_TAG = re.compile(r"(<[A-Za-z_][^\s/>]*+)[^>]*")
_PREFIX = re.compile(r"[<\s]([A-Za-z_][\w.-]{0,31}):[A-Za-z_]")
_DECLARED = re.compile(r"xmlns:([\w.-]+)")
_MAX_PREFIXES = 100
_USUAL = {
    "atom": "http://www.w3.org/2005/Atom", "a10": "http://www.w3.org/2005/Atom",
    "dc": "http://purl.org/dc/elements/1.1/", "dcterms": "http://purl.org/dc/terms/",
    "xhtml": "http://www.w3.org/1999/xhtml",
}  # fmt: skip
_XML_BASE = "http://www.w3.org/XML/1998/namespace base"
_SITEMAP_SPACES = ("sitemaps.org/schemas/sitemap", "google.com/schemas/sitemap")
_FEED_SPACES = frozenset(
    (
        "",
        "http://purl.org/rss/1.0/",
        "http://backend.userland.com/rss2",
        "http://blogs.law.harvard.edu/tech/rss",
        "http://purl.org/dc/elements/1.1/",
        "http://purl.org/dc/terms/",
        "http://channel.netscape.com/rdf/simple/0.9/",
        "http://my.netscape.com/rdf/simple/0.9/",
        "http://purl.org/net/rss1.1#",
    )
)
_ENTRIES = {"sitemap": "url", "index": "sitemap", "rss": "item", "rdf": "item", "atom": "entry", "text": ""}
_LOCATIONS = ("loc", "atom-link", "other-link")
_MAX_ALTERNATES = 200
_SITEMAP_KEYS = {"loc": "loc", "lastmod": "lastmod", "changefreq": "changefreq"}
_RSS_KEYS = {
    "pubdate": "published", "date": "published",
    "modified": "updated", "updated": "updated", "created": "published", "issued": "published",
}  # fmt: skip
_ATOM_KEYS = {
    "updated": "updated", "modified": "updated", "published": "published", "issued": "published",
    "created": "published", "id": "guid",
}  # fmt: skip
_ATOM_DATES = {"updated": "updated", "published": "published"}
_HTML_TYPES = frozenset(("", "html", "xhtml", "text/html", "application/xhtml+xml"))
# RFC 4287 section 4.2.7.2
_REGISTERED = "http://www.iana.org/assignments/relation/"
_FREQUENCIES = frozenset(("always", "hourly", "daily", "weekly", "monthly", "yearly", "never"))


@dataclass(frozen=True, slots=True)
class Entry:
    """One URL of a listing. `lastmod` is RFC 3339 or its date part; `alternates` pairs a language with a URL."""

    url: str
    lastmod: str | None = None
    changefreq: str | None = None
    alternates: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """What a file lists. `kind` is None for a file that is no listing."""

    kind: Kind | None
    entries: tuple[Entry, ...] = ()
    notes: tuple[str, ...] = ()


def declare_prefixes(text: str) -> str:
    """The XML with the prefixes that its root element does not declare, in their usual namespaces or in one of their
    own: many writers forget a declaration, and a strict parser then reads nothing.
    """
    root = _ROOT_TAG.search(text)
    if root is None:
        return text
    declared = set(_DECLARED.findall(root.group())) | {"xml", "xmlns"}
    used = dict.fromkeys(found for match in _PREFIX.finditer(text) if (found := match.group(1)) not in declared)
    declarations = "".join(
        f' xmlns:{prefix}="{_USUAL.get(prefix, "urn:undeclared:" + prefix)}"' for prefix in islice(used, _MAX_PREFIXES)
    )
    return text[: root.end(1)] + declarations + text[root.end(1) :]


class _Stop(Exception):
    """A limit was reached; the message is the note."""


def read_listing(
    body: bytes,
    *,
    url: str,
    content_type: str | None = None,
    max_entries: int = MAX_ENTRIES,
    max_bytes: int = MAX_BYTES,
) -> Listing:
    """Read a file that lists URLs, plain or in gzip. `url` is its own, which relative URLs are resolved against."""
    notes: list[str] = []
    if body[:2] == GZIP:
        body, note = inflate(body, max_bytes)
        notes += [note] if note else []
    elif len(body) > max_bytes:
        body = body[:max_bytes]
        notes.append(f"cut: more than {max_bytes} octets")
    head = body[:4]
    is_markup = body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") or head[:2] in (b"\xff\xfe", b"\xfe\xff")
    text = decode(body, _xml_type(content_type) if is_markup or b"\x00" in head else "text/plain; charset=utf-8").text
    text = text.lstrip("\ufeff \t\r\n")
    if text.startswith("<"):
        reader = _Reader(url, max_entries)
        found = reader.read(text)
        if reader.unbound:
            reader = _Reader(url, max_entries)
            found = ["repaired: a prefix without a namespace", *reader.read(declare_prefixes(text))]
        notes += found
        return Listing(reader.kind, tuple(reader.entries), tuple(notes))
    return _read_lines(text, max_entries, notes)


def _xml_type(content_type: str | None) -> str:
    """The type with its charset, for the decoder: a listing is XML whatever its server calls it."""
    _, _, parameters = (content_type or "").partition(";")
    return "application/xml;" + parameters


def _read_lines(text: str, max_entries: int, notes: list[str]) -> Listing:
    """A text sitemap: one URL a line."""
    entries: list[Entry] = []
    for line in text.splitlines():
        line = line.strip()
        if not line.startswith(("http://", "https://")) or len(line) > MAX_VALUE or " " in line:
            continue
        if len(entries) >= max_entries:
            notes.append(f"cut: more than {max_entries} entries")
            break
        target = absolute(line, "")
        if target is not None:
            entries.append(Entry(target))
    if not entries:
        return Listing(None, (), (*notes, "not a sitemap or a feed"))
    return Listing("text", tuple(entries), tuple(notes))


class _Reader:
    """The state of one parse. Text is collected only in the elements that matter."""

    def __init__(self, url: str, max_entries: int) -> None:
        self.kind: Kind | None = None
        self.entries: list[Entry] = []
        self.unbound = False
        self._url = url
        self._bases: list[tuple[int, str]] = []
        self._max = max_entries
        self._depth = 0
        self._entry_depth = 0
        self._values: dict[str, str] | None = None
        self._alternates: list[tuple[str, str]] = []
        self._space = ""
        self._keys: dict[str, str] = {}
        self._key = ""
        self._text: list[str] = []
        self._permalink = True
        self._dropped = 0

    def read(self, text: str) -> list[str]:
        """Parse a text; the entries stay in the reader. Gives the notes."""
        if "&" in text:
            text = _ENTITY.sub(_MARK, text)
        parser = expat.ParserCreate("utf-8", " ")
        parser.buffer_text = True
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        # The text between values gathers as well and is thrown away when a value starts: no Python call a text.
        parser.CharacterDataHandler = self._text.append
        notes = []
        try:
            parser.Parse(text.encode("utf-8", "replace"), True)
        except _Stop as stop:
            notes.append(str(stop))
        except expat.ExpatError as error:
            reason = expat.errors.messages.get(error.code, "error")
            self.unbound = reason == expat.errors.XML_ERROR_UNBOUND_PREFIX
            notes.append(f"the XML is not valid from line {error.lineno} on: {reason}")
        if self._dropped:
            notes.append(f"left out: {self._dropped} entries with a value that is not valid")
        return notes

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth = depth = self._depth + 1
        if depth > MAX_DEPTH:
            raise _Stop(f"cut: deeper than {MAX_DEPTH} elements")
        if attributes and _XML_BASE in attributes:
            base = absolute(self._base(), attributes[_XML_BASE])
            self._bases.append((depth, base or self._base()))
        if self._values is None:
            space, _, name = tag.rpartition(" ")
            self._start_outside(space, name.lower(), depth)
        elif depth == self._entry_depth + 1:
            key = self._keys.get(tag)
            if key is None:
                key = self._keys[tag] = self._key_of(tag)
            if key[:1] == "<":
                key = self._start_link(key, attributes)
            if key:
                self._key = key
                self._text.clear()
        elif self._key:
            # Markup within a value: the value is not a plain text.
            self._text.append(_MARK)

    def _start_outside(self, space: str, name: str, depth: int) -> None:
        if depth == 1:
            self.kind = _ROOTS.get(name)
            if self.kind is None:
                raise _Stop("not a sitemap or a feed")
        if name == _ENTRIES[self.kind or "text"] and (depth <= 2 or self.kind in ("rss", "rdf")):
            if len(self.entries) + self._dropped >= self._max:
                raise _Stop(f"cut: more than {self._max} entries")
            self._values = {}
            self._alternates = []
            self._permalink = True
            self._entry_depth = depth
            if space != self._space:
                self._space = space
                self._keys.clear()

    def _key_of(self, tag: str) -> str:
        """What a child of an entry gives: a key, a link with attributes to look at (`<...`), or nothing.

        The namespace of the entry itself counts, whatever it is.
        """
        space, _, name = tag.rpartition(" ")
        name = name.lower()
        own = not space or space == self._space
        if self.kind in ("sitemap", "index"):
            if own or any(known in space for known in _SITEMAP_SPACES):
                return _SITEMAP_KEYS.get(name, "")
            return "<alternate" if name == "link" else ""
        if self.kind == "atom":
            return "<atom" if name == "link" else _ATOM_KEYS.get(name, "")
        if not own and space not in _FEED_SPACES:
            in_atom = "Atom" in space
            return "<atom-in-rss" if in_atom and name == "link" else _ATOM_DATES.get(name, "") if in_atom else ""
        return {"link": "<rss", "guid": "<guid"}.get(name) or _RSS_KEYS.get(name, "")

    def _start_link(self, what: str, attributes: dict[str, str]) -> str:
        """Take what the attributes of a link say; gives the key of its text, or nothing."""
        attributes = {name.lower(): value for name, value in attributes.items()}
        href = attributes.get("href", "")
        rel = attributes.get("rel", "alternate").strip().lower().removeprefix(_REGISTERED) or "alternate"
        if what == "<guid":
            self._permalink = attributes.get("ispermalink", "true").strip().lower() != "false"
            return "guid"
        if what == "<alternate":
            self._add_alternate(rel, href, attributes.get("hreflang", ""))
            return ""
        if href and rel == "alternate":
            # Of several alternates the page is the one to read.
            is_page = attributes.get("type", "").partition(";")[0].strip().lower() in _HTML_TYPES
            self._put(("atom-link" if what == "<atom-in-rss" else "loc") if is_page else "other-link", href)
            return ""
        return "loc" if what == "<rss" or (what == "<atom" and not href and rel == "alternate") else ""

    def _add_alternate(self, rel: str, href: str, language: str) -> None:
        if rel == "alternate" and language and href and len(self._alternates) < _MAX_ALTERNATES:
            target = self._absolute(href.strip())
            if target is not None:
                self._alternates.append((language.strip().lower()[:35], target))

    def _put(self, key: str, value: str) -> None:
        value = value.strip()
        if value and self._values is not None and key not in self._values:
            if key in _LOCATIONS:
                value = self._absolute(value) or _MARK
            self._values[key] = value if len(value) <= MAX_VALUE else _MARK

    def _end(self, tag: str) -> None:
        depth = self._depth
        self._depth = depth - 1
        values = self._values
        if values is not None:
            if self._key:
                if depth == self._entry_depth + 1:
                    self._put(self._key, "".join(self._text))
                    self._key = ""
            elif depth == self._entry_depth:
                self._finish(values)
                self._values = None
        if self._bases and self._bases[-1][0] == depth:
            self._bases.pop()

    def _finish(self, values: dict[str, str]) -> None:
        location = next((values[key] for key in _LOCATIONS if key in values), None)
        if location is None:
            guid = values.get("guid", "")
            if not self._permalink or not guid[:8].lower().startswith(("http://", "https://")):
                return
            location = self._absolute(guid) or _MARK
        if location == _MARK:
            self._dropped += 1
            return
        date = values.get("lastmod") or values.get("updated") or values.get("published")
        frequency = values.get("changefreq")
        if frequency is not None and (frequency := frequency.lower()) not in _FREQUENCIES:
            frequency = None
        self.entries.append(Entry(location, read_date(date), frequency, tuple(self._alternates)))

    def _absolute(self, value: str) -> str | None:
        if len(value) > MAX_VALUE or _MARK in value:
            return None
        return value if _PLAIN_URL(value) else absolute(self._base(), value)

    def _base(self) -> str:
        return self._bases[-1][1] if self._bases else self._url
