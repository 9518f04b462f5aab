"""One lxml tree a page: parsed with every limit noted, never in silence."""

import re
from dataclasses import dataclass

from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from polite_crawler.readers.mending import mend
from polite_crawler.readers.tags import MAX_ATTRIBUTES, limit_attributes

_NUL = re.compile("\x00")
_EMPTY = "<html><body></body></html>"
_FLAT = "the markup nests deeper than 2048 elements: its text is read without its boxes, with what they would hide"
_CUT = "cut: the markup nests deeper than 2048 elements, the text below and after it is left out"
_TAG = re.compile(rb"</?([a-zA-Z][\w:-]*)(?:[\s/][^<>]*)?>")
_KEPT = frozenset(b"html head body title meta link base script style a area img br textarea".split())
_OF_HEAD = frozenset(
    ("title", "meta", "link", "base", "basefont", "bgsound", "script", "style", "noscript", "template", "noframes")
)
_INLINE = frozenset(
    b"abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike "
    b"strong sub sup time tt u var wbr".split()
)
_DEPTH = re.compile(r"depth|too deep|RESOURCE_LIMIT|Excessive", re.I)


@dataclass(frozen=True, slots=True)
class Tree:
    """The root element of a page and what the parser left out of it. A `flat` one has no boxes."""

    root: HtmlElement
    notes: tuple[str, ...] = ()
    flat: bool = False


def parse_html(source: str) -> Tree:
    """Parse the source of an HTML document. An empty document gives an empty body."""
    return parse_octets(encode_source(source))


def encode_source(source: str) -> bytes:
    """The source as UTF-8, which is what the parser reads fastest, mended, without the NULs that would end it."""
    return _NUL.sub("", mend(source)).encode("utf-8", "replace")


def parse_octets(octets: bytes) -> Tree:
    """Parse an HTML document in UTF-8.

    libxml2 drops what nests deeper than 2,048 elements and all that follows it. A browser shows it, so such a page is
    read again without its boxes; the notes say so.
    """
    octets, cut = limit_attributes(octets)
    notes: tuple[str, ...] = (f"cut: a tag with more than {MAX_ATTRIBUTES} attributes",) if cut else ()
    root, too_deep = _parse(octets)
    if too_deep:
        root, still_too_deep = _parse(_TAG.sub(_flat, octets))
        notes += (_CUT if still_too_deep else _FLAT,)
    return Tree(root, notes, flat=too_deep)


def _parse(octets: bytes) -> tuple[HtmlElement, bool]:
    """The root, and whether the parser gave up in the depth."""
    parser = HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        root = document_fromstring(octets, parser=parser, ensure_head_body=False)
    except (etree.ParserError, etree.XMLSyntaxError, AssertionError):
        return document_fromstring(_EMPTY), False
    _join_roots(root)
    _close_head(root)
    fatal = parser.error_log.filter_from_level(etree.ErrorLevels.FATAL)
    return root, any(entry.type_name == "ERR_RESOURCE_LIMIT" or _DEPTH.search(entry.message) for entry in fatal)


def _join_roots(root: HtmlElement) -> None:
    """Append what follows the end tag of html to the body: libxml2 gives it roots of its own, a browser shows it."""
    for extra in [extra for extra in root.itersiblings() if isinstance(extra.tag, str)]:
        _pour(extra, _body(root))


def _pour(part: HtmlElement, body: HtmlElement) -> None:
    """Append an element to the body; of another html, head or body only what it holds."""
    if part.tag not in ("html", "head", "body"):
        body.append(part)
        return
    tail = part.tail
    _append_text(body, part.text)
    for child in list(part):
        _pour(child, body)
    _append_text(body, tail)


def _append_text(element: HtmlElement, text: str | None) -> None:
    if not text:
        return
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


def _close_head(root: HtmlElement) -> None:
    """Move what does not belong to the head to the body. libxml2 does not know the elements of HTML5, so a page that
    leaves out its body tag would have its first sections in the head.
    """
    head = root.find("head")
    first = None if head is None else next((at for at, part in enumerate(head) if part.tag not in _OF_HEAD), None)
    if head is None or first is None:
        return
    body = _body(root)
    moved = head[first:]
    for at, part in enumerate(moved):
        body.insert(at, part)
    if body.text:
        # The text that began the body now follows what was moved.
        moved[-1].tail = (moved[-1].tail or "") + body.text
        body.text = None


def _body(root: HtmlElement) -> HtmlElement:
    """The body of a page, or the frameset in its place; made when there is none."""
    body = root.find("body")
    if body is None:
        body = root.find("frameset")
    if body is None:
        body = root.makeelement("body")
        root.append(body)
    return body


def _flat(tag: re.Match[bytes]) -> bytes:
    """A tag of a page without boxes: what it needs to be read stays, inline boxes go, others become line breaks."""
    name = tag.group(1).lower()
    return tag.group() if name in _KEPT else b"" if name in _INLINE else b"<br>"
