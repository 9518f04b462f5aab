"""A tolerant reader of JSON-LD: one bad block costs itself only, and a block with a common slip is repaired.

Source: https://www.w3.org/TR/json-ld11/ sections 4.9 (@graph) and 9.5; what is repaired are the slips of real pages.
"""

import html
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lxml.html import HtmlElement

from polite_crawler.readers.scrub import clean_value

MAX_PAGE = 256 * 1024
"""Octets of JSON that are kept of one page."""
MAX_BLOCK = 2 * 1024 * 1024
"""Characters of one block that are read."""
MAX_REPAIR = 512 * 1024
"""Characters of one block that are repaired."""
MAX_NESTING = 64

_PREFIX = re.compile(r"(?:schema:|https?://schema\.org/)(?=\w+\Z)")
_SPACE = " \t\r\n\ufeff\u2028\u2029\xa0"
_BETWEEN = _SPACE + ";,"
_WRAPPERS = re.compile(
    r"^\s*(?:<!--|(?://|/\*)?\s*<!\[CDATA\[(?:\s*\*/)?|//\s*<!--)|(?:(?://\s*)?-->|(?:(?://|/\*)\s*)?\]\]>(?:\s*\*/)?|;)\s*$"
)
_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"?|//[^\n]*|/\*(?:.*?\*/|.*)|,\s*(?=[}\]])|[\x00-\x08\x0b\x0c\x0e-\x1f]', re.DOTALL
)
_BAD_ESCAPE = re.compile(r'\\(u(?![0-9a-fA-F]{4})|[^"\\/bfnrtu])', re.DOTALL)
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)
_CLOSER = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True)
class JsonLd:
    """The records of a page: each root, each item of a root list and each node of an @graph is one record."""

    records: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()


def read_jsonld(root: HtmlElement) -> JsonLd:
    """Read the JSON-LD blocks of a page, in the sequence of the page."""
    return read_blocks(script.text or "" for script in root.iter("script") if _is_jsonld(script.get("type")))


def read_blocks(blocks: Iterator[str]) -> JsonLd:
    """Read the texts of JSON-LD scripts."""
    records: list[dict[str, Any]] = []
    repaired = unreadable = left_out = size = 0
    for block in blocks:
        roots, slips = parse_block(block)
        repaired += slips and bool(roots)
        unreadable += slips and not roots
        for record in _records(roots):
            kept = clean_value(record, MAX_NESTING)
            length = len(json.dumps(kept, ensure_ascii=False).encode())
            if size + length > MAX_PAGE:
                left_out += 1
                continue
            size += length
            records.append(kept)
    notes = []
    if repaired:
        notes.append(f"JSON-LD: {repaired} block{'s' if repaired > 1 else ''} repaired")
    if unreadable:
        notes.append(f"JSON-LD: {unreadable} block{'s' if unreadable > 1 else ''} not readable")
    if left_out:
        notes.append(f"cut: more than {MAX_PAGE} octets of JSON-LD, {left_out} records left out")
    return JsonLd(tuple(records), tuple(notes))


def parse_block(block: str) -> tuple[list[Any], bool]:
    """The roots of one block, and whether it needed a repair. No roots and True: it cannot be read."""
    text = block.strip(_SPACE)
    if not text:
        return [], False
    if len(text) > MAX_BLOCK:
        return [], True
    try:
        return [_loads(text)], False
    except (ValueError, RecursionError):
        pass
    if len(text) > MAX_REPAIR:
        return [], True
    for repair in _REPAIRS:
        try:
            roots = _roots(repair(text))
        except (ValueError, RecursionError):
            continue
        if any(roots):
            return roots, True
    return [], True


def types_of(record: Mapping[str, Any]) -> tuple[str, ...]:
    """The bare names of the types of a record: `https://schema.org/Product` and `schema:Product` are `Product`."""
    found = record.get("@type")
    values = found if isinstance(found, list) else [found]
    return tuple(re.split(r"[/#:]", value.strip().rstrip("/"))[-1] for value in values if isinstance(value, str))


