"""Ways to point at a quote that other programs read: W3C selectors and a text fragment link.

Sources: W3C Web Annotation Data Model, sections 4.2.4 and 4.2.5; URL Fragment Text Directives (WICG).
"""

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

CONTEXT: Final = 32
"""Code points of the text before and after the quote in a TextQuoteSelector."""

_LONG = 300
_WORDS = 5
_FRAGMENTS = "https://wicg.github.io/scroll-to-text-fragment/"


def selectors(text: str, start: int, end: int, *, url: str, count: int = 1) -> tuple[Mapping[str, object], ...]:
    """The selectors of text[start:end]: TextQuoteSelector, TextPositionSelector (code points of the stored text), and
    a FragmentSelector with the `link` that makes a browser scroll to the quote.

    `count` is the number of places of the quote: with more than one the link names what stands around it.
    """
    directive = ":~:text=" + _directive(text, start, end, count)
    return (
        {
            "type": "TextQuoteSelector",
            "exact": text[start:end],
            "prefix": text[max(0, start - CONTEXT) : start],
            "suffix": text[end : end + CONTEXT],
        },
        {"type": "TextPositionSelector", "start": start, "end": end},
        {
            "type": "FragmentSelector",
            "conformsTo": _FRAGMENTS,
            "value": directive,
            "link": url + ("" if "#" in url else "#") + directive,
        },
    )


def _directive(text: str, start: int, end: int, count: int) -> str:
    """`[prefix-,]start[,end][,-suffix]`. A browser finds `start` and `end` each in one block of the page, so a quote
    over line ends, and a long one, is named by its first and last words."""
    exact = text[start:end]
    if "\n" in exact.strip() or len(exact) > _LONG:
        lines = [line for line in (_one_line(line) for line in exact.split("\n")) if line]
        parts = [_encoded(_first_words(lines[0])), _encoded(_last_words(lines[-1]))]
    else:
        parts = [_encoded(_one_line(exact))]
    if count > 1:
        before = _last_words(_one_line(text[max(0, start - 200) : start].rpartition("\n")[2]))
        after = _first_words(_one_line(text[end : end + 200].partition("\n")[0]))
        parts = [*([_encoded(before) + "-"] if before else []), *parts, *(["-" + _encoded(after)] if after else [])]
    return ",".join(parts)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _first_words(line: str) -> str:
    return _cut(line, " ".join(line.split(" ")[:_WORDS]), line[:_LONG])


def _last_words(line: str) -> str:
    return _cut(line, " ".join(line.split(" ")[-_WORDS:]), line[-_LONG:])


def _cut(line: str, words: str, part: str) -> str:
    return min((line, words, part), key=len)


def _encoded(text: str) -> str:
    """Percent-encoded: also `-`, `,` and `&`, which are the syntax of the directive."""
    return re.sub("-", "%2D", quote(text.encode("utf-8", "replace"), safe=""))
