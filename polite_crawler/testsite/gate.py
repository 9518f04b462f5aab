"""The gate of a site that lets in signed requests alone (Web Bot Auth, RFC 9421): what the library makes of them."""

import base64
import json
import time
from typing import TYPE_CHECKING, Any

from polite_crawler.testsite.heads import Headers

if TYPE_CHECKING:
    from http_message_signatures import VerifyResult

TAG = "web-bot-auth"


class Gate:
    """Lets signed requests in: those with a signature by one of the keys of a JWK set (Ed25519), whose dates hold now
    and whose nonce was never seen before."""

    def __init__(self, keys: str) -> None:
        """Raises ValueError for a text that is no JWK set."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        listed = json.loads(keys)
        if not isinstance(listed, dict) or not isinstance(listed.get("keys"), list):
            raise ValueError("signature_keys is no JWK set")
        self._keys = {
            jwk["kid"]: Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(jwk["x"] + "="))
            for jwk in listed["keys"]
        }
        self._nonces: set[str] = set()

    def refusal(self, method: str, url: str, headers: Headers) -> str | None:
        """Why a request does not come in, or None."""
        try:
            nonce = self._verified(_Message(method, url, headers)).nonce
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        if not nonce:
            return "there is no nonce"
        if nonce in self._nonces:
            return "the nonce was seen before"
        self._nonces.add(nonce)
        return None

    def _verified(self, message: "_Message") -> "VerifyResult":
        from http_message_signatures import HTTPMessageVerifier, MappingKeyResolver, algorithms

        verifier = HTTPMessageVerifier(
            signature_algorithm=algorithms.ED25519,
            key_resolver=MappingKeyResolver(public_keys=self._keys, private_keys={}),
        )
        (result,) = verifier.verify(
            message, expect_tag=TAG, require_components=('"@authority"', '"signature-agent";key="sig1"')
        )
        if int(result.parameters["expires"]) < time.time():
            raise ValueError("the signature has expired")
        return result


class _Message:
    """A request as the library reads it."""

    def __init__(self, method: str, url: str, headers: Headers) -> None:
        self.method = method
        self.url = url
        self.headers = _Lines(headers)


class _Lines(dict[str, str]):
    """Header fields whose items are the lines of the head."""

    def __init__(self, lines: Headers) -> None:
        super().__init__(lines)
        self._lines = lines

    def items(self) -> Any:
        return self._lines
