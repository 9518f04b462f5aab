"""The reader of HTML pages: bytes in, facts out, one parse."""

from dataclasses import dataclass, replace
from typing import Any

from lxml.html import HtmlElement

from polite_crawler.readers.charset import Decoded, decode, parse_content_type
from polite_crawler.readers.facts import Facts, is_paid, read_facts
from polite_crawler.readers.javascript import letters, needs_javascript
from polite_crawler.readers.jsonld import read_jsonld
from polite_crawler.readers.links import Heads, absolute_links, read_heads
from polite_crawler.readers.main_text import find_main
from polite_crawler.readers.mending import mend
from polite_crawler.readers.microdata import read_microdata
from polite_crawler.readers.page import Page
from polite_crawler.readers.raw_text import cut_noscript, expand_empty, keep_noscript
from polite_crawler.readers.scrub import one_line
from polite_crawler.readers.tree import Tree, encode_source, parse_html, parse_octets
from polite_crawler.readers.visible import Visible, read_visible
from polite_crawler.readers.walls import SOFT_404_NOTE, is_consent_page, is_soft_404
from polite_crawler.rules.challenges import classify

_NOSCRIPT_LETTERS = 200


def read_page(body: bytes, *, url: str, content_type: str | None = None) -> Page:
    """Read an HTML page. `url` is the final URL, which relative links are resolved against.

    Never an error: what a limit cut, what was repaired and what was left out stands in `notes`.
    """
    read = _read_tree(body, content_type)
    root, text = read.tree.root, read.seen.text
    heads = read_heads(root, url)
    jsonld = read_jsonld(root)
    facts = read_facts(root, jsonld.records)
    microdata, microdata_notes = read_microdata(root, url, jsonld.records)
    blocked = _blocked(body)
    # A bot check asks for scripts as well, and no browser of ours will run them.
    script_reason = None if blocked else needs_javascript(root, text, read.noscript, read.length)
    walls = _wall_notes(root, url, facts, text, jsonld.records)
    main, main_notes = find_main(root, text, read.length, flat=read.tree.flat)
    return Page(
        title=facts.title,
        text=text,
        main=main,
        links=absolute_links(read.seen.anchors, heads.base, url, read.encoding),
        canonical=heads.canonical,
        feeds=heads.feeds,
        jsonld=list(jsonld.records),
        refresh=heads.refresh,
        blocked=blocked,
        needs_javascript=script_reason is not None,
        language=facts.language,
        encoding=read.encoding,
        encoding_source=read.encoding_source,
        meta=_meta(facts, heads, microdata),
        notes=(
            *read.notes,
            *jsonld.notes,
            *microdata_notes,
            *((script_reason,) if script_reason else ()),
            *walls,
            *main_notes,
        ),
    )


def read_text(body: bytes, content_type: str | None = None) -> Page:
    """The visible text of a page of a book, with its first heading as the title: no links and no facts."""
    read = _read_tree(body, content_type)
    root = read.tree.root
    heading = next((one for tag in ("h1", "h2", "h3", "title") for one in root.iter(tag)), None)
    return Page(
        title=one_line(heading.text_content(), 300) if heading is not None else None,
        text=read.seen.text,
        encoding=read.encoding,
        encoding_source=read.encoding_source,
        notes=read.notes,
    )


@dataclass(frozen=True, slots=True)
class _Read:
    """The tree of a page and what it shows. `noscript` is the markup of its noscript elements, `length` the
    characters of its source.
    """

    tree: Tree
    seen: Visible
    noscript: str
    encoding: str
    encoding_source: str
    length: int
    notes: tuple[str, ...]


def _read_tree(body: bytes, content_type: str | None) -> _Read:
    """Read the tree of a page.

    noscript is left out, as in a browser with scripts; but where it holds more than half of what can be read, the
    page is read as a browser without scripts shows it.
    """
    decoded = _decode(body, content_type)
    encoding, length = (decoded.encoding, decoded.source), len(decoded.text)
    source = cut_noscript(decoded.text)
    noscript = "\n".join(source.noscript)
    octets = encode_source(source.source)
    # A tree takes many times the memory of its source, so no copy of the source is kept beside it.
    del decoded, source
    tree = parse_octets(octets)
    del octets
    seen = read_visible(tree.root)
    notes: tuple[str, ...] = ()
    count = letters(read_visible(parse_html(noscript).root).text) if len(noscript) > _NOSCRIPT_LETTERS else 0
    if count > _NOSCRIPT_LETTERS and count > letters(seen.text):
        tree = parse_html(keep_noscript(_decode(body, content_type).text))
        seen = read_visible(tree.root)
        notes = ("kept: text in noscript elements, because it is more than half of the page",)
    elif count > _NOSCRIPT_LETTERS:
        notes = ("left out: text in noscript elements",)
    return _Read(tree, seen, noscript, *encoding, length, tree.notes + seen.notes + notes)


def _decode(body: bytes, content_type: str | None) -> Decoded:
    decoded = decode(body, content_type)
    if parse_content_type(content_type)[0] == "application/xhtml+xml":
        return replace(decoded, text=expand_empty(mend(decoded.text, xhtml=True)))
    return decoded


def _blocked(body: bytes) -> str | None:
    """The bot check or the firewall whose page this is, whatever its status was; None for an ordinary page."""
    verdict = classify(200, (("content-type", "text/html"),), body)
    return (verdict.vendor or verdict.mark) if verdict.kind else None


def _wall_notes(root: HtmlElement, url: str, facts: Facts, text: str, records: tuple[dict[str, Any], ...]) -> list[str]:
    notes = []
    if is_paid(records):
        notes.append("the page says that it is not free to read")
    if is_soft_404(root, facts.title, text):
        notes.append(SOFT_404_NOTE)
    if is_consent_page(url):
        notes.append("a consent page in the place of the content")
    return notes


def _meta(facts: Facts, heads: Heads, microdata: list[Any]) -> dict[str, Any]:
    """The facts that have no field of their own; what the page does not say has no key."""
    meta = {
        "description": facts.description,
        "author": facts.author,
        "published": facts.published,
        "modified": facts.modified,
        "site_name": facts.site_name,
        "og": dict(facts.og),
        "alternates": dict(heads.alternates),
        "amp": heads.amp,
        "microdata": microdata,
    }
    return {name: value for name, value in meta.items() if value}
