"""The reader of HTML pages: bytes in, facts out, one parse."""

from lxml.html import HtmlElement

from polite_crawler.readers.charset import decode
from polite_crawler.readers.links import absolute_links, read_heads
from polite_crawler.readers.page import Page
from polite_crawler.readers.raw_text import cut_noscript
from polite_crawler.readers.scrub import one_line
from polite_crawler.readers.tree import parse_html
from polite_crawler.readers.visible import read_visible


def read_page(body: bytes, *, url: str, content_type: str | None = None) -> Page:
    """Read an HTML page. `url` is the final URL, which relative links are resolved against.

    Never an error: what a limit cut, what was repaired and what was left out stands in `notes`.
    """
    decoded = decode(body, content_type)
    source = cut_noscript(decoded.text)
    tree = parse_html(source.source)
    seen = read_visible(tree.root)
    heads = read_heads(tree.root, url)
    return Page(
        title=_title(tree.root),
        text=seen.text,
        links=absolute_links(seen.anchors, heads.base, url),
        canonical=heads.canonical,
        feeds=heads.feeds,
        refresh=heads.refresh,
        language=one_line(tree.root.get("lang"), 35),
        encoding=decoded.encoding,
        encoding_source=decoded.source,
        notes=tree.notes + seen.notes,
    )


def _title(root: HtmlElement) -> str | None:
    title = next(root.iter("title"), None)
    return one_line(title.text_content()) if title is not None else None
