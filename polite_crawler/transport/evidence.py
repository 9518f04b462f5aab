"""From an exchange to its capture: pure functions that turn what happened into the record of it.

Redaction happens here, before the first octet of a head reaches the disk.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from polite_crawler.rules import redaction
from polite_crawler.rules.redaction import Place
from polite_crawler.store.record import (
    Body,
    Capture,
    Decoded,
    Kind,
    Net,
    Outcome,
    Redaction,
    RequestHead,
    ResponseHead,
    RobotsCheck,
    Signed,
    Time,
    Validators,
    utc,
)
from polite_crawler.transport.wire import ExchangeError, Made, Wire

SENSED = 256
"""How many octets of an answer that is no HTTP go into the note."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a request beside its exchange. `params` are the names of the secret query parameters;
    `secrets` the values that a caller knows to be secret."""

    url: str
    kind: Kind = "fetch"
    method: str = "GET"
    recipe: str | None = None
    job: str | None = None
    robots: tuple[RobotsCheck, ...] = ()
    validators: Validators | None = None
    signed: Signed | None = None
    redirect_of: str | None = None
    referrer: str | None = None
    software: str | None = None
    scope: str | None = None
    labels: Mapping[str, str] | None = None
    params: frozenset[str] = redaction.DEFAULT_SECRET_PARAMS
    secrets: tuple[str, ...] = ()


def of_wire(
    facts: Facts, wire: Wire, *, outcome: Outcome, reason: str | None = None, notes: Iterable[str] = ()
) -> Capture:
    """The capture of an exchange that gave a response. Its body comes by `with_body`."""
    response = redaction.redact_response_head(wire.response_head, facts.params, facts.secrets)
    if wire.made is not None:
        return _of_browser(facts, wire, wire.made, response, outcome=outcome, notes=notes)
    request = redaction.redact_request_head(wire.request_head, facts.params, facts.secrets)
    return _base(
        facts,
        time=Time(
            start=utc(wire.started), head_ms=_ms(wire.headed - wire.started), end_ms=_ms(wire.ended - wire.started)
        ),
        outcome=outcome,
        reason=reason,
        note=_note([*wire.notes, *notes]),
        status=wire.status,
        http=wire.http,
        net=Net(ip=wire.ip, port=wire.port, reused=wire.reused, tls=wire.tls),
        request=RequestHead(request.head.decode("latin-1")),
        response=ResponseHead(response.head.decode("latin-1"), "redacted" if response.places else "exact"),
        places=[*request.places, *response.places],
    )


def _of_browser(
    facts: Facts, wire: Wire, made: Made, head: redaction.RedactedHead, *, outcome: Outcome, notes: Iterable[str]
) -> Capture:
    """The capture of a rendered page. No server sent it, so it has no request and no address."""
    source = {"of": made.of}
    if made.moves_to is not None:
        source["moves_to"] = redaction.redact_url(made.moves_to, facts.params).url
    if made.picture is not None:
        source["picture"] = hashlib.sha256(made.picture).hexdigest()
    capture = _base(
        facts,
        time=Time(
            start=utc(wire.started), head_ms=_ms(wire.headed - wire.started), end_ms=_ms(wire.ended - wire.started)
        ),
        outcome=outcome,
        note=_note([*wire.notes, *notes]),
        status=wire.status,
        http=wire.http,
        response=ResponseHead(head.head.decode("latin-1"), "browser"),
        places=list(head.places),
    )
    return replace(capture, source=source)


def of_failure(facts: Facts, error: ExchangeError, *, now: float, notes: Iterable[str] = ()) -> Capture:
    """The capture of an exchange that gave no response. The first octets of what came stand in the note."""
    request = (
        redaction.redact_request_head(error.request_head, facts.params, facts.secrets) if error.request_head else None
    )
    started = error.started or now
    received = f"received {error.received[:SENSED]!r}" if error.received else ""
    return _base(
        facts,
        time=Time(start=utc(started), end_ms=_ms((error.ended or now) - started)),
        outcome="error",
        reason="idle connection closed" if error.kind == "idle" else error.kind,
        note=_note([str(error), received, *notes]),
        net=Net(ip=error.ip, port=error.port) if error.ip and error.port else None,
        request=RequestHead(request.head.decode("latin-1")) if request else None,
        places=list(request.places) if request else [],
    )


def of_skip(facts: Facts, *, reason: str, note: str, now: float) -> Capture:
    """The capture of a request that never went out."""
    return _base(facts, time=Time(start=utc(now)), outcome="skipped", reason=reason, note=_note([note]))


def with_body(
    capture: Capture,
    wire: Wire,
    *,
    params: frozenset[str] = redaction.DEFAULT_SECRET_PARAMS,
    url: str,
    secrets: tuple[str, ...] = (),
) -> Capture:
    """The capture with the facts of its body, and where secrets of the exchange stand in it."""
    head = capture.response.head.encode("latin-1") if capture.response else b""
    block = hashlib.sha256(head + wire.payload).hexdigest()
    if not wire.payload and not wire.truncated:
        return replace(capture, block_sha256=block)
    received = hashlib.sha256(wire.payload).hexdigest()
    decoded = None
    if wire.coding is not None and wire.decoded is not None:
        decoded = Decoded(hashlib.sha256(wire.decoded).hexdigest(), len(wire.decoded))
    elif wire.decoded is not None:
        decoded = Decoded(received, len(wire.payload))
    spans = redaction.find_secrets(
        wire.decoded if wire.decoded is not None else wire.payload,
        known_secrets(wire, url=url, params=params, secrets=secrets),
    )
    found = (Redaction("body", len(spans), tuple(number for span in spans for number in span)),) if spans else ()
    return replace(
        capture,
        body=Body(
            sha256=received,
            size=len(wire.payload),
            coding=wire.coding,
            declared=wire.declared,
            truncated=wire.truncated,
            decoded=decoded,
        ),
        block_sha256=block,
        secret_in_body=bool(spans),
        redacted=capture.redacted + found,
    )


def known_secrets(wire: Wire, *, url: str, params: frozenset[str], secrets: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The secrets that this exchange is known to hold, the longest first."""
    found = redaction.secrets_of(
        urls=(url,), request_head=wire.request_head, response_head=wire.response_head, params=params
    )
    return tuple(dict.fromkeys((*secrets, *found)))


