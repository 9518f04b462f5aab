"""What the answers to /robots.txt mean (RFC 9309 sections 2.3.1 and 2.4), step by step and without I/O.

The caller asks `next_step` what to do, sends what it says, and asks again with the answer, until it gets a Standing.
Stricter than the RFC where it lets a crawler choose: what cannot be read closes the site, and it never flips to open.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from polite_crawler.rules import challenges, pacing
from polite_crawler.rules.robotsfile import Decision, RobotsFile, parse
from polite_crawler.rules.urls import absolute, normalize, origin, without_fragment

MAX_REDIRECTS = 5
FRESH_FOR = 86_400.0
"""Seconds for which a file is used with no request (section 2.4)."""

LEAST_FRESH = 60.0
"""Seconds that also a shorter max-age of the server leaves; 300 for no-cache and no-store. Else each page would cost
a second request."""

GOOD_FOR = 30 * 86_400.0
"""Seconds for which a good copy still counts while the file cannot be reached."""

FIRST_RETRY = 60.0
LAST_RETRY = 3600.0
CHALLENGE_STOP = 86_400.0

Result = Literal["allow", "deny-by-rule", "deny-unreachable", "host-stop"]

_BUSY = frozenset({408, 425, 429})
_REDIRECTS = frozenset({300, 301, 302, 303, 307, 308})
_MAX_AGE = re.compile(r'(?:^|[,\s])max-age\s*=\s*"?(\d{1,12})', re.IGNORECASE | re.ASCII)
_NO_CACHE = re.compile(r"(?:^|[,\s])no-(?:cache|store)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one request: a status with its headers and its decoded body, or the failure that came instead
    (`dns`, `reset`, `decode`, `egress` ... any word)."""

    status: int | None = None
    headers: Sequence[tuple[str, str]] | Mapping[str, str] = ()
    body: bytes = b""
    error: str | None = None

    def header(self, name: str) -> str | None:
        """The first value of a header, in any case of its name."""
        return next((value.strip() for key, value in self.pairs if key.strip().lower() == name), None)

    @property
    def pairs(self) -> Sequence[tuple[str, str]]:
        """The headers as pairs."""
        return tuple(self.headers.items()) if isinstance(self.headers, Mapping) else self.headers


@dataclass(frozen=True, slots=True)
class CachedFile:
    """The last good copy: a 2xx with its body, or a 4xx that says there is no file. `fetched_at` is when it was
    fetched or confirmed by a 304, in epoch seconds; `origin` whose file it is (None: the one that is asked for)."""

    body: bytes = b""
    status: int = 200
    fetched_at: float = 0.0
    origin: str | None = None
    cache_control: str | None = None

    def is_good(self, now: float) -> bool:
        """Whether it counts while the file cannot be reached."""
        return self.is_usable and now - self.fetched_at <= GOOD_FOR

    def is_fresh(self, now: float) -> bool:
        """Whether it answers with no request."""
        return self.is_usable and 0 <= now - self.fetched_at < lifetime(self.cache_control)

    @property
    def is_usable(self) -> bool:
        """Whether it says something: an answer of success or of no file."""
        return 200 <= self.status < 300 or _is_unavailable(self.status)


@dataclass(frozen=True, slots=True)
class Ask:
    """Send a GET for this URL. `conditional`: with the validators of the cached file."""

    url: str
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class Access:
    """What follows for one token and one URL. `retry_after_s`: when the file is asked for again, or how long the host
    rests, in seconds from now. `requests` is how many answers it took. `decision` is that of the rules, if any."""

    result: Result
    retry_after_s: float | None = None
    requests: int = 0
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """What counts for an origin until `fresh_s` seconds are over.

    `state`: `rules` (the file counts), `free` (there is no file), `unreachable` (nothing is fetched) or `challenge`
    (the host rests). `source`: the file is the last `answer`, the `cached` one, one that a 304 `confirmed`, or a
    `stale` one that counts because the file cannot be reached. `why` is the status or the failure of the last answer.
    """

    state: Literal["rules", "free", "unreachable", "challenge"]
    source: Literal["answer", "cached", "confirmed", "stale"]
    file: RobotsFile | None = None
    requests: int = 0
    why: str = ""
    fresh_s: float | None = None
    retry_after_s: float | None = None

    def access(self, token: str, url: str) -> Access:
        """What it means for one product token and one URL."""
        if self.state == "challenge":
            return Access("host-stop", self.retry_after_s, self.requests)
        if self.state == "unreachable":
            return Access("deny-unreachable", self.retry_after_s, self.requests)
        decision = self.file.decide(token, url) if self.file is not None else None
        result: Result = "allow" if decision is None or decision.allowed else "deny-by-rule"
        return Access(result, self.retry_after_s, self.requests, decision)


