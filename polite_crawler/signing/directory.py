"""The key directory: the JWK set that tells a verifier which keys are ours, and the proof that we hold them."""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from http_message_signatures import (
    HTTPMessageSignaturesException,
    HTTPMessageSigner,
    MappingKeyResolver,
    algorithms,
)

from polite_crawler.errors import BadOption
from polite_crawler.signing.draft import DIRECTORY_TAG, DIRECTORY_TYPE
from polite_crawler.signing.inputs import read_inputs
from polite_crawler.signing.keys import RFC9421_TEST_KEYS, BadKey, PublicKey, public_jwk, public_key, thumbprint
from polite_crawler.signing.message import Components, Fields, Headers, Keys, ResponseMessage, Verifier, request_message

MOST_KEYS = 64
"""A verifier looks at so many keys of a directory."""

PROOF_S = 30 * 86_400.0
"""How long a pre-computed proof of possession is valid, in seconds, unless a caller says otherwise."""

_CACHE = "max-age=86400"
_COVERED = ('"@authority";req', "content-digest")
_SKEW_S = 5.0

Json = Mapping[str, Any] | str | bytes
"""A JWK set: the object, or its JSON text."""


@dataclass(frozen=True, slots=True)
class KeyDirectory:
    """The usable keys of a JWK set by their thumbprints: Ed25519, RSA for RSASSA-PSS with SHA-512, and EC for ECDSA.

    A key that is not for signatures, or that is not valid at the time, is left out. `labelled` are the thumbprints of
    keys whose `kid` is a label of their owner: at the well-known URL a `kid` can be nothing but the thumbprint.
    """

    keys: Mapping[str, PublicKey]
    labelled: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, value: Json, *, now: float | None = None, test_keys: bool = True) -> "KeyDirectory":
        """The directory of a JWK set. `now` (epoch seconds) judges `nbf` and `exp`; without `test_keys`, the keys of
        RFC 9421 are left out. Raises ValueError for what is no JWK set."""
        if isinstance(value, (str, bytes)):
            try:
                value = json.loads(value)
            except RecursionError:
                raise ValueError("no JWK set: it is nested too deep") from None
        listed = value.get("keys") if isinstance(value, Mapping) else None
        if not isinstance(listed, Sequence) or isinstance(listed, (str, bytes)):
            raise ValueError("no JWK set: there is no list of keys")
        keys: dict[str, PublicKey] = {}
        plain: set[str] = set()
        for jwk in listed[:MOST_KEYS]:
            found = _usable(jwk, now)
            if found is not None and (test_keys or found[0] not in RFC9421_TEST_KEYS):
                keys[found[0]] = found[1]
                if jwk.get("kid", found[0]) == found[0]:
                    plain.add(found[0])
        return cls(keys, frozenset(keys) - plain)

    def key(self, keyid: str, *, well_known: bool) -> PublicKey | None:
        """The key of a thumbprint, or None. `well_known`: the set stands at the well-known URL of a domain."""
        return None if well_known and keyid in self.labelled else self.keys.get(keyid)

    def check(self, message: Any, keyid: str, *, label: str, tag: str) -> None:
        """Check one signature of a message. Raises the library's HTTPMessageSignaturesException."""
        _verifier(keyid, self.keys[keyid]).verify(message, max_age=None, expect_tag=tag, expect_label=label)


def key_directory(keys: Iterable[Ed25519PrivateKey | Ed25519PublicKey]) -> bytes:
    """The JWK set of some keys, with their thumbprints as `kid`: what a host serves, octet for octet. It holds public
    parts only. Several keys are for a rotation: the old one stays until its last signature has expired."""
    jwks = {}
    for key in keys:
        jwk = public_jwk(key.public_key() if isinstance(key, Ed25519PrivateKey) else key)
        jwks[jwk["kid"]] = jwk
    return json.dumps({"keys": list(jwks.values())}, separators=(",", ":")).encode()


