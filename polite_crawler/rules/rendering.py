"""What a page that is made in a browser may ask for, and what goes to and fro for it. Pure decisions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args
from urllib.parse import urlsplit

from polite_crawler.errors import BadOption

Mode = Literal["auto", "always", "never"]
"""Which pages are rendered: those that show almost nothing without JavaScript, each HTML page, or none."""

MODES: tuple[Mode, ...] = get_args(Mode)

Pairs = Iterable[tuple[str, str]]

_ASKED = frozenset({"Script", "Stylesheet", "XHR", "Fetch"})
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
# what the connection, our identity and our own decoding decide; a browser context of ours has no cookies to send
_NOT_SENT = frozenset({
    "accept-encoding", "connection", "content-length", "cookie", "cookie2", "dnt", "expect", "from", "host",
    "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "range",
    "priority", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade", "upgrade-insecure-requests",
    "user-agent", "via",
})  # fmt: skip
# the browser gets a decoded body, keeps no cookies, and has no network to upgrade to or to report by
_NOT_SHOWN = frozenset({
    "alt-svc", "clear-site-data", "connection", "content-encoding", "content-length", "keep-alive", "link", "nel",
    "proxy-connection", "refresh", "report-to", "reporting-endpoints", "set-cookie", "set-cookie2",
    "strict-transport-security", "te", "trailer", "transfer-encoding", "upgrade",
})  # fmt: skip
# what was said of the octets of the plain page is not true of the tree that a browser made of it
_NOT_OF_THE_TREE = frozenset({
    "accept-ranges", "connection", "content-digest", "content-disposition", "content-encoding", "content-length",
    "content-md5", "content-range", "content-type", "digest", "etag", "keep-alive", "proxy-connection", "repr-digest",
    "set-cookie", "set-cookie2", "te", "trailer", "transfer-encoding", "upgrade",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of one render. `requests` counts the sub-requests (each hop is one), `octets` their bodies after
    decoding; `seconds` is for the whole render, `lane_seconds` the longest wait for the lane of another host, `own`
    how many sub-requests run at the page's own host at one time, `quiet_s` how long nothing may happen at the end.
    """

    requests: int = 100
    octets: int = 10 * 1024 * 1024
    seconds: float = 30.0
    lane_seconds: float = 5.0
    own: int = 2
    quiet_s: float = 0.5


def mode(value: object, name: str) -> Mode:
    """A mode as people write it. Raises BadOption that names the setting or the option."""
    text = str(value).strip().lower()
    for known in MODES:
        if text == known:
            return known
    raise BadOption(f"{name}: {value!r} is none of {', '.join(MODES)}")


def asks_for(kind: str, method: str, url: str, headers: Mapping[str, str]) -> bool:
    """Whether a sub-request of a page is sent. `kind` is its resource type by the Chrome DevTools Protocol.

    Scripts, style sheets and what a script fetches make the text of a page; images, media, fonts, frames, beacons,
    streams and what is only fetched ahead do not. Only safe methods (RFC 9110, section 9.2.1): a crawler changes
    nothing.
    """
    if kind not in _ASKED or method.upper() not in _SAFE or urlsplit(url).scheme.lower() not in ("http", "https"):
        return False
    fields = {name.lower(): value for name, value in headers.items()}
    # a stream of events has no end
    return not {"purpose", "sec-purpose"} & fields.keys() and fields.get("accept") != "text/event-stream"


def headers_to_send(headers: Pairs) -> list[tuple[str, str]]:
    """The fields of a browser's sub-request that go out with it: those that a script or the CORS protocol set."""
    return [
        (name, value)
        for name, value in headers
        if name.lower() not in _NOT_SENT
        and not name.lower().startswith(("sec-", "proxy-", ":"))
        and _is_one_line(name)
        and _is_one_line(value)
    ]


def headers_to_show(headers: Pairs) -> list[tuple[str, str]]:
    """The fields of an answer that the browser gets with its decoded body."""
    return [(name, value) for name, value in headers if name.lower() not in _NOT_SHOWN]


def headers_of_tree(headers: Pairs) -> list[tuple[str, str]]:
    """The fields of the plain page that are true of its rendered tree too: its usage signals and its dates."""
    return [(name, value) for name, value in headers if name.lower() not in _NOT_OF_THE_TREE]


def is_offered_as_file(headers: Pairs) -> bool:
    """Whether a browser would save the body and not show it (RFC 6266)."""
    for name, value in headers:
        if name.lower() == "content-disposition":
            return value.partition(";")[0].strip().lower() not in ("", "inline")
    return False


def _is_one_line(text: str) -> bool:
    return not any(mark in text for mark in "\r\n\0")
