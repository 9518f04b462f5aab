"""Facts of ours about pages, as answers show them: known words, numbers, times and encoded URLs; no text of a page."""

import re
from collections.abc import Mapping
from typing import Any, Final

from polite_crawler.mcp.cleaning import ascii_url
from polite_crawler.spiders.results import PageResult

_CODES: Final = (
    ("robots.txt disallows", "robots-disallows"),
    ("robots.txt is unreachable", "robots-unreachable"),
    ("host stopped", "host-stopped"),
    ("egress policy", "egress-policy"),
    ("deadline reached", "deadline-reached"),
    ("signer failed", "signer-failed"),
    ("out of scope", "out-of-scope"),
)
_KNOWN: Final = re.compile(r"[a-z0-9][a-z0-9 _.:-]{0,60}")
_TIME: Final = re.compile(r"\b(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z)")
_WORD: Final = re.compile(r"[\w.-]{1,40}", re.ASCII)
_STAMP: Final = re.compile(r"[0-9TZ:.+-]{4,40}")

MESSAGES: Final[dict[str, str]] = {
    "robots-disallows": "robots.txt disallows this URL for this crawler or for an agent that it works for.",
    "robots-unreachable": "The robots.txt of the site cannot be reached, so nothing is fetched.",
    "host-stopped": "The host is stopped for a time, because it refused requests. Do not try again before `until`.",
    "egress-policy": "The operator does not allow requests to this address.",
    "deadline-reached": "The turn of the host comes too late. Try again later.",
    "signer-failed": "The request could not be signed.",
    "bad-url": "This is no http or https URL that can be fetched.",
    "held-back": "The page asked not to be AI input, so its text is held back.",
    "archived-copy": "An archive gave a copy of the page; `archived` says which one, and of which date it is.",
    "challenge": "The site asked for a check by a person or a browser. It is not passed.",
    "paid": "The site asks for payment.",
    "not-fetched": "The page was not fetched; the outcome says why.",
}


def note_code(note: str | None, outcome: str = "ok", *, held_back: bool = False) -> str | None:
    """The known word for the note of a page, or None when there is nothing to say."""
    if held_back:
        return "held-back"
    for start, code in _CODES:
        if note is not None and note.startswith(start):
            return code
    if outcome in ("challenge", "paid"):
        return outcome
    return None if outcome in ("ok", "not_modified", "redirect") else "not-fetched"


def until(note: str | None) -> str | None:
    """The time in a note of a stop or a robots.txt that cannot be reached."""
    found = _TIME.search(note or "")
    return found[1] if found else None


def archived_name(archived: Mapping[str, Any] | None) -> str | None:
    """Where a copy is from: the archive and the time of the copy, such as `wayback 2024-01-15T09:30:00Z`."""
    if archived is None:
        return None
    source = str(archived.get("source") or archived.get("type") or "")
    stamp = str(archived.get("timestamp") or "").replace(".000000Z", "Z")
    name = source if _WORD.fullmatch(source) else "archive"
    return f"{name} {stamp}" if _STAMP.fullmatch(stamp) else name


def known_word(text: str | None) -> str | None:
    """A short word of ours as it is; None for anything else."""
    return text if text is not None and _KNOWN.fullmatch(text) else None


def page_facts(page: PageResult) -> dict[str, Any]:
    """The facts of a page that was asked for. Its title and the words of its note are not among them."""
    code = note_code(page.note, page.outcome, held_back=page.held_back)
    if page.archived is not None and not page.held_back:
        code = "archived-copy"
    return {
        "url": ascii_url(page.url),
        "final_url": ascii_url(page.final_url),
        "outcome": page.outcome,
        "status": page.status,
        "doc": None if page.doc is None else ascii_url(page.doc),
        "capture": page.capture,
        "fetched_at": page.fetched_at,
        "age_s": page.age_s,
        "from_cache": page.from_cache,
        "chars": page.chars,
        "truncated": page.truncated,
        "held_back": page.held_back,
        "archived": archived_name(page.archived),
        "note_code": code,
        "note": None if code is None else MESSAGES[code],
        "until": until(page.note) if code in ("host-stopped", "robots-unreachable") else None,
    }
