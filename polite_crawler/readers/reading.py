"""The one door to the readers: which reader a body belongs to, by its type and its first octets."""

import re
from typing import Literal

from polite_crawler.readers.charset import parse_content_type
from polite_crawler.readers.page import Page

Form = Literal["html", "pdf", "text", "image", "audio", "video", "font", "archive", "office", "binary", "empty"]

_TEXT_TYPES = re.compile(
    r"text/.+|application/(?:.+\+)?(?:json|xml|yaml)|application/(?:x-)?(?:ndjson|jsonl|javascript|ecmascript|toml|sql"
    r"|x-yaml|x-sh|x-tex|x-latex|x-subrip|rtf-text|graphql|csv)|message/rfc822|image/svg\+xml"
)
_HTML_TYPES = frozenset(("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"))
_MARKUP = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<!--.*?-->\s*)*<(?:!doctype html|html|head|body|title|script|style|div|p|a|h1|table|br"
    rb"|font|iframe|meta)[\s/>]",
    re.I | re.S,
)
# https://mimesniff.spec.whatwg.org/ section 6
_MAGIC: tuple[tuple[bytes, Form], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image"), (b"\xff\xd8\xff", "image"), (b"GIF8", "image"), (b"BM", "image"),
    (b"\x00\x00\x01\x00", "image"), (b"II*\x00", "image"), (b"MM\x00*", "image"), (b"ID3", "audio"),
    (b"OggS", "audio"), (b"fLaC", "audio"), (b"\x1aE\xdf\xa3", "video"), (b"PK\x03\x04", "archive"),
    (b"PK\x05\x06", "archive"), (b"\x1f\x8b", "archive"), (b"7z\xbc\xaf\x27\x1c", "archive"), (b"Rar!", "archive"),
    (b"BZh", "archive"), (b"\xfd7zXZ\x00", "archive"), (b"\x28\xb5\x2f\xfd", "archive"), (b"wOFF", "font"),
    (b"wOF2", "font"), (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "office"), (b"\x7fELF", "binary"), (b"MZ", "binary"),
)  # fmt: skip
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")


def read(body: bytes, *, url: str, content_type: str | None) -> Page:
    """Read a body by the reader of its form. Another form (an image, an archive) gives an empty page with a note:
    the body stays in the store.
    """
    form = form_of(body, content_type)
    if form == "html":
        from polite_crawler.readers.html import read_page

        return read_page(body, url=url, content_type=content_type)
    if form == "pdf":
        from polite_crawler.readers.pdf import read_pdf_page

        return read_pdf_page(body)
    if form == "text":
        from polite_crawler.readers.plain import read_plain

        return read_plain(body, content_type=content_type)
    return Page(kind="text", notes=(f"no text: {form}",))


def form_of(body: bytes, content_type: str | None) -> Form:
    """The form of a body. The declared type decides; the octets correct it where servers are often wrong: no type,
    text/plain, application/octet-stream, and a PDF under any name.
    """
    if not body.strip():
        return "empty"
    if b"%PDF-" in body[:1024]:
        return "pdf"
    essence, _ = parse_content_type(content_type)
    magic = _magic(body)
    if magic is not None:
        return magic
    if essence in _HTML_TYPES:
        return "html"
    if essence.startswith(("image/", "audio/", "video/", "font/")) and essence != "image/svg+xml":
        return essence.partition("/")[0]  # type: ignore[return-value]
    if _MARKUP.match(body[:4096]) and essence in ("", "text/plain", "application/octet-stream", "unknown/unknown"):
        return "html" if essence != "text/plain" else "text"
    if _TEXT_TYPES.fullmatch(essence):
        return "text"
    return "binary" if _CONTROL.search(body[:2048]) else "text"


def _magic(body: bytes) -> Form | None:
    if body[4:8] == b"ftyp":
        return "video"
    if body[:4] == b"RIFF" and body[8:12] in (b"WEBP", b"WAVE", b"AVI "):
        return {b"WEBP": "image", b"WAVE": "audio", b"AVI ": "video"}[body[8:12]]  # type: ignore[return-value]
    return next((form for mark, form in _MAGIC if body.startswith(mark)), None)
