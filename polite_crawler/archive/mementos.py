"""Web archives that speak Memento (RFC 7089), and the Wayback Machine's own ways: requests and the reading of answers.

Nothing is sent here. An archived answer tells itself by Memento-Datetime: without it an answer is the service speaking.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal
from urllib.parse import quote, urlsplit

from polite_crawler.rules.urls import same_site
from polite_crawler.store.record import Kind, utc_micros

WAYBACK_HOST = "web.archive.org"
WAYBACK = f"https://{WAYBACK_HOST}"
AVAILABILITY = "https://archive.org/wayback/available"

SERVICE_PAUSE_S = 60.0
"""Seconds to wait after a 429 of a service that names no time."""

Headers = Sequence[tuple[str, str]]
Refusal = Literal["none", "excluded", "busy", "blocked", "error"]
"""Why a service gave no copy: it has none, it will not give this site, it is busy, it refuses us, it failed."""

# with a modifier, which says how the page is shown: raw (id_), in a frame, as a picture
_RAW = re.compile(r"/web/(\d{4,14})(?:[a-z]{2}_)?/(.+)", re.S)
_TEXT_ROW = re.compile(r"^\S+ (\d{14}) (\S+) \S+ (\d{3}|-) \S+ (?:\d+|-)[ \t]*$", re.M)
_EXCLUDED = ("url has been excluded", "blocked site error", "administrativeaccesscontrol", "robotaccesscontrol")
_ORIGINAL = "x-archive-orig-"
# what the service says of its own answer, and what a copy has no use for
_OF_SERVICE = frozenset({"content-length", "transfer-encoding", "connection", "keep-alive"})
_LINK = re.compile(r"<([^>]*)>((?:[^,\"]|\"(?:[^\"\\]|\\.)*\")*)(?:,|$)", re.S)
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_PARAM = re.compile(r";\s*([A-Za-z0-9*-]+)\s*=\s*(?:\"((?:[^\"\\]|\\.)*)\"|([^;\",\s]+))")


@dataclass(frozen=True, slots=True)
class ArchiveRequest:
    """A request to an archive: its URL, more header fields, and the kind of its capture."""

    url: str
    headers: tuple[tuple[str, str], ...] = ()
    kind: Kind = "archive-copy"


@dataclass(frozen=True, slots=True)
class ArchivedCopy:
    """A copy that an archive gave: who, the RFC 3339 time of the copy, its URL in the archive, the URL that was
    captured, and the answer as it was then. `record` names a record of a WARC, `collection` what the archive says of
    its source. The head is put together from what the archive hands on."""

    source: str
    timestamp: str
    url: str
    original: str
    status: int
    head: bytes
    body: bytes
    record: str | None = None
    collection: str | None = None

    def to_source(self) -> dict[str, Any]:
        """The `source` of its capture."""
        facts = {
            "type": self.source,
            "source": self.source,
            "timestamp": self.timestamp,
            "url": self.url,
            "original": self.original,
            "record": self.record,
            "collection": self.collection,
        }
        return {name: value for name, value in facts.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The archive names another request that gives the copy."""

    request: ArchiveRequest


@dataclass(frozen=True, slots=True)
class NoCopy:
    """No copy. `wait_s` is how long the service wants to be left alone; `stops` says that it refuses us, so its host
    stops. An archived answer never does either."""

    why: Refusal
    note: str
    wait_s: float | None = None
    stops: bool = False


Answered = ArchivedCopy | Elsewhere | NoCopy


def wayback_newest(url: str, *, now: float) -> ArchiveRequest:
    """The newest copy of a URL, in one request: the service redirects to the nearest one."""
    return wayback_copy(datetime.fromtimestamp(now, UTC).strftime("%Y%m%d%H%M%S"), url)


def wayback_copy(timestamp: str, url: str) -> ArchiveRequest:
    """The raw copy of a time. Identity coding: with another one the service sends two Content-Encoding fields."""
    return ArchiveRequest(f"{WAYBACK}/web/{timestamp}id_/{url}", (("Accept-Encoding", "identity"),))


def wayback_index(url: str, *, until: str | None = None) -> ArchiveRequest:
    """The index line of the newest copy with status 200, at or before a 14-digit time."""
    query = f"url={quote(url, safe='')}&output=json&filter=statuscode:200&limit=-1"
    return ArchiveRequest(f"{WAYBACK}/cdx/search/cdx?{query}" + (f"&to={until}" if until else ""), (), "archive-index")


def availability(url: str, *, at: str | None = None) -> ArchiveRequest:
    """The availability API, which answers 429 more often than not."""
    query = f"url={quote(url, safe='')}" + (f"&timestamp={at}" if at else "")
    return ArchiveRequest(f"{AVAILABILITY}?{query}", (), "archive-index")


