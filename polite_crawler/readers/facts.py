"""What a page says of itself: title, description, author, dates, language, OpenGraph."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, cast

from lxml import etree
from lxml.html import HtmlElement

from polite_crawler.readers.dates import read_date
from polite_crawler.readers.jsonld import by_id, follow, types_of, walk
from polite_crawler.readers.scrub import one_line

_MAX_OG = 60
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")
_ARTICLES = re.compile(r"Article$|Posting$|^(?:Report|CreativeWork|WebPage|Recipe|Event|VideoObject|Book|Review)$")
_DESCRIPTION = ("description", "dc.description", "dcterms.description", "twitter:description")
_AUTHOR = ("author", "article:author", "dc.creator", "dcterms.creator", "parsely-author", "sailthru.author", "byl")
_PUBLISHED = (
    "article:published_time", "og:published_time", "datepublished", "date", "dc.date", "dc.date.issued",
    "dcterms.created", "dcterms.issued", "dcterms.date", "pubdate", "publishdate", "publish-date", "publish_date",
    "parsely-pub-date", "sailthru.date", "citation_publication_date", "citation_date",
)  # fmt: skip
_MODIFIED = (
    "article:modified_time", "og:updated_time", "og:modified_time", "datemodified", "last-modified", "lastmod",
    "dcterms.modified", "dc.date.modified",
)  # fmt: skip
_BYLINES = etree.XPath(
    "//*[contains(concat(' ', normalize-space(@itemprop), ' '), ' author ')]"
    "|//a[contains(concat(' ', normalize-space(@rel), ' '), ' author ')]"
)
_DATED = etree.XPath("//*[@itemprop][contains(@itemprop, 'datePublished') or contains(@itemprop, 'dateModified')]")
# "von Hagen" is a name, "von Max Hagen" says who wrote.
_BY = re.compile(
    r"^(?:(?:(?:posted|written|published)\s)?by\b:?\s*|(?:author|autor(?:e|in)?|auteur)\s?:\s*"
    r"|(?:von|par|por|door)\s(?!(?:de[nmr]|zu)\s)(?=\S+\s\S))",
    re.I,
)
_MAX_BYLINES = 50
_NEAR = 40
# What others say on the page has authors and dates of its own.
_OTHERS = re.compile(r"(?:Comments?|Review|Answer)/?(?:\s|$)", re.I)


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a page's head. Dates are RFC 3339 or its date part; what the page does not say is None."""

    title: str | None = None
    description: str | None = None
    author: str | None = None
    published: str | None = None
    modified: str | None = None
    language: str | None = None
    site_name: str | None = None
    og: Mapping[str, str] = field(default_factory=dict)


def read_facts(root: HtmlElement, records: Sequence[Mapping[str, Any]]) -> Facts:
    """Read the facts from the head, then from the JSON-LD records, then from OpenGraph and the body."""
    named, og = _metas(root)
    articles = list(_articles(records))
    nodes = by_id(records)
    return Facts(
        title=_title(root) or og.get("og:title") or named.get("twitter:title") or _heading(root),
        description=_first(named, _DESCRIPTION) or og.get("og:description"),
        author=_author(named, articles, nodes) or _byline(root),
        published=_date(named, _PUBLISHED)
        or _record_date(articles, "datePublished")
        or _dated(root, "datePublished")
        or _time_element(root),
        modified=_date(named, _MODIFIED) or _record_date(articles, "dateModified") or _dated(root, "dateModified"),
        language=read_language(root, named, og),
        site_name=og.get("og:site_name"),
        og=og,
    )


def read_language(root: HtmlElement, named: Mapping[str, str], og: Mapping[str, str]) -> str | None:
    """The language tag of the page (RFC 5646), as written: of its html element, else as its metas say."""
    candidates = (
        root.get("lang"),
        root.get("xml:lang"),
        root.get("{http://www.w3.org/XML/1998/namespace}lang"),
        named.get("content-language"),
        named.get("language"),
        named.get("dc.language"),
        og.get("og:locale"),
    )
    for candidate in candidates:
        tag = (candidate or "").split(",")[0].strip().replace("_", "-")
        if len(tag) <= 35 and _LANGUAGE.fullmatch(tag):
            return tag
    return None


