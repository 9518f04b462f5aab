"""The capture record: one truth for each line of the log (schema v1, `record.schema.json`).

A line holds integers, strings, booleans, nulls, lists and objects only, so its canonical JSON (sorted keys, UTF-8,
no white space) is the same everywhere, and the id can be calculated again from the line.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Self, get_args

SCHEMA_VERSION = 1

Kind = Literal[
    "fetch", "render", "robots", "sitemap", "feed", "subresource", "archive-index", "archive-copy", "import",
    "override", "erase", "seal",
]  # fmt: skip
Outcome = Literal[
    "ok", "not_modified", "redirect", "gone", "refused", "blocked", "paid", "challenge", "busy", "error", "skipped",
]  # fmt: skip
HeadKind = Literal["exact", "redacted", "browser", "rebuilt"]
Truncated = Literal["length", "disconnect", "time"]

KINDS: tuple[Kind, ...] = get_args(Kind)
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

NOT_HASHED = ("id", "scope", "labels")
"""The fields that the id does not cover: an application can set them without a change of the evidence."""


def utc(seconds: float) -> str:
    """The RFC 3339 UTC text of an epoch time, with six digits of the second: texts sort as the times do."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def micros(text: str) -> int:
    """The epoch microseconds of an RFC 3339 text. A time without a zone is UTC."""
    moment = datetime.fromisoformat(text)
    return ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH) // timedelta(microseconds=1)


