"""TLS: the one context of the process, and what a handshake agreed on."""

import hashlib
import ssl
from functools import cache

from polite_crawler.store.record import Tls

# OpenSSL names the TLS 1.2 suites in its own way; the record has the names of the IANA registry
_IANA = {
    f"{exchange}{cipher}": f"TLS_{exchange.replace('-', '_')}WITH_{name}"
    for exchange in ("ECDHE-ECDSA-", "ECDHE-RSA-", "DHE-RSA-", "DHE-DSS-")
    for cipher, name in (
        ("AES128-GCM-SHA256", "AES_128_GCM_SHA256"),
        ("AES256-GCM-SHA384", "AES_256_GCM_SHA384"),
        ("CHACHA20-POLY1305", "CHACHA20_POLY1305_SHA256"),
        ("AES128-CCM", "AES_128_CCM"),
        ("AES256-CCM", "AES_256_CCM"),
        ("AES128-CCM8", "AES_128_CCM_8"),
        ("AES256-CCM8", "AES_256_CCM_8"),
        ("AES128-SHA256", "AES_128_CBC_SHA256"),
        ("AES256-SHA256", "AES_256_CBC_SHA256"),
        ("AES256-SHA384", "AES_256_CBC_SHA384"),
        ("AES128-SHA", "AES_128_CBC_SHA"),
        ("AES256-SHA", "AES_256_CBC_SHA"),
        ("CAMELLIA128-SHA256", "CAMELLIA_128_CBC_SHA256"),
        ("CAMELLIA256-SHA384", "CAMELLIA_256_CBC_SHA384"),
        ("ARIA128-GCM-SHA256", "ARIA_128_GCM_SHA256"),
        ("ARIA256-GCM-SHA384", "ARIA_256_GCM_SHA384"),
    )
} | {
    "AES128-GCM-SHA256": "TLS_RSA_WITH_AES_128_GCM_SHA256",
    "AES256-GCM-SHA384": "TLS_RSA_WITH_AES_256_GCM_SHA384",
    "AES128-SHA256": "TLS_RSA_WITH_AES_128_CBC_SHA256",
    "AES256-SHA256": "TLS_RSA_WITH_AES_256_CBC_SHA256",
    "AES128-SHA": "TLS_RSA_WITH_AES_128_CBC_SHA",
    "AES256-SHA": "TLS_RSA_WITH_AES_256_CBC_SHA",
}


@cache
def default_context() -> ssl.SSLContext:
    """The context of all connections: certificates of the system, host name checked, TLS 1.2 or later, HTTP/1.1 only.

    It is made once: the certificates of the system take some 40 ms to load.
    """
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


def tls_facts(connection: ssl.SSLObject) -> tuple[Tls, bytes | None]:
    """What a finished handshake agreed on, and the certificate of the server (DER)."""
    certificate = connection.getpeercert(binary_form=True)
    cipher = connection.cipher()
    facts = Tls(
        version=connection.version() or "",
        cipher=iana_name(cipher[0]) if cipher else None,
        alpn=connection.selected_alpn_protocol(),
        cert_sha256=hashlib.sha256(certificate).hexdigest() if certificate else None,
    )
    return facts, certificate


def iana_name(cipher: str) -> str:
    """The IANA name of a cipher suite; an OpenSSL name that is not known stays as it is."""
    return _IANA.get(cipher, cipher)
