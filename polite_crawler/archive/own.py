"""Our own exports on their way back: the line of the log in a metadata record gives a capture all that it had."""

import json
from dataclasses import replace
from typing import Any

from polite_crawler.archive.import_scratch import ImportScratch, Kept
from polite_crawler.archive.reader import ArchiveRecord
from polite_crawler.archive.records import CAPTURE_FIELD, CODED_URN, RENDER_URN, uri_of
from polite_crawler.rules.redaction import redact_request_head, redact_response_head
from polite_crawler.store.record import Capture, capture_id

_JSON = b"json-metadata: "


def own_line(record: ArchiveRecord, block: bytes) -> tuple[str, str] | None:
    """The record that a metadata record of ours is about, and the line of the log in it; None for another one."""
    about = record.get("WARC-Refers-To")
    if record.get(CAPTURE_FIELD) is None or about is None:
        return None
    for line in block.split(b"\r\n"):
        if line.startswith(_JSON):
            return about, line[len(_JSON) :].decode("utf-8", "replace")
    return None


def is_rendered(record: ArchiveRecord) -> bool:
    """Whether a conversion record of ours holds a document tree; its target is the URL behind the prefix."""
    return _is_own(record, RENDER_URN)


def is_coded(record: ArchiveRecord) -> bool:
    """Whether a conversion record of ours holds a body as received."""
    return _is_own(record, CODED_URN)


def _is_own(record: ArchiveRecord, prefix: str) -> bool:
    target = record.get("WARC-Target-URI") or ""
    return record.type == "conversion" and record.get(CAPTURE_FIELD) is not None and target.startswith(prefix)


def own_capture(kept: Kept, scratch: ImportScratch) -> Capture | None:
    """The capture that was exported, as an imported one; None when no line of ours fits the record.

    The line has to give its own id, and to be of the same URL, time and body as the record: a forged line can say no
    more than a forged record.
    """
    text = scratch.own_line(kept.record)
    capture = _parsed(text) if text else None
    if capture is None or uri_of(capture.url) != uri_of(kept.url) or capture.time.start != kept.date:
        return None
    if not _is_redacted(capture, kept.draft):
        return None
    draft = kept.draft
    body = capture.body
    if not kept.revisit:
        here = draft.body.sha256 if draft.body else None
        if here != (body.sha256 if body else None):
            # a coding that replay tools do not know went out decoded
            if body is None or body.decoded is None or body.decoded.sha256 != here:
                return None
            if not scratch.has_coded(kept.record, body.sha256):
                body = draft.body
    kind = (capture.source or {}).get("kind", "fetch") if capture.kind == "import" else capture.kind
    source: dict[str, Any] = {**(draft.source or {}), "of": capture.id, "kind": kind}
    validators = capture.validators
    return replace(
        capture,
        id="",
        kind="import",
        body=body,
        source=source,
        redirect_of=scratch.renamed(capture.redirect_of),
        validators=replace(validators, of=scratch.renamed(validators.of)) if validators else None,
        robots=tuple(replace(check, capture=scratch.renamed(check.capture)) for check in capture.robots),
        scope=None,
        labels={},
    )


def _is_redacted(capture: Capture, draft: Capture) -> bool:
    """Whether the heads of a line hold no secret: those of the record are redacted, others are looked at."""
    request, response = capture.request, capture.response
    if request is not None and request != draft.request:
        head = request.head.encode("latin-1", "replace")
        if redact_request_head(head).head != head:
            return False
    if response is not None and (draft.response is None or response.head != draft.response.head):
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
