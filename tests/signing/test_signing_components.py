"""What a signature of another client can cover, and the keys that it can be made with: signed here by hand."""

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from signing_lab import AGENT_URL

from polite_crawler.signing import KeyDirectory, proven_keys, verify
from polite_crawler.signing.keys import BadKey, public_jwk, public_key, thumbprint

NOW = 1_760_702_400
JWKS_URL = "https://bot.example.com/jwks.json"


@dataclass(frozen=True)
class Signing:
    """A key of a test: its JWK, its algorithm and how it signs."""

    alg: str
    jwk: Mapping[str, str]
    sign: Callable[[bytes], bytes]

    @property
    def keyid(self) -> str:
        return thumbprint(self.jwk)


def _number(value: int, size: int = 0) -> str:
    octets = value.to_bytes(size or (value.bit_length() + 7) // 8, "big")
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def _ed25519(seed: bytes) -> Signing:
    key = Ed25519PrivateKey.from_private_bytes(seed)
    return Signing("ed25519", public_jwk(key.public_key()), key.sign)


def _rsa() -> Signing:
    key = rsa.generate_private_key(65537, 2048)
    pss = padding.PSS(padding.MGF1(hashes.SHA512()), 64)
    jwk = {"kty": "RSA", "n": _number(key.public_key().public_numbers().n), "e": "AQAB"}
    return Signing("rsa-pss-sha512", jwk, lambda text: key.sign(text, pss, hashes.SHA512()))


def _ecdsa(alg: str, name: str, curve: ec.EllipticCurve, digest: hashes.HashAlgorithm) -> Signing:
    key = ec.generate_private_key(curve)
    point, size = key.public_key().public_numbers(), curve.key_size // 8

    def sign(text: bytes) -> bytes:
        pair = decode_dss_signature(key.sign(text, ec.ECDSA(digest)))
        return b"".join(one.to_bytes(size, "big") for one in pair)

    return Signing(alg, {"kty": "EC", "crv": name, "x": _number(point.x, size), "y": _number(point.y, size)}, sign)


ED = _ed25519(bytes(range(32)))
KEYS = [
    ED,
    _rsa(),
    _ecdsa("ecdsa-p256-sha256", "P-256", ec.SECP256R1(), hashes.SHA256()),
    _ecdsa("ecdsa-p384-sha384", "P-384", ec.SECP384R1(), hashes.SHA384()),
]
Covered = Sequence[tuple[str, str]]


def _signed(covered: Covered, key: Signing, params: str) -> tuple[str, str]:
    inner = "(" + " ".join(name for name, _ in covered) + ")" + params
    base = "".join(f"{name}: {value}\n" for name, value in covered) + f'"@signature-params": {inner}'
    return inner, base64.b64encode(key.sign(base.encode())).decode()


def outcome(
    url: str,
    *more: tuple[str, str],
    fields: Mapping[str, str] | None = None,
    key: Signing = ED,
    alg: str = "",
    agent: str = AGENT_URL,
    directory: Sequence[Mapping[str, Any]] | None = None,
) -> tuple[str, str]:
    """The outcome of a request that covers the authority, the agent and more components of these values."""
    authority = url.partition("//")[2].partition("/")[0].partition("?")[0]
    covered = [('"@authority"', authority), ('"signature-agent";key="sig1"', f'"{agent}"'), *more]
    named = f';alg="{alg}"' if alg else ""
    params = f';created={NOW};keyid="{key.keyid}"{named};expires={NOW + 300};tag="web-bot-auth"'
    inner, signature = _signed(covered, key, params)
    headers = {
        "Signature-Agent": f'sig1="{agent}"', **(fields or {}),
        "Signature-Input": f"sig1={inner}", "Signature": f"sig1=:{signature}:",
    }  # fmt: skip
    found = verify("GET", url, headers, {"keys": [key.jwk] if directory is None else list(directory)}, now=NOW)
    return found.result, found.reason


QUERY = "https://a.example/p?var=this%20is%20a%20big%0Avalue&bar=with+plus+whitespace&fa%C3%A7ade%22%3A%20=some&e=&flag"


@pytest.mark.parametrize(
    ("url", "component", "value"),
    [
        (QUERY, '"@query-param";name="var"', "this%20is%20a%20big%0Avalue"),
        (QUERY, '"@query-param";name="bar"', "with%20plus%20whitespace"),
        (QUERY, '"@query-param";name="fa%C3%A7ade%22%3A%20"', "some"),
        (QUERY, '"@query-param";name="e"', ""),
        (QUERY, '"@query-param";name="flag"', ""),
        ("https://a.example/?q=~*-._!'()|{}", '"@query-param";name="q"', "%7E*-._%21%27%28%29%7C%7B%7D"),
        ("https://a.example?a=1&&b=2", '"@query-param";name="b"', "2"),
        ("https://a.example/?a=%FF", '"@query-param";name="a"', "%EF%BF%BD"),
        ("https://a.example?x", '"@path"', "/"),
        ("https://a.example/a|b?c", '"@query"', "?c"),
        ("https://a.example/a", '"@query"', "?"),
        ("https://a.example", '"@request-target"', "/"),
        ("https://a.example/a?b", '"@target-uri"', "https://a.example/a?b"),
    ],
)
def test_what_is_covered_of_the_url(url: str, component: str, value: str) -> None:
    assert outcome(url, (component, value)) == ("verified", "")
    assert outcome(url, (component, value + "x")) == ("invalid", "bad-signature")


@pytest.mark.parametrize(
    "component",
    [
        '"@query-param";name="none"', '"@query-param";name="twice"', '"@query-param"', '"@query-param";name=a',
        '"@query-param";name=1', '"@query-param";name="a";more', '"@path";name="a"', '"@status"', '"@foo"',
        '"@authority";req', '"@signature-params"', '"x-none"', '"x-none";sf', '"X-Field"', '"x-field";tr',
        '"x-field";foo', '"x-field";sf', '"signature-agent";sf=?0',
    ],
)  # fmt: skip
def test_what_a_request_does_not_hold_verifies_nothing(component: str) -> None:
    for value in ("", "1", "a.example"):
        found = outcome("https://a.example/?a=1&twice=1&twice=1", (component, value), fields={"X-Field": value})
        assert found == ("invalid", "bad-signature")


@pytest.mark.parametrize(
    ("field", "component", "value"),
    [
        ("a=1,  b=2", '"x-d"', "a=1,  b=2"),
        ("a=1;x=2;y, b", '"x-d";key="a"', "1;x=2;y"),
        ("a=1, b", '"x-d";key="b"', "?1"),
        ("a=(1  2 );p", '"x-d";key="a"', "(1 2);p"),
        ("a=1.50, a=2.250", '"x-d";key="a"', "2.25"),
        ("hello", '"x-d";bs', ":aGVsbG8=:"),
        ("  b  c\t", '"x-d"', "b  c"),
        ("", '"x-d"', ""),
    ],
)
def test_what_is_covered_of_a_field(field: str, component: str, value: str) -> None:
    assert outcome("https://a.example/", (component, value), fields={"X-D": field}) == ("verified", "")


def test_the_agent_as_a_whole_is_a_dictionary() -> None:
    fields = {"Signature-Agent": f' sig1="{AGENT_URL}" ,  b="https://b.example" '}
    written = f'sig1="{AGENT_URL}", b="https://b.example"'
    assert outcome("https://a.example/", ('"signature-agent";sf', written), fields=fields) == ("verified", "")


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.alg)
def test_each_kind_of_key(key: Signing) -> None:
    others = [one.jwk for one in KEYS if one is not key]
    for alg in ("", key.alg):
        assert outcome("https://a.example/", key=key, alg=alg, directory=[*others, key.jwk]) == ("verified", "")
    for alg in ({one.alg for one in KEYS} | {"hmac-sha256", "rsa-v1_5-sha256", "none"}) - {key.alg}:
        assert outcome("https://a.example/", key=key, alg=alg) == ("invalid", "bad-signature")
    assert outcome("https://a.example/", key=key, directory=others) == ("unverified", "key-unknown")


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.alg)
def test_a_proof_by_each_kind_of_key(key: Signing) -> None:
    body = json.dumps({"keys": [ED.jwk, key.jwk]}).encode()
    digest = f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"
    params = f';created={NOW};keyid="{key.keyid}";expires={NOW + 60};tag="http-message-signatures-directory"'
    inner, signature = _signed([('"@authority";req', "bot.example.com"), ('"content-digest"', digest)], key, params)
    headers = {"Content-Digest": digest, "Signature-Input": f"b={inner}", "Signature": f"b=:{signature}:"}
    assert proven_keys(AGENT_URL, headers, body, now=NOW) == (key.keyid,)
    assert proven_keys(AGENT_URL, headers, body + b" ", now=NOW) == ()


