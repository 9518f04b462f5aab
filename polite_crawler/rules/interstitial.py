"""A short HTML page taken apart as far as the marks of bot protections need it."""

from collections.abc import Mapping
from dataclasses import dataclass

from polite_crawler.rules.tags import RAW, TEXT, attributes, pieces, readable

_EXAMPLES = frozenset({b"pre", b"code", b"textarea", b"template", b"xmp", b"samp", b"kbd"})
"""What a page shows as an example: nothing in it is a mark."""

_UNSEEN = frozenset({b"style", b"noscript", b"noembed", b"noframes", b"svg"})
_CLOSED = RAW | _EXAMPLES | _UNSEEN
_CODE_TYPES = ("javascript", "ecmascript", "module", "babel")
"""A script of another type is data: the words of an article as JSON, for one."""


@dataclass(frozen=True, slots=True)
class Interstitial:
    """The title, the inline scripts that run, the start tags (name and attributes, one of those that are the same), the
    visible text without its tags, and how many words it has with the title."""

    title: str
    scripts: tuple[bytes, ...]
    tags: tuple[tuple[str, Mapping[str, str]], ...]
    text: bytes
    words: int


def read_interstitial(body: bytes, *, most_words: int) -> Interstitial:
    """The parts of a page. Reading stops at `most_words` visible words: such a page is content."""
    title = ""
    scripts: list[bytes] = []
    tags: dict[tuple[bytes, bytes], Mapping[str, str]] = {}
    texts: list[bytes] = []
    words = 0
    for kind, tag, content in pieces(readable(body), _CLOSED):
        if kind == TEXT:
            texts.append(content)
            words += len(content.split())
            if words >= most_words:
                break
        elif not (kind in _EXAMPLES or kind in _UNSEEN or kind.startswith(b"/")):
            if (kind, tag) not in tags:
                tags[kind, tag] = attributes(tag)
            if kind == b"script" and _is_code(tags[kind, tag].get("type", "")):
                scripts.append(content)
            elif kind == b"title" and not title:
                title = " ".join(content.decode("utf-8", "replace").split())
                words += len(title.split())
    named = tuple((kind.decode("latin-1"), found) for (kind, _), found in tags.items())
    return Interstitial(title, tuple(scripts), named, b" ".join(texts), words)


def _is_code(script_type: str) -> bool:
    return not script_type or any(word in script_type.lower() for word in _CODE_TYPES)