def _metas(root: HtmlElement) -> tuple[dict[str, str], dict[str, str]]:
    """The meta elements by their name in lower case (the first counts), and those of OpenGraph apart."""
    named: dict[str, str] = {}
    og: dict[str, str] = {}
    for meta in root.iter("meta"):
        content = one_line(meta.get("content"))
        if content is None:
            continue
        for attribute in ("name", "property", "itemprop", "http-equiv"):
            for name in (meta.get(attribute) or "").lower().split():
                named.setdefault(name, content)
                if name.startswith(("og:", "article:", "product:", "book:", "profile:")) and len(og) < _MAX_OG:
                    og.setdefault(name, content)
    return named, og


def _title(root: HtmlElement) -> str | None:
    """The first title element of the document; that of an SVG is no title."""
    for title in root.iter("title"):
        if next(title.iterancestors("svg"), None) is None:
            return one_line(title.text_content())
    return None


def _heading(root: HtmlElement) -> str | None:
    heading = next(root.iter("h1"), None)
    return one_line(heading.text_content(), 300) if heading is not None else None


def _first(named: Mapping[str, str], names: Sequence[str]) -> str | None:
    return next((named[name] for name in names if name in named), None)


def _date(named: Mapping[str, str], names: Sequence[str]) -> str | None:
    return next((date for name in names if (date := read_date(named.get(name)))), None)


def _articles(records: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The records that can be the page itself: an article first, then a page."""
    found = [record for record in records if any(_ARTICLES.search(name) for name in types_of(record))]
    yield from sorted(found, key=lambda record: "WebPage" in types_of(record))


def _record_date(articles: Sequence[Mapping[str, Any]], key: str) -> str | None:
    found = (article.get(key) for article in articles)
    values = (value for each in found for value in (each if isinstance(each, list) else [each]))
    return next((date for value in values if isinstance(value, str) and (date := read_date(value))), None)


def _author(
    named: Mapping[str, str], articles: Sequence[Mapping[str, Any]], nodes: Mapping[str, dict[str, Any]]
) -> str | None:
    for name in _AUTHOR:
        stated = named.get(name)
        if stated and not stated.startswith(("http://", "https://", "//")):
            return stated
    for article in articles:
        names = []
        found = article.get("author")
        for author in found if isinstance(found, list) else [found]:
            author = follow(author, nodes)
            label = author.get("name") if isinstance(author, dict) else author
            if isinstance(label, str) and (line := one_line(label, 200)) and not line.startswith("http"):
                names.append(line)
        if names:
            return ", ".join(dict.fromkeys(names))[:500]
    return None


def _byline(root: HtmlElement) -> str | None:
    """The one author that the body names (itemprop or rel); of several nobody knows who wrote the page."""
    names: set[str] = set()
    for element in _elements(_BYLINES, root):
        if _is_of_others(element):
            continue
        near = islice(element.iter(), _NEAR)
        inner = next((part for part in near if "name" in part.get("itemprop", "").split()), element)
        name = _BY.sub("", one_line(inner.get("content") or _text(inner), 200) or "")
        if name and not name.startswith("http"):
            names.add(name)
    return names.pop() if len(names) == 1 else None


def _dated(root: HtmlElement, key: str) -> str | None:
    """The date of an element with this itemprop: its datetime, its content, or its text."""
    for element in _elements(_DATED, root):
        if key in element.get("itemprop", "").split() and not _is_of_others(element):
            stated = element.get("datetime") or element.get("content") or _text(element)
            if date := read_date(" ".join(stated[:200].split())):
                return date
    return None


def _elements(path: etree.XPath, root: HtmlElement) -> list[HtmlElement]:
    return cast(list[HtmlElement], path(root))[:_MAX_BYLINES]


def _text(element: HtmlElement) -> str:
    """The first pieces of the text in an element: one that holds the whole page names nobody."""
    return "".join(islice(element.itertext(), _NEAR))


def _is_of_others(element: HtmlElement) -> bool:
    """Whether an element belongs to a comment or a review on the page."""
    return any(_OTHERS.search(one.get("itemtype", "")) is not None for one in element.iterancestors())


def _time_element(root: HtmlElement) -> str | None:
    """A time element that says it is the date of publication."""
    for element in root.iter("time"):
        names = f"{element.get('itemprop', '')} {element.get('class', '')}".lower()
        if element.get("pubdate") is not None or "datepublished" in names or "published" in names.split():
            date = read_date(element.get("datetime"))
            if date is not None:
                return date
    return None


def is_paid(records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a record says `isAccessibleForFree: false`, in any of the spellings of real pages."""
    for node in walk(list(records)):
        value = node.get("isAccessibleForFree")
        if isinstance(value, (str, bool)) and str(value).strip().rstrip("/").rpartition("/")[2].lower() == "false":
            return True
    return False
