"""Bundles of a citation: they prove a quote with no store."""

import base64
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from evidence_lab import HTML, EvidenceLab, head, html
from seal_lab import NOTE_KEY, ORIGIN, key_of

from polite_crawler.archive.bundle import write_bundle
from polite_crawler.archive.bundle_check import check_bundle
from polite_crawler.archive.note import SigningKey
from polite_crawler.errors import BadOption, PoliteError
from polite_crawler.query.store import Store
from polite_crawler.store.record import Capture


@pytest.mark.parametrize("quote", ["MARK-plain again", "“MARK-plain  again”".strip("“”")])
def test_a_bundle_proves_a_quote_with_no_store(store: Store, tmp_path: Path, quote: str) -> None:
    found = store.verify("http://ex.test/plain", quote)
    out = tmp_path / "bundle.json"
    done = write_bundle(store.index, found, quote, out, key=key_of(store))
    assert done.bytes == out.stat().st_size
    checked = check_bundle(out)
    assert (checked.faults, checked.ok, checked.pinned) == ((), True, False)
    assert (checked.quote, checked.capture, checked.origin) == (quote, found.capture, ORIGIN)
    pinned = check_bundle(out, key=str(store.folder.checkpoints / "key.pub"))
    assert (pinned.ok, pinned.pinned, pinned.note) == (True, True, None)


def test_a_bundle_is_checked_in_a_process_that_has_nothing_else(store: Store, tmp_path: Path) -> None:
    found = store.verify("http://ex.test/paper.pdf", "quick brown fox")
    write_bundle(store.index, found, "quick brown fox", tmp_path / "b.json", key=key_of(store))
    code = (
        "import sys; from polite_crawler.archive.bundle_check import check_bundle;"
        " sys.exit(not check_bundle(sys.argv[1]).ok)"
    )
    environment = {**os.environ, "HOME": "/nonexistent"}
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "b.json"], cwd=tmp_path, env=environment, check=False)
    assert done.returncode == 0


def test_bundles_of_scoped_lines_hold_no_scope(store: Store, tmp_path: Path, lab: EvidenceLab) -> None:
    more = EvidenceLab(tmp_path / "other")
    more.exchange("http://ex.test/a", head(HTML), html("scoped"), scope="secret-scope", labels={"k": "secret-label"})
    with more.store() as other:
        found = other.verify("http://ex.test/a", "MARK-scoped")
        write_bundle(other.index, found, "MARK-scoped", tmp_path / "b.json", key=key_of(other))
    assert b"secret-" not in (tmp_path / "b.json").read_bytes()
    assert check_bundle(tmp_path / "b.json").ok


@pytest.fixture
def bundle(store: Store, tmp_path: Path) -> dict[str, Any]:
    found = store.verify("http://ex.test/plain", "MARK-plain again")
    write_bundle(store.index, found, "MARK-plain again", tmp_path / "b.json", key=key_of(store))
    made: dict[str, Any] = json.loads((tmp_path / "b.json").read_text())
    return made


def _with_line(bundle: dict[str, Any], **fields: Any) -> str:
    """The line with other facts and the id that fits them."""
    capture = Capture.from_json({**json.loads(bundle["line"]), **fields, "id": ""}).sealed()
    return capture.line().decode().rstrip("\n")


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda of: of.update(quote="MARK-plain never"), "quote"),
        (lambda of: of.update(matched="words that are not there", quote="words that are not there"), "matched"),
        (lambda of: of.update(url="http://other.test/"), "url"),
        (lambda of: of.update(fetched_at="2020-01-01T00:00:00.000000Z"), "fetched_at"),
        (lambda of: of.update(line=of["line"].replace("ex.test/plain", "ex.test/plaim")), "line"),
        (lambda of: of.update(line=of["line"] + " "), "line"),
        (lambda of: of.update(line=_with_line(of, status=201)), "proof"),
        (lambda of: of.update(blob=base64.b64encode(gzip.compress(b"MARK-plain again")).decode()), "blob"),
        (lambda of: of.update(blob="no base64"), "blob"),
        (lambda of: of.update(proof=of["proof"].replace("index 2", "index 1")), "proof"),
        (lambda of: of.update(proof="nothing"), "proof"),
        (lambda of: of.update(proof=of["proof"].replace(f"{ORIGIN}\n27", f"{ORIGIN}\n28")), "checkpoint"),
        (lambda of: of.update(key=NOTE_KEY), "checkpoint"),
        (lambda of: of.update(key="none"), "key"),
    ],
)
def test_a_changed_bundle_is_rejected(bundle: dict[str, Any], tmp_path: Path, change: Any, where: str) -> None:
    change(bundle)
    (tmp_path / "changed.json").write_text(json.dumps(bundle))
    checked = check_bundle(tmp_path / "changed.json")
    assert not checked.ok
    assert where in [fault.where for fault in checked.faults], checked.faults


def test_a_passage_that_moved_is_a_note(bundle: dict[str, Any], tmp_path: Path) -> None:
    bundle.update(start=bundle["start"] + 1, end=bundle["end"] + 1)
    (tmp_path / "moved.json").write_text(json.dumps(bundle))
    checked = check_bundle(tmp_path / "moved.json")
    assert checked.ok
    assert "another position" in str(checked.note)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "polite-crawler-bundle/1"}', "\udcff"])
def test_what_is_no_bundle_is_one_clear_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(PoliteError, match="bundle"):
        check_bundle(tmp_path / "x.json")
    with pytest.raises(PoliteError, match="cannot read"):
        check_bundle(tmp_path / "nothing.json")


def test_keys_for_a_check_come_in_several_forms(bundle: dict[str, Any], store: Store, tmp_path: Path) -> None:
    key = key_of(store)
    pem = tmp_path / "pub.pem"
    pem.write_bytes(key.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    for given_ in (str(key.verifier), str(pem), str(store.folder.checkpoints / "key.pem")):
        assert check_bundle(tmp_path / "b.json", key=given_).ok
    other = SigningKey(ORIGIN, ed25519.Ed25519PrivateKey.generate())
    assert not check_bundle(tmp_path / "b.json", key=str(other.verifier)).ok
    with pytest.raises(BadOption):
        check_bundle(tmp_path / "b.json", key="nonsense")


@pytest.mark.parametrize(
    ("doc", "quote", "said"),
    [
        ("http://ex.test/held", "MARK-held", "asked not to be AI input"),
        ("http://ex.test/br", "never", "nothing to bundle"),
    ],
)
def test_what_cannot_be_cited_is_not_bundled(store: Store, tmp_path: Path, doc: str, quote: str, said: str) -> None:
    with pytest.raises(PoliteError, match=said):
        write_bundle(store.index, store.verify(doc, quote), quote, tmp_path / "b.json", key=key_of(store))
    assert not (tmp_path / "b.json").exists()


def test_a_body_with_a_secret_is_not_bundled(tmp_path: Path) -> None:
    lab = EvidenceLab(tmp_path / "store")
    lab.exchange("http://ex.test/me?token=canary-Zx81-value", head(HTML), b"<p>canary-Zx81-value and words</p>")
    with lab.store() as store:
        found = store.verify("http://ex.test/me?token=REDACTED", "and words")
        with pytest.raises(PoliteError, match="a secret of its request"):
            write_bundle(store.index, found, "and words", tmp_path / "b.json", key=key_of(store))
