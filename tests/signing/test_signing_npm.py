"""Signatures both ways with two JavaScript implementations. They are installed for the test, so it is a slow one."""

import base64
import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from signing_lab import AGENT, AGENT_URL

from polite_crawler.signing import WebBotAuthSigner, key_directory, verify
from polite_crawler.signing.keys import public_jwk

pytestmark = pytest.mark.slow

PACKAGES = ("http-message-sig@~0.3.0", "http-message-signatures@~1.0.4")
URLS = (
    "https://example.com/a?b=c",
    "https://EXAMPLE.com:443/",
    "https://example.com:8443/",
    "http://127.0.0.1:8080/x",
    "https://xn--bcher-kva.example/",
    "http://[::1]:9000/",
)


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script beside its packages."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("there is no node with npm here")
    folder = tmp_path_factory.mktemp("npm")
    (folder / "package.json").write_text("{}")
    done = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *PACKAGES],
        cwd=folder, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"npm cannot install {', '.join(PACKAGES)}: {done.stderr.strip()[-200:]}")
    return Path(shutil.copy(Path(__file__).with_name("cross.mjs"), folder))


def test_each_side_verifies_what_the_other_signs(script: Path) -> None:
    key = Ed25519PrivateKey.generate()
    jwk = public_jwk(key.public_key())
    signers = [
        WebBotAuthSigner.of_key(key, AGENT),
        WebBotAuthSigner.of_key(key, AGENT, form="origin", cover=("@method", "@path", "@query")),
    ]
    requests: list[dict[str, Any]] = [
        {"method": "GET", "url": url, "headers": signer.headers("GET", url)} for url in URLS for signer in signers
    ]
    told = _run(script, key, jwk, requests)
    assert told["verified"] == [["verified", "verified"]] * len(requests)
    signed = [(one["url"], headers) for one, both in zip(requests, told["signed"], strict=True) for headers in both]
    assert len(signed) == 2 * len(requests)
    directory = key_directory([key])
    outcomes = [verify("GET", url, headers, directory, now=time.time()) for url, headers in signed]
    assert {(one.result, one.reason, one.agent) for one in outcomes} == {("verified", "", AGENT_URL)}
    moved = [verify("GET", "https://other.example/", headers, directory, now=time.time()) for _, headers in signed]
    assert {one.reason for one in moved} == {"bad-signature"}


def _run(script: Path, key: Ed25519PrivateKey, jwk: dict[str, str], requests: list[dict[str, Any]]) -> dict[str, Any]:
    d = base64.urlsafe_b64encode(key.private_bytes_raw()).rstrip(b"=").decode()
    given = {"private": {**jwk, "d": d}, "public": jwk, "agent": AGENT_URL, "requests": requests}
    done = subprocess.run(
        ["node", script.name], cwd=script.parent, input=json.dumps(given), capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert isinstance(told, dict)
    return told