def timegate(gate: str, url: str, *, at: float | None = None) -> ArchiveRequest:
    """The TimeGate of any archive for a URL; without a time it gives the newest copy."""
    when = datetime.fromtimestamp(at, UTC).strftime("%a, %d %b %Y %H:%M:%S GMT") if at is not None else None
    fields = (("Accept-Datetime", when),) if when else ()
    return ArchiveRequest(gate + url, (("Prefer", "raw"), *fields, ("Accept-Encoding", "identity")))


def read_wayback(request: ArchiveRequest, url: str, status: int, headers: Headers, body: bytes) -> Answered:
    """What the Wayback Machine answered to a request for a raw copy of a URL."""
    memento = field(headers, "memento-datetime")
    if memento is None and 300 <= status < 400:
        found = _RAW.search(field(headers, "location") or "")
        if found is None or not same_site(found[2], url):
            return NoCopy("none", "the archive redirects to another page")
        return Elsewhere(wayback_copy(found[1].ljust(14, "0")[:14], found[2]))
    if memento is None:
        return _service("the Wayback Machine", status, headers, body)
    found = _RAW.search(request.url)
    original = _original_of(headers) or (found[2] if found else url)
    if not same_site(original, url):
        return NoCopy("none", "the archive gives another page")
    stamp = _moment(memento) or (time_of_stamp(found[1]) if found else None)
    if stamp is None:
        return NoCopy("error", "the archive names no time that can be read")
    return ArchivedCopy(
        source="wayback", timestamp=stamp, url=request.url, original=original, status=status,
        head=original_head(status, headers), body=body, collection=field(headers, "x-archive-src"),
    )  # fmt: skip


def read_timegate(request: ArchiveRequest, url: str, status: int, headers: Headers, body: bytes) -> Answered:
    """What a TimeGate or a memento of any archive answered: a redirect to the copy, or the copy itself."""
    if 300 <= status < 400 and (location := field(headers, "location")):
        return Elsewhere(ArchiveRequest(_joined(request.url, location), request.headers))
    memento = field(headers, "memento-datetime")
    host = request.url.split("/")[2]
    if memento is None:
        return _service(host, status, headers, body)
    original = _original_of(headers) or url
    stamp = _moment(memento)
    if stamp is None or not same_site(original, url):
        return NoCopy("none", f"{host} gives another page, or no time")
    location = field(headers, "content-location")
    copy = _joined(request.url, location) if location else request.url
    return ArchivedCopy(host, stamp, copy, original, status, original_head(status, headers), body)


def read_wayback_index(url: str, status: int, headers: Headers, body: bytes) -> Elsewhere | NoCopy:
    """The copy that the newest line of the index names for the site of a URL. Lines come twice, in any order."""
    if status != 200:
        return _service("the index of the Wayback Machine", status, headers, body)
    rows = _index_rows(body)
    if rows is None:
        return NoCopy("error", "the index of the Wayback Machine sends no lines of an index")
    best: tuple[str, str] | None = None
    for stamp, original, code in rows:
        fits = code == "200" and time_of_stamp(stamp) is not None and same_site(original, url)
        if fits and (best is None or stamp > best[0]):
            best = stamp, original
    if best is None:
        return NoCopy("none", "the Wayback Machine has no copy with status 200")
    return Elsewhere(wayback_copy(*best))


def _index_rows(body: bytes) -> list[tuple[str, str, str]] | None:
    """Time, URL and status of each line of an index, in JSON or in seven fields of text; None for no index. What is
    no line is left out: an empty one, and the key to go on with."""
    if not body.strip():
        return []
    if not body.lstrip().startswith(b"["):
        found = _TEXT_ROW.findall(body.decode("utf-8", "replace"))
        return found or None
    try:
        names, *rows = json.loads(body) or [[]]
        places = [names.index(name) for name in ("timestamp", "original", "statuscode")] if rows else []
    except (AttributeError, TypeError, ValueError, RecursionError):
        return None
    whole = [row for row in rows if isinstance(row, list) and len(row) == len(names)]
    return [(str(row[places[0]]), str(row[places[1]]), str(row[places[2]])) for row in whole]


