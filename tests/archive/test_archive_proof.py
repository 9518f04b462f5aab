"""Seals, bundles and removals: what they prove, and what breaks the proof."""

import base64
import gzip
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from evidence_lab import HTML, EvidenceLab, edge_captures, head, html, other_captures
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.archive.bundle import write_bundle
from polite_crawler.archive.bundle_check import check_bundle
from polite_crawler.archive.erase import erase
from polite_crawler.archive.export import export
from polite_crawler.archive.ledger import read_ledger
from polite_crawler.archive.merkle import Leaves, leaf_hash, node_hash, proves
from polite_crawler.archive.note import BadNote, Checkpoint, SigningKey, VerifierKey, open_note, origin_of
from polite_crawler.archive.sealing import checkpoint_path, seal, signing_key
from polite_crawler.errors import BadOption, NotStored, PoliteError, StoreError
from polite_crawler.query.store import Store
from polite_crawler.store.log import CaptureLog
from polite_crawler.store.record import Capture, Time

ORIGIN = "log.example"


def tree_of(entries: list[bytes]) -> Leaves:
    leaves = Leaves()
    leaves.extend(b"".join(map(leaf_hash, entries)))
    return leaves


def plain_root(hashes: list[bytes]) -> bytes:
    """RFC 6962 section 2.1, word for word."""
    if len(hashes) == 1:
        return hashes[0]
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    return node_hash(plain_root(hashes[:split]), plain_root(hashes[split:]))


# the tree of RFC 6962's reference implementation (certificate-transparency, merkle_tree_test)
ENTRIES = [bytes.fromhex(text) for text in (
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
)]  # fmt: skip
ROOTS = {
    0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    4: "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    5: "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    6: "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    7: "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}


@pytest.mark.parametrize("size", ROOTS)
def test_roots_are_those_of_the_reference(size: int) -> None:
    assert tree_of(ENTRIES).root(size).hex() == ROOTS[size]


@given(st.lists(st.binary(max_size=8), min_size=1, max_size=40), st.data())
def test_each_leaf_is_proved_and_nothing_else_is(entries: list[bytes], data: st.DataObject) -> None:
    leaves = tree_of(entries)
    size = data.draw(st.integers(1, len(entries)))
    index = data.draw(st.integers(0, size - 1))
    root, proof = leaves.root(size), leaves.proof(index, size)
    leaf = leaf_hash(entries[index])
    assert root == plain_root([leaf_hash(entry) for entry in entries[:size]])
    assert proves(leaf, index, size, proof, root)
    assert not proves(leaf_hash(entries[index] + b"x"), index, size, proof, root)
    assert not proves(leaf, index, size, [*proof, leaf], root)
    assert not proves(leaf, size, size, proof, root)
    assert not proves(leaf, -1, size, proof, root)
    if proof:
        assert not proves(leaf, index, size, proof[:-1], root)
        assert not proves(leaf, index, size, [bytes(32), *proof[1:]], root)


def test_roots_of_growing_sizes_come_in_one_pass() -> None:
    leaves = tree_of(ENTRIES)
    assert [root.hex() for root in leaves.roots(sorted(ROOTS))] == [ROOTS[size] for size in sorted(ROOTS)]
    for sizes in ([3, 2], [9]):
        with pytest.raises(ValueError, match="no tree of"):
            leaves.roots(sizes)
    with pytest.raises(ValueError, match="no leaf 8"):
        leaves.proof(8)


# the example of the signed-note text, by another implementation
NOTE = (
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
NOTE_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"


def test_a_note_of_another_implementation_opens() -> None:
    key = VerifierKey.parse(NOTE_KEY)
    assert str(key) == NOTE_KEY
    assert open_note(NOTE, key).startswith("If you think")
    for changed in (NOTE.replace("think", "thinK"), NOTE.replace("x08go", "x08gp"), NOTE.replace("Neumann", "Other")):
        with pytest.raises(BadNote):
            open_note(changed, key)


@pytest.mark.parametrize(
    "note",
    ["", "text\n", "text\n\nno signature\n", "text\n\n— name !!!\n", "\n\n— name AAAA\n", "x" * (1 << 21) + "\n\n"],
)
def test_what_is_no_note_does_not_open(note: str) -> None:
    with pytest.raises(BadNote):
        open_note(note, VerifierKey.parse(NOTE_KEY))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "o\n1\n",
        "o\n01\nAAAA\n",
        "o\n-1\nAAAA\n",
        "o\n1\nAAAA\n",
        "o\n1\n!\n",
        "o\n\n1\n",
        "o\n1\n" + "A" * 43 + "=",
    ],
)
def test_what_is_no_checkpoint_is_none(text: str) -> None:
    with pytest.raises(BadNote):
        Checkpoint.parse(text)


