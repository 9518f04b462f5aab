"""The store as a library: `open_store` answers from the disk, with no request."""

import os
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from polite_crawler.errors import BadOption, StoreError
from polite_crawler.query.find import Found, Ranked, find, rank_within
from polite_crawler.query.read import ReadResult, read
from polite_crawler.query.versions import Version, versions
from polite_crawler.store.catalog import CopyFacts, StoredVersion
from polite_crawler.store.caught_up import Reindexed
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.index import Index
from polite_crawler.store.projection import Extractor, headers, read_body
from polite_crawler.store.question import Rank
from polite_crawler.store.record import Capture, Time, utc, utc_micros

if TYPE_CHECKING:
    from polite_crawler.query.diff import DiffResult, VersionChoice
    from polite_crawler.query.extract import ExtractResult
    from polite_crawler.query.verify import VerifyResult
    from polite_crawler.store.doctor import Diagnosis


@dataclass(frozen=True, slots=True)
class StoredCopy:
    """The stored copy of a URL: its capture, when a server last gave or confirmed it (`checked_at`), the fields of
    its response head, and the 304 that confirmed it, if one did."""

    capture: Capture
    checked_at: str
    headers: tuple[tuple[str, str], ...]
    confirmed_by: Capture | None
    _index: Index

    def body(self) -> bytes:
        """The decoded body, with known secrets overwritten. Raises BlobError when it is missing or damaged."""
        assert self.capture.body is not None
        return read_body(self.capture, self._index.blobs.get(self.capture.body.sha256))