def read_availability(status: int, headers: Headers, body: bytes) -> Elsewhere | NoCopy:
    """The copy that the availability API names; its URL is the view form, and its status is a text."""
    if status != 200:
        return _service("the availability API", status, headers, body)
    try:
        closest = json.loads(body)["archived_snapshots"]["closest"]
        found = _RAW.search(str(closest["url"]))
    except (KeyError, TypeError, ValueError, RecursionError):
        return NoCopy("none", "the Wayback Machine has no copy")
    if found is None or not closest.get("available") or str(closest.get("status")) != "200":
        return NoCopy("none", "the Wayback Machine has no copy with status 200")
    return Elsewhere(wayback_copy(found[1], found[2]))


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a TimeMap: its target, its relations, and its RFC 3339 time if it has one."""

    url: str
    rel: tuple[str, ...]
    datetime: str | None = None


def read_timemap(text: str, *, base: str) -> tuple[Link, ...]:
    """The links of a TimeMap (RFC 6690 link-format; dates hold commas)."""
    links = []
    for target, rest in _LINK.findall(text):
        params = {name.lower(): quoted or token for name, quoted, token in _PARAM.findall(rest)}
        moment = _moment(params["datetime"]) if "datetime" in params else None
        links.append(Link(_joined(base, target.strip()), tuple(params.get("rel", "").split()), moment))
    return tuple(links)


def original_head(status: int, headers: Headers) -> bytes:
    """The head of the archived answer. With the fields `x-archive-orig-` it is those; without them all that the
    archive sent, and no field of its own transfer."""
    kept = [(name[len(_ORIGINAL) :], value) for name, value in headers if name.lower().startswith(_ORIGINAL)]
    if not kept:
        kept = [(name, value) for name, value in headers if name.lower() not in _OF_SERVICE | {"content-encoding"}]
    elif not any(name.lower() == "content-type" for name, _ in kept):
        kept += [(name, value) for name, value in headers if name.lower() == "content-type"]
    lines = [f"{name}: {value}" for name, value in kept if name.lower() not in _OF_SERVICE and value != "-1"]
    return "\r\n".join((f"HTTP/1.1 {status} ", *lines, "", "")).encode("latin-1", "replace")


def entity_of(copy: ArchivedCopy) -> tuple[bytes, str | None]:
    """The body of a copy and its content coding. Some raw bodies are gzip with no field that says so, and some come
    decoded under a field that says gzip: the octets decide."""
    packed = copy.body.startswith(b"\x1f\x8b\x08")
    names = re.findall(rb"(?im)^content-encoding:[ \t]*([a-z-]+)", copy.head)
    if packed:
        return copy.body, "gzip"
    others = [name.decode().lower() for name in names if name.lower() not in (b"gzip", b"x-gzip", b"identity")]
    return copy.body, others[-1] if others else None


def field(headers: Headers, name: str) -> str | None:
    """The first value of a field that has one (name in lower case)."""
    return next((value.strip() for key, value in headers if key.lower() == name and value.strip()), None)


def _original_of(headers: Headers) -> str | None:
    links = read_timemap(field(headers, "link") or "", base="")
    return next((link.url for link in links if "original" in link.rel), None)


def _service(name: str, status: int, headers: Headers, body: bytes) -> NoCopy:
    """What the service itself says."""
    text = body[:20_000].decode("utf-8", "replace").lower()
    if any(mark in text for mark in _EXCLUDED):
        return NoCopy("excluded", f"{name} does not give copies of this site")
    if status in (429, 503):
        return NoCopy("busy", f"{name} is busy ({status})", wait_s=_retry_after(headers))
    if status in (401, 403):
        return NoCopy("blocked", f"{name} refuses us ({status})", stops=True)
    if status >= 500:
        return NoCopy("error", f"{name} failed ({status})", wait_s=_retry_after(headers))
    return NoCopy("none", f"{name} has no copy")


def _retry_after(headers: Headers) -> float:
    value = field(headers, "retry-after") or ""
    return float(value) if value.isascii() and value.isdigit() and len(value) < 7 else SERVICE_PAUSE_S


def time_of_stamp(stamp: str) -> str | None:
    """The RFC 3339 time of a 14-digit one."""
    try:
        moment = datetime.strptime(stamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return utc_micros(int(moment.timestamp()) * 1_000_000)


def _joined(base: str, target: str) -> str:
    """A reference against a URL. `urljoin` would make one slash of the two in an archived URL."""
    if _ABSOLUTE.match(target) or not base:
        return target
    parts = urlsplit(base)
    if target.startswith("/"):
        return f"{parts.scheme}://{parts.netloc}{target}"
    folders = parts.path.split("/")[:-1]
    while target.startswith(("../", "./")):
        if target.startswith("../") and len(folders) > 1:
            folders.pop()
        target = target.partition("/")[2]
    return f"{parts.scheme}://{parts.netloc}{'/'.join(folders)}/{target}"


def _moment(text: str) -> str | None:
    try:
        moment = parsedate_to_datetime(text.strip())
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return utc_micros(int(moment.timestamp()) * 1_000_000)
