"""Characters that never leave a reader: they cannot be stored, or they stand for nothing that a person sees."""

import re
from typing import Any

# C0 and C1 controls but tab and newline, lone surrogates, and the two noncharacters that end the plane.
_UNSTORABLE = "\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff"
_INVISIBLE = "\u00ad\u200b\u2060\ufeff"
_NOT_STORED = re.compile(f"[{_UNSTORABLE}]")
_NOT_SEEN = re.compile(f"[{_UNSTORABLE}{_INVISIBLE}]")
_SPACE = re.compile(r"\s+")


def clean(text: str) -> str:
    """The text without control characters and lone surrogates. CR LF and a lone CR become a newline."""
    return _NOT_STORED.sub("", _newlines(text))


def visible(text: str) -> str:
    """The cleaned text without the marks that a person does not see: soft hyphen, zero width space, word joiner."""
    return _NOT_SEEN.sub("", _newlines(text))


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def one_line(text: str | None, limit: int = 2000) -> str | None:
    """A value as one line of at most `limit` characters, or None when nothing is left."""
    if not text:
        return None
    return _SPACE.sub(" ", visible(text[: 4 * limit])).strip()[:limit] or None


def clean_value(value: Any, depth: int = 64) -> Any:
    """A JSON value with clean texts and keys. NaN and the infinities, and what nests deeper than `depth`, are None."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        # SQLite and other readers of JSON have no larger integer.
        return value if -(2**63) <= value < 2**63 else str_of_int(value)
    if depth <= 0:
        return None
    if isinstance(value, dict):
        return {clean(str(key)): clean_value(item, depth - 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean_value(item, depth - 1) for item in value]
    return None


def str_of_int(value: int) -> str | None:
    """An integer of more than 64 bits as text, or None when it is longer than Python will print."""
    try:
        return str(value)
    except ValueError:
        return None
