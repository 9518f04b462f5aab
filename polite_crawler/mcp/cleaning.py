"""What leaves the server: strings that every client can read, and URLs as plain ASCII.

A lone surrogate in an answer would end the whole connection, so every string passes here.
"""

import re
from typing import Any, Final
from urllib.parse import quote

import idna

MAX_URL: Final = 2048
"""Characters of the longest URL or document id in an answer."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_CONTROL: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u206f\ufeff\U000e0000-\U000e01ef]"
)
_HOST: Final = re.compile(r"^((?:url:|archive:)?[a-z][a-z0-9+.-]*://(?:[^/?#@]*@)?)([^/?#:@\[\]]+)", re.IGNORECASE)
_KEPT: Final = "%:/?#[]@!$&()*+,;=-._~"


def without_surrogates(text: str) -> str:
    """The text with U+FFFD in the place of each lone surrogate."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def clean(text: str) -> str:
    """A string of ours without lone surrogates, controls (tab and newline stay) and changes of direction."""
    if text.isascii() and text.isprintable():
        return text  # nearly every string of ours, and no search is as fast
    return _CONTROL.sub("\ufffd", without_surrogates(text))


def clean_json(value: Any) -> Any:
    """A JSON value in which each string and each key is clean."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(key)): clean_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean_json(item) for item in value]
    return value


def ascii_url(url: str, limit: int = MAX_URL) -> str:
    """A URL or a document id as printable ASCII: the host in its A-label form (RFC 5890), everything else that is no
    character of a URL percent-encoded (RFC 3986). At most `limit` characters."""
    url = without_surrogates(url[: 4 * limit])
    if not url.isascii():
        url = _HOST.sub(lambda match: match[1] + _a_label(match[2]), url, count=1)
    return quote(url, safe=_KEPT, errors="replace")[:limit]


def _a_label(host: str) -> str:
    if host.isascii():
        return host
    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError:
        return host
