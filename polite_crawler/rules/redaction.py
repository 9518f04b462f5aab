"""What never reaches the disk: the secrets of URLs and heads, replaced by REDACTED; every other octet stays.

A place is `(where, n)`: the field that holds REDACTED, and for how many secrets it stands. No hash of a secret is
kept, because a hash of a short secret is the secret.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from urllib.parse import unquote

from polite_crawler.errors import BadOption
from polite_crawler.rules.secretfields import DEFAULT_SECRET_PARAMS, REDACTED, SECRET_HEADERS, Place, SecretFinder
from polite_crawler.rules.secretforms import SHORTEST, find_secrets, mask
from polite_crawler.rules.urls import is_http, origin, without_fragment

__all__ = [
    "DEFAULT_SECRET_PARAMS", "REDACTED", "SECRET_HEADERS", "Place", "RedactedHead", "RedactedUrl", "find_secrets",
    "has_secret", "is_record", "mask", "redact_request_head", "redact_response_head", "redact_url",
    "safe_referer", "secret_params", "secrets_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class RedactedUrl:
    """A URL that may be written, and what it had to lose."""

    url: str
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class RedactedHead:
    """The octets of a head that may be written, and what they had to lose."""

    head: bytes
    places: tuple[Place, ...] = ()


def secret_params(extra: Iterable[str] = ()) -> frozenset[str]:
    """The usual names and those of the option. Raises BadOption for a name that no query can hold."""
    names = frozenset(name.strip() for name in extra)
    bad = next((name for name in names if not name or re.search(r"[\s&=#]", name)), None)
    if bad is not None:
        raise BadOption(f"POLITE_SECRET_PARAMS: {bad!r} is no name of a query parameter")
    return DEFAULT_SECRET_PARAMS | names


def redact_url(url: str, params: frozenset[str] = DEFAULT_SECRET_PARAMS) -> RedactedUrl:
    """The URL with REDACTED for its user name, its password and each value of a secret parameter, in the query, in
    the fragment and in a URL that a parameter holds. A URL that holds none comes back as it is."""
    finder = SecretFinder(params)
    text = finder.url(url.translate(_BREAKS), "url")
    return RedactedUrl(text, finder.places) if finder.places else RedactedUrl(url)


def has_secret(url: str, params: frozenset[str] = DEFAULT_SECRET_PARAMS) -> bool:
    """Whether the record of the URL has a redacted part: such a URL is never answered from the store."""
    return bool(redact_url(url, params).places)


def is_record(url: str, params: frozenset[str] = DEFAULT_SECRET_PARAMS) -> bool:
    """Whether this is what was written down for a URL with a secret: REDACTED stands for each of its secrets, so it
    names no page."""
    redacted = redact_url(url, params)
    return bool(redacted.places) and redacted.url == url


def safe_referer(url: str, params: frozenset[str] = DEFAULT_SECRET_PARAMS) -> str | None:
    """The Referer that may be sent: the URL with no fragment, its origin when it holds a secret, None for no URL."""
    if not is_http(url):
        return None
    return origin(url) + "/" if has_secret(url, params) else without_fragment(url)


def redact_request_head(
    head: bytes, params: frozenset[str] = DEFAULT_SECRET_PARAMS, secrets: Sequence[str] = ()
) -> RedactedHead:
    """The head of a request with REDACTED for its secrets: those of the target and of Referer, Cookie, the
    credentials of Authorization (the scheme stays), the fields of SECRET_HEADERS, URLs in other fields, and each
    known secret of `secrets` anywhere. Every other octet stays."""
    return _redact_head(head, "request", params, secrets)


def redact_response_head(
    head: bytes, params: frozenset[str] = DEFAULT_SECRET_PARAMS, secrets: Sequence[str] = ()
) -> RedactedHead:
    """The head of a response with REDACTED for its secrets: the values of Set-Cookie (names and attributes stay),
    the URLs of Location, Content-Location, Link, Refresh and other fields, the fields of SECRET_HEADERS, and each
    known secret of `secrets` anywhere. Every other octet stays."""
    return _redact_head(head, "response", params, secrets)


def secrets_of(
    *,
    urls: Iterable[str] = (),
    request_head: bytes = b"",
    response_head: bytes = b"",
    params: frozenset[str] = DEFAULT_SECRET_PARAMS,
) -> tuple[str, ...]:
    """The secrets that an exchange is known to hold, as written and percent-decoded, the longest first: what to look
    for in its body.

    Values with fewer than 6 characters are left out, and cookies that look like a word or a number (a language, a
    consent) too: they would hide the words of the page.
    """
    finder = SecretFinder(params)
    for url in urls:
        finder.url(url.translate(_BREAKS), "url")
    for head, side in ((request_head, "request"), (response_head, "response")):
        for _, name, value, _ in _lines(head):
            finder.field(side, name, _unfolded(value))
    spelled = {text for value in finder.secrets for text in (value, unquote(value)) if len(text) >= SHORTEST}
    return tuple(sorted(spelled - {REDACTED}, key=lambda text: (-len(text), text)))


_BREAKS = {9: None, 10: None, 13: None}
_FIELD = re.compile(rb"([^:\r\n]*):[ \t]*")
_FOLD = re.compile(r"[\r\n]+[ \t]*")
# a bare CR in front of a field name ends a line for some parsers
_UNUSUAL = re.compile(rb"(?<!\r)\n|\r(?!\n)|\r\n[ \t]")
_BARE_CR = re.compile(rb"(?<=\r)(?=[!-9;-~]+[ \t]*:)")


def _redact_head(head: bytes, side: str, params: frozenset[str], secrets: Sequence[str]) -> RedactedHead:
    if not secrets and _is_plain(head, side, params):
        return RedactedHead(head)
    finder = SecretFinder(params)
    out = bytearray()
    for lead, name, value, end in _lines(head):
        before = finder.replaced
        text = finder.field(side, name, _unfolded(value))
        out += lead
        out += (value if finder.replaced == before else text).encode("latin-1", "replace")
        out += end
    known = find_secrets(bytes(out), secrets) if secrets else ()
    for start, length in reversed(known):
        out[start : start + length] = REDACTED.encode()
    places = (*finder.places, (f"{side}.head", len(known))) if known else finder.places
    return RedactedHead(bytes(out), places)


def _is_plain(head: bytes, side: str, params: frozenset[str]) -> bool:
    """Whether a head in the ordinary form (CRLF, nothing folded) holds no secret. Most lines are those of the head
    before, so they are looked at once."""
    if _UNUSUAL.search(head):
        return False
    first, *fields = head.split(b"\r\n")
    return _is_clean(first, side, params, False) and all(
        (_is_known_clean if len(line) <= _SHORT_LINE else _is_clean)(line, side, params, True) for line in fields
    )


def _is_clean(line: bytes, side: str, params: frozenset[str], named: bool) -> bool:
    finder = SecretFinder(params)
    field = _FIELD.match(line) if named else None
    name = field[1].strip().lower().decode("latin-1") if field else ""
    finder.field(side, name, line[field.end() if field else 0 :].decode("latin-1"))
    return not finder.replaced and not finder.places


_SHORT_LINE = 300
_is_known_clean = lru_cache(maxsize=4096)(_is_clean)


def _lines(head: bytes) -> Iterator[tuple[bytes, str, str, bytes]]:
    """The lines of a head with the folded ones joined: what stands before the value, the name in lower case (empty
    for the first line), the value as Latin-1 text, and the line end."""
    named = False
    for line in _logical_lines(head):
        body = line.rstrip(b"\r\n")
        end = line[len(body) :]
        field = _FIELD.match(body) if named else None
        named = True
        lead = field[0] if field else b""
        name = field[1].strip().lower().decode("latin-1") if field else ""
        yield lead, name, body[len(lead) :].decode("latin-1"), end


def _unfolded(value: str) -> str:
    return _FOLD.sub(" ", value) if "\n" in value or "\r" in value else value


def _logical_lines(head: bytes) -> Iterator[bytes]:
    lines = re.findall(rb"[^\n]*\n|[^\n]+", head)
    starts, at = [], 0
    for index, line in enumerate(lines):
        if index < 2 or line[:1] not in (b" ", b"\t"):
            starts.append(at)
        at += len(line)
    for start, end in pairwise([*starts, at]):
        line = head[start:end]
        if line.find(b"\r", 0, -2) < 0:
            yield line
        else:
            yield from _BARE_CR.split(line)