def utc_micros(value: int) -> str:
    """The RFC 3339 UTC text of epoch microseconds."""
    return (_EPOCH + timedelta(microseconds=value)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def epoch(text: str) -> float:
    """The epoch seconds of an RFC 3339 text. A time without a zone is UTC."""
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


@dataclass(frozen=True, slots=True)
class Time:
    """When the exchange began, and how many milliseconds later its head and its end came."""

    start: str
    head_ms: int | None = None
    end_ms: int = 0


@dataclass(frozen=True, slots=True)
class Tls:
    """What the TLS handshake agreed on, and the SHA-256 of the server's certificate."""

    version: str
    cipher: str | None = None
    alpn: str | None = None
    cert_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Net:
    """The address that answered. `reused` is true when the connection had carried an earlier exchange."""

    ip: str
    port: int
    reused: bool = False
    tls: Tls | None = None


@dataclass(frozen=True, slots=True)
class RequestHead:
    """The bytes of the request up to the blank line, as Latin-1 text, after redaction."""

    head: str


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """The bytes of the response up to the blank line, as Latin-1 text, and how true they are."""

    head: str
    head_kind: HeadKind = "exact"


@dataclass(frozen=True, slots=True)
class Decoded:
    """The entity body with its content coding removed: SHA-256 and size in bytes."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Body:
    """The entity body as received: transfer coding removed, content coding kept. The blob has this SHA-256."""

    sha256: str
    size: int
    coding: str | None = None
    declared: int | None = None
    truncated: Truncated | None = None
    decoded: Decoded | None = None

    @property
    def read_size(self) -> int:
        """Octets that a reader gets: without the content coding where there is one, as received where it is broken."""
        return self.size if self.decoded is None else self.decoded.size


@dataclass(frozen=True, slots=True)
class Validators:
    """The conditional headers that were sent, and the capture whose copy they name."""

    sent: Mapping[str, str]
    of: str | None = None


@dataclass(frozen=True, slots=True)
class RobotsCheck:
    """What robots.txt said of one product token. `stale` is true for a copy older than 24 hours."""

    allowed: bool
    agent: str | None = None
    rule: str | None = None
    line: int | None = None
    capture: str | None = None
    stale: bool = False
    token: str | None = None


@dataclass(frozen=True, slots=True)
class Signed:
    """The key and the agent of a Web Bot Auth signature. The key itself never stands here."""

    keyid: str
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class Redaction:
    """A place where REDACTED stands for `n` secrets. `at` lists start and length pairs, in octets of the decoded
    body, so that a reindex can cover the same octets before it reads the body."""

    where: str
    n: int
    at: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Capture:
    """One fetch decision: a page, a hop, a robots.txt, a refusal or an error. Frozen, as the log is."""

    kind: Kind
    url: str
    time: Time
    outcome: Outcome
    id: str = ""
    v: int = SCHEMA_VERSION
    recipe: str | None = None
    job: str | None = None
    method: str = "GET"
    reason: str | None = None
    status: int | None = None
    note: str | None = None
    http: str | None = None
    net: Net | None = None
    request: RequestHead | None = None
    response: ResponseHead | None = None
    redacted: tuple[Redaction, ...] = ()
    secret_in_body: bool = False
    body: Body | None = None
    block_sha256: str | None = None
    validators: Validators | None = None
    robots: tuple[RobotsCheck, ...] = ()
    signals: Mapping[str, Any] | None = None
    signed: Signed | None = None
    source: Mapping[str, Any] | None = None
    redirect_of: str | None = None
    referrer: str | None = None
    software: str | None = None
    scope: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def fetched_at(self) -> str:
        """When the exchange ended: `time.start` plus `time.end_ms`."""
        return utc_micros(self.fetched)

    @property
    def fetched(self) -> int:
        """`fetched_at` as epoch microseconds."""
        return micros(self.time.start) + self.time.end_ms * 1000

    @property
    def hold(self) -> str | None:
        """Why the text is held back from the AI reader, or None."""
        return (self.signals or {}).get("hold")

    def sealed(self) -> Self:
        """The same capture with its id."""
        return replace(self, id=capture_id(self.to_json()))

    def sealed_line(self) -> tuple[Self, bytes]:
        """The same capture with its id, and its line of the log."""
        found = self.to_json()
        found["id"] = capture_id(found)
        return replace(self, id=found["id"]), canonical(found) + b"\n"

    def to_json(self) -> dict[str, Any]:
        """The object of the line. A field that says nothing (None, empty, False) is left out."""
        return {name: value for name, value in _plain(self).items() if name in _ALWAYS or value not in _NOTHING}

    def line(self) -> bytes:
        """The line of the log, with its newline."""
        return canonical(self.to_json()) + b"\n"

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Self:
        """The capture of a line. A field that this version does not know raises ValueError."""
        value = _build(cls, line)
        assert isinstance(value, cls)
        return value


_ALWAYS = frozenset({"v", "id", "kind", "url", "method", "time", "outcome"})
_NOTHING: tuple[Any, ...] = (None, False, [], {})


_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def canonical(value: object) -> bytes:
    """Canonical JSON: sorted keys, UTF-8, no white space."""
    text = _ENCODER.encode(value)
    # a lone surrogate has no UTF-8: "?" keeps the line whole, and its id is calculated from what it holds
    return text.encode("utf-8", "replace")


_BASE32 = "abcdefghijklmnopqrstuvwxyz234567"


def capture_id(line: Mapping[str, Any]) -> str:
    """The id of a line: `fetch.` and the first 26 characters of the lower-case base32 of its SHA-256."""
    digest = hashlib.sha256(canonical({k: v for k, v in line.items() if k not in NOT_HASHED})).digest()
    # base64.b32encode is written in Python, for text of any length: this takes a fifth of its time
    bits = int.from_bytes(digest[:17], "big") >> 6
    return "fetch." + "".join([_PAIRS[bits >> shift & 1023] for shift in range(120, -1, -10)])


_PAIRS = [one + two for one in _BASE32 for two in _BASE32]


_LEAVES = frozenset({str, int, bool, type(None)})


def _plain(value: Any) -> Any:
    # most of what a capture holds, and the slowest to tell from a Mapping
    if type(value) in _LEAVES:
        return value
    names = getattr(type(value), "__dataclass_fields__", None)
    if names is not None:
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(v) for v in value]
    if isinstance(value, float):
        raise ValueError("a line of the log holds no fractions: they have no one spelling")
    return value


_PARTS: dict[tuple[type, str], type] = {
    (Capture, "time"): Time, (Capture, "net"): Net, (Net, "tls"): Tls, (Capture, "request"): RequestHead,
    (Capture, "response"): ResponseHead, (Capture, "body"): Body, (Body, "decoded"): Decoded,
    (Capture, "validators"): Validators, (Capture, "signed"): Signed,
}  # fmt: skip
_LISTS: dict[tuple[type, str], type] = {(Capture, "redacted"): Redaction, (Capture, "robots"): RobotsCheck}


def _build(cls: type, value: Mapping[str, Any]) -> Any:
    known = cls.__dataclass_fields__  # type: ignore[attr-defined]
    out: dict[str, Any] = {}
    for name, item in value.items():
        if name not in known:
            raise ValueError(f"{cls.__name__} has no field {name!r}")
        if item is None:
            out[name] = None
        elif part := _PARTS.get((cls, name)):
            out[name] = _build(part, item)
        elif part := _LISTS.get((cls, name)):
            out[name] = tuple(_build(part, one) for one in item)
        else:
            out[name] = tuple(item) if isinstance(item, list) else item
    return cls(**out)
