"""Usage signals: what a site says of the use of a page, in robots.txt, in headers and in its HTML.

All is recorded. Only a refusal of AI input holds the text of a page back. Per key, any no beats any yes (AIPREF vocab,
Combining Preferences), whoever said it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from polite_crawler.rules import preferences
from polite_crawler.rules.pathpatterns import compared_target
from polite_crawler.rules.robotsfile import RobotsFile, names_token, parse
from polite_crawler.rules.tags import TEXT, attributes, pieces, readable
from polite_crawler.rules.urls import absolute

Headers = Sequence[tuple[str, str]]

_HEAD_TAGS = frozenset({
    b"html", b"head", b"meta", b"link", b"base", b"basefont", b"bgsound", b"title", b"script", b"style", b"template",
    b"noscript", b"noframes",
})  # fmt: skip
_RSL = re.compile(rb"rsl\+xml", re.IGNORECASE)
_NO_AI = frozenset({"noai", "no-ai"})


@dataclass(frozen=True, slots=True)
class Signals:
    """The signals of one page.

    `content_signal`: search, ai-input and ai-train (yes or no), and `use` (immediate, reference, full).
    `content_usage`: train-ai and search (y or n). `robots_tag`: the directives that bind us, sorted. `licenses`: RSL
    URLs. `tdm`: reservation (0 or 1), its source (file, header, meta) and policy. `hold` is the reason why the text
    is held back from the AI reader: `ai-input=no`, `use=immediate`, `noai`, or None.
    """

    content_signal: Mapping[str, str] = field(default_factory=dict)
    content_usage: Mapping[str, str] = field(default_factory=dict)
    robots_tag: Sequence[str] = field(default_factory=list)
    licenses: Sequence[str] = field(default_factory=list)
    tdm: Mapping[str, Any] = field(default_factory=dict)
    hold: str | None = None

    @property
    def nofollow(self) -> bool:
        """Whether the links of the page are not to be followed."""
        return "nofollow" in self.robots_tag or "none" in self.robots_tag

    def to_json(self) -> dict[str, Any]:
        """The object of a capture: what says nothing is left out."""
        found: dict[str, Any] = {
            "content_signal": dict(self.content_signal),
            "content_usage": dict(self.content_usage),
            "robots_tag": list(self.robots_tag),
            "licenses": list(self.licenses),
            "tdm": dict(self.tdm),
            "hold": self.hold,
        }
        return {key: value for key, value in found.items() if value}


def combine(
    *,
    robots: bytes | RobotsFile | None,
    url: str,
    headers: Headers,
    html: bytes | None,
    tdmrep: bytes | None = None,
    tokens: Sequence[str] = ("PoliteCrawler",),
) -> Signals:
    """The signals of a page for the product tokens that ask. `robots` is the body of robots.txt (or the parsed file),
    `html` the decoded body when it is HTML, `tdmrep` that of /.well-known/tdmrep.json. Nothing raises: what cannot be
    read says nothing."""
    file = _parsed(robots) if isinstance(robots, bytes) else robots
    target = compared_target(url)
    signal, usage = _of_robots(file, url, target, tokens)
    for value in preferences.values_of(headers, "content-signal"):
        preferences.stricter(signal, preferences.content_signal(value))
    for name in ("content-usage", "x-archive-orig-content-usage"):
        joined = ", ".join(value for key, value in headers if key.strip().lower() == name)
        preferences.stricter(usage, preferences.content_usage(joined))
    metas = list(_metas(html or b""))
    directives = set(_directives(headers, metas, tokens))
    return Signals(
        content_signal=signal,
        content_usage=usage,
        robots_tag=sorted(directives),
        licenses=list(dict.fromkeys(_licences(file, headers, html or b"", url))),
        tdm=_tdm(tdmrep, target, headers, metas),
        hold=_hold(signal, directives),
    )


@lru_cache(maxsize=16)
def _parsed(body: bytes) -> RobotsFile:
    return parse(body)


def _of_robots(
    file: RobotsFile | None, url: str, target: bytes, tokens: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Content-Signal and Content-Usage over all tokens. A line counts for the agents above it; the longest path wins.
    A URL that is disallowed has no usage preference (draft-ietf-aipref-attach)."""
    signal: dict[str, str] = {}
    usage: dict[str, str] = {}
    for token in tokens if file is not None else ():
        assert file is not None
        lines = (record.value for record in file.records_for(token, "content-signal"))
        for text in preferences.longest_scope(lines, target):
            preferences.stricter(signal, preferences.content_signal(text))
        if file.decide(token, url).allowed:
            lines = (record.value for record in file.records_for(token, "content-usage"))
            for text in preferences.longest_scope(lines, target):
                preferences.stricter(usage, preferences.content_usage(text))
    return signal, usage