@pytest.mark.parametrize(
    ("agent", "known"),
    [
        (JWKS_URL, True),
        ("https://bot.example.com/x?y=1", True),
        (AGENT_URL, False),
        ("https://bot.example.com", False),
        ("https://bot.example.com/", False),
    ],
)
def test_a_kid_is_a_label_but_at_the_well_known_url(agent: str, known: bool) -> None:
    """There it can be nothing but the thumbprint (draft, Key Distribution and Discovery)."""
    expected = ("verified", "") if known else ("unverified", "key-unknown")
    assert outcome("https://a.example/", agent=agent, directory=[{**ED.jwk, "kid": "mine"}]) == expected
    # a label that is the thumbprint of another key gives it nothing
    other = _ed25519(bytes(range(1, 33)))
    assert outcome("https://a.example/", agent=agent, directory=[{**other.jwk, "kid": ED.keyid}])[1] == "key-unknown"


@pytest.mark.parametrize(
    "agent",
    ["https://a.example/a b", "https://a.example/{x}", "https:///x", "a.example", "", "data:,x", "//a.example/j"],
)
def test_an_agent_that_is_no_https_uri(agent: str) -> None:
    assert outcome("https://a.example/", agent=agent) == ("invalid", "signature-agent-not-https")


@pytest.mark.parametrize(
    "change", [{"x": "AA"}, {"y": ""}, {"crv": "P-521"}, {"crv": "secp256k1"}, {"x": 1}, {"y": "A" * 43}]
)
def test_an_ec_key_that_is_none(change: Mapping[str, Any]) -> None:
    with pytest.raises(BadKey):
        public_key({**KEYS[2].jwk, **change})


