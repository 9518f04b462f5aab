"""Keys for tests, and crawls that sign."""

from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from polite_crawler.signing import key_directory
from polite_crawler.testsite.journal import Seen

AGENT = "https://bot.example.com"
AGENT_URL = "https://bot.example.com/.well-known/http-message-signatures-directory"


def pem_of(key: Ed25519PrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


class KeyFile:
    """A new key, its file and its directory."""

    def __init__(self, folder: Path) -> None:
        self.key = Ed25519PrivateKey.generate()
        self.path = folder / "bot-key.pem"
        self.path.write_bytes(pem_of(self.key))
        self.jwks = key_directory([self.key]).decode()

    def settings(self, **more: Any) -> dict[str, Any]:
        return {"POLITE_SIGN_KEY": str(self.path), "POLITE_SIGNATURE_AGENT": AGENT, **more}


def nonces(seen: list[Seen]) -> list[str]:
    """The nonce of each request; "" for one without a signature."""
    inputs = [one.header("signature-input") or "" for one in seen]
    return [text.partition('nonce="')[2].partition('"')[0] for text in inputs]
