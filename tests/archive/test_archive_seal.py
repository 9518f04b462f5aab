"""Seals: what they prove of the log, and what breaks the proof."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from evidence_lab import EvidenceLab
from seal_lab import ORIGIN, a_line, append, key_of

from polite_crawler.archive.ledger import read_ledger
from polite_crawler.archive.merkle import leaf_hash, proves
from polite_crawler.archive.note import Checkpoint, SigningKey, VerifierKey, open_note
from polite_crawler.archive.sealing import checkpoint_path, seal
from polite_crawler.errors import BadOption, StoreError
from polite_crawler.query.store import Store


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


def test_an_empty_log_can_be_sealed(tmp_path: Path) -> None:
    with EvidenceLab(tmp_path / "store").store() as store:
        done = seal(store.folder, key_of(store))
    assert (done.size, done.root) == (0, hashlib.sha256(b"").hexdigest())
