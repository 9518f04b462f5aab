"""Labelled digests of archive records: `sha256:` and hexadecimal when we write, every spelling when we read.

The WARC text leaves the form of the value open. Hexadecimal is the one form of SHA-256 that all readers take: padded
base32 fails in one, unpadded base32 in another.
"""

import base64
import hashlib
import re
from dataclasses import dataclass

ALGORITHMS: dict[str, int] = {"md5": 16, "sha1": 20, "sha224": 28, "sha256": 32, "sha384": 48, "sha512": 64}
"""The algorithms that are recalculated, with the size of their value in octets."""

_LABELLED = re.compile(r"\s*([A-Za-z0-9/+-]+)\s*:\s*(\S+)\s*")
_HEX = re.compile(r"[0-9A-Fa-f]+")


@dataclass(frozen=True, slots=True)
class Digest:
    """A digest that a record states. `algorithm` is a name of ALGORITHMS, or None for one that nobody here knows;
    `value` is None when the text is no value of that size. `fault` says why a strict reader rejects the spelling."""

    text: str
    algorithm: str | None
    value: bytes | None
    fault: str | None = None

    def matches(self, value: bytes) -> bool:
        """Whether the stated value is this one."""
        return self.value == value


def sha256_label(data: bytes | str) -> str:
    """`sha256:` and the hexadecimal digest of some octets, or of a hexadecimal digest that is known already."""
    return f"sha256:{data if isinstance(data, str) else hashlib.sha256(data).hexdigest()}"


def parse_digest(text: str) -> Digest:
    """The digest of a field. Label and value are read in every spelling that archives hold: `sha-256`, base32 with
    and without padding, base64, hexadecimal."""
    found = _LABELLED.fullmatch(text)
    if found is None:
        return Digest(text, None, None, "it is no label and value")
    label, value = found[1].lower(), found[2]
    name = label.replace("-", "")
    if name not in ALGORITHMS:
        return Digest(text, None, None, f"the algorithm {found[1]} is not known")
    octets, fault = _value(value, ALGORITHMS[name])
    if label != name:
        fault = f"the label is {found[1]}, not {name}"
    return Digest(text, name, octets, fault)


def one_spelling(text: str | None) -> str | None:
    """A stated digest in the one form of all its spellings; a text that is none stays as it is."""
    digest = parse_digest(text) if text else None
    return f"{digest.algorithm}:{digest.value.hex()}" if digest is not None and digest.value is not None else text


def _value(text: str, size: int) -> tuple[bytes | None, str | None]:
    if len(text) == 2 * size and _HEX.fullmatch(text):
        return bytes.fromhex(text), None
    bare = text.rstrip("=")
    octets = _base32(bare.upper()) if len(bare) == -(-size * 8 // 5) else None
    if octets is not None and len(octets) == size:
        padded = len(text) % 8 == 0
        return octets, None if padded else "base32 without its padding"
    octets = _base64(bare)
    if octets is not None and len(octets) == size:
        return octets, "base64, which most readers do not take"
    return None, f"the value is no digest of {size} octets"


def _base32(bare: str) -> bytes | None:
    try:
        return base64.b32decode(bare + "=" * (-len(bare) % 8))
    except ValueError:
        return None


def _base64(bare: str) -> bytes | None:
    try:
        return base64.b64decode(bare.replace("-", "+").replace("_", "/") + "=" * (-len(bare) % 4), validate=True)
    except ValueError:
        return None