def test_a_checkpoint_passes_over_extension_lines() -> None:
    checkpoint = Checkpoint(ORIGIN, 3, bytes(32))
    assert Checkpoint.parse(checkpoint.text() + "more\n") == checkpoint


@pytest.mark.parametrize("text", ["a b", "a+b", "", "a\nb", "a\u2003b"])
def test_bad_origins(text: str) -> None:
    with pytest.raises(BadOption):
        origin_of(text)


@pytest.fixture
def lab(tmp_path: Path) -> EvidenceLab:
    made = EvidenceLab(tmp_path / "store")
    other_captures(made, edge_captures(made))
    return made


@pytest.fixture
def store(lab: EvidenceLab) -> Iterator[Store]:
    with lab.store() as made:
        yield made


def key_of(store: Store, **options: Any) -> SigningKey:
    return signing_key(store.folder, origin=ORIGIN, **options)


def append(store: Store, capture: Capture, *, month: str = "2026-11-30T00:00:00Z") -> Capture:
    from polite_crawler.store.record import epoch

    sealed = capture.sealed()
    log = CaptureLog(store.folder.log, clock=lambda: epoch(month))
    log.append(sealed.line())
    log.sync()
    log.close()
    return sealed


def a_line(number: int) -> Capture:
    return Capture(
        kind="fetch", url=f"http://ex.test/{number}", time=Time("2026-11-30T00:00:00.000000Z"), outcome="gone"
    )


def test_a_seal_is_a_signed_checkpoint_of_the_lines(store: Store) -> None:
    lines = b"".join(path.read_bytes() for path in sorted(store.folder.log.rglob("*.ndjson"))).splitlines()
    public = [line for line in lines if b'"scope"' not in line]
    key = key_of(store)
    done = seal(store.folder, key)
    assert (done.size, done.origin, done.new) == (len(lines), ORIGIN, True)
    note = Path(done.file).read_text("utf-8")
    checkpoint = Checkpoint.parse(open_note(note, VerifierKey.parse(done.key)))
    assert checkpoint.root.hex() == done.root
    ledger = read_ledger(store.index.log)
    hashes = [ledger.leaves.proof(index, len(lines)) for index in range(len(lines))]
    proved = [
        any(proves(leaf_hash(line), index, len(lines), hashes[index], checkpoint.root) for index in range(len(lines)))
        for line in public
    ]
    assert proved == [True] * len(public)
    assert len(public) == len(lines) - 1  # one line has a scope, which never leaves: its leaf is another


def test_a_seal_is_not_made_twice_for_the_same_lines(store: Store) -> None:
    key = key_of(store)
    first = seal(store.folder, key)
    again = seal(store.folder, key)
    assert (again.new, again.size, again.root) == (False, first.size, first.root)
    Path(first.file).unlink()
    seal(store.folder, key)
    assert open_note(Path(first.file).read_text("utf-8"), key.verifier)
    append(store, a_line(1))
    later = seal(store.folder, key)
    assert (later.new, later.size) == (True, first.size + 2)  # the line, and the first seal


def test_files_of_the_seals_are_for_their_owner(store: Store) -> None:
    seal(store.folder, key_of(store))
    folder = store.folder.checkpoints
    assert oct(folder.stat().st_mode & 0o777) == "0o700"
    assert oct((folder / "key.pem").stat().st_mode & 0o777) == "0o600"
    assert (folder / "key.pub").read_text().startswith(f"{ORIGIN}+")
    assert sorted(path.name for path in folder.iterdir() if not path.name.startswith(".")) == [
        checkpoint_path(store.folder, 27).name, "key.pem", "key.pub",
    ]  # fmt: skip


def test_a_clock_that_goes_back_changes_nothing_that_was_sealed(store: Store) -> None:
    key = key_of(store)
    seal(store.folder, key)
    append(store, a_line(1), month="2026-12-01T00:00:00Z")
    second = seal(store.folder, key)
    append(store, a_line(2), month="2026-10-01T00:00:00Z")
    append(store, a_line(3), month="2026-12-01T00:00:00Z")
    third = seal(store.folder, key)
    leaves = read_ledger(store.index.log).leaves
    assert leaves.root(second.size).hex() == second.root
    assert leaves.root(third.size).hex() == third.root


