"""The shared vectors of Web Bot Auth, when they are beside the project."""

import base64
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from http_message_signatures import HTTPMessageSigner, MappingKeyResolver, algorithms
from shared_files import facts, needs_cases

from polite_crawler.signing import KeyDirectory, WebBotAuthSigner, key_directory, proven_keys, verify
from polite_crawler.signing.agent import read_agents
from polite_crawler.signing.card import card_fault, read_registry
from polite_crawler.signing.directory import directory_headers
from polite_crawler.signing.keys import thumbprint
from polite_crawler.signing.message import Components, request_message

FACTS = facts("web_bot_auth")
pytestmark = needs_cases


def _many(*path: str) -> list[Any]:
    found: Any = FACTS
    for name in path:
        found = found.get(name, {})
    return list(found or [])


@pytest.mark.parametrize(
    ("path", "count"),
    [
        (("outcomes", "vectors"), 28), (("thumbprints",), 2), (("positive",), 8), (("signature_agent_headers",), 3),
        (("signature_agent_cards",), 4), (("registry",), 2),
    ],
)  # fmt: skip
def test_the_vectors_are_all_there(path: tuple[str, ...], count: int) -> None:
    assert len(_many(*path)) >= count


def _test_key() -> Ed25519PrivateKey:
    text = FACTS["test_key"]["d"]
    return Ed25519PrivateKey.from_private_bytes(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def _headers(vector: dict[str, Any]) -> dict[str, str]:
    headers = {"Signature-Input": vector["signature_input"], "Signature": vector["signature"]}
    if vector["signature_agent"] is not None:
        headers["Signature-Agent"] = vector["signature_agent"]
    return headers


@pytest.mark.parametrize("vector", _many("outcomes", "vectors"), ids=lambda vector: vector["id"])
def test_each_vector_has_its_outcome(vector: dict[str, Any]) -> None:
    asked = vector["request"]
    directory = json.loads(FACTS["directory_response"]["body"])
    outcome = verify(asked["method"], asked["url"], asked["headers"], directory, now=vector["now"])
    assert {"outcome": outcome.result, "reason": outcome.reason} == vector["expected"]


@pytest.mark.parametrize("case", _many("thumbprints"), ids=lambda case: case["name"])
def test_thumbprints(case: dict[str, Any]) -> None:
    assert thumbprint(json.loads(case["jwk"])) == case["thumbprint"]


@pytest.mark.parametrize("vector", _many("positive"), ids=lambda vector: vector["source"][-7:] + vector["form"])
def test_the_good_signatures_verify(vector: dict[str, Any]) -> None:
    outcome = verify(
        "GET",
        vector["target_url"],
        _headers(vector),
        {"keys": [vector["key"]]},
        now=vector["created"] + 5,
        agent_required=vector["signature_agent"] is not None,
    )
    assert (outcome.result, outcome.reason) == ("verified", "")
    assert outcome.keyid == thumbprint(vector["key"])
    changed = verify(
        "GET", "https://other.example/", _headers(vector), {"keys": [vector["key"]]},
        now=vector["created"] + 5, agent_required=False,
    )  # fmt: skip
    assert (changed.result, changed.reason) == ("invalid", "bad-signature")


@pytest.mark.parametrize(
    "vector",
    [one for one in _many("positive") if one["key"]["kty"] == "OKP"],
    ids=lambda vector: vector["source"][-7:] + vector["form"],
)
def test_signatures_are_equal_octet_for_octet(vector: dict[str, Any]) -> None:
    """The library under the components of our own: what is signed is what the vectors sign."""
    headers = {"Signature-Agent": vector["signature_agent"]} if vector["signature_agent"] else {}
    components = ["@authority"]
    if vector["signature_agent"]:
        member = vector["signature_agent"].partition("=")[0]
        dictionary = vector["form"] == "dictionary"
        components.append(f'"signature-agent";key="{member}"' if dictionary else "signature-agent")
    message = request_message("GET", vector["target_url"], headers)
    keyid = thumbprint(vector["key"])
    _signer(keyid, _test_key()).sign(
        message, key_id=keyid, created=datetime.fromtimestamp(vector["created"], UTC),
        expires=datetime.fromtimestamp(vector["expires"], UTC), nonce=vector["nonce"], tag="web-bot-auth",
        label=vector["label"], covered_component_ids=components,
    )  # fmt: skip
    assert message.headers["Signature-Input"] == vector["signature_input"]
    assert message.headers["Signature"] == vector["signature"]


def test_our_signer_writes_what_the_control_vector_has() -> None:
    """The control, with the test key: the parameters in the order of the vectors, and the same signed text."""
    (control,) = [one for one in _many("outcomes", "vectors") if one["id"] == "PX-29"]
    key = _test_key()
    signer = WebBotAuthSigner.of_key(key, "https://signature-agent.test", clock=lambda: 1735689600.0, nonce=lambda: "n")
    headers = signer.headers("GET", control["request"]["url"])
    assert headers["Signature-Agent"] == control["request"]["headers"]["Signature-Agent"]
    theirs = control["request"]["headers"]["Signature-Input"].replace("4889289600", "1735689900")
    assert headers["Signature-Input"] == theirs.replace(';tag="', ';nonce="n";tag="')


def test_rfc_9421_b_2_6() -> None:
    case = FACTS["rfc9421_b_2_6"]
    asked = case["request"]
    given = {name: value for name, value in asked["headers"].items() if not name.startswith("Signature")}
    message = request_message(asked["method"], asked["url"], given)
    _signer(case["keyid"], _test_key()).sign(
        message, key_id=case["keyid"], created=datetime.fromtimestamp(case["created"], UTC), include_alg=False,
        label="sig-b26",
        covered_component_ids=["date", "@method", "@path", "@authority", "content-type", "content-length"],
    )  # fmt: skip
    assert message.headers["Signature-Input"] == asked["headers"]["Signature-Input"]
    assert message.headers["Signature"] == asked["headers"]["Signature"]


def test_the_directory_of_the_draft() -> None:
    case = FACTS["directory_response"]
    url, body = case["request"]["url"], case["body"].encode()
    assert key_directory([_test_key()]) == body
    made = directory_headers(
        url, body, [_test_key()], created=1735689600, lifetime_s=4889289600 - 1735689600, labels=["binding"]
    )
    # the order of the parameters is free, so the signature text differs
    same = ("Content-Type", "Content-Digest")
    assert [made[name] for name in same] == [case["headers"][name] for name in same]
    keyid = FACTS["test_key"]["keyid"]
    assert proven_keys(url, made, body, now=1735689700) == (keyid,)
    assert proven_keys(url, case["headers"], body, now=1735689700) == (keyid,)
    assert proven_keys(url, case["headers"], body, now=1735689000) == ()
    assert proven_keys(url.replace("signature-agent", "other"), case["headers"], body, now=1735689700) == ()
    assert proven_keys(url, case["headers"], body + b" ", now=1735689700) == ()


def test_a_site_in_earnest_refuses_the_test_keys() -> None:
    (control,) = [one for one in _many("outcomes", "vectors") if one["id"] == "PX-00"]
    asked = control["request"]
    outcome = verify(
        asked["method"], asked["url"], asked["headers"], FACTS["directory_response"]["body"],
        now=control["now"], reject_test_keys=True,
    )  # fmt: skip
    assert (outcome.result, outcome.reason) == ("unverified", "key-unknown")
    assert KeyDirectory.parse(FACTS["directory_response"]["body"], test_keys=False).keys == {}


@pytest.mark.parametrize("case", _many("signature_agent_headers"), ids=lambda case: case["name"])
def test_signature_agent_fields(case: dict[str, Any]) -> None:
    members = read_agents(case["header"])
    assert members is not None
    assert [{"label": one.label, "uri": one.uri, "type": one.type} for one in members] == case["entries"]


@pytest.mark.parametrize("case", _many("signature_agent_cards"), ids=lambda case: case["name"])
def test_agent_cards(case: dict[str, Any]) -> None:
    assert card_fault(case["card"], case["url"]) == case.get("error")
    assert (case.get("error") is None) is case["valid"]


@pytest.mark.parametrize("case", _many("registry"), ids=lambda case: case["name"])
def test_registries(case: dict[str, Any]) -> None:
    assert list(read_registry(case["registry_txt"])) == case["signature_agent_cards"]


def _signer(keyid: str, key: Ed25519PrivateKey) -> HTTPMessageSigner:
    return HTTPMessageSigner(
        signature_algorithm=algorithms.ED25519,
        key_resolver=MappingKeyResolver(public_keys={}, private_keys={keyid: key}),
        component_resolver_class=Components,
    )
