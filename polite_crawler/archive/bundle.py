"""A citation bundle: a quote with all that a third party needs to check it, in one file, with no store and no network.

It holds the line of the log, the body as received, the proof that the line is in the log, and the signed checkpoint.
"""

import base64
import json
from dataclasses import dataclass
from pathlib import Path

from polite_crawler.archive.files import new_file
from polite_crawler.archive.ledger import read_ledger
from polite_crawler.archive.note import SigningKey
from polite_crawler.archive.records import public_line
from polite_crawler.archive.sealing import seal
from polite_crawler.errors import PoliteError
from polite_crawler.paths import given_path
from polite_crawler.query.verify import VerifyResult
from polite_crawler.store.blobs import pack
from polite_crawler.store.index import Index
from polite_crawler.store.projection import read_body, read_page
from polite_crawler.store.record import Capture

FORMAT = "polite-crawler-bundle/1"
PROOF_FORMAT = "c2sp.org/tlog-proof@v1"


@dataclass(frozen=True, slots=True)
class Bundled:
    """What was written: the file, its size in bytes, the capture, and the origin and size of the checkpoint."""

    file: str
    bytes: int
    capture: str
    origin: str
    size: int


def write_bundle(
    index: Index, found: VerifyResult, quote: str, out: str | Path, *, key: SigningKey, overwrite: bool = False
) -> Bundled:
    """Write the bundle of a quote that `verify` found. The log is sealed first when its last seal does not cover the
    capture. Raises PoliteError when the quote was not found, or when the capture cannot leave the store."""
    capture = _capture_of(index, found)
    assert capture.body is not None
    received = index.blobs.get(capture.body.sha256, verify=True)
    page = read_page(capture, read_body(capture, received))
    if page.text[found.start : found.end] != found.matched:
        raise PoliteError(
            f"{found.doc} cannot be bundled: its text is not what the reader makes of the body now; pc reindex first"
        )
    sealed = seal(index.folder, key)
    ledger = read_ledger(index.log, find=capture.id)
    if ledger.index is None or ledger.index >= sealed.size:
        raise PoliteError(f"the capture {capture.id} is not in the sealed log")
    hashes = ledger.leaves.proof(ledger.index, sealed.size)
    checkpoint = Path(sealed.file).read_text("utf-8")
    bundle = {
        "format": FORMAT,
        "quote": quote,
        "doc": found.doc,
        "url": capture.url,
        "fetched_at": capture.fetched_at,
        "start": found.start,
        "end": found.end,
        "matched": found.matched,
        "normalization": found.normalization,
        "line": public_line(capture).decode(),
        "blob": base64.b64encode(pack(received, coded=capture.body.coding is not None)).decode(),
        "proof": proof_text(ledger.index, hashes, checkpoint),
        "key": sealed.key,
    }
    octets = json.dumps(bundle, indent=1, ensure_ascii=False).encode() + b"\n"
    path = given_path(out)
    with new_file(path, overwrite=overwrite) as file:
        file.write(octets)
    return Bundled(str(path), len(octets), capture.id, sealed.origin, sealed.size)


def proof_text(index: int, hashes: list[bytes], checkpoint: str) -> str:
    """The proof and the checkpoint in the form of C2SP tlog-proof."""
    lines = [PROOF_FORMAT, f"index {index}", *(base64.b64encode(one).decode() for one in hashes)]
    return "\n".join(lines) + "\n\n" + checkpoint


def _capture_of(index: Index, found: VerifyResult) -> Capture:
    if found.held_back:
        raise PoliteError(f"{found.doc} cannot be bundled: {found.note}")
    if not found.found or found.capture is None:
        raise PoliteError(f"{found.doc} does not hold the quote, so there is nothing to bundle")
    name = found.capture
    capture: Capture = index.reading(lambda catalog: catalog.capture(name))
    if capture.secret_in_body:
        raise PoliteError(f"{found.doc} cannot be bundled: a secret of its request stands in the body")
    return capture


__all__ = ["FORMAT", "Bundled", "proof_text", "write_bundle"]
