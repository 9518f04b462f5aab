"""Challenge and refusal pages: which bot protection answered in place of the content.

In this order: (a) a header that a vendor sets on every challenge, with any status; (b) the structure of an
interstitial in a short page, with any status; (c) weak marks, only with a status that refuses; (d) a plain refusal.
A page about a vendor, a sensor script beside real text and a widget on a form are ordinary answers.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from polite_crawler.rules.interstitial import read_interstitial
from polite_crawler.rules.marks import JSON_MARKS, REFUSALS, STRUCTURAL, WEAK, may_hold_marks

Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`challenge`: a bot check that we never try to solve. `blocked`: the site refuses (401, 403, and 402, which
    asks for money; also a firewall that says so with a status of success). None: an ordinary answer or an ordinary
    failure. `mark` says what told it."""

    kind: Literal["challenge", "blocked"] | None = None
    vendor: str | None = None
    mark: str | None = None


ORDINARY = Verdict()

REFUSING_STATUSES = frozenset({401, 403, 405, 406, 418, 428, 429, 498, 503, 999})
"""With these a weak mark counts."""

LARGEST_INTERSTITIAL = 512 * 1024
"""Octets. A longer body is content, whatever script runs beside it."""

MOST_WORDS = 400
"""A page that shows as many words is content."""

_DECISIVE: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    ("cf-mitigated", "cloudflare", lambda value: value == "challenge"),
    ("x-amzn-waf-action", "aws-waf", lambda value: value in ("challenge", "captcha")),
    ("x-vercel-mitigated", "vercel", lambda value: value == "challenge"),
    ("x-datadome", "datadome", lambda value: value not in ("", "protected")),
    ("x-dd-b", "datadome", lambda value: value not in ("", "0")),
    ("x-datadome-cid", "datadome", bool),
    ("x-kasada-challenge", "kasada", bool),
    ("sg-captcha", "siteground", lambda value: value == "challenge"),
)

_BLOCKERS = (
    ("sucuri", "x-sucuri-block", lambda headers, body: "x-sucuri-block" in headers),
    ("akamai", "Reference #", lambda headers, body: b"Reference #" in body or b"Reference&#32;&#35;" in body),
    ("cloudflare", "error 1020", lambda headers, body: re.search(rb"error code: 1020|Error 1020|>1020<", body)),
)


def classify(status: int, headers: Headers, body: bytes) -> Verdict:
    """The verdict on one answer. `body` has its content coding removed. The time is linear in the body, of which at
    most 512 KiB are read."""
    fields: dict[str, str] = {}
    for name, value in headers:
        key = name.strip().lower()
        fields[key] = f"{fields[key]}, {value.strip()}" if key in fields else value.strip()
    for name, vendor, decides in _DECISIVE:
        if any(decides(value.strip().lower()) for value in fields.get(name, "").split(",")):
            return Verdict("challenge", vendor, f"{name}: {fields[name][:80]}")
    found = _of_body(status, fields.get("content-type", "").lower(), body)
    if found is not None:
        return found
    if status in (401, 402, 403):
        head = body[:LARGEST_INTERSTITIAL]
        blocker = next(((vendor, mark) for vendor, mark, is_it in _BLOCKERS if is_it(fields, head)), None)
        return Verdict("blocked", *(blocker or (None, f"status {status}")))
    return ORDINARY


def _of_body(status: int, content_type: str, body: bytes) -> Verdict | None:
    if not body or len(body) > LARGEST_INTERSTITIAL:
        return None
    refuses = status in REFUSING_STATUSES
    if "json" in content_type:
        marks = ((vendor, mark) for vendor, mark, pattern in JSON_MARKS if refuses and pattern.search(body))
        return next((Verdict("challenge", *mark) for mark in marks), None)
    if content_type and not content_type.startswith(("text/html", "application/xhtml")):
        return None
    if not refuses and not may_hold_marks(body):
        return None
    page = read_interstitial(body, most_words=MOST_WORDS)
    if page.words >= MOST_WORDS:
        return None
    for vendor, mark, shows in (*STRUCTURAL, *WEAK) if refuses else STRUCTURAL:
        if shows(page):
            return Verdict("challenge", vendor, mark)
    return next((Verdict("blocked", vendor, mark) for vendor, mark, shows in REFUSALS if shows(page)), None)
