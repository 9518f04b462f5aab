"""From a capture and its stored body to documents: the same steps while crawling and at a reindex."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, Protocol

from polite_crawler.errors import BadOption
from polite_crawler.readers.page import Page
from polite_crawler.rules.secretforms import mask
from polite_crawler.rules.urls import doc_id, normalize
from polite_crawler.store.blobs import BlobError
from polite_crawler.store.decoding import UndecodableBody, decode_body
from polite_crawler.store.document import Document
from polite_crawler.store.record import Capture

ARCHIVED = "archive:"
"""The prefix of the document id of a copy that a third party made."""

PAGE_RECIPE = "page"
"""The recipe of a capture that the page reader alone reads, as None is."""

Pairs = tuple[tuple[str, str], ...]
"""Fields of a head: names and values."""

_LIVE = ("fetch", "render")
_COPIES = ("archive-copy", "import")
_OF_COPY = ("source", "timestamp", "url", "original", "record")
_LINKS = 5000


class Extractor(Protocol):
    """Reads the documents of a capture of one recipe. Pure: the same body and capture give the same documents."""

    def __call__(self, body: bytes, capture: Capture, page: Page) -> Sequence[Document]: ...


def gives_documents(capture: Capture) -> bool:
    """Whether a capture of this kind and outcome has a body that is read as a document: one that was cut before its
    first octet is none, as an empty one is. An imported one says in `source.kind` what was asked for: a robots.txt or
    an image of a page is none."""
    if capture.kind not in _LIVE + _COPIES or capture.outcome != "ok":
        return False
    if capture.body is None or not capture.body.read_size:
        return False
    if capture.kind == "archive-copy":
        return is_copy(capture)
    return capture.kind != "import" or (capture.source or {}).get("kind", "fetch") in _LIVE + _COPIES


def is_copy(capture: Capture) -> bool:
    """Whether a capture is the copy that an archive gave, and not the exchange with the archive that brought it."""
    return capture.kind == "archive-copy" and capture.source is not None


def gives_page(capture: Capture) -> bool:
    """Whether that document is the page at the URL: what another method than GET is answered with is none (RFC 9110,
    section 9.3). A recipe may read it all the same."""
    return capture.method == "GET" and gives_documents(capture)


def read_body(capture: Capture, received: bytes) -> bytes:
    """The body that a reader may see: content coding removed within the bound that the record names, and the octets
    of known secrets overwritten by `*`.

    Raises BlobError when the result is not the decoded body of the record, and UndecodableBody.
    """
    assert capture.body is not None
    body, decoded = capture.body, capture.body.decoded
    if body.coding or decoded:
        data = decode_body(received, body.coding, body.read_size)
        if decoded and hashlib.sha256(data).hexdigest() != decoded.sha256:
            raise BlobError(body.sha256, "damaged (its decoded SHA-256 is wrong)")
    else:
        data = received
    return covered(capture, data)


def covered(capture: Capture, body: bytes) -> bytes:
    """The decoded body with the octets of known secrets overwritten by `*`."""
    spans = [span for one in capture.redacted for span in zip(one.at[::2], one.at[1::2], strict=True)]
    return mask(body, spans) if spans else body


def read_page(capture: Capture, body: bytes, *, apart: bool = False) -> Page:
    """Read a body by its content type, with the reader of that kind; `apart` reads a large page in another process,
    so that the threads of this one go on."""
    module, name = ("apart", "read_apart") if apart else ("reading", "read")
    read = getattr(import_module(f"polite_crawler.readers.{module}"), name)
    page = read(body, url=_subject(capture), content_type=content_type(capture))
    assert isinstance(page, Page)
    if capture.kind == "render" and page.needs_javascript:
        # its scripts have run: what it shows is all that there is
        reasons = import_module("polite_crawler.readers.javascript").REASONS
        notes = tuple(note for note in page.notes if note not in reasons)
        return replace(page, needs_javascript=False, notes=notes)
    return page


def documents_of(
    capture: Capture,
    page: Page,
    *,
    body: bytes | None = None,
    extractors: Mapping[str, Extractor] | None = None,
) -> tuple[Document, ...]:
    """The documents of a capture: the page itself and, for a recipe with an extractor, what it finds in `body`.

    What another method than GET was answered is no page. A document of the recipe takes the place of the page when
    both have the same id.
    """
    if not gives_documents(capture):
        return ()
    found: dict[str, Document] = {}
    if gives_page(capture):
        document = _page_document(capture, page)
        found[document.doc] = document
    extractor = (extractors or {}).get(capture.recipe or "")
    if extractor is not None and body is not None and capture.kind in _LIVE:
        for one in extractor(body, capture, page):
            found[one.doc] = one
    return tuple(found.values())


def archived_from(capture: Capture) -> dict[str, Any] | None:
    """What an archived copy says of itself (source, timestamp, url, original ...), or None for a live capture."""
    if capture.kind not in _COPIES:
        return None
    source = dict(capture.source or {}) | {"original": _subject(capture)}
    facts = {name: source.get(name) for name in _OF_COPY}
    return facts if capture.kind == "archive-copy" else source | facts


def archive_note(archived: Mapping[str, Any] | None) -> str | None:
    """What is to be said of an archived copy: which archive, and of which date; None for a live page."""
    if archived is None:
        return None
    source, when = archived.get("source") or archived.get("type") or "an archive", archived.get("timestamp")
    return f"an archived copy from {source}" + (f" of {when}" if when else "")


def content_type(capture: Capture) -> str | None:
    """The last Content-Type of the response head, or None."""
    return header(capture, "content-type")


def header(capture: Capture, name: str) -> str | None:
    """The last field of the response head with this name (lower case), or None."""
    found = [value for key, value in headers(capture) if key.lower() == name]
    return found[-1] if found else None


def headers(capture: Capture) -> list[tuple[str, str]]:
    """The fields of the response head in their order, folded lines joined (RFC 9112 section 5.2)."""
    if capture.response is None:
        return []
    fields: list[tuple[str, str]] = []
    for line in capture.response.head.replace("\r\n", "\n").split("\n")[1:]:
        if line[:1] in (" ", "\t") and fields:
            fields[-1] = (fields[-1][0], f"{fields[-1][1]} {line.strip()}".strip())
        elif ":" in line:
            name, value = line.split(":", 1)
            fields.append((name.strip(), value.strip(" \t")))
    return fields


def request_headers(capture: Capture) -> Pairs:
    """The fields of the request head, in their order."""
    if capture.request is None:
        return ()
    lines = capture.request.head.replace("\r\n", "\n").split("\n")[1:]
    return tuple(
        (name.strip(), value.strip()) for name, colon, value in (line.partition(":") for line in lines) if colon
    )


def _page_document(capture: Capture, page: Page) -> Document:
    url = _subject(capture)
    copy = capture.kind in _COPIES
    return Document(
        doc=archived_id(str((capture.source or {}).get("asked") or url)) if copy else _live_id(url),
        kind="archived" if copy else page.kind,
        title=page.title,
        text=page.text,
        url=url,
        meta=_meta(capture, page),
        main=page.main,
    )


def _meta(capture: Capture, page: Page) -> dict[str, Any]:
    assert capture.body is not None
    body = capture.body
    facts: dict[str, Any] = {
        **page.meta,
        "content_type": content_type(capture),
        "encoding": page.encoding,
        "language": page.language,
        "size": body.read_size,
        "truncated": body.truncated,
        "signals": dict(capture.signals) if capture.signals else None,
        "canonical": page.canonical,
        "refresh": page.refresh,
        "jsonld": list(page.jsonld),
        "feeds": list(page.feeds),
        "links": [
            {"url": link.url, "text": link.text} | ({"rel": list(link.rel)} if link.rel else {})
            for link in page.links[:_LINKS]
        ],
        "needs_javascript": page.needs_javascript,
        "blocked": page.blocked,
        "notes": list(page.notes),
    }
    return {name: value for name, value in facts.items() if value not in (None, False, [], {})}


def _subject(capture: Capture) -> str:
    """The URL that the body is of: for an archived copy the URL that the archive captured."""
    if capture.kind in _COPIES and capture.source:
        return str(capture.source.get("original") or capture.source.get("url") or capture.url)
    return capture.url


def _live_id(url: str) -> str:
    try:
        return doc_id(url)
    except BadOption:
        return f"url:{url}"


def archived_id(url: str) -> str:
    """The document id of the archived copies of a URL."""
    try:
        return ARCHIVED + normalize(url)
    except BadOption:
        return ARCHIVED + url


Reader = Callable[[Capture, bytes], Page]
__all__ = [
    "ARCHIVED",
    "PAGE_RECIPE",
    "Extractor",
    "Pairs",
    "Reader",
    "UndecodableBody",
    "archive_note",
    "archived_from",
    "archived_id",
    "content_type",
    "covered",
    "documents_of",
    "gives_documents",
    "gives_page",
    "header",
    "headers",
    "is_copy",
    "read_body",
    "read_page",
    "request_headers",
]
