"""A bound on the attributes of one tag: the tree of libxml2 takes quadratic time in them."""

import re

MAX_ATTRIBUTES = 2000
_LONG = 8000
"""A tag of fewer characters cannot have attributes enough to matter."""

# https://html.spec.whatwg.org/ 13.2.5.32 to 13.2.5.38, with no step back, so that a search is linear.
_ATTRIBUTE = rb"""[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s>"'][^\s>]*+)?)?"""
_TAG = re.compile(rb"<[a-zA-Z][^\s/>]*+(?:[\s/]++|" + _ATTRIBUTE + rb")*+")
_ONE = re.compile(_ATTRIBUTE)


def limit_attributes(source: bytes) -> tuple[bytes, bool]:
    """The source, in UTF-8, with at most 2,000 attributes in each tag, and whether some were left out."""
    kept: list[bytes] = []
    at = 0
    for tag in _TAG.finditer(source):
        if tag.end() - tag.start() < _LONG:
            continue
        end = _end_of_last(source, tag.start(), tag.end())
        if end < tag.end():
            kept.append(source[at:end])
            at = tag.end()
    if not kept:
        return source, False
    kept.append(source[at:])
    return b"".join(kept), True


def _end_of_last(source: bytes, start: int, end: int) -> int:
    """Where the last attribute ends that is kept."""
    name = re.compile(rb"<[^\s/>]*").match(source, start)
    at = name.end() if name else start
    for count, attribute in enumerate(_ONE.finditer(source, at, end), 1):
        if count >= MAX_ATTRIBUTES:
            return attribute.end()
    return end
