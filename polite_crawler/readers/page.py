"""What a reader found in one body: plain facts, no evidence and no I/O."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a page: the absolute URL, its visible text (or the alt text of its image), and its rel tokens."""

    url: str
    text: str = ""
    rel: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """The facts of one body. Positions are code points of `text`, end exclusive.

    `kind` is page, pdf or text (also for Markdown, JSON, XML, CSV, office documents and e-books). `main` holds the
    spans of the main text. `refresh` is the target of a meta refresh of at most 5 seconds on another address.
    `blocked` names the bot check or firewall that sent its page in place of the content. `meta` holds what has no
    field of its own, as plain JSON values, and no key for what is not there: description, author, published,
    modified, site_name, og, alternates (language tag to URL), amp, microdata; pages (the [start, end] of each page)
    and page_count of a PDF; chapters (title, start and end) of an e-book.
    """

    kind: str = "page"
    title: str | None = None
    text: str = ""
    main: tuple[tuple[int, int], ...] = ()
    links: tuple[Link, ...] = ()
    canonical: str | None = None
    feeds: tuple[str, ...] = ()
    jsonld: list[Any] = field(default_factory=list)
    refresh: str | None = None
    blocked: str | None = None
    needs_javascript: bool = False
    language: str | None = None
    encoding: str | None = None
    encoding_source: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
