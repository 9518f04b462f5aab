"""A short HTML page taken apart as far as the marks of bot protections need it: no tree, one pass, linear time."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_NAME = re.compile(rb"/?[A-Za-z][^\s/>]*")
_ATTRIBUTE = re.compile(rb"""([^\s=/>"']++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"']++)))?+""")
_QUOTED_CODE = frozenset({b"pre", b"code", b"textarea", b"template", b"xmp", b"samp", b"kbd"})
"""What a page shows as an example: nothing in it is a mark."""

_UNSEEN = frozenset({b"style", b"noscript", b"noembed", b"noframes", b"svg"})
_ENDS = {
    name: re.compile(rb"</" + name + rb"(?=[\s/>]|$)", re.IGNORECASE)
    for name in (*_QUOTED_CODE, *_UNSEEN, b"script", b"title")
}
_UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


@dataclass(frozen=True, slots=True)
class Interstitial:
    """The title, the inline scripts, the start tags (name and attributes in lower case, values as written), the
    visible text without its tags, and how many words it has."""

    title: str
    scripts: tuple[bytes, ...]
    tags: tuple[tuple[str, Mapping[str, str]], ...]
    text: bytes
    words: int


def read_interstitial(body: bytes, *, most_words: int) -> Interstitial:
    """The parts of a page. Reading stops at `most_words` visible words: such a page is content."""
    if body[:2] in _UTF16:
        body = body.decode(_UTF16[body[:2]], "replace").encode()
    title = ""
    scripts: list[bytes] = []
    tags: list[tuple[str, Mapping[str, str]]] = []
    texts: list[bytes] = []
    words = 0
    for kind, content, tag in _pieces(body):
        if kind == b"text":
            words += len(content.split())
            texts.append(content)
            if words >= most_words:
                break
            continue
        tags.append((kind.decode("latin-1"), _attributes(tag)))
        if kind == b"script":
            scripts.append(content)
        elif kind == b"title" and not title:
            title = " ".join(content.decode("utf-8", "replace").split())
            words += len(title.split())
    return Interstitial(title, tuple(scripts), tuple(tags), b" ".join(texts), words)


def _pieces(body: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    """`text` and its octets, or the name of an element, the raw content of a script or a title, and its start tag."""
    at = 0
    while at < len(body):
        opening = body.find(b"<", at)
        if opening != at:
            yield b"text", body[at : opening if opening >= 0 else len(body)], b""
        if opening < 0:
            return
        if body.startswith(b"<!--", opening):
            at = _after(body, b"-->", opening + 4)
            continue
        name = _NAME.match(body, opening + 1)
        if name is None:
            # a `<` that opens no tag is text, `<!doctype` and `<?xml` are neither
            at = _after(body, b">", opening) if body[opening + 1 : opening + 2] in (b"!", b"?") else opening + 1
            continue
        tag_end = _after(body, b">", name.end())
        kind = name[0].lower()
        end = _ENDS.get(kind)
        if end is None:
            at = tag_end
        else:
            close = end.search(body, tag_end)
            at = close.start() if close else len(body)
        if kind not in _QUOTED_CODE and kind not in _UNSEEN and not kind.startswith(b"/"):
            content = body[tag_end:at] if end is not None else b""
            yield kind, content, body[name.end() : tag_end]


def _after(body: bytes, mark: bytes, start: int) -> int:
    found = body.find(mark, start)
    return len(body) if found < 0 else found + len(mark)


def _attributes(tag: bytes) -> Mapping[str, str]:
    out: dict[str, str] = {}
    for found in _ATTRIBUTE.finditer(tag):
        value = next((group for group in found.groups()[1:] if group is not None), b"")
        out.setdefault(found[1].decode("latin-1").lower(), value.decode("utf-8", "replace").strip())
    return out
