"""versions: what a document was, the newest first."""

from dataclasses import dataclass

from polite_crawler.store.catalog import Catalog
from polite_crawler.store.index import Index


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a document. A held-back one shows no title and no hash of its text."""

    doc: str
    capture: str
    capture_kind: str
    fetched_at: str
    title: str | None
    chars: int
    text_sha256: str | None
    held_back: bool
    current: bool


def versions(index: Index, doc: str) -> tuple[Version, ...]:
    """The versions of a document, the newest first. Raises NotStored."""

    def ask(catalog: Catalog) -> tuple[Version, ...]:
        stored = catalog.doc(doc)
        found = []
        for one in catalog.versions(stored):
            held = stored.held or one.held is not None
            found.append(
                Version(
                    doc=one.doc,
                    capture=one.capture,
                    capture_kind=one.capture_kind,
                    fetched_at=one.fetched_at,
                    title=None if held else one.title,
                    chars=one.chars,
                    text_sha256=None if held else one.text_sha256,
                    held_back=held,
                    current=one.current,
                )
            )
        return tuple(found)

    return index.reading(ask)
