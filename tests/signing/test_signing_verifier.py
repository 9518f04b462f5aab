"""What a site concludes, beside the shared vectors: odd fields, several signatures, odd directories."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st
from signing_lab import AGENT, AGENT_URL

from polite_crawler.signing import KeyDirectory, directory_headers, key_directory, proven_keys, verify
from polite_crawler.signing.card import agent_card, card_fault
from polite_crawler.signing.inputs import asks_for_signature
from polite_crawler.signing.keys import public_jwk

NOW = 1_760_702_400
URL = "https://example.com/"
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(range(1, 33)))
KEYID = public_jwk(KEY.public_key())["kid"]
DIRECTORY = json.loads(key_directory([KEY]))
PARAMS = f';created={NOW};keyid="{KEYID}";alg="ed25519";expires={NOW + 300};tag="web-bot-auth"'
FIELD = f'sig1="{AGENT_URL}"'
MEMBER = ('"signature-agent";key="sig1"', f'"{AGENT_URL}"')
AUTHORITY = ('"@authority"', "example.com")


def made(
    params: str = PARAMS, agent: str | None = FIELD, *components: tuple[str, str], label: str = "sig1"
) -> dict[str, str]:
    """The fields of a request signed by hand."""
    covered = components or (AUTHORITY, MEMBER)
    inner = "(" + " ".join(name for name, _ in covered) + ")" + params
    base = "".join(f"{name}: {value}\n" for name, value in covered) + f'"@signature-params": {inner}'
    signature = base64.b64encode(KEY.sign(base.encode())).decode()
    fields = {"Signature-Input": f"{label}={inner}", "Signature": f"{label}=:{signature}:"}
    return fields if agent is None else {**fields, "Signature-Agent": agent}


def outcome(headers: Any, directory: Any = DIRECTORY, now: float = NOW, **options: Any) -> tuple[str, str]:
    found = verify("GET", URL, headers, directory, now=now, **options)
    return found.result, found.reason


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (made(), ("verified", "")),
        (made(PARAMS.replace(f"created={NOW}", f'created="{NOW}"')), ("invalid", "missing-fields")),
        (made(PARAMS.replace(f"expires={NOW + 300}", f"expires={NOW + 300}.5")), ("invalid", "missing-fields")),
        (made(PARAMS.replace(f'keyid="{KEYID}"', "keyid=token")), ("invalid", "missing-fields")),
        (made(PARAMS.replace('"web-bot-auth"', "web-bot-auth")), ("unverified", "no web-bot-auth signature")),
        (made(PARAMS + ";extra=1"), ("invalid", "bad-signature")),
        (made(PARAMS, FIELD, ('"@target-uri"', URL), MEMBER), ("verified", "")),
        (made(PARAMS, FIELD, ('"@path"', "/"), MEMBER), ("invalid", "target-not-covered")),
        (made(PARAMS, FIELD, AUTHORITY, ('"signature-agent"', FIELD)), ("invalid", "signature-agent-not-covered")),
        (made(PARAMS, f'"{AGENT}"', AUTHORITY, ('"signature-agent"', f'"{AGENT}"')), ("verified", "")),
        (made(PARAMS, f'"{AGENT}"', AUTHORITY), ("invalid", "signature-agent-not-covered")),
        (made(PARAMS, "token", AUTHORITY, ('"signature-agent"', "token")), ("invalid", "signature-agent-not-covered")),
        (made(PARAMS, "sig1=?1, sig1=", AUTHORITY, MEMBER), ("invalid", "signature-agent-unparsable")),
        (made(PARAMS, 'sig1=("a" "b")', AUTHORITY, MEMBER), ("invalid", "signature-agent-unparsable")),
        (
            made(PARAMS, 'sig1="https://u:p@x.test"', AUTHORITY, (MEMBER[0], '"https://u:p@x.test"')),
            ("invalid", "signature-agent-not-https"),
        ),
        (
            {**made(), "Signature-Input": made()["Signature-Input"] + ', sig1=("@path")'},
            ("invalid", "signature-input-unreadable"),
        ),
        ({name: value for name, value in made().items() if name != "Signature"}, ("invalid", "bad-signature")),
        ({**made(), "Signature": "sig1=text"}, ("invalid", "bad-signature")),
        ({"signature-input": ""}, ("unverified", "signature-agent-absent")),
        ({"signature-input": "", "signature-agent": FIELD}, ("unverified", "no web-bot-auth signature")),
        ({"signature-input": "sig1=1", "signature-agent": FIELD}, ("unverified", "no web-bot-auth signature")),
        ({"signature-input": "ä", "signature-agent": FIELD}, ("invalid", "signature-input-unreadable")),
        ({"Signature": "sig1=:AAAA:"}, ("unverified", "unsigned")),
    ],
)
def test_odd_fields(headers: dict[str, str], expected: tuple[str, str]) -> None:
    assert outcome(headers) == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda text: text.upper(), ("verified", "")),
        (lambda text: text.lower(), ("verified", "")),
    ],
)
def test_names_of_fields_in_any_case(change: Callable[[str], str], expected: tuple[str, str]) -> None:
    assert outcome({change(name): value for name, value in made().items()}) == expected
    assert outcome([(change(name), value) for name, value in made().items()]) == expected


def test_a_field_on_two_lines_is_one_field() -> None:
    one, two = made(), made(PARAMS.replace("web-bot-auth", "other"), label="sig2")
    lines = [*one.items(), *((name, value) for name, value in two.items() if name != "Signature-Agent")]
    assert outcome(lines) == ("verified", "")


def test_one_good_signature_of_several_is_enough() -> None:
    """As in a rotation: each key signs, and the verifier knows one of them."""
    theirs = made(PARAMS.replace(KEYID, public_jwk(OTHER.public_key())["kid"]), label="new")
    ours = made()
    both = {
        "Signature-Agent": FIELD,
        **{name: f"{theirs[name]}, {ours[name]}" for name in ("Signature", "Signature-Input")},
    }
    assert outcome(both) == ("verified", "")
    assert outcome(both, directory={"keys": []}) == ("unverified", "key-unknown")


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (NOW - 6, ("invalid", "clock-ahead")),
        (NOW - 5, ("verified", "")),
        (NOW + 305, ("verified", "")),
        (NOW + 306, ("invalid", "expired")),
    ],
)
def test_the_dates_within_the_skew_of_clocks(now: float, expected: tuple[str, str]) -> None:
    assert outcome(made(), now=now) == expected


def test_the_options_of_a_verifier() -> None:
    assert outcome(made(), max_lifetime=299) == ("invalid", "lifetime-too-long")
    assert outcome(made(), max_lifetime=300) == ("verified", "")
    assert outcome(made(PARAMS, None, AUTHORITY)) == ("unverified", "signature-agent-absent")
    assert outcome(made(PARAMS, None, AUTHORITY), agent_required=False) == ("verified", "")
    assert verify("GET", "ftp://example.com/", made(), DIRECTORY, now=NOW).reason == "url-unreadable"


@pytest.mark.parametrize(
    ("directory", "expected"),
    [
        (key_directory([OTHER, KEY]), ("verified", "")),
        (key_directory([KEY]).decode(), ("verified", "")),
        (KeyDirectory.parse(DIRECTORY), ("verified", "")),
        ({"keys": [1, None, {}, {"kty": "OKP", "crv": "X25519", "x": "AA"}, *DIRECTORY["keys"]]}, ("verified", "")),
        ({"keys": [{**DIRECTORY["keys"][0], "use": "enc"}]}, ("unverified", "key-unknown")),
        ({"keys": [{**DIRECTORY["keys"][0], "kid": "mine"}]}, ("unverified", "key-unknown")),
        ({"keys": [{**DIRECTORY["keys"][0], "exp": NOW - 10}]}, ("unverified", "key-unknown")),
        ({"keys": [{**DIRECTORY["keys"][0], "nbf": NOW + 10}]}, ("unverified", "key-unknown")),
        ({"keys": [{**DIRECTORY["keys"][0], "nbf": NOW - 10, "exp": NOW + 10}]}, ("verified", "")),
        ({"keys": [{**DIRECTORY["keys"][0], "exp": "soon"}]}, ("unverified", "key-unknown")),
        ({"keys": [{}] * 64 + DIRECTORY["keys"]}, ("unverified", "key-unknown")),
        ({"keys": "none"}, ("unverified", "directory-unreadable")),
        ("[]", ("unverified", "directory-unreadable")),
        (b"\xff", ("unverified", "directory-unreadable")),
        ("[" * 100_000, ("unverified", "directory-unreadable")),
    ],
)
def test_odd_directories(directory: Any, expected: tuple[str, str]) -> None:
    assert outcome(made(), directory) == expected


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(st.sampled_from(["Signature-Input", "Signature", "Signature-Agent"]), st.text(max_size=60)),
    st.integers(0, 300),
    st.text(max_size=3),
)
def test_nothing_that_a_client_sends_raises_or_verifies(odd: dict[str, str], at: int, extra: str) -> None:
    assert verify("GET", URL, odd, DIRECTORY, now=NOW).result != "verified"
    text = made()["Signature-Input"]
    changed = {**made(), "Signature-Input": text[:at] + extra + text[at:]}
    verify("GET", URL, changed, DIRECTORY, now=NOW)


# --- the proof of possession ---


def test_two_keys_give_two_proofs() -> None:
    body = key_directory([KEY, OTHER])
    url = "https://bot.example.com:8443/.well-known/http-message-signatures-directory"
    headers = directory_headers(url, body, [KEY, OTHER], created=NOW, lifetime_s=60)
    assert set(proven_keys(url, headers, body, now=NOW)) == {one["kid"] for one in json.loads(body)["keys"]}
    assert proven_keys(url, headers, body, now=NOW + 70) == ()
    assert proven_keys(url, headers, body, now=NOW - 10) == ()
    assert proven_keys(url.replace(":8443", ""), headers, body, now=NOW) == ()
    assert proven_keys(url, headers, body.replace(b"sig", b"gis"), now=NOW) == ()
    assert proven_keys("no url", headers, body, now=NOW) == ()
    assert proven_keys(url, {}, body, now=NOW) == ()


def test_a_key_that_did_not_sign_is_not_proven() -> None:
    body = key_directory([KEY, OTHER])
    headers = directory_headers(AGENT_URL, body, [OTHER], created=NOW)
    assert proven_keys(AGENT_URL, headers, body, now=NOW) == (public_jwk(OTHER.public_key())["kid"],)


# --- asking, and the card ---


@pytest.mark.parametrize(
    ("field", "asks"),
    [
        ('sig1=("@authority");tag="web-bot-auth"', True),
        ('sig1=("@authority");created', True),
        ('a=("@method");tag="other", b=("@authority");tag="web-bot-auth"', True),
        ('sig1=("@authority");tag="other"', False),
        ("sig1", False),
        ("", False),
        ("(((", False),
    ],
)
def test_accept_signature(field: str, asks: bool) -> None:
    assert asks_for_signature(field) is asks


def test_an_agent_card() -> None:
    url = "https://bot.example.com/card.json"
    card = agent_card(
        url, name="Bot", jwks_uri=AGENT_URL, user_agent="Bot/1", product_token="Bot", contacts=["mailto:a@b.example"]
    )
    assert card_fault(card, url) is None
    assert card["contacts"] == ["mailto:a@b.example"]
    assert card["web_bot_auth"]["rfc9309-product-token"] == "Bot"
    assert None not in [*card.values(), *card["web_bot_auth"].values()]