class Store:
    """A finished or a growing store: questions about what it holds. Threads can share it; close it at the end."""

    def __init__(
        self,
        dir: str | os.PathLike[str],
        *,
        extractors: Mapping[str, Extractor] | None = None,
        clock: Callable[[], float] = time.time,
        catch_up: bool = True,
    ) -> None:
        """Open a store that is there. Raises StoreError for none, another version, or an index that is not usable."""
        self.folder = StoreFolder(dir).check()
        self.index = Index(self.folder, extractors=extractors, catch_up=catch_up, reader=True)
        self._clock = clock

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the index. The store on disk stays as it is."""
        self.index.close()

    def find(
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        rank: Rank = "exact",
        kind: str | None = None,
        at: str | datetime | None = None,
    ) -> tuple[Found, ...]:
        """The best documents of a question, now or as they were at a time. Double quotes make a phrase, `bake*` is a
        prefix. Raises BadOption."""
        return find(self.index, query, limit=limit, offset=offset, rank=rank, kind=kind, at=at)

    def rank_within(
        self,
        query: str,
        docs: Collection[str],
        *,
        rank: Rank = "exact",
        at: str | datetime | None = None,
        limit: int | None = None,
    ) -> tuple[Ranked, ...]:
        """Rank a set of document ids by a question, all of them or the best `limit`. Raises BadOption."""
        return rank_within(self.index, query, docs, rank=rank, at=at, limit=limit)

    def read(
        self,
        doc: str,
        *,
        start: int = 0,
        length: int | None = None,
        capture: str | None = None,
        at: str | datetime | None = None,
        main: bool = False,
        user_provided: bool = False,
    ) -> ReadResult:
        """A range of the stored text of a document. `user_provided` lifts the hold of a page that asked not to be AI
        input, for a URL that a person gave; each such read is logged. Raises NotStored and BadOption."""
        lift = self.lift_hold if user_provided else None
        return read(
            self.index, doc, start=start, length=length, capture=capture, at=at, main=main, lift_hold=lift
        )  # fmt: skip

    def versions(self, doc: str) -> tuple[Version, ...]:
        """The versions of a document, the newest first. Raises NotStored."""
        return versions(self.index, doc)

    def verify(
        self,
        doc: str,
        quote: str,
        *,
        capture: str | None = None,
        at: str | datetime | None = None,
        user_provided: bool = False,
    ) -> "VerifyResult":
        """Whether the stored text of a document holds a quote, and where. See `polite_crawler.query.verify`."""
        from polite_crawler.query.verify import verify_document

        return verify_document(self, doc, quote, capture=capture, at=at, user_provided=user_provided)

    def diff(
        self, doc: str, *, from_: "VersionChoice | None" = None, to: "VersionChoice | None" = None
    ) -> "DiffResult":
        """What changed between two versions. See `polite_crawler.query.diff`."""
        from polite_crawler.query.diff import diff_document

        return diff_document(self, doc, from_=from_, to=to)

    def extract(
        self,
        doc: str,
        fields: Mapping[str, Any],
        *,
        capture: str | None = None,
        at: str | datetime | None = None,
        user_provided: bool = False,
    ) -> "ExtractResult":
        """Check proposed values of fields against a stored page. See `polite_crawler.query.extract`."""
        from polite_crawler.query.extract import extract_document

        return extract_document(self, doc, fields, capture=capture, at=at, user_provided=user_provided)

    def export_warc(self, out: str | os.PathLike[str], **options: Any) -> Any:
        """Write captures to a `.warc.gz` file. See `polite_crawler.archive.export.export`."""
        return _exported(self, out, ".warc.gz", options)

    def export_wacz(self, out: str | os.PathLike[str], **options: Any) -> Any:
        """Write captures to a `.wacz` package. See `polite_crawler.archive.export.export`."""
        return _exported(self, out, ".wacz", options)

    def reindex(self) -> Reindexed:
        """Build the index anew from the log and the bodies. Raises StoreError."""
        return self.index.reindex()

    def doctor(self, *, bodies: bool = True) -> "Diagnosis":
        """Compare the index with the log and the stored bodies; each fault of the index is cured by `reindex`."""
        from polite_crawler.store.doctor import examine

        return examine(self.index, bodies=bodies)

    def capture(self, capture: str) -> Capture:
        """A capture by its id, from the log. Raises NotStored."""
        return self.index.reading(lambda catalog: catalog.capture(capture))

    def latest(self, url: str) -> StoredCopy | None:
        """The latest live copy of a URL, through its stored hops, or None. A URL with a redacted part has none."""
        found: CopyFacts | None = self.index.reading(lambda catalog: catalog.copy_of(url))
        if found is None:
            return None
        return StoredCopy(
            capture=found.capture,
            checked_at=utc_micros(found.checked),
            headers=tuple(headers(found.capture)),
            confirmed_by=found.confirmed_by,
            _index=self.index,
        )

    def lift_hold(self, version: StoredVersion) -> str | None:
        """Log that a person gave the URL of a held-back version, and lift its hold: None. When that cannot be
        logged the hold stays, and the answer says why."""
        override = Capture(
            kind="override",
            url=version.url,
            time=Time(utc(self._clock())),
            outcome="skipped",
            reason="user-provided",
            note=f"the text of {version.doc} was given although it is held back: a person gave its URL",
            source={"of": version.capture},
        ).sealed()
        if not self.index.writable:
            return "held back: the store cannot be written, so the override could not be logged"
        try:
            self.index.log.append(override.line())
            self.index.log.sync()
        except (OSError, StoreError) as error:
            return f"held back: the override could not be logged ({error})"
        return None


def _exported(store: Store, out: str | os.PathLike[str], suffix: str, options: dict[str, Any]) -> Any:
    if not os.fspath(out).endswith(suffix):
        raise BadOption(f"bad name {os.fspath(out)!r}: it has to end in {suffix}")
    from polite_crawler.archive.export import export

    return export(store.index, os.fspath(out), **options)


def open_store(
    dir: str | os.PathLike[str], *, extractors: Mapping[str, Extractor] | None = None, catch_up: bool = True
) -> Store:
    """Open the store in a folder; use it as a context manager. Raises StoreError when there is none."""
    return Store(dir, extractors=extractors, catch_up=catch_up)
