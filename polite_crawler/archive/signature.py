"""The anonymous signature of a WACZ package: ECDSA P-384 with SHA-256 over the text of the hash of datapackage.json.

The format is that of WACZ Signing 0.1: the signature is r and s (48 octets each) in base64, the key is in SPKI form.
It says that this key made this package, and nothing of what a server sent.
"""

import base64
import binascii
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(Path(path).expanduser().read_bytes(), None)
    except OSError as error:
        raise BadOption(f"cannot read the key {path}: {error.strerror or error}") from None
    except (TypeError, ValueError):
        raise BadOption(f"{path} is no private key in PEM form without a password") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP384R1):
        raise BadOption(
            f"{path} is no ECDSA P-384 key; make one by: openssl ecparam -name secp384r1 -genkey -noout -out {path}"
        )
    return PackageKey(key)


def matches(text: str, signature: str, public_key: str) -> bool:
    """Whether a signature in that form is one of the text by the key. A key or a signature that is none gives False."""
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, utils
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    try:
        raw = base64.b64decode(signature, validate=True)
        key = load_der_public_key(base64.b64decode(public_key, validate=True))
        if not isinstance(key, ec.EllipticCurvePublicKey) or len(raw) % 2 or not raw:
            return False
        half = len(raw) // 2
        der = utils.encode_dss_signature(int.from_bytes(raw[:half], "big"), int.from_bytes(raw[half:], "big"))
        key.verify(der, text.encode(), ec.ECDSA(hashes.SHA256()))
    except (InvalidSignature, UnsupportedAlgorithm, binascii.Error, ValueError):
        return False
    return True
