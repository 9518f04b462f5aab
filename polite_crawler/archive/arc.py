"""The line that begins a record of an ARC file, version 1 or 2."""

import re

ARC = "ARC"
"""Stands for the version of a record of an ARC file."""

_LIMIT = 1 << 14
# a URL can hold spaces: the address and the date behind it say where it ends
_LINE = re.compile(
    rb"(?:\S+|[A-Za-z][A-Za-z0-9+.-]{,15}:[^\n]{1,4096}?) \S{1,64} \d{12,17} (?:[^\n]* )?\d{1,18}[ \t]*\r?\n"
)
_FIELDS = re.compile(r"(.+?) (\S+) (\d{12,17}) (?:(.*) )?(\d+)", re.S)


def is_arc_line(line: bytes) -> bool:
    """Whether a line, with its end, begins a record of an ARC file."""
    return len(line) <= _LIMIT and _LINE.fullmatch(line) is not None


def arc_fields(line: str) -> tuple[list[tuple[str, str]], int]:
    """The fields that a WARC record would have, and the octets of the block. ARC has the media type behind the date,
    and no length but the last number."""
    found = _FIELDS.fullmatch(line.strip())
    assert found is not None
    url, ip, date, kind, size = found.groups()
    http = url.lower().startswith(("http:", "https:"))
    return [
        ("WARC-Type", "warcinfo" if url.startswith("filedesc:") else "response"),
        ("WARC-Target-URI", url),
        ("WARC-Date", date),
        ("WARC-IP-Address", ip),
        ("Content-Type", "application/http;msgtype=response" if http else (kind or "").partition(" ")[0]),
    ], int(size)


__all__ = ["ARC", "arc_fields", "is_arc_line"]
