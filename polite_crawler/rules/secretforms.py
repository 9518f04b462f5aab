"""Where known secrets stand in octets: as they are, percent-encoded, as a form field, in HTML, in JSON, in UTF-16."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

Span = tuple[int, int]
"""Start and length, in octets."""

SHORTEST = 6
"""A secret with fewer characters is not searched for in a body: it cannot be told from the words of the page."""

_ALONE = 12
_PLAIN = re.compile(r"[A-Za-z0-9]")
_LONGEST_RUN = re.compile(r"[A-Za-z0-9]+")
_ENTITIES = {"&": (b"amp", b"AMP"), "<": (b"lt", b"LT"), ">": (b"gt", b"GT"), '"': (b"quot", b"QUOT"), "'": (b"apos",)}
# what introduces an escape may itself be escaped: JSON in HTML, a URL in a URL
_PERCENT = b"(?:%(?:25){0,3}|&#37;)"
_AMPERSAND = b"(?:&(?:amp;)?|%26|\\\\u0026)"
_BACKSLASH = b"(?:\\\\{1,2})"


def find_secrets(body: bytes, secrets: Iterable[str]) -> tuple[Span, ...]:
    """The places of secrets in a body, in sequence and merged where they touch.

    A secret of 6 to 11 characters counts only where it stands alone (no letter or digit beside it), a shorter one
    never. The time is linear in the length of the body for each secret.
    """
    wide = body[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in body[:1024]
    spans: list[Span] = []
    for secret in set(secrets):
        if len(secret) < SHORTEST:
            continue
        run = _anchor(secret)
        if run is None or run in body:
            spans += [(m.start(), m.end() - m.start()) for m in _pattern(secret).finditer(body)]
        if wide:
            for coding in ("utf-16-le", "utf-16-be"):
                spans += _literal(body, secret.encode(coding, "replace"))
    return _merged(spans)


def mask(body: bytes, spans: Iterable[Span]) -> bytes:
    """The body with each span overwritten by `*`: its length and all other octets stay. A span that reaches past the
    end is cut there."""
    out = bytearray(body)
    for start, length in spans:
        end = min(start + length, len(out))
        if 0 <= start < end:
            out[start:end] = b"*" * (end - start)
    return bytes(out)


def _literal(body: bytes, wanted: bytes) -> list[Span]:
    found: list[Span] = []
    at = body.find(wanted)
    while at >= 0:
        found.append((at, len(wanted)))
        at = body.find(wanted, at + len(wanted))
    return found


def _merged(spans: Sequence[Span]) -> tuple[Span, ...]:
    out: list[Span] = []
    for start, length in sorted(spans):
        if out and start <= out[-1][0] + out[-1][1]:
            first, so_far = out[-1]
            out[-1] = (first, max(so_far, start + length - first))
        else:
            out.append((start, length))
    return tuple(out)


def _anchor(secret: str) -> bytes | None:
    """The longest run of letters and digits: every form holds it as it is, so a body without it is done at once."""
    runs = _LONGEST_RUN.findall(secret)
    return max(runs, key=len).encode() if runs else None


@lru_cache(maxsize=1024)
def _pattern(secret: str) -> re.Pattern[bytes]:
    body = b"".join(_forms(char) for char in secret)
    if len(secret) < _ALONE:
        body = b"(?<![A-Za-z0-9])" + body + b"(?![A-Za-z0-9])"
    return re.compile(body)


def _forms(char: str) -> bytes:
    if _PLAIN.fullmatch(char):
        return char.encode()
    code = ord(char)
    octets = char.encode("utf-8", "replace")
    forms = [
        re.escape(octets),
        b"".join(_PERCENT + b"(?i:%02x)" % octet for octet in octets),
        _AMPERSAND + b"#0{0,8}%d;" % code,
        _AMPERSAND + b"#[xX]0{0,8}(?i:%x);" % code,
        *(_AMPERSAND + name + b";?" for name in _ENTITIES.get(char, ())),
        b"".join(_BACKSLASH + b"u(?i:%04x)" % unit for unit in _utf16(char)),
    ]
    if char == " ":
        forms.append(b"\\+")
    if 0x80 <= code < 0x100:
        forms.append(re.escape(bytes((code,))))
    joined = b"(?:" + b"|".join(forms) + b")"
    return _BACKSLASH + b"?" + joined if char in '/\\"' else joined


def _utf16(char: str) -> list[int]:
    octets = char.encode("utf-16-be", "replace")
    return [int.from_bytes(octets[i : i + 2], "big") for i in range(0, len(octets), 2)]
