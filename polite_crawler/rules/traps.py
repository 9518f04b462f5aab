"""Traps: links that never end. A link that a rule refuses is counted under the name of the rule, and the crawl goes on.

The rules of one URL are functions; what needs the links before is a TrapGuard, one for each crawl. It does no I/O and
its memory is bounded.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

from polite_crawler.errors import BadOption
from polite_crawler.rules.caldates import CalendarPage, calendar_page
from polite_crawler.rules.urls import host_key, normal_or_none, normalize, path_segments, query_params

Trap = Literal["trap:calendar", "trap:query", "trap:repeat-path", "trap:session-id", "trap:soft-404"]

MOST_SEGMENTS = 20
MOST_REPEATS = 2
"""How often in sequence a path may hold the same segment, or the same run of up to four segments."""

MOST_PARAMS = 16
MOST_SAME_PARAM = 3
"""How often a query may hold one name; ten times when the name ends in `[]`, as forms write lists."""

MOST_PARAM_SETS = 24
"""How many sets of parameter names one path may have: facets that multiply have more."""

MOST_URL = 2048

NEAR_MONTHS = 13
"""A calendar page is near when it shows a date at most as many months from now."""

MOST_NEAR_PAGES = 60
MOST_FAR_PAGES = 12
"""How many pages of one shape a calendar may have, near and far ones."""

MOST_COPIES = 2
"""How many pages with one body on one host have their links followed."""

_PATH_SESSION = re.compile(
    r";(?:jsessionid|phpsessid|sessionid|sid|aspsessionid\w*|cfid|cftoken|osCsid)=[^;/?]*|/\((?:[A-Za-z]\([^()/]{10,}\))+\)(?=/)",
    re.IGNORECASE,
)
_SESSION_NAMES = re.compile(
    r"phpsessid|jsessionid|aspsessionid\w*|sessionid|session_id|session-id|sessid|sess_id|oscsid|zenid|cfid|cftoken"
    r"|mybbsid|xtcsid|sessiontoken|session_token",
    re.IGNORECASE,
).fullmatch
_MAYBE_SESSION_NAMES = frozenset({"sid", "s", "session", "sess", "sessionkey"})
_ID = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9_,-]{16,128}|[0-9a-fA-F]{32,128}").fullmatch


def url_trap(url: str) -> Trap | None:
    """The trap that a URL shows by itself: a path that repeats, a query that grew. None for what is no http(s) URL."""
    try:
        segments, params = path_segments(url), query_params(url)
    except BadOption:
        return None
    if len(segments) > MOST_SEGMENTS or _repeats(segments):
        return "trap:repeat-path"
    if len(params) > MOST_PARAMS or _grew([name for name, _ in params]):
        return "trap:query"
    if len(url) > MOST_URL:
        return "trap:query" if len(url.partition("?")[2]) > len(url) // 2 else "trap:repeat-path"
    return None


def without_session(url: str) -> str:
    """The normal form of a URL without the session id in its path or query: the URL that the page has for everybody.

    The same normal form when it holds none. Raises BadOption for what is no http(s) URL.
    """
    normal = normalize(url)
    head, mark, query = normal.partition("?")
    path = _PATH_SESSION.sub("", head) if "(" in head or ";" in head else head
    pieces = [piece for piece in query.split("&") if not _is_session(piece)] if mark else []
    kept = "&".join(pieces)
    return normalize(path + ("?" + kept if kept else ""))


class TrapGuard:
    """The rules that need to know the links before. `now` is the epoch time of the crawl, `limit` bounds what each rule
    remembers: beyond it, new links are no longer counted, and none is refused for that."""

    def __init__(self, *, now: float, limit: int = 100_000) -> None:
        self._limit = limit
        moment = datetime.fromtimestamp(now, UTC)
        self._now = moment.year * 12 + moment.month - 1
        self._calendars: dict[tuple[object, ...], set[tuple[int, int, int]]] = {}
        self._param_sets: dict[str, set[tuple[str, ...]]] = {}
        self._queries: dict[int, int] = {}
        self._copies: dict[tuple[str, str], set[str]] = {}

    def refusal(self, url: str) -> Trap | None:
        """The trap that a link leads into, or None. A link that is not refused counts as followed; asking for it
        again changes nothing."""
        normal = normal_or_none(url)
        if normal is None:
            return None
        return url_trap(normal) or self._calendar(normal) or self._query(normal)

    def is_soft_404(self, url: str, digest: str) -> bool:
        """Whether a page (its URL, and a digest of its body) repeats pages that this host sent under other URLs: its
        links are not followed, because each of them leads to the same page again."""
        normal = normal_or_none(url)
        if normal is None:
            return False
        key = (host_key(normal), digest)
        if key not in self._copies and len(self._copies) >= self._limit:
            return False
        urls = self._copies.setdefault(key, set())
        if normal not in urls and len(urls) < MOST_COPIES:
            urls.add(normal)
        return normal not in urls

    def _calendar(self, normal: str) -> Trap | None:
        page = calendar_page(normal)
        if page is None:
            return None
        far = abs(page.months - self._now) > NEAR_MONTHS
        key = (host_key(normal), far, *page.shape)
        if key not in self._calendars and len(self._calendars) >= self._limit:
            return None
        return None if _admit(self._calendars.setdefault(key, set()), page, far) else "trap:calendar"

    def _query(self, normal: str) -> Trap | None:
        """The same parameters in another order, or one more set of names than a path may have."""
        path, mark, query = normal.partition("?")
        if not mark or "&" not in query:
            return None
        in_order = "&".join(sorted(query.split("&")))
        same, this = hash((path, in_order)), hash(normal)
        if self._queries.get(same, this) != this:
            return "trap:query"
        names = tuple(sorted({name for name, _ in query_params(normal)}))
        sets = self._param_sets.get(path, set())
        if names not in sets and len(sets) >= MOST_PARAM_SETS:
            return "trap:query"
        if len(self._queries) < self._limit:
            self._queries[same] = this
        if path in self._param_sets or len(self._param_sets) < self._limit:
            self._param_sets.setdefault(path, sets).add(names)
        return None


def _admit(dates: set[tuple[int, int, int]], page: CalendarPage, far: bool) -> bool:
    date = (page.year, page.month, page.day)
    if date not in dates and len(dates) < (MOST_FAR_PAGES if far else MOST_NEAR_PAGES):
        dates.add(date)
    return date in dates


def _repeats(segments: Sequence[str]) -> bool:
    """Whether a run of one to four segments stands more than twice in sequence. Numbers alone need one more: a date
    may be 11/11/11."""
    for length in range(1, 5):
        for start in range(len(segments) - length * (MOST_REPEATS + 1) + 1):
            run = segments[start : start + length]
            times = 1
            while segments[start + times * length : start + (times + 1) * length] == run:
                times += 1
            if times > MOST_REPEATS + all(map(str.isdigit, run)):
                return True
    return False


def _grew(names: Sequence[str]) -> bool:
    """Whether a query holds a name too often, or the traces of links that were escaped again and again (`amp;p`)."""
    if sum(name.lower().startswith("amp;") for name in names) > 1:
        return True
    return any(names.count(name) > (10 if name.endswith("[]") else MOST_SAME_PARAM) for name in set(names))


def _is_session(piece: str) -> bool:
    name, _, value = piece.partition("=")
    if _SESSION_NAMES(name):
        return True
    return name.lower() in _MAYBE_SESSION_NAMES and _ID(value) is not None