def directory_headers(
    url: str,
    body: bytes,
    keys: Sequence[Ed25519PrivateKey],
    *,
    created: float | None = None,
    lifetime_s: float = PROOF_S,
    labels: Sequence[str] = (),
) -> dict[str, str]:
    """The header fields of a directory at a URL whose body is `body`: its type, and a proof of possession by each key.

    The proof covers the authority and the digest of the body, so it can be made before any request, and a static host
    can send it as it is until it expires. Raises BadOption for a URL that is none.
    """
    start = int(time.time() if created is None else created)
    reply = ResponseMessage(
        request_message("GET", url), Fields([("Content-Type", DIRECTORY_TYPE), ("Cache-Control", _CACHE)])
    )
    for number, key in enumerate(keys):
        keyid = public_jwk(key.public_key())["kid"]
        signer = HTTPMessageSigner(
            signature_algorithm=algorithms.ED25519,
            key_resolver=MappingKeyResolver(public_keys={}, private_keys={keyid: key}),
            component_resolver_class=Components,
        )
        signer.sign(
            reply,
            key_id=keyid,
            created=datetime.fromtimestamp(start, UTC),
            expires=datetime.fromtimestamp(start + int(lifetime_s), UTC),
            tag=DIRECTORY_TAG,
            include_alg=False,
            label=labels[number] if labels else ("binding" if len(keys) == 1 else f"binding{number + 1}"),
            covered_component_ids=_COVERED,
            body=body,
            use_existing_digest=number > 0,
            append_if_signature_exists=number > 0,
        )
    return dict(reply.headers.items())


def proven_keys(url: str, headers: Headers, body: bytes, *, now: float) -> tuple[str, ...]:
    """The ids of the keys of a served directory whose proof of possession holds at `now` (epoch seconds)."""
    try:
        directory = KeyDirectory.parse(body, now=now)
        message = ResponseMessage(request_message("GET", url), Fields(headers))
        verified = []
        for keyid, key in directory.keys.items():
            if keyid not in directory.labelled and _proves(message, keyid, key, body, now):
                verified.append(keyid)
    except (ValueError, BadOption):
        return ()
    return tuple(verified)


def _verifier(keyid: str, key: PublicKey) -> Verifier:
    return Verifier(
        signature_algorithm=_algorithm(key), key_resolver=Keys({keyid: key}), component_resolver_class=Components
    )


def _algorithm(key: PublicKey) -> type[algorithms.HTTPSignatureAlgorithm]:
    """The one algorithm that a key is for: a signature that names another one is not by it."""
    if isinstance(key, RSAPublicKey):
        return algorithms.RSA_PSS_SHA512
    if isinstance(key, EllipticCurvePublicKey):
        return algorithms.ECDSA_P256_SHA256 if key.key_size == 256 else algorithms.ECDSA_P384_SHA384
    return algorithms.ED25519


def _proves(message: ResponseMessage, keyid: str, key: PublicKey, body: bytes, now: float) -> bool:
    verifier = _verifier(keyid, key)
    for label in _labels_of(message, keyid, now):
        try:
            verifier.verify(
                message,
                max_age=None,
                expect_tag=DIRECTORY_TAG,
                expect_label=label,
                require_components=_COVERED,
                body=body,
            )
        except HTTPMessageSignaturesException:
            continue
        return True
    return False


def _labels_of(message: ResponseMessage, keyid: str, now: float) -> list[str]:
    """The labels of the proofs by a key whose dates hold."""
    return [
        one.label
        for one in read_inputs(message.headers.get("Signature-Input", "")) or ()
        if one.text("keyid") == keyid and one.tag == DIRECTORY_TAG and one.date_fault(now, skew=_SKEW_S) is None
    ]


def _usable(jwk: Any, now: float | None) -> tuple[str, PublicKey] | None:
    if not isinstance(jwk, Mapping) or jwk.get("use", "sig") != "sig":
        return None
    try:
        keyid, key = thumbprint(jwk), public_key(jwk)
    except BadKey:
        return None
    return (keyid, key) if _is_valid(jwk, now) else None


def _is_valid(jwk: Mapping[str, Any], now: float | None) -> bool:
    """Whether a key is valid at a time, by its `nbf` and `exp` in epoch seconds."""
    bounds = [jwk.get("nbf"), jwk.get("exp")]
    if not all(bound is None or (isinstance(bound, (int, float)) and not isinstance(bound, bool)) for bound in bounds):
        return False
    if now is None:
        return True
    after, before = bounds
    return (after is None or after <= now + _SKEW_S) and (before is None or now - _SKEW_S < before)
