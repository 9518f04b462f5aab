"""Signed requests (Web Bot Auth, RFC 9421): what a verifying site makes of them, by the library alone."""

import base64
import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from polite_crawler.testsite.catalogue import Family
from polite_crawler.testsite.exchange import Ask, respond

if TYPE_CHECKING:
    from http_message_signatures import VerifyResult

SIGNATURES = Family("Signed requests")
TAG = "web-bot-auth"
_WANTED = f'sig1=("@authority" "signature-agent";key="sig1");created;expires;keyid;tag="{TAG}"'


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

    def refusal(self, ask: Ask) -> str | None:
        """Why a request does not come in, or None."""
        try:
            nonce = self._verified(ask).nonce
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        if not nonce:
            return "there is no nonce"
        if nonce in self._nonces:
            return "the nonce was seen before"
        self._nonces.add(nonce)
        return None

    def _verified(self, ask: Ask) -> "VerifyResult":
        from http_message_signatures import HTTPMessageVerifier, MappingKeyResolver, algorithms

        verifier = HTTPMessageVerifier(
            signature_algorithm=algorithms.ED25519,
            key_resolver=MappingKeyResolver(public_keys=self._keys, private_keys={}),
        )
        (result,) = verifier.verify(
            _Message(ask), expect_tag=TAG, require_components=('"@authority"', '"signature-agent";key="sig1"')
        )
        if int(result.parameters["expires"]) < time.time():
            raise ValueError("the signature has expired")
        return result


class _Message:
    """A request as the library reads it."""

    def __init__(self, ask: Ask) -> None:
        self.method = ask.method
        self.url = f"{ask.origin}{ask.target}"
        self.headers = _Lines(dict(ask.headers), ask.headers)


class _Lines(dict[str, str]):
    """Header fields whose items are the lines of the head."""

    def __init__(self, values: Mapping[str, str], lines: Any) -> None:
        super().__init__(values)
        self._lines = lines

    def items(self) -> Any:
        return self._lines


def refused(ask: Ask, why: str) -> bytes:
    """The answer to a request that does not come in; it asks for a signature (RFC 9421 section 5)."""
    return respond(
        ask, f"<title>Signed requests only</title><p>{why}", status=403, headers=(("Accept-Signature", _WANTED),)
    )


@SIGNATURES.route(
    "/signature", "JSON: whether the request is signed by a key of ?signature_keys of /__set, and why not"
)
def told(ask: Ask) -> bytes:
    why = ask.refusal or (None if ask.state.gate is not None else "the site has no keys")
    return respond(ask, json.dumps({"verified": why is None, "why": why}), type="application/json")


@SIGNATURES.route(
    "/signature/asked?status=403", "asks for a signature with `status`; a request that has one gets a page"
)
def asked(ask: Ask) -> bytes:
    if ask.header("signature-input"):
        return respond(ask, "<title>Signed</title><p>A page for signed requests, with a few words to read.")
    return respond(
        ask,
        "<title>Signed requests only</title>",
        status=ask.count("status", 403),
        headers=(("Accept-Signature", _WANTED),),
    )
