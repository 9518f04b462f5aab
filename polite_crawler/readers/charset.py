"""The character encoding of a body, in the order that browsers use, and its text.

Source: https://html.spec.whatwg.org/ 13.2.3.2 (determining the character encoding) and https://mimesniff.spec.whatwg.org/
"""

import re
from dataclasses import dataclass
from typing import Literal

import webencodings

from polite_crawler.readers.decoders import decode_as

Source = Literal["bom", "http", "meta", "xml", "late-meta", "content", "default"]

PRESCAN = 1024
"""The octets that the standard looks at before it parses."""
LATE_PRESCAN = 256 * 1024
"""The octets in which a late declaration is looked for, when the body is not UTF-8."""

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_CHARSET = re.compile(r"""(?i)(?:^|[;,\s])charset\s*=\s*(?:"([^"]*)"?|'([^']*)'|([^\s;,"']+))""")
_XML = re.compile(rb"""<\?xml\s[^>]*?encoding\s*=\s*["']([^"'<>&\s]+)["'][^>]*>""")
_SPACE = b"\t\n\x0c\r "
_CONTENT_CHARSET = re.compile(
    rb"""charset[\t\n\x0c\r ]*=[\t\n\x0c\r ]*(?:"([^"]*)"|'([^']*)'|([^"'\t\n\x0c\r ;][^\t\n\x0c\r ;]*))"""
)
_MARKUP_TYPES = re.compile(r"(?:text/html|application/xhtml\+xml|[\w.+-]+/(?:[\w.-]+\+)?xml)$")


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a body without its byte order mark. `encoding` is a WHATWG name in lower case.

    `source` is what named it: a byte order mark, the HTTP header, a meta element in the first 1,024 octets, an XML
    declaration, a later meta element (`late-meta`), the octets themselves (`content`: valid UTF-8), or nothing
    (`default`: windows-1252).
    """

    text: str
    encoding: str
    source: Source


def decode(body: bytes, content_type: str | None) -> Decoded:
    """Decode a body. `content_type` is the value of its Content-Type header, or None. Never an error: an octet
    sequence that is not valid becomes U+FFFD, as in a browser.
    """
    encoding, source = detect(body, content_type)
    text = decode_as(body, encoding)
    return Decoded(text.removeprefix("\ufeff"), encoding, source)


def detect(body: bytes, content_type: str | None) -> tuple[str, Source]:
    """The encoding of a body and what named it."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return name, "bom"
    essence, label = parse_content_type(content_type)
    name_of_header = encoding_of_label(label)
    if name_of_header is not None:
        return name_of_header, "http"
    if essence == "" or _MARKUP_TYPES.match(essence):
        found = _declared(body, markup=essence in ("", "text/html", "application/xhtml+xml"))
        if found is not None:
            return found
    if _is_utf_8(body) and (not body.isascii() or essence in _UTF_8_TYPES or essence.endswith(("/xml", "+xml"))):
        return "utf-8", "content"
    if essence in ("", "text/html"):
        late = prescan(body, LATE_PRESCAN)
        if late is not None:
            return late, "late-meta"
    return "windows-1252", "default"


_UTF_8_TYPES = frozenset({"application/json", "application/ld+json", "application/feed+json", "text/javascript"})


def parse_content_type(value: str | None) -> tuple[str, str | None]:
    """The MIME type in lower case ("" when there is none) and the charset parameter of a Content-Type value."""
    if not value:
        return "", None
    essence, _, parameters = value.partition(";")
    match = _CHARSET.search(parameters)
    label = next((group for group in match.groups() if group is not None), None) if match else None
    return essence.strip().lower(), label


def encoding_of_label(label: str | bytes | None) -> str | None:
    """The WHATWG name of an encoding label, or None when no encoding has it."""
    if label is None:
        return None
    if isinstance(label, bytes):
        label = label.decode("latin-1")
    found = webencodings.lookup(label)  # type: ignore[no-untyped-call]
    return str(found.name) if found is not None else None


