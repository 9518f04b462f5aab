"""The check of a citation bundle: from the quote to the signature, step by step, with nothing but the file."""

import base64
import binascii
import hashlib
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polite_crawler.archive.bundle import FORMAT, PROOF_FORMAT
from polite_crawler.archive.faults import Fault
from polite_crawler.archive.merkle import HASH_SIZE, leaf_hash, proves
from polite_crawler.archive.note import BadNote, Checkpoint, VerifierKey, load_verifier_key, open_note
from polite_crawler.archive.records import public_line
from polite_crawler.errors import PoliteError, StoreError
from polite_crawler.paths import given_path
from polite_crawler.query.quotes import verify_text
from polite_crawler.store.log import parse_line
from polite_crawler.store.projection import read_body, read_page
from polite_crawler.store.record import Capture

LARGEST = 1 << 28
"""Octets of a bundle that is read."""

_INDEX = re.compile(r"index (0|[1-9]\d{0,17})")
_TEXTS = ("quote", "doc", "url", "fetched_at", "matched", "line", "blob", "proof", "key")
_NUMBERS = ("start", "end")


@dataclass(frozen=True, slots=True)
class BundleChecked:
    """What a bundle proves. `ok` is true when every step holds: the body is that of the line, the quote stands in its
    text, the line is in the log of the checkpoint, and the key signed it. `pinned` says that the key was given by
    who asks and not by the bundle itself. `note` says what is to be known besides."""

    file: str
    ok: bool
    quote: str | None
    doc: str | None
    url: str | None
    fetched_at: str | None
    capture: str | None
    origin: str | None
    size: int | None
    key: str | None
    pinned: bool
    faults: tuple[Fault, ...]
    note: str | None


@dataclass(frozen=True, slots=True)
class _Proof:
    index: int
    hashes: tuple[bytes, ...]
    note: str


