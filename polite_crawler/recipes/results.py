"""What the run of a recipe gives for each request."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from polite_crawler.spiders.results import PageResult


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """One document of a run; `read` gives its text. A held-back one shows no title, and only structural metadata."""

    doc: str
    kind: str
    title: str | None
    url: str
    meta: Mapping[str, Any]
    chars: int
    capture: str | None
    fetched_at: str | None
    held_back: bool


@dataclass(frozen=True, slots=True)
class RecipeResult(PageResult):
    """A request of a recipe: the facts of its page, the documents that the extractor found, and the error of an
    extractor that could not read it."""

    recipe: str = ""
    docs: tuple[DocumentFacts, ...] = ()
    error: str | None = None
