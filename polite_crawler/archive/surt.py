"""SURT keys: a URL with its host turned around, so that an index sorts by site (`com,example)/path?query`).

The rules are those of the replay tools (the canonicalizer of the Internet Archive): the scheme, a leading `www.`, the
default port, the user name and session ids go; path and query are lower case, and the query is sorted.
"""

import re
from urllib.parse import quote_from_bytes, unquote_to_bytes

_URL = re.compile(rb"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#]*)([^?#]*)(\?[^#]*)?", re.S)
_PORT = re.compile(rb"(.*?):(\d*)", re.S)
_WWW = re.compile(rb"www\d*\.")
_SAFE = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"
_PORTS = {b"http": b"80", b"https": b"443"}
_ASPX = (
    re.compile(rb"(.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/([^?]+\.aspx.*)", re.I | re.S),
    re.compile(rb"(.*/)\([0-9a-z]{24}\)/([^?]+\.aspx.*)", re.I | re.S),
)
_SESSIONS = tuple(
    re.compile(rb"(.*)(?:" + name + rb")(?:&(.*))?", re.I | re.S)
    for name in (
        rb"jsessionid=[0-9a-z]{32}",
        rb"phpsessid=[0-9a-z]{32}",
        rb"sid=[0-9a-z]{32}",
        rb"aspsessionid[a-z]{8}=[a-z]{24}",
        rb"cfid=[^&]+&cftoken=[^&]+",
    )
)


def surt(url: str) -> str:
    """The key of an absolute URL with an authority; another text comes back in lower case. A key holds no space."""
    found = _URL.match(url.strip().encode("utf-8", "replace"))
    if found is None:
        return quote_from_bytes(url.strip().lower().encode("utf-8", "replace"), safe=_SAFE + "%")
    scheme, authority, path, query = found.groups()
    key = _host(scheme.lower(), authority.rpartition(b"@")[2]) + ")" + _path(path)
    shown = _query(query[1:]) if query else ""
    return f"{key}?{shown}" if shown else key


def _host(scheme: bytes, host_port: bytes) -> str:
    found = _PORT.fullmatch(host_port) if not host_port.endswith(b"]") else None
    host, port = (found[1], found[2]) if found else (host_port, b"")
    host = _unescaped(host).lower().replace(b"..", b".").strip(b".").strip(b"[]")
    host = host[match.end() :] if (match := _WWW.match(host)) else host
    name = ",".join(_escaped(label) for label in reversed(host.split(b".")))
    return name if port in (b"", _PORTS.get(scheme)) else f"{name}:{port.decode()}"


def _path(path: bytes) -> str:
    segments: list[bytes] = []
    for segment in _unescaped(path).split(b"/")[1:]:
        if segment == b".." and segments:
            segments.pop()
        elif segment != b".":
            segments.append(segment)
    path = _escaped(b"/" + b"/".join(filter(None, segments))).lower().encode()
    for pattern in _ASPX:
        if found := pattern.fullmatch(path):
            path = found[1] + found[2]
    return path.decode()


def _query(query: bytes) -> str:
    text = _escaped(_unescaped(query)).encode()
    for pattern in _SESSIONS:
        if found := pattern.fullmatch(text):
            text = found[1] + (found[2] or b"")
    pairs = sorted(tuple(piece.split(b"=", 1)) for piece in text.lower().split(b"&"))
    return b"&".join(b"=".join(pair) for pair in pairs).decode()


def _unescaped(octets: bytes) -> bytes:
    while (shorter := unquote_to_bytes(octets)) != octets:
        octets = shorter
    return octets


def _escaped(octets: bytes) -> str:
    return quote_from_bytes(octets, safe=_SAFE)
