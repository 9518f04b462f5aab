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
_NAMES: dict[Form, str] = {
    "empty": "the body is empty",
    "image": "an image",
    "audio": "a sound file",
    "video": "a video",
    "font": "a font",
    "archive": "an archive, which is not opened",
    "office": "an office document of a kind that is not opened",
    "binary": "the body is binary",
}
_RIFF: dict[bytes, Form] = {b"WEBP": "image", b"WAVE": "audio", b"AVI ": "video"}
_BRANDS: dict[bytes, Form] = dict.fromkeys((b"avif", b"avis", b"heic", b"heix", b"heif", b"mif1", b"msf1"), "image")
_BRANDS |= dict.fromkeys((b"M4A ", b"M4B ", b"M4P "), "audio")
"""What ISO media files with other brands than those of videos hold."""
_BINARY: dict[str, Form] = {"image": "image", "audio": "audio", "video": "video", "font": "font"}
_OFFICE = re.compile(r"officedocument|opendocument|msword|ms-(?:excel|powerpoint|word)|epub|rtf")
_ZIP = b"PK"
_OFFICE_PARTS = (b"[Content_Types].xml", b"mimetypeapplication/", b"META-INF/container.xml", b"META-INF/manifest.xml")
"""Names in the list of parts, which may stand at the very end of the file."""
_UNSURE = frozenset(("", "application/octet-stream", "unknown/unknown", "application/unknown", "*/*"))
_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")
_LEADING = b"\xef\xbb\xbf\x00 \t\r\n\x0c"
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
    if form == "office" and body.startswith(_ZIP):
        from polite_crawler.readers.office.file import read_office_page

        return read_office_page(body)
    if form == "text":
        from polite_crawler.readers.plain import read_plain

        return read_plain(body, content_type=content_type)
    is_page = form == "empty" and parse_content_type(content_type)[0] in _HTML_TYPES
    return Page(kind="page" if is_page else "text", notes=(f"no text: {_NAMES[form]}",))


def form_of(body: bytes, content_type: str | None) -> Form:
    """The form of a body. The octets decide where they are clear and where servers are often wrong (no type,
    text/plain, application/octet-stream), the declared type elsewhere.
    """
    if not body.strip():
        return "empty"
    essence, _ = parse_content_type(content_type)
    is_markup = _MARKUP.match(body[:4096]) is not None
    is_binary = not body.startswith(_BOMS) and _CONTROL.search(body[:2048]) is not None
    if body.lstrip(_LEADING).startswith(b"%PDF-") or (not is_markup and _is_late_pdf(body, essence, is_binary)):
        return "pdf"
    if is_binary or not body[:2].isascii():
        magic = _magic(body)
        if magic is not None:
            return magic
    if essence in _HTML_TYPES:
        return "html"
    if is_markup and essence in _UNSURE:
        return "html"
    if _TEXT_TYPES.fullmatch(essence):
        return "text"
    kind = essence.partition("/")[0]
    if is_binary:
        return _BINARY.get(kind) or ("office" if _OFFICE.search(essence) else "binary")
    return "text"


def _is_late_pdf(body: bytes, essence: str, is_binary: bool) -> bool:
    """A PDF with something before its mark, which its readers accept in the first 1,024 octets."""
    return b"%PDF-" in body[:1024] and (is_binary or essence in ("application/pdf", "application/x-pdf"))


def _magic(body: bytes) -> Form | None:
    if body[4:8] == b"ftyp":
        return _BRANDS.get(body[8:12], "video")
    if body[:4] == b"RIFF":
        return _RIFF.get(body[8:12])
    if body.startswith(_ZIP) and any(mark in body for mark in _OFFICE_PARTS):
        return "office"
    return next((form for mark, form in _MAGIC if body.startswith(mark)), None)
