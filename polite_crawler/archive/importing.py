"""Import: the records of somebody's WARC, ARC or WACZ file as captures of this store.

What the record says stands in the capture, and where it came from in its `source`. The documents are `archive:URL`,
and never count as fresh. Nothing of a package is unpacked to a name, and nothing grows past its limit.
"""

import hashlib
from collections import Counter, OrderedDict
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from polite_crawler.archive import foreign
from polite_crawler.archive.bulk_writer import BodyWriter, LineWriter
from polite_crawler.archive.description import check_description
from polite_crawler.archive.faults import Fault, Faults
from polite_crawler.archive.files import open_archive
from polite_crawler.archive.foreign import Answer, Asked, NotAnAnswer, Origin
from polite_crawler.archive.import_scratch import ImportScratch, Kept
from polite_crawler.archive.own import Own, is_coded, is_made, own_capture, own_line
from polite_crawler.archive.package import UNREADABLE, Package, PackageError
from polite_crawler.archive.payload import judge
from polite_crawler.archive.pending import Pending
from polite_crawler.archive.reader import ArchiveRecord, RecordReader
from polite_crawler.archive.records import CAPTURE_FIELD
from polite_crawler.archive.sources import LZ4
from polite_crawler.archive.wacz import ARCHIVE
from polite_crawler.errors import NotStored, PoliteError, StoreError
from polite_crawler.paths import given_path
from polite_crawler.rules.urls import normal_or_none
from polite_crawler.store.index import Index
from polite_crawler.store.projection import ARCHIVED, content_type, gives_page
from polite_crawler.store.record import Capture, Validators

BLOCK_LIMIT = 1 << 26
"""Octets of a block: a record with more is left out."""

