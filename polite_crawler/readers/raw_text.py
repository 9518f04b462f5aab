"""The parts of HTML whose content a browser with scripting does not parse: noscript above all.

A parser without scripting reads noscript as markup, and one badly nested noscript can then hide a whole page. So its
content is cut out of the source before parsing, as a browser does. One pass, linear in the length of the source.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_RAW = "script|style|textarea|title|xmp|iframe|noembed|noframes|noscript"
_OPEN = re.compile(rf"(<!--|<({_RAW})(?=[\s/>]))", re.I)
_CLOSE = {name: re.compile(rf"</{name}(?=[\s/>])[^>]*>", re.I) for name in _RAW.split("|")}
_NOSCRIPT = re.compile("<noscript", re.I)
# A value of an attribute that holds what looks like one of them: then the tags are read whole.
_QUOTED = re.compile(rf"""=\s*+(?:"[^"]*<(?:!--|(?:{_RAW})[\s/>])|'[^']*<(?:!--|(?:{_RAW})[\s/>]))""", re.I)
# https://html.spec.whatwg.org/ 13.2.5.32 to 13.2.5.38, with no step back, so that a match is linear.
ATTRIBUTES = r"""(?:[\s/]++|[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s>"'][^\s>]*+)?)?)*+"""
"""The pattern of what stands in a tag after its name."""


def skip_to(mark: str) -> str:
    """The pattern of the text and the whole tags before a mark. It is for `match`: a search would begin anew at each
    character when there is no mark.
    """
    return rf"(?:[^<]++|(?!{mark})<(?:/?[a-z][^\s/>]*+{ATTRIBUTES})?+)*+"


_OPEN_AFTER_TAGS = re.compile(skip_to(rf"<(?:!--|(?:{_RAW})[\s/>])") + _OPEN.pattern, re.I)

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
    kept = 0
    for name, start, content, end in _raw_parts(source):
        if name == "noscript":
            yield False, source[kept:start]
            yield True, source[content:end]
            kept = source.find(">", end) + 1
    yield False, source[kept:]


def markup_pieces(source: str) -> Iterator[tuple[bool, str]]:
    """The source in pieces: markup (True), or a comment or an element whose content is no markup (False)."""
    kept = 0
    for name, start, _, end in _raw_parts(source):
        yield True, source[kept:start]
        kept = source.find(">", end) + 1 if name else end
        yield False, source[start:kept]
    yield True, source[kept:]


def _raw_parts(source: str) -> Iterator[tuple[str, int, int, int]]:
    """The parts that are no markup: the name (nothing for a comment), and where the part starts, its content starts
    and its content ends (for a comment: what follows it starts). One that is never closed ends the search.
    """
    find = _OPEN.search if _QUOTED.search(source) is None else _OPEN_AFTER_TAGS.match
    at = 0
    while (match := find(source, at)) is not None:
        name = (match.group(2) or "").lower()
        content, end = _content(source, match.end(), name)
        if end < 0:
            # Never closed: for a browser the rest is raw text as well.
            return
        yield name, match.start(1), content, end
        at = source.find(">", end) + 1 if name else end


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
