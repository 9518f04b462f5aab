"""One lxml tree a page: parsed with every limit noted, never in silence."""

import re
from dataclasses import dataclass

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from polite_crawler.readers.tags import MAX_ATTRIBUTES, limit_attributes

_NUL = re.compile("\x00")
_EMPTY = "<html><body></body></html>"
_DEPTH = re.compile(r"depth|too deep|RESOURCE_LIMIT|Excessive", re.I)


@dataclass(frozen=True, slots=True)
class Tree:
    """The root element of a page and what the parser left out of it."""

    root: HtmlElement
    notes: tuple[str, ...] = ()


def parse_html(source: str) -> Tree:
    """Parse the source of an HTML document. An empty document gives an empty body."""
    return parse_octets(encode_source(source))


def encode_source(source: str) -> bytes:
    """The source as UTF-8, which is what the parser reads fastest, without the NULs that would end it."""
    return _NUL.sub("", source).encode("utf-8", "replace")


def parse_octets(octets: bytes) -> Tree:
    """Parse an HTML document in UTF-8.

    libxml2 drops what nests deeper than 2,048 elements and all that follows it; the note says so.
    """
    octets, cut = limit_attributes(octets)
    notes = (f"cut: a tag with more than {MAX_ATTRIBUTES} attributes",) if cut else ()
    parser = HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        root = document_fromstring(octets, parser=parser, ensure_head_body=False)
    except (etree.ParserError, etree.XMLSyntaxError, AssertionError):
        return Tree(document_fromstring(_EMPTY), notes)
    return Tree(root, notes + _limits(parser))


def _limits(parser: HTMLParser) -> tuple[str, ...]:
    for entry in parser.error_log.filter_from_level(etree.ErrorLevels.FATAL):
        if entry.type_name == "ERR_RESOURCE_LIMIT" or _DEPTH.search(entry.message):
            return ("cut: the markup nests deeper than 2048 elements, the text below and after it is left out",)
    return ()
