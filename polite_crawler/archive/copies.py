"""The body of an archived copy as it is stored and as it is read, and what it shows."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from polite_crawler.archive.mementos import ArchivedCopy, entity_of
from polite_crawler.readers.codings import Decoder
from polite_crawler.rules.challenges import LARGEST_INTERSTITIAL, classify

# no packed body begins so; some archives decode a body and keep the field that says how it was packed
_TEXT = re.compile(rb"[\t\n\r\x20-\x7e]{32}")


@dataclass(frozen=True, slots=True)
class Entity:
    """The body of a copy: `payload` as the archive keeps it, `decoded` without its content coding, or None when it is
    not what the coding says. `cut` is true when it has more than the limit."""

    payload: bytes
    coding: str | None
    decoded: bytes | None
    cut: bool


def entity(copy: ArchivedCopy, limit: int) -> Entity:
    """The body of a copy, of which at most `limit` octets are read."""
    payload, coding = entity_of(copy)
    if coding is None:
        return Entity(payload[:limit], None, payload[:limit], len(payload) > limit)
    decoder = Decoder([coding], limit)
    decoder.feed(payload)
    decoder.end()
    decoded = decoder.body()
    if decoded is None and _TEXT.match(payload):
        return Entity(payload[:limit], None, payload[:limit], len(payload) > limit)
    return Entity(payload, coding, decoded, decoder.full)


def fields_of(copy: ArchivedCopy) -> Sequence[tuple[str, str]]:
    """The fields of the archived answer."""
    lines = copy.head.decode("latin-1").replace("\r\n", "\n").split("\n")[1:]
    return [(name, value.strip()) for name, colon, value in (line.partition(":") for line in lines) if colon]


def wall_of(copy: ArchivedCopy) -> str | None:
    """What a copy shows in the place of the page, None for the page: crawlers of archives meet walls too."""
    body = entity(copy, LARGEST_INTERSTITIAL).decoded
    kind = None if body is None else classify(copy.status, fields_of(copy), body).kind
    return {"challenge": "a bot check", "blocked": "the refusal of a firewall"}.get(kind or "")


__all__ = ["Entity", "entity", "fields_of", "wall_of"]