def _base(
    facts: Facts,
    *,
    time: Time,
    outcome: Outcome,
    reason: str | None = None,
    note: str | None = None,
    status: int | None = None,
    http: str | None = None,
    net: Net | None = None,
    request: RequestHead | None = None,
    response: ResponseHead | None = None,
    places: Iterable[Place] = (),
) -> Capture:
    url = redaction.redact_url(facts.url, facts.params)
    referrer = redaction.redact_url(facts.referrer, facts.params) if facts.referrer else None
    counts: dict[str, int] = {}
    for where, n in (*url.places, *(referrer.places if referrer else ()), *places):
        counts[where] = counts.get(where, 0) + n
    return Capture(
        kind=facts.kind,
        url=url.url,
        method=facts.method,
        time=time,
        outcome=outcome,
        reason=reason,
        note=note and _hide(note, facts),
        status=status,
        http=http,
        net=net,
        request=request,
        response=response,
        recipe=facts.recipe,
        job=facts.job,
        robots=facts.robots,
        validators=facts.validators,
        signed=facts.signed,
        redirect_of=facts.redirect_of,
        referrer=referrer.url if referrer else None,
        software=facts.software,
        scope=facts.scope,
        labels=facts.labels or {},
        redacted=tuple(Redaction(where, n) for where, n in sorted(counts.items())),
    )


def _hide(note: str, facts: Facts) -> str:
    """A note can quote a URL or what a server sent: no known secret stays in it."""
    for secret in (*facts.secrets, *redaction.secrets_of(urls=(facts.url,), params=facts.params)):
        note = note.replace(secret, redaction.REDACTED)
    return note


def _note(notes: Iterable[str]) -> str | None:
    return "; ".join(dict.fromkeys(note for note in notes if note)) or None


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))
