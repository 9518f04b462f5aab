"""Our own exports on their way back: the line of the log in a metadata record gives a capture all that it had."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from polite_crawler.archive.foreign import Origin, http_of, source_of, target_of, verdict_on
from polite_crawler.archive.reader import ArchiveRecord
from polite_crawler.archive.record_dates import moment
from polite_crawler.archive.records import CAPTURE_FIELD, CODED_URN, COPY_URN, RENDER_URN, uri_of
from polite_crawler.rules.redaction import redact_request_head, redact_response_head, redact_url
from polite_crawler.store.projection import is_copy
from polite_crawler.store.record import Body, Capture, capture_id, micros

_JSON = b"json-metadata: "
_OF_COPY = frozenset({"timestamp", "original", "asked"})


def own_line(record: ArchiveRecord, block: bytes) -> tuple[str, str] | None:
    """The record that a metadata record of ours is about, and the line of the log in it; None for another one."""
    about = record.get("WARC-Refers-To")
    if record.get(CAPTURE_FIELD) is None or about is None:
        return None
    for line in block.split(b"\r\n"):
        if line.startswith(_JSON):
            return about, line[len(_JSON) :].decode("utf-8", "replace")
    return None


def is_made(record: ArchiveRecord) -> bool:
    """Whether a conversion record of ours holds a document tree or the page of an archived copy; its target is the URL
    behind the prefix."""
    return _is_own(record, RENDER_URN) or _is_own(record, COPY_URN)


def is_coded(record: ArchiveRecord) -> bool:
    """Whether a conversion record of ours holds a body as received."""
    return _is_own(record, CODED_URN)


def _is_own(record: ArchiveRecord, prefix: str) -> bool:
    target = record.get("WARC-Target-URI") or ""
    return record.type == "conversion" and record.get(CAPTURE_FIELD) is not None and target.startswith(prefix)


@dataclass(frozen=True, slots=True)
class Own:
    """A capture that came back: as it stands here, its id in the exporting store, and its body if it has one."""

    capture: Capture
    was: str
    payload: bytes | None


def own_capture(
    record: ArchiveRecord,
    block: bytes,
    origin: Origin,
    line: str,
    coded: str | None,
    renamed: Callable[[str | None], str | None],
) -> Own | None:
    """The capture of a record and of the line of ours that is about it; None when the two do not fit.

    The line has to give its own id, and to be of the same URL, time and body as the record: a forged line can say no
    more than a forged record. `coded` is the SHA-256 of the body as received, when it came in a record of its own;
    `renamed` gives the id here of another capture of the exporting store.
    """
    capture = _parsed(line)
    url, when = target_of(record), moment(record.get("WARC-Date"))
    if capture is None or url is None or when is None:
        return None
    if uri_of(capture.url) != url or micros(capture.time.start) != when or not _is_redacted(capture):
        return None
    source = source_of(record, origin, capture.url, when)
    payload: bytes | None = None
    body = capture.body
    if record.type != "revisit":
        http = http_of(record, block)
        payload = http.entity if body is not None else None
        sha256 = hashlib.sha256(http.entity).hexdigest()
        found = _body(body, http.entity, sha256, coded)
        if found is None and (body is not None or http.entity):
            return None
        body = found
        source["digest_check"] = verdict_on(record.get("WARC-Payload-Digest"), record, block, http, sha256)
    return Own(_as_import(capture, body, source, renamed), capture.id, payload)


def _as_import(
    capture: Capture, body: Body | None, source: dict[str, Any], renamed: Callable[[str | None], str | None]
) -> Capture:
    """The capture as it stands here: with the ids of this store, and without the scope and the labels of the other."""
    stated = capture.source or {}
    kind = stated.get("kind", "fetch") if capture.kind == "import" else capture.kind
    source = source | {"of": capture.id, "kind": kind}
    if is_copy(capture):
        # the date that counts is that of the copy, and the page is the one that was asked for
        source |= {name: value for name, value in stated.items() if name in _OF_COPY}
    elif kind == "archive-copy":
        # the exchange that brought a copy is no page
        source["kind"] = "archive-index"
    validators = capture.validators
    return replace(
        capture,
        id="",
        kind="import",
        body=body,
        source=source,
        redirect_of=renamed(capture.redirect_of) if capture.redirect_of else None,
        validators=replace(validators, of=renamed(validators.of)) if validators else None,
        robots=tuple(replace(check, capture=renamed(check.capture)) for check in capture.robots),
        scope=None,
        labels={},
    )


def _body(stated: Body | None, entity: bytes, sha256: str, coded: str | None) -> Body | None:
    """The facts of the body that came, or None when it is not the stated one."""
    if stated is None:
        return None
    if stated.sha256 in (sha256, coded):
        return stated
    if stated.decoded is None or stated.decoded.sha256 != sha256:
        return None
    # a coding that replay tools do not know went out decoded, and the body as received did not come
    return replace(stated, sha256=sha256, size=len(entity), coding=None)


def _is_redacted(capture: Capture) -> bool:
    """Whether the heads and the URL of a line hold no secret that was not redacted."""
    request, response = capture.request, capture.response
    if redact_url(capture.url).url != capture.url:
        return False
    if request is not None:
        head = request.head.encode("latin-1", "replace")
        if redact_request_head(head).head != head:
            return False
    if response is not None:
        head = response.head.encode("latin-1", "replace")
        return redact_response_head(head).head == head
    return True


def _parsed(text: str) -> Capture | None:
    try:
        value = json.loads(text)
        if not isinstance(value, dict) or value.get("id") != capture_id(value):
            return None
        return Capture.from_json(value)
    except (AttributeError, AssertionError, TypeError, ValueError, RecursionError):
        return None
