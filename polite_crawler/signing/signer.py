"""What signs a request."""

import base64
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from http_message_signatures import HTTPMessageSigner, algorithms

from polite_crawler.errors import BadOption
from polite_crawler.rules.signature import COVERABLE, LONGEST_S, Form, SignatureOptions
from polite_crawler.signing.agent import agent_field, agent_uri
from polite_crawler.signing.draft import LABEL, TAG
from polite_crawler.signing.keys import load_private_key, private_key, public_jwk
from polite_crawler.signing.message import Components, request_message

LIFETIME_S = 300.0
"""How long a signature is valid, in seconds, unless a setting says otherwise."""

_NONCE_OCTETS = 64
_SIGNER = HTTPMessageSigner(signature_algorithm=algorithms.ED25519, component_resolver_class=Components)

SignOctets = Callable[[bytes], bytes]
"""Gives the Ed25519 signature (64 octets) of some octets: with a key in memory, or in a hardware module."""


class RequestSigner(Protocol):
    """The signer of each request. The crawler asks it at the moment of sending, once for each request.

    A signer that raises sends nothing: the request is a skip, `signer failed: REASON`.
    """

    @property
    def keyid(self) -> str:
        """The id of the key, for the log."""

    @property
    def agent(self) -> str | None:
        """The value of Signature-Agent that tells where the key is, for the log."""

    def headers(self, method: str, url: str) -> Mapping[str, str]:
        """The header fields to add to a request for this URL."""


class WebBotAuthSigner:
    """Signs requests by the Web Bot Auth draft (`draft.DRAFT`) with an Ed25519 key.

    Each signature has a random nonce of its own, covers @authority, its member of Signature-Agent and `cover`, and
    expires after `lifetime_s` seconds. The object shows the key id and the agent, and it holds no key: `sign_octets`
    signs, wherever the key is. `clock` gives epoch seconds, `nonce` a text that never comes again.
    """

    __slots__ = ("_agent", "_clock", "_components", "_field", "_keyid", "_lifetime_s", "_nonce", "_sign")

    def __init__(
        self,
        keyid: str,
        agent: str,
        sign_octets: SignOctets,
        *,
        form: Form = "uri",
        cover: Sequence[str] = (),
        lifetime_s: float = LIFETIME_S,
        clock: Callable[[], float] = time.time,
        nonce: Callable[[], str] | None = None,
    ) -> None:
        """A signer whose key is somewhere else. Raises BadOption."""
        for name in cover:
            if name not in COVERABLE:
                raise BadOption(f"a signature cannot cover {name!r} (it can: {', '.join(COVERABLE)})")
        if not 1 <= lifetime_s <= LONGEST_S:
            raise BadOption(f"a signature lives 1 second to 24 hours, not {lifetime_s:g} s")
        self._keyid = keyid
        self._agent = agent_uri(agent, form)
        self._field = agent_field(LABEL, self._agent)
        self._sign = sign_octets
        self._lifetime_s = int(lifetime_s)
        self._components = ("@authority", f'"signature-agent";key="{LABEL}"', *dict.fromkeys(cover))
        self._clock = clock
        self._nonce = nonce or _random

    @classmethod
    def of_key(
        cls, key: Ed25519PrivateKey | str | bytes | Mapping[str, Any] | Path, agent: str, **options: Any
    ) -> "WebBotAuthSigner":
        """The signer of a private key: the object, a PKCS#8 PEM text, a JWK, or a Path of a file with one of them.
        `options` are those of the constructor. Raises BadOption, also for the test keys of RFC 9421."""
        if isinstance(key, Path):
            key = load_private_key(key)
        elif not isinstance(key, Ed25519PrivateKey):
            key = private_key(key)
        return cls(public_jwk(key.public_key())["kid"], agent, _signing(key), **options)

    def __repr__(self) -> str:
        return f"WebBotAuthSigner(keyid={self._keyid!r}, agent={self._agent!r})"

    @property
    def keyid(self) -> str:
        """The thumbprint of the key (RFC 7638, RFC 8037)."""
        return self._keyid

    @property
    def agent(self) -> str:
        """The URL in Signature-Agent."""
        return self._agent

    def headers(self, method: str, url: str) -> dict[str, str]:
        """Signature-Agent, Signature-Input and Signature for a request, valid from now on."""
        created = int(self._clock())
        message = request_message(method, url, {"Signature-Agent": self._field})
        prepared = _SIGNER.prepare(
            message,
            key_id=self._keyid,
            created=datetime.fromtimestamp(created, UTC),
            expires=datetime.fromtimestamp(created + self._lifetime_s, UTC),
            nonce=self._nonce(),
            label=LABEL,
            tag=TAG,
            covered_component_ids=self._components,
        )
        _SIGNER.apply(message, prepared, self._sign(prepared.signature_base))
        return dict(message.headers.items())


def configured_signer(options: SignatureOptions, *, clock: Callable[[], float] = time.time) -> WebBotAuthSigner | None:
    """The signer that the settings ask for; None when they ask for none. Raises BadOption for a key that cannot be
    read or used."""
    if not options.on:
        return None
    return WebBotAuthSigner.of_key(
        load_private_key(options.key),
        options.agent,
        form=options.form,
        cover=options.cover,
        lifetime_s=options.lifetime_s,
        clock=clock,
    )


def _signing(key: Ed25519PrivateKey) -> SignOctets:
    # the key stands in a closure alone: nothing that prints the signer's attributes can print it
    def sign(octets: bytes) -> bytes:
        return key.sign(octets)

    return sign


def _random() -> str:
    return base64.b64encode(secrets.token_bytes(_NONCE_OCTETS)).decode("ascii")