def bare_names(value: Any, known: Mapping[str, str]) -> Any:
    """Records whose properties have their bare names: `schema:price` and `https://schema.org/price` are `price`, and
    `Price` is, when `known` (lower case to the right case) has it."""
    if isinstance(value, (list, tuple)):
        return [bare_names(one, known) for one in value]
    if not isinstance(value, dict):
        return value
    named = ((_PREFIX.sub("", key), one) for key, one in value.items())
    return {known.get(key.lower(), key): bare_names(one, known) for key, one in named}


def by_id(records: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """The nodes of a page by their @id, at any depth; the node that says the most about an @id counts."""
    found: dict[str, dict[str, Any]] = {}
    for node in walk(records):
        name = node.get("@id")
        if isinstance(name, str) and len(node) > len(found.get(name, {"@id": name})):
            found[name] = node
    return found


def follow(value: Any, nodes: Mapping[str, dict[str, Any]]) -> Any:
    """The node that a bare reference (`{"@id": ...}`) names; any other value, or an unknown one, is itself."""
    if isinstance(value, dict) and set(value) == {"@id"} and isinstance(value["@id"], str):
        return nodes.get(value["@id"], value)
    return value


def walk(value: Any) -> Iterator[dict[str, Any]]:
    """Each object in a JSON value, outer ones first, without recursion."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield item
            stack.extend(reversed(list(item.values())))
        elif isinstance(item, (list, tuple)):
            stack.extend(reversed(item))


def _is_jsonld(kind: str | None) -> bool:
    return kind is not None and kind.partition(";")[0].strip().lower() == "application/ld+json"


def _records(roots: list[Any]) -> Iterator[dict[str, Any]]:
    stack = list(reversed(roots))
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack.extend(reversed(item))
        elif isinstance(item, dict):
            graph = item.get("@graph")
            if isinstance(graph, (list, dict)):
                stack.append(graph)
                item = {key: value for key, value in item.items() if key != "@graph"}
                if not set(item) - {"@context", "@id"}:
                    continue
            yield item


def _number(digits: str) -> int | str:
    # Python refuses to read an integer of more than 4,300 digits; such a value is kept as text.
    return int(digits) if len(digits) < 4000 else digits


_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda name: None, parse_int=_number)


def _loads(text: str) -> Any:
    return _DECODER.decode(text)


def _roots(text: str) -> list[Any]:
    """Several JSON texts one after the other. What is no object or list is no root."""
    roots = []
    at, end = 0, len(text)
    while at < end:
        if text[at] in _BETWEEN:
            at += 1
            continue
        value, at = _DECODER.raw_decode(text, at)
        if isinstance(value, (dict, list)):
            roots.append(value)
    return roots


def _unwrapped(text: str) -> str:
    """Without the marks of a comment or a CDATA section around the block."""
    for _ in range(6):
        shorter = _WRAPPERS.sub("", text).strip(_SPACE)
        if shorter == text:
            break
        text = shorter
    return text


def _cleaned(text: str) -> str:
    """Without comments, trailing commas and raw control characters outside of strings; bad escapes made good."""
    return _TOKEN.sub(_repair_token, text)


def _repair_token(match: re.Match[str]) -> str:
    token = match.group()
    if token[0] != '"':
        return ""
    return _BAD_ESCAPE.sub(_repair_escape, token) if "\\" in token else token


def _repair_escape(match: re.Match[str]) -> str:
    char = match.group(1)
    return {"'": "'", "\n": "", "\r": ""}.get(char, "\\\\" + char)


def _closed(text: str) -> str:
    """With the brackets closed that the end of the block left open."""
    open_brackets: list[str] = []
    for match in _BRACKET.finditer(text):
        mark = match.group()
        if mark in _CLOSER:
            open_brackets.append(_CLOSER[mark])
        elif mark in "]}" and open_brackets:
            open_brackets.pop()
    return text.rstrip(_BETWEEN) + "".join(reversed(open_brackets))


_REPAIRS: tuple[Callable[[str], str], ...] = (
    _unwrapped,
    lambda text: _cleaned(_unwrapped(text)),
    lambda text: _cleaned(_unwrapped(html.unescape(text))),
    lambda text: _closed(_cleaned(_unwrapped(text))),
)
