"""`pc-key-directory`, and the options that sign, as processes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from polite_crawler.signing import key_directory, proven_keys
from polite_crawler.testsite.site import Site

AGENT = "https://bot.example.com"
URL = AGENT + "/.well-known/http-message-signatures-directory"


def pc(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "polite_crawler.cli", *arguments],
        capture_output=True, timeout=100, check=False, env={**os.environ, **environment},
    )  # fmt: skip


def new_key(path: Path) -> Ed25519PrivateKey:
    key = Ed25519PrivateKey.generate()
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return key


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "new.pem", tmp_path / "old.pem"


def test_the_directory_and_its_proof_fit_each_other(files: tuple[Path, Path]) -> None:
    """What is written to a file is what the header fields prove, octet for octet; both ways to give several keys."""
    keys = [new_key(path) for path in files]
    names = [str(path) for path in files]
    body = pc("key-directory", "--sign-key", *names)
    assert (body.returncode, body.stderr) == (0, b"")
    assert body.stdout == key_directory(keys)
    told = pc("key-directory", "--sign-key", names[0], "--sign-key", names[1], "--signature-agent", AGENT, "--headers")
    headers = dict(line.split(": ", 1) for line in told.stdout.decode().splitlines())
    assert list(headers) == ["Content-Type", "Cache-Control", "Content-Digest", "Signature-Input", "Signature"]
    created = int(headers["Signature-Input"].partition("created=")[2].partition(";")[0])
    kids = [jwk["kid"] for jwk in json.loads(body.stdout)["keys"]]
    assert list(proven_keys(URL, headers, body.stdout, now=created)) == kids
    assert list(proven_keys(URL, headers, body.stdout, now=created + 29 * 86_400)) == kids
    assert proven_keys(URL, headers, body.stdout, now=created + 31 * 86_400) == ()


def test_json_holds_headers_and_body(files: tuple[Path, Path]) -> None:
    new_key(files[0])
    told: dict[str, Any] = json.loads(
        pc(
            "key-directory", "--sign-key", str(files[0]), "--signature-agent", AGENT, "--headers", "--json",
            "--lifetime", "1h",
        ).stdout
    )  # fmt: skip
    assert told["url"] == URL
    assert "private" not in json.dumps(told).lower()
    created = int(told["headers"]["Signature-Input"].partition("created=")[2].partition(";")[0])
    assert len(proven_keys(URL, told["headers"], told["body"].encode(), now=created + 3500)) == 1
    assert proven_keys(URL, told["headers"], told["body"].encode(), now=created + 3700) == ()


def test_the_agent_card(files: tuple[Path, Path]) -> None:
    new_key(files[0])
    card = AGENT + "/card.json"
    told = json.loads(
        pc(
            "key-directory", "--sign-key", str(files[0]), "--signature-agent", AGENT, "--card", card,
            "--contact", "ops@example.com",
        ).stdout
    )  # fmt: skip
    assert (told["client_id"], told["jwks_uri"], told["contacts"]) == (card, URL, ["mailto:ops@example.com"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--sign-key"),
        (["--sign-key", "/no/such.pem"], "cannot read the key /no/such.pem"),
        (["--sign-key", "{key}", "--headers"], "--headers needs --signature-agent"),
        (["--sign-key", "{key}", "--card", AGENT], "--card needs --signature-agent"),
        (["--sign-key", "{key}", "--signature-agent", "http://x.example"], "no https URL"),
        (["--sign-key", "{key}", "--lifetime", "soon"], "--lifetime"),
        (["--sign-key", "{public}", "--signature-agent", AGENT, "--headers"], "needs a private key"),
        (["--sign-key", "{test}"], "a test key of RFC 9421"),
    ],
)
def test_a_wrong_command_line_is_one_line(tmp_path: Path, arguments: list[str], words: str) -> None:
    paths = {name: tmp_path / name for name in ("key", "public", "test")}
    paths["public"].write_bytes(key_directory([new_key(paths["key"])]))
    rfc = {"kty": "OKP", "crv": "Ed25519", "d": "n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU"}
    paths["test"].write_text(json.dumps(rfc))
    given = [one.format(**paths) if one.startswith("{") else one for one in arguments]
    ran = pc("key-directory", *given)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert words in ran.stderr.decode()
    assert ran.stderr.count(b"\n") == 1
    assert rfc["d"].encode() not in ran.stderr


@pytest.mark.parametrize("by", ["options", "environment"])
def test_fetch_signs(site: Site, store_dir: Path, files: tuple[Path, Path], by: str) -> None:
    site.let_in(key_directory([new_key(files[0])]).decode())
    options = ["--sign-key", str(files[0]), "--signature-agent", AGENT] if by == "options" else []
    environment = {} if options else {"POLITE_CRAWLER_SIGN_KEY": str(files[0]), "POLITE_CRAWLER_SIGNATURE_AGENT": AGENT}
    ran = pc(
        "fetch", site.url("/about"), "--json", "--allow-private", *options,
        POLITE_CRAWLER_DIR=str(store_dir), **environment,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["outcome"] == "ok"
    assert [one.header("signature-agent") for one in site.log()] == [f'sig1="{URL}"'] * 2


def test_a_key_without_an_agent_sends_nothing(site: Site, store_dir: Path, files: tuple[Path, Path]) -> None:
    new_key(files[0])
    ran = pc(
        "fetch", site.url("/about"), "--allow-private", "--sign-key", str(files[0]), POLITE_CRAWLER_DIR=str(store_dir)
    )
    assert ran.returncode == 2
    assert b"a signature needs a key and an agent" in ran.stderr
    assert ran.stderr.count(b"\n") == 1
    assert site.log() == []
