"""The signature of a WACZ package, over the text of the hash of its datapackage.json (WACZ Signing 0.1).

We write the anonymous form: ECDSA P-384 with SHA-256, r and s (48 octets each) in base64, the key in SPKI form. It
says that this key made this package, and nothing of what a server sent. The form with the certificate of a domain is
read too; the time stamp of that form is not looked at.
"""

import base64
import binascii
import ssl
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from polite_crawler.archive.pem import private_key
from polite_crawler.errors import BadOption

_HALF = 48


@dataclass(frozen=True, slots=True)
class PackageKey:
    """A private key for packages."""

    key: Any

    def sign(self, text: str) -> dict[str, str]:
        """The signature and the public key of a text, as the package holds them."""
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec, utils

        try:
            algorithm = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)
            der = self.key.sign(text.encode(), algorithm)
        except Exception:  # an OpenSSL before 3.2 has no RFC 6979: the signature differs each time and is as good
            der = self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256()))
        r, s = utils.decode_dss_signature(der)
        public = self.key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        raw = r.to_bytes(_HALF, "big") + s.to_bytes(_HALF, "big")
        return {"signature": base64.b64encode(raw).decode(), "publicKey": base64.b64encode(public).decode()}


def load_key(path: str | Path) -> PackageKey:
    """The key of a PEM file (PKCS#8 or SEC 1, not encrypted). Raises BadOption for another kind of key."""
    from cryptography.hazmat.primitives.asymmetric import ec

    key = private_key(path)
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP384R1):
        raise BadOption(
            f"{path} is no ECDSA P-384 key; make one by: openssl ecparam -name secp384r1 -genkey -noout -out {path}"
        )
    return PackageKey(key)


def fault_of(signed: Mapping[str, Any], digest: str, *, roots: Sequence[bytes] | None = None) -> str | None:
    """What is wrong with the signature of a package whose datapackage.json has this hash, or None.

    `roots` are the trusted certificates (DER) for a domain; by default those of the system.
    """
    if signed.get("hash") != digest:
        return "the signature is of another hash"
    signature = _base64(signed.get("signature"))
    if not signature:
        return "the signature is no base64"
    if "domainCert" in signed:
        return _domain_fault(signed, signature, digest, system_roots() if roots is None else roots)
    key = _public_key(_base64(signed.get("publicKey")))
    if key is None:
        return "the public key is no elliptic curve key"
    if len(signature) != 2 * ((key.curve.key_size + 7) // 8):
        return "the signature has a wrong length"
    return None if _is_signed(key, _der(signature), digest) else "the signature does not fit the key and the hash"


def system_roots() -> tuple[bytes, ...]:
    """The certificates (DER) that this system trusts."""
    return tuple(ssl.create_default_context().get_ca_certs(binary_form=True))


def _domain_fault(signed: Mapping[str, Any], signature: bytes, digest: str, roots: Sequence[bytes]) -> str | None:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

    domain = str(signed.get("domain"))
    try:
        chain = _quietly(lambda: x509.load_pem_x509_certificates(str(signed["domainCert"]).encode()))
        at = datetime.fromisoformat(str(signed.get("created"))).astimezone(UTC)
    except ValueError:
        return "the certificate or the time of the signature cannot be read"
    key = chain[0].public_key()
    if not isinstance(key, ec.EllipticCurvePublicKey) or not _is_signed(key, signature, digest):
        return f"the signature does not fit the certificate of {domain} and the hash"
    return None if _is_trusted(chain, domain, at, roots) else f"the certificate of {domain} is not trusted here"


def _is_trusted(chain: Sequence[Any], domain: str, at: datetime, roots: Sequence[bytes]) -> bool:
    """Whether a chain leads from the domain to a root, at the time of the signature."""
    from cryptography import x509
    from cryptography.x509 import verification

    known = [one for der in roots if (one := _certificate(der)) is not None]
    if not known:
        return False
    policy = verification.PolicyBuilder().store(verification.Store(known)).time(at.replace(tzinfo=None))
    try:
        policy.build_server_verifier(x509.DNSName(domain)).verify(chain[0], list(chain[1:]))
    except (verification.VerificationError, ValueError):
        return False
    return True


def _certificate(der: bytes) -> Any:
    from cryptography import x509

    try:
        return _quietly(lambda: x509.load_der_x509_certificate(der))
    except ValueError:
        return None


def _quietly(load: Any) -> Any:
    """Roots of a system can have flaws that the library warns of; they are not ours to mend."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load()


def _base64(text: object) -> bytes:
    try:
        return base64.b64decode(text, validate=True) if isinstance(text, str) else b""
    except (binascii.Error, ValueError):
        return b""


def _public_key(der: bytes) -> Any:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    try:
        key = load_der_public_key(der)
    except (UnsupportedAlgorithm, ValueError):
        return None
    return key if isinstance(key, ec.EllipticCurvePublicKey) else None


def _der(raw: bytes) -> bytes:
    from cryptography.hazmat.primitives.asymmetric import utils

    half = len(raw) // 2
    return utils.encode_dss_signature(int.from_bytes(raw[:half], "big"), int.from_bytes(raw[half:], "big"))


def _is_signed(key: Any, der: bytes, text: str) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec

    try:
        key.verify(der, text.encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    return True
