"""From an exchange to its capture: pure functions that turn what happened into the record of it.

Redaction happens here, before the first octet of a head reaches the disk.
"""

import hashlib
from collections import Counter
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
    """What is known of a request beside its exchange. `params` are the names of the secret query parameters."""

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


def of_wire(
    facts: Facts, wire: Wire, *, outcome: Outcome, reason: str | None = None, notes: Iterable[str] = ()
) -> Capture:
    """The capture of an exchange that gave a response. Its body comes by `with_body`."""
    head = redaction.redact_response_head(wire.response_head, facts.params)
    capture = _base(
        facts,
        time=Time(utc(wire.started), head_ms=_ms(wire.headed - wire.started), end_ms=_ms(wire.ended - wire.started)),
        outcome=outcome,
        reason=reason,
        notes=[*wire.notes, *notes],
        sent=wire.request_head,
        places=head.places,
    )
    text = head.head.decode("latin-1")
    if wire.made is not None:
        # no server sent it, so it has no request and no address
        response, net, source = ResponseHead(text, "browser"), None, _source(facts, wire.made)
    else:
        response, source = ResponseHead(text, "redacted" if head.places else "exact"), None
        net = Net(ip=wire.ip, port=wire.port, reused=wire.reused, tls=wire.tls)
    return replace(capture, status=wire.status, http=wire.http, net=net, response=response, source=source)


def _source(facts: Facts, made: Made) -> dict[str, str]:
    """What a rendered page was made of, and what a browser made beside it."""
    source = {"of": made.of}
    if made.moves_to is not None:
        source["moves_to"] = redaction.redact_url(made.moves_to, facts.params).url
    if made.picture is not None:
        source["picture"] = hashlib.sha256(made.picture).hexdigest()
    return source


def of_failure(facts: Facts, error: ExchangeError, *, now: float, notes: Iterable[str] = ()) -> Capture:
    """The capture of an exchange that gave no response. The first octets of what came stand in the note: they may be
    a part of a head, so they lose what a head loses."""
    sent = error.request_head or b""
    came = redaction.redact_response_head(error.received[:SENSED], facts.params, _secrets(facts, sent)).head
    started = error.started or now
    capture = _base(
        facts,
        time=Time(start=utc(started), end_ms=_ms((error.ended or now) - started)),
        outcome="error",
        reason="idle connection closed" if error.kind == "idle" else error.kind,
        notes=[str(error), f"received {came!r}" if came else "", *notes],
        sent=sent,
    )
    return replace(capture, net=Net(ip=error.ip, port=error.port) if error.ip and error.port else None)


def of_skip(facts: Facts, *, reason: str, note: str, now: float) -> Capture:
    """The capture of a request that never went out."""
    return _base(facts, time=Time(start=utc(now)), outcome="skipped", reason=reason, notes=[note])


def with_body(
    capture: Capture, wire: Wire, *, params: frozenset[str] = redaction.DEFAULT_SECRET_PARAMS, url: str
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
    known = redaction.secrets_of(
        urls=(url,), request_head=wire.request_head, response_head=wire.response_head, params=params
    )
    spans = redaction.find_secrets(wire.decoded if wire.decoded is not None else wire.payload, known)
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


def _base(
    facts: Facts,
    *,
    time: Time,
    outcome: Outcome,
    reason: str | None = None,
    notes: Iterable[str] = (),
    sent: bytes = b"",
    places: Iterable[Place] = (),
) -> Capture:
    """The capture of a request. `sent` is its head as it went out, `places` are those of the secrets of the answer."""
    url = redaction.redact_url(facts.url, facts.params)
    referrer = redaction.redact_url(facts.referrer or "", facts.params)
    request = redaction.redact_request_head(sent, facts.params)
    return Capture(
        kind=facts.kind,
        url=url.url,
        method=facts.method,
        time=time,
        outcome=outcome,
        reason=reason,
        note=_note(notes, facts, sent),
        request=RequestHead(request.head.decode("latin-1")) if sent else None,
        recipe=facts.recipe,
        job=facts.job,
        robots=facts.robots,
        validators=facts.validators,
        signed=facts.signed,
        redirect_of=facts.redirect_of,
        referrer=referrer.url or None,
        software=facts.software,
        scope=facts.scope,
        labels=facts.labels or {},
        redacted=_redactions([*url.places, *referrer.places, *request.places, *places]),
    )


def _redactions(places: Iterable[Place]) -> tuple[Redaction, ...]:
    """How many secrets were covered in each place."""
    counts: Counter[str] = Counter()
    for where, number in places:
        counts[where] += number
    return tuple(Redaction(where, number) for where, number in sorted(counts.items()))


def _secrets(facts: Facts, sent: bytes) -> tuple[str, ...]:
    """The secrets of a request: those of its URL and of the head that was sent."""
    return redaction.secrets_of(urls=(facts.url,), request_head=sent, params=facts.params)


def _note(notes: Iterable[str], facts: Facts, sent: bytes) -> str | None:
    """The notes as one. They can quote a URL or what a server sent: no secret of the request stays in them."""
    text = "; ".join(dict.fromkeys(note for note in notes if note))
    for secret in _secrets(facts, sent) if text else ():
        text = text.replace(secret, redaction.REDACTED)
    return text or None


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))
