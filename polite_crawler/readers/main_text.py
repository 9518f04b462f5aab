"""The main text of a page, as spans into its visible text: readability finds it, the same walker reads it.

The text itself is stored once; a span is always verbatim.
"""

import logging
import re
from bisect import bisect_left
from collections import defaultdict
from copy import deepcopy
from typing import Any, cast

from lxml import etree
from lxml.html import HtmlElement

from polite_crawler.readers.hiding import read_style
from polite_crawler.readers.visible import read_visible

MAX_SOURCE = 2_000_000
"""Characters of source up to which the main text is looked for."""
MAX_ELEMENTS = 20_000
"""Elements up to which the main text is looked for."""
MAX_DEPTH = 80
"""Nesting up to which the main text is looked for: the scores read the text of each ancestor again."""
# One step a level: each evaluates in time linear in the elements.
_DEEPER = etree.XPath(f"boolean({'/*' * (MAX_DEPTH + 1)})")
_COUNT = etree.XPath("count(//*)")
_STYLED = etree.XPath("//*[@style]")
_INVISIBLE = re.compile(r"(?:^|[;\s])visibility\s*:\s*hidden", re.I)
_MAX_SEARCHES = 50
_SHORT = 25
_NEAR = 1000

Spans = tuple[tuple[int, int], ...]


def find_main(root: HtmlElement, text: str, source_length: int, *, flat: bool = False) -> tuple[Spans, tuple[str, ...]]:
    """The spans of the main text in `text`, in ascending order and apart, and notes. No spans when none is found, and
    for a `flat` tree: what could be an article has lost its box there."""
    if not text:
        return (), ()
    if flat:
        return (), ("no main text: the page is read without its boxes",)
    if source_length > MAX_SOURCE or _too_large(root):
        return (), ("no main text: the page is too large to look for it",)
    summary = _summary(root)
    if summary is None:
        return (), ("no main text: the page has none that readability finds",)
    return align(text, read_visible(summary).text), ()


def _too_large(root: HtmlElement) -> bool:
    return bool(_DEEPER(root)) or float(str(_COUNT(root))) > MAX_ELEMENTS


def _summary(root: HtmlElement) -> HtmlElement | None:
    """The tree of the article, by readability on a copy. A page that it cannot read has none."""
    import readability.readability as engine

    # A failure of the heuristics is the page's and becomes a note; the traceback in the log would help nobody.
    logging.getLogger("readability.readability").disabled = True
    copy: Any = deepcopy(root)
    _reduce_styles(copy)
    try:
        document: Any = _article_class(engine.Document)(copy)
        document.summary()
    except (engine.Unparseable, RecursionError, ValueError, AssertionError):
        return None
    article = document.html
    return article if isinstance(article, HtmlElement) else None


def _reduce_styles(root: HtmlElement) -> None:
    """Leave of the styles only what takes an element out of an article: all that readability asks of them, while its
    cleaner looks for addresses in each, which can take quadratic time.
    """
    for element in cast(list[HtmlElement], _STYLED(root)):
        style = element.get("style", "")
        if read_style(style, False)[0] == "none" or _INVISIBLE.search(style):
            element.set("style", "display:none")
        else:
            del element.attrib["style"]
    for style in root.iter("style"):
        style.text = None


def _article_class(document: Any) -> Any:
    """readability's Document without its regular expressions over attributes, which can take quadratic time."""

    class Article(document):  # type: ignore[misc]
        def get_clean_html(self) -> str:
            return etree.tostring(self.html, method="html", encoding="unicode")

    return Article


def align(text: str, part: str) -> Spans:
    """Where the lines of `part` stand in `text`. A line that is not a whole line of the text is searched for, a
    bounded number of times; what is not found is left out.
    """
    starts: dict[str, list[int]] = defaultdict(list)
    at = 0
    for line in text.split("\n"):
        if key := line.strip():
            starts[key].append(at + line.index(key))
        at += len(line) + 1
    spans: list[tuple[int, int]] = []
    cursor = searches = 0
    for line in part.split("\n"):
        key = line.strip()
        if not key:
            continue
        found = _next(starts.get(key), cursor)
        if found < 0:
            found = text.find(key, cursor, cursor + _NEAR)
        if found < 0 and len(key) >= _SHORT and searches < _MAX_SEARCHES:
            searches += 1
            found = text.find(key)
        if found >= 0:
            spans.append((found, found + len(key)))
            cursor = max(cursor, found + len(key))
    return _merge(text, sorted(spans))


def _next(starts: list[int] | None, cursor: int) -> int:
    """The first start at or after the cursor, else the last one before it, else -1."""
    if not starts:
        return -1
    # a page can hold one short line thousands of times
    place = bisect_left(starts, cursor)
    return starts[min(place, len(starts) - 1)]


def _merge(text: str, spans: list[tuple[int, int]]) -> Spans:
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and (start <= merged[-1][1] or text[merged[-1][1] : start].isspace()):
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
