"""The signer, and what it shows of its key."""

import base64
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from signing_lab import AGENT, AGENT_URL, KeyFile, pem_of

from polite_crawler.errors import BadOption
from polite_crawler.rules import urls
from polite_crawler.signing import WebBotAuthSigner, agent_uri, key_directory, verify
from polite_crawler.signing.keys import load_keys, load_private_key, private_key, public_jwk

NOW = 1_760_702_400.0
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
RFC_KEY = "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU"
RFC_X = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs"


def signer(**options: Any) -> WebBotAuthSigner:
    return WebBotAuthSigner.of_key(KEY, AGENT, clock=lambda: NOW, **options)


def jwk_of(key: Ed25519PrivateKey) -> dict[str, str]:
    d = base64.urlsafe_b64encode(key.private_bytes_raw()).rstrip(b"=").decode()
    return {**public_jwk(key.public_key()), "d": d}


def test_the_three_fields() -> None:
    one = signer(nonce=lambda: "abc")
    headers = one.headers("GET", "https://example.com/a?b=c")
    assert list(headers) == ["Signature-Agent", "Signature-Input", "Signature"]
    assert headers["Signature-Agent"] == f'sig1="{AGENT_URL}"'
    assert headers["Signature-Input"] == (
        f'sig1=("@authority" "signature-agent";key="sig1");created=1760702400;keyid="{one.keyid}";alg="ed25519"'
        ';expires=1760702700;nonce="abc";tag="web-bot-auth"'
    )
    assert verify("GET", "https://example.com/", headers, key_directory([KEY]), now=NOW).ok


def test_each_signature_has_its_own_nonce_of_64_octets() -> None:
    one = signer()
    inputs = {one.headers("GET", "https://example.com/")["Signature-Input"] for _ in range(50)}
    assert len(inputs) == 50
    assert len(base64.b64decode(inputs.pop().partition('nonce="')[2].partition('"')[0])) == 64


@pytest.mark.parametrize(
    ("cover", "method", "url", "result"),
    [
        ((), "GET", "https://example.com/other", "verified"),
        (("@path",), "GET", "https://example.com/p?x=1", "verified"),
        (("@path",), "GET", "https://example.com/other", "invalid"),
        (("@method", "@path"), "POST", "https://example.com/p", "invalid"),
        (("@query",), "GET", "https://example.com/p?x=1", "invalid"),
        (("@target-uri",), "GET", "http://example.com/p", "invalid"),
        (("@scheme",), "GET", "http://example.com/p", "invalid"),
        (("@request-target", "@method", "@method"), "GET", "https://example.com/p", "verified"),
    ],
)
def test_a_signature_holds_for_what_it_covers(cover: tuple[str, ...], method: str, url: str, result: str) -> None:
    headers = signer(cover=cover).headers("GET", "https://example.com/p")
    assert verify(method, url, headers, key_directory([KEY]), now=NOW).result == result


@pytest.mark.parametrize("target", ["/a|b", "/[x]?y={z}", "/%zz?q=%", "/a%7Eb", "/?", "", "/ä?ö=ü", "//x//", "/a b"])
def test_every_target_that_can_be_sent_can_be_signed(target: str) -> None:
    url = "https://example.com" + target
    headers = signer(cover=("@path", "@query", "@target-uri", "@request-target")).headers("GET", url)
    assert verify("GET", url, headers, key_directory([KEY]), now=NOW).ok


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:8080/x", "https://bücher.example/", "http://[::1]:9000/", "https://user:p.w@example.com/x"],
)
def test_every_authority_can_be_signed(url: str) -> None:
    headers = signer().headers("GET", url)
    assert verify("GET", url, headers, key_directory([KEY]), now=NOW).ok
    # no base64 text holds a full stop
    assert "p.w" not in str(headers)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=30))
def test_no_url_that_is_fetched_fails_to_be_signed(tail: str) -> None:
    url = urls.absolute("https://example.com/", "/" + tail)
    if url is not None:
        headers = signer(cover=("@path", "@query")).headers("GET", url)
        assert verify("GET", url, headers, key_directory([KEY]), now=NOW).ok


def test_no_property_of_the_signer_shows_the_key() -> None:
    one = signer()
    shown = [repr(one), str(one)]
    for name in dir(one):
        value = getattr(one, name)
        assert not isinstance(value, Ed25519PrivateKey)
        shown.append(f"{value!r}")
    jwk = jwk_of(KEY)
    assert not any(jwk["d"] in text or KEY.private_bytes_raw().hex() in text for text in shown)
    with pytest.raises((TypeError, AttributeError, pickle.PicklingError)):
        pickle.dumps(one)


def test_a_key_that_is_held_elsewhere_signs_octets() -> None:
    asked: list[bytes] = []

    def module(octets: bytes) -> bytes:
        asked.append(octets)
        return KEY.sign(octets)

    keyid = public_jwk(KEY.public_key())["kid"]
    headers = WebBotAuthSigner(keyid, AGENT, module, clock=lambda: NOW).headers("GET", "https://example.com/")
    assert verify("GET", "https://example.com/", headers, key_directory([KEY]), now=NOW).ok
    assert asked[0].startswith(b'"@authority": example.com\n')


# --- the agent ---


