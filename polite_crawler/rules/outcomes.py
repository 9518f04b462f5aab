"""What became of a fetch: the outcome of a status, the words of a skip, and where the crawl's summary counts it."""

from collections.abc import Sequence
from typing import Literal, get_args

Outcome = Literal[
    "ok", "not_modified", "redirect", "gone", "refused", "blocked", "paid", "challenge", "busy", "error", "skipped",
]  # fmt: skip
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

SkipKind = Literal["robots", "robots-unreachable", "stop", "egress", "deadline", "signer", "other"]
"""Why a request that was decided never went out."""

Tally = Literal["fetched", "refused", "failed"]
"""The number of the crawl's summary that a page adds to. Answers from the store count apart (`from_cache`)."""

DEADLINE_NOTE = "deadline reached"

_STATUS: dict[int, Outcome] = {
    304: "not_modified", 401: "blocked", 402: "paid", 403: "blocked", 404: "gone", 410: "gone", 429: "busy",
    503: "busy",
}  # fmt: skip
_TALLY: dict[Outcome, Tally] = {
    "ok": "fetched", "not_modified": "fetched", "redirect": "fetched", "blocked": "refused", "paid": "refused",
    "challenge": "refused", "refused": "refused", "gone": "failed", "busy": "failed", "error": "failed",
}  # fmt: skip


def of_status(status: int, *, challenge: bool = False) -> Outcome:
    """The outcome of an HTTP answer. A challenge page is one with any status. A status outside 200 to 499 that is not
    503 is an error.
    """
    if challenge:
        return "challenge"
    if status in _STATUS:
        return _STATUS[status]
    by_class: dict[int, Outcome] = {2: "ok", 3: "redirect", 4: "refused"}
    return by_class.get(status // 100, "error")


def tally(outcome: Outcome, skip: SkipKind | None = None) -> Tally:
    """Where the summary counts a page: a skip by robots.txt, a stop or the egress policy is refused, another failed."""
    if outcome == "skipped":
        return "refused" if skip in ("robots", "robots-unreachable", "stop", "egress") else "failed"
    return _TALLY[outcome]


def skip_kind(note: str) -> SkipKind:
    """The kind of a skip, from the words of its note."""
    starts: tuple[tuple[str, SkipKind], ...] = (
        ("robots.txt disallows ", "robots"),
        ("robots.txt is unreachable ", "robots-unreachable"),
        ("host stopped until ", "stop"),
        ("egress policy: ", "egress"),
        (DEADLINE_NOTE, "deadline"),
        ("signer failed: ", "signer"),
    )
    return next((kind for start, kind in starts if note.startswith(start)), "other")


def robots_note(token: str, line: int | None, rule: str | None, others: Sequence[str] = ()) -> str:
    """`robots.txt disallows this URL for TOKEN (line 4: Disallow: /private)`. `others` are further agents that the
    same group names: they show where a rule comes from that its author perhaps wrote for them.
    """
    where = f" (line {line}: {rule})" if line is not None else ""
    group = f"; the group also names {', '.join(others)}" if others else ""
    return f"robots.txt disallows this URL for {token}{where}{group}"


def unreachable_note(why: str, retry_at: str) -> str:
    """`robots.txt is unreachable (503); next try at TIME`. `why` is the status or the failure, the time is RFC 3339."""
    return f"robots.txt is unreachable ({why}); next try at {retry_at}"


def stop_note(until: str, reason: str) -> str:
    """`host stopped until TIME: REASON`; the time is RFC 3339."""
    return f"host stopped until {until}: {reason}"


def egress_note(address: str, range_name: str) -> str:
    """`egress policy: ADDRESS is a loopback address; set POLITE_ALLOW_PRIVATE to fetch it`, or what opens the range."""
    article = "an" if range_name[:1] in "aeiou" else "a"
    own_net = range_name in ("loopback", "private", "link-local")
    how = "set POLITE_ALLOW_PRIVATE" if own_net else "name it in POLITE_EGRESS_ALLOW"
    return f"egress policy: {address} is {article} {range_name} address; {how} to fetch it"


def signer_note(reason: str) -> str:
    """`signer failed: REASON`."""
    return f"signer failed: {reason}"
