"""Keys: Ed25519 ones in PEM and JWK form to sign with, those of others to check with, and their thumbprints."""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    SECP384R1,
    EllipticCurve,
    EllipticCurvePublicKey,
    EllipticCurvePublicNumbers,
)
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey, RSAPublicNumbers
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from polite_crawler.errors import BadOption
from polite_crawler.paths import given_path

PublicKey = Ed25519PublicKey | RSAPublicKey | EllipticCurvePublicKey
"""What a verifier can check a signature with."""

RFC9421_TEST_KEYS: frozenset[str] = frozenset({
    "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",
    "oD0HwocPBSfpNy5W3bpJeyFGY_IQ_YpqxSjQ3Yd-CLA",
    "BHj8s0GPnMEQtkaULIM-PLgEhLBbuGUQ1vMxmBWZzEo",
    "ydQXMtvbsOsZyFir-Y7A8t7fKEM1gbKPvyFkdpu4fvI",
})  # fmt: skip
"""The thumbprints of the keys of RFC 9421 appendix B.1, whose private parts everybody has."""

_MADE_BY = "make one by: openssl genpkey -algorithm ed25519 -out bot-key.pem"
_MEMBERS: dict[str, tuple[str, ...]] = {
    "OKP": ("crv", "kty", "x"),
    "RSA": ("e", "kty", "n"),
    "EC": ("crv", "kty", "x", "y"),
}
_RSA_BITS = (2048, 8192)
_CURVES: dict[str, EllipticCurve] = {"P-256": SECP256R1(), "P-384": SECP384R1()}
_LARGEST = 64 * 1024


class BadKey(ValueError):
    """A JWK that is none, or of a kind that no signature here is checked with."""


def thumbprint(jwk: Mapping[str, Any]) -> str:
    """The thumbprint of a JWK (RFC 7638; RFC 8037 for Ed25519): base64url of the SHA-256 over its required members.
    Raises BadKey."""
    members = _MEMBERS.get(str(jwk.get("kty")))
    if members is None or not all(isinstance(jwk.get(name), str) for name in members):
        raise BadKey("the JWK lacks a member that its type needs")
    canonical = json.dumps({name: jwk[name] for name in members}, sort_keys=True, separators=(",", ":"))
    return _encoded(hashlib.sha256(canonical.encode()).digest())


def public_jwk(key: Ed25519PublicKey) -> dict[str, str]:
    """The JWK of a public key (RFC 8037), with its thumbprint as `kid`."""
    jwk = {"kty": "OKP", "crv": "Ed25519", "x": _encoded(key.public_bytes_raw())}
    return {"kty": jwk["kty"], "crv": jwk["crv"], "kid": thumbprint(jwk), "x": jwk["x"], "use": "sig"}


def public_key(jwk: Mapping[str, Any]) -> PublicKey:
    """The key of an Ed25519, RSA or EC JWK. A private part in it is not looked at. Raises BadKey."""
    try:
        if jwk.get("kty") == "OKP" and jwk.get("crv") == "Ed25519":
            return Ed25519PublicKey.from_public_bytes(_decoded(jwk.get("x")))
        if jwk.get("kty") == "RSA":
            n, e = (int.from_bytes(_decoded(jwk.get(name)), "big") for name in ("n", "e"))
            # a huge modulus is a way to keep a verifier busy
            if _RSA_BITS[0] <= n.bit_length() <= _RSA_BITS[1] and e.bit_length() <= 32:
                return RSAPublicNumbers(e, n).public_key()
        curve = _CURVES.get(str(jwk.get("crv"))) if jwk.get("kty") == "EC" else None
        if curve is not None:
            return _point(jwk, curve)
    except ValueError as error:
        raise BadKey(str(error)) from None
    raise BadKey("the JWK is no Ed25519 key, no EC key on P-256 or P-384 and no RSA key of a usual size")


def _point(jwk: Mapping[str, Any], curve: EllipticCurve) -> EllipticCurvePublicKey:
    x, y = (_decoded(jwk.get(name)) for name in ("x", "y"))
    if not len(x) == len(y) == curve.key_size // 8:
        raise ValueError("a coordinate has not the size of the curve")
    return EllipticCurvePublicNumbers(int.from_bytes(x, "big"), int.from_bytes(y, "big"), curve).public_key()