_REQUEST_LIMIT = 1 << 20
_WAITING = 4096
_PACKED = ("image/", "video/", "audio/", "font/", "application/zip", "application/gzip", "application/pdf")
_ANSWERS = frozenset({"response", "resource", "revisit", "conversion"})


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: `records` that were read, `captures` that are new in the store, `documents` they are of.
    `skipped` counts answers that were not taken, `skips` says why; `faults` are what is damaged or not right."""

    file: str
    records: int
    captures: int
    documents: int
    skipped: int
    faults: tuple[Fault, ...]
    skips: dict[str, int] = field(default_factory=dict)


def import_archive(
    index: Index,
    path: str | Path,
    *,
    block_limit: int = BLOCK_LIMIT,
    catch_up: bool = True,
    on_record: Callable[[int], None] | None = None,
) -> Imported:
    """Read a file into the store, by its content: gzip, Zstandard or plain; WARC 0.17 to 1.1, ARC or WACZ.

    A second import of the same file adds nothing. With `catch_up` the index has the documents at the end.
    `on_record` hears the number of records so far. Raises PoliteError for a file that cannot be read or is none of
    these, and StoreError when the store does not take it; what was written stays.
    """
    path = given_path(path)
    with closing(ImportScratch()) as scratch:
        run = _Import(index, scratch, BodyWriter(index.folder), block_limit, on_record)
        try:
            run.read(path)
        except OSError as error:
            raise PoliteError(f"cannot read {path}: {error.strerror or error}") from None
        run.finish()
        documents = scratch.count_docs()
    if catch_up:
        index.catch_up()
        index.maintain()
    skips = dict(+run.skips)
    return Imported(str(path), run.records, run.captures, documents, sum(skips.values()), tuple(run.faults), skips)


class _Import:
    def __init__(
        self,
        index: Index,
        scratch: ImportScratch,
        bodies: BodyWriter,
        block_limit: int,
        on_record: Callable[[int], None] | None,
    ) -> None:
        self._index = index
        self._scratch = scratch
        self._bodies = bodies
        self._lines = LineWriter(index.folder)
        self._block_limit = block_limit
        self._on_record = on_record
        self._asked: OrderedDict[str, Asked] = OrderedDict()
        self._pending: Pending | None = None
        self.records = 0
        self.captures = 0
        self.skips: Counter[str] = Counter()
        self.faults = Faults()

    def read(self, path: Path) -> None:
        """Read the records of a file."""
        sha256 = hashlib.sha256()
        with open_archive(path) as file:
            first = file.read(4)
            sha256.update(first)
            while octets := file.read(1 << 20):
                sha256.update(octets)
            origin = Origin(path.name, sha256.hexdigest())
            if not first:
                raise PoliteError(f"{path} is empty")
            if first == LZ4:
                raise PoliteError(f"{path} is packed by LZ4, which is not read; unpack it first")
            if not first.startswith(b"PK"):
                file.seek(0)
                self._file(file, origin)
                if not self.records:
                    raise PoliteError(f"{path} is no WARC, ARC or WACZ file ({self._first_fault()})")
                return
        self._package(path, origin)

    def finish(self) -> None:
        """Write the captures: first those with a body of their own, then the revisits that stand for them."""
        self._bodies.sync()
        for kept in self._scratch.answers(revisit=False):
            self._write(kept)
        for kept in self._scratch.answers(revisit=True):
            self._write(kept)
        self._lines.close()

    def _package(self, path: Path, origin: Origin) -> None:
        try:
            package = Package(path)
        except PackageError as error:
            raise PoliteError(f"{path}: {error}") from None
        with package:
            before = self.faults.count
            check_description(package, self.faults)
            holds = "ok" if self.faults.count == before else "faulty"
            for name in package.archives():
                if why := package.refusal(name):
                    self.faults.add(name, f"not read: {why}")
                    continue
                try:
                    with package.seekable(name) as archive:
                        self._file(archive, replace(origin, path=name, package=holds))
                except (*UNREADABLE, OSError) as error:
                    self.faults.add(name, f"damaged ({error})")
            if not package.archives():
                raise PoliteError(f"{path} is a ZIP with no WARC file in {ARCHIVE}")

    def _file(self, file: BinaryIO, origin: Origin) -> None:
        where = f"{origin.path}:" if origin.path else "octet "

        def fault(offset: int, what: str) -> None:
            self.faults.add(f"{where}{offset}", what)

        for record in RecordReader(file, fault=fault):
            self.records += 1
            self._record(record, origin, fault)
            if self._on_record is not None:
                self._on_record(self.records)
        self._flush()

    def _record(self, record: ArchiveRecord, origin: Origin, fault: Callable[[int, str], None]) -> None:
        kind = record.type
        if kind in _ANSWERS:
            self._answer(record, origin, fault)
        elif kind == "request":
            self._request(record)
        elif kind == "metadata":
            block = record.block(self._block_limit)
            if block is not None and (line := own_line(record, block)):
                self._own_line(*line)
        elif kind == "continuation":
            self._continuation(record)

    def _continuation(self, record: ArchiveRecord) -> None:
        block = record.block(self._block_limit)
        record.finish()
        whole = block is not None and record.lost is None
        if not whole or self._pending is None or not self._pending.goes_on(record, block or b"", self._block_limit):
            self.skips["continuation"] += 1

    def _own_line(self, about: str, line: str) -> None:
        if self._pending is not None and self._pending.id == about:
            self._pending.line = line
        else:
            self._scratch.add_own_line(about, line)

    def _answer(self, record: ArchiveRecord, origin: Origin, fault: Callable[[int, str], None]) -> None:
        if is_coded(record):
            self._coded(record)
            return
        if record.type == "conversion" and not is_made(record):
            self.skips["conversion"] += not _is_ours(record)
            return
        self._flush()
        block = record.block(self._block_limit)
        record.finish()
        if block is None:
            self.skips["too-large"] += 1
            fault(record.where, f"a block of more than {self._block_limit} octets is left out")
        elif record.lost is not None and not record.cut and not _is_proven(record, block):
            self.skips["damaged"] += 1
        else:
            self._pending = Pending(record, block, origin, fault)

    def _flush(self) -> None:
        """Keep the answer that was read last."""
        pending, self._pending = self._pending, None
        if pending is None:
            return
        line = pending.line or (self._scratch.own_line(pending.id) if pending.id and _is_ours(pending.record) else None)
        if line is not None:
            coded = pending.coded or (self._scratch.coded(pending.id) if pending.id else None)
            own = own_capture(pending.record, pending.block, pending.origin, line, coded, self._scratch.renamed)
            if own is not None:
                self._keep_own(pending, own)
                return
        try:
            answer = foreign.answer_of(pending.record, pending.block, pending.origin, cut=pending.cut)
        except NotAnAnswer as error:
            self.skips["no-page"] += 1
            if "date" in str(error):
                pending.fault(pending.record.where, str(error))
            return
        self._check_digest(pending, answer.capture)
        url = foreign.target_of(pending.record)
        asked = foreign.request_of(pending.request, url) if pending.request is not None and url else None
        self._keep(answer, asked)

    def _check_digest(self, pending: Pending, capture: Capture) -> None:
        found = capture.source or {}
        if found.get("digest_check") == "mismatch":
            pending.fault(pending.record.where, "the WARC-Payload-Digest is not that of the payload; taken, and marked")
        elif found.get("block_check") == "mismatch" and pending.cut is None and pending.segments == 1:
            pending.fault(pending.record.where, "the WARC-Block-Digest is not that of the block; taken, and marked")

    def _keep_own(self, pending: Pending, own: Own) -> None:
        """A record with the line of ours that it was made from: its capture needs nothing more."""
        self._check_digest(pending, own.capture)
        if own.payload is not None:
            self._put(own.payload, own.capture)
        sealed, line = own.capture.sealed_line()
        digest = pending.record.get("WARC-Payload-Digest")
        self._scratch.add_own(pending.id or "", sealed, line, digest=digest, doc=_doc_of(sealed))
        self._scratch.rename(own.was, sealed.id)

    def _coded(self, record: ArchiveRecord) -> None:
        """The body as received of a response that holds it decoded."""
        block = record.block(self._block_limit)
        of = record.get("WARC-Refers-To")
        if block is None or of is None:
            return
        self._bodies.put(block, coded=True)
        sha256 = hashlib.sha256(block).hexdigest()
        if self._pending is not None and self._pending.id == of:
            self._pending.coded = sha256
        else:
            self._scratch.add_coded(of, sha256)

    def _keep(self, answer: Answer, asked: Asked | None) -> None:
        for key in (answer.record_id, *answer.concurrent):
            asked = asked or self._asked.pop(key, None)
        if asked is not None:
            answer = foreign.with_request(answer, asked)
        if answer.capture.body is not None:
            answer = replace(answer, capture=foreign.judged(answer.capture, answer.decoded))
            if answer.payload is not None:
                self._put(answer.payload, answer.capture)
        self._scratch.add(answer)

    def _put(self, payload: bytes, capture: Capture) -> None:
        kind = (content_type(capture) or "").lower()
        coded = capture.body is not None and capture.body.coding is not None
        self._bodies.put(payload, coded=coded or kind.startswith(_PACKED))

    def _request(self, record: ArchiveRecord) -> None:
        url = foreign.target_of(record)
        block = record.block(_REQUEST_LIMIT)
        if url is None or block is None or not foreign.is_message(record, block):
            return
        named = record.get("WARC-Concurrent-To")
        own = record.get("WARC-Record-ID") or ""
        pending = self._pending
        if pending is not None and (pending.id == named if named else own in foreign.concurrent_to(pending.record)):
            pending.request = block
            return
        asked = foreign.request_of(block, url)
        kept = self._scratch.of_record(named) if named else self._scratch.concurrent_to(own)
        if kept is not None:
            self._late_request(kept, asked)
            return
        self._asked[named or own] = asked
        if len(self._asked) > _WAITING:
            self._asked.popitem(last=False)

    def _late_request(self, kept: Kept, asked: Asked) -> None:
        """A request behind its answer: the body is looked at again when the request held secrets."""
        if kept.line is not None:
            return  # the line of ours has it
        decoded = b""
        body = kept.draft.body
        if asked.secrets and body is not None:
            decoded = foreign.decoded_body(body, self._bodies.get(body.sha256))
        answer = foreign.with_request(Answer(kept.draft, kept.record, (), decoded=decoded), asked)
        self._scratch.update(kept.n, answer.capture)

    def _resolved(self, kept: Kept) -> Capture:
        """The capture of a revisit, with the body that it stands for when that is known."""
        found = self._scratch.of_record(kept.refers_to) if kept.refers_to else None
        if found is None or found.revisit:
            found = self._scratch.original(kept.refers_url or kept.url, kept.refers_date, kept.digest)
        draft = kept.draft
        if found is None or found.draft.body is None:
            note = "a revisit of a record that is not in this file"
            return replace(draft, note=note, outcome="not_modified" if draft.outcome == "ok" else draft.outcome)
        if draft.outcome == "not_modified":
            return replace(draft, validators=Validators({}, found.capture))
        head = draft.response or (found.draft.response and replace(found.draft.response, head_kind="rebuilt"))
        return replace(
            draft, body=found.draft.body, response=head, signals=found.draft.signals,
            outcome=found.draft.outcome if draft.status is None else draft.outcome,
            status=draft.status or found.draft.status,
            secret_in_body=found.draft.secret_in_body,
            redacted=(*draft.redacted, *(one for one in found.draft.redacted if one.where == "body")),
        )  # fmt: skip

    def _write(self, kept: Kept) -> None:
        if kept.line is not None and kept.capture is not None:
            name, line, doc = kept.capture, kept.line, kept.doc
        else:
            capture, line = (self._resolved(kept) if kept.revisit else kept.draft).sealed_line()
            name, doc = capture.id, _doc_of(capture)
            self._scratch.written(kept.n, name)
        if self._is_known(name):
            self.skips["known"] += 1
            return
        self._lines.put(line)
        self.captures += 1
        if doc is not None:
            self._scratch.add_doc(doc)

    def _is_known(self, capture: str) -> bool:
        try:
            self._index.catalog.capture(capture)
        except NotStored:
            return False
        except StoreError:
            return True  # its line is there and damaged
        return True

    def _first_fault(self) -> str:
        return next((str(fault) for fault in self.faults), "no record")


def _doc_of(capture: Capture) -> str | None:
    """The document that a capture gives."""
    if not gives_page(capture):
        return None
    url = str((capture.source or {}).get("original") or capture.url)
    return ARCHIVED + (normal_or_none(url) or url)


def _is_ours(record: ArchiveRecord) -> bool:
    return record.get(CAPTURE_FIELD) is not None


def _is_proven(record: ArchiveRecord, block: bytes) -> bool:
    """Whether a digest shows that a block is whole, whatever stands behind it."""
    return judge(record.get("WARC-Block-Digest"), block) == "ok"


__all__ = ["Imported", "import_archive"]
