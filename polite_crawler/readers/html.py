"""The reader of HTML pages: bytes in, facts out, one parse."""

from typing import Any

from lxml.html import HtmlElement

from polite_crawler.readers.charset import decode, parse_content_type
from polite_crawler.readers.facts import Facts, is_paid, read_facts
from polite_crawler.readers.javascript import letters, needs_javascript
from polite_crawler.readers.jsonld import read_jsonld, types_of
from polite_crawler.readers.links import Heads, absolute_links, read_heads
from polite_crawler.readers.main_text import find_main
from polite_crawler.readers.microdata import read_microdata
from polite_crawler.readers.page import Page
from polite_crawler.readers.raw_text import cut_noscript, expand_empty, keep_noscript
from polite_crawler.readers.tree import Tree, parse_html
from polite_crawler.readers.visible import Visible, read_visible
from polite_crawler.readers.walls import SOFT_404_NOTE, is_consent_page, is_soft_404
from polite_crawler.rules.challenges import classify

_NOSCRIPT_LETTERS = 200


def read_page(body: bytes, *, url: str, content_type: str | None = None) -> Page:
    """Read an HTML page. `url` is the final URL, which relative links are resolved against.

    Never an error: what a limit cut, what was repaired and what was left out stands in `notes`.
    """
    decoded = decode(body, content_type)
    is_xhtml = parse_content_type(content_type)[0] == "application/xhtml+xml"
    tree, seen, noscript, notes = _read_tree(expand_empty(decoded.text) if is_xhtml else decoded.text)
    root = tree.root
    heads = read_heads(root, url)
    jsonld = read_jsonld(root)
    facts = read_facts(root, jsonld.records)
    microdata, microdata_notes = read_microdata(root, url, {t for record in jsonld.records for t in types_of(record)})
    blocked = _blocked(body)
    # A bot check asks for scripts as well, and no browser of ours will run them.
    script_reason = None if blocked else needs_javascript(root, seen.text, noscript, len(decoded.text))
    walls = _wall_notes(root, url, facts, seen.text, jsonld.records)
    main, main_notes = find_main(root, seen.text, len(decoded.text))
    return Page(
        title=facts.title,
        text=seen.text,
        main=main,
        links=absolute_links(seen.anchors, heads.base, url, decoded.encoding),
        canonical=heads.canonical,
        feeds=heads.feeds,
        jsonld=jsonld.records,
        refresh=heads.refresh,
        blocked=blocked,
        needs_javascript=script_reason is not None,
        language=facts.language,
        encoding=decoded.encoding,
        encoding_source=decoded.source,
        meta=_meta(facts, heads, microdata),
        notes=(
            *notes,
            *jsonld.notes,
            *microdata_notes,
            *((script_reason,) if script_reason else ()),
            *walls,
            *main_notes,
        ),
    )


def _read_tree(text: str) -> tuple[Tree, Visible, str, tuple[str, ...]]:
    """The tree, what it shows, the markup of its noscript elements, and notes.

    noscript is left out, as in a browser with scripts; but where it holds more than half of what can be read, the
    page is read as a browser without scripts shows it.
    """
    source = cut_noscript(text)
    noscript = "\n".join(source.noscript)
    tree = parse_html(source.source)
    seen = read_visible(tree.root)
    count = letters(read_visible(parse_html(noscript).root).text) if len(noscript) > _NOSCRIPT_LETTERS else 0
    if count < _NOSCRIPT_LETTERS:
        return tree, seen, noscript, tree.notes + seen.notes
    if count <= letters(seen.text):
        return tree, seen, noscript, (*tree.notes, *seen.notes, "left out: text in noscript elements")
    tree = parse_html(keep_noscript(text))
    seen = read_visible(tree.root)
    note = "kept: text in noscript elements, because it is more than half of the page"
    return tree, seen, noscript, (*tree.notes, *seen.notes, note)


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
