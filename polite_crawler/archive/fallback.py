"""Archived copies after a refusal: when they may be asked for, whom to ask next, and what an answer means.

Pure: it builds requests and reads answers. Who sends them keeps to robots.txt, the pace and the stops of each archive.
"""

from dataclasses import dataclass, replace
from typing import Literal

from polite_crawler.archive import commoncrawl, mementos
from polite_crawler.archive.commoncrawl import IndexLine
from polite_crawler.archive.copies import wall_of
from polite_crawler.archive.mementos import ArchivedCopy, ArchiveRequest, Elsewhere, Headers, NoCopy
from polite_crawler.rules.outcomes import Outcome, SkipKind
from polite_crawler.rules.redaction import DEFAULT_SECRET_PARAMS, has_secret

_WANTED: frozenset[Outcome] = frozenset({"blocked", "paid", "challenge", "busy", "error"})
_WANTED_SKIPS: frozenset[SkipKind] = frozenset({"stop", "robots-unreachable"})
_HOPS = 3

Stage = Literal["timegate", "wayback", "wayback-index", "indexes", "index", "record"]


def is_wanted(
    url: str,
    outcome: Outcome,
    skip: SkipKind | None = None,
    *,
    despite_robots: bool = False,
    params: frozenset[str] = DEFAULT_SECRET_PARAMS,
) -> bool:
    """Whether a copy may be asked for after an outcome. A page that its owner took away or disallows today is left
    alone (a disallowed one unless `despite_robots`), and an archive never learns a URL with a secret."""
    return not has_secret(url, params) and is_wanted_after(outcome, skip, despite_robots=despite_robots)


def is_wanted_after(outcome: Outcome, skip: SkipKind | None = None, *, despite_robots: bool = False) -> bool:
    """As `is_wanted`, whatever the URL holds."""
    if outcome == "skipped":
        return skip in _WANTED_SKIPS or (skip == "robots" and despite_robots)
    return outcome in _WANTED


@dataclass(frozen=True, slots=True)
class Ask:
    """The next request of a search, and what is known so far."""

    request: ArchiveRequest
    stage: Stage
    url: str
    hops: int = 0
    looked_up: bool = False
    indexes: tuple[str, ...] = ()
    line: IndexLine | None = None
    refused: tuple[NoCopy, ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """A copy with status 200: the end of a search."""

    copy: ArchivedCopy


@dataclass(frozen=True, slots=True)
class NotGiven:
    """No archive gave a copy; `refused` says why not, in the order in which they were asked."""

    refused: tuple[NoCopy, ...]

    @property
    def note(self) -> str:
        """The reasons in one line."""
        return "; ".join(dict.fromkeys(one.note for one in self.refused)) or "no archive has a copy"


Next = Ask | Given | NotGiven


def first(url: str, *, now: float, timegate: str = "") -> Ask:
    """The first request for the newest copy of a URL: to the TimeGate of the settings, else to the Wayback Machine."""
    if timegate:
        return Ask(mementos.timegate(timegate, url), "timegate", url)
    return Ask(mementos.wayback_newest(url, now=now), "wayback", url)


def refusal(ask: Ask, status: int, headers: Headers, body: bytes) -> NoCopy | None:
    """What the service itself refused in an answer, or None: an archived 429 or 403 is a copy and no refusal."""
    found = _read(ask, status, headers, body)
    return found if isinstance(found, NoCopy) and found.why in ("busy", "blocked", "error") else None


def proceed(ask: Ask, status: int, headers: Headers, body: bytes, *, now: float) -> Next:
    """What follows an answer. A failed request counts as status 0."""
    found = _read(ask, status, headers, body)
    if isinstance(found, ArchivedCopy):
        refused = found.status != 200
        what = f"a {found.status}" if refused else wall_of(found)
        if what is None:
            return Given(found)
        note = NoCopy("none", f"the newest copy of {found.source} is {what}")
        if refused and ask.stage == "wayback" and not ask.looked_up:
            return _ask(replace(ask, looked_up=True), note, mementos.wayback_index(ask.url), "wayback-index")
        return _after(ask, note, now)
    if isinstance(found, Elsewhere):
        if ask.hops >= _HOPS:
            return _after(ask, NoCopy("error", "the archive redirects without end"), now)
        stage: Stage = "timegate" if ask.stage == "timegate" else "wayback"
        return replace(ask, request=found.request, stage=stage, hops=ask.hops + 1)
    if isinstance(found, IndexLine):
        return replace(ask, request=commoncrawl.record_request(found), stage="record", line=found)
    if isinstance(found, tuple):
        return replace(ask, request=commoncrawl.index_lines(found[0], ask.url), stage="index", indexes=tuple(found[1:]))
    return _after(ask, found, now)


def skipped(ask: Ask, note: str, *, now: float) -> Next:
    """What follows a request that was not sent, or an answer that is not taken. The note says why."""
    return _after(ask, NoCopy("error", note), now)


def _read(
    ask: Ask, status: int, headers: Headers, body: bytes
) -> ArchivedCopy | Elsewhere | NoCopy | IndexLine | tuple[str, ...]:
    if status == 0:
        return NoCopy("error", f"{ask.request.url.split('/')[2]} does not answer", wait_s=mementos.SERVICE_PAUSE_S)
    if ask.stage == "timegate":
        return mementos.read_timegate(ask.request, ask.url, status, headers, body)
    if ask.stage == "wayback":
        return mementos.read_wayback(ask.request, ask.url, status, headers, body)
    if ask.stage == "wayback-index":
        return mementos.read_wayback_index(ask.url, status, headers, body)
    if ask.stage == "indexes":
        return commoncrawl.read_index_list(status, headers, body)
    if ask.stage == "index":
        return commoncrawl.read_index_lines(ask.url, status, headers, body)
    assert ask.line is not None
    return commoncrawl.read_record(ask.line, ask.url, status, headers, body)


def _after(ask: Ask, found: NoCopy, now: float) -> Next:
    """Whom to ask when one had no copy."""
    if ask.stage == "timegate":
        return _ask(ask, found, mementos.wayback_newest(ask.url, now=now), "wayback")
    if ask.stage in ("wayback", "wayback-index"):
        return _ask(ask, found, commoncrawl.index_list(), "indexes")
    if ask.stage == "index" and ask.indexes and found.why == "none":
        rest = replace(ask, indexes=ask.indexes[1:])
        return _ask(rest, found, commoncrawl.index_lines(ask.indexes[0], ask.url), "index")
    return NotGiven((*ask.refused, found))


def _ask(ask: Ask, found: NoCopy, request: ArchiveRequest, stage: Stage) -> Ask:
    return replace(ask, request=request, stage=stage, hops=0, refused=(*ask.refused, found))


__all__ = ["Ask", "Given", "NotGiven", "first", "is_wanted", "is_wanted_after", "proceed", "refusal", "skipped"]
