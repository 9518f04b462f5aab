"""Conditional requests (RFC 9110 section 13), and the memo of which validator a host understands.

A server looks at If-None-Match first and then not at If-Modified-Since. A host that gives another ETag with each
response never answers 304 to both, though its date may be true: the memo finds such hosts. The robots.txt of a host
has no part in it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

from polite_crawler.rules.httpdates import http_date

ETAG_MISSES = 3
"""Responses in sequence with the stored body again, to both validators, after which the ETag stops."""

PROBE_REQUESTS = 20
PROBE_SECONDS = 7 * 86_400.0
"""After as many requests with the date alone, or as many seconds, one request sends the ETag again."""

DATE_MISSES = 3
"""Responses in sequence with the stored body again, to the date alone, after which both are sent again."""

Mode = Literal["both", "date", "neither"]
Result = Literal["not-modified", "same-body", "changed"]

_ETAG = re.compile(r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"|[\x21\x23-\x29\x2b\x2d-\x7e]+').fullmatch
_MODES: tuple[Mode, ...] = ("both", "date", "neither")


@dataclass(frozen=True, slots=True)
class Memo:
    """What is known of the validators of a host.

    `mode`: `both` are sent; `date` alone, because the ETag did not help; or `neither` works, and both are sent
    because they cost nothing. `misses` in sequence; in the mode `date`, the `requests` since the ETag stopped or was
    last tried, and that moment `since` (epoch seconds).
    """

    mode: Mode = "both"
    misses: int = 0
    requests: int = 0
    since: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """A flat object."""
        return {"mode": self.mode, "misses": self.misses, "requests": self.requests, "since": self.since}

    @classmethod
    def from_json(cls, value: Mapping[str, Any] | None) -> Self:
        """The memo of an object; a new one when there is none or it is not valid."""
        try:
            mode = next(mode for mode in _MODES if value and value.get("mode") == mode)
            return cls(mode, int(value["misses"]), int(value["requests"]), float(value["since"]))  # type: ignore[index]
        except (StopIteration, KeyError, TypeError, ValueError):
            return cls()


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditional headers of a request. `probe` asks whether the ETag works again."""

    if_none_match: str | None = None
    if_modified_since: str | None = None
    probe: bool = False

    @property
    def headers(self) -> dict[str, str]:
        """The header fields to send."""
        found = {"If-None-Match": self.if_none_match, "If-Modified-Since": self.if_modified_since}
        return {name: value for name, value in found.items() if value is not None}


def conditions(memo: Memo, *, etag: str | None, last_modified: str | None, now: float) -> Conditions:
    """What a request for a stored copy sends, by its ETag and its Last-Modified as stored and the memo of its host.

    A value that HTTP cannot send as a condition is left out (`*` would match every body).
    """
    tag = etag.strip() if etag and _ETAG(etag.strip()) else None
    date = last_modified.strip() if last_modified and http_date(last_modified) is not None else None
    if memo.mode != "date" or tag is None or date is None:
        return Conditions(tag, date)
    due = memo.requests >= PROBE_REQUESTS or now - memo.since >= PROBE_SECONDS
    return Conditions(tag if due else None, date, probe=due)


def next_memo(memo: Memo, sent: Conditions, result: Result, *, now: float) -> Memo:
    """The memo after an answer: a 304, a 200 with the stored body again, or a 200 with another one.

    Another body tells nothing of a validator; a copy with one validator alone tells nothing of the other.
    """
    both = sent.if_none_match is not None and sent.if_modified_since is not None
    if result == "not-modified":
        works = sent.if_none_match is not None or memo.mode != "date"
        return Memo() if works else replace(memo, misses=0, requests=memo.requests + 1)
    if memo.mode == "date":
        return _after_date(memo, sent, result, now)
    if memo.mode == "neither" or not both or result == "changed":
        return memo
    misses = memo.misses + 1
    return Memo("date", since=now) if misses >= ETAG_MISSES else replace(memo, misses=misses)


def _after_date(memo: Memo, sent: Conditions, result: Result, now: float) -> Memo:
    if sent.probe:
        return replace(memo, requests=0, since=now)
    if sent.if_none_match is not None or sent.if_modified_since is None:
        return memo
    if result == "changed":
        return replace(memo, requests=memo.requests + 1)
    misses = memo.misses + 1
    return Memo("neither") if misses >= DATE_MISSES else replace(memo, misses=misses, requests=memo.requests + 1)
