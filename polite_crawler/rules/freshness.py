"""Whether a stored copy answers with no request (RFC 9111), and what a 304 changes in it."""

from collections.abc import Iterable
from dataclasses import dataclass

from polite_crawler.rules.durations import MaxAge
from polite_crawler.rules.httpdates import Headers, delta_seconds, directives, header, http_date

HEURISTIC = 0.1
"""The part of the age of Last-Modified for which a response without a lifetime is fresh (RFC 9111 section 4.2.2)."""

FIELDS = frozenset({"age", "cache-control", "date", "expires", "last-modified", "vary"})
"""The fields of a response that these rules look at, in lower case."""

_HEURISTIC_STATUSES = frozenset({200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501})
# what a 304 says of the message and not of the stored body (RFC 9111 section 3.2), and what a connection needs
_NOT_UPDATED = frozenset({
    "content-encoding", "content-type", "content-range", "content-length", "content-md5", "content-digest",
    "repr-digest", "digest", "transfer-encoding", "connection", "proxy-connection", "keep-alive", "te", "trailer",
    "upgrade", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class StoredCopy:
    """What is known of a stored response. `requested` and `received` are epoch seconds of its exchange, or of the 304
    that confirmed it; `request_headers` those that it answered."""

    status: int
    headers: Headers
    requested: float
    received: float
    request_headers: Headers = ()


def answers(copy: StoredCopy, max_age: MaxAge, *, now: float, request_headers: Headers = ()) -> bool:
    """Whether the copy answers the request with nothing sent.

    `stored` always does. `fixed` does while the copy is younger than that, whatever its server said, `auto` while the
    server calls it fresh. The last two need the values of the headers that Vary names (section 4.1).
    """
    if max_age.kind == "stored":
        return True
    if not vary_matches(copy, request_headers):
        return False
    if max_age.kind == "fixed":
        return 0 <= now - copy.received < max_age.seconds
    return is_fresh(copy, now=now)


def is_fresh(copy: StoredCopy, *, now: float) -> bool:
    """Whether the server calls the copy fresh. no-store and no-cache make it stale at once."""
    control = directives(copy.headers)
    if "no-store" in control or "no-cache" in control:
        return False
    return current_age(copy, now=now) < freshness_lifetime(copy)


def freshness_lifetime(copy: StoredCopy) -> float:
    """Seconds (section 4.2.1): max-age, else Expires minus Date, else a tenth of the age of Last-Modified, else 0.

    s-maxage is for shared caches. What is there and cannot be read means stale.
    """
    control = directives(copy.headers)
    if "max-age" in control:
        return delta_seconds(control["max-age"]) or 0.0
    date = _date(copy)
    expires = header(copy.headers, "expires")
    if expires is not None:
        until = http_date(expires)
        return max(0.0, until - date) if until is not None else 0.0
    modified = http_date(header(copy.headers, "last-modified"))
    if modified is None or copy.status not in _HEURISTIC_STATUSES:
        return 0.0
    return max(0.0, date - modified) * HEURISTIC


def current_age(copy: StoredCopy, *, now: float) -> float:
    """Seconds since the origin made or confirmed the response (section 4.2.3)."""
    apparent = max(0.0, copy.received - _date(copy))
    given = delta_seconds((header(copy.headers, "age") or "").partition(",")[0]) or 0.0
    corrected = given + max(0.0, copy.received - copy.requested)
    return max(apparent, corrected) + max(0.0, now - copy.received)


def vary_matches(copy: StoredCopy, request_headers: Headers) -> bool:
    """Whether a request has the same values of the headers that Vary names; `*` matches nothing."""
    return all(
        name != "*" and _plain(copy.request_headers, name) == _plain(request_headers, name)
        for name in vary_names(copy.headers)
    )


def vary_names(headers: Headers) -> frozenset[str]:
    """The names that Vary holds, in lower case."""
    names = (name.strip().lower() for name in (header(headers, "vary") or "").split(","))
    return frozenset(name for name in names if name)


def updated_headers(stored: Headers, fresh: Headers) -> tuple[tuple[str, str], ...]:
    """The stored headers after a 304 (section 3.2): each field that it carries replaces the stored ones of that name,
    the others stay (an ETag too). What describes the body or the connection is never updated."""
    carried = {_key(name) for name, _ in fresh} - _NOT_UPDATED
    return (
        *((name, value) for name, value in stored if _key(name) not in carried),
        *((name, value) for name, value in fresh if _key(name) in carried),
    )


def _date(copy: StoredCopy) -> float:
    date = http_date(header(copy.headers, "date"))
    return copy.received if date is None else date


def _plain(headers: Headers, name: str) -> tuple[str, ...]:
    text = header(headers, name) or ""
    return tuple(_words(text.split(",")))


def _words(parts: Iterable[str]) -> Iterable[str]:
    return (" ".join(part.split()) for part in parts if part.strip())


def _key(name: str) -> str:
    return name.strip().lower()
