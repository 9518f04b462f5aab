"""Where a page points: links, canonical, alternates, feeds and a quick meta refresh, all as absolute URLs."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote_from_bytes

from lxml.html import HtmlElement

from polite_crawler.readers.decoders import encode_query
from polite_crawler.readers.page import Link
from polite_crawler.readers.visible import Anchor
from polite_crawler.rules.urls import absolute, same_site, without_fragment

MAX_REFRESH_S = 5.0
"""A meta refresh with a longer delay is a page that loads itself again, not a redirect."""

_FEED_TYPES = frozenset(
    ("application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json", "text/rss+xml")
)
_MANY = 200
# Everything in ASCII that a query may hold as it is, and the percent sign of what is encoded already.
_QUERY = "!$%&'()*+,-./:;=?@_~[]|^`{}\\"
# https://html.spec.whatwg.org/#shared-declarative-refresh-steps
_REFRESH = re.compile(
    r"""\s*(\d*)(?:\.[\d.]*)?(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?(["']?)(.*)""", re.IGNORECASE | re.DOTALL | re.ASCII
)


@dataclass(frozen=True, slots=True)
class Heads:
    """What the head of a page points to. `alternates` pairs a language tag with the URL of that version."""

    base: str
    canonical: str | None = None
    feeds: tuple[str, ...] = ()
    alternates: tuple[tuple[str, str], ...] = ()
    amp: str | None = None
    refresh: str | None = None


def read_heads(root: HtmlElement, url: str) -> Heads:
    """Read the base, link and meta elements. A canonical URL counts only on the same site (or its www. form)."""
    base = _base(root, url)
    canonical = amp = None
    feeds: dict[str, None] = {}
    alternates: dict[tuple[str, str], None] = {}
    for link in root.iter("link"):
        rel = _tokens(link.get("rel"))
        target = absolute(base, link.get("href", "")) if link.get("href", "").strip() else None
        if target is None:
            continue
        if "canonical" in rel and canonical is None and same_site(url, target):
            canonical = without_fragment(target)
        elif "amphtml" in rel:
            amp = amp or target
        elif "alternate" in rel and "stylesheet" not in rel:
            language = link.get("hreflang", "").strip().lower()
            if link.get("type", "").partition(";")[0].strip().lower() in _FEED_TYPES:
                feeds.setdefault(target)
            elif language and len(language) <= 35:
                alternates.setdefault((language, target))
    return Heads(base, canonical, tuple(feeds)[:_MANY], tuple(alternates)[:_MANY], amp, _refresh(root, base, url))


def absolute_links(anchors: Iterable[Anchor], base: str, url: str, encoding: str = "utf-8") -> tuple[Link, ...]:
    """The http(s) links in the sequence of the page, each once. A link to a place on the same page is left out.

    As in a browser, a query is sent in the encoding of the page.
    """
    here = without_fragment(url)
    found: dict[Link, None] = {}
    for anchor in anchors:
        href = anchor.href.strip()
        if not href or href.startswith("#"):
            continue
        target = absolute(base, href if href.isascii() else _in_encoding(href, encoding))
        if target is None or ("#" in target and without_fragment(target) == here):
            continue
        found.setdefault(Link(target, anchor.text, _tokens(anchor.rel)))
    return tuple(found)


def _in_encoding(href: str, encoding: str) -> str:
    """The reference with its query percent-encoded in the encoding of the page."""
    path, mark, rest = href.partition("?")
    query, hash_mark, fragment = rest.partition("#")
    if not mark or "#" in path or query.isascii():
        return href
    octets = encode_query(query, encoding)
    return f"{path}?{quote_from_bytes(octets, safe=_QUERY)}{hash_mark}{fragment}"


def parse_refresh(content: str) -> tuple[float, str] | None:
    """The delay in seconds and the target of a meta refresh, or None when it names no target."""
    match = _REFRESH.match(content[:4096])
    if match is None or not (match.group(1) or content.lstrip().startswith(".")):
        return None
    _, quote, target = match.groups()
    if quote:
        target = target.partition(quote)[0]
    target = target.strip()
    return (float(match.group(1)[:9] or 0), target) if target else None


def _refresh(root: HtmlElement, base: str, url: str) -> str | None:
    for meta in root.iter("meta"):
        if meta.get("http-equiv", "").strip().lower() != "refresh":
            continue
        found = parse_refresh(meta.get("content", ""))
        if found is None or found[0] > MAX_REFRESH_S:
            continue
        target = absolute(base, found[1])
        if target is not None and without_fragment(target) != without_fragment(url):
            return target
    return None


def _base(root: HtmlElement, url: str) -> str:
    """The first base element with an href counts; what is no http(s) URL does not."""
    for base in root.iter("base"):
        href = base.get("href")
        if href is not None:
            return absolute(url, href) or url
    return url


def _tokens(value: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys((value or "").lower().split()))
