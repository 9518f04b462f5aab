"""Mail addresses in a text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from polite_crawler.readers.values.steps import Steps

_LOCAL = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,65}\Z")
_DOMAIN = re.compile(r"(?:[\w-]{1,63}\.){1,8}[^\W\d_][\w-]{1,62}")
_MAX_LOCAL = 65
_MAX_DOMAIN = 255


@dataclass(frozen=True, slots=True)
class EmailReading:
    """A mail address in a text, [start, end) in code points."""

    start: int
    end: int
    raw: str

    @property
    def meanings(self) -> tuple[str, ...]:
        """The address without regard to case."""
        return (self.raw.casefold(),)


def read_emails(text: str, steps: Steps | None = None) -> Iterator[EmailReading]:
    """The mail addresses of a text. The work at each `@` is bounded."""
    steps = steps or Steps()
    steps.add(len(text))
    at = text.find("@")
    while at >= 0:
        steps.add(_MAX_LOCAL + _MAX_DOMAIN)
        if reading := _around(text, at):
            yield reading
        at = text.find("@", at + 1)


def parse_email(value: str) -> EmailReading | None:
    """The reading of a text that is one mail address and nothing more; `mailto:` may stand before it."""
    stripped = value.strip()
    bare = stripped[7:] if stripped[:7].lower() == "mailto:" else stripped
    whole = [one for one in read_emails(bare) if (one.start, one.end) == (0, len(bare))]
    return whole[0] if whole else None


def _around(text: str, at: int) -> EmailReading | None:
    low = max(0, at - _MAX_LOCAL)
    local = _LOCAL.search(text[low:at])
    domain = _DOMAIN.match(text[at + 1 : at + 1 + _MAX_DOMAIN])
    if local is None or domain is None or len(local.group()) == _MAX_LOCAL:
        return None
    lead = len(local.group()) - len(local.group().lstrip(".'"))
    start, end = low + local.start() + lead, at + 1 + domain.end()
    return EmailReading(start, end, text[start:end]) if start < at else None