def _directives(headers: Headers, metas: Sequence[tuple[str, str]], tokens: Sequence[str]) -> Iterator[str]:
    values = preferences.values_of(headers, "x-robots-tag")
    values += [
        content for name, content in metas if name == "robots" or any(names_token(name, token) for token in tokens)
    ]
    for value in values:
        yield from preferences.robots_directives(value, tokens)


def _metas(html: bytes) -> Iterator[tuple[str, str]]:
    """Name in lower case and content of the meta elements of the head; one in the body is text of a user. What a
    noscript of the head holds (mostly the picture of a counter) ends no head, as in a browser with scripts."""
    unscripted = False
    for kind, tag, content in pieces(readable(html)):
        if kind in (b"noscript", b"/noscript"):
            unscripted = kind == b"noscript"
        elif kind == TEXT:
            if content.strip() and not unscripted:
                return
        elif kind not in _HEAD_TAGS and (kind == b"/body" or not (unscripted or kind.startswith(b"/"))):
            return
        elif kind == b"meta":
            found = attributes(tag)
            if found.get("name") and "content" in found:
                yield found["name"].lower(), found["content"]


def _licences(file: RobotsFile | None, headers: Headers, html: bytes, url: str) -> Iterator[str]:
    for record in file.records if file else ():
        if record.key == "license":
            yield from preferences.licence(record.value)
    for value in preferences.values_of(headers, "link"):
        yield from preferences.rsl_links(value, url)
    page = readable(html)
    yield from _linked_licences(page, url) if _RSL.search(page) else ()


def _linked_licences(html: bytes, url: str) -> Iterator[str]:
    """The licences of link elements, which the first base of the page resolves."""
    base = None
    links: list[str] = []
    for kind, tag, _ in pieces(html):
        found = attributes(tag) if kind in (b"link", b"base") else {}
        if kind == b"base" and base is None and found.get("href"):
            base = absolute(url, found["href"])
        elif preferences.is_rsl(found.get("rel", ""), found.get("type", "")):
            links.append(found.get("href", ""))
    for link in links:
        yield from preferences.licence(link, base or url)


def _tdm(tdmrep: bytes | None, target: bytes, headers: Headers, metas: Sequence[tuple[str, str]]) -> Mapping[str, Any]:
    """TDMRep: the file, superseded by the headers, superseded by the meta elements; absence resets nothing."""
    found = dict(preferences.tdm_of_file(tdmrep, target)) if tdmrep is not None else {}
    by_level: dict[str, Callable[[str], list[str]]] = {
        "header": lambda name: preferences.values_of(headers, name),
        "meta": lambda name: [content for key, content in metas if key == name],
    }
    for source, values in by_level.items():
        reservation = preferences.tdm_reservation(values("tdm-reservation"))
        if reservation is not None:
            found |= {"reservation": reservation, "source": source}
        policies = [policy.strip() for policy in values("tdm-policy") if policy.strip()]
        if policies:
            found["policy"] = policies[-1]
    return found


def _hold(signal: Mapping[str, str], directives: set[str]) -> str | None:
    if signal.get("ai-input") == "no":
        return "ai-input=no"
    if signal.get("use") == "immediate":
        return "use=immediate"
    return "noai" if directives & _NO_AI else None