@pytest.mark.parametrize(
    "change",
    [
        lambda octets: octets.replace(b"/gzip", b"/gzzp", 1),
        lambda octets: b"".join(octets.splitlines(keepends=True)[1:]),
        lambda octets: b"".join(octets.splitlines(keepends=True)[::-1]),
    ],
)
def test_a_log_that_was_changed_is_not_sealed_again(store: Store, change: Any) -> None:
    key = key_of(store)
    seal(store.folder, key)
    (month,) = store.folder.log.rglob("*.ndjson")
    *lines, last = month.read_bytes().splitlines(keepends=True)
    month.write_bytes(change(b"".join(lines)) + last)
    append(store, a_line(1))
    with pytest.raises(StoreError, match="the log is not what it was"):
        seal(store.folder, key)


def test_a_torn_line_is_no_leaf(store: Store) -> None:
    key = key_of(store)
    first = seal(store.folder, key)
    (month,) = store.folder.log.rglob("*.ndjson")
    with month.open("ab") as file:
        file.write(b'{"torn":')
    append(store, a_line(1))
    assert seal(store.folder, key).size == first.size + 2


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


def test_a_key_of_ones_own_signs(store: Store, tmp_path: Path) -> None:
    private = ed25519.Ed25519PrivateKey.generate()
    pem = tmp_path / "own.pem"
    pem.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    done = seal(store.folder, key_of(store, sign_key=pem))
    assert done.key == str(SigningKey(ORIGIN, private).verifier)
    assert not (store.folder.checkpoints / "key.pem").exists()
    wrong = tmp_path / "wrong.pem"
    wrong.write_bytes(
        ec.generate_private_key(ec.SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    for path in (wrong, tmp_path / "none.pem", tmp_path / "b.json"):
        with pytest.raises(BadOption):
            key_of(store, sign_key=path)


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


def test_a_removal_takes_the_body_and_the_words_and_keeps_the_log(store: Store, tmp_path: Path) -> None:
    key = key_of(store)
    sealed = seal(store.folder, key)
    versions = [store.capture(one.capture) for one in store.versions("http://ex.test/plain")]
    bodies = {one.body.sha256 for one in versions if one.body}
    done = erase(store.index, "http://ex.test/plain", reason="order 17")
    assert set(done.bodies) == bodies
    assert len(done.captures) == 2
    assert not [sha256 for sha256 in done.bodies if store.index.blobs.has(sha256)]
    with pytest.raises(NotStored):
        store.read("http://ex.test/plain")
    assert store.find("MARK-plain") == ()
    octets = b"".join(path.read_bytes() for path in store.folder.index.rglob("*") if path.is_file())
    assert b"MARK-plain again" not in octets
    lines = [one for _, one in store.index.log.scan() if one.kind == "erase"]
    assert {(one.source or {})["of"] for one in lines} == set(done.captures)
    assert {one.note for one in lines} == {"order 17"}
    assert seal(store.folder, key).size == sealed.size + 3
    exported = export(store.index, tmp_path / "x.warc.gz")
    assert exported.skips == {"body-missing": 2}
    assert b"MARK-plain again" not in gzip.decompress((tmp_path / "x.warc.gz").read_bytes())
    assert b"order 17" not in gzip.decompress((tmp_path / "x.warc.gz").read_bytes())


def test_a_shared_body_goes_for_all_who_share_it(tmp_path: Path) -> None:
    lab = EvidenceLab(tmp_path / "store")
    one = lab.exchange("http://ex.test/1", head(HTML), html("shared"))
    two = lab.exchange("http://ex.test/2", head(HTML), html("shared"))
    assert one.body is not None
    with lab.store() as store:
        done = erase(store.index, one.id, reason="x")
        assert set(done.captures) == {one.id, two.id}
        again = erase(store.index, one.body.sha256, reason="x")
        assert set(again.captures) == {one.id, two.id}
        assert len([one for _, one in store.index.log.scan() if one.kind == "erase"]) == 2
        for name in ("http://ex.test/none", "fetch.none", "0" * 64):
            with pytest.raises(NotStored):
                erase(store.index, name, reason="x")


def test_a_full_disk_stops_a_removal_before_a_body_goes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(CaptureLog, "append", full)
    with pytest.raises(StoreError, match=r"cannot erase in the store .* No space left"):
        erase(store.index, "http://ex.test/plain", reason="x")
    assert store.read("http://ex.test/plain").text
    assert store.doctor().ok


def test_an_empty_log_can_be_sealed(tmp_path: Path) -> None:
    with EvidenceLab(tmp_path / "store").store() as store:
        done = seal(store.folder, key_of(store))
    assert (done.size, done.root) == (0, hashlib.sha256(b"").hexdigest())