def check_bundle(path: str | Path, *, key: str | None = None) -> BundleChecked:
    """Check a bundle. `key` is the key that the asker trusts: a verifier key, or a file with one or with a PEM key.

    Raises PoliteError for a file that cannot be read or is no bundle, and BadOption for a key that is none.
    """
    path = given_path(path)
    bundle = _read(path)
    faults: list[Fault] = []
    notes: list[str] = []
    capture = _line(bundle, faults)
    if capture is not None:
        faults += _facts(bundle, capture)
        faults += _quote(bundle, capture, notes)
    proof = _proof(bundle, faults)
    trusted, pinned = _key(bundle, proof, key, faults)
    checkpoint = _checkpoint(proof, trusted, faults)
    if capture is not None and proof is not None and checkpoint is not None:
        leaf = leaf_hash(public_line(capture))
        if not proves(leaf, proof.index, checkpoint.size, proof.hashes, checkpoint.root):
            faults.append(Fault("proof", "it does not lead from the line to the root of the checkpoint"))
    if not pinned:
        notes.append("the key came with the bundle: compare it with one from the publisher (--key)")
    return BundleChecked(
        file=str(path), ok=not faults, quote=bundle["quote"], doc=bundle["doc"], url=bundle["url"],
        fetched_at=bundle["fetched_at"], capture=capture.id if capture else None,
        origin=checkpoint.origin if checkpoint else None, size=checkpoint.size if checkpoint else None,
        key=str(trusted) if trusted else None, pinned=pinned, faults=tuple(faults), note="; ".join(notes) or None,
    )  # fmt: skip


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST:
            raise PoliteError(f"{path} is too large for a bundle")
        bundle = json.loads(path.read_bytes())
    except OSError as error:
        raise PoliteError(f"cannot read {path}: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise PoliteError(f"{path} is no bundle: no JSON") from None
    if not isinstance(bundle, dict) or bundle.get("format") != FORMAT:
        raise PoliteError(f"{path} is no bundle of the format {FORMAT}")
    texts = all(isinstance(bundle.get(name), str) for name in _TEXTS)
    numbers = all(type(bundle.get(name)) is int for name in _NUMBERS)
    if not texts or not numbers:
        raise PoliteError(f"{path} is no whole bundle: {', '.join((*_TEXTS, *_NUMBERS))} are needed")
    return bundle


def _line(bundle: dict[str, Any], faults: list[Fault]) -> Capture | None:
    try:
        return parse_line(bundle["line"].encode("utf-8", "surrogatepass"))
    except ValueError as error:
        faults.append(Fault("line", f"no line of a log: {error}"))
        return None


def _facts(bundle: dict[str, Any], capture: Capture) -> Iterator[Fault]:
    if public_line(capture) != bundle["line"].encode("utf-8", "surrogatepass"):
        yield Fault("line", "it is not in its canonical form")
    for name, fact in (("url", capture.url), ("fetched_at", capture.fetched_at)):
        if bundle[name] != fact:
            yield Fault(name, f"the line says {fact}")


def _quote(bundle: dict[str, Any], capture: Capture, notes: list[str]) -> Iterator[Fault]:
    try:
        received = _body(bundle, capture)
        text = read_page(capture, read_body(capture, received)).text
    except (StoreError, ValueError) as error:
        yield Fault("blob", str(error))
        return
    if text[bundle["start"] : bundle["end"]] != bundle["matched"]:
        if bundle["matched"] not in text:
            yield Fault("matched", "the text of the body does not hold it")
            return
        notes.append("this version of the reader finds the passage at another position")
    if verify_text(bundle["matched"], bundle["quote"]) is None:
        yield Fault("quote", "the passage does not say it")


def _body(bundle: dict[str, Any], capture: Capture) -> bytes:
    if capture.body is None:
        raise ValueError("the line names no body")
    try:
        packed = base64.b64decode(bundle["blob"], validate=True)
        unpacker = zlib.decompressobj(31)
        received = unpacker.decompress(packed, capture.body.size + 1)
    except (binascii.Error, zlib.error, ValueError):
        raise ValueError("it is no gzip member in base64") from None
    if hashlib.sha256(received).hexdigest() != capture.body.sha256:
        raise ValueError("it is not the body that the line names")
    return received


def _proof(bundle: dict[str, Any], faults: list[Fault]) -> _Proof | None:
    head, blank, note = bundle["proof"].partition("\n\n")
    lines = head.split("\n")
    found = _INDEX.fullmatch(lines[1]) if len(lines) > 1 else None
    try:
        hashes = tuple(base64.b64decode(line, validate=True) for line in lines[2:])
    except (binascii.Error, ValueError):
        hashes = (b"",)
    if not blank or lines[0] != PROOF_FORMAT or found is None or any(len(one) != HASH_SIZE for one in hashes):
        faults.append(Fault("proof", f"it has not the form {PROOF_FORMAT}"))
        return None
    return _Proof(int(found[1]), hashes, note)


def _key(
    bundle: dict[str, Any], proof: _Proof | None, given: str | None, faults: list[Fault]
) -> tuple[VerifierKey | None, bool]:
    """The key to check with, and whether the asker gave it."""
    if given is not None:
        name = proof.note.partition("\n")[0] if proof else ""
        return load_verifier_key(given, name), True
    try:
        return VerifierKey.parse(bundle["key"]), False
    except BadNote as error:
        faults.append(Fault("key", str(error)))
        return None, False


def _checkpoint(proof: _Proof | None, key: VerifierKey | None, faults: list[Fault]) -> Checkpoint | None:
    if proof is None or key is None:
        return None
    try:
        checkpoint = Checkpoint.parse(open_note(proof.note, key))
    except BadNote as error:
        faults.append(Fault("checkpoint", str(error)))
        return None
    if checkpoint.origin != key.name:
        faults.append(Fault("checkpoint", f"its origin {checkpoint.origin} is not the name of the key"))
    return checkpoint


__all__ = ["BundleChecked", "check_bundle"]