RFC_9421_B_1: list[dict[str, str]] = [
    {"kty": "OKP", "crv": "Ed25519", "x": "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"},
    {
        "kty": "EC", "crv": "P-256",
        "x": "qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA", "y": "Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0",
    },
    {
        "kty": "RSA", "e": "AQAB",
        "n": "hAKYdtoeoy8zcAcR874L8cnZxKzAGwd7v36APp7Pv6Q2jdsPBRrwWEBnez6d0UDKDwGbc6nxfEXAy5mbhgajzrw3MOEt8uA5txSK"
        "obBpKDeBLOsdJKFqMGmXCQvEG7YemcxDTRPxAleIAgYYRjTSd_QBwVW9OwNFhekro3RtlinV0a75jfZgkne_YiktSvLG34lw2zqX"
        "BDTC5NHROUqGTlML4PlNZS5Ri2U4aCNx2rUPRcKIlE0PuKxI4T-HIaFpv8-rdV6eUgOrB2xeI1dSFFn_nnv5OoZJEIB-VmuKn3DC"
        "UcCZSFlQPSXSfBDiUGhwOw76WuSSsf1D4b_vLoJ10w",
    },
]  # fmt: skip


@pytest.mark.parametrize("jwk", RFC_9421_B_1, ids=lambda jwk: jwk["kty"])
def test_the_keys_of_the_rfc_are_for_tests(jwk: dict[str, str]) -> None:
    assert len(KeyDirectory.parse({"keys": [jwk]}).keys) == 1
    assert KeyDirectory.parse({"keys": [jwk]}, test_keys=False).keys == {}
