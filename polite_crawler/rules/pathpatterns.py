"""Patterns of paths as robots.txt writes them (RFC 9309 section 2.2.2 and 2.2.3): a prefix, `*`, and `$` at the end."""

import re
from typing import Self

from polite_crawler.rules.urls import is_http, request_target, without_fragment

_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

_PLAIN = re.compile(rb"[A-Za-z0-9._~/?&=-]*").fullmatch
_PLAIN_PATTERN = re.compile(rb"[A-Za-z0-9._~/?&=*-]*").fullmatch
_OCTET = re.compile(rb"%([0-9A-Fa-f]{2})|[^A-Za-z0-9._~/?&=-]")
_STARS = re.compile(rb"\*+")
_ANY_AUTHORITY = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/?]*")


class PathPattern:
    """A pattern in the form in which octets are compared, and how specific it is.

    `octets` is the length that decides between two matching rules: one for each ASCII octet, `*` and the last `$`,
    three for each kept `%XX` and each octet outside ASCII. Matching takes time linear in the target, for any number
    of `*`.
    """

    __slots__ = ("_parts", "anchored", "octets", "wild")

    def __init__(self, parts: tuple[bytes, ...], octets: int, anchored: bool) -> None:
        self._parts = parts
        self.octets = octets
        self.anchored = anchored
        self.wild = len(parts) > 1

    @classmethod
    def of(cls, value: bytes) -> Self:
        """The pattern of the value of a rule, as its author wrote it."""
        anchored = value.endswith(b"$")
        pattern, octets = _compared(value[:-1] if anchored else value, pattern=True)
        parts = tuple(_STARS.sub(b"*", pattern).split(b"*")) if b"*" in pattern else (pattern,)
        return cls(parts, octets + anchored, anchored)

    @property
    def prefix(self) -> bytes:
        """What each matching target begins with."""
        return self._parts[0]

    def matches(self, target: bytes) -> bool:
        """Whether the pattern matches a target in its compared form."""
        parts = self._parts
        if not target.startswith(parts[0]):
            return False
        at = len(parts[0])
        if not self.wild:
            return not self.anchored or len(target) == at
        for part in parts[1:-1]:
            at = target.find(part, at)
            if at < 0:
                return False
            at += len(part)
        last = parts[-1]
        if self.anchored:
            return len(target) - len(last) >= at and target.endswith(last)
        return target.find(last, at) >= 0


def compared_target(url: str) -> bytes:
    """Path and query of a URL in the form in which they are compared with patterns.

    What is compared is what is sent: dot segments are resolved and a backslash is a slash. A reference without a host
    is read as a path.
    """
    text = request_target(url) if is_http(url) else _any_target(url)
    return _compared(text.encode("utf-8", "replace"), pattern=False)[0]


def compared_url(url: str) -> bytes:
    """A whole URL, without its fragment, in the form in which it is compared with patterns."""
    return _compared(without_fragment(url).encode("utf-8", "replace"), pattern=False)[0]


def _any_target(url: str) -> str:
    text = without_fragment(url)
    authority = _ANY_AUTHORITY.match(text)
    rest = text[authority.end() :] if authority else text
    return rest if rest.startswith("/") else "/" + rest


def _compared(raw: bytes, *, pattern: bool) -> tuple[bytes, int]:
    """RFC 9309 section 2.2.2: unreserved octets decoded, all others but `/ ? & =` (and `*` of a pattern) as `%XX`.

    One form for path and query, because a pattern with `*` does not know in which of the two it matches.
    """
    if _PLAIN(raw) or (pattern and _PLAIN_PATTERN(raw)):
        return raw, len(raw)
    extra = 0

    def one(found: re.Match[bytes]) -> bytes:
        nonlocal extra
        if found[1] is not None:
            octet = int(found[1], 16)
            return bytes((octet,)) if octet in _UNRESERVED else b"%%%02X" % octet
        octet = found[0][0]
        if pattern and octet == 0x2A:
            return b"*"
        if octet < 0x80:
            extra -= 2
        return b"%%%02X" % octet

    text = _OCTET.sub(one, raw)
    return text, len(text) + extra
