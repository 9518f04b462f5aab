"""What an extractor gives, and the rules that it has to keep. Pure, without Scrapy."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from polite_crawler.errors import BadOption
from polite_crawler.readers.charset import decode
from polite_crawler.readers.page import Page
from polite_crawler.store.document import Document
from polite_crawler.store.projection import ARCHIVED, content_type
from polite_crawler.store.record import Capture

RESERVED_RECIPES = frozenset(
    {"page", "fetch", "site", "discover", "robots", "sitemap", "feed", "render", "import", "subresource"}
    | {"archive", "archive-index", "archive-copy", "override", "erase", "seal", "venue", "product"}
)
"""Names that a recipe cannot have: the log uses them."""

HELD = "the recipe says that it asked not to be AI input"

_NAME = re.compile(r"[a-z0-9-]+")
_NEEDED = ("doc", "kind", "title", "text", "url", "meta")


@dataclass(frozen=True, slots=True)
class RecipeDocument:
    """One document of a body. `doc` is its id, with a prefix of the recipe's own (`menu:`); `meta` is plain JSON.
    `ai_input` is "no" when the body asks not to be AI input: its text is held back then."""

    doc: str
    kind: str
    title: str | None
    text: str
    url: str
    meta: Mapping[str, Any] = field(default_factory=dict)
    ai_input: str | None = None


Found = RecipeDocument | Document | Mapping[str, Any]
Extract = Callable[[bytes, Capture], Iterable[Found]]


class RecipeExtractor:
    """The extractor of a recipe as the store uses it: what it gives is checked."""

    def __init__(self, name: str, extract: Extract) -> None:
        self.name = checked_name(name)
        self.extract = extract

    def __call__(self, body: bytes, capture: Capture, page: Page) -> Sequence[Document]:
        """The documents of a body. Raises what the extractor raises, and ValueError for documents that break a
        rule."""
        # the note and the id come after the readers: an extractor that saw them would say another thing at a reindex
        return checked(self.extract(body, replace(capture, id="", note=None)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecipeExtractor) and (self.name, self.extract) == (other.name, other.extract)

    def __hash__(self) -> int:
        return hash((self.name, self.extract))


def recipe_name(name: object) -> str:
    """The name of a recipe, as it goes into each capture record. Raises BadOption."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise BadOption(f"the name of a recipe is made of a-z, 0-9 and -, and {name!r} is not")
    return name


def checked_name(name: object) -> str:
    """The name of a new recipe: it is never changed, and no name that the log uses. Raises BadOption."""
    if recipe_name(name) in RESERVED_RECIPES:
        raise BadOption(f"{name!r} is a reserved name; give the recipe another one")
    return str(name)


def checked(found: Iterable[Found]) -> tuple[Document, ...]:
    """The documents of an extractor. Raises ValueError for one that breaks a rule, and TypeError for what is none."""
    documents: dict[str, Document] = {}
    for number, one in enumerate(found):
        document = _document(one, number)
        if document.doc in documents:
            raise ValueError(f"two documents have the id {document.doc!r}")
        documents[document.doc] = document
    return tuple(documents.values())


def read_json(body: bytes, capture: Capture) -> Any:
    """The JSON of a body, in the encoding that the response declares, else UTF-8, UTF-16 or UTF-32. Raises ValueError
    that names the URL and the content type."""
    kind = content_type(capture)
    try:
        if kind is not None and "charset=" in kind.lower().replace(" ", ""):
            return json.loads(decode(body, kind).text)
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{capture.url} ({kind or 'no content type'}) is not JSON: {error}") from None


def _document(one: object, number: int) -> Document:
    if isinstance(one, RecipeDocument | Document):
        facts: Mapping[str, Any] = {name: getattr(one, name) for name in _NEEDED}
        facts = {**facts, "ai_input": getattr(one, "ai_input", None)}
    elif isinstance(one, Mapping):
        facts = one
    else:
        raise TypeError(f"document {number} is a {type(one).__name__}, not a RecipeDocument")
    missing = [name for name in _NEEDED if name not in facts]
    unknown = [str(name) for name in facts if name not in (*_NEEDED, "ai_input")]
    if missing or unknown:
        raise ValueError(f"document {number} has no {missing[0]}" if missing else f"no document has a {unknown[0]}")
    for name in ("doc", "kind", "text", "url"):
        if not isinstance(facts[name], str) or (name != "text" and not facts[name]):
            raise ValueError(f"{name} of document {number} is not a text: {facts[name]!r}")
    if not isinstance(facts["title"], str | None):
        raise ValueError(f"title of document {number} is neither a text nor None: {facts['title']!r}")
    if facts["doc"].startswith(ARCHIVED) or facts["kind"] == "archived":
        raise ValueError(f"{facts['doc']!r}: archived copies alone have that prefix and that kind")
    if facts.get("ai_input") not in (None, "no", "yes"):
        raise ValueError(f"ai_input of document {number} is neither yes nor no: {facts['ai_input']!r}")
    return Document(
        doc=facts["doc"],
        kind=facts["kind"],
        title=facts["title"],
        text=facts["text"],
        url=facts["url"],
        meta=_json(facts["meta"], number),
        main=getattr(one, "main", ()),
        hold=HELD if facts.get("ai_input") == "no" else getattr(one, "hold", None),
    )


def _json(meta: object, number: int) -> dict[str, Any]:
    """The metadata as it will be read back."""
    if not isinstance(meta, Mapping):
        raise ValueError(f"meta of document {number} is not an object")
    try:
        value = json.loads(json.dumps(dict(meta), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ValueError(f"meta of document {number} is not JSON: {error}") from None
    assert isinstance(value, dict)
    return value
