"""The tags of HTML in one pass and linear time, without a tree: enough to find marks and metadata."""

import html
import re
from collections.abc import Iterator, Mapping

_NAME = re.compile(rb"/?[A-Za-z][^\s/>]*")
_ATTRIBUTE = re.compile(rb"""([^\s=/>"']++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"']++)))?+""")
_TAG_END = re.compile(rb"""[^>"'=]*+(?:(?:=\s*+(?:"[^"]*+"|'[^']*+')?+|["'])[^>"'=]*+)*+>""")
"""The rest of a tag: a `>` in a quoted value ends none. A quote that nothing closes is a character like another."""

_UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_ENDS = {
    name: re.compile(rb"</" + name + rb"(?=[\s/>]|\Z)", re.IGNORECASE)
    for name in (
        b"script", b"style", b"title", b"textarea", b"template", b"xmp", b"noframes", b"noembed", b"noscript",
        b"pre", b"code", b"samp", b"kbd", b"svg",
    )
}  # fmt: skip

RAW = frozenset({b"script", b"style", b"title", b"textarea", b"template", b"xmp", b"noframes", b"noembed"})
"""Elements whose content holds no tags (a template's are no part of the page)."""

TEXT = b""
"""The name under which `pieces` gives the text between tags."""


def readable(body: bytes) -> bytes:
    """The octets of a page with ASCII as ASCII and no byte order mark: a UTF-16 body that has one is decoded."""
    coding = _UTF16.get(body[:2])
    return body[2:].decode(coding, "replace").encode() if coding else body.removeprefix(b"\xef\xbb\xbf")


def pieces(body: bytes, closed: frozenset[bytes] = RAW) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Name in lower case, attributes as octets, and content of each tag; of text, `TEXT`, nothing and the text.

    Only the elements of `closed` have a content: all octets up to their end tag, or to the end of the body. The name
    of an end tag begins with `/`. Comments and declarations are left out.
    """
    at = 0
    while at < len(body):
        opening = body.find(b"<", at)
        if opening != at:
            yield TEXT, b"", body[at : opening if opening >= 0 else len(body)]
        if opening < 0:
            return
        if body.startswith(b"<!--", opening):
            # `<!-->` and `<!--->` are whole comments
            at = _after(body, b"-->", opening + 2)
            continue
        name = _NAME.match(body, opening + 1)
        if name is None:
            # a `<` that opens no tag is text; `<!doctype` and `<?xml` are neither
            at = _after(body, b">", opening) if body[opening + 1 : opening + 2] in (b"!", b"?") else opening + 1
            continue
        rest = _TAG_END.match(body, name.end())
        tag_end = at = rest.end() if rest else len(body)
        kind = name[0].lower()
        if kind in closed:
            close = _ENDS[kind].search(body, tag_end)
            at = close.start() if close else len(body)
        yield kind, body[name.end() : tag_end], body[tag_end:at]


def attributes(tag: bytes) -> Mapping[str, str]:
    """The attributes of a tag: names in lower case, values with their character references resolved; of two with one
    name, the first counts."""
    out: dict[str, str] = {}
    for found in _ATTRIBUTE.finditer(tag):
        value = next((group for group in found.groups()[1:] if group is not None), b"")
        out.setdefault(found[1].decode("latin-1").lower(), html.unescape(value.decode("utf-8", "replace")).strip())
    return out


def _after(body: bytes, mark: bytes, start: int) -> int:
    found = body.find(mark, start)
    return len(body) if found < 0 else found + len(mark)