def _is_utf_8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        # A body that was cut in the middle of a character is still UTF-8.
        return error.reason == "unexpected end of data" and error.start > 0
    return True


def _declared(body: bytes, *, markup: bool) -> tuple[str, Source] | None:
    head = body[:PRESCAN]
    if head.startswith(b"<\x00?\x00x\x00"):
        return "utf-16le", "xml"
    if head.startswith(b"\x00<\x00?\x00x"):
        return "utf-16be", "xml"
    found = prescan(head) if markup else None
    if found is not None:
        return found, "meta"
    match = _XML.match(head.lstrip(_SPACE))
    name = _not_utf_16(encoding_of_label(match.group(1))) if match else None
    return (name, "xml") if name is not None else None


def _not_utf_16(name: str | None) -> str | None:
    """A declaration that was read as ASCII cannot be UTF-16."""
    if name in ("utf-16le", "utf-16be"):
        return "utf-8"
    return "windows-1252" if name == "x-user-defined" else name


def prescan(body: bytes, limit: int = PRESCAN) -> str | None:
    """The encoding that a meta element in the first `limit` octets names, or None ("prescan a byte stream")."""
    head = body[:limit]
    try:
        return _scan(head)
    except IndexError:
        # The octets ended within a tag.
        return None


def _scan(head: bytes) -> str | None:
    at = 0
    while (at := head.find(b"<", at)) >= 0:
        if head.startswith(b"<!--", at):
            at = _after(head, b"-->", at + 2)
        elif head[at : at + 5].lower() == b"<meta" and head[at + 5] in b"\t\n\x0c\r /":
            attributes, at = _attributes(head, at + 5)
            name = _meta_encoding(attributes)
            if name is not None:
                return name
        elif head[at + 1 : at + 2].isalpha() or (head[at + 1] == 0x2F and head[at + 2 : at + 3].isalpha()):
            while head[at] not in b"\t\n\x0c\r >":
                at += 1
            _, at = _attributes(head, at)
        elif head[at + 1] in b"!/?":
            at = _after(head, b">", at)
        else:
            at += 1
    return None


def _after(head: bytes, mark: bytes, at: int) -> int:
    found = head.find(mark, at)
    if found < 0:
        raise IndexError
    return found + len(mark)


def _attributes(head: bytes, at: int) -> tuple[dict[bytes, bytes], int]:
    """The attributes of a tag (the first of each name counts) and the position of what ended them."""
    found: dict[bytes, bytes] = {}
    while True:
        while head[at] in b"\t\n\x0c\r /":
            at += 1
        if head[at] == 0x3E:
            return found, at
        name, value, at = _attribute(head, at)
        found.setdefault(name.lower(), value.lower())


def _attribute(head: bytes, at: int) -> tuple[bytes, bytes, int]:
    start = at
    while head[at] not in b"\t\n\x0c\r />" and (head[at] != 0x3D or at == start):
        at += 1
    name = head[start:at]
    while head[at] in _SPACE:
        at += 1
    if head[at] != 0x3D:
        return name, b"", at
    at += 1
    while head[at] in _SPACE:
        at += 1
    quote = head[at]
    if quote in b"\"'":
        end = head.index(quote, at + 1) if head.find(quote, at + 1) >= 0 else len(head)
        head[end]  # an open quote at the end is no attribute
        return name, head[at + 1 : end], end + 1
    start = at
    while head[at] not in b"\t\n\x0c\r >":
        at += 1
    return name, head[start:at], at


def _meta_encoding(attributes: dict[bytes, bytes]) -> str | None:
    if b"charset" in attributes:
        return _not_utf_16(encoding_of_label(attributes[b"charset"]))
    if attributes.get(b"http-equiv") != b"content-type":
        return None
    match = _CONTENT_CHARSET.search(attributes.get(b"content", b""))
    if match is None:
        return None
    return _not_utf_16(encoding_of_label(next(group for group in match.groups() if group is not None)))