def private_key(source: str | bytes | Mapping[str, Any], name: str = "the key") -> Ed25519PrivateKey:
    """The private key of a PKCS#8 PEM text without a password, or of a JWK (text or object). `name` stands for it in
    messages, which never quote it.

    Raises BadOption, also for the test keys of RFC 9421: who signs with them is taken for nobody.
    """
    jwk = source if isinstance(source, Mapping) else _as_jwk(source)
    key = _of_jwk(jwk, name) if jwk is not None else _of_pem(_octets(source), name)
    if not isinstance(key, Ed25519PrivateKey):
        raise BadOption(f"{name} is no Ed25519 key; {_MADE_BY}")
    if thumbprint(public_jwk(key.public_key())) in RFC9421_TEST_KEYS:
        raise BadOption(f"{name} is a test key of RFC 9421, which everybody has; {_MADE_BY}")
    return key


def load_private_key(path: str | Path) -> Ed25519PrivateKey:
    """The private key of a file (PEM or JWK). Raises BadOption."""
    return private_key(_read(path), str(path))


def load_keys(path: str | Path) -> tuple[Ed25519PrivateKey | Ed25519PublicKey, ...]:
    """The keys of a file for a directory: a private or public key in PEM or JWK form, or a JWK set, whose keys are
    all public. Raises BadOption."""
    octets = _read(path)
    jwk = _as_jwk(octets)
    if jwk is not None and isinstance(jwk.get("keys"), list):
        return tuple(_public(one, str(path)) for one in jwk["keys"])
    if jwk is not None and "d" not in jwk:
        return (_public(jwk, str(path)),)
    if jwk is None and b"PUBLIC KEY" in octets:
        try:
            key = load_pem_public_key(octets)
        except ValueError:
            key = None
        if not isinstance(key, Ed25519PublicKey):
            raise BadOption(f"{path} is no Ed25519 key; {_MADE_BY}")
        return (_not_for_tests(key, str(path)),)
    return (private_key(octets, str(path)),)


def _public(jwk: Any, name: str) -> Ed25519PublicKey:
    try:
        key = public_key(jwk) if isinstance(jwk, Mapping) else None
    except BadKey:
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise BadOption(f"{name} holds a key that is no Ed25519 key; {_MADE_BY}")
    return _not_for_tests(key, name)


def _not_for_tests(key: Ed25519PublicKey, name: str) -> Ed25519PublicKey:
    if thumbprint(public_jwk(key)) in RFC9421_TEST_KEYS:
        raise BadOption(f"{name} is a test key of RFC 9421, which everybody has; {_MADE_BY}")
    return key


def _read(path: str | Path) -> bytes:
    try:
        with given_path(path).open("rb") as file:
            return file.read(_LARGEST)
    except (OSError, ValueError, RuntimeError) as error:
        raise BadOption(f"cannot read the key {path}: {getattr(error, 'strerror', None) or error}") from None


def _octets(source: str | bytes | Mapping[str, Any]) -> bytes:
    return source.encode() if isinstance(source, str) else bytes(source) if isinstance(source, bytes) else b""


def _as_jwk(source: str | bytes) -> Mapping[str, Any] | None:
    """The JSON object of a text that is one."""
    text = source if isinstance(source, str) else source.decode("utf-8", "replace")
    if not text.lstrip("\ufeff \t\r\n").startswith("{"):
        return None
    try:
        value = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _of_jwk(jwk: Mapping[str, Any], name: str) -> Ed25519PrivateKey:
    if jwk.get("kty") != "OKP" or jwk.get("crv") != "Ed25519" or not isinstance(jwk.get("d"), str):
        raise BadOption(f"{name} is no private Ed25519 key in JWK form (kty OKP, crv Ed25519, d); {_MADE_BY}")
    try:
        key = Ed25519PrivateKey.from_private_bytes(_decoded(jwk["d"]))
    except ValueError:
        raise BadOption(f"{name} is no private Ed25519 key in JWK form: d is not 32 octets in base64url") from None
    if "x" in jwk and jwk["x"] != public_jwk(key.public_key())["x"]:
        raise BadOption(f"{name}: the public part x is not that of the private part d")
    return key


def _of_pem(octets: bytes, name: str) -> Any:
    try:
        return load_pem_private_key(octets, None)
    except Exception:
        # whatever the library says may hold a part of the key
        raise BadOption(f"{name} is no private key in PEM form without a password, and no JWK; {_MADE_BY}") from None


def _encoded(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode("ascii")


def _decoded(text: object) -> bytes:
    """The octets of a base64url text without padding. Raises ValueError."""
    if not isinstance(text, str) or "=" in text:
        raise ValueError("no base64url text")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, UnicodeEncodeError) as error:
        raise ValueError(f"no base64url text: {error}") from None