@pytest.mark.parametrize(
    ("text", "form", "uri"),
    [
        (AGENT, "uri", AGENT_URL),
        (AGENT + "/", "uri", AGENT_URL),
        ("HTTPS://Bot.Example.com:443/", "uri", AGENT_URL),
        (AGENT + "/jwks.json", "uri", AGENT + "/jwks.json"),
        (AGENT + "/?keys=1", "uri", AGENT + "/?keys=1"),
        (AGENT_URL, "uri", AGENT_URL),
        (AGENT, "origin", AGENT),
        (AGENT_URL, "origin", AGENT),
    ],
)
def test_the_agent_in_both_forms(text: str, form: Any, uri: str) -> None:
    assert agent_uri(text, form) == uri


@pytest.mark.parametrize(
    "text",
    [
        "http://bot.example.com", "bot.example.com", "", "https://", "https://u:p@bot.example.com", AGENT + "/#x",
        AGENT + '/"', AGENT + "/\\", AGENT + "/ä", "https://[bad/", AGENT + "/a b", "ftp://bot.example.com",
        AGENT + "/\r\nX: y",
    ],
)  # fmt: skip
def test_what_is_no_agent(text: str) -> None:
    with pytest.raises(BadOption):
        agent_uri(text)


def test_the_form_origin_takes_no_other_path() -> None:
    with pytest.raises(BadOption, match="needs an origin such as"):
        agent_uri(AGENT + "/jwks.json", "origin")


# --- keys ---


def test_a_key_comes_from_pem_and_from_jwk(tmp_path: Path) -> None:
    file = tmp_path / "key.jwk"
    file.write_text(json.dumps(jwk_of(KEY)))
    for source in (pem_of(KEY), pem_of(KEY).decode(), jwk_of(KEY), json.dumps(jwk_of(KEY))):
        assert private_key(source).private_bytes_raw() == KEY.private_bytes_raw()
    assert load_private_key(file).private_bytes_raw() == KEY.private_bytes_raw()
    assert WebBotAuthSigner.of_key(file, AGENT).keyid == signer().keyid


_EC_KEY = generate_private_key(SECP256R1())
_EC = _EC_KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
_EC_PUBLIC = _EC_KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
_LOCKED = KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"x"))
_PUBLIC = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (_EC, "is no Ed25519 key"),
        (_LOCKED, "without a password"),
        (_PUBLIC, "is no private key"),
        (b"hello", "is no private key"),
        (b"\xff\xfe\x00", "is no private key"),
        ("{broken", "no private Ed25519 key in JWK form"),
        ({"kty": "RSA", "n": "x", "e": "AQAB"}, "no private Ed25519 key in JWK form"),
        ({"kty": "OKP", "crv": "Ed25519", "d": "QUJD"}, "d is not 32 octets"),
        ({**jwk_of(KEY), "x": RFC_X}, "the public part x is not that of the private part d"),
        ({"kty": "OKP", "crv": "Ed25519", "d": RFC_KEY}, "a test key of RFC 9421"),
    ],
)
def test_what_is_no_key_and_the_message_does_not_quote_it(source: Any, words: str) -> None:
    with pytest.raises(BadOption, match=words) as caught:
        private_key(source)
    assert RFC_KEY not in str(caught.value)
    assert jwk_of(KEY)["d"] not in str(caught.value)


def test_a_directory_takes_public_keys_too(tmp_path: Path) -> None:
    sources = {
        "private.pem": pem_of(KEY), "public.pem": _PUBLIC, "key.jwk": json.dumps(public_jwk(KEY.public_key())).encode(),
        "keys.json": key_directory([KEY]),
    }  # fmt: skip
    for name, octets in sources.items():
        (tmp_path / name).write_bytes(octets)
        assert key_directory(load_keys(tmp_path / name)) == key_directory([KEY])
    for name, text in {"test.jwk": {"kty": "OKP", "crv": "Ed25519", "x": RFC_X}, "none.json": {"keys": [1]}}.items():
        (tmp_path / name).write_text(json.dumps(text))
        with pytest.raises(BadOption):
            load_keys(tmp_path / name)
    with pytest.raises(BadOption, match="cannot read the key"):
        load_keys(tmp_path / "nowhere.pem")


def test_a_key_file_of_the_lab_signs(tmp_path: Path) -> None:
    file = KeyFile(tmp_path)
    one = WebBotAuthSigner.of_key(load_private_key(file.path), AGENT, clock=lambda: NOW)
    assert verify("GET", "http://127.0.0.1/", one.headers("GET", "http://127.0.0.1/"), file.jwks, now=NOW).ok


@pytest.mark.parametrize("options", [{"lifetime_s": 0}, {"lifetime_s": 90_000}, {"cover": ("@status",)}])
def test_options_that_a_signature_cannot_have(options: dict[str, Any]) -> None:
    with pytest.raises(BadOption):
        signer(**options)


@pytest.mark.parametrize(
    "octets",
    [
        _EC_PUBLIC,
        b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
        b'{"kty": "OKP", "crv": "Ed25519"}',
        b'{"kty": "OKP", "crv": "Ed25519", "x": "AA=="}',
        b'{"kty": "OKP", "crv": "Ed25519", "x": "\xc3\xa4"}',
        b'{"kty": "RSA", "n": "AQAB", "e": "AQAB"}',
        b"{" * 100_000,
        b"[1]",
    ],
)
def test_what_a_directory_does_not_take(tmp_path: Path, octets: bytes) -> None:
    file = tmp_path / "key"
    file.write_bytes(octets)
    with pytest.raises(BadOption, match="key"):
        load_keys(file)


def test_a_public_test_key_is_no_key_of_a_directory(tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    octets = base64.urlsafe_b64decode(RFC_X + "=")
    key = Ed25519PublicKey.from_public_bytes(octets)
    file.write_bytes(key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    with pytest.raises(BadOption, match="a test key of RFC 9421"):
        load_keys(file)
