"""A lawful removal: the body of a page goes, and the log says so. The lines of the log stay, so its seals hold."""

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass

from polite_crawler.errors import NotStored, StoreError
from polite_crawler.store.folder import sync_folder
from polite_crawler.store.index import Index
from polite_crawler.store.record import Capture, Time, utc


@dataclass(frozen=True, slots=True)
class Erased:
    """What was removed: the captures whose body is gone, the bodies, and the documents that are left in the index."""

    captures: tuple[str, ...]
    bodies: tuple[str, ...]
    documents: int


def erase(index: Index, name: str, *, reason: str, clock: Callable[[], float] = time.time) -> Erased:
    """Remove the bodies of a document (all versions), of a capture, or of a SHA-256, and rebuild the index without
    them. A body that other captures share goes for them too: the same octets are the same content.

    First the log gets an `erase` line for each capture, then the body goes. Raises NotStored and StoreError.
    """
    if not index.writable:
        raise StoreError(f"cannot write the store {index.folder.path}")
    bodies = _bodies(index, name)
    captures = [capture for _, capture in index.log.scan() if capture.body and capture.body.sha256 in bodies]
    if not captures and not any(map(index.blobs.has, bodies)):
        raise NotStored(f"{name} is no body of the store")
    bodies |= {picture for capture in captures if (picture := _picture(capture)) is not None}
    gone = _erased(index)
    try:
        for capture in captures:
            if capture.id not in gone:
                index.log.append(_line(capture, reason, clock()).line())
        index.log.sync()
        for sha256 in sorted(bodies):
            path = index.blobs.path(sha256)
            path.unlink(missing_ok=True)
            if path.parent.is_dir():
                sync_folder(path.parent)
    except OSError as error:
        raise StoreError(f"cannot erase in the store {index.folder.path}: {error.strerror or error}") from None
    documents = index.reindex().documents
    return Erased(tuple(capture.id for capture in captures), tuple(sorted(bodies)), documents)


def _bodies(index: Index, name: str) -> set[str]:
    """The SHA-256 of each body that a name means."""
    try:
        if index.blobs.path(name):
            return {name}
    except StoreError:
        pass
    if name.startswith("fetch."):
        capture: Capture = index.reading(lambda catalog: catalog.capture(name))
        found = {capture.body.sha256} if capture.body else set()
    else:
        found = index.reading(lambda catalog: {one.blob for one in catalog.versions(catalog.doc(name)) if one.blob})
    if not found:
        raise NotStored(f"{name} has no body")
    return found


def _picture(capture: Capture) -> str | None:
    """The SHA-256 of the picture of a rendered page: it shows what the body says."""
    picture = (capture.source or {}).get("picture") if capture.kind == "render" else None
    return picture if isinstance(picture, str) else None


def _erased(index: Index) -> Collection[str]:
    """The captures that have an erase line already."""
    return {
        str((capture.source or {}).get("of")) for _, capture in index.log.scan() if capture.kind == "erase"
    }  # fmt: skip


def _line(capture: Capture, reason: str, now: float) -> Capture:
    assert capture.body is not None
    return Capture(
        kind="erase",
        url=capture.url,
        time=Time(utc(now)),
        outcome="skipped",
        reason="erase",
        note=reason,
        source={"of": capture.id, "sha256": capture.body.sha256},
    ).sealed()
