"""HTTP dates (RFC 9110 section 5.6.7) and the directives of Cache-Control (RFC 9111 section 5.2)."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC
from email.utils import parsedate_to_datetime

Headers = Sequence[tuple[str, str]]

_DIRECTIVE = re.compile(r"""([^\s,;="]++)(?:\s*+=\s*+(?:"((?:[^"\\]|\\.)*+)"|([^\s,;"]*+)))?+""")
_LONGEST = 200
_MOST_SECONDS = 2**31


def http_date(text: str | None) -> float | None:
    """The epoch seconds of a date in one of the three forms; None for no date."""
    if not text or len(text) > _LONGEST:
        return None
    try:
        moment = parsedate_to_datetime(text.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def header(headers: Headers, name: str) -> str | None:
    """All values of a header, joined by a comma; None when there is none. `name` is lower case."""
    values = [value.strip() for key, value in headers if key.strip().lower() == name]
    return ", ".join(values) if values else None


def directives(headers: Headers) -> Mapping[str, str | None]:
    """The directives of Cache-Control in lower case, with their values. Of two with one name, the first counts."""
    found: dict[str, str | None] = {}
    for name, quoted, plain in _DIRECTIVE.findall(header(headers, "cache-control") or ""):
        found.setdefault(name.lower(), quoted or plain or None)
    return found


def delta_seconds(text: str | None) -> float | None:
    """A number of seconds (RFC 9111 section 1.2.2), 2^31 at most; None for anything else."""
    text = (text or "").strip()
    return float(min(int(text[:20]), _MOST_SECONDS)) if text.isascii() and text.isdigit() else None
