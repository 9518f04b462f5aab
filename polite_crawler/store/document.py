"""A document: what a reader made of one capture."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

STRUCTURAL_META = ("content_type", "encoding", "language", "size", "truncated", "signals")
"""The metadata that a held-back document still shows, beside its number of characters: nothing that its author
wrote for a reader."""

FIRST_LINKS = 20
"""The links of a document that the index can give without the others."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a capture.

    `doc` is its id (`url:`, `archive:` or the prefix of a recipe), `kind` is page, pdf, text, archived or a
    recipe's own. `main` holds the spans of the main text, in code points of `text`, end exclusive. `meta` is plain
    JSON. `hold` says why this document is held back although its capture is not, or is None.
    """

    doc: str
    kind: str
    title: str | None
    text: str
    url: str
    meta: Mapping[str, Any] = field(default_factory=dict)
    main: tuple[tuple[int, int], ...] = ()
    hold: str | None = None


@dataclass(frozen=True, slots=True)
class Extracted:
    """What the extractor of a recipe said of one capture: its documents, or the error that it raised, as words."""

    documents: tuple[Document, ...] = ()
    error: str | None = None


def structural(meta: Mapping[str, Any], chars: int) -> dict[str, Any]:
    """The part of the metadata that a held-back document shows, with the number of characters of its text."""
    return {name: meta[name] for name in STRUCTURAL_META if name in meta} | {"chars": chars}