def access(
    answers: Sequence[Answer], *, cached: CachedFile | None, now: float, token: str, url: str, failures: int = 0
) -> Access:
    """What the answers mean for one token and one URL. Answers that nobody asked for are not read; with fewer than
    are needed the file counts as unreachable."""
    step = next_step(answers, cached=cached, now=now, url=url, failures=failures)
    if isinstance(step, Ask):
        step = _unreachable("no answer", None, _own(cached, url), now, len(answers), failures)
    return step.access(token, url)


def next_step(
    answers: Sequence[Answer], *, cached: CachedFile | None, now: float, url: str, failures: int = 0
) -> Ask | Standing:
    """What to do after the answers so far. `url` is any URL of the origin, `failures` how often in sequence the file
    could not be reached before. Raises BadOption for what is no http(s) URL."""
    cached = _own(cached, url)
    if cached is not None and cached.is_fresh(now):
        left = lifetime(cached.cache_control) - (now - cached.fetched_at)
        return _of_file(cached.status, cached.body, "cached", 0, left)
    target = robots_url(url)
    asked = {normalize(target)}
    for count, answer in enumerate(answers, 1):
        step = _of_answer(answer, target, cached, now, count, failures)
        if isinstance(step, Standing):
            return step
        if count > MAX_REDIRECTS or normalize(step.url) in asked:
            why = "too many redirects" if count > MAX_REDIRECTS else "a loop of redirects"
            return _unreachable(why, None, cached, now, count, failures)
        target = step.url
        asked.add(normalize(target))
    return Ask(target, conditional=not answers and cached is not None and cached.is_good(now))


def robots_url(url: str) -> str:
    """Where the file of a URL stands: scheme, host and port, and /robots.txt. Raises BadOption."""
    return origin(url) + "/robots.txt"


def lifetime(cache_control: str | None) -> float:
    """The seconds for which a file is used with no request: a day, or less when its Cache-Control says so."""
    text = cache_control or ""
    found = _MAX_AGE.search(text)
    if _NO_CACHE.search(text):
        return 5 * LEAST_FRESH
    return FRESH_FOR if found is None else min(FRESH_FOR, max(LEAST_FRESH, float(found[1])))


def retry_in(failures: int, retry_after: float | None) -> float:
    """The seconds until the next try: a minute, doubled by each failure before, or what Retry-After says; an hour at
    most."""
    backoff = min(LAST_RETRY, FIRST_RETRY * 2.0 ** min(max(failures, 0), 10))
    return max(backoff, min(retry_after or 0.0, LAST_RETRY))


def _of_answer(
    answer: Answer, target: str, cached: CachedFile | None, now: float, count: int, failures: int
) -> Ask | Standing:
    status = answer.status
    if status is not None and challenges.classify(status, answer.pairs, answer.body).kind == "challenge":
        return Standing("challenge", "answer", requests=count, why=str(status), retry_after_s=CHALLENGE_STOP)
    if status is not None and _is_unavailable(status):
        # the body of a refusal is never read, so it does not matter whether it could be
        return _of_file(status, b"", "answer", count, lifetime(answer.header("cache-control")))
    if status is None or answer.error is not None:
        return _unreachable(answer.error or "no answer", None, cached, now, count, failures)
    if 200 <= status < 300:
        return _of_file(status, answer.body, "answer", count, lifetime(answer.header("cache-control")))
    if status == 304 and cached is not None and cached.is_usable:
        control = answer.header("cache-control") or cached.cache_control
        return _of_file(cached.status, cached.body, "confirmed", count, lifetime(control))
    if status in _REDIRECTS:
        onward = absolute(target, answer.header("location") or "")
        if onward is not None and answer.header("location"):
            return Ask(without_fragment(onward))
    wait = pacing.retry_after(answer.header("retry-after"), now=now)
    return _unreachable(str(status), wait, cached, now, count, failures)


def _of_file(
    status: int, body: bytes, source: Literal["answer", "cached", "confirmed", "stale"], count: int, fresh: float
) -> Standing:
    if _is_unavailable(status):
        return Standing("free", source, requests=count, why=str(status), fresh_s=fresh)
    return Standing("rules", source, parse(body), count, str(status), fresh)


def _unreachable(
    why: str, retry_after: float | None, cached: CachedFile | None, now: float, count: int, failures: int
) -> Standing:
    wait = retry_in(failures, retry_after)
    if cached is None or not cached.is_good(now):
        return Standing("unreachable", "answer", requests=count, why=why, retry_after_s=wait)
    file = None if _is_unavailable(cached.status) else parse(cached.body)
    return Standing("rules" if file else "free", "stale", file, count, why, wait, wait)


def _own(cached: CachedFile | None, url: str) -> CachedFile | None:
    """The cached file, if it is that of the origin of the URL: scheme, host and port (section 2.3)."""
    if cached is None or (cached.origin is not None and origin(cached.origin) != origin(url)):
        return None
    return cached


def _is_unavailable(status: int) -> bool:
    """Section 2.3.1.3, without the statuses that ask to wait."""
    return 400 <= status < 500 and status not in _BUSY
