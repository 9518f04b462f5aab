"""The parts of HTML whose content a browser with scripting does not parse: noscript above all.

A parser without scripting reads noscript as markup, and one badly nested noscript can then hide a whole page. So its
content is cut out of the source before parsing, as a browser does. One pass, linear in the length of the source.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_RAW = "script|style|textarea|title|xmp|iframe|noembed|noframes|noscript"
_OPEN = re.compile(rf"<!--|<({_RAW})(?=[\s/>])", re.I)
_CLOSE = {name: re.compile(rf"</{name}(?=[\s/>])[^>]*>", re.I) for name in _RAW.split("|")}
_NOSCRIPT = re.compile("<noscript", re.I)


_VOID = "area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr"
_EMPTY = re.compile(rf"<(?!(?:{_VOID})[\s/>])([A-Za-z][\w-]*)((?:\s[^<>]*)?)/>", re.I)


def expand_empty(source: str) -> str:
    """XHTML with its empty elements (`<title/>`) in the form that HTML reads: a start tag and an end tag."""
    return _EMPTY.sub(r"<\1\2></\1>", source)


@dataclass(frozen=True, slots=True)
class WithoutNoscript:
    """The source without its noscript elements, and the markup that stood in them."""

    source: str
    noscript: tuple[str, ...] = ()


def cut_noscript(source: str) -> WithoutNoscript:
    """Cut the noscript elements out of a source. One in a comment, a script or a title is not an element."""
    if _NOSCRIPT.search(source) is None:
        return WithoutNoscript(source)
    pieces = list(_pieces(source))
    return WithoutNoscript(
        "".join(piece for inside, piece in pieces if not inside), tuple(piece for inside, piece in pieces if inside)
    )


def keep_noscript(source: str) -> str:
    """The source with its noscript elements as plain boxes, as a browser without scripting shows them."""
    return "".join(f"<div>{piece}</div>" if inside else piece for inside, piece in _pieces(source))


def _pieces(source: str) -> Iterator[tuple[bool, str]]:
    """The source in pieces: the content of a noscript element (True), or what stands between two of them (False)."""
    at = kept = 0
    while (match := _OPEN.search(source, at)) is not None:
        name = (match.group(1) or "").lower()
        start, end = _content(source, match.end(), name)
        if end < 0:
            # Never closed: for a browser the rest is raw text as well.
            break
        at = source.find(">", end) + 1 if name else end
        if name == "noscript":
            yield False, source[kept : match.start()]
            yield True, source[start:end]
            kept = at
    yield False, source[kept:]


def _content(source: str, at: int, name: str) -> tuple[int, int]:
    """Where the content starts, and where it ends (for a comment: where what follows it starts), or -1."""
    if not name:
        if source.startswith((">", "->"), at):
            return at, source.index(">", at) + 1
        end = source.find("-->", at)
        return at, end + 3 if end >= 0 else -1
    start = source.find(">", at) + 1
    if not start:
        return at, -1
    close = _CLOSE[name].search(source, start)
    return start, close.start() if close else -1
