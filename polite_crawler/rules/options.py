"""The settings of the package as typed options: one place that knows their defaults and what is valid.

`DEFAULTS` is what Scrapy's settings get at their lowest priority, so each setting can be read there by its name too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from polite_crawler.errors import BadOption
from polite_crawler.rules import addresses, durations, identity, pacing, redaction, rendering, signature, urls

DEFAULTS: dict[str, Any] = {
    "POLITE_STORE": None,
    "POLITE_BOT_URL": identity.DEFAULT_BOT_URL,
    "POLITE_CONTACT": "",
    "POLITE_USER_AGENT": "",
    "POLITE_ON_BEHALF_OF": [],
    "POLITE_OBEY_DEFAULT_TOKEN": True,
    "POLITE_PAGE_INTERVAL": 3.0,
    "POLITE_SLOW_FACTOR": 2.0,
    "POLITE_HOSTS": {},
    "POLITE_MAX_WAIT": "10m",
    "POLITE_TIMEOUTS": {"dns": 10, "connect": 15, "head": 30, "body": 60},
    "POLITE_RETRIES": 2,
    "POLITE_RESUME": False,
    "POLITE_ALLOW_PRIVATE": False,
    "POLITE_EGRESS_ALLOW": [],
    "POLITE_MAX_AGE": "24h",
    "POLITE_MAX_BYTES": 5 * 1024 * 1024,
    "POLITE_MIN_FREE": 200 * 1024 * 1024,
    "POLITE_RENDER": "auto",
    "POLITE_MAX_RENDERS": 2,
    "POLITE_SCREENSHOT": False,
    "POLITE_ARCHIVE_FALLBACK": False,
    "POLITE_ARCHIVE_DESPITE_ROBOTS": False,
    "POLITE_ARCHIVE_TIMEGATE": "",
    "POLITE_SIGN_KEY": "",
    "POLITE_SIGNATURE_AGENT": "",
    "POLITE_SIGN": "always",
    "POLITE_SIGN_COVER": [],
    "POLITE_SIGN_FORM": "uri",
    "POLITE_SIGN_LIFETIME": "5m",
    "POLITE_SECRET_PARAMS": [],
    "POLITE_SCOPE": "",
    "POLITE_LABELS": {},
    "POLITE_SCOPE_RANK": {},
    "POLITE_WARC": "",
    "POLITE_METRICS_PORT": None,
}

_HOME = "~/.polite-crawler"

_SCRAPY_COUNTS = {"CONCURRENT_REQUESTS": 1, "DEPTH_LIMIT": 0, "CLOSESPIDER_PAGECOUNT": 0, "CLOSESPIDER_ITEMCOUNT": 0}
_SCRAPY_SECONDS = ("DOWNLOAD_DELAY", "DOWNLOAD_TIMEOUT", "CLOSESPIDER_TIMEOUT")


@dataclass(frozen=True, slots=True)
class Options:
    """The checked settings of one crawl. Spans are seconds, sizes bytes."""

    store: str
    identity: identity.Identity
    policy_of: Callable[[str], pacing.Policy]
    max_wait: float
    timeouts: Mapping[str, float]
    retries: int
    resume: bool
    egress: addresses.Egress
    max_age: durations.MaxAge
    max_bytes: int
    min_free: int
    render: rendering.Mode
    max_renders: int
    screenshot: bool
    archive_fallback: bool
    archive_despite_robots: bool
    archive_timegate: str
    signature: signature.SignatureOptions
    secret_params: frozenset[str]
    scope: str | None
    labels: Mapping[str, str]
    scope_rank: Mapping[str, int]
    warc: str | None
    metrics_port: int | None

    @classmethod
    def of(
        cls,
        given: Callable[[str], Any],
        environment: Mapping[str, str],
        *,
        version: str,
        delay: float = 0.0,
        delays: Mapping[str, float] | None = None,
    ) -> "Options":
        """The options of a settings getter. The environment counts where a setting says nothing. `delay` is Scrapy's
        DOWNLOAD_DELAY: a larger one raises the page interval, and so do those of DOWNLOAD_SLOTS (`delays`) for single
        hosts. Raises BadOption for a value that is not valid."""
        setting = _with_defaults(given)
        return cls(
            store=_text(setting, "POLITE_STORE") or environment.get("POLITE_CRAWLER_DIR") or _HOME,
            identity=_identity(setting, environment, version),
            policy_of=_policies(setting, delay, delays or {}),
            max_wait=_span(setting, "POLITE_MAX_WAIT"),
            timeouts=_timeouts(_mapping(setting, "POLITE_TIMEOUTS")),
            retries=_count(setting, "POLITE_RETRIES"),
            resume=_flag(setting, "POLITE_RESUME"),
            egress=_egress(setting, environment),
            max_age=durations.max_age(setting("POLITE_MAX_AGE"), "POLITE_MAX_AGE"),
            max_bytes=_count(setting, "POLITE_MAX_BYTES", least=1),
            min_free=_count(setting, "POLITE_MIN_FREE"),
            render=rendering.mode(setting("POLITE_RENDER"), "POLITE_RENDER"),
            max_renders=_count(setting, "POLITE_MAX_RENDERS", least=1),
            screenshot=_flag(setting, "POLITE_SCREENSHOT"),
            archive_fallback=_flag(setting, "POLITE_ARCHIVE_FALLBACK"),
            archive_despite_robots=_flag(setting, "POLITE_ARCHIVE_DESPITE_ROBOTS"),
            archive_timegate=_timegate(_text(setting, "POLITE_ARCHIVE_TIMEGATE")),
            signature=_signature(setting, environment),
            secret_params=redaction.secret_params(_names(setting, "POLITE_SECRET_PARAMS")),
            scope=_text(setting, "POLITE_SCOPE") or None,
            labels={str(k): str(v) for k, v in _mapping(setting, "POLITE_LABELS").items()},
            scope_rank=_ranks(_mapping(setting, "POLITE_SCOPE_RANK")),
            warc=_text(setting, "POLITE_WARC") or None,
            metrics_port=_port(setting, "POLITE_METRICS_PORT"),
        )


def _with_defaults(given: Callable[[str], Any]) -> Callable[[str], Any]:
    def setting(name: str) -> Any:
        value = given(name)
        return DEFAULTS[name] if value is None else value

    return setting


def scrapy_delay(given: Callable[[str], Any]) -> float:
    """Scrapy's DOWNLOAD_DELAY in seconds, after a look at the numbers of Scrapy that keep their meaning. Raises
    BadOption for one that is not valid, where Scrapy would show a traceback."""
    for name, least in _SCRAPY_COUNTS.items():
        if given(name) is not None:
            _count(given, name, least=least)
    for name in _SCRAPY_SECONDS:
        if given(name) is not None:
            _number(given, name)
    return float(given("DOWNLOAD_DELAY") or 0)


def scrapy_delays(slots: Any) -> Mapping[str, float]:
    """The delays in seconds that Scrapy's DOWNLOAD_SLOTS gives single hosts. Raises BadOption for one that is not
    valid."""
    delays = {}
    for host, slot in (slots or {}).items():
        where = f"DOWNLOAD_SLOTS[{host!r}]"
        if not isinstance(slot, Mapping):
            raise BadOption(f"{where}: {slot!r} is not a mapping of limits")
        if slot.get("delay") is not None:
            delays[str(host)] = _number(slot.get, "delay", where=f"{where}['delay']")
    return delays


def _identity(setting: Callable[[str], Any], environment: Mapping[str, str], version: str) -> identity.Identity:
    return identity.identity(
        version=version,
        user_agent=_text(setting, "POLITE_USER_AGENT"),
        bot_url=_text(setting, "POLITE_BOT_URL"),
        contact=_text(setting, "POLITE_CONTACT") or environment.get("POLITE_CRAWLER_CONTACT", ""),
        on_behalf_of=_names(setting, "POLITE_ON_BEHALF_OF"),
        obey_default_token=_flag(setting, "POLITE_OBEY_DEFAULT_TOKEN"),
    )


def _policies(
    setting: Callable[[str], Any], delay: float, delays: Mapping[str, float]
) -> Callable[[str], pacing.Policy]:
    default = pacing.Policy(
        page_interval=max(_span(setting, "POLITE_PAGE_INTERVAL"), delay),
        slow_factor=_number(setting, "POLITE_SLOW_FACTOR"),
    )
    of = pacing.policies(_mapping(setting, "POLITE_HOSTS"), default)
    if not delays:
        return of

    def slower(host: str) -> pacing.Policy:
        policy = of(host)
        return replace(policy, page_interval=max(policy.page_interval, delays.get(host, 0.0)))

    return slower


def _egress(setting: Callable[[str], Any], environment: Mapping[str, str]) -> addresses.Egress:
    private = _flag(setting, "POLITE_ALLOW_PRIVATE") or truth(
        environment.get("POLITE_CRAWLER_ALLOW_PRIVATE", ""), "POLITE_CRAWLER_ALLOW_PRIVATE"
    )
    return addresses.Egress(private, addresses.EgressAllow.parse(_names(setting, "POLITE_EGRESS_ALLOW")))


def _signature(setting: Callable[[str], Any], environment: Mapping[str, str]) -> signature.SignatureOptions:
    return signature.signature_options(
        key=_text(setting, "POLITE_SIGN_KEY") or environment.get("POLITE_CRAWLER_SIGN_KEY", "").strip(),
        agent=_text(setting, "POLITE_SIGNATURE_AGENT") or environment.get("POLITE_CRAWLER_SIGNATURE_AGENT", "").strip(),
        when=_text(setting, "POLITE_SIGN").lower(),
        cover=_names(setting, "POLITE_SIGN_COVER"),
        form=_text(setting, "POLITE_SIGN_FORM").lower(),
        lifetime_s=_span(setting, "POLITE_SIGN_LIFETIME"),
    )


def _text(setting: Callable[[str], Any], name: str) -> str:
    value = setting(name)
    return "" if value is None else str(value).strip()


def _span(setting: Callable[[str], Any], name: str) -> float:
    return durations.seconds(setting(name), name)


def _number(setting: Callable[[str], Any], name: str, *, where: str = "") -> float:
    value = setting(name)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number < float("inf"):
        raise BadOption(f"{where or name}: {value!r} is not a number from 0")
    return number


def _count(setting: Callable[[str], Any], name: str, *, least: int = 0) -> int:
    value = setting(name)
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = -1
    if isinstance(value, bool) or number < least or (isinstance(value, float) and value != number):
        raise BadOption(f"{name}: {value!r} is not a whole number from {least}")
    return number


def _port(setting: Callable[[str], Any], name: str) -> int | None:
    value = setting(name)
    if value is None or value == "":
        return None
    port = _count(setting, name)
    if port > 65_535:
        raise BadOption(f"{name}: {value!r} is no port from 0 to 65535 (0 takes a free one)")
    return port


def _flag(setting: Callable[[str], Any], name: str) -> bool:
    value = setting(name)
    return value if isinstance(value, bool) else truth(str(value), name)


def truth(value: str, name: str) -> bool:
    """A text as true or false, as people write them. Raises BadOption that names the option."""
    text = value.strip().lower()
    if text in ("1", "true", "yes", "on"):
        return True
    if text in ("", "0", "false", "no", "off", "none"):
        return False
    raise BadOption(f"{name}: {value!r} is neither true nor false")


def _names(setting: Callable[[str], Any], name: str) -> Sequence[str]:
    value = setting(name)
    if value is None:
        return ()
    if isinstance(value, str):
        return [part for part in value.replace(",", " ").split() if part]
    if not isinstance(value, (list, tuple, set, frozenset)) or not all(isinstance(one, str) for one in value):
        raise BadOption(f"{name}: {value!r} is not a list of names")
    return list(value)


def _mapping(setting: Callable[[str], Any], name: str) -> Mapping[str, Any]:
    value = setting(name)
    if value is None or value == "":
        return {}
    if isinstance(value, str):
        import json

        try:
            value = json.loads(value)
        except ValueError:
            raise BadOption(f"{name}: {value!r} is not a JSON object") from None
    if not hasattr(value, "items"):
        raise BadOption(f"{name}: {value!r} is not a mapping")
    return dict(value.items())


def _timegate(value: str) -> str:
    """The URL that the URL of a page is put behind."""
    if value and not urls.is_http(value):
        raise BadOption(f"POLITE_ARCHIVE_TIMEGATE: {value!r} is no http or https URL")
    return value if not value or value.endswith(("/", "=")) else value + "/"


def _ranks(value: Mapping[str, Any]) -> Mapping[str, int]:
    ranks: dict[str, int] = {}
    for scope, rank in value.items():
        try:
            ranks[str(scope)] = int(rank)
        except (TypeError, ValueError):
            raise BadOption(f"POLITE_SCOPE_RANK[{scope!r}]: {rank!r} is not a whole number") from None
    return ranks


def _timeouts(value: Mapping[str, Any]) -> Mapping[str, float]:
    known: dict[str, float] = dict(DEFAULTS["POLITE_TIMEOUTS"])
    for key, span in value.items():
        if key not in known:
            raise BadOption(f"POLITE_TIMEOUTS: there is no time-out {key!r} (there are {', '.join(known)})")
        known[key] = durations.seconds(span, f"POLITE_TIMEOUTS[{key!r}]")
        if known[key] <= 0:
            raise BadOption(f"POLITE_TIMEOUTS[{key!r}]: a time-out is longer than 0 s")
    return known
