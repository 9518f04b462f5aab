"""How long a host rests between two requests, and when it is not asked at all.

All pure: the clock and the randomness are parameters. Times are epoch seconds, spans are seconds.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

from polite_crawler.errors import BadOption
from polite_crawler.rules import durations
from polite_crawler.rules.urls import host_key

MAX_CRAWL_DELAY = 86_400.0
"""The longest Crawl-delay that is kept, in seconds. A longer one counts as this."""

LONG_RETRY_AFTER = 3_600.0
"""A Retry-After over this many seconds is a stop and not a rest."""

MAX_RETRY_AFTER = 30 * 86_400.0
"""The longest Retry-After that is kept, in seconds."""

PACES: dict[str, float] = {
    "web.archive.org": 6.0,
    "archive.org": 6.0,
    "index.commoncrawl.org": 1.0,
    "data.commoncrawl.org": 1.0,
}
"""The least rest of the public archives in seconds, whatever the settings say: they serve everybody."""

_NUMBER = re.compile(r"\d{1,18}(\.\d{1,18})?", re.ASCII).fullmatch
_ARCHIVES = frozenset({"archive", "archive-index", "archive-copy"})
_BUSY = frozenset({429, 503})


@dataclass(frozen=True, slots=True)
class Policy:
    """The limits of one host. Every field is in seconds, but for `slow_factor` (a factor), `respect_crawl_delay` and
    `failures` (how many in sequence stop the host). `max_interval` caps the rest that comes from `slow_factor` and
    nothing else.
    """

    page_interval: float = 3.0
    slow_factor: float = 2.0
    max_interval: float = 300.0
    respect_crawl_delay: bool = True
    backoff_min: float = 5.0
    backoff_max: float = 300.0
    stop_blocked: float = 3_600.0
    stop_paid: float = 86_400.0
    stop_challenge: float = 86_400.0
    stop_failures: float = 3_600.0
    failures: int = 5


@dataclass(frozen=True, slots=True)
class Answer:
    """What a host answered, as far as its pace and its stops go: the raw answer of the named host, before a
    redirect, a fallback or a render takes its place.

    `kind` is the kind of its capture (fetch, robots, archive-copy ...). `status` is None when no response came.
    `seconds` is how long the exchange took. `error` is true for a network failure or a body that does not decode;
    an exchange that was cancelled, or an idle connection that had closed, is no error of the host. `refused` is true
    when an archive itself refuses us: what it hands on of another server never is a word of its own.
    """

    kind: str = "fetch"
    status: int | None = None
    seconds: float = 0.0
    retry_after_s: float | None = None
    error: bool = False
    challenge: bool = False
    refused: bool = False


@dataclass(frozen=True, slots=True)
class HostState:
    """The pace of one host. `ready` is when it may be asked again; until `stop_until` it is not asked at all, for
    `stop_reason`. `failures` counts those in sequence, `backoff` the steps of the backoff, `asked` all requests.
    """

    ready: float = 0.0
    stop_until: float = 0.0
    stop_reason: str = ""
    failures: int = 0
    backoff: int = 0
    crawl_delay: float = 0.0
    asked: int = 0

    def stopped(self, now: float) -> bool:
        """True while the host is stopped."""
        return self.stop_until > now


FRESH = HostState()
"""The state of a host that was never asked."""


def next_state(state: HostState, answer: Answer, policy: Policy, *, now: float, jitter: float) -> HostState:
    """The state after an answer that ended at `now`. `jitter` is a random number in [0, 1)."""
    state = replace(state, asked=state.asked + 1)
    busy, failed = answer.status in _BUSY, _is_failure(answer)
    if answer.kind != "robots":
        answered = answer.status is not None and not answer.error
        backoff = state.backoff + 1 if busy or failed else 0 if answered else state.backoff
        failures = state.failures + 1 if failed else state.failures if busy or not answered else 0
        state = replace(state, backoff=backoff, failures=0 if answer.kind in _ARCHIVES else failures)
    rest = _rest(state, answer, policy, waits=busy or failed, jitter=jitter)
    state = replace(state, ready=max(state.ready, now + rest))
    span, reason = _stop(state, answer, policy)
    return stopped(state, until=now + span, reason=reason) if span else state


def stopped(state: HostState, *, until: float, reason: str) -> HostState:
    """The state with a stop. A stop that ends earlier than the one in force changes nothing; the count of failures
    begins again after a stop."""
    if until <= state.stop_until:
        return state
    return replace(state, stop_until=until, stop_reason=reason, failures=0)


def backoff(step: int, policy: Policy, *, jitter: float) -> float:
    """The seconds to wait at a step of the backoff (1 for the first): `backoff_min`, doubling, with up to a quarter
    of random jitter, never outside `backoff_min` to `backoff_max`."""
    if step <= 0:
        return 0.0
    top = max(policy.backoff_min, policy.backoff_max)
    base = min(top, policy.backoff_min * 2.0 ** min(step - 1, 60))
    spread = base * jitter / 4
    # at the top the jitter goes down, so that hosts that failed together do not come back together
    return max(policy.backoff_min, base + spread if base + spread <= top else top - spread)


def retry_after(value: str | None, *, now: float) -> float | None:
    """The seconds of a Retry-After header (RFC 9110, section 10.2.3): a number of seconds or an HTTP-date in any of
    its three forms. None for no header or one that says neither; a date in the past is 0. Of several numbers, which
    the section does not allow, the largest counts."""
    text = (value or "").strip()
    numbers = [part.strip() for part in text.split(",")]
    if all(map(_NUMBER, numbers)):
        return min(max(map(float, numbers)), MAX_RETRY_AFTER)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    later = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now
    return min(max(0.0, later), MAX_RETRY_AFTER)


def _is_failure(answer: Answer) -> bool:
    return answer.error or (answer.status is not None and answer.status >= 500 and answer.status not in _BUSY)


def _rest(state: HostState, answer: Answer, policy: Policy, *, waits: bool, jitter: float) -> float:
    asked_for = min(answer.retry_after_s or 0.0, LONG_RETRY_AFTER)
    if answer.kind == "robots":
        return max(policy.page_interval, asked_for)
    slow = min(policy.slow_factor * max(0.0, answer.seconds), policy.max_interval)
    delay = min(state.crawl_delay, MAX_CRAWL_DELAY) if policy.respect_crawl_delay else 0.0
    waited = backoff(state.backoff, policy, jitter=jitter) if waits else 0.0
    return max(policy.page_interval, slow, delay, waited, asked_for)


def _stop(state: HostState, answer: Answer, policy: Policy) -> tuple[float, str]:
    """The span of the stop that an answer brings (0 for none), and its reason."""
    if answer.kind in _ARCHIVES:
        return _archive_stop(answer, policy) if answer.refused else (0.0, "")
    if answer.challenge:
        return policy.stop_challenge, "challenge"
    if answer.kind == "robots":
        return 0.0, ""
    stops = [(0.0, "")]
    # an interface that a script asks says by 401 that its visitor has not logged in: no word about crawlers
    logged_out = answer.status == 401 and answer.kind == "subresource"
    if answer.status in (401, 403) and not logged_out:
        stops.append((policy.stop_blocked, f"status {answer.status}"))
    elif answer.status == 402:
        stops.append((policy.stop_paid, "status 402"))
    if state.failures >= policy.failures:
        stops.append((policy.stop_failures, f"{state.failures} failures in sequence"))
    if answer.retry_after_s is not None and answer.retry_after_s > LONG_RETRY_AFTER:
        stops.append((min(answer.retry_after_s, MAX_RETRY_AFTER), "Retry-After"))
    return max(stops)


def _archive_stop(answer: Answer, policy: Policy) -> tuple[float, str]:
    if answer.retry_after_s is not None and answer.retry_after_s > LONG_RETRY_AFTER:
        return min(answer.retry_after_s, MAX_RETRY_AFTER), "Retry-After"
    if answer.status is not None:
        return policy.stop_blocked, f"status {answer.status}"
    # the Internet Archive closes its door to who does not slow down
    return policy.stop_failures, "the connection is refused"


def policies(hosts: Mapping[str, Mapping[str, Any]], default: Policy = Policy()) -> Callable[[str], Policy]:
    """The policy of each host by POLITE_HOSTS: a host name, or `*.example.org` for the hosts under it (the longest
    name that matches wins). A field that is not named keeps the default, and no host of PACES rests for less than
    there. Anything that is not valid is a BadOption."""
    if not isinstance(hosts, Mapping):
        raise BadOption(f"POLITE_HOSTS: {hosts!r} is not a mapping of hosts to limits")
    known = {
        _pattern(name): with_fields(default, limits, name=f"POLITE_HOSTS[{name!r}]") for name, limits in hosts.items()
    }

    def named(host: str) -> Policy:
        if (exact := known.get(host)) is not None:
            return exact
        rest = host
        while "." in rest:
            rest = rest.partition(".")[2]
            if (under := known.get(f"*.{rest}")) is not None:
                return under
        return default

    def of(host: str) -> Policy:
        policy = named(host) if known else default
        least = PACES.get(host, 0.0)
        return policy if policy.page_interval >= least else replace(policy, page_interval=least)

    return of


def with_fields(policy: Policy, limits: Mapping[str, Any], *, name: str) -> Policy:
    """The policy with some of its fields changed. Spans may be texts ("90s", "10m", "24h", "7d"). `name` is the
    setting that the error names."""
    if not isinstance(limits, Mapping):
        raise BadOption(f"{name}: {limits!r} is not a mapping of limits")
    names = {field.name for field in fields(Policy)}
    changes: dict[str, Any] = {}
    for key, value in limits.items():
        if key not in names:
            raise BadOption(f"{name}: there is no limit {key!r} (there are {', '.join(sorted(names))})")
        changes[key] = _value(key, value, where=f"{name}[{key!r}]")
    return replace(policy, **changes)


def _pattern(name: Any) -> str:
    """A key of POLITE_HOSTS in the form of a host key, with its `*.`."""
    text = name.strip() if isinstance(name, str) else ""
    bare = text.removeprefix("*.")
    try:
        # a host key knows no port, no path and no user, so a name that has one of them is a mistake
        if not bare or re.search(r"[*/?#@\\\s]|^\.", bare) or (":" in bare and not bare.startswith("[")):
            raise BadOption
        host = host_key(f"http://{bare}")
    except BadOption:
        raise BadOption(f"POLITE_HOSTS: {name!r} is neither a host name nor of the form *.example.org") from None
    return f"*.{host}" if bare != text else host


def _value(key: str, value: Any, *, where: str) -> Any:
    if key == "respect_crawl_delay":
        if not isinstance(value, bool):
            raise BadOption(f"{where}: {value!r} is neither True nor False")
        return value
    if key == "failures":
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise BadOption(f"{where}: {value!r} is not a whole number from 1")
        return value
    return durations.seconds(value, where)
