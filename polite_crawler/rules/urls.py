"""URLs: the normal form (document id and fingerprint), host keys, origins and links.

Parsing follows the WHATWG URL Standard for http and https (what browsers do with white space, backslashes and odd
hosts); the normal form follows RFC 3986 section 6.2 and drops what does not name another page.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from urllib.parse import quote_from_bytes, unquote

from polite_crawler.errors import BadOption
from polite_crawler.rules.hostnames import ascii_host
from polite_crawler.rules.secretfields import SecretFinder

TRACKING_PARAMS: tuple[str, ...] = (
    "utm_*", "gclid", "dclid", "gbraid", "wbraid", "gad_source", "gclsrc", "fbclid", "msclkid", "yclid", "ysclid",
    "twclid", "ttclid", "li_fat_id", "igshid", "mc_eid", "mc_cid", "mkt_tok", "_hsenc", "_hsmi", "vero_id",
    "oly_enc_id", "oly_anon_id", "srsltid",
)  # fmt: skip
"""Query parameters that name a click or a campaign, never a page. A last `*` stands for any rest of the name."""

_PREFIXES = tuple(name[:-1] for name in TRACKING_PARAMS if name.endswith("*"))
_NAMES = frozenset(name for name in TRACKING_PARAMS if not name.endswith("*"))

_DEFAULT_PORTS = {"http": 80, "https": 443}
_EDGE = "".join(map(chr, range(0x21)))
_BREAKS = {9: None, 10: None, 13: None}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_AUTHORITY_END = re.compile(r"[/\\?#]")
# RFC 3986 2.2 and 2.3: the octets that a URI may hold as they are
_KEPT_IN_PATH = "!$&'()*+,;=:@/[]%"
_KEPT_IN_QUERY = _KEPT_IN_PATH + "?"
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_DOTS = {".": 1, "%2e": 1, "..": 2, ".%2e": 2, "%2e.": 2, "%2e%2e": 2}
# what is in its normal form by its looks: the usual case, with no parsing
_PLAIN = re.compile(
    r"https?://[a-z][a-z0-9-]*(?:\.[a-z][a-z0-9-]*)*/(?:[A-Za-z0-9_~-]+(?:\.[A-Za-z0-9_~-]+)*(?:/|$))*"
).fullmatch


@dataclass(frozen=True, slots=True)
class _Parts:
    scheme: str
    userinfo: str
    host: str
    port: int | None
    path: str
    query: str | None
    fragment: str | None

    @property
    def authority(self) -> str:
        return self.host if self.port is None else f"{self.host}:{self.port}"

    def text(self) -> str:
        userinfo = self.userinfo + "@" if self.userinfo else ""
        query = "" if self.query is None else "?" + self.query
        fragment = "" if self.fragment is None else "#" + self.fragment
        return f"{self.scheme}://{userinfo}{self.authority}{self.path}{query}{fragment}"


def normalize(url: str) -> str:
    """The normal form of an http(s) URL: two URLs with one normal form are one document and one request.

    Scheme and host are lower case, the host is an A-label with no trailing dot, the default port, user name,
    password, fragment, tracking parameters and an empty query are dropped, dot segments are resolved, `%XX` of
    unreserved characters is decoded and other escapes are upper case, an empty path is `/`. The order of the query
    stays. The function is idempotent. Raises BadOption for what is no http(s) URL.
    """
    return url if _PLAIN(url) else _normal(url)


def normal_or_none(url: str) -> str | None:
    """The normal form, or None for what is no http(s) URL."""
    try:
        return normalize(url)
    except BadOption:
        return None


def check(url: object) -> str:
    """A URL that somebody asks for, as it is. Raises BadOption for what is no http(s) URL, and for octets of a command
    line that are no UTF-8: a link of a page may hold such a letter, but nobody can mean the URL that would be sent."""
    if not isinstance(url, str):
        raise BadOption(f"bad URL {url!r}: it is no text")
    if _SURROGATE.search(url):
        raise _bad(url, "it is no UTF-8 text; write other octets as %XX")
    normalize(url)
    return url


def doc_id(url: str) -> str:
    """The id of the document of a URL: `url:` and the normal form. Raises BadOption."""
    return "url:" + normalize(url)


def url_of_doc(doc: str) -> str | None:
    """The normal form of the URL that a document id or a bare URL names; None for an id with another prefix."""
    return normal_or_none(doc.removeprefix("url:"))


def host_key(url: str) -> str:
    """The host that politeness counts by: lower case, A-label, no trailing dot, no port; an IPv6 address without
    brackets. It comes from the URL alone. Raises BadOption.
    """
    return _parse(url).host.strip("[]")


def origin(url: str) -> str:
    """Scheme, host and port (RFC 6454), as `https://site.example:8443`; a default port is not written.

    Raises BadOption.
    """
    parts = _parse(url)
    return f"{parts.scheme}://{parts.authority}"


def is_http(url: str) -> bool:
    """Whether the text is an absolute http or https URL with a host."""
    try:
        _parse(url)
    except BadOption:
        return False
    return True


def same_site(a: str, b: str) -> bool:
    """Whether two URLs are on one site: one host, or the host and its `www.` form. False for what is no URL."""
    try:
        return bare_host(host_key(a)) == bare_host(host_key(b))
    except BadOption:
        return False


def bare_host(host: str) -> str:
    """A host key without its leading `www.`."""
    rest = host.removeprefix("www.")
    return rest if "." in rest else host


def absolute(base: str, href: str) -> str | None:
    """The absolute http(s) URL of a reference on a page, its fragment kept; None when it has another scheme or is
    not valid. Octets that a URI cannot hold are percent-encoded, all others stay as the page wrote them.
    """
    try:
        return _resolve(base, href).text()
    except BadOption:
        return None


def without_space(url: str) -> str:
    """The URL without white space, which ends a URL where several stand in one text: what is inside of it is
    percent-encoded. A URL that has none stays as it is. Raises BadOption, as `check` does.
    """
    parts = _parse(check(url))
    words = url.split()
    return words[0] if len(words) == 1 else parts.text()


def request_target(url: str) -> str:
    """The origin-form target of the request line (RFC 9112 section 3.2.1): path and query in ASCII, with no space.

    Nothing but the fragment is dropped. Raises BadOption.
    """
    parts = _parse(url)
    return parts.path if parts.query is None else f"{parts.path}?{parts.query}"


def without_fragment(url: str) -> str:
    """The text up to the first `#`."""
    return url.partition("#")[0]


def query_params(url: str) -> tuple[tuple[str, str], ...]:
    """The names and values of the query in sequence, percent-decoded (`+` stays). Raises BadOption."""
    query = _parse(url).query
    pairs = (piece.partition("=") for piece in (query or "").split("&") if piece)
    return tuple((unquote(name), unquote(value)) for name, _, value in pairs)


def path_segments(url: str) -> tuple[str, ...]:
    """The segments of the path, as written, without empty ones. Raises BadOption."""
    return tuple(segment for segment in _parse(url).path.split("/") if segment)


@lru_cache(maxsize=8192)
def _normal(url: str) -> str:
    parts = _parse(url)
    path = _canonical_escapes(parts.path)
    query = _without_tracking(_canonical_escapes(parts.query or ""))
    return replace(parts, userinfo="", path=path, query=query or None, fragment=None).text()


def _without_tracking(query: str) -> str:
    pieces = query.split("&")
    kept = [piece for piece in pieces if not _is_tracking(unquote(piece.partition("=")[0]).lower())]
    return "&".join(kept)


def _is_tracking(name: str) -> bool:
    return name in _NAMES or name.startswith(_PREFIXES)


def _canonical_escapes(text: str) -> str:
    """One spelling for each octet: unreserved as itself, reserved as written, all others as upper-case `%XX`."""
    text = _ESCAPE.sub(_one_escape, text) if "%" in text else text
    # a URI may hold brackets only around an IPv6 address: some clients send them in a path, some their `%XX`
    return text.replace("[", "%5B").replace("]", "%5D")


def _one_escape(match: re.Match[str]) -> str:
    if match[1] is None:
        return "%25"
    char = chr(int(match[1], 16))
    return char if char in _UNRESERVED else "%" + match[1].upper()


@lru_cache(maxsize=2048)
def _parse(url: str) -> _Parts:
    text = _cleaned(url)
    scheme = _SCHEME.match(text)
    if scheme is None or scheme[1].lower() not in _DEFAULT_PORTS:
        bare = text and (scheme is None or text[scheme.end() :][:1].isdigit())
        raise _bad(url, "only absolute http and https URLs are fetched" + ("; begin it with https://" if bare else ""))
    return _with_authority(url, scheme[1].lower(), text[scheme.end() :].lstrip("/\\"))


def _resolve(base: str, href: str) -> _Parts:
    """RFC 3986 section 5.2.2, with the WHATWG rules for http: a reference that repeats the scheme of the base and
    has no `//` is relative to it."""
    text = _cleaned(href)
    scheme = _SCHEME.match(text)
    if scheme is not None:
        name = scheme[1].lower()
        rest = text[scheme.end() :]
        if name not in _DEFAULT_PORTS:
            raise _bad(href, "not an http or https URL")
        if rest[:2].replace("\\", "/") == "//" or name != _parse(base).scheme:
            return _with_authority(href, name, rest.lstrip("/\\"))
        text = rest
    onto = _parse(base)
    if text[:2].replace("\\", "/") == "//":
        return _with_authority(href, onto.scheme, text.lstrip("/\\"))
    path, query, fragment = _split(text)
    if not path:
        return replace(onto, query=onto.query if query is None else query, fragment=fragment)
    if path[0] != "/":
        path = onto.path[: onto.path.rfind("/") + 1] + path
    return replace(onto, path=_without_dots(path), query=query, fragment=fragment)


def _with_authority(url: str, scheme: str, rest: str) -> _Parts:
    end = _AUTHORITY_END.search(rest)
    authority, tail = (rest[: end.start()], rest[end.start() :]) if end else (rest, "")
    userinfo, at, host_port = authority.rpartition("@")
    host, port = _host_and_port(url, host_port)
    path, query, fragment = _split(tail)
    return _Parts(
        scheme=scheme,
        userinfo=_quoted(userinfo, "!$&'()*+,;=:%") if at else "",
        host=host,
        port=None if port == _DEFAULT_PORTS[scheme] else port,
        path=_without_dots(path or "/"),
        query=query,
        fragment=fragment,
    )


def _host_and_port(url: str, text: str) -> tuple[str, int | None]:
    host, colon, port = text.rpartition(":")
    if not colon or "]" in port:
        host, port = text, ""
    if port and not (port.isascii() and port.isdigit() and len(port) <= 20 and int(port) < 65536):
        raise _bad(url, "the port is no number from 0 to 65535")
    try:
        return ascii_host(host), int(port) if port else None
    except BadOption as error:
        raise _bad(url, str(error)) from None


def _split(tail: str) -> tuple[str, str | None, str | None]:
    """Path, query and fragment of what follows the authority, each percent-encoded; None where it is absent."""
    tail, hash_mark, fragment = tail.partition("#")
    path, mark, query = tail.partition("?")
    return (
        _quoted(path.replace("\\", "/"), _KEPT_IN_PATH),
        _quoted(query, _KEPT_IN_QUERY) if mark else None,
        _quoted(fragment, _KEPT_IN_QUERY) if hash_mark else None,
    )


def _quoted(text: str, kept: str) -> str:
    return quote_from_bytes(text.encode("utf-8"), safe=kept)


def _without_dots(path: str) -> str:
    """Dot segments resolved (RFC 3986 section 5.2.4; `%2e` is a dot, as in WHATWG)."""
    if "." not in path and "%2" not in path:
        return path
    out: list[str] = []
    segments = path.split("/")[1:]
    for index, segment in enumerate(segments):
        dots = _DOTS.get(segment.lower())
        if dots == 2 and out:
            out.pop()
        if dots is None:
            out.append(segment)
        elif index == len(segments) - 1:
            out.append("")
    return "/" + "/".join(out)


def _cleaned(url: str) -> str:
    """Without the white space that browsers drop: controls and spaces at the edges, tab and line ends anywhere."""
    return _SURROGATE.sub("�", url.strip(_EDGE).translate(_BREAKS))


_SURROGATE = re.compile("[\ud800-\udfff]")
_USERINFO = re.compile(r"^((?:[^/\\?#@]*:)?[/\\]+)?[^/\\?#]*@")


def _bad(url: str, why: str) -> BadOption:
    """The error that shows a URL without its user name, its password and its secret parameters. What is no URL may
    still hold them, also where no scheme stands before them."""
    shown = _SURROGATE.sub("�", url.strip(_EDGE).translate(_BREAKS))
    shown = _USERINFO.sub(lambda found: found[1] or "", shown)
    return BadOption(f"bad URL {SecretFinder().url(shown, 'url')[:200]!r}: {why}")
