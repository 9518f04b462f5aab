"""Signed notes and checkpoints of a log (C2SP signed-note and tlog-checkpoint), with Ed25519 keys."""

import base64
import binascii
import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polite_crawler.archive.merkle import HASH_SIZE
from polite_crawler.archive.pem import private_key
from polite_crawler.errors import BadOption
from polite_crawler.paths import given_path

_ED25519 = b"\x01"
_SIGNATURE_LINE = re.compile(r"— (\S+) (\S+)")
_SIZE = re.compile(r"0|[1-9]\d{0,17}")
_NAME = re.compile(r"[^\s+]+")
_ID_SIZE = 4
_LARGEST = 1 << 20


class BadNote(ValueError):
    """The text is no note, no checkpoint, or not signed by the key; the message says which."""


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key and the name it signs as. Its text is `NAME+KEYID+BASE64`."""

    name: str
    public: bytes

    @property
    def id(self) -> bytes:
        """The first octets of the hash of name and key: which signature line to look at."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.public).digest()[:_ID_SIZE]

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(_ED25519 + self.public).decode()}"

    @classmethod
    def parse(cls, text: str) -> "VerifierKey":
        """The key of such a text. Raises BadNote."""
        name, _, rest = text.strip().partition("+")
        stated, _, encoded = rest.partition("+")
        try:
            octets = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            octets = b""
        key = cls(name, octets[1:])
        if not _NAME.fullmatch(name) or octets[:1] != _ED25519 or len(octets) != 33 or stated != key.id.hex():
            raise BadNote("no verifier key: NAME+KEYID+BASE64 of an Ed25519 key")
        return key

    def verify(self, signature: bytes, text: str) -> bool:
        """Whether a signature is one of a text by this key."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, text.encode())
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True, slots=True)
class SigningKey:
    """An Ed25519 private key and the name it signs as."""

    name: str
    private: Any

    @property
    def verifier(self) -> VerifierKey:
        """Its public half."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        return VerifierKey(self.name, self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))

    def sign(self, text: str) -> str:
        """The note of a text: the text, a blank line, one signature line."""
        signature = base64.b64encode(self.verifier.id + self.private.sign(text.encode())).decode()
        return f"{text}\n— {self.name} {signature}\n"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The head of a log: its origin, how many lines it has, and the root over them."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        """The text of the note."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"

    @classmethod
    def parse(cls, text: str) -> "Checkpoint":
        """The checkpoint of the text of a note; extension lines are passed over. Raises BadNote."""
        lines = text.split("\n")
        if len(lines) < 4 or lines[-1] or not all(lines[:-1]) or not _SIZE.fullmatch(lines[1]):
            raise BadNote("no checkpoint: origin, size and root are needed")
        try:
            root = base64.b64decode(lines[2], validate=True)
        except (binascii.Error, ValueError):
            root = b""
        if len(root) != HASH_SIZE:
            raise BadNote("no checkpoint: the root is no SHA-256 in base64")
        return cls(lines[0], int(lines[1]), root)


def open_note(note: str, key: VerifierKey) -> str:
    """The text of a note that a key signed. Raises BadNote for another one. Lines of other keys are passed over."""
    text, blank, signatures = note.rpartition("\n\n")
    if not blank or not text or len(note) > _LARGEST:
        raise BadNote("no signed note")
    text += "\n"
    for line in signatures.splitlines():
        found = _SIGNATURE_LINE.fullmatch(line)
        if found is None:
            raise BadNote("a signature line is malformed")
        try:
            octets = base64.b64decode(found[2], validate=True)
        except (binascii.Error, ValueError):
            raise BadNote("a signature line is malformed") from None
        if found[1] == key.name and octets[:_ID_SIZE] == key.id:
            if not key.verify(octets[_ID_SIZE:], text):
                raise BadNote("the signature does not fit the text")
            return text
    raise BadNote(f"not signed by the key {key.name}+{key.id.hex()}")


def origin_of(text: str) -> str:
    """An origin line that can name a key too. Raises BadOption."""
    if not _NAME.fullmatch(text) or not text.isprintable():
        raise BadOption(f"bad origin {text[:80]!r}: use a host name, with no space and no +")
    return text


def load_signing_key(path: str | Path, name: str) -> SigningKey:
    """The Ed25519 key of a PEM file (PKCS#8, not encrypted). Raises BadOption."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = private_key(path)
    if not isinstance(key, Ed25519PrivateKey):
        raise BadOption(f"{path} is no Ed25519 key; make one by: openssl genpkey -algorithm ed25519 -out {path}")
    return SigningKey(name, key)


def make_signing_key(path: Path, name: str) -> SigningKey:
    """A new key in a file for its owner alone; the key that is there when another process made one meanwhile."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, path)
    except FileExistsError:
        pass
    finally:
        temporary.unlink()
    return load_signing_key(path, name)


def load_verifier_key(text: str, name: str) -> VerifierKey:
    """The key that a person gave: the text of a verifier key, or a file with one, or a PEM file with an Ed25519 public
    or private key, which then signs as `name`. Raises BadOption."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

    path = given_path(text)
    try:
        octets = path.read_bytes() if path.is_file() else text.encode()
    except OSError as error:
        raise BadOption(f"cannot read the key {text}: {error.strerror or error}") from None
    if b"PRIVATE KEY" in octets:
        return load_signing_key(path, name).verifier
    if b"PUBLIC KEY" in octets:
        try:
            public = load_pem_public_key(octets)
        except ValueError:
            public = None
        if isinstance(public, Ed25519PublicKey):
            return VerifierKey(name, public.public_bytes(Encoding.Raw, PublicFormat.Raw))
    try:
        return VerifierKey.parse(octets.decode("utf-8", "replace"))
    except BadNote as error:
        raise BadOption(f"bad key {text[:80]!r}: {error}, or a PEM file") from None
